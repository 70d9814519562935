"""Figures for papers as SVG, PDF and PNG: the leaderboard with its intervals, its convergence, and the payoff matrix.

The colours are those of the pages, and what is won is blue as there. Names are wrapped, never cut: the figure grows
with them. Text in SVG stays text. The same run gives the same SVG bytes. Characters that the first font lacks are taken
from others that this machine may have; those that none has are named in a warning.
"""

import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from molt_bench.bench.ladder import Ladder
from molt_bench.errors import MoltBenchError
from molt_bench.extras import how_to_install
from molt_bench.files import fill_whole
from molt_bench.lazy_import import lazy_import
from molt_bench.rating.payoffs import Payoff
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.analysis import Analysis
from molt_bench.report.number_text import signed
from molt_bench.report.win_rates import in_bb_per_100

if TYPE_CHECKING:
    import matplotlib as mpl
    from matplotlib import colors as mpl_colors
    from matplotlib import figure as mpl_figure
    from matplotlib.axes import Axes
    from matplotlib.backends import backend_agg
    from matplotlib.figure import Figure
else:
    mpl, mpl_colors = lazy_import("matplotlib"), lazy_import("matplotlib.colors")
    mpl_figure, backend_agg = lazy_import("matplotlib.figure"), lazy_import("matplotlib.backends.backend_agg")

#: The light colours of agents in app.css, in the same order.
COLOURS: Final = (
    *("#0072b2", "#d55e00", "#00805d", "#b0528a", "#7d5a00", "#6a3fd0"),
    *("#6b1414", "#4b5057", "#0c99b0", "#66990a", "#e0103f", "#1d2470"),
)
#: How lines are drawn, by every six colours: as on the pages, those beyond the twelve are dotted.
_LINES: Final = ("-", "--", ":")
#: What is lost and what is won, as in app.css.
_LOST, _WON = "#e07b00", "#0072b2"
#: Characters that are named where no font has them.
_NAMED: Final = 8
#: Letters in a line of a name, and the inches that a letter takes.
_NAME_WIDTH: Final = 28
_LETTER_IN: Final = 0.065
#: Letters in a line below an axis: the axis is not wider.
_LABEL_WIDTH: Final = 30
#: An interval this wide, in big blinds per 100 hands, says nothing at all.
_NOTHING_KNOWN: Final = 1e8
#: Marks that are piled on a letter: more than two would cover the names above and below.
_PILED: Final = re.compile(r"([\u0300-\u036f\u0489]{2})[\u0300-\u036f\u0489]+")
#: The font, and those for characters that it lacks: Chinese, Japanese and Korean, other scripts, emoji.
_FONTS: Final = (
    "DejaVu Sans",
    *(f"Noto Sans CJK {which}" for which in ("SC", "JP", "KR", "TC")),
    *("Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "Unifont"),
    *("PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *(f"Noto Sans {script}" for script in ("Arabic", "Hebrew", "Devanagari", "Thai", "Symbols2")),
    *("Noto Emoji", "Symbola", "Segoe UI Emoji", "Segoe UI Symbol"),
)
_MISSING: Final = re.compile(r"Glyph (\d+) .*missing")
#: The formats, and what is written about the file: no time, so that the same run gives the same bytes.
_FORMATS: Final[dict[str, dict[str, str | None]]] = {
    "svg": {"Date": None, "Creator": "molt-bench"},
    "pdf": {"CreationDate": None, "Creator": "molt-bench"},
    "png": {"Software": "molt-bench"},
}
_SETTINGS: Final[dict[str, Any]] = {
    "svg.hashsalt": "molt-bench",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": [*_FONTS],
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}


def write_figures(
    found: Analysis,
    folder: Path,
    *,
    formats: Sequence[str] = tuple(_FORMATS),
    warn: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Write all figures of a run into a folder, and return the file names; a gauntlet has no payoffs.

    `warn` is called with what could not be drawn as it should.
    """
    if not found.result.matches:
        raise MoltBenchError("no match was finished, so there is nothing to draw")
    figures = {name: draw for name, draw in _FIGURES.items() if name != "payoffs" or found.reference is None}
    try:
        settings = mpl.rc_context(_SETTINGS)
    except ImportError as error:
        raise MoltBenchError(
            f"figures need {error.name}, which is not installed: {how_to_install('figures')}"
        ) from error
    with settings, _fonts_checked(warn):
        for name, draw in figures.items():
            figure = _drawn(draw, found)
            for kind in formats:
                save = partial(figure.savefig, format=kind, dpi=300, metadata=_FORMATS[kind])
                fill_whole(folder / f"{name}.{kind}", save)
    return [f"{name}.{kind}" for name in figures for kind in formats]


def write_preview(found: Analysis, path: Path, *, warn: Callable[[str], None] = lambda _: None) -> bool:
    """Write the leaderboard as one picture, for links to it; return whether that was possible: it needs matplotlib."""
    try:
        settings = mpl.rc_context(_SETTINGS)
    except ImportError:
        return False
    with settings, _fonts_checked(warn):
        figure = _drawn(_leaderboard, found)
        fill_whole(path, partial(figure.savefig, format="png", dpi=200, metadata=_FORMATS["png"]))
    return True


def _drawn(draw: "Callable[[Figure, Analysis], None]", found: Analysis) -> "Figure":
    figure = mpl_figure.Figure(layout="constrained")
    backend_agg.FigureCanvasAgg(figure)
    draw(figure, found)
    return figure


@contextmanager
def _fonts_checked(warn: Callable[[str], None]) -> Iterator[None]:
    """Say once which characters no font of this machine has, in place of a warning of matplotlib's for each."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)  # that a font is not here is no news
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
    finally:
        log.setLevel(level)
    found = [_MISSING.match(str(each.message)) for each in said]
    missing = sorted({chr(int(each[1])) for each in found if each is not None})
    if missing:
        warn(
            f"no font on this machine has {' '.join(missing[:_NAMED])}: PDF and PNG have boxes there, and SVG text. "
            "A font such as Noto Sans CJK or Noto Emoji has them"
        )


def _leaderboard(figure: "Figure", found: Analysis) -> None:
    """Draw win rates with their 95% intervals, in the order of the leaderboard."""
    known = [(row, _known(row.bb_per_100)) for row in found.rows]
    rows = [(row, mean) for row, mean in known if mean is not None]
    names, colours = _names(found.shown), _colours(found)
    labels = [f"{row.rank_text()}  {names[row.rating.id]}" for row, _ in rows]
    tops = list(accumulate([0.3 + 0.13 * label.count("\n") for label in labels], initial=0.0))
    figure.set_size_inches(2.6 + _width(labels), 0.9 + tops[-1])
    axes = figure.add_subplot()
    middles = [(top + bottom) / 2 for top, bottom in pairwise(tops)]
    for at, (row, mean) in zip(middles, rows, strict=True):
        half, colour = _known(row.half_width), colours[row.rating.id]
        axes.errorbar(mean, at, xerr=half, fmt="o", color=colour, capsize=3, markersize=4, linewidth=1.2)
    axes.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_yticks(middles, labels)
    axes.set_ylim(tops[-1], 0)
    about = f"bb/100, with 95% intervals (estimator {found.estimator})"
    order = "" if found.by_margins else ", in the order of OpenSkill ratings"
    axes.set_xlabel("\n".join(wrap(about + order, _LABEL_WIDTH)))


def _convergence(figure: "Figure", found: Analysis) -> None:
    """Draw win rates after every match, with their intervals as bands."""
    names, colours = _names(found.shown), _colours(found)
    rows = sum(1 + name.count("\n") for name in names.values())
    figure.set_size_inches(3.1 + _width(names.values()), max(2.4, 0.5 + 0.16 * rows))
    axes = figure.add_subplot()
    matches = [match.number for match in found.result.matches]
    standings, numbers = _standings(found), {name: at for at, name in enumerate(found.names)}
    for name in found.order:
        known = [
            (match, mean, half)
            for match, (mean, half) in zip(matches, standings[name], strict=True)
            if mean is not None
        ]
        if known:
            line = _LINES[min(numbers[name] // 6, len(_LINES) - 1)]
            _draw_course(axes, known, colours[name], line, names[name])
    incomplete = any(half is None for column in standings.values() for mean, half in column[-1:] if mean is not None)
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xlabel("matches" + ("; without a band: over the opponents met so far" if incomplete else ""))
    axes.set_ylabel("bb/100")
    if len(matches) == 1:
        axes.set_xlim(matches[0] - 1, matches[0] + 1)
    axes.locator_params(axis="x", integer=True)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def _draw_course(
    axes: "Axes", known: Sequence[tuple[int, float, float | None]], colour: str, line: str, name: str
) -> None:
    """Draw one win rate from match to match, and its interval where there is one: once all opponents were met."""
    x, mean = [match for match, _, _ in known], [mean for _, mean, _ in known]
    axes.plot(x, mean, line, marker=".", color=colour, linewidth=1.2, markersize=3, label=name)
    sure = [(match, mean, half) for match, mean, half in known if half is not None]
    low, high = ([mean + sign * half for _, mean, half in sure] for sign in (-1, 1))
    axes.fill_between([match for match, _, _ in sure], low, high, color=colour, alpha=0.15, linewidth=0)
    if len(sure) == 1:  # no band can be seen
        ((match, middle, half),) = sure
        axes.errorbar([match], [middle], yerr=[half], color=colour, capsize=3, linewidth=0.8)


def _standings(found: Analysis) -> dict[str, list[tuple[float | None, float | None]]]:
    """Return everybody's win rate after every match, over the opponents met so far, and half of its 95% interval."""
    ladder = Ladder(found.result.config, version=found.result.bench_version)
    standings: dict[str, list[tuple[float | None, float | None]]] = {name: [] for name in found.order}
    for match in found.result.matches:
        ladder.rate(match.participants, match.result, margins=match.margins, decided=match.round)
        for name, column in standings.items():
            mean, half = in_bb_per_100(ladder.margins.so_far(name)) or (None, None)
            column.append((_known(mean), _known(half)))
    return standings


def _payoffs(figure: "Figure", found: Analysis) -> None:
    """Draw the payoff matrix: what the row wins from the column."""
    names, matrix = _names(found.shown), found.payoffs
    places = [matrix.participants.index(name) for name in found.order]
    cells = [[matrix.cells[one][two] for two in places] for one in places]
    labels = [names[name] for name in found.order]
    lines = max(1 + label.count("\n") for label in labels)
    side = max(0.5, 0.15 * lines) * len(labels)
    figure.set_size_inches(side + 1.4 + _width(labels), side + 0.6 + _width(labels))
    axes = figure.add_subplot()
    means = [[None if cell is None else _known(cell.mean / MBB_PER_BB100) for cell in row] for row in cells]
    most = max([abs(mean) for row in means for mean in row if mean is not None], default=0.0) or 1.0
    colours = mpl_colors.LinearSegmentedColormap.from_list("won", [_LOST, "#ffffff", _WON])
    drawn = [[float("nan") if mean is None else mean for mean in row] for row in means]
    image = axes.imshow(drawn, cmap=colours, vmin=-most, vmax=most)
    _write_cells(axes, cells, most)
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlabel("from")
    axes.set_ylabel("wins")
    figure.colorbar(image, ax=axes, label="bb/100", shrink=0.8)


def _write_cells(axes: "Axes", cells: list[list[Payoff | None]], most: float) -> None:
    for at, row in enumerate(cells):
        for other, cell in enumerate(row):
            mean = None if cell is None else _known(cell.mean / MBB_PER_BB100)
            if cell is not None and mean is not None and at != other:
                half = _known(cell.half_width / MBB_PER_BB100)
                said = signed(mean, 0) if half is None else f"{signed(mean, 0)}\n±{half:.0f}"
                dark = mean > 0.6 * most  # blue; orange is light enough for black
                text = said.replace("-", "\N{MINUS SIGN}")
                axes.text(other, at, text, ha="center", va="center", fontsize=6, color="white" if dark else "black")


def _known(value: float | None) -> float | None:
    """Return a number without noise in its last digits; None if it says nothing."""
    return None if value is None or abs(value) >= _NOTHING_KNOWN else round(value, 9) + 0.0


def _names(shown: Mapping[str, str]) -> dict[str, str]:
    """Return the names by id as they are printed, in lines of limited length."""
    return {name: "\n".join(wrap(_PILED.sub(r"\1", text), _NAME_WIDTH)) for name, text in shown.items()}


def _width(labels: Iterable[str]) -> float:
    """Return the inches that the longest line of some labels takes."""
    return _LETTER_IN * max((len(line) for label in labels for line in label.split("\n")), default=0)


def _colours(found: Analysis) -> dict[str, str]:
    return {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(found.names)}


_FIGURES: Final[dict[str, "Callable[[Figure, Analysis], None]"]] = {
    "leaderboard": _leaderboard,
    "convergence": _convergence,
    "payoffs": _payoffs,
}
