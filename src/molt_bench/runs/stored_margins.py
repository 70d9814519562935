"""Stored margins: what a run has written about its matches, so that luck need not be taken out of them again."""

import json
from pathlib import Path
from typing import Any

from molt_bench.records import ESTIMATORS, Margins, margins_hash
from molt_bench.runs.folder import MATCHES, SUMMARY
from molt_bench.runs.journal import JournalContent


def margins_in(match: dict[str, Any]) -> Margins | None:
    """Return the margins of a match of `matches.json`; None if an earlier version wrote it, with fewer estimators."""
    found = [seed["marginsMbb"] for seed in match["result"]["perSeed"]]
    if any(name not in each for each in found for name in ESTIMATORS):
        return None
    return {name: tuple(float(each[name]) for each in found) for name in ESTIMATORS}


def stored_margins(folder: Path, content: JournalContent) -> dict[int, Margins]:
    """Return the margins of a run by the numbers of its matches; empty if they are not those of this very journal.

    `summary.json` names the journal and has a hash of both, so that a change of either is noticed.
    """
    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
        journal = summary["journal"]
        if (journal["lines"], journal["sha256"]) != (content.line_count, content.last_hash):
            return {}
        matches = json.loads((folder / MATCHES).read_bytes())["matches"]
        found = {number: margins_in(match) for number, match in enumerate(matches, start=1)}
        known = {number: margins for number, margins in found.items() if margins is not None}
        return known if margins_hash(known.values(), content.last_hash) == summary["marginsSha256"] else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
