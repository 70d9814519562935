"""The rules and the decks are those of the first version: a hash per hundred games, never made anew."""

from pathlib import Path

import pytest

from molt_bench import play_game
from tests.witness.games import GAMES, GAMES_PER_HASH, FixedAgent, hashes, setting

HASHES = Path(__file__).with_name("hashes.txt").read_text().split()


@pytest.fixture(scope="module")
def found():
    return [*hashes()]


@pytest.mark.parametrize("hundred", range(GAMES // GAMES_PER_HASH))
def test_cards_legal_actions_nets_and_faults_of_a_hundred_games_are_as_they_were(hundred, found):
    assert found[hundred] == HASHES[hundred]


def test_the_games_meet_what_a_game_can_meet():
    """All streets, all kinds of action and fault, forced folds, games that end early, and hands that are shown."""
    lines, kinds, forced, short, shown = [], set(), 0, 0, 0
    for number in range(300):
        record = play_game((FixedAgent("A", lines), FixedAgent("B", lines)), **setting(number))
        kinds |= {fault.kind for fault in record.faults}
        forced += sum(fault.forced_fold for fault in record.faults)
        short += record.hands < setting(number)["hands"]
    shown = sum(" ended " in line and "None" not in line for line in lines)
    assert kinds >= {"illegal", "unreadable", "exception"}
    assert min(forced, short, shown) > 20
    text = "\n".join(lines)
    assert all(f" {street} " in text for street in ("preflop", "flop", "turn", "river"))
    assert all(kind in text for kind in ("fold", "check", "call", "raiseTo"))
