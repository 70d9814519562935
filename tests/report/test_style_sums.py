"""Styles summed over games."""

import pytest

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.play_statistics import RATIOS, Ratio, Style, hand_style
from molt_bench.report.style_sums import StyleCount, combined


def test_styles_add_up():
    hands = ["|:f:-50", "|:r300f:100", "|2c7d9hJs3c:ck/kk/kk/kk:100"]
    lines = [f"1:50/100/0:10000,10000:b0:AhAd|KsKc{hand}" for hand in hands]
    total = combined(hand_style(hand_from_text(line).hand, 0) for line in lines)
    assert total.hands == 3
    assert (total.vpip, total.pfr, total.wtsd) == (Ratio(2, 3), Ratio(1, 3), Ratio(1, 1))
    assert (total.showdown_winnings, total.other_winnings) == (Ratio(100, 3), Ratio(50, 3))
    assert combined([]) == Style()
    assert Style().vpip.value is None


def counted(*games):
    count = StyleCount()
    for pair, record in games:
        count.add(pair, record)
    return count.styles()


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_figures_belong_to_players_and_warm_up_is_left_out(seating):
    agents = BUILTIN_AGENTS["callstation"](), BUILTIN_AGENTS["maniac"]()
    record = play_game(agents, seed="s1", hands=60, seating=seating, warmup_hands=10)
    station, maniac = counted((("station", "maniac"), record)).values()
    assert station.hands == maniac.hands == 60
    assert station.vpip.value > 0.7
    assert station.pfr.count == station.aggression_factor.count == station.fold_to_c_bet.count == 0
    assert station.wtsd.value == maniac.wtsd.value == 1
    assert maniac.pfr.value > 0.5
    for found, net in zip((station, maniac), record.net, strict=True):
        assert found.showdown_winnings.count + found.other_winnings.count == net
    assert all(ratio.count <= ratio.of for ratio in [getattr(maniac, name) for name in RATIOS[:3]])
