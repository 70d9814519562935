"""Figures with a goal, as the benchmarks measured them last: `python benchmarks/rows.py` writes their table.

They are kept in research/figures.json, with a column each for compiled kernels and pure Python, and shown in
research/performance.md, missed goals included.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

from molt_bench.kernels import compiled

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "research" / "figures.json"
PAGE: Final = ROOT / "research" / "performance.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->"


def row(name: str, measured: float, goal: float, unit: str = "", *, digits: int = 1, at_least: bool = False) -> None:
    """Print a figure with its goal, and keep it.

    Args:
        name: What was measured.
        measured: The figure.
        goal: What it should be at most.
        unit: Of both.
        digits: After the point.
        at_least: Whether it should be at least the goal instead.
    """
    reached = measured >= goal if at_least else measured <= goal
    value, wanted = f"{measured:,.{digits}f}{unit}", f"{'at least' if at_least else 'at most'} {goal:g}{unit}"
    said = f"{value} {'met' if reached else 'missed'}"
    print(f"{name:58}{said:>16}  goal: {wanted}; load {os.getloadavg()[0]:.0f}", flush=True)
    kept: dict[str, dict[str, Any]] = json.loads(KEPT.read_text("utf-8"))
    kept.setdefault(name, {}).update({"pure" if compiled is None else "compiled": said, "goal": wanted})
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def table() -> str:
    """Return the table of all figures that are kept."""
    lines = ["| what | compiled | pure Python | goal |", "|---|---:|---:|---|"]
    for name, found in json.loads(KEPT.read_text("utf-8")).items():
        cells = (name, found.get("compiled", ""), found.get("pure", ""), found["goal"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Print the table, and write it into the page."""
    print(table())
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
