"""The odds of an action: found however tokens are cut, scaled to what is legal, unknown if they cannot be right."""

from math import inf, log, nan

import pytest

from molt_bench.agents.llm.providers.log_probabilities import Choice, RecordedDraws, choice_of, drawn_at
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe


def lists(**chances):
    return [(name, log(chance)) for name, chance in chances.items()]


def seen(*actions, stacks=(10_000, 10_000)):
    hand = Hand(HandRules(50, 100), deal_from_text("AhQd 3d4s 2c7d9hJsQc"), stacks, button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 3)


FACING = seen()  # the small blind, first to act: fold, call or raise
FREE = seen(CALL)  # the big blind after a call: fold, check or raise
SHOVED = seen(Action("raiseTo", 10_000))  # no raise is legal


def odds_of(drawn):
    return {action.kind: pytest.approx(chance) for action, chance in drawn.policy}


LIKELY = [*lists(call=0.5, fold=0.3, raise_=0.2)[:2], ("raise", log(0.2))]


@pytest.mark.parametrize(
    "before",
    [
        ['{"', "kind", '":', ' "'],
        ['{"kind": "'],
        ["{", '"kind"', ":", '"'],
        ['{\n  "kind"  :\n', ' "'],
        ['{"reasoning": "I \\"kind\\": \\"', 'fold\\" no", ', '"kind":"'],
        ["<think>", 'say {"kind": "', "fold", '"} perhaps', "</think>", '{"kind": "'],
    ],
)
def test_the_choice_is_found_where_the_value_begins(before):
    tokens = [*[(token, []) for token in before], ("call", LIKELY), ('"', []), ("}", [])]
    reply = "".join(token for token, _ in tokens).partition("</think>")[2] or "".join(token for token, _ in tokens)
    found = choice_of(tokens, reply)
    assert (found.token, found.quoted) == ("call", True)
    assert [token for token, _ in found.odds] == ["call", "fold", "raise"]


@pytest.mark.parametrize(
    ("opening", "names"),
    [
        ("", (' "call', ' "fold', ' "raiseTo')),
        ("", ('"call"', '"fold",', '"raiseTo"')),
        ("", ('"c', '"f', '"r')),
        (' "', ("call", "fold", "raiseTo")),
        (' "', ("ca", "fo", "raise")),
        (' "', ("c", "f", "r")),
        (' "', ('call",', 'fold", "amount"', "raiseTo")),
    ],
)
def test_quotes_and_split_words_make_no_difference(opening, names):
    likely = [(name, log(chance)) for name, chance in zip(names, (0.5, 0.3, 0.2), strict=True)]
    tokens = [('{"kind":', []), *([(opening, [])] if opening else []), (names[0], likely), ("", []), ("...", [])]
    drawn = drawn_at(choice_of(tokens, "".join(token for token, _ in tokens)), FACING)
    assert drawn.action == CALL
    assert dict(odds_of(drawn).items()) == {"fold": 0.3, "call": 0.5, "raiseTo": 0.2}


def choice(likely, token="call", *, quoted=True):
    before = '{"kind": "' if quoted else '{"kind":'
    return choice_of([(before, []), (token, likely), ('"}', [])], f'{before}{token}"}}')


def test_two_ways_to_write_a_kind_add_up():
    drawn = drawn_at(choice(lists(call=0.4, c=0.1, fold=0.3, raiseTo=0.15, ra=0.05)), FACING)
    assert odds_of(drawn) == {"fold": 0.3, "call": 0.5, "raiseTo": 0.2}


def test_a_letter_that_two_kinds_share_is_the_legal_one():
    likely = lists(c=0.7, fold=0.3)
    assert drawn_at(choice(likely, "c"), FACING).action == CALL
    assert drawn_at(choice(likely, "c"), FREE).action == CHECK


def test_illegal_kinds_and_other_words_leave_the_proportions_as_they_are():
    """Half of it is not to be had: the rest is 3 to 2."""
    drawn = drawn_at(choice(lists(call=0.3, fold=0.2, check=0.3, bet=0.2)), FACING)
    assert odds_of(drawn) == {"fold": 0.4, "call": 0.6}


def test_a_raise_that_is_not_legal_is_left_out():
    drawn = drawn_at(choice(lists(call=0.5, fold=0.3, raiseTo=0.2)), SHOVED)
    assert odds_of(drawn) == {"fold": 0.375, "call": 0.625}


@pytest.mark.parametrize("token", ["check", "bet", "x", '"'])
def test_a_token_that_is_no_legal_kind_is_no_draw(token):
    likely = [("call", log(0.4)), ("fold", log(0.3)), (token, log(0.3))]
    assert drawn_at(choice(likely, token), FACING) is None


def test_a_token_that_is_not_on_the_list_is_no_draw():
    assert drawn_at(choice(lists(fold=0.5, raiseTo=0.4999), "call"), FACING) is None


def test_an_unquoted_word_is_no_kind():
    found = choice([('"call', log(0.6)), ("call", log(0.4))], '"call', quoted=False)
    assert [token for token, _ in found.odds] == ['"call']
    assert found.other == pytest.approx(0.4)


@pytest.mark.parametrize("token", ["call", "fold", "raiseTo"])
def test_a_list_that_is_too_short_is_not_used_whatever_was_drawn(token):
    assert drawn_at(choice(lists(call=0.5, fold=0.3, raiseTo=0.1), token), FACING) is None
    assert drawn_at(choice(lists(call=0.5, fold=0.3, raiseTo=0.195), token), FACING) is not None


@pytest.mark.parametrize("token", ["call", "fold", "x"])
@pytest.mark.parametrize(
    "likely",
    [
        [],
        [("call", nan), ("fold", -1.0)],
        [("call", -inf), ("fold", -0.1)],
        [("call", 0.5), ("fold", -1.0)],
        [("call", -0.1), ("fold", -0.1)],
    ],
    ids=["empty", "nan", "infinite", "above 1", "more than 1 together"],
)
def test_a_list_that_cannot_be_right_is_not_used_whatever_was_drawn(likely, token):
    assert choice(likely, token) is None


@pytest.mark.parametrize("reply", ["", "I fold.", '{"action": "call"}', '{"kind": 7}', '{"kind": null}'])
def test_a_reply_without_a_kind_has_no_draw(reply):
    found = choice_of([(letter, lists(call=0.6, fold=0.4)) for letter in reply], reply)
    assert found is None or drawn_at(found, FACING) is None


def test_nothing_but_the_word_is_kept_of_a_token():
    found = choice([('call", "amount": null, "reasoning": "my key is sk-1"', log(0.9)), ("fold", log(0.1))])
    assert [token for token, _ in found.odds] == ['call"', "fold"]


FULL = [*lists(call=0.3, fold=0.2), *[(f"word{number}", log(0.02)) for number in range(17)]]


@pytest.mark.parametrize("added", [[("raiseTo", log(0.001))], [("last", log(0.01)), ("raiseTo", log(0.001))]])
def test_a_drawn_token_that_a_server_adds_to_its_list_is_no_draw(added):
    """Otherwise the odds would depend on the draw. The other draws see the same list, with its own last token."""
    assert drawn_at(choice([*FULL, *added], "raiseTo"), FACING) is None
    usual = drawn_at(choice([*FULL, ("last", log(0.01))], "call"), FACING)
    assert odds_of(usual) == {"fold": 0.4, "call": 0.6}


def test_a_full_list_may_miss_the_rest():
    """A server may report the odds before it bars what is not in the schema."""
    assert drawn_at(choice([*FULL, ("last", log(0.01))], "fold"), FACING).action == FOLD


@pytest.mark.parametrize(
    ("at", "size"),
    [
        (FACING, 300),  # calling 50 makes a pot of 200, so a raise of the pot is to 100 + 200
        (FREE, 300),
        (seen(Action("raiseTo", 9_000)), 10_000),  # no more than all-in
        (seen(stacks=(150, 150)), 150),
    ],
)
def test_a_raise_has_the_size_of_the_pot_whatever_it_was(at, size):
    kinds = {"call": 0.5, "check": 0.2, "raiseTo": 0.3}
    drawn = drawn_at(choice(lists(**kinds), "raiseTo"), at)
    assert drawn.action == Action("raiseTo", size)
    assert drawn.action in [action for action, _ in drawn.policy]


def test_draws_are_looked_up_by_hand_and_decision():
    known = Choice("call", (("call", log(0.6)), ("fold", log(0.4))), 0.0, quoted=True)
    draws = RecordedDraws({(3, 0): known})
    assert draws.at(FACING).action == CALL
    assert draws.at(FREE) is None
    assert draws.used == {(3, 0): draws.at(FACING), (3, 1): None}
    assert odds_of(draws.at(FACING)) == {"fold": 0.4, "call": 0.6}
    assert FOLD in [action for action, _ in draws.at(FACING).policy]
