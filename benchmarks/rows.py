"""All figures that have a goal, as the other benchmarks measured them last: `python benchmarks/rows.py`.

They are kept in build/rows.json. Those with two versions, compiled and in pure Python, have a column for each. With
`--write`, the tables in research/performance.md are written anew.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from molt_bench.kernels import compiled

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "build" / "rows.json"
PATHS: Final = ("compiled", "pure")
PAGE: Final = ROOT / "research" / "performance.md"


class Figure(NamedTuple):
    """A figure with a goal: the benchmark that measures it, and what it means to a user."""

    by: str
    means: str


#: The figures, by subject.
SUBJECTS: Final = {
    "Runs": {
        "whole run over its bare games, five bots": Figure(
            "pipeline", "what journal, luck, ratings and files add to playing the games; 1 would be nothing"
        ),
        "whole run over its bare games, the two cheapest": Figure(
            "pipeline", "the same where games cost least, so that everything around them counts most"
        ),
        "a million hands of five bots, run over bare, CPU": Figure("million", "the same for one long run on all cores"),
        "`molt-bench run` over its bare games, 100,000 hands": Figure(
            "command", "the same from the shell: the start of Python, workers and the table included"
        ),
        "the same with `--executor inline`, 100,000 hands": Figure("command", "the same without workers"),
        "memory of the leading process, 100,000 hands": Figure("command", "what a run holds while it is played"),
        "memory of the leading process, 200,000 hands": Figure("command", "how fast that grows with its hands"),
        "luck a hand, mean over ten pairings": Figure("pipeline", "what a run adds to every hand"),
        "luck of the dice a decision, worst built-in bot": Figure(
            "pipeline", "what a run adds to a decision that stated a mix"
        ),
        "decisions of tag a hand, new situations": Figure("pipeline", "how fast the strongest rule-based bot thinks"),
        "decisions of tag a hand, seen before": Figure("pipeline", "the same on cards it has just played"),
        "deciding a round of 5, all have met": Figure("pipeline", "the pause between rounds with 5 participants"),
        "deciding a round of 20, all have met": Figure("pipeline", "with 20"),
        "deciding a round of 40, all have met": Figure("pipeline", "with 40"),
        "deciding a round of 100, all have met": Figure("pipeline", "with 100"),
        "deciding a round of 200, all have met": Figure("pipeline", "with 200, their margins drawn instead of played"),
        "deciding a round of 1,000, all have met": Figure("pipeline", "with 1,000, the most that a run may have"),
        "deciding a round of 200, opening": Figure("pipeline", "with 200, while pairs meet for the first time"),
        "deciding a round of 1,000, opening": Figure("pipeline", "with 1,000"),
        "slowest tenth of 5,000 matches over the mean": Figure(
            "linear", "whether a long run slows down; 1 if it does not"
        ),
        "memory over 1,000,000 hands, leading process": Figure("million", "how much memory a long run needs"),
    },
    "The engine": {
        "engine stepped by hand over OpenSpiel's fastest row": Figure(
            "engine", "hands per second beside OpenSpiel, if you drive the engine yourself"
        ),
        "play_game with records over OpenSpiel's fastest row": Figure(
            "engine", "the same with a full record of every hand"
        ),
    },
    "Getting started": {
        "make bench in a fresh clone, wall clock": Figure("fresh_clone", "from a clone to the first result"),
        "default run from the shell, wall clock": Figure("pipeline", "how long `molt-bench` takes, as it is"),
        "molt-bench --help, wall clock": Figure("pipeline", "how quickly every command starts"),
        "import molt_bench, wall clock": Figure("engine", "what importing the package adds to your script"),
    },
    "Pages": {
        "run page, usable, wall clock, cold": Figure("viewing", "how long you wait for the page of a large run"),
        "run page of 100,000 hands, the server's CPU": Figure("pipeline", "the server's share of that"),
        "run page, the browser's CPU": Figure("viewing", "the browser's share"),
        "hands list, usable, wall clock, cold": Figure("viewing", "how long you wait for the list of 100,000 hands"),
        "hands list of 100,000 hands, the server's CPU": Figure("pipeline", "the server's share of that"),
        "hands list, the browser's CPU": Figure("viewing", "the browser's share"),
        "hands list, filter by street, the browser's CPU": Figure("viewing", "how fast the list reacts to a filter"),
        "hands list, filter by agent and cards, the browser's CPU": Figure("viewing", "to two filters"),
        "hands list, sort by pot, the browser's CPU": Figure("viewing", "to sorting"),
        "hands list, biggest swings first, the browser's CPU": Figure("viewing", "to sorting by swing"),
    },
    "Exports": {
        f"export of 100,000 hands, {form}": Figure("pipeline", f"how long `export --format {form}` takes")
        for form in ("phh", "csv")
    },
}
EXPECTED: Final = {name: figure for figures in SUBJECTS.values() for name, figure in figures.items()}
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def row(
    name: str, measured: float, goal: float, unit: str = "", *, digits: int = 1, at_least: bool = False, note: str = ""
) -> None:
    """Print a figure with its goal, and keep it.

    Args:
        name: What was measured.
        measured: The figure.
        goal: What it should be at most.
        unit: Of both.
        digits: After the point.
        at_least: Whether it should be at least the goal instead.
        note: What else there is to say.
    """
    reached = measured >= goal if at_least else measured <= goal
    found = {
        "value": f"{measured:,.{digits}f}{unit}",
        "goal": f"{'at least' if at_least else 'at most'} {goal:g}{unit}",
        "status": "met" if reached else "missed",
        "note": note,
        "load": round(os.getloadavg()[0], 1),
    }
    said = f"  ({note})" if note else ""
    print(f"{name:52}{found['value']:>12}  goal: {found['goal']:16}{found['status']}{said}", flush=True)
    kept = kept_rows()
    kept.setdefault(name, {})[PATHS[compiled is None]] = found
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(kept, indent=1))


def kept_rows() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the figures by name and path."""
    try:
        found: dict[str, dict[str, dict[str, Any]]] = json.loads(KEPT.read_text())
    except (OSError, ValueError):
        return {}
    return found


def table() -> list[tuple[str, str, str, str]]:
    """Return all rows: the name, the figures of both paths, and the goal."""
    kept, lines = kept_rows(), []
    for name in dict.fromkeys((*EXPECTED, *kept)):
        found = kept.get(name, {})
        if not found:
            lines.append((name, f"{EXPECTED[name].by}.py", "", "not measured yet"))
            continue
        cells = [f"{each['value']} {each['status']}" if (each := found.get(path)) else "" for path in PATHS]
        goals = dict.fromkeys(found[path]["goal"] for path in PATHS if path in found)  # mostly the same for both
        lines.append((name, cells[0], cells[1], "; ".join(goals)))
    return lines


def print_table() -> None:
    """Print all rows, and how many goals are met."""
    print(f"\n{'':52}{'compiled':>19}{'pure Python':>19}  goal")
    for name, first, second, goal in table():
        print(f"{name:52}{first:>19}{second:>19}  {goal}")
    found = [each["status"] for by_path in kept_rows().values() for each in by_path.values()]
    print(f"\n{found.count('met')} of {len(found)} figures meet their goals; measured with {loads()}")


def loads() -> str:
    """Return how busy the machine was."""
    found = [each["load"] for by_path in kept_rows().values() for each in by_path.values()]
    if not found:
        return "no load"
    return f"a load of {min(found):.0f} to {max(found):.0f} on {os.cpu_count()} cores"


def write_page(path: Path = PAGE) -> None:
    """Write the tables of the page about performance anew, a section for each subject."""
    before, begin, rest = path.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no {BEGIN} and {END}")
    lines = [f"{before}{BEGIN}", "", f"Measured with {loads()}."]
    found = {name: cells for name, *cells in table()}
    for subject, figures in {**SUBJECTS, "Others": dict.fromkeys(found.keys() - EXPECTED.keys())}.items():
        if not figures:
            continue
        lines += ["", f"### {subject}", "", "| what | compiled | pure Python | goal | what it means to you |"]
        lines += ["|---|---:|---:|---:|---|"]
        for name, figure in figures.items():
            lines.append(f"| {' | '.join([name, *found[name], figure.means if figure else ''])} |")
    path.write_text("\n".join([*lines, "", f"{END}{after}"]), "utf-8")
    print(f"wrote {path}")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="also write the tables in research/performance.md")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a goal is missed, or not measured")
    options = parser.parse_args()
    print_table()
    if options.write:
        write_page()
    kept = kept_rows()
    missed = [name for name, found in kept.items() if any(each["status"] == "missed" for each in found.values())]
    return 1 if options.strict and (missed or EXPECTED.keys() - kept.keys()) else 0


if __name__ == "__main__":
    sys.exit(main())
