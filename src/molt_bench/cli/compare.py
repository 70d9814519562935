"""`molt-bench compare`: is a new run better or worse than an old one?"""

import sys
from collections.abc import Sequence

import click

from molt_bench.cli.findings_output import ABOUT, check_endings, save, show
from molt_bench.cli.options import RUN_FOLDER, Printing, printing_options
from molt_bench.cli.parser import CONFIDENCE, NOT_NEGATIVE, Command
from molt_bench.cli.streams import notice, warn
from molt_bench.errors import ConfigError
from molt_bench.runs.run import Run
from molt_bench.study import comparison
from molt_bench.study.comparison import ComparedRun
from molt_bench.study.comparison_findings import comparison_findings


@click.command(cls=Command)
@click.argument("old", metavar="OLD", type=RUN_FOLDER, help="Folder of the earlier run.")
@click.argument("new", metavar="NEW", type=RUN_FOLDER, help="Folder of the later run.")
@click.option(
    "--agent",
    "agents",
    metavar="ID",
    multiple=True,
    help="Agent to compare: ID, or OLD_ID=NEW_ID; repeatable.",
)
@click.option(
    "--margin",
    metavar="MBB",
    type=NOT_NEGATIVE,
    help="Loss that does not matter, on average and to each opponent; 10 mbb are 1 bb/100.",
)
@click.option("--confidence", default=0.95, type=CONFIDENCE, help="Confidence of the verdicts.")
@click.option("--save", "files", metavar="FILE", multiple=True, help=ABOUT)
@printing_options
def compare(
    old: str,
    new: str,
    agents: Sequence[str],
    margin: float | None,
    confidence: float,
    files: Sequence[str],
    printing: Printing,
) -> None:
    """Test whether a new run is better or worse than an old one, on the same cards where possible.

    With --margin, the exit status is that of a gate: 4 if an agent is worse by more than that, on average or to one
    opponent, or hardly answered; 6 if the hands are too few to tell.

    Examples:
      molt-bench compare old new
      molt-bench compare old new --agent tight --margin 500
      molt-bench compare old new --save comment.md --save junit.xml
    """
    check_endings(files)
    ids = [_both_ids(text) for text in agents]
    compared = comparison.compare(_run(old), _run(new), agents=ids, confidence=confidence, margin=margin)
    found = comparison_findings(compared, old, new)
    save(found, files)
    show(found, printing)
    for warning in () if printing.as_json else found.warnings:
        warn(warning)
    if found.status:
        for test in found.tests:
            if test.came != "passed":
                notice(f"{test.name}: {test.said}")
        sys.exit(found.status)


def _both_ids(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not old or bool(equals) != bool(new) or "=" in new:
        raise ConfigError("--agent", text, "an id, or OLD_ID=NEW_ID")
    return old, new or old


def _run(folder: str) -> ComparedRun:
    stored = Run.open(folder, hands=False)
    for note in stored.notes:
        warn(note)
    recorded = {each.id: stored.header.determining(each.id) for each in stored.config.participants}
    return ComparedRun(folder, stored.result(), recorded)
