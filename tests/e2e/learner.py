"""A server that learns during a game, and what it takes to kill the program while the server is asked."""

import json
import threading
from collections import Counter
from zlib import crc32

from tests.agents.external.server import Server, response
from tests.e2e.shell import Fork, quick, run_of

#: What nobody at the table knows; fixed, so that runs can be compared.
SECRET = "0c5a7e1f93b84d26a1d07be2f4c8695e"


def dice_of(seen):
    """Return a number from 0 to 99 that follows from a decision alone."""
    return crc32(json.dumps([seen["cards"], seen["board"], seen["log"]]).encode()) % 100


class Learner(Server):
    """Plays by the cards, with some illegal answers; folds everything if it was not told how every hand before ended.

    Attributes:
        asked: The questions, in order; the cards make each one unique in a run.
        kill: A process, the number of the question at which it is killed, and whether the answer is sent first.
    """

    def __init__(self):
        super().__init__()
        self.asked = []
        self.kill = None

    def since(self, before):
        """Return how often each question was asked after the first so many."""
        return Counter(self.asked[before:])

    def _answer(self, seen):
        self.asked.append((*seen["cards"], len(seen["log"]), seen["handNumber"], seen["previousError"]))
        process, at, answer_first = self.kill or (None, 0, False)
        if process is not None and len(self.asked) == at:
            if answer_first:
                threading.Timer(0.002 * (dice_of(seen) % 10), process().kill).start()
            else:
                process().kill()
        return response(json.dumps({"type": "action", "id": seen["id"], **self._action(seen)}).encode())

    def _action(self, seen):
        game, dice = seen["game"], dice_of(seen)
        told = [each["handNumber"] for each in self.messages if each["type"] == "handResult" and each["game"] == game]
        legal = {each["kind"]: each for each in seen["legal"]}
        if told != [*range(1, seen["handNumber"])]:
            return {"kind": "fold"}
        if dice < 8 and seen["previousError"] is None:
            return {"kind": "raiseTo", "amount": 1}
        if dice < 40 and "raiseTo" in legal:
            return {"kind": "raiseTo", "amount": legal["raiseTo"]["min"]}
        return {"kind": "call" if seen["toCall"] else "check"}


def config_of(server, *others, stacks="reset", **settings):
    """Return the config of a small run with a server."""
    return {
        "participants": [{"id": "web", "type": server.url, **settings}, *others],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 4, "stacks": stacks, "stack": 1500 if stacks == "carry" else 10_000},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}},
        "outputDir": "out",
    }


def prepared(home, config):
    """Write a config into a folder and return the flags that play it there."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "seed").write_text(SECRET)
    (home / "bench.json").write_text(json.dumps(config))
    return ("--config", "bench.json", "--master-seed-file", "seed", "--quiet")


def played(home, config, *flags):
    """Play a run, which must succeed, and return its folder."""
    done = quick(*prepared(home, config), *flags, cwd=home)
    assert done.returncode == 0, done.stderr
    return run_of(home / "out")


def killed(home, config, server, *flags, at, answer_first=False):
    """Begin a run, or resume it; kill it at a question of this sitting, and return its folder."""
    process = None
    started = threading.Event()

    def there():
        started.wait()
        return process

    server.kill = (there, len(server.asked) + at, answer_first)
    begun = (home / "out").exists()
    what = ("resume", "--run-agents", run_of(home / "out"), "--quiet") if begun else prepared(home, config)
    process = Fork(*what, *flags, cwd=home)
    started.set()
    _, err = process.communicate()
    server.kill = None
    assert process.returncode == -9, (process.returncode, err)
    return run_of(home / "out")
