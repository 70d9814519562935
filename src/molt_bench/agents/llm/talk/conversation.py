"""The conversation with a model in one game: what it is told, what it replies, and what it is reminded of.

The agent uses it to ask a model, and the viewer to show what was asked. What it holds follows from the game and the
replies alone, so it is the same whenever a game is played again from its records. It ends with the game.
"""

from typing import Final

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.memory import HandMemory, SessionMemory, told_hand
from molt_bench.agents.llm.talk.prompt import decision_prompt, error_text, game_text, hand_text, reply_form
from molt_bench.agents.llm.talk.reply import Reply, read_answer
from molt_bench.agents.llm.talk.samples import chosen, drawn_from, one_of
from molt_bench.agents.llm.types import ChatTurn, Exchange
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.poker.play_statistics import table_steps
from molt_bench.specs import GameFacts
from molt_bench.visible_text import shortened

#: Characters of a token, about, in what models are told and write.
CHARACTERS_PER_TOKEN: Final = 3.9
#: Most characters of one answer that stay in a conversation.
ANSWER_LENGTH: Final = 20_000


class Conversation:
    """The conversation with one model in one game.

    Args:
        settings: What the model remembers and what it is told.
        game: What is known about the game.
    """

    def __init__(self, settings: LLMSettings, game: GameFacts | None = None) -> None:
        self._settings = settings
        self._game = game
        self._rules: HandRules | None = game.rules if game is not None else None
        self._session = SessionMemory(settings.shown_hands)
        self._thoughts = HandMemory(ending=not settings.replies_in_json)
        self._chat = _Chat(settings) if settings.harness == "chat" else None
        self._rejected = ""

    def message(self, observation: Observation) -> str:
        """Return the message that asks for a decision."""
        settings, self._rules = self._settings, observation.rules
        if observation.previous_error is None:
            self._rejected = ""
        if self._chat is not None:
            return self._chat.message(observation, self._game)
        session = self._session.text() if settings.memory == "session" else ""
        return decision_prompt(
            observation,
            settings,
            game=self._game,
            memory=session,
            thoughts=self._thoughts.text(observation.hand_number) if settings.memory != "none" else "",
            rejected=self._rejected,
        )

    @property
    def earlier(self) -> tuple[ChatTurn, ...]:
        """Everything that is sent before the message: earlier messages, each with its answer."""
        return self._chat.turns if self._chat is not None else ()

    def can_shorten(self, observation: Observation) -> bool:
        """Return whether the conversation has hands before this one that it can lose."""
        return self._chat is not None and self._chat.can_shorten(observation.hand_number)

    def shorten(self, observation: Observation) -> None:
        """Drop the oldest hands of a conversation that is too long for the model; then it is asked again."""
        if self._chat is not None:
            self._chat.shorten(observation.hand_number)

    def take_reply(self, observation: Observation, *answers: Exchange) -> Action:
        """Return the action that the model chose, and remember why if it is legal; AgentFailed if there is none.

        `answers` are those to one question, of which one counts. Where they state strategies, the action is drawn.
        """
        exchange, drawn = answers[0], None
        if self._settings.harness == "mixed":
            exchange, drawn = drawn_from(answers, self._settings, observation)
        elif len(answers) > 1 and self._settings.reasks:
            exchange = one_of(answers, observation)
        elif len(answers) > 1:
            exchange = chosen(answers, self._settings, observation.legal.allows)
        said = exchange.text if exchange.outcome == "reply" else ""
        if self._chat is not None:
            self._chat.take_answer(observation.hand_number, said)
        self._rejected = said
        if exchange.outcome != "reply":
            kind = "refused" if exchange.outcome == "full" else exchange.outcome
            raise AgentFailed(kind, exchange.text)
        reply = read_answer(self._settings, exchange.text, exchange.finish, exchange.mode)
        action = drawn or reply.action
        if observation.legal.allows(action):
            self._remember(observation, reply, action)
        return action

    def _remember(self, observation: Observation, reply: Reply, action: Action) -> None:
        if self._settings.memory != "none":
            done = f"{action.kind} {action.amount}" if action.kind == "raiseTo" else action.kind
            self._thoughts.add(observation.hand_number, observation.street, reply.reasoning, done)

    def take_result(self, result: HandResult) -> None:
        """Remember a finished hand as the table saw it."""
        rules = self._rules
        if rules is None:
            return
        if self._settings.memory == "session":
            self._session.add(result, rules)
        if self._chat is not None:
            steps = table_steps(rules, result.starting_stacks, result.button, result.log)
            self._chat.take_result(f"This hand is over: {told_hand(result, steps)}.")


class _Chat:
    """All decisions of a game in one conversation that only grows, until it is too long and loses its first hands.

    A message stays open until something was said: what follows is added to it, so that messages and answers alternate.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._most = settings.chat_tokens * CHARACTERS_PER_TOKEN
        self._turns: list[ChatTurn] = []
        self._hands: list[int] = []  # the hand of each turn
        self._game = ""
        self._lost = ""  # what is said in place of hands that were dropped
        self._open = self._asked = ""

    @property
    def turns(self) -> tuple[ChatTurn, ...]:
        """Earlier messages with their answers."""
        if not self._turns:
            return ()
        first, *others = self._turns
        return (ChatTurn(self._beginning(first.asked), first.said), *others)

    def _beginning(self, message: str) -> str:
        return "\n\n".join(filter(None, (self._game, self._lost, message)))

    def message(self, observation: Observation, game: GameFacts | None) -> str:
        """Return the next message; it is part of the conversation once there is an answer to it."""
        self._game, error = game_text(observation.rules, game), observation.previous_error
        told = hand_text(observation, self._settings, game) if error is None else error_text(error)
        self._asked = "\n\n".join(filter(None, (self._open, told, reply_form(observation, self._settings))))
        return self._asked if self._turns else self._beginning(self._asked)

    def take_answer(self, hand_number: int, said: str) -> None:
        """Take the answer to the last message; "" if there was none."""
        self._open = "" if said else self._asked
        if said:
            self._turns.append(ChatTurn(self._asked, shortened(said, ANSWER_LENGTH)))
            self._hands.append(hand_number)

    def take_result(self, result: str) -> None:
        """Take the result of a finished hand, and drop the first hands of a conversation that is too long."""
        self._open = "\n\n".join(filter(None, (self._open, result)))
        if self._size() > self._most:
            self._drop(self._most / 2, self._hands[-1])

    def can_shorten(self, hand_number: int) -> bool:
        """Return whether there are hands before this one."""
        return bool(self._hands) and self._hands[0] != hand_number

    def shorten(self, hand_number: int) -> None:
        """Drop the first hands of a conversation that the model has no room for: half of it, or all before this hand.

        What was too long once is too long for good.
        """
        size = self._size()
        self._most = min(self._most, size)
        self._drop(size / 2, hand_number)

    def _size(self) -> int:
        return sum(len(turn.asked) + len(turn.said) for turn in self._turns)

    def _drop(self, most: float, kept: int) -> None:
        """Drop hands from the first on until `most` characters are left: whole hands, and never the hand `kept`."""
        total, gone = self._size(), 0
        while gone < len(self._hands) and total > most and self._hands[gone] != kept:
            total -= len(self._turns[gone].asked) + len(self._turns[gone].said)
            gone += 1
        while 0 < gone < len(self._hands) and self._hands[gone] == self._hands[gone - 1]:
            gone += 1  # never half a hand
        if gone:
            self._lost = f"The hands up to {self._hands[gone - 1]} are no longer in this conversation."
            del self._turns[:gone], self._hands[:gone]
