"""`molt-bench validate`: can a config be run?"""

import click

from molt_bench.cli.config_flags import config_from, problems_of, warn_ahead
from molt_bench.cli.options import ConfigOptions, Printing, config_options, printing_options
from molt_bench.cli.parser import Command
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import raise_all
from molt_bench.study.before_a_run import what_the_limit_buys
from molt_bench.visible_text import on_one_line


@click.command(cls=Command)
@config_options
@printing_options
def validate(config_file: ConfigOptions, printing: Printing) -> None:
    """Check a config without running it, and name the API keys that a run will need.

    Every mistake is one line. Programs, servers and models are not started or asked: a run does that before its first
    card.

    Examples:
      molt-bench validate bench.yaml
      molt-bench validate --config bench.yaml --quiet
    """
    path = config_file.required()
    config = config_from(path)
    raise_all(problems_of(config))
    ids, missing = [participant.id for participant in config.participants], _missing_keys(config)
    waiting = [each.id for each in config.participants if each.kind.waits or each.id in config.models()]
    line = (
        f"{on_one_line(path)} is valid: {len(ids)} participants ({_listed(ids)}), "
        f"{config.seeds.per_match} seeds per match, {config.game.hands_per_game} hands per game"
    )
    if missing:
        needed = ", ".join(f"{variable} (for {_listed(names)})" for variable, names in missing.items())
        line += f"; not set yet, but needed for a run: {needed}"
    if waiting:
        line += f"; not started or asked yet: {_listed(waiting)}"
    content = {"config": path, "valid": True, "participants": ids, "missingKeys": missing, "notAsked": waiting}
    printing.answer(content, lambda: print(line))
    bought = what_the_limit_buys(config)
    if bought is not None:
        printing.notice(bought)
    warn_ahead(config)


def _listed(names: list[str]) -> str:
    return ", ".join(map(on_one_line, names))


def _missing_keys(config: BenchmarkConfig) -> dict[str, list[str]]:
    """Return the environment variables that a run needs and that are not set, and who needs them."""
    needed: dict[str, list[str]] = {}
    for participant in config.participants:
        for variable in participant.unset_variables():
            needed.setdefault(variable, []).append(participant.id)
    return needed
