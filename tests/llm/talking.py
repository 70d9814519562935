"""A model that replies in the form that it is asked for. And now and then it errs."""

import json
from collections import Counter
from hashlib import sha256

from tests.llm import wire
from tests.llm.mixing import mixing


class Talker:
    """A policy of the test provider.

    What it says follows from the request alone; if it `varies`, also from how often the same request has come.
    """

    def __init__(self, *, varies=False):
        self._varies = varies
        self._seen = Counter()

    def __call__(self, prompt, body):
        """Reply to a request."""
        text = json.dumps(body, sort_keys=True)
        self._seen[text] += 1
        count = self._seen[text] if self._varies else 1
        roll = int(sha256(f"{count} {text}".encode()).hexdigest()[:12], 16)
        if roll % 13 == 0:
            return "I will not say."
        if '"strategy"' in prompt:
            return mixing(prompt)
        return wire.default_policy(prompt if not self._varies else f"{prompt}\n{count}", body)
