"""What a request holds of the money, and how long its reply may be."""

import asyncio

import pytest

from molt_bench.errors import GameUnfinished
from molt_bench.llm.prices import Price, PriceList
from molt_bench.llm.purse import Amount, Hold, Purse
from molt_bench.llm.reply_costs import FIRST, FIRST_REASONING, LEAST, MOST, ReplyCosts
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

PLENTY = Amount(1000.0, 10**9)
#: Tokens of the prompts that were seen, and of the next one, with a margin.
READ, NEXT = 1000, 1100


def replies(*lengths, **settings):
    """Return what is known after replies of so many tokens, at $1 and $2 for a million tokens."""
    model = LLMSettings(**{"model": "openai:x", **settings})
    found = ReplyCosts(model, PriceList({model.model: Price(input=1, output=2)}), limited=True)
    for length in lengths:
        found.learn(Tokens(READ, 0, length), None)
    return found


def hold(found, room=PLENTY, **least):
    return found.hold(4000, room, **least)


def test_a_request_holds_what_most_replies_of_its_model_have_cost():
    kept = hold(replies(*(3000 if number % 20 == 10 else 200 for number in range(100))))
    assert 200 <= kept.usual.tokens - NEXT <= 250
    assert kept.longest.tokens - NEXT == 3000
    assert kept.limit == 6000


def test_a_reply_may_have_no_more_tokens_than_the_rest_of_the_money_pays_for():
    found = replies(*[200] * 20)
    for left in (0.003, 0.004, 0.006):
        limit = hold(found, Amount(left, 10**9)).limit
        assert 200 < limit < FIRST
        assert left - 2 * 64 / 1e6 <= (NEXT + 2 * limit) / 1e6 <= left
    assert hold(found, Amount(0.0015, 10**9)) is None, "it does not fit"


def test_a_limit_of_the_users_is_lowered_by_the_money_and_then_it_is_ours():
    found = replies(*[100] * 20, max_tokens=500)
    assert hold(found).limit is None
    assert found.cut_off(hold(found)) is None, "that is the model's fault"
    lowered = hold(found, Amount(0.0018, 10**9))
    assert 100 < lowered.limit < 500
    assert found.cut_off(lowered) == 500


def test_a_bill_that_is_higher_than_the_prices_say_is_expected_again():
    found, usd = replies(200), (READ + 400) / 1e6
    before = hold(found).longest.usd
    found.learn(Tokens(READ, 0, 200), 13 * usd)
    assert hold(found).longest.usd == pytest.approx(13 * before)


def test_a_limit_of_ours_leaves_room_over_the_longest_reply():
    assert hold(replies()).limit == hold(replies(*[150] * 8)).limit == FIRST
    assert hold(replies(150, 3000)).limit == 2 * 3000


def test_a_reply_that_met_a_limit_of_ours_gets_more_room_until_there_is_no_more():
    found = replies()
    assert found.cut_off(hold(found)) == 4 * FIRST
    assert found.cut_off(hold(found, least=4 * FIRST)) == MOST
    assert found.cut_off(hold(found, least=MOST)) is None


def test_a_limit_that_a_server_refuses_is_lowered_and_never_raised_again():
    found = replies(reasoning_effort="high")
    assert hold(found).limit == FIRST_REASONING
    assert found.refused(hold(found))
    found.learn(Tokens(READ, 0, 20_000), None)
    assert hold(found).limit == FIRST_REASONING // 2


def test_a_number_of_tokens_for_thoughts_is_never_part_of_what_is_saved():
    """It tells a model how long to think, so it must not depend on the money that is left."""
    found = replies(*[100] * 20, model="anthropic:claude-sonnet-4-5", thinking_tokens=5000)
    for cents in range(1, 40):
        kept = hold(found, Amount(cents / 100, 10**9))
        assert kept is None or kept.limit >= LEAST + 5000


def test_a_request_that_does_not_fit_is_not_sent():
    purse = Purse(1.0)
    purse.spend(0.9, 0)

    async def begin():
        async with purse.holding(lambda room: Hold() if room.usd > 0.2 else None):
            pass

    with pytest.raises(GameUnfinished, match="the budget is spent"):
        asyncio.run(begin())
