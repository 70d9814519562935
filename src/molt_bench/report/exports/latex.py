"""The leaderboard and the payoff matrix as LaTeX tables for papers; they need the package booktabs."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Final

from molt_bench._version import __version__
from molt_bench.rating.payoffs import Payoff
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.analysis import Analysis, ParticipantNumbers
from molt_bench.report.claims import met_so_far, mixed_harnesses, suspicions
from molt_bench.report.number_text import signed

_TIED: Final = "$^=$"
_OPEN: Final = "$^?$"
_MARKS: Final = {"tied": _TIED, "unresolved": _OPEN, "reversed": _OPEN}
_ESCAPED: Final = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # keeps two of them from joining, as with commas
    ",": "{,}",
    "*": "{*}",  # not read as part of a line break
    "[": "{[}",  # not read as an option of a command
    "]": "{]}",
}


def escaped(text: str) -> str:
    r"""Escape text for LaTeX; line breaks and control characters become spaces.

    >>> escaped("R&D_50% <b>")
    'R\\&D\\_50\\% \\textless{}b\\textgreater{}'
    """
    return "".join([_ESCAPED.get(char, char if char.isprintable() else " ") for char in text])


def latex(found: Analysis) -> Iterator[str]:
    """Write both tables; in a gauntlet the first one only, since it has everything that was measured."""
    yield f"% molt-bench {__version__}; needs \\usepackage[T1]{{fontenc}}, textcomp and booktabs\n"
    yield _leaderboard(found)
    if found.reference is None:
        yield "\n"
        yield _payoffs(found)


def _table(caption: str, columns: str, head: str, rows: Iterable[list[str]]) -> str:
    lines = "".join([f"    {' & '.join(cells)} \\\\\n" for cells in rows])
    return (
        f"\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}\n  \\begin{{tabular}}{{{columns}}}\n"
        f"    \\toprule\n    {head} \\\\\n    \\midrule\n{lines}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
    )


def _leaderboard(found: Analysis) -> str:
    marks = {each.below: _MARKS[each.kind] for each in found.verdicts if each.kind != "ordered"}
    # In a gauntlet, bb/100 are won from the reference already.
    apart = found.measured_against is not None and found.reference is None
    rows = [_cells(row, found.shown[row.rating.id], marks.get(row.rating.id, "")) for row in found.rows]
    for row, cells in zip(found.rows, rows, strict=True) if apart else ():
        won = row.from_reference
        cells.insert(4, "--" if won is None else f"{_signed(won[0])} $\\pm$ {won[1]:.1f}")
    head = f"\\# & Agent & bb/100 & $\\pm$ & {'v ref. & ' * apart}$\\mu$ & $\\sigma$ & Hands"
    return _table(_leaderboard_caption(found, marks), f"rlrrrrr{'r' * apart}", head, rows)


def _cells(row: ParticipantNumbers, name: str, mark: str) -> list[str]:
    return [
        "--" if row.rank_range is None else f"{row.rank_text(to='--')}{mark}",
        escaped(name),
        "--" if row.bb_per_100 is None else _signed(row.bb_per_100),
        "ref." if row.reference else f"{row.half_width:.1f}" if isfinite(row.half_width) else "--",
        f"{row.rating.mu:.1f}",
        f"{row.rating.sigma:.1f}",
        _count(row.hands),
    ]


def _leaderboard_caption(found: Analysis, marks: dict[str, str]) -> str:
    result = found.result
    hands = sum(match.result.hands for match in result.matches)
    seeds = {(type(pair.seed), pair.seed) for match in result.matches for pair in match.result.seed_results}
    said = (
        f"Heads-up no-limit hold'em, {_count(hands)} hands in {_count(len(result.matches))} matches on "
        f"{_count(len(seeds))} seeds, each played in both seats (molt-bench {escaped(__version__)}, bench version "
        f"{result.bench_version}). bb/100: big blinds won in 100 hands from {_field(found)}, by the estimator "
        f"{escaped(found.estimator)}; "
        f"$\\pm$: half of its 95\\% interval, with the seed pair as the unit; \\#: the ranks that are possible by the "
        f"orders that are claimed; "
        f"$\\mu$ and $\\sigma$: OpenSkill rating."
    )
    if found.measured_against is not None and found.reference is None:
        name = escaped(found.shown[found.measured_against])
        said += f" v ref.: bb/100 won from {name}, $\\pm$ half of the 95\\% interval of this pair alone."
    incomplete = met_so_far(found)
    said += f" {escaped(incomplete)}" if incomplete else ""
    said += "".join(f" {escaped(each)}" for each in (*mixed_harnesses(found), *suspicions(found)))
    used = set(marks.values())
    margin = f"{found.rule.tie_margin_mbb / MBB_PER_BB100:g}"
    said += f" {_TIED}: within {margin} bb/100 of the one above." if _TIED in used else ""
    said += f" {_OPEN}: not surely below the one above." if _OPEN in used else ""
    return said + (" {-}{-} in place of a rank: it hardly ever gave a usable answer." if found.unranked else "")


def _field(found: Analysis) -> str:
    if found.reference is None:
        return "the field, every opponent counting the same"
    return f"{escaped(found.shown[found.reference])}, the reference (ref.), which everybody played alone"


def _payoffs(found: Analysis) -> str:
    matrix = found.payoffs
    order = [matrix.participants.index(name) for name in found.order]
    caption = (
        "What the row wins from the column, in big blinds in 100 hands, $\\pm$ half of the 95\\% interval "
        f"of this pair alone, with the seed pair as the unit, by the estimator {escaped(found.estimator)}; "
        "--: they have not met."
    )
    heads = [escaped(found.shown[matrix.participants[at]]) for at in order]
    rows = (
        [head, *("" if one == two else _payoff(matrix.cells[one][two]) for two in order)]
        for head, one in zip(heads, order, strict=True)
    )
    return _table(caption, f"l{'r' * len(order)}", f"& {' & '.join(heads)}", rows)


def _payoff(cell: Payoff | None) -> str:
    if cell is None:
        return "--"
    half = cell.half_width / MBB_PER_BB100
    width = f"{half:.1f}" if isfinite(half) and half < 1e6 else "--"
    return f"{_signed(cell.mean / MBB_PER_BB100)} $\\pm$ {width}"


def _signed(value: float) -> str:
    return f"${signed(value).replace(',', '{,}')}$"


def _count(value: int) -> str:
    return f"{value:,}".replace(",", "{,}")
