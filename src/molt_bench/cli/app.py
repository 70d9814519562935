"""`molt-bench`: the commands and their flags."""

import sys
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    help="Which agent plays better heads-up no-limit hold'em, and how sure are we?",
)


def show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """Print the version and end."""
    if wanted:
        from molt_bench._version import __version__

        typer.echo(f"molt-bench {__version__}")
        raise typer.Exit


@app.callback()
def default(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?

    `run` is the default command: its options may follow `molt-bench` directly.
    """


@app.command()
def run(
    participants: Annotated[str, typer.Option(help="Agents to compare, with commas between.")] = "random,tight",
    seeds: Annotated[int, typer.Option(help="Seeds of each match; each is played twice, seats swapped.")] = 10,
    hands: Annotated[int, typer.Option(help="Hands of each game.")] = 50,
    master_seed: Annotated[str, typer.Option(help="Names the pool of seeds.")] = "molt-bench",
) -> None:
    """Play every agent against every other on the same cards, seats swapped, and print the table."""
    from molt_bench.bench.round_robin import participants_from, play_round_robin, standings
    from molt_bench.report.terminal import print_standings
    from molt_bench.specs import GameSpec

    specs = participants_from(participants.split(","))
    results = play_round_robin(specs, master_seed=master_seed, seeds=seeds, hands=hands)
    print_standings(standings(results, big_blind=GameSpec(seed=master_seed, hands=hands).big_blind))


@app.command()
def agents() -> None:
    """List the built-in agents."""
    from molt_bench.agents.registry import BUILTIN_AGENTS

    for kind, bot in BUILTIN_AGENTS.items():
        about = (bot.__doc__ or "").partition("\n")[0]
        typer.echo(f"{kind:12} {about}")


def main() -> None:
    """Run the command line; a user's mistake is one line and exit status 1."""
    from molt_bench.errors import MoltBenchError

    arguments = sys.argv[1:]
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("--help", "--version")):
        arguments = ["run", *arguments]
    try:
        app(arguments)
    except MoltBenchError as error:
        typer.echo(f"molt-bench: {error}", err=True)
        sys.exit(1)
