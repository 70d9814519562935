"""A live agent in plain Python: checks or calls, whatever happens. Usage: python client.py INVITATION."""

import json
import sys
import time
import urllib.error
import urllib.request
from typing import Any


def answer_of(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send a request until there is an answer: the same one sent twice counts once."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    for _ in range(300):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return dict(json.loads(response.read() or "{}"))
        except urllib.error.HTTPError as error:
            if error.code < 500:
                return dict(json.loads(error.read()))
        except OSError:
            pass  # the server is restarted, or gone
        time.sleep(1)
    sys.exit("the server is gone: the run may be over")


def decide(seen: dict[str, Any]) -> dict[str, Any]:
    """Return the action for a decision, such as {"kind": "raiseTo", "amount": 300}. Your strategy goes here."""
    kinds = [each["kind"] for each in seen["legal"]]
    return {"kind": "check" if "check" in kinds else "call"}


def main(invitation: str) -> None:
    """Play until the run is over."""
    found: dict[str, Any] = {}
    while "over" not in found:
        turn = found.get("turn")
        if turn is None:
            found = answer_of(f"{invitation}/v1/turn?wait=25")
        else:
            action = {"turn_token": turn["turn_token"], **decide(turn["observation"])}
            found = answer_of(f"{invitation}/v1/act?wait=25", action)
        error = found.get("error", {}).get("code")
        if error == "INVITATION_NOT_FOUND":
            sys.exit("no such invitation")
    print(found["over"]["reason"])


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
