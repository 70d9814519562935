"""A sitting: the games of one evening at the table, and what came of them."""

import shlex
from collections.abc import Callable
from typing import Final, Literal

import msgspec
from rich.text import Text

from molt_bench.agents.base import PokerAgent
from molt_bench.cli.participant import maker_of, participant_from, printable
from molt_bench.cli.table import Guest, Left, Person, Screen, ask, terminal
from molt_bench.errors import MoltBenchError
from molt_bench.play.drivers import play_game
from molt_bench.poker.hand import HandRules
from molt_bench.report.table import Look
from molt_bench.report.tally import sample_says, tally, tally_table
from molt_bench.specs import GameSpec, Seating

_NAME_LENGTH: Final = 20


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played.

    Attributes:
        agent: The opponent, as the command line names it.
        params: Its params.
        hands: Hands of a game.
        stack: Big blinds each seat starts every hand with.
        blinds: Small and big, in chips.
        seed: Names the decks.
        seat: Where the person sits in the first hand.
        show_odds: Whether the person sees the odds.
        duplicate: Whether the same cards are played a second time with seats swapped.
    """

    agent: str
    params: tuple[str, ...] = ()
    hands: int = 20
    stack: int = 100
    blinds: tuple[int, int] = (50, 100)
    seed: str
    seat: Literal["button", "big_blind"] = "button"
    show_odds: bool = False
    duplicate: bool = False


def sit_down(sitting: Sitting) -> None:
    """Play, and show the result, however it ends."""
    small, big = sitting.blinds
    GameSpec(seed=sitting.seed, hands=sitting.hands, small_blind=small, big_blind=big, stack=sitting.stack * big)
    participant = participant_from(sitting.agent, sitting.params)
    make = maker_of(participant, seed=sitting.seed)
    opponent = make()
    console, symbols = terminal()
    name = printable(participant.id)[:_NAME_LENGTH].replace("\n", " ")
    look = Look(name, HandRules(small, big), symbols, console.width)
    screen = Screen(console, look, hands=sitting.hands, odds=sitting.show_odds)
    chips, hands = look.chips(sitting.stack * big), f"{sitting.hands} hand{'' if sitting.hands == 1 else 's'}"
    screen.print(
        Text(f"You against {name}: {hands}, blinds {small:,}/{big:,}, {chips} in every hand."),
        Text("Type ? for help, q to quit."),
    )
    try:
        _play(sitting, screen, make, opponent)
    except Left as left:
        if left.__cause__ is not None:
            raise left.__cause__ from None
    except KeyboardInterrupt:
        screen.print("")
    except MoltBenchError:
        if screen.results:
            _show_result(sitting, screen)
        raise
    _show_result(sitting, screen)


def _play(sitting: Sitting, screen: Screen, make: Callable[[], PokerAgent], opponent: PokerAgent) -> None:
    small, big = sitting.blinds
    seatings: tuple[Seating, ...] = ("AB", "BA") if sitting.seat == "button" else ("BA", "AB")
    for seating in seatings[: 2 if sitting.duplicate else 1]:
        if screen.results:
            screen.print("", Text("The same cards again, seats swapped.", "bold"))
            opponent = make()
        play_game(
            (Person(screen, ask), Guest(opponent, screen)),
            seed=sitting.seed,
            hands=sitting.hands,
            seating=seating,
            small_blind=small,
            big_blind=big,
            stack=sitting.stack * big,
        )


def _show_result(sitting: Sitting, screen: Screen) -> None:
    found = tally(screen.results, sitting.seed, screen.look.rules)
    hands = f"{found.hands} hand{'' if found.hands == 1 else 's'}"
    screen.print("", screen.look.line(f"Result: {hands} against {screen.look.opponent}"))
    if found.hands:
        screen.print(tally_table(found))
    screen.print(*[Text(sentence) for sentence in sample_says(found)])
    if screen.in_hand:
        screen.print("The hand under way does not count.")
    if screen.faults:
        number, message = screen.faults[0]
        times = "a fault" if len(screen.faults) == 1 else f"{len(screen.faults)} faults, the first"
        screen.print(Text(f"{screen.look.opponent} made {times} in hand {number}: {message}"))
    other: Literal["button", "big_blind"] = "big_blind" if sitting.seat == "button" else "button"
    screen.console.print(Text(f"The same cards again:  {command_of(sitting)}"), soft_wrap=True)
    if not sitting.duplicate:
        swapped = command_of(msgspec.structs.replace(sitting, seat=other))
        screen.console.print(Text(f"From the other seat:   {swapped}"), soft_wrap=True)


def command_of(sitting: Sitting) -> str:
    """Return the command that plays the same cards again."""
    usual = Sitting(agent=sitting.agent, seed=sitting.seed)
    words = ["molt-bench", "play", sitting.agent]
    for param in sitting.params:
        words += ["--param", param]
    words += ["--hands", str(sitting.hands), "--seed", sitting.seed]
    if sitting.stack != usual.stack:
        words += ["--stack", str(sitting.stack)]
    if sitting.blinds != usual.blinds:
        words += ["--blinds", "/".join(map(str, sitting.blinds))]
    if sitting.seat != usual.seat:
        words += ["--seat", sitting.seat]
    words += ["--show-odds"] if sitting.show_odds else []
    words += ["--duplicate"] if sitting.duplicate else []
    return shlex.join(words)
