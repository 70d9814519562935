"""Who plays in a run, and how it goes: all that the pages of its hands need to know of it."""

from typing import Any

from molt_bench.view.open_run import OpenRun
from molt_bench.view.progress import progress_data


def names_data(run: OpenRun) -> dict[str, Any]:
    """Return the names in a run; unlike the page of the run, they are known without any counting."""
    return {
        "id": run.id,
        "status": run.status,
        "participants": participants_data(run),
        "live": progress_data(run),
    }


def participants_data(run: OpenRun) -> list[dict[str, Any]]:
    """Return the participants of a run, each with the number of its colour."""
    return [
        {
            "id": each["id"],
            "name": each["displayName"] or each["id"],
            "anchor": each["anchor"],
            "reference": each["id"] == run.config.scheduler.reference,
            "model": each.get("model"),
            "type": each["type"],
            "color": at,
        }
        for at, each in enumerate(run.participants)
    ]
