"""The prompt: what a model is told. Pure: it is made only of what its seat may see.

What stays the same comes first (the skill document, the game), then what changes with the hand, then with the decision,
so that providers can cache it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from molt_bench.agents.llm.model_settings import LLMSettings, ReplyFirst, Track
from molt_bench.files import text_of
from molt_bench.poker.actions import STREETS, LoggedAction
from molt_bench.poker.cards import CARD_TEXT, rank_of
from molt_bench.poker.evaluator import CATEGORIES, category, strength
from molt_bench.poker.observation import Observation

#: The names of made hands, from worst to best.
MADE_HANDS = tuple(name for _, name in CATEGORIES)

#: Most bytes of a skill document.
_LONGEST_SKILL: Final = 1_000_000
#: The form of a reply in the default skill document, by what it states first.
_EXAMPLES: Final[Mapping[ReplyFirst, str]] = {
    "reasoning": '{"reasoning": "why, in a few sentences", "kind": "raiseTo", "amount": 600}',
    "action": '{"kind": "raiseTo", "amount": 600, "reasoning": "why, in a few sentences"}',
}


def system_prompt(settings: LLMSettings) -> str:
    """Return the skill document: the user's, verbatim, or the default; raises ConfigError if it cannot be read."""
    if settings.skill_doc is None:
        return default_skill(settings.reply_first)
    return text_of(settings.skill_doc, field="skillDoc", most_bytes=_LONGEST_SKILL, encoding="utf-8")


@cache
def default_skill(reply_first: ReplyFirst = "reasoning") -> str:
    """Return the default skill document: rules, notation and the form of the reply, but no strategy."""
    skill = (Path(__file__).parent / "skill.md").read_text("utf-8")
    return skill.replace(_EXAMPLES["reasoning"], _EXAMPLES[reply_first])


def decision_prompt(
    observation: Observation,
    *,
    memory: str = "",
    thoughts: str = "",
    track: Track = "bare",
    comprehension: bool = False,
    reply_first: ReplyFirst = "reasoning",
) -> str:
    """Return the message that asks for one decision.

    Args:
        observation: What the seat sees.
        memory: What the model remembers of the session, as text.
        thoughts: What it thought earlier in this hand, as text.
        track: Whether it is told its made hand.
        comprehension: Whether it has to say how it reads its hand and the price.
        reply_first: What its reply has to state first.
    """
    parts = [_game(observation)]
    if memory:
        parts.append(memory)
    parts.append(_hand(observation, track))
    if thoughts:
        parts.append(thoughts)
    if observation.previous_error is not None:
        parts.append(f"Your last answer was not taken: {observation.previous_error}")
    parts.append(_reply_form(observation, reply_first, comprehension=comprehension))
    return "\n\n".join(parts)


def made_hand(cards: tuple[int, int], board: tuple[int, ...]) -> str:
    """Return what two cards make with a board, such as `"two pair"`; before the flop a pair or a high card."""
    if board:
        return category(strength((*cards, *board)))
    return "pair" if rank_of(cards[0]) == rank_of(cards[1]) else "high card"


def spaced(cards: tuple[int, ...]) -> str:
    """Return cards as text, separated by spaces."""
    return " ".join([CARD_TEXT[card] for card in cards])


def action_text(log: tuple[LoggedAction, ...], seat: int) -> str:
    """Return actions by street from a seat's view: `preflop: you raiseTo 300, opponent call (300)`."""
    lines = []
    for street in STREETS:
        done = [_said(action, seat) for action in log if action.street == street]
        if done:
            lines.append(f"{street}: {', '.join(done)}")
    return "; ".join(lines)


def _said(action: LoggedAction, seat: int) -> str:
    who = "you" if action.seat == seat else "opponent"
    if action.kind == "raiseTo":
        return f"{who} raiseTo {action.amount}"
    paid = f" ({action.amount})" if action.kind == "call" else ""
    return f"{who} {action.kind}{paid}"


def _game(observation: Observation) -> str:
    rules = observation.rules
    ante = f", ante {rules.ante}" if rules.ante else ", no ante"
    cap = f", at most {rules.raise_cap} bets and raises a street" if rules.raise_cap is not None else ""
    return f"Game: blinds {rules.small_blind}/{rules.big_blind}{ante}{cap}."


def _hand(observation: Observation, track: Track) -> str:
    me, other, rules = observation.seat, 1 - observation.seat, observation.rules
    on_button = observation.position == "button"
    lines = [
        f"Hand {observation.hand_number}. You {'have the button (small blind)' if on_button else 'are the big blind'}, "
        f"your opponent {'is the big blind' if on_button else 'has the button (small blind)'}.",
        f"Your cards: {spaced(observation.cards)}",
        f"Board ({observation.street}): {spaced(observation.board) or 'none yet'}",
    ]
    if track == "assisted":
        lines.append(f"You have: {made_hand(observation.cards, observation.board)}")
    start, now = observation.starting_stacks, observation.stacks
    lines += [
        f"Stacks at the start: you {_chips(start[me], rules.big_blind)}, "
        f"opponent {_chips(start[other], rules.big_blind)}",
        f"Stacks now: you {_chips(now[me], rules.big_blind)}, opponent {_chips(now[other], rules.big_blind)}",
        f"Bets on this street: you {observation.bets[me]}, opponent {observation.bets[other]}",
        f"Actions: {action_text(observation.log, me) or 'none yet, the blinds are posted'}",
        f"Pot: {_chips(observation.pot, rules.big_blind)}",
    ]
    if observation.to_call:
        lines.append(
            f"To call: {_chips(observation.to_call, rules.big_blind)}; pot odds {observation.pot_odds:.3f} "
            f"({observation.to_call} of a pot of {observation.pot + observation.to_call})"
        )
    else:
        lines.append("To call: 0, checking is free")
    lines += [f"Legal actions: {observation.legal}", f"Dice: {observation.dice}"]
    return "\n".join(lines)


def _chips(amount: int, big_blind: int) -> str:
    return f"{amount} ({amount / big_blind:.4g} bb)"


def _reply_form(observation: Observation, first: ReplyFirst, *, comprehension: bool) -> str:
    kinds = " | ".join(f'"{kind}"' for kind in observation.legal.kinds)
    amount = "null"
    if observation.max_raise_to:
        amount = f"the total to raise to ({observation.min_raise_to} to {observation.max_raise_to}), or null"
    reading = ""
    if comprehension:
        reading = '"hand": what you have now ("high card", "pair" and so on), "toCall": chips a call costs, 0 if none, '
    why, what = '"reasoning": "..."', f'"kind": {kinds}, "amount": {amount}'
    said = f"{why}, {reading}{what}" if first == "reasoning" else f"{what}, {reading}{why}"
    return f"Reply with one JSON object: {{{said}}}"
