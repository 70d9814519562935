"""Draw the pictures of the docs that explain an idea, for both themes: `python scripts/concept_pictures.py [RUN]`.

The seed pair and the stop are drawn from real runs of two agents each, which are played if none is given. The
colours are those of the viewer.
"""

import sys
import tempfile
from collections.abc import Iterator
from math import ceil, floor
from pathlib import Path
from statistics import stdev
from typing import Any, Final

import msgspec
from readme_picture import IMAGES, Theme, played, themes

from molt_bench.report.rows import Rows
from molt_bench.runs.run import Run

WIDTH: Final = 800
CONFIG: Final[dict[str, Any]] = {
    "participants": ["tight", "callstation"],
    "seeds": {"perMatch": 1, "masterSeed": "pictures"},
    "game": {"handsPerGame": 20},
    "rating": {"estimator": "raw"},
    "stop": {"budget": {"maxMatches": 30}},
}
#: Two who hardly ever fold: the cards decide a game, and hardly the seed pair.
SEED_PAIRS: Final[dict[str, Any]] = {
    **CONFIG,
    "participants": ["callstation", "maniac"],
    "seeds": {"perMatch": 30, "masterSeed": "pictures"},
    "stop": {"budget": {"maxMatches": 1}},
}
STOPPED: Final[dict[str, Any]] = {
    **CONFIG,
    "participants": ["tight", "callstation"],
    "seeds": {"perMatch": 4, "masterSeed": "pictures"},
    "stop": {"budget": {"maxMatches": 60}},
}
NAMES: Final = ("seed-pair", "stop", "sandbox")
DASHED: Final = ' stroke-dasharray="5 4"'
#: The match that the drawing of the stop begins with: before it, intervals are far too wide to be drawn.
_FIRST: Final = 6
#: Seed pairs that are shown.
_SHOWN: Final = 12
#: What a program in the sandbox has, and what it does not.
_INSIDE: Final = (
    "its own folder, read-only",
    "an empty /tmp of its own",
    "standard input and output",
    "the system's programs",
)
_OUTSIDE: Final = (
    "your home and other folders",
    "the network",
    "other processes",
    "decks and master seed",
    "more memory than it may",
)


def drawing(theme: Theme, height: int, parts: Iterator[str]) -> str:
    """Return a picture."""
    style = 'font-family="system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" {style}>'
    return "\n".join([head, *parts, "</svg>", ""])


def seed_pairs(theme: Theme, rows: Rows) -> str:
    """Draw the two games of the first seed pairs, and their means."""
    result = rows.found.result
    a, b = result.matches[0].participants
    blind = result.config.game.big_blind
    pairs = [
        tuple(game.net[0] / blind for game in pair.games) for match in result.matches for pair in match.seed_results
    ]
    games, means = [won for pair in pairs for won in pair], [sum(pair) / 2 for pair in pairs]
    return drawing(theme, 360, _pairs(theme, pairs[:_SHOWN], (a, b), (stdev(games), stdev(means))))


def _pairs(
    theme: Theme, pairs: list[tuple[float, ...]], names: tuple[str, str], varied: tuple[float, float]
) -> Iterator[str]:
    low, high = min(0.0, *map(min, pairs)), max(0.0, *map(max, pairs))
    colour = theme.agents[0]

    def at(won: float) -> float:
        return 285 - 225 * (won - low) / (high - low)

    said = f"What {names[0]} won from {names[1]} in {len(pairs)} seed pairs, in big blinds"
    yield theme.text(0, 22, said, size=17, more='font-weight="650"')
    yield f'<path d="M44,{at(0):.1f}H{WIDTH}" stroke="{theme.line}"/>'
    for won in sorted({0.0, low, high}):
        yield theme.text(
            36, at(won) + 5, f"{won:+.0f}" if won else "0", size=13, more=f'text-anchor="end" fill="{theme.soft}"'
        )
    step = (WIDTH - 80) / len(pairs)
    for number, pair in enumerate(pairs):
        x = 70 + step * number
        ends = [at(won) for won in pair]
        yield f'<path d="M{x:.1f},{ends[0]:.1f}V{ends[1]:.1f}" stroke="{theme.soft}" stroke-dasharray="3 3"/>'
        for end in ends:
            yield f'<circle cx="{x:.1f}" cy="{end:.1f}" r="5" fill="none" stroke="{theme.soft}" stroke-width="2"/>'
        yield f'<circle cx="{x:.1f}" cy="{at(sum(pair) / 2):.1f}" r="6" fill="{colour}"/>'
        yield theme.text(x, 310, str(number + 1), size=13, more=f'text-anchor="middle" fill="{theme.soft}"')
    yield f'<circle cx="20" cy="337" r="5" fill="none" stroke="{theme.soft}" stroke-width="2"/>'
    yield theme.text(32, 342, f"one game: standard deviation {varied[0]:.0f}", size=14)
    yield f'<circle cx="410" cy="337" r="6" fill="{colour}"/>'
    yield theme.text(422, 342, f"both, seats swapped: their mean, {varied[1]:.0f}", size=14)


def stop(theme: Theme, rows: Rows) -> str:
    """Draw how the lead and its interval went from match to match, until the run stopped."""
    found = rows.found
    matches, (above, below) = found.result.matches, found.order[:2]
    steps = []
    counts = range(min(_FIRST, len(matches)), len(matches) + 1)
    for count in counts:
        part = Rows(msgspec.structs.replace(found.result, matches=matches[:count])).found
        (lead,) = part.judge.verdicts(part.model, [(above, below)])
        steps.append((lead.lead / 10, lead.half_width / 10, lead.sure))
    return drawing(theme, 360, _steps(theme, dict(zip(counts, steps, strict=True)), (above, below), rows))


def _steps(
    theme: Theme, by_match: dict[int, tuple[float, float, float]], names: tuple[str, str], rows: Rows
) -> Iterator[str]:
    steps, colour = [*by_match.values()], theme.agents[0]
    low = min(0.0, *(mean - half for mean, half, _ in steps))
    high = max(0.0, *(mean + half for mean, half, _ in steps))

    def at(value: float) -> float:
        return 275 - 215 * (value - low) / (high - low)

    said = f"The lead of {names[0]} over {names[1]} after each match, and its interval"
    yield theme.text(0, 22, said, size=17, more='font-weight="650"')
    yield f'<path d="M40,{at(0):.1f}H{WIDTH}" stroke="{theme.line}" stroke-width="2"/>'
    for value in sorted({0.0, low, high}):
        text = f"{value:+.0f}" if value else "0"
        yield theme.text(36, at(value) + 5, text, size=13, more=f'text-anchor="end" fill="{theme.soft}"')
    step = (WIDTH - 80) / len(steps)
    every = ceil(44 / step)  # the room that a percentage takes
    for number, (match, (mean, half, sure)) in enumerate(by_match.items()):
        x, last = 70 + step * number, number == len(steps) - 1
        drawn = colour if last else theme.soft
        yield f'<path d="M{x:.1f},{at(mean - half):.1f}V{at(mean + half):.1f}" stroke="{drawn}" stroke-width="3"/>'
        yield f'<circle cx="{x:.1f}" cy="{at(mean):.1f}" r="5" fill="{drawn}"/>'
        if (len(steps) - 1 - number) % every == 0:
            look = f'text-anchor="middle" fill="{drawn}"'
            yield theme.text(x, 302, str(match), size=13, more=look)
            yield theme.text(x, 322, _percent(sure), size=13, more=look)
    mean, half, _ = steps[-1]
    yield theme.text(WIDTH, at(mean + half) - 10, f"{mean:+.0f} \u00b1 {half:.0f}", more='text-anchor="end"')
    takes = f"{100 * rows.found.claimed_from:.10g}%"
    why = f"The match, and how sure the order is, allowing for every look. The run stops at {takes}, or at its budget."
    yield theme.text(0, 350, why, size=14)


def _percent(sure: float) -> str:
    """Return how sure it is, rounded down: what is shown as 98% has reached it."""
    return f"{floor(1000 * sure) / 10:.1f}%" if sure > 0.95 else f"{floor(100 * sure)}%"


def sandbox(theme: Theme) -> str:
    """Draw what a program has in the sandbox, and what stays outside."""
    return drawing(theme, 250, _boxes(theme))


def _boxes(theme: Theme) -> Iterator[str]:
    for x, head, colour, mark, lines in (
        (0, "In the sandbox: a program, and", theme.agents[0], "\u2713", _INSIDE),
        (420, "Outside, and out of reach", theme.soft, "\u2717", _OUTSIDE),
    ):
        look = f'fill="none" stroke="{colour}" stroke-width="2"{"" if x == 0 else DASHED}'
        yield f'<rect x="{x + 2}" y="2" width="372" height="240" rx="14" {look}/>'
        yield theme.text(x + 20, 36, head, size=17, more='font-weight="650"')
        for number, line in enumerate(lines):
            yield theme.text(x + 20, 74 + 36 * number, mark, size=16, more=f'fill="{colour}" font-weight="700"')
            yield theme.text(x + 46, 74 + 36 * number, line, size=16)


def _played(scratch: Path, name: str, config: dict[str, Any]) -> Path:
    (scratch / name).mkdir()
    return played(scratch / name, config)


def main() -> None:
    """Draw all pictures for both themes."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        given = [Path(sys.argv[1]).resolve()] * 2 if len(sys.argv) > 1 else []
        folders = given or [
            _played(Path(scratch), name, config) for name, config in (("a", SEED_PAIRS), ("b", STOPPED))
        ]
        pairs, stopped = (Rows(Run.open(folder).result()) for folder in folders)
    for theme in themes():
        drawn = (seed_pairs(theme, pairs), stop(theme, stopped), sandbox(theme))
        for name, text in zip(NAMES, drawn, strict=True):
            (IMAGES / f"{name}-{theme.name}.svg").write_text(text, "utf-8", newline="\n")
            print(f"docs/images/{name}-{theme.name}.svg")


if __name__ == "__main__":
    main()
