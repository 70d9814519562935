"""The leaderboard and the payoff matrix as LaTeX tables, for a paper; they need the package booktabs."""

from collections.abc import Iterator
from itertools import pairwise
from math import isfinite
from typing import Final

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.bench.result import RunResult
from molt_bench.rating.payoffs import Payoff, payoff_matrix
from molt_bench.rating.sequence import SPREAD
from molt_bench.rating.verdicts import verdict
from molt_bench.report.claims import met_so_far
from molt_bench.report.numbers import (
    MBB_PER_BB100,
    ParticipantNumbers,
    confidence_rule,
    margin_model,
    participant_numbers,
    unranked,
)

_TIED: Final = "$^=$"
_OPEN: Final = "$^?$"
_MARKS: Final = {"tied": _TIED, "unresolved": _OPEN}
_ESCAPED: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # so that two of them stay two, as with commas
    ",": "{,}",
    "*": "{*}",  # not part of the line break before it
    "[": "{[}",  # not an option of the command before it
    "]": "{]}",
}


def escaped(text: str) -> str:
    r"""Write any text so that LaTeX prints it; line ends and the like become blanks.

    >>> escaped("R&D_50% <b>")
    'R\\&D\\_50\\% \\textless{}b\\textgreater{}'
    """
    return "".join([_ESCAPED.get(char, char if char.isprintable() else " ") for char in text])


def latex(result: RunResult) -> Iterator[str]:
    """Write both tables."""
    yield f"% molt-bench {__version__}; needs \\usepackage[T1]{{fontenc}}, textcomp and booktabs\n"
    yield from _leaderboard(result)
    yield "\n"
    yield from _payoffs(result)


def _leaderboard(result: RunResult) -> Iterator[str]:
    marks = _marks(result)
    yield "\\begin{table}\n  \\centering\n"
    yield f"  \\caption{{{_leaderboard_caption(result, marks)}}}\n"
    yield "  \\begin{tabular}{rlrrrrrr}\n    \\toprule\n"
    yield "    \\# & Agent & bb/100 & $\\pm$ & Ranks & $\\mu$ & $\\sigma$ & Hands \\\\\n    \\midrule\n"
    for rank, row in enumerate(participant_numbers(result), start=1):
        yield f"    {' & '.join(_cells(rank, row, marks.get(row.rating.id, '')))} \\\\\n"
    yield "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"


def _cells(rank: int, row: ParticipantNumbers, mark: str) -> list[str]:
    best, worst = row.ranks or (rank, rank)
    return [
        f"{rank}{mark}" if row.ranked else "--",
        escaped(row.name),
        "--" if row.bb_per_100 is None else _signed(row.bb_per_100),
        f"{row.half_width:.1f}" if isfinite(row.half_width) else "--",
        "--" if not row.ranked else "" if row.ranks is None else str(best) if best == worst else f"{best}--{worst}",
        f"{row.rating.mu:.1f}",
        f"{row.rating.sigma:.1f}",
        _count(row.hands),
    ]


def _marks(result: RunResult) -> dict[str, str]:
    """Return the mark of everyone who is tied with the one above, or not surely below."""
    rule = confidence_rule(result)
    if rule.method != "margin":
        return {}
    apart = unranked(result)
    model, names = margin_model(result), [rating.id for rating in result.leaderboard if rating.id not in apart]
    error = (1 - rule.threshold) / max(1, len(names) - 1)
    kinds = {
        below: verdict(model, above, below, error=error, tie_margin=rule.tie_margin_mbb).kind
        for above, below in pairwise(names)
    }
    return {name: _MARKS[kind] for name, kind in kinds.items() if kind != "ordered"}


def _leaderboard_caption(result: RunResult, marks: dict[str, str]) -> str:
    hands = sum(match.result.hands for match in result.matches)
    seeds = {(type(pair.seed), pair.seed) for match in result.matches for pair in match.result.seed_results}
    said = (
        f"Heads-up no-limit hold'em, {_count(hands)} hands in {_count(len(result.matches))} matches on "
        f"{_count(len(seeds))} seeds, each played in both seats (molt-bench {escaped(__version__)}, bench version "
        f"{BENCH_VERSION}). bb/100: big blinds won in 100 hands from the field, every opponent counting the same; "
        f"$\\pm$: half of its 95\\% interval, with the seed pair as the unit; Ranks: 95\\% interval of the rank; "
        f"$\\mu$ and $\\sigma$: OpenSkill rating."
    )
    incomplete = met_so_far(result)
    said += f" {escaped(incomplete)}" if incomplete else ""
    used = set(marks.values())
    said += f" {_TIED}: within {_margin(result)} bb/100 of the one above." if _TIED in used else ""
    said += f" {_OPEN}: not surely below the one above." if _OPEN in used else ""
    return said + (" {-}{-} in place of a rank: it hardly ever gave a usable answer." if unranked(result) else "")


def _margin(result: RunResult) -> str:
    return f"{confidence_rule(result).tie_margin_mbb / MBB_PER_BB100:g}"


def _payoffs(result: RunResult) -> Iterator[str]:
    model, rule = margin_model(result), confidence_rule(result)
    matrix = payoff_matrix(model, spread=SPREAD * rule.tie_margin_mbb)
    names = {each.id: each.display_name or each.id for each in result.config.participants}
    order = [matrix.participants.index(rating.id) for rating in result.leaderboard]
    yield "\\begin{table}\n  \\centering\n"
    yield (
        "  \\caption{What the row wins from the column, in big blinds in 100 hands, $\\pm$ half of the 95\\% interval "
        "of this pair alone, with the seed pair as the unit; --: they have not met.}\n"
    )
    yield f"  \\begin{{tabular}}{{l{'r' * len(order)}}}\n    \\toprule\n"
    heads = [escaped(names[matrix.participants[at]]) for at in order]
    yield f"    & {' & '.join(heads)} \\\\\n    \\midrule\n"
    for head, one in zip(heads, order, strict=True):
        cells = ["" if one == two else _payoff(matrix.cells[one][two]) for two in order]
        yield f"    {' & '.join([head, *cells])} \\\\\n"
    yield "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"


def _payoff(cell: Payoff | None) -> str:
    if cell is None:
        return "--"
    half = cell.half_width / MBB_PER_BB100
    width = f"{half:.1f}" if isfinite(half) and half < 1e6 else "--"
    return f"{_signed(cell.mean / MBB_PER_BB100)} $\\pm$ {width}"


def _signed(value: float) -> str:
    return f"${value:+.1f}$"


def _count(value: int) -> str:
    return f"{value:,}".replace(",", "{,}")
