"""A bot of the ACPC that checks every line of the dealer, and plays or misbehaves as it is told to.

    acpc_bot.py BEHAVIOUR LOG FROM STACK HOST PORT

It knows the rules of the competition's own dealer and nothing of ours. At a line that this dealer would not have sent,
it stops with status 9. BEHAVIOUR is done at every decision from number FROM on; before that it plays at random. LOG
gets all that it hears (`<`), says (`>`) and does.
"""

import os
import re
import signal
import socket
import sys
import time
from contextlib import suppress
from random import Random  # noqa: TID251 - the bot's own dice, seeded

BLINDS = (100, 50)
BOARDS = (0, 3, 4, 5)


class Wrong(Exception):  # noqa: N818 - reads as what it is
    """The dealer has sent what it must not send."""


def must(holds, what):
    if not holds:
        raise Wrong(what)


class State:
    """The state of a hand by the actions so far."""

    def __init__(self, stack):
        self.stack = stack
        self.spent = list(BLINDS)
        self.rounds = [[]]
        self.least = 2 * max(BLINDS)
        self.folded = None
        self.over = False

    @property
    def actor(self):
        first = 1 if len(self.rounds) == 1 else 0
        return (first + len(self.rounds[-1])) % 2

    @property
    def is_free(self):
        return self.spent[self.actor] == max(self.spent)

    @property
    def sizes(self):
        """The smallest and the largest raise; None if there is none."""
        if max(self.spent) == self.stack:
            return None
        return min(self.least, self.stack), self.stack

    def play(self, action):
        must(not self.over, f"{action} after the hand")
        actor, facing = self.actor, max(self.spent)
        is_first = not self.rounds[-1]
        if action == "f":
            must(not self.is_free, "a fold that is free")
            self.folded, self.over = actor, True
        elif action == "c":
            self.spent[actor] = facing
        else:
            size = int(action[1:])
            must(self.sizes is not None and self.sizes[0] <= size <= self.sizes[1], f"{action} of {self.sizes}")
            self.least = max(self.least, 2 * size - facing)
            self.spent[actor] = size
        self.rounds[-1].append(action)
        if action == "c" and (not is_first or facing == self.stack):
            if facing == self.stack:
                self.rounds += [[] for _ in range(4 - len(self.rounds))]
            self.over = len(self.rounds) == 4
            if not self.over:
                self.rounds.append([])
                self.least = facing + max(BLINDS)

    @property
    def betting(self):
        return "/".join("".join(each) for each in self.rounds)


def replayed(betting, stack):
    state = State(stack)
    for action in re.findall(r"f|c|r[0-9]+", betting):
        state.play(action)
    must(state.betting == betting, f"betting {betting}, written {state.betting}")
    return state


class Seen:
    """A line of the dealer, checked by itself."""

    def __init__(self, line, stack):
        found = re.fullmatch(rb"MATCHSTATE:([01]):(0|[1-9][0-9]*):([fcr0-9/]*):([2-9TJQKAcdhs|/]+)\r\n", line)
        must(found, f"the form of {line!r}")
        position, number, betting, cards = (part.decode() for part in found.groups())
        self.text = line.decode().removesuffix("\r\n")
        self.position, self.number, self.betting = int(position), int(number), betting
        self.state = replayed(betting, stack)
        self.holes, *self.board = cards.split("/")
        holes = self.holes.split("|")
        must(len(holes) == 2, f"hole cards {self.holes}")
        self.own, self.other = holes[self.position], holes[1 - self.position]
        must(len(self.own) == 4, "own cards")
        showdown = self.state.over and self.state.folded is None
        must(len(self.other) == (4 if showdown else 0), f"cards of the other {self.other!r}")
        must([len(each) for each in self.board] == [6, 2, 2][: len(self.state.rounds) - 1], f"board {self.board}")
        every = re.findall("..", "".join((self.own, self.other, *self.board)))
        must(len({*every}) == len(every), f"a card twice in {every}")

    def check_after(self, last):
        """Check that it may come after another."""
        if self.number != last.number:
            must(self.number == last.number + 1, f"hand {self.number} after {last.number}")
            must(self.position == 1 - last.position, "positions alternate")
            must(not self.betting, "a hand begins with its deal")
            must(last.state.over or last.state.is_free, f"hand {last.number} has no end, and no free fold")
            return
        must(self.position == last.position and self.own == last.own, "another view")
        must(self.board[: len(last.board)] == last.board, "another board")
        actions, before = (re.findall(r"f|c|r[0-9]+", each.betting) for each in (self, last))
        must(len(actions) == len(before) + 1 and actions[:-1] == before, f"{self.betting} after {last.betting}")


class Bot:
    def __init__(self, behaviour, log, first, stack, host, port):
        self.behaviour, self.first, self.stack = behaviour, int(first), int(stack)
        self.log = open(log, "a", buffering=1)  # noqa: SIM115 - for as long as it lives
        self.address = host, int(port)
        self.dice = Random(7)
        self.decisions = 0

    def note(self, *words):
        self.log.write(" ".join(map(str, words)) + "\n")

    def say(self, text):
        self.note(">", text)
        self.socket.sendall(f"{text}\r\n".encode())

    def run(self):
        self.note("start", os.getpid(), os.getcwd(), sorted(os.environ))
        if self.behaviour == "never-connects":
            time.sleep(1000)
        if self.behaviour == "ends-at-once":
            sys.exit("no licence")
        self.socket = socket.create_connection(self.address)
        if self.behaviour == "no-version":
            time.sleep(0.5)  # so that the other end has noticed, too
            self.note("connected")
            time.sleep(1000)
        if self.behaviour == "comments":
            self.say("# a bot\r\n; for the screen")
        self.say("VERSION:1.0.0" if self.behaviour == "old-version" else "VERSION:2.0.0")
        last = None
        for line in self.socket.makefile("rb"):
            self.note("<", line.decode().removesuffix("\r\n"))
            seen = Seen(line, self.stack)
            if last is not None and line != self.asked_again:
                seen.check_after(last)
            last = seen
            self.asked_again = None
            if not seen.state.over and seen.state.actor == seen.position:
                self.decide(seen)
            elif self.behaviour == "answers-always":
                self.say(f"{seen.text}:c")
        self.note("done")

    asked_again = None

    def decide(self, seen):
        self.decisions += 1
        now = self.behaviour if self.decisions >= self.first else "well"
        self.note("did", now)
        self.asked_again = f"{seen.text}\r\n".encode()
        if not self.misbehave(now, seen.text):
            self.say(f"{seen.text}:{self.choice(seen.state, now)}")

    def choice(self, state, now):
        if now == "folds-for-free" and state.is_free:
            return "f"
        if now in ("shoves", "calls"):
            return f"r{self.stack}" if now == "shoves" and state.sizes else "c"
        dice = self.dice.random()
        if state.sizes is None or dice < 0.5:
            return "f" if dice < 0.1 and not state.is_free else "c"
        least, most = state.sizes
        wanted = least if dice < 0.7 else most if dice > 0.95 else least + int((dice - 0.7) * (most - least) / 2)
        return f"r{wanted}"

    def misbehave(self, now, text):
        """Do what is no answer; return whether it was done instead of one."""
        match now:
            case "crash":
                os.write(2, b"some line\nout of cards\n")
                os._exit(3)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
                time.sleep(1000)
            case "hang":
                time.sleep(1000)
            case "hangs-up":
                self.socket.shutdown(socket.SHUT_RDWR)
                time.sleep(1000)
            case "garbage":
                self.say("I think I shall call.")
            case "empty":
                self.say("")
            case "illegal":
                self.say(f"{text}:r1")
            case "long-line":
                self.socket.sendall(b"x" * 200_000)
                time.sleep(1000)
            case "flood":
                self.write_on(f"{text}9:c\r\n".encode() * 50_000)
            case "endless-comments":
                self.write_on(b"# still thinking\r\n" * 500_000)
            case "twice":
                self.socket.sendall(f"{text}:c\r\n".encode())
                return False
            case "comments":
                self.say("# thinking\r\n; for the screen")
                return False
            case "line-feeds":
                self.socket.sendall(f"{text}:c\n".encode())
            case "noise":
                os.write(1, b"to standard output\n")
                os.write(2, b"to standard error\n")
                return False
            case _:
                return False
        return True

    def write_on(self, data):
        """Write until the other end hangs up."""
        with suppress(OSError):
            self.socket.sendall(data)
        time.sleep(1000)


if __name__ == "__main__":
    try:
        Bot(*sys.argv[1:]).run()
    except Wrong as problem:
        sys.stderr.write(f"the dealer is wrong: {problem}\n")
        os._exit(9)
