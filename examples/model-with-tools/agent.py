"""A language model with a tool: it may ask what a hand is worth against another, as often as it likes, and then acts.

The run asks the model: it pays, keeps the limits, and records every reply. So a run that was killed resumes from the
record, and pays nothing twice.
"""

import json

from molt_bench import Action, Observation, RulesError, cards_from_text, cards_to_text, equity
from molt_bench.plugin import Context

RULES = """You play heads-up no-limit hold'em. Amounts are chips. Think first, then end with one JSON object:
{"tool": "equity", "against": "QsQh"} asks for your share of the pot against a hand that your opponent may have,
{"kind": "fold" | "check" | "call" | "raiseTo", "amount": the total to raise to, or null} is your action."""


class ModelWithTools:
    """Talks with one model about one hand after the other."""

    def __init__(self, context: Context, model: str = "openai:gpt-4.1-mini") -> None:
        self.name = "model-with-tools"
        self.models, self.model = context.models, model
        self.reset()

    def reset(self) -> None:
        """Forget the last game."""
        self.hand, self.talk = 0, []

    async def act(self, seen: Observation) -> Action:
        """Ask the model until it acts."""
        if seen.hand_number != self.hand:
            self.hand, self.talk = seen.hand_number, [{"role": "system", "content": RULES}]
        self.say(self.table(seen))
        for _ in range(4):
            reply = await self.models.ask(self.model, self.talk, max_tokens=2000)
            self.talk.append({"role": "assistant", "content": reply.text})
            found = json.loads(reply.text[reply.text.rindex("{") :])
            if "kind" in found:
                return Action(found["kind"], found["amount"] or 0)
            self.say(self.worth(seen, found["against"]))
        return Action("check" if not seen.to_call else "fold")

    def say(self, text: str) -> None:
        """Say something to the model."""
        self.talk.append({"role": "user", "content": text})

    def table(self, seen: Observation) -> str:
        """Return what the model is told of a decision."""
        error = f"Your last answer was not taken: {seen.previous_error}\n" if seen.previous_error else ""
        return (
            f"{error}Your cards: {cards_to_text(seen.cards)}. Board: {cards_to_text(seen.board) or 'none yet'}. "
            f"Pot: {seen.pot}. To call: {seen.to_call}.\nLegal actions: {seen.legal}"
        )

    def worth(self, seen: Observation, against: str) -> str:
        """Return what the tool says."""
        try:
            share = equity(seen.cards, cards_from_text(against), seen.board)
        except RulesError as error:
            return f"No: {error}"
        return f"Against {against} you win {share:.1%} of the pot on average. What do you do?"
