"""Log-probabilities in whole runs: the same bytes from every command, and none of them where a model is refused."""

import json
import shutil

import pytest

from molt_bench.view.open_run import OpenRun
from tests.agents.llm.drawing import Drawer
from tests.e2e.llm import SAME, config_for, cut, exchanges_in, gone_on, played, same_files
from tests.e2e.shell import lines_of, quick, read, unvouched

FILES = (*SAME, "margins.json")
ASKED = {"replyFirst": "action", "logprobs": True}


def greedy(odds):
    return {max(odds, key=odds.get): 1.0}


def run(folder, server, drawer, **settings):
    """Play a small run of a model that draws, 12 matches of 2 seeds and 1 hand."""
    server.say = drawer
    config = config_for(server.url, **{**ASKED, **settings})
    config["participants"] = [config["participants"][0], "random"]
    config["game"] = {"handsPerGame": 1}
    config["stop"]["budget"]["maxMatches"] = 12
    return played(folder, config)


@pytest.fixture(scope="module")
def runs(one_server, tmp_path_factory):
    """Return the folders of three runs: an honest model, a greedy one, and that one without log-probabilities."""
    one_server.calm()
    found = [
        run(tmp_path_factory.mktemp(name), one_server, drawer, logprobs=asked)
        for name, drawer, asked in (
            ("honest", Drawer(), True),
            ("greedy", Drawer(draws=greedy), True),
            ("plain", Drawer(draws=greedy), False),
        )
    ]
    one_server.calm()
    return dict(zip(("honest", "greedy", "plain"), found, strict=True))


def margins(folder):
    """Return the margins of every seed pair, by estimator."""
    matches = read(folder, "matches.json")["matches"]
    return [seed["marginsMbb"] for match in matches for seed in match["result"]["perSeed"]]


@pytest.mark.slow
def test_the_odds_are_in_the_file_and_change_the_margins(runs):
    assert all(line["choice"]["odds"] for line in exchanges_in(runs["honest"]) if line["attempt"] == 1)
    assert not any("choice" in line for line in exchanges_in(runs["plain"]))
    assert not any("log-prob" in warning for warning in read(runs["honest"], "summary.json")["warnings"])


def test_a_refused_model_has_the_margins_of_one_that_was_not_asked(runs):
    """It is found out after the first match, which is then computed again; what was thought before stays on record."""
    told = [warning for warning in read(runs["greedy"], "summary.json")["warnings"] if "log-prob" in warning]
    assert len(told) == 1
    assert told[0].startswith("model: its replies do not follow its log-probabilities")
    assert margins(runs["greedy"]) == margins(runs["plain"])
    early, plain = (read(runs[name], "convergence.json")["steps"][0] for name in ("greedy", "plain"))
    assert early["confidences"] != plain["confidences"]
    assert (
        read(runs["greedy"], "leaderboard.json")["participants"]
        == read(runs["plain"], "leaderboard.json")["participants"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["honest", "greedy"])
def test_report_writes_the_same_bytes(runs, tmp_path, name):
    folder = tmp_path / "run"
    folder.mkdir()
    for file in ("journal.jsonl", "exchanges.jsonl"):
        shutil.copy(runs[name] / file, folder)
    assert quick("report", folder).returncode == 0
    assert same_files(folder, FILES) == same_files(runs[name], FILES)


def games_left(folder):
    """Yield the games of a journal as exchanges name them."""
    for line in lines_of(folder, "journal.jsonl"):
        if line["line"] != "game":
            continue
        spec = line["record"]["spec"]
        yield {"match": line["match"], "seed": spec["seed"], "seating": spec["seating"]}


def is_kept(line, games):
    """Return whether a line of the exchanges is the header, the preflight, or belongs to one of the games."""
    return line["line"] == "header" or not line["game"]["match"] or json.dumps(line["game"]) in games


@pytest.mark.slow
@pytest.mark.parametrize("name", ["honest", "greedy"])
@pytest.mark.parametrize("games", [2, 9])
def test_resume_writes_the_same_bytes(runs, server, tmp_path, name, games):
    folder = shutil.copytree(runs[name], tmp_path / "run")
    cut(folder, games=games)
    kept = {json.dumps(game) for game in games_left(folder)}
    path = folder / "exchanges.jsonl"
    lines = [line for line in path.read_text().splitlines() if is_kept(json.loads(line), kept)]
    path.write_text("".join(f"{line}\n" for line in lines))
    server.say = Drawer(draws=greedy) if name == "greedy" else Drawer()
    gone_on(folder)
    assert same_files(folder, FILES) == same_files(runs[name], FILES)


@pytest.mark.parametrize("name", ["honest", "greedy"])
@pytest.mark.slow
def test_verify_finds_nothing(runs, name):
    done = quick("verify", runs[name])
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout


@pytest.mark.parametrize(
    ("vouched", "said"), [(True, "exchanges.jsonl is not what the run recorded"), (False, "margins of match")]
)
def test_verify_notices_odds_that_were_tampered_with(runs, tmp_path, vouched, said):
    folder = shutil.copytree(runs["honest"], tmp_path / "run")
    path = folder / "exchanges.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        if line.get("choice"):
            line["choice"]["odds"] = [[token, -1.2] for token, _ in line["choice"]["odds"]][:2]
            line["choice"]["other"] = 1 - 2 * 0.3011942
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    if not vouched:
        unvouched(folder)
    done = quick("verify", folder)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["honest", "greedy"])
def test_the_viewer_computes_the_same_margins(runs, tmp_path, name):
    folder = shutil.copytree(runs[name], tmp_path / "run")
    (folder / "matches.json").unlink()
    opened = OpenRun(folder)
    opened.catch_up()
    found = [
        [match.margins["raw"][at], match.margins["corrected"][at]]
        for match in opened.ladder.matches
        for at in range(len(match.margins["raw"]))
    ]
    assert found == [[each["raw"], each["corrected"]] for each in margins(runs[name])]
    assert any("log-prob" in warning for warning in opened.result().warnings) == (name == "greedy")


@pytest.mark.slow
def test_runs_with_and_without_them_can_be_compared(runs):
    done = quick("compare", runs["plain"], runs["honest"])
    assert done.returncode == 0, done.stderr
