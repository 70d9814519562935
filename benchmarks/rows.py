"""The figures that benchmarks print with a goal, kept in build/rows.json and shown as one table: `python rows.py`.

Those with two versions, compiled and in pure Python, have a column for each. With `--readme`, the table in README.md is
written anew.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from molt_bench.kernels import compiled

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "build" / "rows.json"
PATHS: Final = ("compiled", "pure")
#: The rows that matter most, in order, and the target that measures each.
EXPECTED: Final = {
    "whole run over its bare games, five bots": "pipeline",
    "whole run over its bare games, the two cheapest": "pipeline",
    "luck of the cards a hand, mean over ten pairings": "pipeline",
    "the same, with hands rebuilt from their text": "pipeline",
    "luck of the dice a decision, worst built-in bot": "pipeline",
    "decisions of tag a hand, new situations": "pipeline",
    "decisions of tag a hand, seen before": "pipeline",
    "deciding a round of 5, all have met": "pipeline",
    "deciding a round of 20, all have met": "pipeline",
    "deciding a round of 40, all have met": "pipeline",
    "deciding a round of 100, all have met": "pipeline",
    "memory over 1,000,000 hands, leading process": "million",
    "engine stepped by hand over OpenSpiel's fastest row": "benchmark",
    "play_game with records over OpenSpiel's fastest row": "benchmark",
    "make bench in a fresh clone, wall clock": "fresh-clone",
    "hands list of 100,000 hands, the server's CPU": "pipeline",
    "run page of 100,000 hands, the server's CPU": "pipeline",
    "export of 100,000 hands, phh": "pipeline",
    "export of 100,000 hands, pokerstars": "pipeline",
    "export of 100,000 hands, acpc": "pipeline",
    "export of 100,000 hands, ohh": "pipeline",
    "export of 100,000 hands, csv": "pipeline",
    "export of 100,000 hands, parquet": "pipeline",
    "export of 100,000 hands, latex": "pipeline",
    "default run from the shell, wall clock": "pipeline",
    "molt-bench --help, wall clock": "pipeline",
    "import molt_bench, wall clock": "benchmark",
    "slowest tenth of 5,000 matches over the mean": "linear",
}
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
            lines.append((name, f"make {EXPECTED[name]}", "", "not measured yet"))
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


def write_readme(path: Path = ROOT / "README.md") -> None:
    """Write the table in the README anew."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no {BEGIN} and {END}")
    lines = ["| what | compiled | pure Python | goal |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {first} | {second} | {goal} |" for name, first, second, goal in table()]
    said = f"Measured with {loads()}:" if loads() != "no load" else ""
    path.write_text("\n".join([f"{before}{BEGIN}", "", said, "", *lines, "", f"{END}{after}"]))
    print(f"wrote {path}")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--readme", action="store_true", help="also write the table in README.md")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a goal is missed, or not measured")
    options = parser.parse_args()
    print_table()
    if options.readme:
        write_readme()
    kept = kept_rows()
    missed = [name for name, found in kept.items() if any(each["status"] == "missed" for each in found.values())]
    return 1 if options.strict and (missed or EXPECTED.keys() - kept.keys()) else 0


if __name__ == "__main__":
    sys.exit(main())
