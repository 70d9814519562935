"""A model that uses whatever it is offered: tools, notes, either form of a reply. And now and then it errs."""

import json
import re
from collections import Counter
from hashlib import sha256

from tests.agents.llm import wire

#: The library makes these up for calls of tools that their provider gives no id.
_IDS = re.compile("pyd_ai_[0-9a-f]+")


def api_in(body):
    """Return the API that a request is written for."""
    if "contents" in body:
        return "google"
    if "input" in body:
        return "responses"
    return "openai" if body["messages"][0]["role"] in ("system", "developer") else "anthropic"


class Talker:
    """A policy of the test provider.

    What it says follows from the request alone; if it `varies`, also from how often the same request has come.
    """

    def __init__(self, *, varies=False):
        self._varies = varies
        self._seen = Counter()

    def __call__(self, prompt, body):
        """Reply to a request."""
        text = _IDS.sub("", json.dumps(body, sort_keys=True))
        self._seen[text] += 1
        count = self._seen[text] if self._varies else 1
        roll = int(sha256(f"{count} {text}".encode()).hexdigest()[:12], 16)
        api = api_in(body)
        offered = {"equity", "pot_odds"} & {*wire.tools_of(api, body)}
        if offered and len(wire.answers_of(api, body)) < roll % 3:
            calls = [("pot_odds", {"call": roll % 400})]
            if "equity" in offered and roll % 4 == 0:
                calls.append(("equity", {"range": "77+, AKs" if roll % 8 else "what?"}))
            return wire.Asks(calls)
        if roll % 13 == 0:
            return "I will not say."
        said = wire.default_policy(prompt if not self._varies else f"{prompt}\n{count}", body)
        return noted(said, prompt, roll) if roll % 4 == 0 else said


def noted(said, prompt, roll):
    """Return a reply with a note, where the prompt asks for one or takes one."""
    if isinstance(said, str):
        return f"NOTE: the roll was {roll}\n{said}"
    return {**said, "note": f"the roll was {roll}"} if re.search('"note": a note', prompt) else said
