"""A config as a file for people: what was chosen, with comments, and what else is often changed."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from molt_bench.config.sections import BenchmarkConfig


def commented(
    config: BenchmarkConfig, participants: Sequence[Mapping[str, Any]], *, commands: Mapping[str, str]
) -> str:
    """Return a config as commented YAML that gives the same config when it is read.

    `participants` are as the user names them, `commands` what can be done with the file and how, each on one line.
    """
    listed = yaml.safe_dump([dict(each) for each in participants], sort_keys=False, allow_unicode=True, width=10**6)
    game, stop = config.game, config.stop
    most = None if stop.budget is None else stop.budget.max_matches
    sure = None if stop.adjacent_confidence is None else stop.adjacent_confidence.threshold
    width = max(map(len, commands))
    done_with = "\n".join(f"# {what:{width}}  {command}" for what, command in commands.items())
    return f"""\
# A benchmark of poker agents.
{done_with}

# Who plays. `type` is a name that `molt-bench doctor` lists, my_bot.py:make for your own agent in Python,
# exec:./bot for a program, a URL for a server, or llm:google:gemini-2.5-flash for a language model.
participants:
{listed}
seeds:
  perMatch: {config.seeds.per_match}  # deals of a match; each is played twice, with seats swapped
  # masterSeed: any text  # the same cards in every run; without it, the run decides

game:
  handsPerGame: {game.hands_per_game}
  smallBlind: {game.small_blind}  # in chips
  bigBlind: {game.big_blind}
  stack: {game.stack}  # {game.stack / game.big_blind:g} big blinds
  stacks: {game.stacks}  # reset: every hand starts with this stack; carry: what was won stays, until a player is broke

# The run ends as soon as one of these is true.
stop:
  adjacentConfidence:
    threshold: {sure}  # every two neighbours of the ranking are told apart, or tied, with this confidence
  budget:
    maxMatches: {"null" if most is None else most}  # null: no limit
    {_cost_limit(config)}

outputDir: {config.output_dir}  # every run gets a folder in it
"""


def _cost_limit(config: BenchmarkConfig) -> str:
    """Return the line of the limit of money."""
    limits = config.stop.budget
    if limits is not None and limits.max_tokens is not None:
        return f"maxTokens: {limits.max_tokens}  # of language models: dollars cannot be limited without a known price"
    usd = limits.max_cost_usd if limits is not None else None
    about = "dollars for language models; a run never spends more than this and one request"
    return f"# maxCostUsd: 5  # {about}" if usd is None else f"maxCostUsd: {usd:.10g}  # {about}"
