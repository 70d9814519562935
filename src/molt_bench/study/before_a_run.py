"""Before a run: what it will cost and what it can show, in one sentence each, without a table."""

from math import floor, fsum, inf, log10
from urllib.parse import urlsplit

import msgspec

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import Budget
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.records import MBB_PER_BB100
from molt_bench.study.plan import Plan
from molt_bench.web_server import is_loopback

#: What a limit has over the price of a first ranking, where we suggest one.
_ROOM = 1.5


class Outlay(msgspec.Struct, frozen=True):
    """What a run is expected to cost.

    Attributes:
        usd: Dollars until its limits of matches, games, hands and seeds end it, or of its opening where it has no such
            limit; None if no price is known.
        least: The fewest dollars that would be no surprise.
        most: The most.
        unpriced: The models without a price, wherever they may cost something.
        whole: Whether it has such a limit; without one nobody knows how long it will be.
        rest: What is known of the rest of it, without one.
    """

    usd: float | None
    least: float
    most: float
    unpriced: tuple[str, ...]
    whole: bool = True
    rest: str = ""

    def __str__(self) -> str:
        said = []
        if self.usd is not None:
            spread = f" ({_money(self.least)} to {_money(self.most)})" if self.most > 1.2 * self.usd else ""
            about = f"about {_money(self.usd)}{spread}"
            said.append(f"it will cost {about}" if self.whole else f"a first ranking takes {about}")
        if self.unpriced:
            said.append(f"no price is known for {', '.join(self.unpriced)}")
        return "; ".join(filter(None, (", and ".join(said), self.rest)))


def outlay_of(config: BenchmarkConfig) -> Outlay | None:
    """Return what a run is expected to cost by the plan's priors; None if nobody who plays costs anything."""
    prices, plan = PriceList(config.llm.prices), Plan(config)
    billed = [(name, each) for name, models in config.paid().items() for each in models if not _is_local(each)]
    unpriced = tuple(dict.fromkeys(name for name, each in billed if not prices.knows(each)))
    matches = plan.most_matches()
    usd = plan.price(matches or plan.opening).usd if plan.models else None
    by_code = sorted({each.model for name, each in billed if name not in config.models()})
    if not usd and not unpriced and not by_code:
        return None
    spread = [end / each.usd_per_call for each in plan.models if each.usd_per_call for end in each.usd_range or ()]
    least, most = (end(spread, default=1.0) * (usd or 0.0) for end in (min, max))
    rest = "" if matches is not None else _about_rest(config)
    if by_code:
        rest = f"how often an agent's own code asks {', '.join(by_code)} is not known"
    return Outlay(usd or None, least, most, unpriced, whole=matches is not None, rest=rest)


def _about_rest(config: BenchmarkConfig) -> str:
    """Say what ends a run that has no limit of matches, games, hands or seeds."""
    limits = config.stop.budget or Budget(max_matches=None)
    if limits.max_seconds is not None:
        return f"the run ends after {limits.max_seconds:,.10g} seconds"
    return "nothing limits the rest" if limits == Budget(max_matches=None) else ""


def _is_local(settings: LLMSettings) -> bool:
    """Return whether a model is on this machine, where nobody sends a bill."""
    elsewhere = settings.redirection
    url = settings.base_url or (elsewhere[1] if elsewhere is not None else "")
    return bool(url) and is_loopback(urlsplit(url).hostname or "")


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
    limits = config.stop.budget
    if limits is None or not config.models():
        return None
    plan, hands = Plan(config), 2 * (config.game.hands_per_game + config.game.warmup_hands)
    guesses = {each.id: each for each in plan.models}
    pairs = [[guesses[name] for name in pair if name in guesses] for pair in plan.pairs]
    usd, tokens = inf, inf
    for models in filter(None, pairs):
        calls = [(each, hands * each.calls_per_hand) for each in models]
        least = [((each.usd_range or (each.usd_per_call or 0.0,))[0], number) for each, number in calls]
        usd = min(usd, fsum(each * number for each, number in least))
        written = [(each.input_tokens + (each.output_range[0] or each.output_tokens), number) for each, number in calls]
        tokens = min(tokens, fsum(each * number for each, number in written))
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


def _money(usd: float | None) -> str:
    return f"${usd or 0.0:,.2f}" if (usd or 0.0) < 100 and (usd or 0.0) % 1 else f"${usd or 0.0:,.0f}"
