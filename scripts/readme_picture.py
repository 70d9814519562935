"""Draw the README's first picture from a real run, for both themes: `.venv/bin/python scripts/readme_picture.py [RUN]`.

Without a run it plays one, always the same. The colours are those of the viewer.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from molt_bench.view.library import Library
from molt_bench.view.open_run import OpenRun
from molt_bench.view.pages import STATIC

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDTH, HEIGHT = 1200, 440
CONFIG = {
    "participants": ["tag", "callstation", "maniac", "tight", "random"],
    "seeds": {"perMatch": 40},
    "game": {"handsPerGame": 20},
    "stop": {"budget": {"maxMatches": 25}},
}
SUITS = {"s": ("\u2660", "#17191c"), "h": ("\u2665", "#c1121f"), "d": ("\u2666", "#0b5fa5"), "c": ("\u2663", "#0a6b3d")}


class Theme(NamedTuple):
    """The colours of one theme, from the style sheet of the viewer."""

    name: str
    ink: str
    soft: str
    line: str
    felt: str
    agents: tuple[str, ...]

    def text(self, x: float, y: float, said: str, *, size: int = 15, more: str = "") -> str:
        """Return a text; `more` are attributes that come before the usual ones."""
        fill = "" if "fill=" in more else f' fill="{self.ink}"'
        return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{fill} {more}>{escape(said)}</text>'


def themes() -> Iterator[Theme]:
    """Read both themes from the style sheet."""
    css = (STATIC / "app.css").read_text("utf-8")
    agents = re.findall(r"\.c\d+ \{ --c: light-dark\((#\w+), (#\w+)\)", css)
    for at, (name, felt) in enumerate((("light", "#e4ece6"), ("dark", "#1f2b26"))):
        ink, soft, line = (
            re.search(rf"--{key}: light-dark\((#\w+), (#\w+)\)", css).group(1 + at)  # type: ignore[union-attr]
            for key in ("ink", "soft", "line")
        )
        yield Theme(name, ink, soft, line, felt, tuple(both[at] for both in agents))


class Deal(NamedTuple):
    """A deal that both seatings played to showdown: the cards of each seat, the board, and what player A won."""

    pair: tuple[str, str]
    holes: tuple[str, str]
    board: str
    won: tuple[float, float]


def best_deal(run: OpenRun) -> Deal:
    """Return the deal that shows best what is measured: the same cards, and player A made more of both hands."""
    found = []
    for match, pair in sorted(run.pairs.items()):
        for seed in run.seeds_of(match):
            first, second = run.sides(match, seed)
            for one, two in zip(first.record.hand_texts, second.record.hand_texts, strict=True):
                _, _, _, _, cards, actions, net = one.split(":")
                other, net_of_b = two.split(":")[5], -int(two.split(":")[6])
                holes = cards.split("|")
                if (
                    len(holes[2]) == 10
                    and len(two.split("|")[2].split(":")[0]) == 10
                    and not {*"fF"} & {*actions + other}
                ):
                    won = int(net) / 100, net_of_b / 100
                    if won[0] > 0 > won[1] and 8 <= won[0] + won[1] <= 40 and -won[1] >= 3:
                        found.append((len(found), Deal(pair, (holes[0], holes[1]), holes[2], won)))
    if not found:
        sys.exit("this run has no deal that shows it: take one with more hands")
    names = {"tag", "callstation"}
    return min(found, key=lambda each: ({*each[1].pair} != names, each[0]))[1]


def card(x: float, y: float, text: str) -> str:
    """Draw a card with its corner at a point."""
    suit, colour = SUITS[text[1]]
    rank = text[0].replace("T", "10")
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="30" height="40" rx="4" fill="#fff" stroke="#b9bdc2"/>'
        f'<text x="{x + 15:.1f}" y="{y + 18:.1f}" font-size="16" font-weight="700" text-anchor="middle" '
        f'fill="{colour}">{rank}</text>'
        f'<text x="{x + 15:.1f}" y="{y + 35:.1f}" font-size="15" text-anchor="middle" '
        f'fill="{colour}">{suit}\ufe0e</text>'
    )


def cards(x: float, y: float, text: str) -> str:
    """Draw several cards beside each other."""
    return "".join(card(x + 33 * at, y, text[2 * at : 2 * at + 2]) for at in range(len(text) // 2))


class Picture:
    """The picture of one run in one theme."""

    def __init__(self, page: dict[str, Any], deal: Deal, theme: Theme) -> None:
        self.page, self.deal, self.theme = page, deal, theme
        self.names = {each["id"]: each["name"] for each in page["participants"]}
        self.colours = {each["id"]: theme.agents[each["color"]] for each in page["participants"]}

    def __str__(self) -> str:
        style = 'font-family="system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"'
        parts = [*self.cards_part(), *self.luck_part(), *self.ranks_part()]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {style}>\n'
            + "\n".join(parts)
            + "\n</svg>\n"
        )

    def heading(self, x: float, number: int, said: str, more: str) -> Iterator[str]:
        """Draw the number and the title of a part, and what it means."""
        theme = self.theme
        yield f'<circle cx="{x + 14}" cy="24" r="14" fill="{theme.agents[0]}"/>'
        yield theme.text(x + 14, 29, str(number), more='fill="#fff" font-weight="700" text-anchor="middle"')
        yield theme.text(x + 38, 30, said, size=19, more='font-weight="650"')
        yield theme.text(x, 62, more, size=14, more=f'fill="{theme.soft}"')

    def cards_part(self) -> Iterator[str]:
        """Draw one deal in both seatings."""
        yield from self.heading(0, 1, "Same cards, seats swapped", "Every deal is played twice: both play both hands.")
        a, b = self.deal.pair
        for at, (top, bottom, won) in enumerate(((a, b, self.deal.won[0]), (b, a, self.deal.won[1]))):
            yield from self.table(190 * at, top, bottom, won)
        said = f"{self.names[a]}: {sum(self.deal.won):.1f} big blinds more"
        yield self.theme.text(185, 402, said, more='font-weight="650" text-anchor="middle"')
        yield self.theme.text(185, 424, "from the same two hands", more='text-anchor="middle"')

    def table(self, x: float, top: str, bottom: str, won: float) -> Iterator[str]:
        """Draw a table; the top seat always has the same cards."""
        theme = self.theme
        yield f'<rect x="{x}" y="82" width="180" height="262" rx="26" fill="{theme.felt}" stroke="{theme.line}"/>'
        for y, who, hole in ((92, top, self.deal.holes[0]), (288, bottom, self.deal.holes[1])):
            yield cards(x + 58, y + (22 if y < 200 else -22), hole)
            yield self.name(x + 90, y + (12 if y < 200 else 36), who, anchor="middle")
        yield cards(x + 9, 186, self.deal.board)
        a = self.deal.pair[0]
        text = f"{'wins' if won > 0 else 'loses only'} {abs(won):.1f}"
        yield theme.text(x + 90, 366, text, size=14, more=f'text-anchor="middle" fill="{self.colours[a]}"')

    def name(self, x: float, y: float, who: str, *, anchor: str = "start", size: int = 14) -> str:
        """Write the name of an agent in its colour."""
        more = f'font-weight="650" text-anchor="{anchor}" fill="{self.colours[who]}"'
        return self.theme.text(x, y, self.names[who], size=size, more=more)

    def luck_part(self) -> Iterator[str]:
        """Draw what one agent won from another, as dealt and with the luck removed."""
        left, right, top, bottom, theme = 440.0, 760.0, 96.0, 336.0, self.theme
        yield from self.heading(430, 2, "Luck taken out", "What remains varies less, so fewer hands decide.")
        pair = max(self.page["winnings"], key=_shows_luck)
        sign = 1 if pair["used"][-1] > 0 else -1
        a, b = (pair["a"], pair["b"])[::sign]
        curves = {key: [0.0, *(sign * value for value in pair[key])] for key in ("raw", "used")}
        low, high = min(map(min, curves.values())), max(map(max, curves.values()))
        zero = bottom - (0 - low) / (high - low) * (bottom - top)
        yield f'<path d="M{left},{zero:.1f}H{right}" stroke="{theme.line}"/>'
        for key, look in (("raw", f'stroke="{theme.soft}" stroke-dasharray="4 3" stroke-width="1.6"'), ("used", "")):
            values = curves[key]
            step = (right - left) / (len(values) - 1)
            places = [
                f"{left + at * step:.1f},{bottom - (value - low) / (high - low) * (bottom - top):.1f}"
                for at, value in enumerate(values)
            ]
            drawn = look or f'stroke="{self.colours[a]}" stroke-width="3"'
            yield f'<path d="M{"L".join(places)}" fill="none" stroke-linejoin="round" {drawn}/>'
        yield f'<path d="M{left},366h26" stroke="{theme.soft}" stroke-dasharray="4 3" stroke-width="1.6"/>'
        yield theme.text(left + 34, 371, "as dealt", size=14)
        colour = self.colours[a]
        yield f'<path d="M{left + 120},366h26" stroke="{colour}" stroke-width="3"/>'
        yield theme.text(left + 154, 371, "luck removed", size=14)
        yield theme.text(600, 402, f"What {self.names[a]} won", more='text-anchor="middle"')
        yield theme.text(600, 424, f"from {self.names[b]}, deal by deal", more='text-anchor="middle"')

    def ranks_part(self) -> Iterator[str]:
        """Draw the leaderboard with its intervals."""
        theme, rows = self.theme, self.page["leaderboard"]
        yield from self.heading(
            830, 3, "A ranking, and how sure it is", "Big blinds won per 100 hands, ± its interval."
        )
        ends = [each["bb100"] + sign * each["halfWidth"] for each in rows for sign in (-1, 1)]
        low, high = min(*ends, 0), max(*ends, 0)

        def at(value: float) -> float:
            return 985 + (value - low) / (high - low) * 105

        yield f'<path d="M{at(0):.1f},92V350" stroke="{theme.line}"/>'
        for place, row in enumerate(rows):
            y, colour = 112 + 52 * place, self.colours[row["id"]]
            ranks = "-".join(map(str, dict.fromkeys(row["ranks"] or ())))
            yield theme.text(832, y + 5, ranks, more=f'fill="{theme.soft}"')
            yield self.name(854, y + 5, row["id"], size=15)
            left, right = at(row["bb100"] - row["halfWidth"]), at(row["bb100"] + row["halfWidth"])
            ends_of = "".join(f"M{x:.1f},{y - 6}v12" for x in (left, right))
            yield f'<path d="M{left:.1f},{y}H{right:.1f}{ends_of}" stroke="{colour}" stroke-width="2"/>'
            yield f'<circle cx="{at(row["bb100"]):.1f}" cy="{y}" r="5" fill="{colour}"/>'
            yield theme.text(
                1198,
                y + 5,
                f"{round(row['bb100']) or 0:+d} \u00b1 {row['halfWidth']:.0f}".replace("-", "\u2212").replace(
                    "+0 ", "0 "
                ),
                more='text-anchor="end"',
            )
        yield theme.text(1015, 402, "It plays until the order is sure,", more='text-anchor="middle"')
        yield theme.text(1015, 424, "or tied, or the budget is spent", more='text-anchor="middle"')


def _shows_luck(pair: dict[str, Any]) -> float:
    """Return how well a pair shows what is taken out: how rough its chips are beside what is left of them."""
    curve: list[float] = pair["used"]
    return _roughness(pair["raw"]) / (_roughness(curve) + curve[-1] ** 2 / len(curve))


def _roughness(curve: list[float]) -> float:
    """Return how much a curve varies from step to step."""
    steps = [two - one for one, two in pairwise([0.0, *curve])]
    mean = sum(steps) / len(steps)
    return sum((step - mean) ** 2 for step in steps) or 1e-9


def main() -> None:
    """Draw the picture for both themes."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else played(Path(scratch))
        library = Library(folder)
        run = library.open(folder.name)
        page, deal = library.run_page(folder.name), best_deal(run)
        for theme in themes():
            path = IMAGES / f"overview-{theme.name}.svg"
            path.write_text(str(Picture(page, deal, theme)), "utf-8")
            print(f"docs/images/{path.name}")


def played(scratch: Path, config: dict[str, Any] = CONFIG) -> Path:
    """Play a run, and return its folder."""
    path, runs = scratch / "config.json", scratch / "runs"
    path.write_text(json.dumps({**config, "outputDir": str(runs)}))
    program = [sys.executable, "-c", "from molt_bench.cli import main; main()"]
    subprocess.run([*program, "--config", str(path), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    (folder,) = runs.iterdir()
    return folder


if __name__ == "__main__":
    main()
