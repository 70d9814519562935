"""The folder of an exam is data: whatever a stranger's exam names or holds, no command runs, contacts or opens it."""

import json
import os

import msgspec
import pytest

from molt_bench.config.loader import load_config
from molt_bench.errors import JournalError
from molt_bench.exam.question_sources import recorded_questions
from molt_bench.exam.questions import public_set
from molt_bench.runs.master_seed import SEED_FILE
from molt_bench.view.library import Library
from tests.e2e.shell import one_clear_line, quick
from tests.e2e.test_hostile_folder import Trap, harmless

NAME = "<script>alert(1)</script>\x1b[31m\u202e"


@pytest.fixture
def trap(tmp_path):
    return Trap(tmp_path.resolve())


def exam_in(trap, hostile, *, name="run-exam", ended=True, lines=(), **header):
    """Write an exam of somebody who names what is hostile, with an answer of everybody to two questions."""
    folder = trap.home / name
    folder.mkdir()
    players = [
        "tight",
        "random",
        *({"id": each, "displayName": NAME, **settings} for each, settings in hostile.items()),
    ]
    known = public_set()
    first = {
        "line": "header",
        "format": 1,
        "version": "1",
        "config": load_config({"participants": players, "outputDir": str(trap.bait)}).plain(),
        "questions": known.name,
        "count": 2,
        "sha256": known.sha256(),
        **header,
    }
    found = [first]
    for each in known.questions[:2]:
        for player in hostile:
            letter = each.options[-1].action
            found.append({"line": "answer", "participant": player, "question": each.id, "actions": [[letter, 1.0]]})
    found += [*lines, *([{"line": "end", "reason": NAME}] if ended else [])]
    (folder / "exam.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in found))
    for module in ("numpy", "evil_module"):
        (folder / f"{module}.py").write_text("raise SystemExit('ran')")
    return folder


#: Commands that can be given a run, with the exam in its place, and how each ends; nothing proves what it says.
CALLS = {
    "report": 0,
    "report --html OUT/page.html": 0,
    "export --format csv --output OUT/answers.csv": 0,
    "export --format phh": 1,
    "resume": 1,
    "replay": 1,
    "grade": 1,
    "publish --output OUT/site": 0,
    "verify": 1,
}


def calls_on(folder, trap):
    words = [call.replace("OUT", str(trap.out)).split() for call in CALLS]
    pilot = ["plan", str(trap.home / "config.json"), "--pilot", str(folder)]
    return [*([name, str(folder), *rest] for name, *rest in words), pilot, ["compare", str(folder), str(folder)]]


@pytest.mark.parametrize("models", [False, True])
def test_nothing_that_an_exam_names_is_run_contacted_or_opened(trap, models, monkeypatch):
    folder = exam_in(trap, trap.models() if models else trap.participants())
    done, err = trap.watch_fork(*calls_on(folder, trap), cwd=folder, monkeypatch=monkeypatch)
    harmless(done, trap)
    assert [each["status"] for each in done] == [*CALLS.values(), 1, 3], err
    assert "\x1b" not in err
    page = (trap.out / "page.html").read_text()
    assert "<script>alert(1)" not in page


@pytest.mark.parametrize("secret", [False, True])
def test_nor_in_an_exam_that_goes_on(trap, secret, monkeypatch):
    folder = exam_in(trap, trap.participants(), ended=False, **({"questions": "secret"} if secret else {}))
    done, err = trap.watch_fork(*calls_on(folder, trap), cwd=folder, monkeypatch=monkeypatch)
    harmless(done, trap)
    assert ("the seed of its secret questions is not known" in err) is secret


def test_solutions_of_a_secret_exam_that_goes_on_are_not_shown(trap):
    folder = exam_in(trap, {}, ended=False, questions="secret")
    (folder / SEED_FILE).write_text("seed")
    question = msgspec.to_builtins(public_set().questions[0])
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n")
    target = trap.out / "page.html"
    assert quick("report", folder, "--html", target).returncode == 0
    assert question["decision"]["cards"] not in target.read_text()


def damaged(field, value):
    question = msgspec.to_builtins(public_set().questions[0])
    place = question
    *path, last = field.split(".")
    for each in path:
        place = place[int(each)] if each.isdecimal() else place[each]
    place[last] = value
    return json.dumps(question)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        damaged("weight", 1e308),
        damaged("weight", 0),
        damaged("pot", 0),
        damaged("options", []),
        damaged("options.0.action", "r99999999999999999999"),
        damaged("options.0.value", 1e300),
        damaged("decision.stack", 10**18),
        damaged("decision.button", 7),
        damaged("decision.line", "r250c/kk/r500c/kk"),
        damaged("decision.line", "zz"),
        damaged("decision.cards", "JhJh"),
        damaged("decision.board", "7h"),
        damaged("id", "x" * 200_000),
    ],
)
def test_a_damaged_question_is_found(tmp_path, line):
    (tmp_path / "questions.jsonl").write_text(line + "\n")
    with pytest.raises(JournalError, match=r"questions\.jsonl line 1 is damaged") as found:
        recorded_questions(tmp_path / "questions.jsonl")
    assert len(str(found.value)) < 2000


def test_and_is_one_clear_line(trap):
    folder = exam_in(trap, {}, questions="secret", ended=False, lines=[{"line": "end", "reason": "over", "seed": "s"}])
    (folder / "questions.jsonl").write_text(damaged("decision.line", "\x1b[31m") + "\n")
    one_clear_line(quick("report", folder), "questions.jsonl line 1 is damaged")


def test_answers_of_nobody_and_to_nothing_are_left_out(trap):
    strange = [
        {"line": "answer", "participant": "nobody", "question": "river-1", "actions": [["k", 1.0]]},
        {"line": "answer", "participant": "tight", "question": NAME, "actions": [["k", 1.0]]},
        {"line": "answer", "participant": "tight", "question": "river-1", "sample": 9_999, "actions": [["k", 1.0]]},
    ]
    folder = exam_in(trap, {}, lines=strange)
    done = quick("report", folder, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["participants"][0]["answered"] == 0
    assert quick("report", folder, "--html", trap.out / "page.html").returncode == 0
    assert quick("verify", folder).returncode == 1


@pytest.mark.parametrize("name", ["exam.jsonl", "questions.jsonl", "exchanges.jsonl"])
def test_a_link_out_of_the_folder_and_a_pipe_are_refused(trap, name):
    folder = exam_in(trap, {})
    path = folder / name
    elsewhere = trap.bait / "elsewhere"
    elsewhere.write_bytes(path.read_bytes() if path.exists() else b"")
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere)
    for command in (["report"], ["verify"], ["export", "--format", "csv"]):
        one_clear_line(quick(command[0], folder, *command[1:]), name, "leads out of the folder of the run")
    if name != "exam.jsonl":
        path.unlink()
        os.mkfifo(path)
        one_clear_line(quick("report", folder), name, "neither a file nor a folder")


def test_the_list_shows_a_damaged_exam_as_damaged(trap):
    folder = exam_in(trap, {}, name="run-bad")
    (folder / "exam.jsonl").write_text("{")
    exam_in(trap, trap.participants(), name="run-good")
    bad, good = sorted(Library(trap.home).exam_list(), key=lambda each: each["id"])
    assert "exam.jsonl" in bad["error"]
    assert good["ended"] is True
    assert len(good["participants"]) == 13
