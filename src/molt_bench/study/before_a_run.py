"""Before a run: what it will cost and what it can show, in one sentence each, without a table."""

from math import floor, log10
from urllib.parse import urlsplit

import msgspec

from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.providers.server_address import redirection
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.sections import BenchmarkConfig, Budget
from molt_bench.records import MBB_PER_BB100
from molt_bench.seeds import load_seeds
from molt_bench.study.planner import Planner
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
    prices, models = PriceList(config.llm.prices), config.models()
    unpriced = tuple(name for name, each in models.items() if not prices.knows(each) and not _is_local(each))
    planner = Planner(config) if models else None
    matches = _most_matches(config)
    usd = planner.for_matches(matches or planner.opening).usd if planner is not None else None
    if planner is None or (not usd and not unpriced):
        return None
    spread = [
        usd_of_call / each.usd_per_call
        for each in planner.assumed.models
        if each.usd_per_call
        for usd_of_call in each.usd_range or ()
    ]
    least, most = (end(spread, default=1.0) * (usd or 0.0) for end in (min, max))
    whole = matches is not None
    return Outlay(usd or None, least, most, unpriced, whole=whole, rest="" if whole else _about_rest(config))


def _about_rest(config: BenchmarkConfig) -> str:
    """Say what ends a run that has no limit of matches, games, hands or seeds."""
    limits = config.stop.budget or Budget(max_matches=None)
    if limits.max_seconds is not None:
        return f"the run ends after {limits.max_seconds:,.10g} seconds"
    return "nothing limits the rest" if limits == Budget(max_matches=None) else ""


def _is_local(settings: LLMSettings) -> bool:
    """Return whether a model is on this machine, where nobody sends a bill."""
    elsewhere = redirection(settings)
    url = settings.base_url or (elsewhere[1] if elsewhere is not None else "")
    return bool(url) and is_loopback(urlsplit(url).hostname or "")


def _most_matches(config: BenchmarkConfig) -> int | None:
    """Return how many matches the limits of matches, games, hands and seeds allow; None if there is no such limit."""
    limits, per_match, game = config.stop.budget or Budget(max_matches=None), config.seeds.per_match, config.game
    listed = None if config.seeds.file is None else load_seeds(config.seeds.file)
    blocks = SeedBlocks(config.seeds, dict.fromkeys(config.pairings(), 0), listed)
    known = [
        limit // share
        for limit, share in (
            (blocks.matches, 1),
            (limits.max_matches, 1),
            (limits.max_games, 2 * per_match),
            (limits.max_hands, 2 * per_match * (game.hands_per_game + game.warmup_hands)),
        )
        if limit is not None
    ]
    return max(1, min(known)) if known else None


def what_the_budget_shows(config: BenchmarkConfig, planner: Planner | None = None) -> str | None:
    """Say how far apart players have to be for a run's budget to order them; None if nothing limits what is played.

    Nor where the budget is too small for the opening, which has a warning of its own.
    """
    rule, matches = config.stop.adjacent_confidence, _most_matches(config)
    if rule is None or rule.method != "margin" or matches is None:
        return None
    planner = planner or Planner(config)
    need, limits = planner.for_matches(matches), config.stop.budget
    if limits is not None and limits.max_cost_usd is not None and (need.usd or 0.0) > limits.max_cost_usd:
        matches = int(matches * limits.max_cost_usd / (need.usd or 1.0))
    if matches < planner.opening:
        return None
    need = planner.for_matches(matches)
    gap = (need.target or 0.0) / MBB_PER_BB100
    closer = "called tied" if MBB_PER_BB100 * gap <= rule.tie_margin_mbb else "left open"
    return (
        f"these {need.hands:,} hands can tell apart players about {gap:,.{0 if gap >= 10 else 1}f} bb/100 apart in "
        f"half of all runs; most that are closer will be {closer}"
    )


def what_the_limit_buys(config: BenchmarkConfig) -> str | None:
    """Say what a limit of dollars buys; None if there is none, or nothing that it limits."""
    limit = config.stop.budget.max_cost_usd if config.stop.budget is not None else None
    if limit is None or not config.models():
        return None
    planner = Planner(config)
    opening = planner.for_matches(planner.opening)
    if not opening.usd:
        return None
    ranking = f"a first ranking takes about {_money(opening.usd)}"
    games = int(opening.games * limit / opening.usd)
    if limit >= opening.usd:
        matches = _most_matches(config)
        whole = planner.for_matches(matches).games if matches is not None else None
        some = f"{games:,} games" if whole is None else f"{min(games, whole):,} of {whole:,} games at most"
        return f"{_money(limit)} buys about {some}; {ranking}"
    return f"{_money(limit)} buys about {games:,} of {opening.games:,} games, no ranking; {ranking}"


def suggested_limit(config: BenchmarkConfig) -> dict[str, float]:
    """Return a limit for a config whose models cost something, by its field: enough for a first ranking, rounded up."""
    if outlay_of(config) is None:
        return {}
    planner = Planner(config)
    opening = planner.for_matches(planner.opening)
    if opening.unpriced:  # dollars cannot be limited without a price
        return {"maxTokens": int(_rounded_up(_ROOM * opening.tokens))}
    return {"maxCostUsd": _rounded_up(max(1.0, _ROOM * (opening.usd or 0.0)))}


def _rounded_up(amount: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    unit = 10.0 ** floor(log10(amount))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= amount)


def _money(usd: float | None) -> str:
    return f"${usd or 0.0:,.2f}" if (usd or 0.0) < 100 and (usd or 0.0) % 1 else f"${usd or 0.0:,.0f}"
