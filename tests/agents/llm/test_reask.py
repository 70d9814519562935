"""Models that are asked again: which answer is drawn, by which odds, what it costs, and that the agent is the same."""

import json
from collections import Counter

import msgspec
import pytest

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.money.expected_use import REASKED
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import pure
from molt_bench.agents.llm.talk.samples import one_of
from molt_bench.agents.llm.types import Exchange
from molt_bench.bench.model_draws import Draws
from molt_bench.config.loader import load_config
from molt_bench.config.syntax import from_yaml
from molt_bench.luck.game_luck import rebuilt_hands
from molt_bench.luck.stand_ins.reasking import Reasking
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from molt_bench.runs.journal import Game
from molt_bench.runs.missing_replies import first_without_replies
from molt_bench.specs import GameLabel
from molt_bench.study.budget_reach import ways
from molt_bench.study.pilot import guess_of
from tests.agents.llm.playing import DECISIONS, assert_complete, config, faults_of, games_of, passive, run
from tests.agents.llm.provider import Provider

GAME = GameLabel(1, "s", "AB")


def an_observation():
    """Return what the button sees before the flop."""
    hand = Hand(HandRules(50, 100), deal_from_text("AhAd KsKc 2c3d9hKh8s"), (10_000, 10_000), 0)
    return observe(hand, 1)


def exchange(text, **fields):
    """Return one of several answers to a question."""
    place = {"game": GAME, "hand": 1, "decision": 0, "attempt": 1, "samples": 3, **fields}
    return Exchange(key=text, participant="m", prompt_hash="", mode="native", outcome="reply", text=text, **place)


def keeping():
    """Return a recorder that forgets nothing."""
    recorder = Exchanges()
    recorder.forget = lambda _: None
    return recorder


def kept_in(recorder):
    return [each for game in recorder._known.values() for each in game.values() if each.attempt]


@pytest.mark.parametrize(
    "settings",
    [
        {"seed": 7},
        {"temperature": 0},
        {"samples": 2},
        {"harness": "mixed"},
        {"reask": 0},
        {"reask": 65},
        {"reask": True},
        {"reask": "often"},
    ],
)
def test_what_does_not_go_with_it_is_an_error(settings):
    with pytest.raises(ValueError, match="reask"):
        LLMSettings(**{"model": "openai:m", "reask": 3, **settings})


@pytest.mark.parametrize("settings", [{"seed": 7}, {"temperature": 0}])
def test_auto_asks_once_where_all_answers_would_be_the_same(settings):
    found = LLMSettings(model="openai:m", reask="auto", **settings)
    assert (found.answers, found.reasks) == (1, False)
    assert LLMSettings(model="openai:m", reask="auto").answers is None


@pytest.mark.parametrize("off", ["off", "false", "1"])
def test_off_is_a_word_and_what_it_always_was(off):
    told = from_yaml(f"participants: [{{id: m, type: llm, model: 'openai:m', reask: {off}}}, tag]")
    model = load_config(told).models()["m"]
    assert (model.answers, model.reasks) == (1, False)
    assert "reask" not in LLMSettings(model="openai:m").model_dump(by_alias=True)


def test_every_answer_is_as_likely_whatever_it_is_and_whatever_the_model_is_told():
    answers = [exchange("call"), exchange("no object"), exchange("fold")]
    seen = an_observation()
    drawn = Counter()
    for noise in range(0, 2**32, 2**32 // 3001):
        counted = one_of(answers, msgspec.structs.replace(seen, noise=noise)).text
        drawn[counted, noise % 100 < 50] += 1
    assert all(abs(count - 500) < 4.5 * 500**0.5 for count in drawn.values())
    assert len(drawn) == 6


def test_every_answer_is_asked_recorded_and_paid_for():
    recorder = keeping()
    with Provider(policy=passive) as provider:
        result = run(provider, reask=3, recorder=recorder)
        assert provider.received == 3 * DECISIONS
    (usage,) = result.usage
    assert (usage.decisions, usage.exchanges, usage.reasked) == (DECISIONS, 3 * DECISIONS, 2 * DECISIONS)
    kept = kept_in(recorder)
    assert Counter((each.place[1], each.samples) for each in kept) == dict.fromkeys([(0, 3), (1, 3), (2, 3)], DECISIONS)
    assert {each.strategy[0].percent for each in kept} == {100}
    assert_complete(result)


def test_one_of_the_answers_is_played_and_only_that_one_is_remembered():
    """The third answer to each question folds, once; thoughts are those of what was drawn."""
    times = Counter()

    def policy(prompt, body):
        times[prompt] += 1
        what = {"kind": "fold", "amount": None} if times[prompt] == 3 else passive(prompt, body)
        return {**what, "reasoning": f"answer {times[prompt]}"}

    recorder = keeping()
    with Provider(policy=policy) as provider:
        result = run(provider, reask=3, recorder=recorder, memory="hand", maxConcurrent=1, game={"handsPerGame": 12})
    by_place = {}
    for each in kept_in(recorder):
        by_place.setdefault((each.game, each.hand, each.decision), {})[each.place[1]] = json.loads(each.text)
    done = Counter()
    for game in games_of(result):
        seat = 0 if game.seating == "AB" else 1
        for parsed in game.replay():
            for at, action in enumerate(parsed.hand.log):
                if action.seat == seat:
                    answers = by_place[GameLabel(1, game.seed, game.seating), parsed.number, at]
                    assert action.kind in [answer["kind"] for answer in answers.values()]
                    done[action.kind] += 1
    assert 0.15 < done["fold"] / done.total() < 0.55  # a third, but a hand that is folded has no further decisions


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["empty-reply", "illegal"])
def test_faults_are_as_frequent_as_if_it_were_asked_once(fault):
    """Of three answers one cannot be used: a third of the draws are faults, neither none nor all."""
    with Provider(policy=passive, fault=lambda request: None if request.number % 3 else fault) as provider:
        result = run(provider, reask=3, maxConcurrent=1, game={"handsPerGame": 12, "maxRetries": 5})
    faults, asked = len(faults_of(result)), result.usage[0].exchanges / 3
    assert 0.15 < faults / asked < 0.5
    assert result.usage[0].exchanges == 3 * (result.usage[0].decisions + faults)


def stated(*exchanges):
    """Return what the draws of a decision are known to be."""
    draws = Draws({"m": LLMSettings(model="openai:m", reask=3)})
    for each in exchanges:
        draws.add(each)
    found = draws.of_match(1, ["m"], [GAME])["m"][GAME].at(an_observation())
    return None if found is None else dict(found)


CALL, RAISE = pure(Action("call")), pure(Action("raiseTo", 400))


def test_odds_are_those_of_the_answers_that_could_be_played():
    three = [exchange(str(at), strategy=each) for at, each in enumerate((CALL, RAISE, CALL))]
    assert stated(*three) == {Action("call"): 2 / 3, Action("raiseTo", 400): 1 / 3}
    assert stated(*three[:2], exchange("no object")) == {Action("call"): 1 / 2, Action("raiseTo", 400): 1 / 2}


def test_only_the_last_attempt_counts_even_if_it_has_no_answer():
    first = [exchange(str(at), strategy=each) for at, each in enumerate((CALL, RAISE, CALL))]
    again = [exchange(f"again {at}", attempt=2) for at in range(3)]
    assert stated(*first, *again) is None
    assert stated(*first, msgspec.structs.replace(again[0], strategy=RAISE)) == {Action("raiseTo", 400): 1}


def test_a_fold_that_was_forced_was_not_drawn():
    """All attempts draw the one answer of three that cannot be used: its odds are not those of the others."""
    recorder = keeping()
    with Provider(policy=passive, fault=lambda request: None if request.number % 3 else "illegal") as provider:
        result = run(provider, reask=3, recorder=recorder, maxConcurrent=1, game={"handsPerGame": 20, "maxRetries": 0})
    settings = LLMSettings(model="openai:m", reask=3)
    games = games_of(result)
    assert any(game.faults for game in games)
    draws = Draws({"model": settings})
    for each in kept_in(recorder):
        draws.add(each)
    labels = [GameLabel(1, game.seed, game.seating) for game in games]
    found = draws.of_match(1, ["model"], labels, games)["model"]
    checked = Counter()
    for label, game in zip(labels, games, strict=True):
        forced = {fault.hand_number for fault in game.faults}
        for number, hand, seen in rebuilt_hands(game, seen=True):
            for at, each in enumerate(seen):
                last = number in forced and at == len(hand.log) - 1
                known = found[label].at(each) if hand.log[at].seat == ("AB", "BA").index(game.seating) else None
                assert not (last and known)
                checked[last, known is not None] += 1
    assert checked[True, False]
    assert checked[False, True]


def test_a_question_is_worth_what_the_run_says_and_that_is_recorded(monkeypatch):
    monkeypatch.setattr(Reasking, "of", lambda self, game, name, counted: lambda seen: 1 + 2 * (seen.street == "river"))
    recorder = keeping()
    with Provider(policy=passive) as provider:
        result = run(provider, reask="auto", recorder=recorder)
        assert provider.received == DECISIONS + 2 * DECISIONS // 4
    kept = kept_in(recorder)
    assert Counter(each.samples for each in kept)[3] == 3 * DECISIONS // 4
    assert all((each.samples is msgspec.UNSET) == (each.strategy is msgspec.UNSET) for each in kept)
    assert result.usage[0].reasked == DECISIONS // 2


def test_a_journal_ahead_of_its_replies_is_noticed():
    recorder = keeping()
    with Provider(policy=passive) as provider:
        result = run(provider, reask=3, recorder=recorder)
    lines = [Game(1, game.players, game, 0.0) for game in games_of(result)]
    models = {"model": LLMSettings(model="openai:m", reask=3)}
    kept = kept_in(recorder)
    assert first_without_replies(lines, kept, models) is None
    for lost in ([each for each in kept if each.place[1] != 1 or each.hand == 1], kept[1:]):
        assert first_without_replies(lines, lost, models) == 0


def test_a_plan_counts_all_answers_and_says_what_asking_again_buys():
    found = [
        guess_of("m", LLMSettings(model="openai:m", reask=often), None, PriceList({}), None)
        for often in ("off", 5, "auto")
    ]
    assert [each.calls_per_hand / found[0].calls_per_hand for each in found] == pytest.approx([1, 5, REASKED])
    model = {"id": "m", "type": "llm", "model": "openai:gpt-4.1"}
    plain = load_config(config(model, {**model, "id": "n"}))
    assert "reask auto" in {way.harness for way in ways(plain)}
    for other in ({"reask": "auto"}, {"harness": "mixed"}):
        ours = load_config(config({**model, **other}, {**model, **other, "id": "n"}))
        assert "reask auto" not in {way.harness for way in ways(ours)}
