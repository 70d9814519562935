"""What the pages are made of has the agreed shape, and says what the records say."""

import json
import re
import shlex
import shutil

import pytest

from molt_bench.errors import ConfigError, JournalError
from molt_bench.luck.estimators import game_estimates
from molt_bench.plugins.view import sections
from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.server import answer
from molt_bench.report.artifacts import leaderboard
from molt_bench.report.card import card
from molt_bench.report.rows import Rows
from molt_bench.report.totals import totals
from molt_bench.runs.run import Run
from tests.e2e.shell import quick, quick_run, read, rechained, usage_in
from tests.e2e.two_runs import EVIL
from tests.viewing import told

RUN_KEYS = {
    *("live", "id", "version", "status", "started", "stopReason", "warnings", "totals", "participants", "headline"),
    *("leaderboard", "sentences", "payoff", "costs", "faults", "card"),
    *("reproduce", "matches", "grades", "rule"),
}


def as_json(value):
    return json.loads(json.dumps(value))


def test_the_list_has_a_line_for_every_run_newest_first(library, bots_id, models_id):
    lines = told(library)
    assert [line["id"] for line in lines] == [models_id, bots_id]
    assert lines[1]["started"].startswith("2026-01-01T10:00:00")
    assert lines[1]["status"] == "finished"
    assert (lines[1]["matches"], lines[1]["games"], lines[1]["hands"]) == (4, 24, 288)
    rates = [leader["bb100"] for leader in lines[1]["leaders"]]
    assert rates == sorted(rates, reverse=True)
    assert lines[0]["participants"][0]["name"] == EVIL
    assert lines[0]["usd"] > 0
    assert lines[1]["usd"] is None


def test_a_run_page_has_all_parts_and_the_numbers_of_the_run_itself(library, runs, bots_id):
    page = told(library, bots_id)
    assert page.keys() == RUN_KEYS
    own = read(runs / bots_id, "leaderboard.json")["participants"]
    for row, written in zip(page["leaderboard"], own, strict=True):
        assert row["id"] == written["id"]
        assert row["ranks"] == written["rankRange"]
        for key, theirs in (("mu", "mu"), ("bb100", "bbPer100"), ("halfWidth", "bbPer100HalfWidth")):
            assert row[key] == pytest.approx(written[theirs], abs=0.001)
    convergence = told(library, bots_id, "/curves")["convergence"]
    assert convergence["matches"] == [1, 2, 3, 4]
    last = {series["id"]: series["bb100"][-1] for series in convergence["series"]}
    assert last == {row["id"]: pytest.approx(row["bb100"], abs=0.01) for row in page["leaderboard"]}
    assert sum(each["hands"] for each in page["matches"]) == 288
    styles = told(library, bots_id, "/styles")
    assert {row["id"] for row in styles["styles"]} == {"tag", "callstation", "random"}


def test_who_has_not_played_has_no_win_rate_and_who_has_not_met_all_no_interval(tmp_path):
    """One match among three: in the list, on the page, over time and in the history alike."""
    flags = ("--participants", "tag,folder,tight", "--max-matches", 1, "--seeds", 4, "--hands", 10)
    name = quick_run(tmp_path, *flags, "--quiet", "--executor", "inline").name
    library = Library(tmp_path)
    page = told(library, name)
    rows = {row["id"]: row for row in page["leaderboard"]}
    written = {row["id"]: row for row in read(tmp_path / name, "leaderboard.json")["participants"]}
    for each, row in rows.items():
        assert row["halfWidth"] is None
        assert row["bb100"] == pytest.approx(written[each]["bbPer100"], abs=0.001)
    assert rows["tight"]["bb100"] is None
    assert rows["folder"]["bb100"] < 0
    (line,) = told(library)
    assert [each["bb100"] for each in line["leaders"]] == [rows[each]["bb100"] for each in ("tag", "folder", "tight")]
    over_time = {series["id"]: series["bb100"] for series in told(library, name, "/curves")["convergence"]["series"]}
    assert over_time["tight"] == [None]
    assert over_time["folder"] == [pytest.approx(rows["folder"]["bb100"], abs=0.01)]
    points = {each["name"]: each["points"] for each in library.history_page()["agents"]}
    assert points["tight"][0]["bb100"] is None
    said = [re.sub("[\u2068\u2069]", "", each) for each in page["sentences"]]
    assert "bb/100 is only over the opponents met so far for tag (1 of 2) and folder (1 of 2)." in said
    assert "tight has not played." in said


def test_margins_are_those_of_the_journal_whatever_other_files_say(runs, bots_id, tmp_path):
    (tmp_path / "journal.jsonl").write_bytes((runs / bots_id / "journal.jsonl").read_bytes())
    matches = read(runs / bots_id, "matches.json")
    for match in matches["matches"]:
        for seed in match["result"]["perSeed"]:
            seed["netA"] += 1
            seed["marginsMbb"]["adjusted"] = 1e6
    (tmp_path / "matches.json").write_text(json.dumps(matches))
    assert as_json(leaderboard(OpenRun.open(tmp_path).rows)) == read(runs / bots_id, "leaderboard.json")


def test_no_number_is_rounded_before_it_is_shown(library, bots_id):
    """Rounded to 1.45% and then to 1.5%, 1.449% would be wrong."""
    styles = told(library, bots_id, "/styles")["styles"]
    shares = [stat for row in styles for stat in row["stats"] if stat["kind"] == "share" and stat["of"]]
    assert len(shares) > 10
    for stat in shares:
        assert stat["value"] == pytest.approx(stat["count"] / stat["of"], abs=1e-9)


def test_winnings_end_where_the_matches_do(library, bots_id):
    page = told(library, bots_id)
    for each in told(library, bots_id, "/curves")["winnings"]:
        net = sum(match["net"] for match in page["matches"] if (match["a"], match["b"]) == (each["a"], each["b"]))
        assert each["raw"][-1] == pytest.approx(net / 100)
        assert len(each["raw"]) == len(each["used"])


def test_every_number_of_a_pairing_is_by_the_estimator_of_the_run(library, runs, bots_id):
    page = told(library, bots_id)
    assert page["rule"]["estimator"] == read(runs / bots_id, "leaderboard.json")["estimator"] == "adjusted"
    payoff = page["payoff"]
    for each in told(library, bots_id, "/curves")["winnings"]:
        one, two = payoff["ids"].index(each["a"]), payoff["ids"].index(each["b"])
        assert each["estimator"] == "adjusted"
        hands = sum(match["hands"] for match in page["matches"] if (match["a"], match["b"]) == (each["a"], each["b"]))
        assert 100 * each["used"][-1] / hands == pytest.approx(payoff["mean"][one][two], abs=0.07)
    assert all(point["estimator"] for agent in library.history_page()["agents"] for point in agent["points"])


def test_carried_stacks_that_end_games_early_are_told_alike_everywhere(tmp_path):
    """Chips are chips, and what is won a hand is by the hands that the config asks for."""
    flags = ("--participants", "shover,tight", "--max-matches", 1, "--seeds", 6, "--hands", 20)
    carried = ("--set", "game.stacks=carry", "--set", "game.stack=1000", "--set", "rating.estimator=raw")
    folder = quick_run(tmp_path, *flags, *carried, "--quiet", "--executor", "inline")
    run = OpenRun.open(folder)
    pairs = run.rows.result.matches[0].seed_results
    assert sum(pair.hands for pair in pairs) < 240
    library = Library(tmp_path)
    page = told(library, folder.name)
    won = [sum(game_estimates(game.record).adjusted for game in run.shown(1, at)) / 100 for at in range(len(pairs))]
    (winnings,) = told(library, folder.name, "/curves")["winnings"]
    assert winnings["used"][-1] == winnings["raw"][-1]
    seeds = told(library, folder.name, "/match/1")["seeds"]
    assert [seed["adjusted"] for seed in seeds] == pytest.approx(won, abs=0.001)
    (row,) = [row for row in page["leaderboard"] if row["id"] == "shover"]
    assert page["matches"][0]["bb100"] == pytest.approx(row["bb100"], abs=0.001)


def test_costs_and_faults_of_models_are_told(library, runs, models_id):
    page = told(library, models_id)
    usage = usage_in(runs / models_id)
    assert {row["id"]: row["calls"] for row in page["costs"]} == {each: row["exchanges"] for each, row in usage.items()}
    assert page["totals"]["usd"] == pytest.approx(sum(row["costUsd"] for row in usage.values()), abs=1e-5)
    assert sum(row["count"] for row in page["faults"]) == page["totals"]["faults"] > 0
    assert any(EVIL[:30] in row["example"] for row in page["faults"])
    assert [each["anchor"] for each in page["participants"]] == [False, False, True]


def test_the_list_has_every_hand_of_both_seatings_once(library, bots_id):
    games = told(library, bots_id, "/hands")["games"]
    assert len({(game["match"], game["seed"], game["seating"]) for game in games}) == 24
    assert [len(game["hands"]) for game in games] == [12] * 24
    for match in told(library, bots_id)["matches"]:
        own = [game for game in games if game["match"] == match["match"]]
        assert {tuple(game["players"]) for game in own} == {(match["a"], match["b"])}
        # The notation has what seat 0 won.
        nets = [(-1) ** game["seating"] * int(text.split(":")[6]) for game in own for text in game["hands"]]
        assert sum(nets) == match["net"]


def test_the_list_names_faults_and_hands_that_do_not_count(library, models_id):
    for game in told(library, models_id, "/hands")["games"]:
        assert (game["warmup"], game["losses"], game["numbers"]) == (1, None, None)
        for number, player, kind in game["faults"]:
            hand = told(library, models_id, f"/hand/{game['match']}/{game['seed']}/{number}")
            faults = hand["sides"][game["seating"]]["faults"]
            assert (game["players"][player], kind) in {(fault["agent"], fault["kind"]) for fault in faults}


def test_the_seed_pairs_of_a_match_add_up_to_it(library, bots_id):
    page = told(library, bots_id)
    for match in page["matches"]:
        found = told(library, bots_id, f"/match/{match['match']}")
        assert sum(seed["net"] for seed in found["seeds"]) == pytest.approx(match["net"] / 100)
        for seed in found["seeds"]:
            assert sum(seed["raw"]) == pytest.approx(seed["net"])
            hand = told(library, bots_id, f"/hand/{match['match']}/{seed['index']}/{seed['biggest']['hand']}")
            assert hand["cost"] == pytest.approx(seed["biggest"]["swing"])


@pytest.mark.parametrize(
    "path",
    [
        *("api/runs/none.json", "api/runs/..json", "api/runs/../etc.json", "api/runs//hands.json"),
        *("api/runs/RUN/match/0.json", "api/runs/RUN/match/99.json", "api/runs/RUN/match/01.json"),
        *("api/runs/RUN/hand/1/0/0.json", "api/runs/RUN/hand/1/0/99.json", "api/runs/RUN/hand/1/9/1.json"),
        *("api/runs/RUN/hand/1/-1/1.json", "api/nothing.json", "api/runs/RUN/match/\u0661.json"),
    ],
)
def test_what_is_not_there_is_not_found(library, bots_id, path):
    with pytest.raises(ConfigError):
        answer(library, path.replace("RUN", bots_id))


def test_a_section_of_a_plug_in_that_fails_is_left_out(library, bots_id, monkeypatch):
    class Odd:
        def __init__(self, run):
            self.run = run

        def data(self, shown):
            raise OSError("no data")

    monkeypatch.setattr(sections, "loaded", lambda group: ({"broken": 1, "odd": Odd}, []))
    page = told(library, bots_id)
    assert (page["broken"], page["odd"]) == (None, None)
    assert page["leaderboard"]
    assert told(library, bots_id, "/hand/1/0/1")["sides"][0]["odd"] is None


@pytest.mark.parametrize("which", ["bots_id", "models_id"])
def test_the_page_has_the_card_of_the_run(library, runs, which, request):
    name = request.getfixturevalue(which)
    run = Run.open(runs / name)
    own = [as_json(part._asdict()) for part in card(Rows(run.result()), run.header)]
    assert told(library, name)["card"] == own


def test_a_torn_last_line_is_left_for_later(runs, bots_id, tmp_path):
    """And what comes after it is read without reading everything again."""
    lines = (runs / bots_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(lines[:9]) + lines[9][:100])
    run = OpenRun.open(tmp_path)
    assert (len(run.run.games), len(run.rows.matches), run.status) == (7, 1, "interrupted")
    assert run.followed() is run
    with journal.open("ab") as file:
        file.write(lines[9][100:] + b"".join(lines[10:]))
    after = run.followed()
    assert (len(after.run.games), len(after.rows.matches), after.status) == (24, 4, "finished")
    assert after.version != run.version


def test_a_journal_that_was_replaced_is_read_anew_and_one_that_was_damaged_recovers(runs, bots_id, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    whole = (runs / bots_id / "journal.jsonl").read_bytes()
    part = b"".join(whole.splitlines(keepends=True)[:9])
    library = Library(tmp_path)
    for journal, games in ((whole, 24), (part, 6), (b"{}\n", None), (whole, 24)):
        (folder / "journal.jsonl").write_bytes(journal)
        if games is None:
            with pytest.raises(JournalError):
                told(library, "run")
        else:
            assert told(library, "run")["totals"]["games"] == games


def test_pages_and_reports_count_what_was_played_alike_wherever_a_run_was_cut_off(runs, bots_id, tmp_path):
    """Hands of a match that is not finished count nowhere, since they are in no result."""
    folder = tmp_path / "run"
    folder.mkdir()
    lines = (runs / bots_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    counted = set()
    for many in (3, 8, 9, 12, len(lines) - 1):
        (folder / "journal.jsonl").write_bytes(b"".join(lines[:many]))
        reported, page = totals(Run.open(folder).result()), told(tmp_path, "run")
        assert {key: page["totals"][key] for key in ("games", "hands", "matches")} == {
            key: reported[key] for key in ("games", "hands", "matches")
        }
        counted.add(reported["hands"])
    assert len(counted) > 2


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"not json\n", b'{"line":"header","format":99}\n', b"\xff\xfe\n"])
def test_a_damaged_run_is_one_clear_line(tmp_path, damage):
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes(damage)
    with pytest.raises(JournalError, match=r"journal\.jsonl"):
        OpenRun.open(folder)
    (line,) = Library(tmp_path).runs_page()
    assert "cannot be read" in line["stopReason"]


def test_a_run_whose_config_was_changed_says_so(runs, bots_id, tmp_path):
    header, rest = (runs / bots_id / "journal.jsonl").read_bytes().split(b"\n", 1)
    folder = tmp_path / "changed"
    folder.mkdir()
    values = json.loads(header)
    values["config"]["stop"]["budget"]["maxMatches"] = 1
    (folder / "journal.jsonl").write_bytes(rechained([values, *rest.splitlines()]))
    with pytest.raises(JournalError, match="the config has been changed after the run"):
        told(tmp_path, "changed")


def test_one_who_hardly_ever_answered_has_no_rank(tmp_path):
    (tmp_path / "mute.py").write_text(
        "class Mute:\n    name = 'mute'\n    def act(self, observation):\n        raise OSError\n"
    )
    flags = ("--seeds", "2", "--hands", "6", "--max-matches", "6", "--quiet")
    quick_run(tmp_path / "out", "--participants", f"{tmp_path}/mute.py:Mute,maniac,callstation", *flags)
    (folder,) = (tmp_path / "out").iterdir()
    library = Library(tmp_path / "out")
    page = told(library, folder.name)
    *others, last = page["leaderboard"]
    assert (last["id"], last["ranks"], last["sure"], last["verdict"]) == ("mute", None, None, None)
    assert all(1 <= best <= worst <= 2 for best, worst in (row["ranks"] for row in others))
    assert others[-1]["verdict"] is None
    assert any(each.startswith("\u2068mute\u2069 is not ranked") for each in page["sentences"])


def test_every_command_that_is_shown_works_as_it_is_shown(runs, bots_id, tmp_path, monkeypatch):
    """From the folder in which the viewer was started, and in the words of a shell."""
    place = tmp_path / "it's here"
    shutil.copytree(runs / bots_id, place / "a run")
    monkeypatch.chdir(place)
    shown = {each["title"]: each["command"] for each in told(place, "a run")["reproduce"]["commands"]}
    assert shown.keys() == {
        "Play it again",
        "Replay every game from its records, calling no model, and check every file",
    }
    for title, command in shown.items():
        program, *arguments = shlex.split(command)
        assert program == "molt-bench"
        again = title == "Play it again"
        done = quick(*arguments, *(("--output-dir", "again", "--quiet", "--executor", "inline") if again else ()))
        assert done.returncode == 0, done.stderr
    (played,) = (place / "again").iterdir()
    for name in ("leaderboard.json", "matches.json"):
        assert (played / name).read_bytes() == (place / "a run" / name).read_bytes()
