"""`molt-bench`: the commands and their flags."""

import os
import sys
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which agent plays better heads-up no-limit hold'em, and how sure are we?",
)

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run.")]
GamesAtOnce = Annotated[
    int | None, typer.Option("--games-at-once", min=1, help="Games under way at a time; never changes a result.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, only the result.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]


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
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,  # noqa: FBT002
) -> None:
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?

    `run` is the default command: its options may follow `molt-bench` directly.
    """


@app.command()
def run(
    config: Annotated[str | None, typer.Option(help="A YAML or JSON file; flags win over it.")] = None,
    participants: Annotated[str | None, typer.Option(help="Such as tight,my_bot.py:make,llm:openai:gpt-4.1.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds of a match; each is played twice, seats swapped.")] = None,
    hands: Annotated[int | None, typer.Option(help="Hands of a game.")] = None,
    master_seed: Annotated[str | None, typer.Option(help="Names the pool of seeds.")] = None,
    seeds_file: Annotated[str | None, typer.Option(help="A file of seeds in place of the pool.")] = None,
    max_matches: Annotated[int | None, typer.Option(help="Matches after which the run ends.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure the order of neighbours has to be.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="What decides who plays next.")] = None,
    output_dir: Annotated[str | None, typer.Option(help="Folder that gets a folder for every run.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any field, as in game.stack=5000.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last run of this config.")] = False,  # noqa: FBT002
    games_at_once: GamesAtOnce = None,
    quiet: Quiet = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Run a benchmark (this is the default command)."""
    from molt_bench.cli.running import config_from, start

    flags = {
        "participants": participants,
        "seeds.perMatch": seeds,
        "game.handsPerGame": hands,
        "seeds.masterSeed": master_seed,
        "seeds.file": seeds_file,
        "stop.budget.maxMatches": max_matches,
        "stop.adjacentConfidence.threshold": confidence,
        "scheduler.policy": scheduler,
        "outputDir": output_dir,
    }
    checked = config_from(config, flags, set_ or [])
    start(checked, resume=resume, games_at_once=games_at_once, quiet=quiet, as_json=as_json)


@app.command()
def resume(
    folder: RunFolder,
    games_at_once: GamesAtOnce = None,
    quiet: Quiet = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Go on with a run that was cut off."""
    from molt_bench.cli.running import go_on

    go_on(folder, games_at_once=games_at_once, quiet=quiet, as_json=as_json)


@app.command()
def report(folder: RunFolder, as_json: AsJson = False) -> None:  # noqa: FBT002
    """Write all files of a run anew from its journal, and print the table."""
    from molt_bench.cli.running import rebuild

    rebuild(folder, as_json=as_json)


@app.command()
def verify(folder: RunFolder) -> None:
    """Play every game of a run again and say whether it is identical; models are not asked again."""
    from molt_bench.cli.running import verify_run

    verify_run(folder)


@app.command()
def replay(
    folder: RunFolder,
    output: Annotated[str | None, typer.Option(help="A folder that gets the files anew.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Run a whole benchmark again from what was recorded, asking no model, and compare all files."""
    from molt_bench.cli.running import replay_run

    replay_run(folder, output=output, as_json=as_json)


@app.command()
def validate(file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or JSON config.")]) -> None:
    """Check a config without running it."""
    from molt_bench.cli.running import config_from, describe

    typer.echo(f"{file} is valid: {describe(config_from(file, {}, []))}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of the config, for editors."""
    import json

    from molt_bench.bench.config import BenchmarkConfig

    typer.echo(json.dumps(BenchmarkConfig.model_json_schema(by_alias=True), indent=2))


@app.command()
def agents() -> None:
    """List the agents that a config can name."""
    from molt_bench.agents.registry import BUILTIN_AGENTS, plugins

    for kind, bot in BUILTIN_AGENTS.items():
        about = (bot.__doc__ or "").partition("\n")[0]
        typer.echo(f"{kind:12} {about}")
    typer.echo(f"{'llm:MODEL':12} A language model, such as llm:openai:gpt-4.1; needs the extra molt-bench[llm].")
    for name, point in plugins().items():
        typer.echo(f"{name:12} Plug-in: {point.value}")


def main() -> None:
    """Run the command line; a user's mistake is one line and exit status 1."""
    from molt_bench.errors import MoltBenchError

    if "" not in sys.path:
        sys.path.insert(0, "")  # as with `python -m`: a module beside the user can be named
    arguments = sys.argv[1:]
    ours = ["--debug"] if arguments[:1] == ["--debug"] else []
    rest = arguments[len(ours) :]
    if not rest or (rest[0].startswith("-") and rest[0] not in ("--help", "--version")):
        arguments = [*ours, "run", *rest]
    try:
        app(arguments)
    except BrokenPipeError:
        # Whoever was reading has left, as `| head` does; the files are written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MoltBenchError as error:
        if "--debug" in arguments:
            raise
        typer.echo(f"molt-bench: {' '.join(str(error).split())}", err=True)
        sys.exit(1)
