"""`molt-bench`: the commands and their flags."""

from typing import Annotated, Literal

import typer

from molt_bench.cli.options import (
    AsJson,
    ComparedAgents,
    ComparedWithin,
    Executor,
    ExportFormat,
    FailBelow,
    FailOnFaults,
    FiguresFolder,
    GamesAtOnce,
    HtmlFile,
    MasterSeed,
    MasterSeedFile,
    NoBrowser,
    NoPreflight,
    Params,
    Participant,
    Participants,
    PlannedConfidence,
    PlannedGap,
    PlannedInterval,
    PlannedLatency,
    Quiet,
    RayAddress,
    Root,
    RunFolder,
    Strict,
    Version,
    Workers,
    debugging,
    positive,
    probability,
    two_blinds,
)

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which agent plays better heads-up no-limit hold'em, and how sure are we?",
)


@app.callback()
def default(
    version: Version = False,  # noqa: FBT002
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")] = False,  # noqa: FBT002
) -> None:
    """Which agent plays better heads-up no-limit hold'em, and how sure are we?

    `run` is the default command: its options may follow `molt-bench` directly.
    """


@app.command()
def run(
    context: typer.Context,
    config: Annotated[str | None, typer.Option(help="A YAML or JSON file; flags win over it.")] = None,
    participants: Participants = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds of a match; each is played twice, seats swapped.")] = None,
    hands: Annotated[int | None, typer.Option(help="Hands of a game.")] = None,
    master_seed: MasterSeed = None,
    master_seed_file: MasterSeedFile = None,
    seeds_file: Annotated[str | None, typer.Option(help="A file of seeds in place of the pool.")] = None,
    max_matches: Annotated[int | None, typer.Option(help="Matches after which the run ends.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure the order of neighbours has to be.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="What decides who plays next.")] = None,
    output_dir: Annotated[str | None, typer.Option(help="Folder that gets a folder for every run.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any field, as in game.stack=5000.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last run of this config.")] = False,  # noqa: FBT002
    executor: Executor = "auto",
    workers: Workers = None,
    ray_address: RayAddress = None,
    games_at_once: GamesAtOnce = None,
    no_preflight: NoPreflight = False,  # noqa: FBT002
    fail_on_faults: FailOnFaults = None,
    quiet: Quiet = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Run a benchmark (this is the default command)."""
    from molt_bench.arena.games import Where
    from molt_bench.cli.care import Care
    from molt_bench.cli.running import config_from, start
    from molt_bench.runs.master_seed import secret_from

    if master_seed is not None and master_seed_file is not None:
        raise typer.BadParameter("it does not go with --master-seed", param_hint="--master-seed-file")
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
    secret = secret_from(master_seed_file)
    where = Where(executor, workers, ray_address, games_at_once)
    care = Care(preflight=not no_preflight, fail_on_faults=fail_on_faults, debug=debugging(context))
    start(
        checked,
        secret=None if master_seed is not None else secret,
        resume=resume,
        where=where,
        quiet=quiet,
        as_json=as_json,
        care=care,
    )


@app.command()
def resume(
    context: typer.Context,
    folder: RunFolder,
    max_matches: Annotated[int | None, typer.Option(help="Go on until so many matches are played in all.")] = None,
    confidence: Annotated[float | None, typer.Option(help="Go on until the order is so sure.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any other field of stop.")] = None,
    executor: Executor = "auto",
    workers: Workers = None,
    ray_address: RayAddress = None,
    games_at_once: GamesAtOnce = None,
    no_preflight: NoPreflight = False,  # noqa: FBT002
    fail_on_faults: FailOnFaults = None,
    quiet: Quiet = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Go on with a run that was cut off; with another limit also with one that has ended, on the same decks."""
    from molt_bench.arena.games import Where
    from molt_bench.cli.care import Care
    from molt_bench.cli.running import go_on

    care = Care(preflight=not no_preflight, fail_on_faults=fail_on_faults, debug=debugging(context))
    go_on(
        folder,
        flags={"stop.budget.maxMatches": max_matches, "stop.adjacentConfidence.threshold": confidence},
        assignments=set_ or [],
        where=Where(executor, workers, ray_address, games_at_once),
        quiet=quiet,
        as_json=as_json,
        care=care,
    )


@app.command()
def report(
    folder: RunFolder,
    html: HtmlFile = None,
    figures: FiguresFolder = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Write all files of a run anew from its journal, and print the table; or a page or figures of it alone.

    Of a run that is still going the table is printed as it stands, and nothing is written.
    """
    if html is None and figures is None:
        from molt_bench.cli.running import rebuild

        rebuild(folder, as_json=as_json)
        return
    from molt_bench.cli.viewing import write_pages

    write_pages(folder, html=html, figures=figures)


@app.command()
def view(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder of runs, or a run.")] = "benchmark-results",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8765,
    host: Annotated[str, typer.Option(help="Where to listen; by default for this machine alone.")] = "127.0.0.1",
    no_browser: NoBrowser = False,  # noqa: FBT002
) -> None:
    """Look at runs in the browser, also while they go on: results, how sure they are, every hand from both sides."""
    from molt_bench.cli.viewing import view as view_runs

    view_runs(folder, host=host, port=port, browser=not no_browser)


@app.command()
def verify(folder: RunFolder, root: Root = None) -> None:
    """Play every game of a run again and say whether it is identical; models are not asked again."""
    from molt_bench.cli.running import verify_run

    verify_run(folder, root=root)


@app.command()
def replay(
    folder: RunFolder,
    output: Annotated[str | None, typer.Option(help="A folder that gets the files anew.")] = None,
    root: Root = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Run a whole benchmark again from what was recorded, asking no model, and compare all files."""
    from molt_bench.cli.running import replay_run

    replay_run(folder, output=output, root=root, as_json=as_json)


@app.command()
def validate(file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML or JSON config.")]) -> None:
    """Check a config without running it; no key is needed, and those that a run will need are named."""
    from molt_bench.cli.running import config_from, describe, warn_ahead

    config = config_from(file, {}, [])
    print(f"{file} is valid: {describe(config)}")
    warn_ahead(config)


@app.command()
def plan(
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="A YAML or JSON config.")],
    pilot: Annotated[str | None, typer.Option(metavar="RUN", help="A run to learn variance and costs from.")] = None,
    gap: PlannedGap = None,
    interval: PlannedInterval = None,
    confidence: PlannedConfidence = None,
    latency: PlannedLatency = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Say what a config will take, in hands, calls, dollars and hours, before anything is spent."""
    from molt_bench.cli.deciding import show_plan
    from molt_bench.cli.running import config_from, warn_ahead

    planned = config_from(config, {}, [])
    warn_ahead(planned)
    show_plan(
        planned,
        pilot=pilot,
        gap=gap,
        interval=interval,
        confidence=confidence,
        latency_s=latency,
        as_json=as_json,
    )


@app.command()
def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The folder of the earlier run.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The folder of the later run.")],
    agent: ComparedAgents = None,
    within: ComparedWithin = 250.0,
    fail_below: FailBelow = None,
    strict: Strict = False,  # noqa: FBT002
    confidence: Annotated[float, typer.Option(callback=probability, help="How sure is sure.")] = 0.95,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Say whether a new run is better or worse than an old one, on the same cards where they had the same.

    Exit status: 0 when all is well, 1 for a loss by --fail-below, 2 for wrong usage,
    3 when there is nothing to compare (no such folder, a run that cannot be read, an unknown agent).
    """
    from molt_bench.cli.deciding import compare_runs

    if strict and fail_below is None:
        raise typer.BadParameter("it needs --fail-below MBB", param_hint="--strict")
    compare_runs(
        old,
        new,
        agents=agent or [],
        within=within,
        fail_below=fail_below,
        strict=strict,
        confidence=confidence,
        as_json=as_json,
    )


@app.command()
def schema() -> None:
    """Print the JSON Schema of the config, for editors."""
    from molt_bench.cli.listing import print_schema

    print_schema()


@app.command()
def agents() -> None:
    """List the agents that a config can name."""
    from molt_bench.cli.listing import list_agents

    list_agents()


@app.command()
def check(
    participant: Participant,
    param: Params = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Hands against each opponent at each table.")] = None,
    timeout_s: Annotated[float | None, typer.Option(metavar="S", callback=positive, help="For one answer.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> None:
    """Say whether a participant is fit to play: its faults, its speed, whether it repeats itself; status 1 if not."""
    from molt_bench.cli.checking import check as check_participant

    check_participant(participant, param or [], hands=hands, timeout_s=timeout_s, as_json=as_json)


@app.command()
def play(
    agent: Participant,
    param: Params = None,
    hands: Annotated[int, typer.Option(min=1, help="Hands to play.")] = 20,
    stack: Annotated[int, typer.Option(min=1, metavar="BB", help="Big blinds for each, afresh in every hand.")] = 100,
    blinds: Annotated[str, typer.Option(callback=two_blinds, help="Small and big blind in chips.")] = "50/100",
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Names the cards; drawn if left out.")] = None,
    seat: Annotated[Literal["button", "big_blind"], typer.Option(help="Where you sit in hand 1.")] = "button",
    show_odds: Annotated[bool, typer.Option("--show-odds", help="Show what your hand and a call are worth.")] = False,  # noqa: FBT002
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Then the same cards again, seats swapped.")] = False,  # noqa: FBT002
) -> None:
    """Play against an agent yourself, here in the terminal."""
    import secrets

    from molt_bench.cli.participant import maker_of, participant_from
    from molt_bench.person.session import Session, play_session

    small, _, big = blinds.partition("/")
    session = Session(
        agent=agent,
        params=tuple(param or ()),
        hands=hands,
        stack=stack,
        blinds=(int(small), int(big)),
        seed=secrets.token_hex(4) if seed is None else seed,
        seat=seat,
        show_odds=show_odds,
        duplicate=duplicate,
    )
    opponent = participant_from(agent, param or [])
    play_session(session, opponent.id, maker_of(opponent, seed=session.seed))


@app.command()
def export(
    folder: RunFolder,
    form: ExportFormat,
    output: Annotated[str | None, typer.Option(metavar="FILE", help="Or - for stdout; by default in RUN.")] = None,
    match: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the hands of this match.")] = None,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Only the hands of this participant.")] = None,
    hero: Annotated[str | None, typer.Option(metavar="ID", help="Show cards as this one saw them.")] = None,
) -> None:
    """Write the hands of a run for trackers, spreadsheets and data frames, or its tables for a paper."""
    from molt_bench.cli.exporting import export_run

    export_run(folder, form, output=output, match=match, agent=agent, hero=hero)
