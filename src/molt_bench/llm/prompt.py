"""The prompt: what a model is told. Pure: it is made only of what its seat may see.

What stays the same comes first (the skill document, the game), then what changes with the hand, then with the decision,
so that providers can cache it.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from molt_bench.files import text_of
from molt_bench.llm.reply import MOST_ACTIONS, WHOLE
from molt_bench.llm.settings import LLMSettings, ReplyForm, Track
from molt_bench.llm.types import Said
from molt_bench.poker.actions import KINDS, STREETS
from molt_bench.poker.cards import CARD_TEXT, rank_of
from molt_bench.poker.evaluator import CATEGORIES, category, strength
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import Observation
from molt_bench.poker.play_statistics import TableStep, table_steps
from molt_bench.specs import GameFacts
from molt_bench.visible_text import shortened

#: The names of made hands, from worst to best.
MADE_HANDS = tuple(name for _, name in CATEGORIES)

#: Characters that are shown of an answer that was not taken.
REJECTED_LENGTH: Final = 1200
#: Most bytes of a skill document.
_LONGEST_SKILL: Final = 1_000_000


def system_prompt(settings: LLMSettings) -> str:
    """Return the skill document: the user's, verbatim, or the default; raises ConfigError if it cannot be read."""
    if settings.skill_doc is None:
        return default_skill(settings.reply)
    return text_of(settings.skill_doc, field="skillDoc", most_bytes=_LONGEST_SKILL, encoding="utf-8")


@cache
def default_skill(reply: ReplyForm = "action") -> str:
    """Return the default skill document: rules, notation and the form of the reply, but no strategy."""
    return (Path(__file__).parent / f"skill_{reply}.md").read_text("utf-8")


def decision_prompt(
    observation: Observation,
    settings: LLMSettings,
    *,
    game: GameFacts | None = None,
    memory: str = "",
    thoughts: str = "",
    rejected: str = "",
) -> str:
    """Return the message that asks for one decision by itself.

    Args:
        observation: What the seat sees.
        settings: What the model is told, and how it has to reply.
        game: What is known about the game.
        memory: What the model remembers of the session, as text.
        thoughts: What it thought earlier in this hand, as text.
        rejected: The answer that was not taken, on a retry; "" if none came.
    """
    parts = [_game_text(observation.rules, game), memory, _hand_text(observation, settings, game), thoughts]
    if observation.previous_error is not None:
        if rejected:
            parts.append(f"Your last answer was:\n{shortened(rejected, REJECTED_LENGTH)}")
        parts.append(_error_text(observation.previous_error))
    parts.append(_reply_form(observation, settings))
    return "\n\n".join(filter(None, parts))


def _error_text(error: str) -> str:
    """Return what a model is told about an answer that was not taken."""
    return f"Your last answer was not taken: {error}"


def made_hand(cards: tuple[int, int], board: tuple[int, ...]) -> str:
    """Return what two cards make with a board, such as `"two pair"`; before the flop a pair or a high card."""
    if board:
        return category(strength((*cards, *board)))
    return "pair" if rank_of(cards[0]) == rank_of(cards[1]) else "high card"


def spaced(cards: tuple[int, ...]) -> str:
    """Return cards as text, separated by spaces."""
    return " ".join([CARD_TEXT[card] for card in cards])


def action_text(steps: list[TableStep], seat: int) -> str:
    """Return actions by street from a seat's view: `preflop: you raiseTo 300, opponent call (200)`."""
    lines = []
    for street in STREETS:
        done = [_said(step, seat) for step in steps if step.action.street == street]
        if done:
            lines.append(f"{street}: {', '.join(done)}")
    return "; ".join(lines)


def _said(step: TableStep, seat: int) -> str:
    action = step.action
    who = "you" if action.seat == seat else "opponent"
    if action.kind == "raiseTo":
        return f"{who} raiseTo {action.amount}"
    paid = f" ({step.to_call})" if action.kind == "call" else ""
    return f"{who} {action.kind}{paid}"


def _game_text(rules: HandRules, game: GameFacts | None) -> str:
    """Return what stays the same in a game: blinds, how many hands there are, and what becomes of the stacks."""
    ante = f", ante {rules.ante}" if rules.ante else ", no ante"
    cap = f", at most {rules.raise_cap} bets and raises a street" if rules.raise_cap is not None else ""
    text = f"Game: blinds {rules.small_blind}/{rules.big_blind}{ante}{cap}."
    if game is None:
        return text
    dealt = game.warmup_hands + game.hands
    text += f" {dealt} hand{'' if dealt == 1 else 's'}."
    if game.warmup_hands:
        text += f" The first {game.warmup_hands} of them do not count."
    if game.stacks == "reset":
        return f"{text} Both stacks are {_chips(game.stack, rules.big_blind)} at the start of every hand."
    again = ", and once more when the hands begin that count" if game.warmup_hands else ""
    stack = _chips(game.stack, rules.big_blind)
    return (
        f"{text} Both stacks are {stack} at first{again}; then they carry over from hand to hand. The game ends early "
        "if a player has no chips left."
    )


def _hand_text(observation: Observation, settings: LLMSettings, game: GameFacts | None) -> str:
    """Return what the seat sees of a hand."""
    me, other, rules = observation.seat, 1 - observation.seat, observation.rules
    on_button = observation.position == "button"
    of = f" of {game.warmup_hands + game.hands}" if game is not None else ""
    steps = table_steps(rules, observation.starting_stacks, observation.button, observation.log)
    lines = [
        f"Hand {observation.hand_number}{of}. "
        f"You {'have the button (small blind)' if on_button else 'are the big blind'}, "
        f"your opponent {'is the big blind' if on_button else 'has the button (small blind)'}.",
        f"Your cards: {spaced(observation.cards)}",
        f"Board ({observation.street}): {spaced(observation.board) or 'none yet'}",
    ]
    start, now = observation.starting_stacks, observation.stacks
    lines += [
        f"Stacks at the start: you {_chips(start[me], rules.big_blind)}, "
        f"opponent {_chips(start[other], rules.big_blind)}",
        f"Stacks now: you {_chips(now[me], rules.big_blind)}, opponent {_chips(now[other], rules.big_blind)}",
        f"Bets on this street: you {observation.bets[me]}, opponent {observation.bets[other]}",
        f"Actions: {action_text(steps, me) or 'none yet, the blinds are posted'}",
        f"Pot, with the bets of this street: {_chips(observation.pot, rules.big_blind)}",
        _price(observation, settings.track),
    ]
    if settings.track == "standard":
        lines.append(f"Legal actions: {observation.legal}")
    return "\n".join(lines)


def _price(observation: Observation, track: Track) -> str:
    to_call = observation.to_call
    price = f"To call: {_chips(to_call, observation.rules.big_blind)}" if to_call else "To call: 0"
    if track == "bare":
        return price
    if not to_call:
        return f"{price}, checking is free"
    return f"{price}; pot odds {observation.pot_odds:.3f} ({to_call} of a pot of {observation.pot + to_call})"


def _chips(amount: int, big_blind: int) -> str:
    return f"{amount} ({amount / big_blind:.4g} bb)"


def _reply_form(observation: Observation, settings: LLMSettings) -> str:
    """Return in which form the model has to reply to this decision."""
    bare = settings.track == "bare"
    kinds_text = " | ".join(f'"{kind}"' for kind in (KINDS if bare else observation.legal.kinds))
    amount = "null"
    if bare:
        amount = "the total to raise to, or null"
    elif observation.max_raise_to:
        amount = f"the total to raise to ({observation.min_raise_to} to {observation.max_raise_to}), or null"
    what = f'"kind": {kinds_text}, "amount": {amount}'
    if settings.reply == "strategy":
        what = (
            f'"strategy": [{{{what}, "percent": a whole number}}, ... up to {MOST_ACTIONS}, together {WHOLE} percent]'
        )
    return f"Think first, then end your reply with one JSON object: {{{what}}}"


def prompt_hash(reply_form: str, system: str, said: Iterable[Said]) -> str:
    """Return the hash of the form of a reply, by its label, and of everything that is said."""
    return sha256("\0".join((reply_form, system, *(each.text for each in said))).encode()).hexdigest()
