"""The cost guard: a run that costs money needs a limit, or a user who agrees to the estimate."""

from molt_bench.arena.cast import check_participants
from molt_bench.cli.options import RunOptions
from molt_bench.cli.streams import agreed, can_ask, notice
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.study.cost_estimate import outlay_of, what_the_limit_buys


def check_cost(config: BenchmarkConfig, options: RunOptions) -> None:
    """Say what a limit buys; without one, ask whether the run may cost what it will, or refuse if nobody can answer.

    Raises ConfigError if the run must not begin.
    """
    if not config.models():
        return
    check_participants(config)  # whatever else is wrong comes first
    limits = config.stop.budget
    if limits is not None and (limits.max_cost_usd is not None or limits.max_tokens is not None):
        bought = what_the_limit_buys(config)
        if bought is not None and not options.quiet and not options.as_json:
            notice(bought)
        return
    outlay = None if options.no_cost_limit else outlay_of(config)
    if outlay is None:
        return
    field, example = ("stop.budget.maxTokens", "1000000") if outlay.unpriced else ("stop.budget.maxCostUsd", "5")
    if not can_ask() or not agreed(f"This run has no limit of cost ({field}): {outlay}. Go on?"):
        raise ConfigError(field, None, f"a limit, as with --set {field}={example}, or --no-cost-limit: {outlay}")
