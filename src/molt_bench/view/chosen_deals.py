"""Which deals of a run are shown if there is no room for all: those that its pages link to, then the biggest swings."""

from collections.abc import Iterator
from typing import Any, Final

from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_counts import Deal

#: How many hands that the pages link to come before the biggest swings.
_MOST_LINKED: Final = 400


def chosen_deals(run: OpenRun, page: dict[str, Any], matches: dict[int, dict[str, Any]]) -> list[Deal]:
    """Return all deals of a run, the ones to show first if there is no room for all: linked ones, then big swings."""
    swings: dict[Deal, int] = {}
    for match in run.pairs:
        for at, seed in enumerate(run.seeds_of(match)):
            for game in run.sides(match, seed):
                for number, net in enumerate(game.record.hand_nets, start=1):
                    swings[match, at, number] = max(swings.get((match, at, number), 0), abs(net))
    order = sorted(swings, key=lambda place: (-swings[place], place))
    # Many links must not take the place of the biggest swings.
    first = dict.fromkeys([*_linked(run, page), *_biggest(matches)])
    linked = [place for place in first if place in swings][:_MOST_LINKED]
    return list(dict.fromkeys([*linked, *order]))


def _linked(run: OpenRun, page: dict[str, Any]) -> Iterator[Deal]:
    """Return the hands that the page of a run links to: examples of faults, and those of the sections of plug-ins."""
    for fault in page["faults"]:
        yield fault["place"]["match"], fault["place"]["seed"], fault["place"]["hand"]
    for section in run.sections:
        yield from section.deals(page[section.name])


def _biggest(matches: dict[int, dict[str, Any]]) -> list[Deal]:
    """Return the hands that the pages of matches link to: the biggest of each seed pair, best first."""
    found = [(abs(seed["biggest"]["swing"]), match, seed) for match, page in matches.items() for seed in page["seeds"]]
    found.sort(key=lambda each: -each[0])
    return [(match, seed["index"], seed["biggest"]["hand"]) for _, match, seed in found]
