"""FR-7: what a run leaves behind."""

import re

import pytest

from tests.prd.conftest import Caller, small


def test_fr7_27_the_leaderboard_is_a_file(quick_run):
    """27: { participants: [{ id, name, mu, sigma, matches, wins, losses }] }."""
    board = quick_run.run.read("leaderboard.json")["participants"]
    assert {row["id"] for row in board} == {"random", "tight", "callstation"}
    played = quick_run.run.matches
    for row in board:
        assert {"id", "name", "mu", "sigma", "matches", "wins", "losses"} <= row.keys()
        mine = [match for match in played if row["id"] in (match["participantA"], match["participantB"])]
        won = [match for match in mine if match[f"participant{match['result']['winner']}"] == row["id"]]
        assert (row["matches"], row["wins"], row["losses"]) == (len(mine), len(won), len(mine) - len(won))


def test_fr7_28_the_match_history_is_a_file(quick_run):
    """28: { matches: [{ id, participantA, participantB, seeds, result, ratingDelta }] }."""
    matches = quick_run.run.matches
    assert len({match["id"] for match in matches}) == len(matches) >= 3
    for match in matches:
        assert {"id", "participantA", "participantB", "seeds", "result", "ratingDelta"} <= match.keys()
        assert match["ratingDelta"].keys() == {match["participantA"], match["participantB"]}
        assert len(match["seeds"]) == 4


def test_fr7_28_the_changes_add_up_to_the_ratings(quick_run):
    """28: ratingDelta is what each match did to each rating."""
    run = quick_run.run
    for name, row in run.board.items():
        changes = [match["ratingDelta"].get(name, {"mu": 0, "sigma": 0}) for match in run.matches]
        assert 25 + sum(change["mu"] for change in changes) == pytest.approx(row["mu"])
        assert 25 / 3 + sum(change["sigma"] for change in changes) == pytest.approx(row["sigma"])


def test_fr7_29_the_summary_is_printed(quick_run):
    """29: formatted leaderboard table, total games and hands, convergence reason, duration."""
    run, out = quick_run.run, quick_run.out
    rows = [line.split() for line in out.splitlines() if re.match(r" *\d+(-\d+)? +(random|tight|callstation) ", line)]
    assert [row[1] for row in rows] == run.ranking
    for row in rows:
        found = run.board[row[1]]
        assert f"{found['mu']:.1f}" in row[-1]  # it sorts nothing, and stands last
        assert f"{found['sigma']:.1f}" in row[-1]
    totals = run.summary["totals"]
    assert f"{totals['games']:,} games" in out
    assert f"{totals['hands']:,} hands" in out
    assert run.summary["stopReason"] in " ".join(out.split())
    assert re.search(r"hands in [0-9.]+ s", out)
    assert run.summary["seconds"] > 0


def test_fr7_30_everything_is_written_to_the_folder_asked_for(command, tmp_path):
    """30: all output is written to the configurable outputDir."""
    done = command("--seeds", 1, "--hands", 2, "--max-matches", 1, "--output-dir", "deep/down", "--quiet")
    assert done.status == 0, done.err
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    (folder,) = (tmp_path / "deep" / "down").iterdir()
    names = {path.name for path in folder.iterdir()}
    assert {"config.json", "seeds.json", "leaderboard.json", "matches.json", "summary.json", "log.jsonl"} <= names


def test_fr7_convergence_data_is_there_match_by_match(quick_run):
    """Goals: machine-readable results with leaderboard, match history and convergence data."""
    run = quick_run.run
    assert [step["match"] for step in run.steps] == list(range(1, len(run.matches) + 1))
    last = {each["id"]: each["mu"] for step in run.steps for each in step["ratings"]}
    assert last == pytest.approx({name: row["mu"] for name, row in run.board.items()})


def test_observability_the_log_has_every_match_and_every_update(quick_run):
    """Observability: JSONL log file per run with all match results and rating updates."""
    run = quick_run.run
    logged = [event for event in run.log if event["event"] == "match"]
    for event, match in zip(logged, run.matches, strict=True):
        assert event["id"] == match["id"]
        assert event["ratingDelta"] == match["ratingDelta"]
        for field in ("scoreA", "scoreB", "winner", "hands", "errors"):
            assert event["result"][field] == match["result"][field]


def test_observability_progress_is_on_the_console(quick_run):
    """Observability: console output with progress: the current match, rating snapshots."""
    run = quick_run.run
    told = [line for line in quick_run.err.splitlines() if line.startswith("match ")]
    assert len(told) == len(run.matches)
    for number, (line, match) in enumerate(zip(told, run.matches, strict=True), start=1):
        assert line.startswith(f"match {number}: ")
        assert match["participantA"] in line
        assert match["participantB"] in line
    for row in run.board.values():
        assert f"{row['id']} {row['mu']:.1f}±{row['sigma']:.1f}" in told[-1]


def test_observability_errors_are_counted_by_agent(command, tmp_path):
    """Observability: error counts per agent in the final report. FR-1.3: an agent from a file of one's own."""
    code = "class Agent:\n    name = 'mine'\n    def act(self, observation):\n        raise ValueError('oops')\n"
    (tmp_path / "mine.py").write_text(code)
    short = ("--seeds", 1, "--hands", 4, "--max-matches", 1, "--quiet")
    done = command("--participants", "mine.py:Agent,callstation", *short)
    run = done.run
    faults = run.summary["errors"]["mine"]
    assert faults == {"exception": 24}  # three tries in each of eight hands
    assert run.summary["errors"]["callstation"] == {}
    row = next(line for line in done.out.splitlines() if re.search(r"\bmine\b", line))
    assert row.split()[-2] == "24"


def test_guardrails_hold_for_scripted_agents(quick_run):
    """Guardrails: error rate 0% for scripted agents, chips conserved, sigma decreases on average."""
    run = quick_run.run
    assert run.summary["guardrails"]["errorRate"] == 0
    assert run.summary["guardrails"]["chipsConserved"] is True
    assert all(match["result"]["scoreA"] + match["result"]["scoreB"] == 0 for match in run.matches)
    assert all(row["sigma"] < 25 / 3 for row in run.board.values())


def test_guardrail_errors_are_a_share_of_the_games(played):
    """Guardrails: the share of games that end in a forced fold."""

    class Late(Caller):
        """Fails in the first game that it plays, and only there."""

        first = None

        def act(self, observation):
            Late.first = Late.first or self
            if Late.first is self:
                raise ValueError("not yet")
            return super().act(observation)

    run = played(small({"id": "late", "type": "late"}, "callstation", matches=1, seeds=4), agents={"late": Late})
    assert run.summary["guardrails"]["errorRate"] == pytest.approx(1 / 8)


def test_kpi_convergence_is_compared_with_a_round_robin(quick_run):
    """KPI: games needed for the order, compared to a full round robin."""
    found = quick_run.run.summary["convergenceEfficiency"]
    assert found["games"] == quick_run.run.summary["totals"]["games"]
    assert found["roundRobinGames"] >= found["games"]
    assert found["ratio"] == pytest.approx(found["games"] / found["roundRobinGames"], abs=0.001)
