"""Short runs of one model against a bot that always calls, and what tests ask about them."""

import re

from molt_bench import run_benchmark
from molt_bench.runs.replies import Replies
from molt_bench.runs.run_files import RunFiles
from tests.llm import wire

MODELS = {
    "openai": "openai:gpt-4.1",
    "anthropic": "anthropic:claude-opus-4-5",
    "google": "google:gemini-2.5-flash",
}
HANDS = 2
GAMES = 2  # one seed, seats swapped
STREETS = 4
DECISIONS = STREETS * HANDS * GAMES  # of a model that never bets or folds, as its opponent never bets


class Kept(Replies):
    """All exchanges, in order."""

    def __init__(self):
        super().__init__()
        self.all = []

    def add(self, exchange):
        super().add(exchange)
        self.all.append(exchange)


def passive(prompt, _):
    """Check where that is free, call where it is not."""
    legal = re.findall(r"^Legal actions: (.*)$", prompt, re.MULTILINE)[-1]
    return {"reasoning": "Why not?", "kind": "check" if "check" in legal else "call", "amount": None}


def prompts_of(provider):
    """Return the last user message of every request."""
    return [wire.prompt_of(request.api, request.body) for request in provider.requests]


def base_url(provider, api="openai"):
    """Return the server's address as the API's library wants it: OpenAI's alone has the version in it."""
    return provider.url if api == "openai" else provider.url.removesuffix("/v1")


def model(provider, api="openai", **settings):
    """Return a participant who is a model at the test provider; Anthropic's API wants a limit of tokens."""
    limit = {"maxTokens": 1000} if api == "anthropic" else {}
    where = {"model": MODELS[api], "baseUrl": base_url(provider, api)}
    return {"id": "model", "type": "llm", **where, **limit, **settings}


def config(*participants, llm=None, game=None, seeds=1):
    """Return the config of one match: between two participants, or between one and a bot that always calls."""
    rivals = [{"id": "callstation", "type": "callstation"}] if len(participants) == 1 else []
    return {
        "participants": [*participants, *rivals],
        "seeds": {"perMatch": seeds, "masterSeed": "the master seed of these tests"},
        "game": {"handsPerGame": HANDS, **(game or {})},
        "scheduler": {"minSeedPairs": 1},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
        "llm": {"backoffS": 0.03, **(llm or {})},
    }


def run(provider, *, api="openai", llm=None, game=None, seeds=1, games_at_once=1, recorder=None, **settings):
    """Play one match of a model, one game after the other, and return the result."""
    wanted = config(model(provider, api, **settings), llm=llm, game=game, seeds=seeds)
    return run_benchmark(wanted, games_at_once=games_at_once, files=RunFiles(replies=recorder or Replies()))


def games_of(result):
    """Return the games of all matches, in the order of the schedule."""
    return [game for match in result.matches for game in match.games]


def faults_of(result):
    """Return the faults of all games, in the order of the games."""
    return [fault for game in games_of(result) for fault in game.faults]


def assert_complete(result, *, hands=HANDS, games=GAMES):
    """Check that everything was played and that both are rated."""
    assert [game.hands for game in games_of(result)] == [hands] * games
    assert {rating.id: rating.matches for rating in result.leaderboard} == dict.fromkeys(
        result.matches[0].participants, 1
    )
    assert all("no usable answer" in warning for warning in result.warnings)
