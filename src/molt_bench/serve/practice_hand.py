"""The practice hand: a decision that does not count, by which a guest tests its connection. Pure: nothing is kept."""

from time import monotonic
from typing import Final

import msgspec

from molt_bench.agents.external.protocol import Result, result
from molt_bench.agents.live.mailbox_events import PendingDecision
from molt_bench.agents.live.turn_messages import ActRequest, Next, turn_message
from molt_bench.config.game import GameConfig
from molt_bench.errors import AgentFailed
from molt_bench.play.dice import Dice
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.mix import Mix, is_allowed
from molt_bench.poker.observation import observe, result_for
from molt_bench.serve.guard import Refused
from molt_bench.specs import MODEL_TIMEOUT_S, GameSpec

_CARDS: Final = deal_from_text("AhKd QsJc 7h2cAdTs3d")
_GUEST: Final = 0
#: A stack has at least so many big blinds, so that there is something to decide whatever the run's own are.
_FEWEST_BLINDS: Final = 10


class PracticeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an answer: `message` says it in words, and `result` is the hand as it would have ended."""

    verdict: str = "taken"
    message: str
    result: Result


def practice_turn(game: GameConfig, token: str) -> Next:
    """Return a turn of the form that the run's own have."""
    limit_s = game.action_timeout_s or MODEL_TIMEOUT_S
    seen = observe(_dealt(game), hand_number=1)
    turn = PendingDecision(token, 1, 1, 1, seen, limit_s, monotonic() + limit_s, game_id="practice")
    return Next(turn=turn_message(turn, (), slot=1))


def practice_answer(game: GameConfig, token: str, act: ActRequest) -> PracticeAnswer:
    """Return what an answer would have done, if both only checked and called from there; or raise Refused."""
    hand = _dealt(game)
    legal = hand.legal_actions()
    if act.token != token:
        raise Refused(409, "STALE_TURN", "this is not the token of the practice turn: ask for it with GET")
    if isinstance(act.action, AgentFailed):
        said = f"{act.action}. In the run this would count as a mistake. Legal now: {legal}"
        raise Refused(400, "VALIDATION_ERROR", said)
    if not is_allowed(act.action, legal):
        said = f"that is not legal, and would count as a mistake in the run. Legal now: {legal}"
        raise Refused(409, "INVALID_ACTION", said)
    done, drawn = act.action, ""
    if isinstance(done, Mix):
        dice = Dice(GameSpec(seed="practice", hands=1))
        done, drawn = done.drawn(*dice.throw(_GUEST, 1, 0)), ", drawn from your mix,"
    hand.apply(done)
    while hand.actor >= 0:
        hand.apply(Action("call" if hand.to_call else "check"))
    amount = f" {done.amount:,}" if done.kind == "raiseTo" else ""
    went_on = "" if done.kind == "fold" else "If both only checked and called from there, y"
    said = (
        f"Your connection works: {done.kind}{amount}{drawn} was understood, and does not count. "
        f"{went_on or 'Y'}ou would have won {hand.payoffs[_GUEST]:+,} chips."
    )
    return PracticeAnswer(message=said, result=result(result_for(hand, _GUEST, 1), "practice"))


def _dealt(game: GameConfig) -> Hand:
    stack = max(game.stack, _FEWEST_BLINDS * (game.big_blind + game.ante))
    rules = HandRules(game.small_blind, game.big_blind, game.ante)
    return Hand(rules, _CARDS, (stack, stack), button=_GUEST)
