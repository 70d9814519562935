"""What models said is there to search in: all of it, but for games whose cards are secret."""

import pytest

from molt_bench.plugins.view.open_run import OpenRun
from tests.e2e.two_runs import EVIL
from tests.viewing import told


@pytest.fixture(scope="module")
def said(library, models_id):
    """Return all that was said in the run of the models, by its place, taken from the pages of its hands."""
    found = {}
    for game in told(library, models_id, "/hands")["games"]:
        for number in range(1, len(game["hands"]) + 1):
            place = game["match"], game["seed"], number
            side = told(library, models_id, "/hand/{}/{}/{}".format(*place))["sides"][game["seating"]]
            for at, decision in enumerate(side["decisions"]):
                for each in (decision["exchange"] or {"attempts": ()})["attempts"]:
                    key = (*place, side["seating"], at, each["attempt"], decision["agent"])
                    found[key] = each["reasoning"], each["reply"]
    return found


def test_every_attempt_at_a_decision_is_there_with_its_reasoning_and_its_reply(library, models_id, said):
    rows = told(library, models_id, "/said")
    assert {tuple(row[:7]): tuple(row[7:]) for row in rows} == said
    assert any(EVIL in reply for *_, reply in rows)


def test_what_is_said_in_games_with_secret_cards_is_not_there(library, models_id, monkeypatch):
    shown = OpenRun.shown
    monkeypatch.setattr(OpenRun, "shown", lambda run, match, seed: shown(run, match, seed) if match != 1 else [])
    run = OpenRun.open(library.folder(models_id))
    monkeypatch.setattr(type(library), "open", lambda *_: run)
    assert {row[0] for row in told(library, models_id, "/said")} == {2, 3}


def test_bots_say_nothing(library, bots_id):
    assert told(library, bots_id, "/said") == []
