"""Before a run: what it will cost and what it can show, in one sentence each, without a table."""

from math import fsum
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.records import MBB_PER_BB100
from molt_bench.study.plan import Plan

#: The share of what a seed pair is expected to take that it takes at least.
_AT_LEAST: Final = 1 / 3


class Outlay(NamedTuple):
    """What a run is expected to cost, in words, and the models without a price that may cost something."""

    said: str
    unpriced: tuple[str, ...]


def outlay_of(config: BenchmarkConfig) -> Outlay | None:
    """Return what a run is expected to cost by the plan's priors; None if no participant costs anything.

    Without a limit of matches, games, hands or seeds its length is unknown, so it is said of its opening.
    """
    prices, plan = PriceList(config.llm.prices), Plan(config)
    billed = [(name, each) for name, models in config.paid().items() for each in models if not _is_local(each)]
    unpriced = tuple(dict.fromkeys(name for name, each in billed if not prices.knows(each)))
    by_code = sorted({each.model for name, each in billed if name not in config.models()})
    matches = plan.most_matches()
    usd = (plan.price(matches or plan.opening).usd or 0.0) if plan.models else 0.0
    if not usd and not unpriced and not by_code:
        return None
    takes = "a first ranking takes" if matches is None else "it will cost"
    said = [f"{takes} about {_money(usd)}"] if usd else []
    said += [f"no price is known for {', '.join(unpriced)}"] if unpriced else []
    said += [f"how often an agent's own code asks {', '.join(by_code)} is not known"] if by_code else []
    return Outlay(", and ".join(said), unpriced)


def _is_local(settings: LLMSettings) -> bool:
    """Return whether a model is on this machine, which sends no bill."""
    elsewhere = settings.redirection
    url = settings.base_url or (elsewhere[1] if elsewhere is not None else "")
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def what_the_budget_shows(config: BenchmarkConfig, plan: Plan | None = None) -> str | None:
    """Say how far apart players have to be for a run's budget to order them; None if nothing limits what is played.

    Nor where the budget is too small for the opening, which has a warning of its own.
    """
    plan = plan or Plan(config)
    matches = plan.affordable()
    shown = plan.shown_by(matches) if matches is not None else None
    if matches is None or shown is None:
        return None
    (gap, tied), hands = shown, plan.price(matches).hands
    apart = f"{gap / MBB_PER_BB100:,.{0 if gap >= 10 * MBB_PER_BB100 else 1}f}"
    return (
        f"these {hands:,} hands can tell apart players about {apart} bb/100 apart in half of all runs; most that are "
        f"closer will be {'called tied' if tied else 'left open'}"
    )


def what_the_limit_buys(config: BenchmarkConfig) -> str | None:
    """Say what a limit of dollars buys; None if there is none, or nothing that it limits."""
    limit, plan = _limit(config), Plan(config)
    opening = plan.price(plan.opening)
    if limit is None or not opening.usd:
        return None
    games = int(opening.games * limit / opening.usd)
    ranking = f"a first ranking takes about {opening.games:,} games and {_money(opening.usd)}"
    return f"{_money(limit)} buys about {games:,} games; {ranking}"


def too_little(config: BenchmarkConfig) -> str | None:
    """Say that a limit does not buy one seed pair, even if it takes a third of what is expected; None if it may."""
    budget, plan = config.stop.budget, Plan(config)
    if budget is None:
        return None
    dollars = {each.id: each.use.calls_per_hand * (each.usd_per_call or 0.0) for each in plan.models}
    tokens = {
        each.id: each.use.calls_per_hand * (each.use.input_tokens + each.use.output_tokens) for each in plan.models
    }
    for limit, of_hand, said in ((budget.max_cost_usd, dollars, _money), (budget.max_tokens, tokens, _tokens)):
        pairs = [fsum(of_hand.get(name, 0.0) for name in pair) for pair in plan.pairs]
        least = _AT_LEAST * 2 * config.game.dealt_hands * min(filter(None, pairs), default=0.0)
        if limit is not None and limit < least:
            return f"a limit of {said(limit)} does not buy one seed pair, which takes at least about {said(least)}"
    return None


def _limit(config: BenchmarkConfig) -> float | None:
    """Return the limit of dollars of a config; None if it has none."""
    return None if config.stop.budget is None else config.stop.budget.max_cost_usd


def _money(usd: float) -> str:
    return f"${usd:,.2f}" if usd < 100 and usd % 1 else f"${usd:,.0f}"


def _tokens(count: float) -> str:
    return f"{float(f'{count:.2g}'):,.0f} tokens"
