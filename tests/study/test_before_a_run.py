"""What a run will cost is said before it begins, in one sentence."""

import pytest

from molt_bench.config.loader import load_config
from molt_bench.study.before_a_run import (
    outlay_of,
    too_little,
    what_the_budget_shows,
    what_the_limit_buys,
)
from molt_bench.study.plan import Plan

PRICE = {"input": 2.0, "output": 8.0}


def config(*models, price=PRICE, budget=None, **settings):
    """Return the config of models and a bot."""
    players = [{"id": name, "type": f"llm:{name}", **settings} for name in models]
    prices = dict.fromkeys(models, price) if price else {}
    return load_config(
        {
            "participants": [*players, "tag", "tight"][: max(2, len(players) + 1)],
            "stop": {"budget": {"maxMatches": 20, **(budget or {})}},
            "llm": {"prices": prices},
        }
    )


@pytest.mark.parametrize("usd", [2, 50])
def test_what_a_limit_buys_is_said_beside_a_first_ranking(usd):
    found = config("openai:m", budget={"maxCostUsd": usd})
    opening = Plan(found).price(Plan(found).opening)
    bought, ranking = what_the_limit_buys(found).split("; ")
    assert bought == f"${usd} buys about {int(opening.games * usd / opening.usd)} games"
    assert ranking == f"a first ranking takes about {opening.games} games and ${opening.usd:,.2f}"


def test_a_limit_that_does_not_buy_one_seed_pair_is_too_little():
    """Of the pairing that costs least, with the shortest replies."""
    price = Plan(config("openai:m", "openai:dear")).price(1)
    assert "does not buy one seed pair, which takes at least about $" in too_little(
        config("openai:m", budget={"maxCostUsd": 0.01})
    )
    assert too_little(config("openai:m", budget={"maxCostUsd": price.usd})) is None
    assert too_little(config("openai:m")) is None


def test_how_long_a_run_without_a_limit_will_be_is_not_said():
    """No one knows it: only the opening has a price."""
    found = config("openai:m", budget={"maxMatches": None})
    opening = Plan(found).price(Plan(found).opening)
    said = outlay_of(found).said
    assert said == f"a first ranking takes about ${opening.usd:,.2f}"
    assert outlay_of(config("openai:m")).said.startswith("it will cost about $")


def test_the_seeds_of_a_file_limit_a_run(tmp_path):
    """Its 43 seeds are 5 matches of 8, of all three pairings together."""
    file = tmp_path / "seeds.txt"
    file.write_text("\n".join(f"seed {number}" for number in range(43)), encoding="utf-8")
    players = [{"id": "m", "type": "llm:openai:m"}, "tag", "tight"]
    seeds = {"file": str(file), "perMatch": 8}
    found = load_config(
        {"participants": players, "seeds": seeds, "stop": {"budget": None}, "llm": {"prices": {"openai:m": PRICE}}}
    )
    need = Plan(found).price(5)
    assert outlay_of(found).said == f"it will cost about ${need.usd:,.2f}"
    assert f"{need.hands:,} hands" in what_the_budget_shows(found)


def test_a_model_without_a_price_is_named():
    found = config("openai:m", "openai:nosuch", price=None, budget={"maxMatches": None})
    found = found.model_copy(update={"llm": config("openai:m").llm})
    said = outlay_of(found).said
    assert said.endswith(", and no price is known for openai:nosuch")


def test_bots_cost_nothing_and_need_no_limit():
    found = load_config({"participants": ["tag", "tight"]})
    assert outlay_of(found) is None
    assert what_the_limit_buys(found) is None


@pytest.mark.parametrize(
    ("settings", "price", "asks"),
    [
        ({}, PRICE, True),
        ({}, {"input": 0.0, "output": 0.0}, False),
        ({}, None, True),
        ({"baseUrl": "http://127.0.0.1:1/v1"}, None, False),
        ({"baseUrl": "http://localhost:1/v1"}, None, False),
        ({"baseUrl": "http://127.0.0.1:1/v1"}, PRICE, True),
        ({"baseUrl": "https://example.org/v1"}, None, True),
    ],
)
def test_what_may_cost_something_is_asked_about(settings, price, asks):
    assert (outlay_of(config("openai:nosuch", price=price, **settings)) is not None) == asks


def test_more_effort_is_planned_with_more_tokens():
    written = [
        Plan(config("openai:gpt-5", price=None, reasoningEffort=effort)).models[0].use.output_tokens
        for effort in ("minimal", "low", "medium", "high")
    ]
    assert written == sorted({*written})


def test_service_tiers_have_their_prices():
    flex, usual, priority = (
        Plan(config("openai:o3", price=None, **tier)).models[0].usd_per_call
        for tier in ({"extraBody": {"service_tier": "flex"}}, {}, {"extraBody": {"service_tier": "priority"}})
    )
    assert flex == pytest.approx(usual / 2)
    assert priority == pytest.approx(1.75 * usual)


def five(**sections):
    return load_config({"participants": ["random", "tight", "tag", "maniac", "callstation"], **sections})


def test_a_budget_says_how_far_apart_players_have_to_be():
    """In the same unit as the report, and less where there is more to spend."""
    found = five()
    apart = f"{Plan(found).shown_by(20)[0] / 10:.0f}"
    assert what_the_budget_shows(found) == (
        f"these 20,000 hands can tell apart players about {apart} bb/100 apart in half of all runs; most that are "
        "closer will be left open"
    )
    rich = what_the_budget_shows(five(stop={"budget": {"maxMatches": 5000}}))
    assert "5,000,000 hands" in rich
    assert rich.endswith("called tied")


@pytest.mark.parametrize(
    "stop",
    [
        {"budget": None},
        {"budget": {"maxMatches": 5}},
        {"adjacentConfidence": None, "budget": {"maxMatches": 20}},
        {"adjacentConfidence": {"method": "openskill"}, "budget": {"maxMatches": 20}},
    ],
    ids=["no limit", "no room for the opening", "no rule", "another rule"],
)
def test_nothing_is_said_of_a_budget_that_limits_or_decides_nothing(stop):
    assert what_the_budget_shows(five(stop=stop)) is None


def test_dollars_that_end_a_run_sooner_show_less():
    rich, poor = (config("openai:m", budget={"maxCostUsd": usd}) for usd in (1000, 30))
    hands = [int(what_the_budget_shows(each).split()[1].replace(",", "")) for each in (rich, poor)]
    assert hands[1] < hands[0] == 20_000
    assert "bb/100 apart" in what_the_budget_shows(config("openai:m", budget={"maxMatches": None, "maxCostUsd": 30}))
