"""What a run may go on with changed."""

import re
from typing import Any, Final

from molt_bench.bench.stop_rules import rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError

#: The fields that a run may go on with changed: nothing that was played depends on them.
_FREE: Final = re.compile(
    r"stop|llm\..*|game\.actionTimeoutS|participants\.\d+\.(maxConcurrent|requestsPerMinute|apiKeyEnv)"
)


def changed_settings(config: BenchmarkConfig, changed: BenchmarkConfig) -> dict[str, Any]:
    """Return the changed fields of a config with their values, by their paths; the stop rule is one, as a whole.

    Raises ConfigError if what was played depends on one of them, or if the method of its confidence is changed.
    """
    before, after = _fields(config.plain()), _fields(changed.plain())
    found = {path: after.get(path) for path in {**before, **after} if before.get(path) != after.get(path)}
    fixed = next((path for path in found if not _FREE.fullmatch(path)), None)
    if fixed is not None:
        expected = (
            "a field of stop or llm, game.actionTimeoutS, or a participant's maxConcurrent, requestsPerMinute or "
        )
        raise ConfigError("--set", fixed, f"{expected}apiKeyEnv: all else is part of what has been played")
    method, asked_for = rule_of(config.stop).method, rule_of(changed.stop).method
    if method != asked_for:
        raise ConfigError("stop.adjacentConfidence.method", asked_for, f"{method}, as the run was started")
    return found


def _fields(value: Any, path: str = "") -> dict[str, Any]:
    """Return the fields of a config by their paths; prices, whose names may have dots, are one, as is `stop`."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if path in ("llm.prices", "stop") or not entries:
        return {path: value}
    found: dict[str, Any] = {}
    for name, each in entries:
        found |= _fields(each, f"{path}.{name}" if path else str(name))
    return found
