"""A mix: what it is, what is refused, what is drawn from it, and its text."""

from collections import Counter
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench import Action, AgentFailed, LegalActions, Mix, RaiseRange, RulesError
from molt_bench.poker.mix import MOST_ENTRIES, MOST_WEIGHT, mix_from_text, mixes_from_text, mixes_to_text

FOLD, CHECK, CALL = Action("fold"), Action("check"), Action("call")

#: Entries that are no mix, and words of the line that says why.
REFUSED = [
    (5, "its entries are 5"),
    ("1f,1c", "its entries are '1f,1c'"),
    ([], "0 entries; expected 1 to 100"),
    ([(CALL, 1)] * 10_000, "10,000 entries"),
    ([CALL], "an entry is <Action>"),
    ([(CALL,)], "an entry is <tuple>"),
    ([(CALL, 0)], "a weight is 0"),
    ([(CALL, -1)], "a weight is -1"),
    ([(CALL, 1.0)], "a weight is 1.0"),
    ([(CALL, nan)], "a weight is nan"),
    ([(CALL, True)], "a weight is True"),
    ([(CALL, "1")], "a weight is '1'"),
    ([(CALL, 10**5000)], "a weight is <an int of thousands of digits>"),
    ([(CALL, MOST_WEIGHT + 1)], "a weight is 1000001"),
    ([(CALL, 1), (CALL, 2)], "call twice"),
    ([(Action("raiseTo", 300), 1), (Action("raiseTo", 300), 1)], "raiseTo 300 twice"),
    ([(RaiseRange(200, 300), 1), (Action("raiseTo", 250), 1)], "raiseTo 250 twice"),
    ([(RaiseRange(200, 300), 1), (RaiseRange(300, 400), 1)], "raiseTo 300 twice"),
    ([(RaiseRange(300, 200), 1)], "raiseTo 300..200"),
    ([(RaiseRange(-5, 200), 1)], "raiseTo -5..200"),
    ([(RaiseRange(200.0, nan), 1)], "raiseTo 200.0..nan"),
    ([(Action("raiseTo", 0), 1)], "raiseTo 0"),
    ([(Action("raiseTo", 2**60), 1)], "raiseTo 1152921504606846976"),
    ([(Action("shove"), 1)], "the unknown kind 'shove'"),
    ([(Action([]), 1)], "the unknown kind <list>"),
    ([(Mix([(CALL, 1)]), 1)], "<Mix>, which is neither"),
    ([("call", 1)], "'call', which is neither"),
]

amounts = st.integers(1, 10**6)


@st.composite
def mixes(draw):
    """Draw a mix with raises that do not overlap."""
    passive = draw(st.lists(st.sampled_from([FOLD, CHECK, CALL]), unique=True))
    edges = sorted(draw(st.sets(amounts, max_size=8)))
    raises = [RaiseRange(low, high) for low, high in zip(edges[::2], edges[1::2], strict=False)]
    found = [*passive, *raises, *[Action("raiseTo", edge + 1) for edge in edges[-1:]]]
    found = found or [FOLD]
    return Mix([(each, draw(st.integers(1, MOST_WEIGHT))) for each in found])


@pytest.mark.parametrize(("entries", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_no_mix_is_refused_in_one_clear_line(entries, words):
    with pytest.raises(AgentFailed) as refused:
        Mix(entries)
    assert refused.value.kind == "illegal"
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_nothing_but_its_entries_can_be_said_of_a_mix():
    mix = Mix([(CALL, 2), (RaiseRange(200, 400), 1)], 7, "lies", "f", 1, 2)
    assert mix == Mix([(CALL, 2), (RaiseRange(200, 400), 1)])
    assert (mix.total, mix.text, mix.passive, mix.lowest, mix.highest) == (3, "2c,1r200-400", "c", 200, 400)


def test_a_mix_may_have_as_many_entries_as_the_limit_says():
    assert len(Mix([(Action("raiseTo", 1 + at), 1) for at in range(MOST_ENTRIES)]).entries) == MOST_ENTRIES


@given(mixes())
def test_the_text_of_a_mix_leads_back_to_it(mix):
    assert mix_from_text(mix.text) == mix


@given(st.dictionaries(st.integers(0, 300), mixes(), max_size=4))
def test_the_line_of_a_hand_leads_back_to_its_mixes(found):
    ascending = dict(sorted(found.items()))
    assert mixes_from_text(mixes_to_text(ascending)) == ascending


@pytest.mark.parametrize(
    "line",
    [
        *("x", "0", "0:", ":1f", "0:1f;", "0:0f", "0:1x", "0:1f,1f", "0:1r9-5", "0:1r05", "0:01f", "0:1f1c"),
        *("2:1f;0:1f", "0:1f;0:1f", "-1:1f", "00:1f", "0:1f;;1:1f", "0:9999999f", "9999999:1f", "²:1f", "0:1f\n"),
    ],
)
def test_a_line_that_was_not_written_by_the_bench_is_refused(line):
    with pytest.raises(RulesError, match=r"not (a mix|the mixes of a hand)"):
        mixes_from_text(line)


@given(mixes(), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_whatever_is_drawn_is_an_entry(mix, choice, size):
    action = mix.drawn(choice, size)
    assert mix.has(action.kind, action.amount)


def test_every_entry_is_drawn_with_its_share_of_the_weights():
    mix = Mix([(FOLD, 1), (CALL, 2), (RaiseRange(200, 203), 5)])
    steps = 8 * 4
    drawn = Counter(mix.drawn(at << 59, 1 << 62) for at in range(steps))
    assert drawn == {FOLD: steps / 8, CALL: steps / 4, Action("raiseTo", 201): steps * 5 / 8}


def test_every_amount_of_a_range_is_equally_likely():
    mix = Mix([(RaiseRange(200, 207), 1)])
    assert Counter(mix.drawn(0, at << 58).amount for at in range(64)) == dict.fromkeys(range(200, 208), 8)


@pytest.mark.parametrize(
    ("entry", "legal"),
    [
        *((FOLD, True), (CALL, True), (CHECK, False), (Action("raiseTo", 200), True), (Action("raiseTo", 199), False)),
        *((RaiseRange(200, 900), True), (RaiseRange(199, 900), False), (RaiseRange(200, 901), False)),
    ],
)
def test_a_mix_is_legal_if_all_of_its_entries_are(entry, legal):
    mix = Mix([(FOLD, 1), (entry, 1)] if entry is not FOLD else [(FOLD, 1)])
    facing, free, closed = (LegalActions(*each) for each in ((100, 200, 900), (0, 200, 900), (100, 0, 0)))
    assert mix.is_legal(facing) is legal
    assert bool(mix.illegal_entry(facing)) is not legal
    assert mix.is_legal(free) is (legal if entry is not CALL else False) or entry is CHECK
    assert mix.is_legal(closed) is (legal and mix.highest == 0)
