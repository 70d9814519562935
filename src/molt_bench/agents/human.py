"""The kind `human`: a person at the terminal, who sees each hand as their seat may see it and types what they do."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Iterator
from fractions import Fraction
from math import inf, isfinite
from typing import Final, TypeAlias

from rich.cells import cell_len

from molt_bench.agents.settings_base import AgentSettings
from molt_bench.errors import AgentFailed, ConfigError
from molt_bench.plugin import ComingRun, Context, Kind
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, STREETS, Action, Street
from molt_bench.poker.cards import CARD_TEXT, SUITS
from molt_bench.poker.evaluator import hand_name, strength
from molt_bench.poker.hand_rules import HandRules
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import GameFacts, GameLabel, GameSpec, ParticipantSpec, Seating
from molt_bench.visible_text import VisibleStream, on_one_line, shown

#: What one seat may see of a hand.
View: TypeAlias = Observation | HandResult

_ALL_IN: Final = ("a", "all", "allin", "all-in", "all in")
_SHARES: Final = {"half": "50%", "pot": "100%"}
_RAISE: Final = re.compile(r"(?:raise|bet|r|b)\s*(?:to\s+)?(.*)")
_SIZE: Final = re.compile(r"(\d[\d,_]{0,20}(?:\.\d{1,4})?)\s*(bb|%)?")
_WIDTH: Final = 74
_NAME_LENGTH: Final = 18
#: Seconds after which the person is told that the opponent is thinking.
_LONG_S: Final = 1.5
_BOLD, _DIM, _RED, _GREEN, _BLUE, _YELLOW = "1", "2", "1;31", "1;32", "1;34", "33"
#: A four-colour deck, as online; without colour, symbols or letters tell suits apart.
_COLOURS: Final = {"c": _GREEN, "d": _BLUE, "h": _RED, "s": _BOLD}


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
    size = raised[1] if raised else text
    if not size:
        return "How much? For example r 600, r 3bb or r half." if raised else "Type one of the letters."
    if size in _ALL_IN and not seen.max_raise_to and seen.to_call == seen.stack:
        return CALL
    amount = _amount_of(size, seen)
    if amount is None:
        return f"{shown(line.strip())} is no action: type f, c, r and an amount, a or q."
    return _raise_to(amount, seen)


def _amount_of(size: str, seen: Observation) -> int | None:
    """Return a size as the street's total in chips, shares of the pot counted after a call; None if it is no size."""
    if size == "min" or size in _ALL_IN:
        return seen.min_raise_to if size == "min" else seen.max_raise_to
    found = _SIZE.fullmatch(_SHARES.get(size, size))
    if found is None:
        return None
    number = Fraction(re.sub("[,_]", "", found[1]))
    if found[2] == "%":
        return max(seen.bets) + int(number / 100 * (seen.pot + seen.to_call))
    chips = number * (seen.big_blind if found[2] else 1)
    return int(chips) if chips.denominator == 1 else None


def _raise_to(amount: int, seen: Observation) -> Action | str:
    least, most = seen.min_raise_to, seen.max_raise_to
    if not most:
        passive = f"c calls {seen.to_call:,}" if seen.to_call else "c checks"
        why = "raising is closed" if seen.opponent_stack else "your opponent is all-in"
        return f"You cannot raise: {why}. {passive}, f folds."
    if amount > most:
        return f"{amount:,} is more than you have: all-in (a) is {most:,}."
    if amount < least:
        smallest = "all-in (a) is" if least == most else f"the smallest {'raise is to' if max(seen.bets) else 'bet is'}"
        return f"{amount:,} is too small: {smallest} {least:,}."
    return Action("raiseTo", amount)


class Table:
    """Prints a game line by line on standard output, from nothing but what the person's seat may see."""

    def __init__(self) -> None:
        plain = os.environ.get("TERM", "") in ("", "dumb", "unknown")
        self._colour = not plain and not os.environ.get("NO_COLOR")
        symbols = not plain and (sys.stdout.encoding or "").lower().startswith("utf")
        self._suits = dict(zip(SUITS, "♣♦♥♠" if symbols else SUITS, strict=True))
        self._dash, self._hidden = ("─", "▒▒ ▒▒") if symbols else ("-", "?? ??")
        self.opponent, self._column = "opponent", 16
        self._rules: HandRules | None = None
        self._hands = self._hand = self._told = self._played = self._net = 0

    def say(self, *lines: str, end: str = "\n") -> None:
        """Print lines."""
        stream = sys.stdout.styled if isinstance(sys.stdout, VisibleStream) else sys.stdout
        stream.write("\n".join(lines) + end)
        stream.flush()

    def paint(self, text: str, colour: str = _DIM) -> str:
        """Return a text in a colour, on a terminal that has some."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def open(self, opponent: str, facts: GameFacts) -> None:
        """Say what is played next, and against which opponent."""
        self.opponent, self._rules = on_one_line(opponent)[:_NAME_LENGTH], facts.rules
        self._column, self._hands, rules = cell_len(self.opponent) + 8, facts.hands + facts.warmup_hands, facts.rules
        warmup = f", {facts.warmup_hands:,} of them for warming up" if facts.warmup_hands else ""
        blinds = f"blinds {rules.small_blind:,}/{rules.big_blind:,}{f', ante {rules.ante:,}' if rules.ante else ''}"
        told = f"You against {self.opponent}: {self._hands:,} hand{'s' * (self._hands > 1)}{warmup}, {blinds}"
        self.say("", self.paint(f"{told}, stacks {self._chips(facts.stack, rules)}.", _BOLD))

    def show(self, seen: Observation) -> None:
        """Print what has happened since the last decision, the table, and what the person may do."""
        self._rules = seen.rules
        self._tell(seen)
        above = self._player(self.opponent, self.paint(self._hidden), seen, 1 - seen.seat)
        board = self.cards(seen.board) + " " * (16 - max(0, 3 * len(seen.board) - 1))
        pot = self.paint(f"pot {self._chips(seen.pot, seen.rules)}", _BOLD)
        below = self._player("you", self.cards(seen.cards), seen, seen.seat)
        self.say("", above, f"    {seen.street:{self._column}}{board}{pot}", below, "", *self._choices(seen))

    def finish(self, result: HandResult) -> None:
        """Print how a hand ended, and the score of the game so far."""
        self._tell(result)
        net = result.net[result.seat]
        self._hand, self._played, self._net = 0, self._played + 1, self._net + net
        won = f"You {'win' if net > 0 else 'lose'} {abs(net):,}." if net else "Nobody wins any chips."
        self.say("  " + self.paint(won, _GREEN if net > 0 else _RED if net < 0 else _BOLD))
        self.say(self.paint(f"  After {self._played:,} hand{'s' * (self._played > 1)}: {self._net:+,} chips."))

    def _tell(self, view: View) -> None:
        """Print what has happened in the hand since the last call."""
        if view.hand_number != self._hand:
            self._hand, self._told = view.hand_number, 0
            who = "you have" if view.button == view.seat else f"{self.opponent} has"
            of = f" of {self._hands:,}" if self._hands else ""
            title = f"{self._dash * 2} Hand {view.hand_number:,}{of}: {who} the button "
            self.say("", self.paint(title + self._dash * (_WIDTH - cell_len(title)), _BOLD))
        lines = [*self._story(view)]
        for line in lines[self._told :]:
            self.say(f"  {line}")
        self._told = len(lines)

    def _story(self, view: View) -> Iterator[str]:
        """Yield the hand so far; a later view of the same hand begins with the same lines."""
        if self._rules is None:
            return
        rules, button, street = self._rules, view.button, STREETS[0]
        left = [max(0, stack - rules.ante) for stack in view.starting_stacks]
        pot, bets = sum(view.starting_stacks) - sum(left), [min(rules.big_blind, stack) for stack in left]
        bets[button] = min(rules.small_blind, left[button])
        posts = " ".join([f"{self._does(view, seat, 'post')} {bets[seat]:,}." for seat in (button, 1 - button)])
        yield f"{self.paint(posts)} You hold {self.cards(view.cards)}."
        for done in view.log:
            while street != done.street:
                street, pot, bets = STREETS[STREETS.index(street) + 1], pot + sum(bets), [0, 0]
                yield self._street(view, street, pot)
            verb = "bet" if done.kind == "raiseTo" and not max(bets) else done.kind.removesuffix("To")
            more = done.amount - bets[done.seat]
            chips = {"bet": f" {more:,}", "call": f" {more:,}", "raise": f" to {done.amount:,}"}.get(verb, "")
            yield f"{self._does(view, done.seat, verb)}{chips}."
            bets[done.seat] = done.amount
        if isinstance(view, HandResult) and view.opponent_cards is not None:
            yield f"You show {self.cards(view.cards)}, {self.opponent} shows {self.cards(view.opponent_cards)}."
            for later in STREETS[STREETS.index(street) + 1 :]:
                yield self._street(view, later, pot + 2 * min(bets))
            hands = [(*cards, *view.board) for cards in (view.cards, view.opponent_cards)]
            worth, (yours, other) = [strength(hand) for hand in hands], map(hand_name, hands)
            kicker = " with a better kicker" if yours == other else ""
            yield f"You have {yours}{kicker if worth[0] > worth[1] else ''}."
            yield f"{self.opponent} has {other}{kicker if worth[0] < worth[1] else ''}."
        elif isinstance(view, Observation) and street != view.street:
            yield self._street(view, view.street, pot + sum(bets))

    def _does(self, view: View, seat: int, verb: str) -> str:
        return f"You {verb}" if seat == view.seat else f"{self.opponent} {verb}s"

    def _street(self, view: View, street: Street, pot: int) -> str:
        name, cards = self.paint(street.capitalize(), _BOLD), self.cards(view.board[: OPEN_CARDS[street]])
        return f"{name}  {cards}  {self.paint(f'pot {pot:,}')}"

    def cards(self, cards: tuple[int, ...]) -> str:
        """Return cards as `K♥ 7♦` or `Kh 7d`; of two cards the higher comes first."""
        texts = [CARD_TEXT[card] for card in (sorted(cards, reverse=True) if len(cards) == 2 else cards)]
        return " ".join([self.paint(text[0] + self._suits[text[1]], _COLOURS[text[1]]) for text in texts])

    def _player(self, name: str, cards: str, seen: Observation, seat: int) -> str:
        who, bet = f"{name} (D)" if seat == seen.button else name, seen.bets[seat]
        chips = f"{self._chips(seen.stacks[seat], seen.rules):20}{f'bet {bet:,}' if bet else ''}"
        return f"    {who}{' ' * (self._column - cell_len(who))}{cards}{' ' * 11}{chips}".rstrip()

    def _chips(self, amount: int, rules: HandRules) -> str:
        return f"{amount:,} ({amount / rules.big_blind:,.1f}".removesuffix(".0") + " bb)"

    def _choices(self, seen: Observation) -> Iterator[str]:
        """Yield the legal actions with what to type for them, and some sizes of a raise."""
        least, most = seen.min_raise_to, seen.max_raise_to
        call = f"call {seen.to_call:,}{', all-in' * (seen.to_call == seen.stack)}"
        found = [("f", "fold"), ("c", call if seen.to_call else "check")]
        found += [("r", f"{'raise to' if max(seen.bets) else 'bet'} {least:,}-{most:,}")] if most > least else []
        found += [("a", f"all-in {most:,}" if most == least else "all-in")] if most else []
        yield "  " + "   ".join([f"{self.paint(f'[{key}]', _BOLD)} {what}" for key, what in (*found, ("q", "leave"))])
        if most > least:
            sizes = {_amount_of(size, seen) or 0: size for size in ("min", "half", "pot")}
            named = [f"r {size} = {amount:,}" for amount, size in sizes.items() if least <= amount < most]
            yield self.paint(f"      {', '.join([*named, 'or r and chips, bb or %'])}")


class HumanSettings(AgentSettings):
    """A person at the terminal."""


class HumanAgent:
    """A person at the terminal, who limits their own time; other games go on while they think."""

    keeps_time = True

    def __init__(self, name: str, settings: HumanSettings, *, action_timeout_s: float) -> None:
        self.name = name
        self.table = Table()
        self._limit_s = action_timeout_s
        self._reminder: asyncio.TimerHandle | None = None

    async def act(self, observation: Observation) -> Action:
        """Show the table, and ask until a legal action is typed."""
        await self.close()
        self.table.show(observation)
        try:
            async with asyncio.timeout(self._limit_s):
                action = await self._decision(observation)
        except TimeoutError:
            self.table.say(self.table.paint("  Too late.", _YELLOW))
            raise AgentFailed("timeout", f"no answer within {self._limit_s:g} s") from None
        self._wait()
        return action

    async def on_hand_complete(self, result: HandResult) -> None:
        """Show how the hand ended."""
        await self.close()
        self.table.finish(result)
        self._wait()

    async def close(self) -> None:
        """Wait for the opponent no longer."""
        if self._reminder is not None:
            self._reminder.cancel()

    def _wait(self) -> None:
        text = self.table.paint(f"  {self.table.opponent} is thinking ...")
        self._reminder = asyncio.get_running_loop().call_later(_LONG_S, self.table.say, text)

    async def _decision(self, seen: Observation) -> Action:
        while True:
            line = await self._line(f"{self._limit_s:g} s > " if isfinite(self._limit_s) else "> ")
            action = action_of(line, seen)
            if isinstance(action, str):
                self.table.say(self.table.paint(f"  {action}", _YELLOW))
            elif action != FOLD or seen.to_call:
                return action
            elif (await self._line("Checking is free. Fold all the same? [y/N] ")).lower() in ("y", "yes"):
                return FOLD

    async def _line(self, prompt: str) -> str:
        """Read a line while other games go on; who leaves interrupts the run, as Ctrl-C does."""
        self.table.say(prompt, end="")
        loop, ready, terminal = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
        loop.add_reader(terminal, ready.set)
        try:
            await ready.wait()
            typed = os.read(terminal, 4096)  # a terminal gives one line at a time
            if not typed or typed.strip().lower() in (b"q", b"quit", b"exit"):
                signal.raise_signal(signal.SIGINT)
                await asyncio.Event().wait()
        except BaseException:
            self.table.say()  # what is printed next begins on a line of its own
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
        return HumanAgent(spec.id, context.settings, action_timeout_s=context.timeout_s)

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
            made.table.open(next(name for name in spec.players if name != participant), spec.facts)
        return made
