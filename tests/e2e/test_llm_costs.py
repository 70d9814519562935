"""What language models take is counted to the token, shown, and kept within its budget."""

import json
import re
import shutil

import pytest

from molt_bench.cli.run_result import UNRATED
from molt_bench.llm.prices import Price, PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens
from molt_bench.report.number_text import dollars
from tests.e2e.llm import (
    MODEL,
    PRICE,
    asked,
    config_for,
    exchanges_in,
    forked,
    played,
    preflights_in,
    prepared,
    recorded,
    until,
)
from tests.e2e.shell import FILES, everything, games_in, one_clear_line, quick, read, run_of, usage_in


class Shown:
    """A run, and what it showed."""

    def __init__(self, home, config):
        done = quick(*prepared(home, config), cwd=home)
        assert done.returncode == 0, done.stderr
        self.out, self.err = done.stdout, done.stderr
        self.folder = run_of(home / "out")
        (self.model,) = usage_in(self.folder).values()
        self.exchanges = exchanges_in(self.folder)
        self.paid = [*preflights_in(self.folder), *self.exchanges]


@pytest.fixture(scope="module")
def priced(one_server, tmp_path_factory):
    """Return a run of a model with a price."""
    one_server.calm()
    return Shown(tmp_path_factory.mktemp("priced"), config_for(one_server.url))


@pytest.fixture(scope="module")
def unpriced(one_server, tmp_path_factory):
    """Return a run of a model without a price."""
    one_server.calm()
    return Shown(tmp_path_factory.mktemp("unpriced"), config_for(one_server.url, llm={"prices": {}}))


def limited(server, **limits):
    """Return the config of a run with a budget."""
    config = config_for(server.url)
    return {**config, "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3, **limits}}}


def tokens_of(line):
    """Return the tokens of an exchange, input and output."""
    return line["tokens"]["input"] + line["tokens"]["output"]


def test_the_tokens_of_a_run_are_the_sums_of_its_exchanges(priced):
    for kind in ("input", "cached", "output", "reasoning"):
        assert priced.model["tokens"][kind] == sum(line["tokens"][kind] for line in priced.paid) > 0
    assert priced.model["exchanges"] == priced.model["decisions"] == len(priced.exchanges)


def test_the_dollars_of_a_run_are_the_sums_of_its_exchanges(priced):
    for line in priced.paid:
        tokens = line["tokens"]
        fresh = tokens["input"] - tokens["cached"]
        exact = fresh * PRICE["input"] + tokens["cached"] * PRICE["cachedInput"] + tokens["output"] * PRICE["output"]
        assert line["costUsd"] == pytest.approx(exact / 1e6, rel=1e-12)
    spent = sum(line["costUsd"] for line in priced.paid)
    assert priced.model["costUsd"] == pytest.approx(spent, rel=1e-9)
    assert priced.model["costUsdPerHand"] == pytest.approx(spent / (2 * 4 * 6), rel=1e-9)
    assert priced.model["costUsdPer100Decisions"] == pytest.approx(100 * spent / len(priced.exchanges), rel=1e-9)


def test_every_match_shows_calls_tokens_and_dollars_so_far(priced):
    lines = [line for line in priced.err.splitlines() if line.startswith("match ")]
    assert len(lines) == 3
    for number, line in enumerate(lines, start=1):
        so_far = [each for each in priced.paid if each["game"]["match"] <= number]
        usd = sum(each["costUsd"] for each in so_far)
        assert f", {len(so_far) - 1:,} calls, {sum(map(tokens_of, so_far)):,} tokens, ${usd:,.2f}" in line


def test_the_table_shows_what_every_model_cost(priced):
    heading, _, row = re.search(r"^ ?model .*\n.*\n ?model .*$", priced.out, re.MULTILINE)[0].splitlines()
    assert {"cost", "$/hand", "cached"} <= {*heading.split()}
    for usd in (priced.model["costUsd"], priced.model["costUsdPerHand"]):
        assert dollars(usd) in row
    assert len(heading) <= len(row) + 20 <= 100


def test_json_has_what_every_model_took(priced):
    content = json.loads(quick("report", priced.folder, "--json").stdout)
    assert {row["id"]: row["usage"] for row in content["participants"] if "usage" in row} == usage_in(priced.folder)


def test_what_has_no_price_is_unpriced_not_free(unpriced):
    assert unpriced.model["costUsd"] is None
    assert unpriced.model["costUsdPerHand"] is None
    assert all(line.get("costUsd") is None for line in unpriced.exchanges)
    assert unpriced.model["tokens"]["input"] > 0
    assert "unpriced" in unpriced.out
    assert "$0" not in unpriced.out


def test_what_has_no_price_is_not_free_in_the_lines_of_progress_either(unpriced):
    assert "tokens, unpriced" in unpriced.err
    assert "$0" not in unpriced.err


def test_a_budget_of_dollars_needs_a_price(tmp_path, server):
    config = limited(server, maxCostUsd=5.0)
    config["llm"]["prices"] = {}
    before = server.received
    done = quick(*prepared(tmp_path, config), cwd=tmp_path)
    one_clear_line(done, "stop.budget.maxCostUsd", MODEL, "llm.prices")
    assert not (tmp_path / "out").exists()
    assert server.received == before


@pytest.mark.parametrize(
    ("limit", "said", "at_once"),
    [
        ({"maxTokens": 4_000}, "the budget of 4,000 tokens is spent", None),
        ({"maxCostUsd": 1.6}, "the budget of $1.6 ", "1"),
    ],
    ids=["tokens, all games", "dollars, one game at a time"],
)
def test_a_budget_below_one_match_ends_the_run_in_the_middle_of_it(tmp_path, server, limit, said, at_once):
    """No more is spent than the calls under way take; complete seed pairs are rated, and all can be played again."""
    server.delay = 0.005
    flags = ("--games-at-once", at_once) if at_once else ()
    folder = played(tmp_path, limited(server, **limit), *flags, status=0 if at_once else UNRATED)
    lines = exchanges_in(folder)
    spent = [tokens_of(line) if "maxTokens" in limit else line["costUsd"] for line in lines]
    (most,) = limit.values()
    under_way = 1 if at_once else 4
    assert 0.5 * most < sum(spent) <= 1.02 * most + under_way * max(spent)
    reason = read(folder, "summary.json")["stopReason"]
    assert reason.startswith(said)
    assert reason.endswith("in the middle of a round") or "has no room for another seed pair" in reason
    assert everything(folder).keys() == FILES | {"replies.jsonl"}
    assert len(games_in(folder)) < 4
    rated = [match["seeds"] for match in read(folder, "matches.json")["matches"]]
    assert [len(seeds) for seeds in rated] == ([1] if at_once else [])
    stays_as_it_is(folder, server)


def stays_as_it_is(folder, server):
    """Check that a run that has ended is verified and gone on with, asking nobody, and stays as it is."""
    before, received = everything(folder), server.received
    for command in (("verify", folder), ("resume", folder)):
        done = quick(*command)
        unrated = command[0] == "resume" and not read(folder, "matches.json")["matches"]
        assert done.returncode == (UNRATED if unrated else 0), done.stderr
    assert everything(folder) == before
    assert server.received == received


@pytest.mark.slow
def test_a_run_whose_money_ended_in_the_middle_of_a_round_is_extended_and_pays_nothing_twice(tmp_path, server):
    config = config_for(server.url, memory="none")
    config["stop"] = {"adjacentConfidence": None, "budget": {"maxMatches": 2, "maxTokens": 3000}}
    run = played(tmp_path, config, status=UNRATED)
    assert read(run, "summary.json")["stopReason"].endswith("in the middle of a round")
    before, kept = len(exchanges_in(run)), server.since(0)
    done = quick("resume", "--run-agents", run, "--set", "stop.budget.maxTokens=null", "--quiet")
    assert done.returncode == 0, done.stderr
    assert read(run, "summary.json")["stopReason"] == "the budget of 2 matches is spent"
    keys = [exchange["key"] for exchange in exchanges_in(run)]
    assert len(keys) == len({*keys}) > before
    assert len(server.since(len(kept))) == len(keys) - before
    again = quick("verify", run)
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("what", ["maxTokens", "maxCostUsd"])
def test_a_budget_without_room_for_another_match_ends_the_run_before_it(tmp_path, server, priced, what):
    first = [line for line in priced.exchanges if line["game"]["match"] == 1]
    spent = sum(map(tokens_of, first)) if what == "maxTokens" else sum(line["costUsd"] for line in first)
    most = int(1.9 * spent) if what == "maxTokens" else round(1.9 * spent, 4)
    before = server.received
    folder = played(tmp_path, limited(server, **{what: most}))
    assert asked(server.since(before)) == recorded(folder)
    assert server.received - before == len(first)
    reason = read(folder, "summary.json")["stopReason"]
    assert "has no room for another match" in reason
    assert (f"{most:,} tokens" if what == "maxTokens" else f"${most:,.10g} has") in reason
    assert len(read(folder, "matches.json")["matches"]) == 1
    assert len(games_in(folder)) == 4
    if what == "maxCostUsd":
        stays_as_it_is(folder, server)


@pytest.mark.slow
def test_what_was_spent_before_a_kill_counts_after_it(tmp_path, server):
    config, before = limited(server, maxTokens=6_000), server.received

    def kill(request):
        if request.number == before + 12:
            until(lambda: process)
            process.kill()
            process.wait()

    process, server.hook = None, kill
    process = forked(tmp_path, config, "--games-at-once", "1")
    process.communicate()
    folder = run_of(tmp_path / "out")
    assert len(exchanges_in(folder)) == 11
    done = quick("resume", "--run-agents", folder, "--quiet", "--games-at-once", "1")
    assert done.returncode == 5, done.stderr  # no match was rated
    spent = [tokens_of(line) for line in exchanges_in(folder)]
    lost = read(folder, "summary.json")["unaccounted"]  # what was under way
    assert lost["requests"] == 1
    assert sum(spent) <= 6_000 < sum(spent) + lost["tokens"] + 2 * max(spent)
    assert "6,000 tokens is spent" in read(folder, "summary.json")["stopReason"]


@pytest.mark.slow
def test_a_lost_table_of_costs_is_written_anew(priced, tmp_path):
    folder = shutil.copytree(priced.folder, tmp_path / "run")
    (folder / "leaderboard.json").unlink()
    done = quick("report", folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "leaderboard.json").read_bytes() == (priced.folder / "leaderboard.json").read_bytes()


def settings(model, **more):
    """Return the settings of a model."""
    return LLMSettings(model=model, **more)


@pytest.mark.parametrize("model", ["openai:gpt-4.1", "openai-chat:gpt-4.1", "openai-responses:gpt-4.1"])
def test_published_prices_are_known(model):
    prices = PriceList({})
    assert prices.cost(settings(model), Tokens(1000, 0, 1000, 0)) == pytest.approx(0.002 + 0.008)
    assert prices.knows(settings(model))


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-4-5", "google:gemini-2.5-pro"])
def test_published_prices_of_other_providers_are_known(model):
    assert PriceList({}).cost(settings(model), Tokens(1000, 0, 1000, 0)) > 0


@pytest.mark.parametrize("model", ["openai:no-such-model", "nosuch:gpt-4.1"])
def test_an_unknown_model_has_no_price(model):
    assert PriceList({}).cost(settings(model), Tokens(1000, 0, 1000, 0)) is None
    assert not PriceList({}).knows(settings(model))


def test_a_model_at_a_server_of_the_users_own_has_no_published_price():
    own = settings("openai:gpt-4.1", base_url="http://127.0.0.1:8000/v1")
    assert PriceList({}).cost(own, Tokens(1000, 0, 1000, 0)) is None


@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:8000/v1"])
def test_a_price_of_ones_own_wins(base_url):
    prices = PriceList({"openai:gpt-4.1": Price(input=1.0, output=2.0)})
    cost = prices.cost(settings("openai:gpt-4.1", base_url=base_url), Tokens(1_000_000, 0, 1_000_000, 0))
    assert cost == pytest.approx(3.0)


def test_a_price_of_nothing_is_a_price():
    prices = PriceList({"openai:gpt-4.1": Price(input=0.0, output=0.0)})
    assert prices.cost(settings("openai:gpt-4.1"), Tokens(1000, 0, 1000, 0)) == 0.0
    assert prices.knows(settings("openai:gpt-4.1"))


def test_cached_tokens_are_cheaper():
    fresh, cached = Tokens(1000, 0, 10, 0), Tokens(1000, 900, 10, 0)
    published, model = PriceList({}), settings("openai:gpt-4.1")
    assert 0 < published.cost(model, cached) < published.cost(model, fresh)
    own = Price(input=10.0, output=10.0, cached_input=1.0)
    assert own.cost(cached) == pytest.approx((100 * 10 + 900 * 1 + 10 * 10) / 1e6)
    assert Price(input=10.0, output=10.0).cost(cached) == own.cost(fresh)
