"""The exam as a user sits it: recorded, resumed after a kill, verified, and bounded by money."""

import csv
import json

import pytest

from tests.agents.llm.mixing import mixing
from tests.e2e.llm import MODEL, PRICE, killing
from tests.e2e.shell import BOTS, Fork, lines_of, one_clear_line, quick, run_of

FEW = ("--questions", "20", "--json")


def config_in(folder, server, *others, **model):
    """Write a config with a model and others, and return the flags that ask them."""
    players = [{"id": "model", "type": f"llm:{MODEL}", "baseUrl": server.url, **model}, *others]
    asking = {"backoffS": 0.01, "prices": {MODEL: PRICE}, "maxConcurrent": 2}
    config = {"participants": players, "llm": asking, "outputDir": "out"}
    (folder / "bench.json").write_text(json.dumps(config))
    return ("exam", "--config", "bench.json", *FEW)


def answers_in(folder):
    """Return the answers of an exam by participant and question."""
    lines = lines_of(folder, "exam.jsonl")
    return {(line["participant"], line["question"]): line for line in lines if line["line"] == "answer"}


def test_bots_sit_the_exam_and_it_verifies(tmp_path):
    done = quick("exam", "tag", "folder", *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["answered"] for each in found["participants"]] == [20, 20]
    assert found["orders"][0]["questions"] == 20
    assert "not winnings" in found["note"]
    folder = run_of(tmp_path / "benchmark-results")
    assert len(answers_in(folder)) == 40
    again = quick("verify", folder, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["answers"] == 40
    assert json.loads(again.stdout)["participants"] == found["participants"]


def test_answers_that_were_edited_or_left_out_are_found(tmp_path):
    assert quick("exam", "tag", "folder", *FEW, cwd=tmp_path).returncode == 0
    folder = run_of(tmp_path / "benchmark-results")
    path = folder / "exam.jsonl"
    lines = path.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"folder"' in line and '"answer"' in line)
    edited = json.dumps({**json.loads(lines[at]), "actions": [["c", 1.0]]})
    last = json.loads(lines[-1])["reason"]
    for forged, said in (
        ([*lines[:at], edited, *lines[at + 1 :]], "the answer of 'folder'"),
        ([*lines[:at], *lines[at + 1 :]], "is missing"),
        ([*lines[:-1], lines[-1].replace(last, "the order is sure")], "says that it ended since the order is sure"),
        ([lines[0].replace('"count":20', '"count":60'), *lines[1:]], "is missing"),
    ):
        path.write_text("\n".join(forged) + "\n")
        one_clear_line(quick("verify", folder), said)


def test_somebody_who_is_alone_sits_beside_the_reference(tmp_path):
    done = quick("exam", "tight", *FEW, cwd=tmp_path)
    assert {each["id"] for each in json.loads(done.stdout)["participants"]} == {"tight", "blueprint"}


def test_faults_are_recorded_and_cost_a_fold(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    done = quick("exam", "bots.py:Caller", "bots.py:Thrower", "--no-color", *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = {each["id"]: each for each in json.loads(done.stdout)["participants"]}
    assert sorted(row["forced"] for row in rows.values()) == [0, 20]
    thrown = [each for each in answers_in(run_of(tmp_path / "benchmark-results")).values() if each["faults"]]
    assert all(each["actions"] == [["F", 1.0]] and len(each["faults"]) == 3 for each in thrown)


def test_a_model_that_was_cut_off_is_asked_nothing_twice(tmp_path, server):
    flags = (*config_in(tmp_path, server, "tight"), "--no-cost-limit")
    whole = quick(*flags, cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    asked = len(server.requests)
    complete = answers_in(run_of(tmp_path / "out"))
    elsewhere = tmp_path / "killed"
    elsewhere.mkdir()
    flags = (*config_in(elsewhere, server, "tight"), "--no-cost-limit")
    current = killing(server)
    number = asked + 8
    current[:] = [Fork(*flags, cwd=elsewhere), number]
    current[0].communicate()
    server.hook = None
    before = len(server.requests)
    done = quick(*flags, "--resume", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    folder = run_of(elsewhere / "out")
    found = answers_in(folder)
    assert {place: each["actions"] for place, each in found.items()} == {
        place: each["actions"] for place, each in complete.items()
    }
    assert len(server.requests) - before < asked
    assert quick("verify", folder).returncode == 0


def test_a_stated_strategy_is_valued_whole(tmp_path, server):
    server.say = mixing
    done = quick(*config_in(tmp_path, server, "tight", harness="mixed"), "--no-cost-limit", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = run_of(tmp_path / "out")
    stated = [each["actions"] for (name, _), each in answers_in(folder).items() if name == "model"]
    assert any(len(actions) > 1 for actions in stated)
    assert all(sum(chance for _, chance in actions) == pytest.approx(1) for actions in stated)
    assert quick("verify", folder).returncode == 0
    assert quick("publish", tmp_path / "out", "--output", tmp_path / "site").returncode == 0
    published = tmp_path / "site" / "files" / folder.name
    assert b"packed" in (published / "exchanges.jsonl").read_bytes(), "the prompts as they were sent"
    assert quick("verify", published).returncode == 0


def test_it_stops_when_the_money_is_spent(tmp_path, server):
    done = quick(*config_in(tmp_path, server, "tight"), "--set", "stop.budget.maxCostUsd=0.5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["stopReason"] == "the budget of $0.5 is spent"
    assert 0 < found["costUsd"]["model"] <= 0.5
    rows = {each["id"]: each["answered"] for each in found["participants"]}
    assert rows["model"] < rows["tight"]


def test_without_a_limit_of_cost_it_does_not_begin(tmp_path, server):
    done = quick(*config_in(tmp_path, server, "tight"), cwd=tmp_path)
    assert done.returncode == 2
    assert "--no-cost-limit" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "somebody has to sit the exam"),
        (("nosuchbot",), "nosuchbot"),
        (("tag", "--port", "8700"), "nobody connects without a live participant"),
        (("live", "--join-timeout", "0.1", "--quiet"), "nobody came for live within 0.1 s (--join-timeout)"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, said):
    done = quick("exam", *arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not [*tmp_path.glob("benchmark-results/*")]


@pytest.mark.parametrize("actions", [[], [["x", 1.0]], [["k", 0.5]], [["r", 1.0]]])
def test_a_line_that_no_exam_writes_is_one_line_of_error(tmp_path, actions):
    header = {"line": "header", "format": 1, "version": "1", "config": {}, "questions": "public-1", "count": 20}
    answer = {"line": "answer", "participant": "random", "question": "river-1", "actions": actions}
    lines = [json.dumps(each) for each in ({**header, "sha256": "0" * 64}, answer)]
    (tmp_path / "exam.jsonl").write_text("\n".join(lines) + "\n")
    done = quick("verify", tmp_path)
    assert done.returncode == 1
    assert "exam.jsonl line 2 is damaged" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_secret_set_is_revealed_at_the_end(tmp_path):
    done = quick("exam", "tag", "--secret", "--questions", "3", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = run_of(tmp_path / "benchmark-results")
    first, *_, last = lines_of(folder, "exam.jsonl")
    assert last["seed"] not in json.dumps(first)
    assert first["questions"] == "secret"
    assert quick("verify", folder).returncode == 0


def test_the_plan_of_an_exam_says_what_dollars_buy(tmp_path, server):
    config_in(tmp_path, server, "tight")
    done = quick("plan", "exam", "--config", "bench.json", "--dollars", "5", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (need,) = json.loads(done.stdout)["needs"]
    each = json.loads(done.stdout)["usdPerQuestion"]["model"]
    assert need["usd"] <= 5 < need["usd"] + each
    few = quick("plan", "exam", "--config", "bench.json", "--json", cwd=tmp_path)
    leads = [row["lead"] for row in json.loads(few.stdout)["needs"]]
    assert leads[0] is None
    assert leads[1:] == sorted(leads[1:], reverse=True)
    assert quick("plan", "exam", "--dollars", "5", cwd=tmp_path).returncode == 2
    wrong = quick("plan", "exam", "--config", "bench.json", "--hands", "5", cwd=tmp_path)
    assert "cannot be used with an exam" in wrong.stderr


def test_an_exam_is_reported_and_exported(tmp_path):
    done = quick("exam", "tag", "folder", *FEW, cwd=tmp_path)
    folder = run_of(tmp_path / "benchmark-results")
    again = json.loads(quick("report", folder, "--json").stdout)
    assert again["participants"] == json.loads(done.stdout)["participants"]
    page = tmp_path / "exam.html"
    assert quick("report", folder, "--html", page).returncode == 0
    assert "Costliest answers" in page.read_text()
    written = quick("export", folder, "--format", "csv", "--output", "-")
    head, *rows = csv.reader(written.stdout.splitlines())
    assert len(rows) == 40
    weights, lost = (
        [float(row[head.index(name)]) for row in rows if row[0] == "folder"] for name in ("weight", "loss")
    )
    mean = 100 * sum(w * loss for w, loss in zip(weights, lost, strict=True)) / sum(weights)
    (row,) = [each for each in again["participants"] if each["id"] == "folder"]
    assert row["loss"] == pytest.approx(mean, rel=0.01)


def test_a_bot_that_plays_one_game_alone_is_refused_before_anything_is_asked(tmp_path):
    command = "acpc:python3 ./bot.py"
    (tmp_path / "bot.py").write_text("")
    for more in ((), ("--set", "game.stack=20000")):
        done = quick("exam", command, "tag", "--set", "sandbox=off", *more, cwd=tmp_path)
        one_clear_line(done, "participants = 'bot'", "any stack")
        assert not (tmp_path / "benchmark-results").exists()
    (tmp_path / "bench.yaml").write_text(f"participants: ['{command}', tag]\ngame: {{stack: 20000}}\nsandbox: 'off'\n")
    one_clear_line(quick("plan", "exam", "--config", "bench.yaml", cwd=tmp_path), "participants = 'bot'", "any stack")


def test_participants_are_told_apart_by_spaces_unless_a_file_has_a_comma_in_its_name(tmp_path):
    (tmp_path / "my_bot.py").write_text(BOTS)
    (tmp_path / "my,bot.py").write_text(BOTS)
    for joined in ("my_bot.py:make_caller,tag", "tag,my_bot.py:make_caller"):
        done = quick("exam", joined, cwd=tmp_path)
        assert done.returncode == 2
        assert f"did you mean '{joined.replace(',', ' ')}'?" in done.stderr
    done = quick("exam", "my,bot.py:make_caller", "tag", "--questions", "5", "--set", "sandbox=off", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
