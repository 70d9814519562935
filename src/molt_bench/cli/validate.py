"""`molt-bench validate`: can a config be run?"""

from typing import Annotated

import typer

from molt_bench.arena.cast import check_participants
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import Printing
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.study.outlay import what_the_limit_buys


def validate(
    file: Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON config file.")], *, printing: Printing
) -> None:
    """Check a config without running it, and name the API keys that a run will need.

    Examples:
      molt-bench validate bench.yaml
      molt-bench validate bench.yaml --quiet
    """
    config = config_from(file)
    check_participants(config, keys=False)
    ids, missing = [participant.id for participant in config.participants], _missing_keys(config)
    listed = ", ".join(f"{variable} (for {', '.join(names)})" for variable, names in missing.items())
    line = (
        f"{file} is valid: {len(ids)} participants ({', '.join(ids)}), {config.seeds.per_match} seeds per "
        f"match, {config.game.hands_per_game} hands per game"
    )
    printing.answer(
        {"config": file, "valid": True, "participants": ids, "missingKeys": missing},
        lambda: print(line + (f"; not set yet, but needed for a run: {listed}" if listed else "")),
    )
    bought = what_the_limit_buys(config)
    if bought is not None:
        printing.notice(bought)
    warn_ahead(config)


def _missing_keys(config: BenchmarkConfig) -> dict[str, list[str]]:
    """Return the environment variables that a run needs and that are not set, and who needs them."""
    needed: dict[str, list[str]] = {}
    for participant in config.participants:
        for variable in participant.unset_variables():
            needed.setdefault(variable, []).append(participant.id)
    return needed
