"""The kind `human`: a person at the terminal, who sees each hand as their seat may see it and types what they do."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from math import inf, isfinite
from typing import Final, TypeAlias

from molt_bench.agents.settings_base import AgentSettings
from molt_bench.errors import AgentFailed, ConfigError
from molt_bench.plugin import ComingRun, Context, Kind
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, STREETS, Action
from molt_bench.poker.cards import CARD_TEXT, SUITS
from molt_bench.poker.evaluator import hand_name
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.records import GameRecord
from molt_bench.specs import GameFacts, GameLabel, GameSpec, ParticipantSpec, Seating
from molt_bench.visible_text import on_one_line, shown

#: What one seat may see of a hand.
View: TypeAlias = Observation | HandResult

_ALL_IN: Final = ("a", "all", "allin", "all-in", "all in")
_SHARES: Final = {"half": "50%", "pot": "100%"}
_RAISE: Final = re.compile(r"(?:raise|bet|r|b)\s*(?:to\s+)?(.*)")
_SIZE: Final = re.compile(r"(\d[\d,]{0,14}(?:\.\d{1,4})?)\s*(bb|%)?")
_NAME_LENGTH: Final = 12
#: Prints lines at once.
_say: Final = partial(print, sep="\n", flush=True)


def action_of(line: str, seen: Observation) -> Action | str:
    """Return the legal action that a typed line means, or else a sentence that says why it means none.

    All of `f`, `c`, `r 600`, `600`, `r 3bb`, `r half`, `r 75%`, `r min` and `a` mean one, and so do whole words.
    """
    text = " ".join(line.lower().split())
    if text in ("f", "fold"):
        return FOLD
    if text in ("k", "x", "check") and seen.to_call:
        return f"You cannot check: {seen.to_call:,} to call. c calls, f folds."
    if text in ("c", "call", "k", "x", "check"):
        return CALL if seen.to_call else CHECK
    raised = _RAISE.fullmatch(text)
    size, least, most = raised[1] if raised else text, seen.min_raise_to, seen.max_raise_to
    if size in _ALL_IN and not most and seen.to_call == seen.stack:
        return CALL
    amount = _amount_of(size, seen)
    if amount is None:
        return f"{shown(line.strip())} is no action: type f, c, r and an amount, a or q."
    if not least <= amount <= most:
        may = f"a raise is to {least:,}-{most:,}" if most else "there is no raising here"
        return f"{amount:,} cannot be: {may}."
    return Action("raiseTo", amount)


def _amount_of(size: str, seen: Observation) -> int | None:
    """Return a size as the street's total in chips, shares of the pot counted after a call; None for no size."""
    if size == "min" or size in _ALL_IN:
        return seen.min_raise_to if size == "min" else seen.max_raise_to
    found = _SIZE.fullmatch(_SHARES.get(size, size))
    if found is None:
        return None
    number = float(found[1].replace(",", ""))
    if found[2] == "%":
        return max(seen.bets) + int(number / 100 * (seen.pot + seen.to_call))
    chips = number * (seen.big_blind if found[2] else 1)
    return int(chips) if chips.is_integer() else None


class Table:
    """Prints a game line by line on standard output, from nothing but what the person's seat may see."""

    def __init__(self, opponent: str, facts: GameFacts) -> None:
        symbols = os.environ.get("TERM") != "dumb" and (sys.stdout.encoding or "").lower().startswith("utf")
        self._suits = dict(zip(SUITS, "♣♦♥♠" if symbols else SUITS, strict=True))
        self._dashes, self._hidden = ("──", "▒▒ ▒▒") if symbols else ("--", "?? ??")
        self.opponent = on_one_line(opponent)[:_NAME_LENGTH]
        self._rules, self._stack, self._hands = facts.rules, facts.stack, facts.hands + facts.warmup_hands
        self._hand = self._told = self._played = self._net = 0

    def open(self) -> None:
        """Say what is played, and against which opponent."""
        rules, hands = self._rules, f"{self._hands:,} hand{'s' * (self._hands > 1)}"
        blinds = f"blinds {rules.small_blind:,}/{rules.big_blind:,}{f', ante {rules.ante:,}' if rules.ante else ''}"
        _say("", f"You against {self.opponent}: {hands}, {blinds}, stacks {self._chips(self._stack)}.")

    def show(self, seen: Observation) -> None:
        """Print what has happened since the last decision, the table, and what the person may do."""
        self._tell(seen)
        above = self._row(self.opponent, self._hidden, seen, 1 - seen.seat)
        below = self._row("you", self.cards(seen.cards), seen, seen.seat)
        middle = f"    {seen.street:16}{self.cards(seen.board):16}pot {self._chips(seen.pot)}"
        _say("", above, middle, below, "", *self._choices(seen))

    def finish(self, result: HandResult) -> None:
        """Print how a hand ended, and the score of the game so far."""
        self._tell(result)
        net = result.net[result.seat]
        self._hand, self._played, self._net = 0, self._played + 1, self._net + net
        won = f"You {'win' if net > 0 else 'lose'} {abs(net):,}." if net else "No one wins any chips."
        _say(f"  {won} After {self._played:,} hand{'s' * (self._played > 1)}: {self._net:+,} chips.")

    def _tell(self, view: View) -> None:
        """Print what has happened in the hand since the last call."""
        if view.hand_number != self._hand:
            self._hand, self._told = view.hand_number, 0
            who = "you have" if view.button == view.seat else f"{self.opponent} has"
            _say("", f"{self._dashes} Hand {view.hand_number:,} of {self._hands:,}: {who} the button")
        lines = [f"  {line}" for line in self._story(view)]
        if lines[self._told :]:
            _say(*lines[self._told :])
        self._told = len(lines)

    def _story(self, view: View) -> Iterator[str]:
        """Yield the hand so far; a later view of the same hand begins with the same lines."""
        yield f"You hold {self.cards(view.cards)}."
        told, bet = 0, True  # the blinds are a bet
        for done in view.log:
            while STREETS[told] != done.street:
                told, bet = told + 1, False
                yield self._street(view, told)
            verb, size = str(done.kind), ""
            if done.kind == "raiseTo":
                verb, size, bet = "raise" if bet else "bet", f" {'to ' * bet}{done.amount:,}", True
            yield f"You {verb}{size}." if done.seat == view.seat else f"{self.opponent} {verb}s{size}."
        shows = view.opponent_cards if isinstance(view, HandResult) else None
        last = STREETS.index(view.street) if isinstance(view, Observation) else len(STREETS) - 1
        for later in range(told + 1, last + 1) if shows is not None or isinstance(view, Observation) else ():
            yield self._street(view, later)
        for who, cards in (("You show", view.cards), (f"{self.opponent} shows", shows)) if shows is not None else ():
            yield f"{who} {self.cards(cards)}: {hand_name((*cards, *view.board))}."

    def _street(self, view: View, number: int) -> str:
        street = STREETS[number]
        return f"{street.capitalize()}  {self.cards(view.board[: OPEN_CARDS[street]])}"

    def cards(self, cards: tuple[int, ...]) -> str:
        """Return cards as `K♥ 7♦` or `Kh 7d`; of two cards the higher comes first."""
        texts = [CARD_TEXT[card] for card in (sorted(cards, reverse=True) if len(cards) == 2 else cards)]
        return " ".join([text[0] + self._suits[text[1]] for text in texts])

    def _row(self, name: str, cards: str, seen: Observation, seat: int) -> str:
        who, bet = f"{name} (D)" if seat == seen.button else name, seen.bets[seat]
        return f"    {who:16}{cards:16}{self._chips(seen.stacks[seat])}{f', bet {bet:,}' if bet else ''}"

    def _chips(self, amount: int) -> str:
        return f"{amount:,} ({amount / self._rules.big_blind:,.1f}".removesuffix(".0") + " bb)"

    def _choices(self, seen: Observation) -> Iterator[str]:
        """Yield the legal actions with what to type for them, and some sizes of a raise."""
        least, most = seen.min_raise_to, seen.max_raise_to
        found = ["[f] fold", f"[c] call {seen.to_call:,}" if seen.to_call else "[c] check"]
        found += [f"[r] {'raise to' if max(seen.bets) else 'bet'} {least:,}-{most:,}"] if most > least else []
        found += [f"[a] all-in{f' {most:,}' * (most == least)}"] if most else []
        yield f"  {'   '.join([*found, '[q] leave'])}"
        if most > least:
            sizes = {_amount_of(size, seen) or 0: size for size in ("min", "half", "pot")}
            named = [f"r {size} = {amount:,}" for amount, size in sizes.items() if least <= amount < most]
            yield f"      {', '.join([*named, 'or r and chips, bb or %'])}"


def replay(games: Iterable[GameRecord], person: str) -> None:
    """Print what the opponents of a person held, once the run is over, when nothing is left to play for."""
    for record in (game for game in games if person in game.players):
        player = record.players.index(person)
        seat, table = player ^ (record.seating == "BA"), Table(record.players[1 - player], record.spec.facts)
        _say("", f"What {table.opponent} held where it was not shown:")
        for number, hand, _ in map(hand_from_text, record.hand_texts):
            if hand.log and hand.log[-1].kind == "fold":
                who = "you fold" if hand.log[-1].seat == seat else f"{table.opponent} folds"
                cards = f"you {table.cards(hand.holes[seat])}, {table.opponent} {table.cards(hand.holes[1 - seat])}"
                board = table.cards(hand.board) or "preflop"
                _say(f"  Hand {number:>3,}   {cards}   {board}   {who} {hand.payoffs[seat]:+,}")


class HumanSettings(AgentSettings):
    """A person at the terminal."""


class HumanAgent:
    """A person at the terminal, who limits their own time; other games go on while they think."""

    keeps_time = True

    def __init__(self, name: str, *, action_timeout_s: float) -> None:
        self.name, self.opponent = name, "opponent"
        self._limit_s = action_timeout_s

    def told_game(self, facts: GameFacts) -> None:
        """Lay a table for the game."""
        self.table = Table(self.opponent, facts)

    def reset(self) -> None:
        """Say what is played, and against which opponent."""
        self.table.open()

    async def act(self, observation: Observation) -> Action:
        """Show the table, and ask until a legal action is typed."""
        self.table.show(observation)
        prompt = f"{self._limit_s:g} s > " if isfinite(self._limit_s) else "> "
        try:
            async with asyncio.timeout(self._limit_s):
                while isinstance(action := action_of(await self._line(prompt), observation), str):
                    _say(f"  {action}")
        except TimeoutError:
            _say("  Too late.")
            raise AgentFailed("timeout", f"no answer within {self._limit_s:g} s") from None
        return action

    def on_hand_complete(self, result: HandResult) -> None:
        """Show how the hand ended."""
        self.table.finish(result)

    async def _line(self, prompt: str) -> str:
        """Read a line while other games go on; who leaves interrupts the run, as Ctrl-C does."""
        _say(prompt, end="")
        loop, ready, terminal = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
        loop.add_reader(terminal, ready.set)
        try:
            await ready.wait()
            typed = os.read(terminal, 4096)  # a terminal gives one line at a time
            if not typed or typed.strip().lower() in (b"q", b"quit", b"exit"):
                signal.raise_signal(signal.SIGINT)
                await asyncio.Event().wait()
        except BaseException:
            _say()  # what is printed next begins on a line of its own
            raise
        finally:
            loop.remove_reader(terminal)
        return typed.decode(errors="replace").strip()


class Human(Kind):
    """A person at the terminal: you."""

    name = "human"
    usage = "human"
    settings = HumanSettings
    timeout_s = inf
    waits = True
    remembers = True
    recorded = True
    in_person = True

    def make(self, spec: ParticipantSpec, context: Context) -> HumanAgent:
        """Make the agent that asks at the terminal."""
        return HumanAgent(spec.id, action_timeout_s=context.timeout_s)

    def open(self, run: ComingRun) -> "AtTheTerminal":
        """Return who seats the person, game after game; raises ConfigError without a terminal."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            expected = "a terminal, where a person sees the cards and types: standard input or output is none"
            raise ConfigError("type", "human", expected)
        return AtTheTerminal(run)


class AtTheTerminal:
    """The place of the person of a run."""

    def __init__(self, run: ComingRun) -> None:
        self._run = run

    def gather(self) -> None:
        """Return at once: the person is there."""

    def places(self, participant: str, seating: Seating) -> tuple[str, int]:
        """Return that the person plays one game at a time."""
        return participant, 1

    def make(self, participant: str, game: GameLabel, spec: GameSpec | None) -> HumanAgent:
        """Return the agent of a game, which the person is told of."""
        made: HumanAgent = self._run.made(participant)
        if spec is not None:
            made.opponent = next(name for name in spec.players if name != participant)
        return made
