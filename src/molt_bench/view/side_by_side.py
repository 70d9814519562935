"""Two runs side by side: their results, their agents and their settings, and what can be compared."""

from collections.abc import Iterator
from typing import Any

import msgspec

from molt_bench.study.comparison import Run, changed_in
from molt_bench.view.history import Chapter, agent_change
from molt_bench.view.run_parts import typed


def side_by_side(old: Chapter, new: Chapter, paths: tuple[str, str]) -> dict[str, Any]:
    """Return what two runs have in common, and what differs; `paths` are their folders for those who type a command."""
    runs = old.run, new.run
    ids = [[each.id for each in run.config.participants] for run in runs]
    both = [name for name in ids[0] if name in ids[1]]
    changes = [agent_change(name, *runs) for name in both]
    reasons = {change["why"] for change in changes}
    why = "nobody plays in both runs" if not both else reasons.pop() if len(reasons) == 1 else None
    before, after = (_flat(run, both) for run in runs)
    return {
        "runs": [each.about() for each in (old, new)],
        "agents": [
            {
                "id": name,
                "name": (new.points.get(name) or old.points.get(name) or {"name": name})["name"],
                "old": old.points.get(name),
                "new": new.points.get(name),
                "in": [name in each for each in ids],
                "changed": changed_in(name, *runs) if name in both else [],
            }
            for name in dict.fromkeys([*ids[1], *ids[0]])
        ],
        "changes": changes,
        "why": why,
        "warnings": list(dict.fromkeys(warning for change in changes for warning in change["warnings"])),
        "settings": [
            {"key": key, "old": before.get(key), "new": after.get(key)}
            for key in {**before, **after}
            if before.get(key) != after.get(key)
        ],
        "command": f"molt-bench compare {typed(paths[0])} {typed(paths[1])}" if why is None else None,
    }


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
