"""The replayer tells every hand as it was: chips, cards, equities, what was asked and what was said."""

from hashlib import sha256
from itertools import pairwise

import pytest

from molt_bench.plugins.view.hand import hand_page, undealt
from molt_bench.plugins.view.steps import diverges_at, steps_of
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.equity import equity
from molt_bench.poker.notation import hand_from_text
from tests.e2e.two_runs import EVIL

#: Hands of every kind: an uncalled raise, a short all-in, a split, antes, blinds that put a seat all-in.
HANDS = (
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300r900f:-300",
    "1:50/100/0:10000,900:b0:AhAd|KsKc|2c3d9hKh8s:r10000c:-900",
    "2:50/100/0:10000,10000:b1:AhKd|AsKc|2h3h4c5c9d:r10000c:0",
    "1:50/100/25:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:cr400c/kr600c/kk/kk:-1025",
    "1:50/100/0:30,10000:b0:AhKd|7c7d|2h3s4h9cTd::-30",
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|:F:-50",
)


def told(text, names=("ann", "bob")):
    parsed = hand_from_text(text)
    return parsed.hand, steps_of(parsed.hand, names, forced=parsed.forced)


def every_side(library, run):
    opened = library.open(run)
    for place in opened.shown_pairs:
        for number in range(1, len(opened.shown(*place)[0].record.hand_texts) + 1):
            yield hand_page(opened, *place, number)


@pytest.fixture(scope="module")
def pages(library, bots_id, models_id):
    """Return the pages of all hands of each run."""
    return {run: [*every_side(library, run)] for run in (bots_id, models_id)}


def check(hand, steps):
    whole = sum(hand.starting_stacks)
    for step in steps:
        (first, second), (behind, other_behind) = step["bets"], step["stacks"]
        unmatched = max(0, first - second - other_behind, second - first - behind)
        assert sum(step["stacks"]) + step["pot"] + unmatched == whole
        assert min(*step["stacks"], *step["bets"], step["pot"]) >= 0
        assert sum(step["bets"]) - unmatched <= step["pot"] or step["kind"] == "win"
    assert steps[-1]["pot"] == 0
    won = [after - before for after, before in zip(steps[-1]["stacks"], hand.starting_stacks, strict=True)]
    assert won == list(hand.payoffs)


@pytest.mark.parametrize("text", HANDS)
def test_chips_are_conserved_at_every_step_and_end_as_recorded(text):
    check(*told(text))


@pytest.mark.slow
def test_chips_are_conserved_in_every_hand_of_real_runs(pages):
    count = 0
    for run in pages.values():
        for page in run:
            for side in page["sides"]:
                check(hand_from_text(side["notation"]).hand, side["steps"])
                count += 1
    assert count == 288 + 2 * 3 * 2 * 6


@pytest.mark.parametrize("text", HANDS)
def test_equities_are_exact(text):
    hand, steps = told(text)
    dealt = [step["kind"] for step in steps].index("deal")
    assert all(step["equity"] is None for step in steps[:dealt])
    for step in steps[dealt:]:
        exact = equity(*hand.holes, cards_from_text("".join(step["board"])))
        assert step["equity"] == [pytest.approx(exact, abs=1e-12), pytest.approx(1 - exact, abs=1e-12)]


def test_a_hand_is_told_in_the_words_of_a_table():
    _, steps = told(HANDS[1])
    assert [step["text"] for step in steps] == [
        "ann posts the small blind of 50",
        "bob posts the big blind of 100",
        "both players are dealt two cards",
        "ann raises to 10,000 and is all-in",
        "bob calls 800 and is all-in",
        "9,100 uncalled chips return to ann",
        "flop: 2c 3d 9h",
        "turn: Kh",
        "river: 8s",
        "ann shows a pair of aces; bob shows three kings",
        "bob wins 1,800",
    ]


def test_the_pot_is_what_can_be_won_before_and_after_uncalled_chips_return():
    _, steps = told(HANDS[1])
    assert [step["pot"] for step in steps[3:6]] == [1_000, 1_800, 1_800]


def test_a_forced_fold_is_marked():
    _, steps = told(HANDS[-1])
    assert [step["text"] for step in steps if step["forced"]] == ["ann folds, forced after faults"]


@pytest.mark.parametrize(
    ("first", "second", "at"),
    [
        ("r300c/kk/kk/kk:-300", "r300c/kk/kk/kk:-300", None),
        ("r300c/kk/kk/kk:-300", "r400c/kk/kk/kk:-400", 3),
        ("r300f:100", "r300c/kk/kk/kk:-300", 4),
        ("r300c/kr600f:300", "r300c/kr600c/kk/kk:-900", 8),
    ],
)
def test_lines_part_at_the_first_step_that_differs(first, second, at):
    """Steps 0 to 2 are the blinds and the deal; on the flop the deal is one more."""
    start = "1:50/100/0:10000,10000:b0:AhKd|7c7d|"
    boards = {
        text: "2h3s4h9cTd" if text.count("/") == 3 else "2h3s4h" if "/" in text else "" for text in (first, second)
    }
    lines = []
    for text in (first, second):
        actions, _, net = text.partition(":")
        lines.append(told(f"{start}{boards[text]}:{actions}:{net}")[1])
    assert diverges_at(*lines) == at


def test_who_sits_where_never_parts_two_lines():
    one, two = (told(HANDS[0], names)[1] for names in (("ann", "bob"), ("bob", "ann")))
    assert diverges_at(one, two) is None


@pytest.mark.slow
def test_the_cost_of_a_deal_is_what_its_first_player_won_from_both_sides(pages, bots_id):
    for page in pages[bots_id]:
        first, second = page["sides"]
        assert page["cost"] == pytest.approx((first["net"][0] + second["net"][1]) / 100)
        assert first["cards"] == second["cards"]
        assert first["seats"] == second["seats"][::-1] == [page["a"], page["b"]]
        if page["parted"] is None:
            assert page["cost"] == 0


def test_hands_lead_from_one_to_the_next_through_the_whole_run(pages, bots_id):
    pages = pages[bots_id]
    places = [(page["match"], page["seedIndex"], page["hand"]) for page in pages]
    for (page, place), (after, next_place) in pairwise(zip(pages, places, strict=True)):
        assert tuple(page["next"].values()) == next_place
        assert tuple(after["previous"].values()) == place
    assert pages[0]["previous"] is pages[-1]["next"] is None


def test_every_decision_of_a_model_has_what_was_asked_and_what_was_said(pages, models_id):
    """The question is written anew, and its hash is the recorded one; with memory of the session and of the hand."""
    found, failed = 0, 0
    for page in pages[models_id]:
        for side in page["sides"]:
            assert len(side["decisions"]) == sum(step["kind"] == "action" for step in side["steps"])
            for decision in side["decisions"]:
                exchange = decision["exchange"]
                assert (exchange is None) == (decision["agent"] == "tight")
                if exchange is None:
                    continue
                found += 1
                wrong = decision["faults"]
                for attempt in exchange["attempts"]:
                    sent = f"action/1\0{exchange['system']}\0{attempt['prompt']}"
                    asked = sha256(sent.encode()).hexdigest()
                    assert asked == attempt["promptHash"]
                    assert attempt["reasoning"] is None or attempt["reasoning"].startswith(EVIL)
                    assert attempt["tokens"]["input"] > 0
                failed += len(wrong)
                assert len(exchange["attempts"]) in (len(wrong), len(wrong) + 1)
            assert sum(len(each["faults"]) for each in side["decisions"]) == len(side["faults"])
    assert found > 50
    assert failed > 3


def test_every_attempt_is_shown_with_its_reply_error_tokens_and_cost_and_they_add_up(pages, models_id):
    seen = 0
    for page in pages[models_id]:
        for side in page["sides"]:
            for decision in side["decisions"]:
                exchange = decision["exchange"]
                if exchange is None:
                    continue
                attempts = exchange["attempts"]
                assert [each["attempt"] for each in attempts] == list(range(1, len(attempts) + 1))
                for kind in ("input", "output"):
                    assert exchange["tokens"][kind] == sum(each["tokens"][kind] for each in attempts)
                assert exchange["usd"] == pytest.approx(sum(each["usd"] for each in attempts))
                errors = {each["attempt"]: each["error"] for each in attempts if each["error"]}
                assert errors == {
                    fault["attempt"]: {"kind": fault["kind"], "message": fault["message"]}
                    for fault in decision["faults"]
                }
                assert all("I refuse." in attempts[attempt - 1]["reply"] for attempt in errors)
                seen += len(attempts) > 1
    assert seen > 3


def test_the_cards_that_would_have_come_complete_the_deck_of_the_hand(pages):
    missing = 0
    for run in pages.values():
        for page in run:
            boards = [side["board"] + side["undealt"] for side in page["sides"]]
            assert boards[0] == boards[-1], "both seatings have one deck"
            for side, board in zip(page["sides"], boards, strict=True):
                assert len({*board, *side["cards"][0], *side["cards"][1]}) == 9
                missing += len(side["undealt"]) > 0
    assert missing > 20


def test_no_card_would_have_come_in_a_hand_that_is_not_from_its_deck(library, bots_id):
    record = library.open(bots_id).run.games[0].record
    other = hand_from_text("1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300r900f:-300").hand
    assert undealt(record, 1, other) == []
