"""`molt-bench validate`: can a config be run?"""

from typing import Annotated

import typer

from molt_bench.arena.cast import check_participants
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.config.sections import BenchmarkConfig


def validate(file: Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON config file.")]) -> None:
    """Check a config without running it, and name the API keys that a run will need."""
    config = config_from(file)
    check_participants(config, keys=False)
    names = ", ".join(participant.id for participant in config.participants)
    print(
        f"{file} is valid: {len(config.participants)} participants ({names}), {config.seeds.per_match} seeds per "
        f"match, {config.game.hands_per_game} hands per game{_missing_keys(config)}"
    )
    warn_ahead(config)


def _missing_keys(config: BenchmarkConfig) -> str:
    """Describe the environment variables that a run needs and that are not set."""
    needed: dict[str, list[str]] = {}
    for participant in config.participants:
        for variable in participant.unset_variables():
            needed.setdefault(variable, []).append(participant.id)
    listed = ", ".join(f"{variable} (for {', '.join(names)})" for variable, names in needed.items())
    return f"; not set yet, but needed for a run: {listed}" if listed else ""
