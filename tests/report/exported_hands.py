"""Hands for the tests of exports: random ones, those of all bots, and names that no format likes."""

from itertools import cycle
from random import Random  # noqa: TID251 - always with a seed

import msgspec
from tests.poker.pokerkit_oracle import draw_action, draw_setting

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.poker.notation import hand_from_text, hand_to_text
from molt_bench.report.dealt_hands import DealtHand, hands_of
from molt_bench.runs.journal_lines import Game

NAMES = [
    "alice",
    "a, b; c",
    "quote \" and ' and `",
    "two\nlines\r\nand\ttabs\x0b\x7f",
    "snow ☃, 日本, é, \U0001f600, line\u2028separator",
    "<script>alert('x')</script> &amp;",
    "\\x{} $x_1^2$ & 50% of #1 ~ -- [a]",
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@cell",
    "'=quoted already",
    "pipe|colon: folds [As Ks] (1 in chips) posts big blind 5",
    " blanks around ",
    "100%41",
]


def random_hand(seed: int) -> Hand:
    """Play a hand of random blinds, antes, stacks, cards and actions."""
    setting, rng = draw_setting(Random(f"setting {seed}")), Random(f"actions {seed}")
    hand = Hand(setting.rules, setting.deal, setting.stacks, button=setting.button)
    while hand.actor != NOBODY:
        hand.apply(draw_action(rng, hand.legal_actions(), setting.style))
    return hand_from_text(hand_to_text(hand, 1)).hand


def random_hands(seeds: range) -> list[DealtHand]:
    return [in_run(random_hand(seed), seed, seating=("AB", "BA")[seed % 2]) for seed in seeds]


def in_run(hand: Hand, number: int = 0, players: tuple[str, str] = ("alice", "bob"), seating: str = "AB") -> DealtHand:
    return DealtHand(
        run="a run",
        match=3,
        seed="s1",
        seating=seating,
        number=number + 1,
        counts=True,
        players=players,
        hand=hand,
        forced=NOBODY,
        text=hand_to_text(hand, number + 1),
    )


def written_hand(line: str, **where) -> DealtHand:
    parsed = hand_from_text(line)
    return in_run(parsed.hand, parsed.number - 1, **where)


def bot_hands() -> list[DealtHand]:
    """Return hands of the quick built-in bots, with stacks that are reset and that are carried, and with antes."""
    bots = [bot for kind, bot in BUILTIN_AGENTS.items() if kind != "resolver"]
    settings = cycle([{}, {"stacks": "carry", "stack": 700}, {"ante": 20, "stack": 1_000}, {"stack": 150}])
    found = []
    for number, (one, two) in enumerate(zip(bots, [*bots[1:], bots[0]], strict=True)):
        seating = "BA" if number % 2 else "AB"
        record = play_game((one(), two()), seed=f"s{number}", hands=8, seating=seating, **next(settings))
        named = msgspec.structs.replace(
            record, spec=msgspec.structs.replace(record.spec, players=(f"bot-{number}", "other"))
        )
        found += hands_of(Game(number + 1, named))
    return found
