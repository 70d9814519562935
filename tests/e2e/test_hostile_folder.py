"""A run folder is data: whatever a stranger's run names, no command that reads it runs, contacts or opens any of it."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from molt_bench import ParticipantSpec, make_agent
from molt_bench.agents.kinds import kind_of
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.cli.app import program
from molt_bench.config.loader import load_config
from molt_bench.report.exports import FILES as FORMATS
from molt_bench.runs.header import config_hash
from molt_bench.runs.replies import FORMAT, Header, Skill
from molt_bench.runs.run_files import RunFiles
from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.shell import cut_back, first_lines, good, lines_of, one_clear_line, quick, rechained
from tests.e2e.watched import run_task

WATCHED = Path(__file__).with_name("watched.py")
EVIL = "import os\nopen(os.environ['MARK'], 'a').write('ran ' + __name__)\n"
AGENT = """
from molt_bench import Action

class Agent:
    name = "agent"
    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")

def make(**params):
    return Agent()
"""
#: Commands by what they are given in place of RUN, CUT (a run that has not ended), CONFIG and OUT (a folder).
WALK = {
    "resume": [["RUN"], ["CUT"], ["RUN", "--max-matches", "30"]],
    "serve": [["CUT", "--port", "0"]],
    "report": [["RUN"], ["CUT"]],
    "verify": [["RUN"], ["CUT"]],
    "grade": [["RUN"]],
    "plan": [["CONFIG", "--pilot", "RUN"]],
    "compare": [["RUN", "CUT"]],
    "export": [["RUN", "--format", form, "--output", f"OUT/export-{form}"] for form in (*FORMATS, "html", "site")],
    "view": [["RUN", "--port", "0", "--no-browser"]],
}
#: Commands that are given no run.
OTHERS = {"run", "gate", "doctor", "init", "join", "check"}
#: What has to succeed, so that the walk goes all the way.
SUCCEEDS = {"report", "verify", "compare", "grade", "export"}


class Trap:
    """Things outside of the folder of a run that nobody may touch, and a folder for what a command writes."""

    def __init__(self, home):
        self.home = home
        self.mark, self.out, self.bait = home / "mark", home / "out", home / "bait"
        for folder in (self.out, self.bait, self.bait / "evil.dist-info"):
            folder.mkdir(parents=True)
        (self.bait / "evil_file.py").write_text(EVIL + AGENT)
        (self.bait / "evil_module.py").write_text(EVIL + AGENT)
        (self.bait / "evil.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
        (self.bait / "evil.dist-info" / "entry_points.txt").write_text(
            "[molt_bench.agents]\nevil-plug = evil_module:make\n"
        )
        (self.bait / "secret.txt").write_text("a secret\n")
        (self.bait / "program.sh").write_text(f"#!/bin/sh\ntouch {self.mark}\n")
        (self.bait / "program.sh").chmod(0o755)
        (home / "config.json").write_text('{"participants": ["tight", "random"]}')

    def participants(self):
        """Return hostile participants by what is hostile about them."""
        command = ["/bin/sh", "-c", f"touch {self.mark}"]
        touch = {"command": f"touch {self.mark}"}
        return {
            "module": {"type": "os:system", "params": touch},
            "nested module": {"type": "evil_module:make"},
            "file": {"type": f"{self.bait}/evil_file.py:make"},
            "relative file": {"type": "evil_file.py:make"},
            "exec": {"type": f"exec:{shlex.join(command)}"},
            "exec of a file": {"type": f"exec:{self.bait}/program.sh"},
            "http": {"type": "http://127.0.0.1:9/act", "apiKeyEnv": "MY_KEY"},
            "live": {"type": "live"},
        }

    def forgetful(self):
        """Return those who can stand in for bots that played: who may remember has decks of its own."""
        return {name: each for name, each in self.participants().items() if not kind_of(each["type"]).remembers}

    def models(self):
        model = {"type": "llm:openai:test", "baseUrl": "http://127.0.0.1:9/v1", "apiKeyEnv": "MY_KEY"}
        return {"llm": model, "skill document": {**model, "skillDoc": f"{self.bait}/secret.txt"}}

    def run(self, name, hostile, *, ended=True, hashes=None):
        """Write a run whose games were played honestly, and whose header names what is hostile."""
        config = load_config(
            {
                "participants": ["tight", *({"id": each, "type": "mine"} for each in hostile)],
                "seeds": {"perMatch": 2, "masterSeed": "the master seed of a stranger", "file": None},
                "game": {"handsPerGame": 4},
                "scheduler": {"policy": "round_robin"},
                "stop": {"adjacentConfidence": None, "budget": {"maxMatches": max(2, len(hostile))}},
            }
        )
        folder = self.home / name
        folder.mkdir()
        files = RunFiles.new(folder, config)
        run_benchmark(config, agents={"mine": lambda: make_agent("callstation")}, files=files, executor="inline")
        files.close()
        header, *lines = lines_of(folder, "journal.jsonl")
        plain = {**header["config"], "outputDir": str(self.bait)}
        types = {each["id"]: each for each in plain["participants"]}
        plain["participants"] = [types["tight"], *({"id": each, **settings} for each, settings in hostile.items())]
        plain = load_config(plain).plain()
        told = {
            "config": plain,
            "configHash": config_hash(plain),
            "folder": str(self.bait),
            "agents": {each: {"code": found} for each, found in (hashes or {}).items()},
        }
        end = {key: value for key, value in lines.pop().items() if key != "repliesHash"}
        lines = [{**header, **told}, *lines, *([end] if ended else [])]
        (folder / "journal.jsonl").write_bytes(rechained(lines))
        if any(each["type"].startswith("llm") for each in hostile.values()):
            lines = [Header(FORMAT), *(Skill(name, "skill") for name in hostile)]
            (folder / "replies.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        # Python would prefer modules of the current folder, if that were among those it looks in.
        for module in ("numpy", "polars", "sqlite3", "evil_module"):
            (folder / f"{module}.py").write_text(EVIL)
        return folder

    def _task(self, commands):
        folders = [str(path) for path in (self.out, self.home / "config.json", *self.home.glob("run*"))]
        return {"commands": commands, "folders": folders, "log": str(self.out / "log.json")}

    def start(self, *commands, cwd):
        """Start commands in one process, in the folder of the run."""
        task = self.home / "task.json"
        task.write_text(json.dumps(self._task(commands)))
        return subprocess.Popen(
            [sys.executable, "-P", str(WATCHED), str(task)],
            cwd=cwd,
            env={**os.environ, **self.environment()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def environment(self):
        return {"MARK": str(self.mark), "MY_KEY": "a key of mine", "PYTHONPATH": str(self.bait)}

    def watch(self, *commands, cwd):
        """Run commands in one process, in the folder of the run, and return what each of them did."""
        process = self.start(*commands, cwd=cwd)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return self.log(err), err

    def watch_fork(self, *commands, cwd, monkeypatch):
        """Do the same in a fork of this process, which starts sooner, but has most modules loaded already."""
        words = [[str(word) for word in command] for command in commands]
        monkeypatch.setattr("tests.e2e.shell.main", lambda: run_task(self._task(words)))
        done = good(quick(cwd=cwd, env=self.environment()))
        return self.log(done.stderr), done.stderr

    def log(self, err):
        assert "Traceback" not in err, err
        return json.loads((self.out / "log.json").read_text())

    def harmless(self, done):
        """Check that nothing happened."""
        assert {tuple(each["command"]): each["events"] for each in done if each["events"]} == {}
        assert not self.mark.exists()

    def calls(self, run, cut, names):
        """Return every call of some commands on these runs."""
        places = {"RUN": run, "CUT": cut, "CONFIG": self.home / "config.json"}
        return [
            [name, *(str(places.get(word, word)).replace("OUT", str(self.out), 1) for word in words)]
            for name in names
            for words in WALK[name]
        ]


@pytest.fixture
def trap(tmp_path):
    return Trap(tmp_path.resolve())


def failed(done):
    """Return the commands that failed."""
    return {each["command"][0] for each in done if each["status"]}


def test_every_command_that_is_given_a_run_is_walked():
    assert WALK.keys() | OTHERS == {*program.list_commands(None)}
    for name in OTHERS:
        params = program.get_command(None, name).params
        places = [each for each in params if each.param_type_name == "argument" or each.metavar == "RUN"]
        assert not [each for each in places if re.search(r"\bruns?\b", str(each.help).lower())], f"{name} takes a run"


SAID = "this would run agents that the run names: 'module' (os:system)"


def test_nothing_that_a_run_names_is_run_contacted_or_opened(trap, monkeypatch):
    """The commands that used to; all the others are walked by the slow tests below."""
    hostile = trap.forgetful()
    run, cut = trap.run("run", hostile), trap.run("run-cut", hostile, ended=False)
    calls = [["report", run], ["verify", run], ["compare", run, cut], ["resume", cut], ["verify", cut]]
    done, err = trap.watch_fork(*calls, cwd=run, monkeypatch=monkeypatch)
    trap.harmless(done)
    assert [each["status"] for each in done] == [0, 0, 0, 1, 0], err
    assert SAID in err


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all", "models", "module", "nested module", "file", "relative file", "exec", "http"])
def test_no_command_runs_contacts_or_opens_anything_that_a_run_names(trap, kind):
    """Also where it is the only one: on its own, none hides behind an error about another one."""
    people = {"models": trap.models(), "all": trap.forgetful()}
    hostile = people.get(kind) or {kind: trap.participants()[kind]}
    run, cut = trap.run("run", hostile), trap.run("run-cut", hostile, ended=False)
    names = [name for name in WALK if name != "view" and (kind != "models" or name not in ("serve", "grade"))]
    done, err = trap.watch(*trap.calls(run, cut, names), cwd=run)
    trap.harmless(done)
    if kind == "all":
        assert failed(done) & SUCCEEDS == set(), err
        assert [each["status"] for each in done if each["command"][:2] == ["resume", str(cut)]] == [1]
        assert SAID in err
    if kind == "models":
        assert failed(done) & (SUCCEEDS - {"verify"}) == set(), err
        assert "no exchange is recorded for" in err


def asked(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


@pytest.mark.slow
@pytest.mark.parametrize("models", [False, True])
def test_nor_does_the_viewer_whatever_page_is_opened(trap, models):
    run = trap.run("run", trap.models() if models else trap.forgetful())
    process = trap.start(["view", str(run), "--port", "0", "--no-browser"], cwd=run)
    line = process.stdout.readline()
    url = re.search(r"http://\S+/", line)[0].rstrip("/")
    try:
        for page in ("", ".json", "/hands.json", "/hand/1/0/1.json", "/matches.json", "/styles.json", "/grades.json"):
            with suppress(urllib.error.HTTPError):  # not every run has every page
                asked(f"{url}/api/runs/run{page}" if page else f"{url}/")
        found = json.loads(asked(f"{url}/api/runs/run.json"))
        assert found["status"] == "finished"
        time.sleep(1)
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    trap.harmless(trap.log(err))


@needs_bubblewrap
def test_code_that_is_run_with_permission_runs_in_a_box_where_it_does_no_harm(trap, monkeypatch):
    """The watcher sees that something is started, so it would see it without permission, too."""
    hashed = sha256((trap.bait / "evil_file.py").read_bytes()).hexdigest()
    hostile = {"file": trap.participants()["file"]}
    run = trap.run("run", hostile, hashes={"file": hashed})
    (done,), err = trap.watch_fork(["verify", run, "--run-agents"], cwd=run, monkeypatch=monkeypatch)
    assert "subprocess.Popen" in {event for event, _ in done["events"]}, err
    assert ["exec", str(trap.bait / "evil_file.py")] not in done["events"]
    assert not trap.mark.exists()
    assert f"runs {trap.bait}/evil_file.py in a sandbox; SHA-256 {hashed}, as recorded" in err


@needs_bubblewrap
def test_and_programs_that_are_started_with_permission(trap, monkeypatch):
    hostile = {"exec": trap.participants()["exec of a file"]}
    hashed = kind_of("exec").fingerprint(ParticipantSpec(id="exec", type=hostile["exec"]["type"]))
    cut = trap.run("run-cut", hostile, ended=False, hashes={"exec": hashed})
    call = ["resume", cut, "--run-agents", "--max-matches", "3"]
    (done,), err = trap.watch_fork(call, cwd=cut, monkeypatch=monkeypatch)
    assert "subprocess.Popen" in {event for event, _ in done["events"]}, err


@pytest.mark.parametrize("command", ["resume", pytest.param("verify", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["module", "nested module", "file", "exec"])
def test_code_without_a_recorded_hash_is_never_run(trap, command, kind):
    cut = trap.run("run-cut", {kind: trap.participants()[kind]}, ended=command != "resume")
    done = quick(command, cut, "--run-agents", env={"MARK": str(trap.mark), "PYTHONPATH": str(trap.bait)})
    one_clear_line(done, f"the journal has no hash of the code of {kind!r}, so it is not run")
    assert not trap.mark.exists()


def test_a_package_in_the_folder_of_a_run_is_no_plug_in(trap):
    """`python -m` looks there for packages; those that somebody has installed are the user's own."""
    command = [sys.executable, "-m", "molt_bench", "doctor"]
    done = subprocess.run(command, cwd=trap.bait, capture_output=True, text=True, check=True)
    assert "evil" not in done.stdout
    assert not trap.mark.exists()


@pytest.mark.parametrize("kind", ["file", "exec of a file"])
def test_code_with_another_hash_is_never_run(trap, kind):
    run = trap.run("run", {kind: trap.participants()[kind]}, hashes={kind: "0" * 64})
    one_clear_line(quick("verify", run, "--run-agents", env={"MARK": str(trap.mark)}), "has been changed", "not run")
    assert not trap.mark.exists()


@pytest.mark.parametrize("name", ["matches.json", ".matches.json.part"])
def test_a_link_out_of_the_folder_is_refused(trap, name):
    run = trap.run("run", {"http": trap.participants()["http"]})
    (run / name).symlink_to(trap.bait / "secret.txt")
    for command in (["report"], ["verify"], ["export", "--format", "csv"]):
        one_clear_line(quick(command[0], run, *command[1:]), name, "leads out of the folder of the run")
    assert (trap.bait / "secret.txt").read_text() == "a secret\n"


def test_what_would_block_a_reader_is_refused(trap):
    run = trap.run("run", {"http": trap.participants()["http"]})
    os.mkfifo(run / "summary.json")
    one_clear_line(quick("report", run), "summary.json", "neither a file nor a folder")


@pytest.mark.parametrize("command", ["resume", "verify", "doctor"])
def test_code_that_would_block_a_reader_is_refused(trap, command):
    """Its hash is looked at before anybody is asked."""
    os.mkfifo(trap.bait / "pipe.py")
    hostile = {"pipe": {"type": f"{trap.bait}/pipe.py:make"}}
    config = trap.home / "config.json"
    config.write_text(json.dumps({"participants": ["tight", {"id": "pipe", **hostile["pipe"]}]}))
    cut = trap.run("run-cut", hostile, ended=False, hashes={"pipe": "0" * 64})
    call = ["doctor", config] if command == "doctor" else [command, cut, "--run-agents"]
    done = quick(*call)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "pipe.py" in done.stderr
    assert "is not there" in done.stderr or "not a file" in done.stderr


def test_a_document_that_would_be_sent_to_a_server_is_named(trap):
    model = trap.models()["skill document"]
    cut = trap.run("run-cut", {"model": model}, ended=False)
    cut_back(cut, first_lines(1))
    done = quick("resume", cut, "--run-agents", env={"MY_KEY": "a key of mine"})
    assert "sends the value of $MY_KEY\n" in done.stderr, "what it is told is on record, and no file is read"
    (cut / "replies.jsonl").unlink()
    done = quick("resume", cut, "--run-agents", env={"MY_KEY": "a key of mine"})
    assert f"sends the value of $MY_KEY, and the file {trap.bait}/secret.txt" in done.stderr
