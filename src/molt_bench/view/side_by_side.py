"""Two runs side by side: their results, their agents and their settings, and what can be compared."""

from collections.abc import Iterator
from typing import Any

import msgspec

from molt_bench.study.comparison import Run
from molt_bench.view.history import Chapter, agent_change
from molt_bench.view.run_parts import typed


def side_by_side(old: Chapter, new: Chapter, paths: tuple[str, str]) -> dict[str, Any]:
    """Return what two runs have in common, and what differs; `paths` are their folders for those who type a command."""
    runs = old.run, new.run
    ids = [[each.id for each in run.config.participants] for run in runs]
    both = [name for name in ids[0] if name in ids[1]]
    changes = [agent_change(name, *runs) for name in both]
    why = _why(both, {change["why"] for change in changes})
    return {
        "runs": [each.about() for each in (old, new)],
        "agents": [
            {
                "id": name,
                "name": (new.points.get(name) or old.points.get(name) or {"name": name})["name"],
                "old": old.points.get(name),
                "new": new.points.get(name),
                "in": [name in each for each in ids],
                "changed": _changed(name, *runs) if name in both else [],
            }
            for name in dict.fromkeys([*ids[1], *ids[0]])
        ],
        "changes": changes,
        "why": why,
        "warnings": list(dict.fromkeys(warning for change in changes for warning in change["warnings"])),
        "settings": [
            {"key": key, "old": one, "new": two} for key, one, two in _different(*(_flat(run, both) for run in runs))
        ],
        "command": f"molt-bench compare {typed(paths[0])} {typed(paths[1])}" if why is None else None,
    }


def _why(both: list[str], reasons: set[str | None]) -> str | None:
    """Return why nothing of two runs can be compared, if that is so."""
    if not both:
        return "nobody plays in both runs"
    return reasons.pop() if len(reasons) == 1 else None


def _changed(name: str, old: Run, new: Run) -> list[str]:
    """Return in what an agent is not the same in both runs."""
    one, two = old.identity(name), new.identity(name)
    return [key for key in {**one, **two} if one.get(key) != two.get(key)]


def _flat(run: Run, ids: list[str]) -> dict[str, str]:
    """Return all settings of a run as text, by their full names; of the participants, those with these ids."""
    plain = run.config.plain()
    plain["participants"] = {each.pop("id"): each for each in plain["participants"] if each["id"] in ids}
    del plain["outputDir"]
    found = dict(_leaves("", plain))
    return {**found, "benchVersion": str(run.bench_version)}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(f"{path}.{key}" if path else key, each)
    else:
        yield path, msgspec.json.encode(value).decode()


def _different(old: dict[str, str], new: dict[str, str]) -> Iterator[tuple[str, str | None, str | None]]:
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            yield key, old.get(key), new.get(key)
