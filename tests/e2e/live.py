"""A live run as its operator and its agents see it: the server in a process of its own, and agents that poll."""

import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request

import yaml

from tests.e2e.learner import dice_of
from tests.e2e.shell import MOLT_BENCH

#: Far more than anything takes on a slow machine.
LONG_S = 900.0


def live_config(path, *participants, **sections):
    """Write a config of live agents and bots; a name alone is a live agent."""
    chosen = [{"id": each, "type": "live"} if isinstance(each, str) else each for each in participants]
    config = {
        "participants": chosen,
        "game": {"handsPerGame": 6},
        "seeds": {"perMatch": 2},
        "stop": {"budget": {"maxMatches": 1}, "adjacentConfidence": None},
        "outputDir": str(path / "runs"),
        **sections,
    }
    file = path / "live.yaml"
    file.write_text(yaml.safe_dump(config))
    return file


class Served:
    """`molt-bench serve`, or another command that serves, in a process of its own."""

    def __init__(self, *arguments, command="serve", env=None, **options):
        self._process = subprocess.Popen(
            [MOLT_BENCH, command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            **options,
        )
        self.out, self.err = "", ""
        self._said = threading.Condition()
        self._readers = [threading.Thread(target=self._read, args=(name,), daemon=True) for name in ("out", "err")]
        for reader in self._readers:
            reader.start()

    def _read(self, name):
        stream = self._process.stdout if name == "out" else self._process.stderr
        for line in stream:
            with self._said:
                setattr(self, name, getattr(self, name) + line)
                self._said.notify_all()
        with self._said:
            self._said.notify_all()

    def invitations(self, count):
        """Return the URLs of the invitations, in their order."""
        with self._said:
            self._said.wait_for(lambda: self.out.count("/j/") >= count or self._process.poll() is not None, LONG_S)
        found = re.findall(r"http://\S+/j/\w+", self.out)
        assert len(found) == count, (self.out, self.err)
        return found

    def wait_for(self, text):
        """Wait until something was printed, on either stream."""
        with self._said:
            self._said.wait_for(lambda: text in self.out + self.err or self._process.poll() is not None, LONG_S)
        assert text in self.out + self.err, (self.out, self.err)

    def signal(self, number):
        self._process.send_signal(number)

    def ended(self):
        """Wait for the end and return the status."""
        status = self._process.wait(LONG_S)
        for reader in self._readers:
            reader.join(LONG_S)
        self._process.stdout.close()
        self._process.stderr.close()
        return status


class Poller(threading.Thread):
    """An agent that polls, and comes back however often the server goes away; `decide` maps a turn to an action."""

    def __init__(self, url, decide=None, *, on_decision=None):
        super().__init__(daemon=True)
        self.url = url
        self.decide = decide or cheapest
        self.on_decision = on_decision
        self.asked = []
        self.over = None
        self.start()

    def run(self):
        until = time.monotonic() + LONG_S
        turn = None
        while self.over is None and time.monotonic() < until:
            try:
                if turn is None:
                    status, body = request(f"{self.url}/v1/turn?wait=5")
                else:
                    action = self.decide(turn)
                    status, body = request(f"{self.url}/v1/act?wait=5", {"turn_token": turn["turn_token"], **action})
            except OSError:
                time.sleep(0.05)
                turn = None
                continue
            turn = body.get("turn") if body and status == 200 else None
            if body and body.get("over"):
                self.over = body["over"]
            if turn is not None:
                self.asked.append((turn["turn_token"], turn["observation"]))
                if self.on_decision is not None:
                    self.on_decision(len(self.asked))

    def done(self):
        """Wait until the agent has learnt that the run is over."""
        self.join(LONG_S)
        assert self.over is not None
        return self


def request(url, body=None):
    """Send a request; return its status and what its body says."""
    data = None if body is None else json.dumps(body).encode()
    sent = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(sent, timeout=LONG_S) as response:
            status, text = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    return status, json.loads(text) if text else None


def page(url):
    """Return the text of a page."""
    with urllib.request.urlopen(url, timeout=LONG_S) as response:
        return response.read().decode()


def cheapest(turn):
    """Return the cheapest action that does not fold."""
    return {"kind": turn["observation"]["legal"][1]["kind"]}


def mixing(turn):
    """Return an action by the decision alone, so that the same decision gets the same answer."""
    seen = turn["observation"]
    legal = {each["kind"]: each for each in seen["legal"]}
    dice = dice_of(seen)
    if dice < 10:
        return {"kind": "fold"}
    if dice < 40 and "raiseTo" in legal:
        return {"kind": "raiseTo", "amount": legal["raiseTo"]["min"]}
    return cheapest(turn)
