"""Styles are those of a second count, from the text of the hands alone, which uses neither engine nor first count."""

import re
from collections import Counter
from itertools import product

import pytest

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.plugins.view.style_count import StyleCount, grouped
from molt_bench.poker.play_statistics import RATIOS

NAMES = {"three_bet": "3", "c_bet": "cbet", "fold_to_c_bet": "foldcbet"}


def plain_count(text: str) -> tuple[int, dict[int, Counter]]:
    """Return the button, and for each seat the counts ("vpip") and chances ("vpip of") of one hand without antes."""
    _, blinds, stacks, button, cards, actions, net = text.split(":")
    big, chips, button = int(blinds.split("/")[1]), [int(each) for each in stacks.split(",")], int(button[1])
    small = int(blinds.split("/")[0])
    put = {button: min(small, chips[button]), 1 - button: min(big, chips[1 - button])}
    found = {0: Counter(), 1: Counter()}
    last_raiser, c_bettor, answered, before = None, None, False, [0, 0]
    for at, street in enumerate(actions.split("/")):
        seat, raises = (button if at == 0 else 1 - button), 0
        acted = set()
        put = put if at == 0 else {0: 0, 1: 0}
        spent = [chips[0] - before[0], chips[1] - before[1]]
        for kind, amount in re.findall(r"([fFkc]|r)(\d*)", street):
            mine, other = found[seat], 1 - seat
            could_raise = spent[seat] > put[other] and spent[other] > put[other]
            if at == 0:
                mine["vpip of"] = mine["pfr of"] = 1
                mine["vpip"] |= kind in "cr"
                mine["pfr"] |= kind == "r"
                if raises == 1 and could_raise:
                    mine["3 of"] += 1
                    mine["3"] += kind == "r"
            else:
                mine["af"] += kind == "r"
                mine["af of"] += kind == "c"
                mine["afq"] += kind == "r"
                mine["afq of"] += kind in "rcfF"
            if at == 1:
                if seat not in acted and last_raiser == seat and raises == 0 and could_raise:
                    mine["cbet of"] += 1
                    mine["cbet"] += kind == "r"
                    c_bettor = seat if kind == "r" else None
                elif c_bettor == other and not answered:
                    answered = True
                    mine["foldcbet of"] += 1
                    mine["foldcbet"] += kind in "fF"
            acted.add(seat)
            if kind == "r":
                put[seat], raises = int(amount), raises + 1
                last_raiser = seat if at == 0 else last_raiser
            elif kind == "c":
                put[seat] = min(put[other], spent[seat])
            seat = other
        before = [chips[each] - spent[each] + put[each] for each in (0, 1)]
    shown, board = actions[-1:] not in ("f", "F"), cards.split("|")[2]
    for seat, won in ((0, int(net)), (1, -int(net))):
        found[seat]["hands"] = 1
        found[seat]["wtsd of"], found[seat]["wtsd"] = bool(board), bool(board) and shown
        found[seat]["wsd of"], found[seat]["wsd"] = shown, shown and won >= 0
        found[seat]["chips shown"], found[seat]["chips other"] = (won, 0) if shown else (0, won)
    return button, found


@pytest.mark.parametrize(("stacks", "seeds"), [("reset", 1), ("carry", 12)])  # carried stacks end games early
def test_every_statistic_is_that_of_another_count_by_opponent_and_position(stacks, seeds):
    bots = {name: BUILTIN_AGENTS[name]() for name in ("random", "tag", "maniac")}
    count, expected = StyleCount(), {}
    for pair in (("random", "tag"), ("maniac", "random"), ("tag", "maniac")):
        for at, seating in product(range(seeds), ("AB", "BA")):
            agents = tuple(bots[name] for name in pair)
            record = play_game(agents, seed=f"s{at}", hands=150, seating=seating, stacks=stacks, warmup_hands=2)
            count.add(pair, record)
            for text in record.hand_texts[2:]:
                button, found = plain_count(text)
                for seat, counts in found.items():
                    player = seat if seating == "AB" else 1 - seat
                    position = "button" if seat == button else "bigBlind"
                    expected.setdefault((pair[player], pair[1 - player], position), Counter()).update(counts)
    groups = count.groups()
    assert {tuple(group) for group in groups} == expected.keys()
    keys = {"aggression_factor": "af", "aggression_frequency": "afq", **NAMES}
    for group, style in groups.items():
        mine = expected[tuple(group)]
        assert style.hands == mine["hands"]
        for name in RATIOS[:-2]:
            key = keys.get(name, name)
            assert (getattr(style, name).count, getattr(style, name).of) == (mine[key], mine[f"{key} of"]), (
                group,
                name,
            )
        for name, key in (("showdown_winnings", "chips shown"), ("other_winnings", "chips other")):
            assert (getattr(style, name).count, getattr(style, name).of) == (mine[key], mine["hands"])
    assert sum(mine["3 of"] + mine["cbet of"] + mine["foldcbet of"] for mine in expected.values()) > 100


def test_positions_and_opponents_add_up_to_the_style_of_an_agent():
    bots = tuple(BUILTIN_AGENTS[name]() for name in ("tag", "random"))
    count = StyleCount()
    count.add(("a", "b"), play_game(bots, seed="s1", hands=40))
    count.add(("c", "a"), play_game(bots, seed="s2", hands=40))
    own = {group: style for group, style in count.groups().items() if group.player == "a"}
    places = {("b", "button", 20), ("b", "bigBlind", 20), ("c", "button", 20), ("c", "bigBlind", 20)}
    assert {(group.opponent, group.position, style.hands) for group, style in own.items()} == places
    total = grouped(count.groups(), lambda group: group.player)["a"]
    assert total.hands == 80
    assert total.vpip.count == sum(style.vpip.count for style in own.values())
