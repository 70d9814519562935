"""Before a run: what it will cost and what it can show, in one sentence each, without a table."""

from math import floor, fsum, inf, log10
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import Budget
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.records import MBB_PER_BB100
from molt_bench.study.plan import Plan

#: What a limit has over the price of a first ranking, where we suggest one.
_ROOM: Final = 1.5


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
    said = []
    if usd:
        times = [end / each.usd_per_call for each in plan.models if each.usd_per_call for end in each.usd_range or ()]
        least, most = (end(times, default=1.0) for end in (min, max))
        spread = f" ({_money(least * usd)} to {_money(most * usd)})" if most > 1.2 else ""
        takes = "it will cost" if matches is not None else "a first ranking takes"
        said.append(f"{takes} about {_money(usd)}{spread}")
    if unpriced:
        said.append(f"no price is known for {', '.join(unpriced)}")
    rest = "" if matches is not None else _about_rest(config)
    if by_code:
        rest = f"how often an agent's own code asks {', '.join(by_code)} is not known"
    return Outlay("; ".join(filter(None, (", and ".join(said), rest))), unpriced)


def _about_rest(config: BenchmarkConfig) -> str:
    """Say what ends a run that has no limit of matches, games, hands or seeds."""
    limits = config.stop.budget or Budget(max_matches=None)
    if limits.max_seconds is not None:
        return f"the run ends after {limits.max_seconds:,.10g} seconds"
    return "nothing limits the rest" if limits == Budget(max_matches=None) else ""


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
    limit = config.stop.budget.max_cost_usd if config.stop.budget is not None else None
    if limit is None or not config.paid():
        return None
    plan = Plan(config)
    opening, most = plan.price(plan.opening), plan.most_matches()
    if not opening.usd:
        return None
    ranking = f"a first ranking takes about {_money(opening.usd)}"
    games = int(opening.games * limit / opening.usd)
    if limit < opening.usd:
        return f"{_money(limit)} buys about {games:,} of {opening.games:,} games, no ranking; {ranking}"
    whole = None if most is None else plan.price(most).games
    some = f"{games:,} games" if whole is None else f"{min(games, whole):,} of {whole:,} games at most"
    return f"{_money(limit)} buys about {some}; {ranking}"


def too_little(config: BenchmarkConfig) -> str | None:
    """Say that a limit does not buy one seed pair, even if models write as little as they may; None if it does."""
    limits, plan = config.stop.budget, Plan(config)
    if limits is None:
        return None
    hands = 2 * (config.game.hands_per_game + config.game.warmup_hands)
    usd, tokens = inf, inf
    for pair in plan.pairs:
        if models := [each for each in plan.models if each.id in pair]:
            least = [(each.usd_range or (each.usd_per_call or 0.0,))[0] for each in models]
            written = [each.use.input_tokens + (each.use.output_range[0] or each.use.output_tokens) for each in models]
            calls = [hands * each.use.calls_per_hand for each in models]
            usd = min(usd, fsum(each * count for each, count in zip(least, calls, strict=True)))
            tokens = min(tokens, fsum(each * count for each, count in zip(written, calls, strict=True)))
    if limits.max_cost_usd is not None and limits.max_cost_usd < usd < inf:
        return f"{_money(limits.max_cost_usd)} does not buy one seed pair, which takes at least about {_money(usd)}"
    if limits.max_tokens is not None and limits.max_tokens < tokens < inf:
        about = float(f"{tokens:.2g}")
        return f"{limits.max_tokens:,} tokens do not buy one seed pair, which takes at least about {about:,.0f}"
    return None


def suggested_limit(config: BenchmarkConfig) -> dict[str, float]:
    """Return a limit for a config whose models cost something, by its field: enough for a first ranking, rounded up."""
    if outlay_of(config) is None:
        return {}
    plan = Plan(config)
    opening = plan.price(plan.opening)
    if opening.unpriced:  # dollars cannot be limited without a price
        return {"maxTokens": int(_rounded_up(_ROOM * opening.tokens))}
    return {"maxCostUsd": _rounded_up(max(1.0, _ROOM * (opening.usd or 0.0)))}


def _rounded_up(amount: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    unit = 10.0 ** floor(log10(amount))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= amount)


def _money(usd: float) -> str:
    return f"${usd:,.2f}" if usd < 100 and usd % 1 else f"${usd:,.0f}"
