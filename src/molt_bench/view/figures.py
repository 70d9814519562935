"""Figures for papers as SVG and PNG: the leaderboard with its intervals, its convergence, and the payoff matrix.

The colours are those of the pages, and what is won is blue as there. Names are wrapped, never cut: the figure grows
with them. Text in SVG stays text. The same run gives the same SVG bytes.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from molt_bench.errors import MoltBenchError, how_to_install
from molt_bench.files import fill_whole
from molt_bench.report.analysis import shown_names
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_page import run_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The light colours of agents in app.css, in the same order.
COLOURS: Final = (
    *("#0072b2", "#d55e00", "#00805d", "#b0528a", "#7d5a00", "#6a3fd0"),
    *("#6b1414", "#4b5057", "#0c99b0", "#66990a", "#e0103f", "#1d2470"),
)
#: How lines are drawn, by every six colours: as on the pages, those beyond the twelve are dotted.
_LINES: Final = ("-", "--", ":")
#: What is lost and what is won, as in app.css.
_LOST, _WON = "#e07b00", "#0072b2"
#: Letters in a line of a name, and the inches that a letter takes.
_NAME_WIDTH: Final = 28
_LETTER_IN: Final = 0.065
#: Letters in a line below an axis: the axis is not wider.
_LABEL_WIDTH: Final = 30
#: Marks that are piled on a letter: more than two would cover the names above and below.
_PILED: Final = re.compile(r"([\u0300-\u036f\u0489]{2})[\u0300-\u036f\u0489]+")
_SETTINGS: Final[dict[str, Any]] = {
    "svg.hashsalt": "molt-bench",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}


def write_figures(run: OpenRun, folder: Path) -> list[str]:
    """Write all figures of a run into a folder, and return the file names."""
    try:
        import matplotlib as mpl  # loaded when needed, for a fast start
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MoltBenchError(
            f"figures need {error.name}, which is not installed: {how_to_install('figures')}"
        ) from error
    page = run_page(run)
    if not page["matches"]:
        raise MoltBenchError(f"{run.folder}: no match was finished, so there is nothing to draw")
    written = []
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a character that the font lacks is drawn as a box
        for name, draw in _FIGURES.items():
            if name == "payoffs" and page["payoff"] is None:
                continue  # a gauntlet
            figure = Figure(layout="constrained")
            FigureCanvasAgg(figure)
            draw(figure, page)
            for kind, about in (("svg", {"Date": None, "Creator": "molt-bench"}), ("png", {"Software": "molt-bench"})):
                save = partial(figure.savefig, format=kind, dpi=300, metadata=about)
                fill_whole(folder / f"{name}.{kind}", save)
                written.append(f"{name}.{kind}")
    return written


def _leaderboard(figure: "Figure", page: dict[str, Any]) -> None:
    """Draw win rates with their 95% intervals, in the order of the leaderboard."""
    rows = [row for row in page["leaderboard"] if row["bb100"] is not None]
    names, colours = _names(page), _colours(page)
    labels = [names[row["id"]] for row in rows]
    tops = list(accumulate([0.3 + 0.13 * label.count("\n") for label in labels], initial=0.0))
    figure.set_size_inches(2.6 + _width(labels), 0.9 + tops[-1])
    axes = figure.add_subplot()
    middles = [(top + bottom) / 2 for top, bottom in pairwise(tops)]
    for at, row in zip(middles, rows, strict=True):
        half = row["halfWidth"]
        axes.errorbar(
            row["bb100"], at, xerr=half, fmt="o", color=colours[row["id"]], capsize=3, markersize=4, linewidth=1.2
        )
    axes.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_yticks(middles, labels)
    axes.set_ylim(tops[-1], 0)
    about = f"bb/100, with 95% intervals (estimator {page['rule']['estimator']})"
    order = "" if page["rule"]["method"] == "margin" else ", in the order of OpenSkill ratings"
    axes.set_xlabel("\n".join(wrap(about + order, _LABEL_WIDTH)))


def _convergence(figure: "Figure", page: dict[str, Any]) -> None:
    """Draw win rates after every match, with their intervals as bands."""
    names, colours = _names(page), _colours(page)
    lines = [names[series["id"]] for series in page["convergence"]["series"]]
    rows = sum(1 + name.count("\n") for name in lines)
    figure.set_size_inches(3.1 + _width(lines), max(2.4, 0.5 + 0.16 * rows))
    axes = figure.add_subplot()
    matches = page["convergence"]["matches"]
    numbers = {each["id"]: each["color"] for each in page["participants"]}
    for series in page["convergence"]["series"]:
        known = [
            (match, mean, half)
            for match, mean, half in zip(matches, series["bb100"], series["halfWidth"], strict=True)
            if mean is not None and half is not None
        ]
        if known:
            x, mean, half = ([each[column] for each in known] for column in range(3))
            colour = colours[series["id"]]
            line = _LINES[min(numbers[series["id"]] // 6, len(_LINES) - 1)]
            axes.plot(x, mean, line, marker=".", color=colour, linewidth=1.2, markersize=3, label=names[series["id"]])
            low, high = ([m + sign * h for m, h in zip(mean, half, strict=True)] for sign in (-1, 1))
            axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
            if len(x) == 1:  # no band can be seen
                axes.errorbar(x, mean, yerr=half, color=colour, capsize=3, linewidth=0.8)
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xlabel("matches")
    axes.set_ylabel("bb/100")
    if len(matches) == 1:
        axes.set_xlim(matches[0] - 1, matches[0] + 1)
    axes.locator_params(axis="x", integer=True)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def _payoffs(figure: "Figure", page: dict[str, Any]) -> None:
    """Draw the payoff matrix: what the row wins from the column."""
    from matplotlib.colors import LinearSegmentedColormap

    payoff, names = page["payoff"], _names(page)
    ids = payoff["ids"]
    labels = [names[name] for name in ids]
    lines = max(1 + label.count("\n") for label in labels)
    side = max(0.5, 0.15 * lines) * len(ids)
    figure.set_size_inches(side + 1.4 + _width(labels), side + 0.6 + _width(labels))
    axes = figure.add_subplot()
    cells = [[float("nan") if cell is None else cell for cell in row] for row in payoff["mean"]]
    most = max([abs(cell) for row in payoff["mean"] for cell in row if cell is not None], default=0.0) or 1.0
    colours = LinearSegmentedColormap.from_list("won", [_LOST, "#ffffff", _WON])
    image = axes.imshow(cells, cmap=colours, vmin=-most, vmax=most)
    _write_cells(axes, payoff, most)
    axes.set_xticks(range(len(ids)), labels, rotation=90)
    axes.set_yticks(range(len(ids)), labels)
    axes.set_xlabel("from")
    axes.set_ylabel("wins")
    figure.colorbar(image, ax=axes, label="bb/100", shrink=0.8)


def _write_cells(axes: "Axes", payoff: dict[str, Any], most: float) -> None:
    for at, row in enumerate(payoff["mean"]):
        for other, cell in enumerate(row):
            if cell is not None and at != other:
                half = payoff["halfWidth"][at][other]
                said = f"{cell:+.0f}" if half is None else f"{cell:+.0f}\n±{half:.0f}"
                dark = cell > 0.6 * most  # blue; orange is light enough for black
                text = said.replace("-", "\N{MINUS SIGN}")
                axes.text(other, at, text, ha="center", va="center", fontsize=6, color="white" if dark else "black")


def _names(page: dict[str, Any]) -> dict[str, str]:
    """Return the names by id as they are printed, in lines of limited length."""
    names = shown_names({each["id"]: each["name"] for each in page["participants"]})
    return {name: "\n".join(wrap(_PILED.sub(r"\1", text), _NAME_WIDTH)) for name, text in names.items()}


def _width(labels: Iterable[str]) -> float:
    """Return the inches that the longest line of some labels takes."""
    return _LETTER_IN * max((len(line) for label in labels for line in label.split("\n")), default=0)


def _colours(page: dict[str, Any]) -> dict[str, str]:
    return {each["id"]: COLOURS[each["color"] % len(COLOURS)] for each in page["participants"]}


_FIGURES: Final[dict[str, "Callable[[Figure, dict[str, Any]], None]"]] = {
    "leaderboard": _leaderboard,
    "convergence": _convergence,
    "payoffs": _payoffs,
}
