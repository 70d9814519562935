"""A bot of the ACPC that plays or misbehaves as it is told to.

    acpc_bot.py BEHAVIOUR LOG FROM STACK HOST PORT

BEHAVIOUR is done at every decision from number FROM on; before that it plays at random. LOG gets all that it hears
(`<`), says (`>`) and does.
"""

import os
import re
import signal
import socket
import sys
import time
from random import Random  # noqa: TID251 - the bot's own dice, seeded

STATE = re.compile(r"MATCHSTATE:([01]):[0-9]+:([fcr0-9/]*):([2-9TJQKAcdhs|/]+)")


class State:
    """What a line of the dealer says, as far as this bot needs it: the big blind is player 0."""

    def __init__(self, line):
        found = STATE.fullmatch(line)
        if found is None:
            sys.exit(f"the dealer is wrong: {line!r}")
        position, betting, cards = int(found[1]), found[2], found[3]
        streets = betting.split("/")
        actions = re.findall(r"[fcr]", streets[-1])
        raises = [int(size) for size in re.findall(r"r([0-9]+)", betting)]
        shown = all(len(hole) == 4 for hole in cards.split("/")[0].split("|"))
        self.is_asked = not shown and "f" not in betting and (len(actions) + (len(streets) == 1)) % 2 == position
        #: What everybody has put in before this decision, and whether there is something to call.
        self.facing = max([100, *raises])
        self.is_free = "r" not in actions and (len(streets) > 1 or bool(actions))
        last = raises[-1] - ([100, *raises][-2]) if raises else 100
        self.least = self.facing + max(100, last)


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
            time.sleep(1000)
        if self.behaviour == "comments":
            self.say("# a bot\r\n; for the screen")
        self.say("VERSION:1.0.0" if self.behaviour == "old-version" else "VERSION:2.0.0")
        for line in self.socket.makefile("rb"):
            text = line.decode().removesuffix("\r\n")
            self.note("<", text)
            state = State(text)
            if state.is_asked:
                self.decide(state, text)
            elif self.behaviour == "answers-always":
                self.say(f"{text}:c")
        self.note("done")

    def decide(self, state, text):
        self.decisions += 1
        now = self.behaviour if self.decisions >= self.first else "well"
        self.note("did", now)
        if not self.misbehave(now, text):
            self.say(f"{text}:{self.choice(state, now)}")

    def choice(self, state, now):
        if now == "folds-for-free" and state.is_free:
            return "f"
        can_raise = state.facing < self.stack
        if now in ("shoves", "calls"):
            return f"r{self.stack}" if now == "shoves" and can_raise else "c"
        dice = self.dice.random()
        if not can_raise or dice < 0.5:
            return "f" if dice < 0.1 and not state.is_free else "c"
        return f"r{self.stack if dice > 0.95 else min(state.least, self.stack)}"

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


if __name__ == "__main__":
    Bot(*sys.argv[1:]).run()
