"""A session: the games a person plays against one agent, and the result."""

import shlex
from collections.abc import Callable
from typing import Final, Literal

import msgspec
from rich.console import Console
from rich.text import Text

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import MoltBenchError
from molt_bench.luck.reference.grade import reference
from molt_bench.person.coach import Coach
from molt_bench.person.players import Opponent, Person, PersonLeft, read_line
from molt_bench.person.screen import Screen, open_terminal
from molt_bench.person.table_drawing import Look
from molt_bench.person.tally import sample_says, tally, tally_table
from molt_bench.play.play_games import play_game
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.poker.hand import HandRules
from molt_bench.specs import GameSpec, Seating
from molt_bench.visible_text import printable

_NAME_LENGTH: Final = 20


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What to play: the flags of `molt-bench play`, with the stack in big blinds and the blinds in chips."""

    agent: str
    params: tuple[str, ...] = ()
    sandbox: bool | None = None
    hands: int = 20
    stack: int = 100
    blinds: tuple[int, int] = (50, 100)
    seed: str
    seat: Literal["button", "big_blind"] = "button"
    show_odds: bool = False
    show_reference: bool = False
    duplicate: bool = False

    def __post_init__(self) -> None:
        self.game()

    def game(self) -> GameSpec:
        """Return the first game; raises ConfigError if there is no such game."""
        small, big = self.blinds
        return GameSpec(seed=self.seed, hands=self.hands, small_blind=small, big_blind=big, stack=self.stack * big)


def play_session(session: Session, opponent_id: str, make: Callable[[], PokerAgent], console: Console) -> None:
    """Play on a console, and show the result however the session ends; `make` makes the opponent, once per game."""
    small, big = session.blinds
    opponent = make()
    SeatedAgent(opponent).check_game(session.game())
    symbols = open_terminal(console)
    name = printable(opponent_id)[:_NAME_LENGTH].replace("\n", " ")
    look = Look(name, HandRules(small, big), symbols, console.width)
    coach = Coach(reference(), look.rules) if session.show_reference else None
    screen = Screen(console, look, hands=session.hands, odds=session.show_odds, coach=coach)
    stacks, hands = look.chips(session.stack * big), f"{session.hands} hand{'' if session.hands == 1 else 's'}"
    screen.print(
        Text(f"You against {name}: {hands}, blinds {small:,}/{big:,}, starting stacks {stacks}."),
        Text("Type ? for help, q to quit."),
    )
    try:
        _play(session, screen, make, opponent)
    except PersonLeft as left:
        if left.__cause__ is not None:
            raise left.__cause__ from None
    except KeyboardInterrupt:
        screen.print("")
    except MoltBenchError:
        if screen.results:
            _show_result(session, screen)
        raise
    _show_result(session, screen)


def _play(session: Session, screen: Screen, make: Callable[[], PokerAgent], opponent: PokerAgent) -> None:
    small, big = session.blinds
    seatings: tuple[Seating, ...] = ("AB", "BA") if session.seat == "button" else ("BA", "AB")
    for seating in seatings[: 2 if session.duplicate else 1]:
        if screen.results:
            screen.print("", Text("The same cards again, seats swapped.", "bold"))
            opponent = make()
        play_game(
            (Person(screen, read_line), Opponent(opponent, screen)),
            seed=session.seed,
            hands=session.hands,
            seating=seating,
            small_blind=small,
            big_blind=big,
            stack=session.stack * big,
        )


def _show_result(session: Session, screen: Screen) -> None:
    found = tally(screen.results, session.seed, screen.look.rules)
    hands = f"{found.hands} hand{'' if found.hands == 1 else 's'}"
    screen.print("", screen.look.line(f"Result: {hands} against {screen.look.opponent}"))
    if found.hands:
        screen.print(tally_table(found))
    screen.print(*[Text(sentence) for sentence in sample_says(found)])
    if screen.coach is not None:
        screen.print(*[Text(sentence) for sentence in screen.coach.summary()])
    if screen.in_hand:
        screen.print("The unfinished hand does not count.")
    if screen.faults:
        number, message = screen.faults[0]
        faults = "a fault" if len(screen.faults) == 1 else f"{len(screen.faults)} faults, the first"
        screen.print(Text(f"{screen.look.opponent} made {faults} in hand {number}: {message}"))
    other: Literal["button", "big_blind"] = "big_blind" if session.seat == "button" else "button"
    screen.console.print(Text(f"The same cards again:  {_command_of(session)}"), soft_wrap=True)
    if not session.duplicate:
        swapped = _command_of(msgspec.structs.replace(session, seat=other))
        screen.console.print(Text(f"From the other seat:   {swapped}"), soft_wrap=True)


def _command_of(session: Session) -> str:
    """Return the command that plays the same cards again."""
    usual = Session(agent=session.agent, seed=session.seed)
    words = ["molt-bench", "play", session.agent]
    for param in session.params:
        words += ["--param", param]
    words += ["--hands", str(session.hands), "--seed", session.seed]
    blinds = "/".join(map(str, session.blinds))
    for name, text in (("stack", str(session.stack)), ("blinds", blinds), ("seat", session.seat)):
        words += [f"--{name}", text] if getattr(session, name) != getattr(usual, name) else []
    for name in ("show_odds", "show_reference", "duplicate"):
        words += [f"--{name.replace('_', '-')}"] if getattr(session, name) else []
    return shlex.join(words)
