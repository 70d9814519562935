"""What servers bill under a limit of dollars, as runs against them find out: the table in research/models.md.

`python -m tests.llm.money_table` writes the table into the page. What is spent is what the server bills by its
own count: every request that it began to answer, whether anybody read the answer or not.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from molt_bench import run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.seeds import derive
from tests.llm.http1 import response
from tests.llm.playing import base_url, config
from tests.llm.provider import Provider

PAGE = Path(__file__).parents[2] / "research" / "models.md"
BEGIN, END = "<!-- money: generated -->\n", "<!-- end of money -->\n"
HEAD = "| 200 games at once, and a server that | limit | spent | of the limit |\n|---|---:|---:|---:|\n"

MODELS = {
    "openai": "openai:gpt-4.1",
    "responses": "openai-responses:gpt-5",
    "anthropic": "anthropic:claude-sonnet-4-5",
    "google": "google:gemini-2.5-flash",
}
#: Dollars for a million tokens.
PRICE = {"input": 2.0, "output": 8.0, "cachedInput": 0.5, "cacheWrites": 2.5}
#: Tokens of every prompt, as the server counts them, and those of them that come from its cache.
READ, CACHED = 1000, 200


def varied(least, most):
    """Write any number of tokens, few more often than many."""
    return lambda number: least + int((most - least) * (derive("lengths", number) % 1000 / 1000) ** 3)


@dataclass(frozen=True)
class Case:
    """What a server does, and how it is asked.

    Attributes:
        writes: From the number of a request to the tokens that its reply would have, thoughts included.
        keeps: Whether a reply keeps to the limit that the request asks for.
        fault: From the number of a request to a fault of the test provider, or to one of `BILLED_ERRORS`.
        reports: Changes the counts of tokens that are reported, which are billed all the same.
        dearer: How many times as much it bills as the prices say, and states so in every answer.
        timeout_s: Seconds for an answer: short only where one never comes, since a busy machine is slow to answer, too.
    """

    limit: float = 2.0
    api: str = "openai"
    model: dict[str, Any] = field(default_factory=dict)
    writes: Any = lambda _: 300
    keeps: bool = True
    fault: Any = None
    reports: Any = None
    read: int = READ
    tokens: int | None = None
    turns_after: int = 0
    timeout_s: float = 60.0
    dearer: float | None = None

    @property
    def honest(self):
        """Whether the server keeps to limits, and says what it bills."""
        return self.keeps and not self.turns_after and self.reports is None and self.fault is None


#: Answers that are worked out and billed, and never arrive: an error comes in their place.
BILLED_ERRORS = {
    "billed 500": (500, {"message": "Internal error"}),
    "billed 502": (502, {"message": "Bad gateway"}),
    "billed 503": (503, {"message": "Service unavailable"}),
    "billed 529": (529, {"message": "Overloaded"}),
    "billed filter": (400, {"message": "The response was filtered", "code": "content_filter"}),
}


def every(third, fault):
    """Return the fault of every so many requests."""
    return lambda number: fault if number % third == 0 else None


CASES = {
    "keeps to every limit, without `maxTokens`": Case(writes=varied(80, 2000)),
    "writes the same each time, without `maxTokens`": Case(),
    "keeps to `maxTokens: 500`": Case(model={"maxTokens": 500}, writes=varied(80, 3000)),
    "ignores `maxTokens: 500`": Case(model={"maxTokens": 500}, writes=varied(500, 3000), keeps=False),
    "ignores every limit, without `maxTokens`": Case(writes=varied(3000, 12_000), keeps=False),
    "ignores every limit, by more and more": Case(writes=lambda number: 2000 + 300 * number, keeps=False),
    "keeps to limits for 40 replies, then ignores them": Case(
        writes=varied(80, 3000), model={"maxTokens": 500}, turns_after=40
    ),
    "thinks for long, `reasoningEffort: high`, $10": Case(
        10.0, model={"reasoningEffort": "high"}, writes=varied(1000, 30_000)
    ),
    "thinks for long and ignores limits, `reasoningEffort: high`, $10": Case(
        10.0, model={"reasoningEffort": "high"}, writes=varied(1000, 60_000), keeps=False
    ),
    "has a limit of $20": Case(20.0, writes=varied(500, 20_000)),
    "has a limit of $20 and ignores limits": Case(20.0, writes=varied(500, 20_000), keeps=False),
    "is Gemini with long thoughts, $0.50": Case(0.5, "google", writes=varied(300, 6000)),
    "is Gemini whose thoughts come on top of the limit, $0.50": Case(
        0.5, "google", writes=varied(300, 6000), keeps=False
    ),
    "is Gemini with `thinkingTokens: 2000`": Case(
        api="google", model={"thinkingTokens": 2000}, writes=varied(300, 2500)
    ),
    "is Claude without `maxTokens`": Case(api="anthropic", writes=varied(80, 3000)),
    "is Claude with `reasoningEffort: medium`": Case(
        api="anthropic", model={"reasoningEffort": "medium"}, writes=varied(500, 9000)
    ),
    "is Claude and writes all prompts to its cache": Case(
        api="anthropic", reports={"cache_creation_input_tokens": 800}
    ),
    "speaks the Responses API and thinks": Case(api="responses", writes=varied(300, 9000)),
    "speaks the Responses API and ignores limits": Case(api="responses", writes=varied(300, 40_000), keeps=False),
    "counts prompts three times as high": Case(read=3 * READ),
    "states a cost of 13 times the price": Case(4.0, writes=varied(80, 1000), dearer=13.0),
    "states half of the price": Case(writes=varied(80, 2000), dearer=0.5),
    "thinks for 20,000 tokens, $3": Case(3.0, model={"reasoningEffort": "high"}, writes=lambda _: 20_000),
    "reports no counts of tokens": Case(model={"maxTokens": 500}, writes=varied(80, 400), reports="none"),
    "reports that it wrote nothing": Case(model={"maxTokens": 500}, writes=varied(80, 400), reports="nothing"),
    "reports negative counts": Case(model={"maxTokens": 500}, writes=varied(80, 400), reports="negative"),
    "breaks off every third answer": Case(model={"maxTokens": 500}, fault=every(3, "reset-midway")),
    "never answers every tenth request": Case(model={"maxTokens": 500}, fault=every(10, "hang"), timeout_s=2.0),
    "sends half of every third answer": Case(model={"maxTokens": 500}, fault=every(3, "cut-json")),
    "loses every third answer on the way, with a 502": Case(model={"maxTokens": 500}, fault=every(3, "billed 502")),
    "bills every third answer, and sends a 500": Case(fault=every(3, "billed 500"), writes=varied(80, 2000)),
    "bills every third answer, and sends a 503": Case(fault=every(3, "billed 503")),
    "bills every third answer, and sends a 529": Case(fault=every(3, "billed 529")),
    "bills every third prompt, and refuses it": Case(fault=every(3, "billed filter")),
    "is overloaded every third time, with a 503": Case(fault=every(3, "503")),
    "answers 429 every third time": Case(fault=every(3, "429")),
    "says nothing usable": Case(fault=every(1, "prose-only")),
    "has a limit of 50,000 tokens": Case(0.0, writes=varied(80, 2000), tokens=50_000),
    "has a limit of 50,000 tokens and ignores others": Case(0.0, writes=varied(80, 9000), tokens=50_000, keeps=False),
}
#: Those that every change is tried with; the others take a minute.
CORE = (
    "keeps to every limit, without `maxTokens`",
    "ignores `maxTokens: 500`",
    "ignores every limit, without `maxTokens`",
    "breaks off every third answer",
)


def limit_of(api, body):
    """Return how many tokens a reply may have, as a request says; None if it does not."""
    if api == "google":
        return (body.get("generationConfig") or {}).get("maxOutputTokens")
    names = {"openai": ("max_completion_tokens", "max_tokens"), "responses": ("max_output_tokens",)}
    return next((body[name] for name in names.get(api, ("max_tokens",)) if name in body), None)


class Till(Provider):
    """Bills what it writes.

    Attributes:
        bills: Dollars for every request in a game, in their order; or tokens, where those are limited.
        unlimited: Requests that had no limit of tokens.
    """

    def __init__(self, case):
        self.case, self.bills, self.unlimited = case, [], 0
        super().__init__(policy=self._said, fault=self._broken, latency_s=0.01)

    def _broken(self, request):
        fault = self.case.fault(request.number) if self.case.fault else None
        return None if fault in BILLED_ERRORS else fault

    def _said(self, prompt, body):
        legal = next(line for line in reversed(prompt.splitlines()) if line.startswith("Legal actions: "))
        return {"reasoning": "Why not?", "kind": "check" if "check" in legal else "call", "amount": None}

    def _plan(self, request, said=None):
        if said is not None:  # the short question before the first card
            return super()._plan(request, said)
        case, most = self.case, limit_of(request.api, request.body)
        self.unlimited += most is None
        written = case.writes(request.number)
        keeps = case.keeps and not 0 < case.turns_after < request.number
        if keeps and most is not None and written > most:
            written, request.fault = most, "cut-reply"
        head, body = super()._plan(request, said)
        if b" 200 " not in head.split(b"\r\n")[0]:
            return head, body
        self.bills.append(self._bill(written))
        instead = BILLED_ERRORS.get(case.fault(request.number)) if case.fault else None
        if instead is not None:
            return response(instead[0], {"error": instead[1]})
        if request.fault == "cut-json":
            return head, body
        answer = json.loads(body)
        self._count(request.api, answer, written)
        return response(200, answer)

    def _bill(self, written):
        case = self.case
        if case.tokens is not None:
            return case.read + written
        writes = (case.reports or {}).get("cache_creation_input_tokens", 0) if isinstance(case.reports, dict) else 0
        fresh = case.read - CACHED - writes
        read = fresh * PRICE["input"] + CACHED * PRICE["cachedInput"] + writes * PRICE["cacheWrites"]
        return (case.dearer or 1) * (read + written * PRICE["output"]) / 1e6

    def _count(self, api, answer, written):
        case, read = self.case, self.case.read
        name = "usageMetadata" if api == "google" else "usage"
        thoughts = written * 3 // 4
        answer[name] = {
            "openai": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
                "prompt_tokens_details": {"cached_tokens": CACHED},
                "completion_tokens_details": {"reasoning_tokens": thoughts},
            },
            "responses": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": CACHED},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": thoughts},
                "total_tokens": read + written,
            },
            "anthropic": {
                "input_tokens": read - CACHED,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": CACHED,
                "output_tokens": written,
            },
            "google": {
                "promptTokenCount": read,
                "cachedContentTokenCount": CACHED,
                "candidatesTokenCount": written - thoughts,
                "thoughtsTokenCount": thoughts,
                "totalTokenCount": read + written,
            },
        }[api]
        if case.dearer:
            answer[name]["cost"] = self.bills[-1]
        if case.reports == "none":
            del answer[name]
        elif case.reports == "nothing":
            answer[name] |= {"completion_tokens": 0, "total_tokens": read, "completion_tokens_details": None}
        elif case.reports == "negative":
            answer[name] |= {"prompt_tokens": -5, "completion_tokens": -5}
        elif case.reports:
            answer[name] |= case.reports
            answer[name]["input_tokens"] -= sum(case.reports.values())


@dataclass(frozen=True)
class Spent:
    """What came of a case: what was allowed and billed, the dearest request, and requests without a limit."""

    allowed: float
    billed: float
    dearest: float
    requests: int
    unlimited: int
    reason: str


def spend(case):
    """Play 200 games at once under a limit, and return what the server bills."""
    with Till(case) as till:
        where = {
            "model": MODELS[case.api],
            "baseUrl": base_url(till, "openai" if case.api == "responses" else case.api),
        }
        player = {"id": "model", "type": "llm", **where, "maxConcurrent": 200, **case.model}
        prices = {"prices": {MODELS[case.api]: PRICE}, "backoffS": 0.5}
        wanted = config(player, seeds=100, llm=prices, game={"actionTimeoutS": case.timeout_s, "handsPerGame": 1})
        limit = {"maxCostUsd": case.limit} if case.tokens is None else {"maxTokens": case.tokens}
        wanted["stop"]["budget"] = {"maxMatches": 1, **limit}
        result = run_benchmark(wanted, observer=Observer(on_warning=lambda _: None))
        bills = list(till.bills)
    allowed = case.tokens or case.limit
    return Spent(allowed, sum(bills), max(bills), len(bills), till.unlimited, result.stop_reason)


def row(name, spent):
    """Return a line of the table."""
    case = CASES[name]
    shown = [f"{each:,.0f}" if case.tokens else f"${each:,.2f}" for each in (spent.allowed, spent.billed)]
    return f"| {name} | {' | '.join(shown)} | {spent.billed / spent.allowed:.2f} |\n"


def written():
    """Return the table as the page has it."""
    return PAGE.read_text().split(BEGIN)[1].split(END)[0]


def write(rows):
    """Write the table into the page."""
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(before + BEGIN + HEAD + "".join(rows) + END + rest.split(END)[1])


if __name__ == "__main__":
    lines = []
    for name, case in CASES.items():
        found = spend(case)
        lines.append(row(name, found))
        print(lines[-1].strip(), found, flush=True)
    write(lines)
