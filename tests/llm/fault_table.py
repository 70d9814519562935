"""The table of faults in docs/reference/models.md, as runs against a real server find them out.

`python -m tests.llm.fault_table` writes the table into the page.
"""

import re
import socket
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from molt_bench import run_benchmark
from molt_bench.errors import ProviderError
from molt_bench.llm import transport
from molt_bench.runs.replies import Replies
from molt_bench.runs.run_files import RunFiles
from tests.llm import wire
from tests.llm.playing import MODELS, config, faults_of, model, passive
from tests.llm.provider import Provider
from tests.ports import deaf_port

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "models.md"
BEGIN, END = "<!-- faults: generated -->\n", "<!-- end of faults -->\n"
HEAD = "| what happens | fault | cost | if it goes on |\n|---|---|---|---|\n"

#: What the test provider does, by the name of its fault.
SERVER = {
    "429": "429, too many requests",
    "429-after": "429 with a pause to keep",
    "429-after-ms": "429 with a pause in milliseconds",
    "429-date": "429 with a date to wait for",
    "429-quota": "429, no credit left",
    "529": "529, overloaded",
    "500": "500",
    "503": "503",
    "503-after": "503 with a pause to keep",
    "401": "401, wrong key",
    "404": "404, no such model",
    "400": "400 that does not say why",
    "400-prompt": "400, the prompt is refused",
    "400-filter": "400, the prompt is filtered",
    "403-moderation": "403, the prompt is flagged by a gateway",
    "400-context": "400, the context is full",
    "413": "413, the request is too large",
    "reset": "connection reset before the answer",
    "reset-midway": "connection reset in the middle of the answer",
    "cut-json": "half an answer",
    "empty-body": "200 without a body",
    "html": "200 with a web page",
    "wrong-body": "200 with other JSON",
    "error-200": "200 that holds an error",
    "no-choices": "200 without a choice",
    "hang": "no answer in time",
    "drip": "an answer that drips in too slowly",
    "finish-error": "an answer that the provider breaks off with an error",
    "empty-reply": "empty reply",
    "cut-reply": "reply cut off by `maxTokens`",
    "cut-reply-stop": "reply that ends inside its object",
    "open-think": "thoughts that never end, with a draft in them",
    "refusal": "the model refuses",
    "content-filter": "the provider withholds the reply",
    "prose": "text around the object",
    "prose-only": "no object at all",
    "two-objects": "two objects",
    "wrong-schema": "an object with other fields",
    "giant": "an object of 5 MB",
    "giant-junk": "5 MB of junk",
    "illegal": "an action that is not legal",
    "echo-key": "the key in the reply (cut out)",
    "surrogate": "half of a character in the reply (replaced)",
}
#: Where there is no answer at all: how the address is made from that of a server that answers.
ADDRESSES = {
    "nothing listens": lambda url: f"http://127.0.0.1:{deaf_port()}/v1",
    "the name has no address": lambda url: "http://no-such-host.invalid/v1",
    "TLS where there is none": lambda url: url.replace("http:", "https:"),
}


def without_usage(body):
    return {name: value for name, value in body.items() if name != "usage"}


def cached_too_many(body):
    body["usage"]["prompt_tokens_details"]["cached_tokens"] = 10**9
    return body


def negative(body):
    body["usage"]["prompt_tokens"] = -5
    return body


#: What the server reports of tokens.
COUNTS = {
    "reply without counts of tokens": without_usage,
    "more tokens cached than read": cached_too_many,
    "negative counts of tokens": negative,
}


def rows():
    """Return the rows of the table: what happens, the fault, the cost, and what comes of it if it goes on."""
    found = [(text, *row_of(name)) for name, text in SERVER.items()]
    with Provider(policy=passive) as provider:
        found += [(text, *outcome(provider, base_url=address(provider.url))) for text, address in ADDRESSES.items()]
    with silent() as address, mock.patch.object(transport, "HANDSHAKE_S", 0.3):
        found.append(("a handshake that never ends", *outcome(None, base_url=address)))
    for text, change in COUNTS.items():
        whole = wire.openai_answer
        with mock.patch.object(wire, "openai_answer", lambda *args: change(whole(*args))):  # noqa: B023
            found.append((text, *row_of(None)))
    return found


def row_of(fault):
    """Return the row of one fault of the test provider."""

    def every_time(request):
        return fault if request.number > 1 else None

    game = {"actionTimeoutS": 1.5} if fault in ("hang", "drip") else {}
    with Provider(policy=passive, fault=[None, fault], retry_after=0.2) as provider:
        kinds, cost, _ = outcome(provider, game=game)
    with Provider(policy=passive, fault=every_time) as provider:
        *_, end = outcome(provider, game=game)
    return kinds, cost, end


def outcome(provider, *, base_url=None, game=None):
    """Play a short match and return the kinds of faults, how the second request was paid for, and how the run ended."""
    player = {"id": "model", "type": "llm", "model": MODELS["openai"], "baseUrl": base_url}
    player = model(provider) if base_url is None else player
    limits = {"backoffS": 0.0005, "transportRetries": 1, "prices": {MODELS["openai"]: {"input": 1, "output": 2}}}
    wanted = config(player, llm=limits, game={"handsPerGame": 2, "maxRetries": 1, **(game or {})})
    with tempfile.TemporaryDirectory() as folder:
        recorder = Replies(f"{folder}/replies.jsonl")
        try:
            result = run_benchmark(wanted, files=RunFiles(replies=recorder), games_at_once=1, preflight=False)
        except ProviderError as error:
            paused = "could not be asked for" in str(error)
            kinds, end = "none", "paused, then status 1" if paused else "status 1 at once"
        else:
            faults = faults_of(result)
            kinds = f"`{faults[0].kind}`" if faults else "none"
            end = "the hand is folded" if any(each.forced_fold for each in faults) else "the run goes on"
        finally:
            recorder.close()
        kept = Replies.reopen(f"{folder}/replies.jsonl", read_only=True).earlier
    refused = any(each.outcome == "refused" for each in kept)
    tried_again = refused or len(kept) < 2 or any(each.tries > 1 for each in kept)
    # A request that ended the run has no exchange: what it may have cost is in the ledger.
    open_ = recorder.ledger.unaccounted
    most = open_.requests > 0 or any(each.lost.requests for each in kept)
    return kinds, "unaccounted" if most else "none" if tried_again else "as reported", end


@contextmanager
def silent():
    """Listen, and never say a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/v1"


def table():
    """Return the table as the page has it."""
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows())


def written():
    """Return the table that is in the page."""
    return re.search(f"{re.escape(BEGIN)}(.*?){re.escape(END)}", PAGE.read_text("utf-8"), re.DOTALL)[1]


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    PAGE.write_text(text.replace(f"{BEGIN}{written()}{END}", f"{BEGIN}{table()}{END}"), "utf-8")
