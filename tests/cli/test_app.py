"""The command line, as a user runs it."""

import json
import platform
import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from tests.e2e.shell import SEEDED, cut_back, first_lines, quick

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.cli.app import COMMANDS
from molt_bench.kernels import compiled

MOLT_BENCH = str(Path(sys.executable).with_name("molt-bench"))


@pytest.fixture
def program(tmp_path):
    """Return a function that runs the program as a process of its own."""

    def call(*arguments):
        return subprocess.run(
            [MOLT_BENCH, *arguments], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path
        )

    return call


@pytest.fixture
def run(tmp_path):
    """Return a function that runs the program in a fork of this process."""
    return partial(quick, cwd=tmp_path)


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_version_says_all_that_decides_results_and_speed(program, monkeypatch, pure):
    monkeypatch.setenv("MOLT_BENCH_PURE", pure)
    how = "compiled" if compiled and not pure else "not compiled"
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    done = program("--version")
    assert done.stdout == f"molt-bench {__version__} (bench version {BENCH_VERSION}, kernels {how}, {python})\n"


def test_flags_win_over_the_config_and_set_over_both(run, tmp_path):
    (tmp_path / "bench.yaml").write_text("game: {handsPerGame: 30, stack: 5000}\nseeds: {perMatch: 3}\n")
    more = ("--max-matches", "1", "--json")
    done = run("--config", "bench.yaml", "--hands", "20", "--set", "seeds.perMatch=2", *more)
    folder = tmp_path / json.loads(done.stdout)["runDir"]
    config = json.loads((folder / "config.json").read_text())
    assert (config["game"]["handsPerGame"], config["game"]["stack"], config["seeds"]["perMatch"]) == (20, 5000, 2)


def test_the_same_type_twice_is_told_apart(run):
    assert "random-2" in run("--participants", "random,random", "--max-matches", "1").stdout


def test_report_rebuilds_every_file_from_the_journal(run, tmp_path):
    folder = tmp_path / json.loads(run("--json").stdout)["runDir"]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in before.keys() - {"journal.jsonl"}:
        (folder / name).unlink()
    assert run("report", str(folder)).returncode == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_names_with_brackets_are_shown_as_they_are(run, tmp_path):
    (tmp_path / "c.yaml").write_text(
        'participants: [{id: "a[/b]", type: random}, {id: t, type: tight, displayName: "gpt[high]"}]\n'
    )
    done = run("--config", "c.yaml", "--max-matches", "1")
    assert done.returncode == 0, done.stderr
    assert "a[/b]" in done.stdout
    assert "gpt[high]" in done.stdout
    assert "a[/b]" in done.stderr


@pytest.mark.slow
def test_a_module_beside_the_user_can_be_named(program, tmp_path):
    (tmp_path / "parts.py").write_text("from molt_bench import Action\nFOLD = Action('fold')\n")
    (tmp_path / "mybot.py").write_text(
        "from parts import FOLD\nclass Bot:\n    name = 'b'\n    def act(self, observation):\n        return FOLD\n"
    )
    for kind in ("mybot:Bot", "./mybot.py:Bot"):
        few = ("--seeds", "2", "--hands", "5", "--max-matches", "1")
        done = program("--participants", f"{kind},tight", *few, "--quiet")
        assert done.returncode == 0, done.stderr


def test_a_run_is_at_home_where_it_was_started(run, tmp_path):
    """Its relative paths start there, and the seeds of its file are in the journal."""
    (tmp_path / "seeds.txt").write_text("\n".join(map(str, range(4))))
    (tmp_path / "mybot.py").write_text(
        "from molt_bench import Action\nclass Bot:\n    name = 'b'\n"
        "    def act(self, observation):\n        return Action('fold')\n"
    )
    flags = "--participants ./mybot.py:Bot,tight --seeds-file seeds.txt --seeds 2 --hands 5 --max-matches 2 --json"
    folder = json.loads(run(*flags.split()).stdout)["runDir"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = quick("verify", f"../{folder}", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    (tmp_path / "seeds.txt").unlink()
    assert run("report", folder).returncode == 0


def test_changed_code_of_an_agent_is_noticed_before_a_run_goes_on(run, tmp_path):
    bot = tmp_path / "mybot.py"
    bot.write_text(
        "from molt_bench import Action\nclass Bot:\n    name = 'b'\n"
        "    def act(self, observation):\n        return Action('fold')\n"
    )
    done = run("--participants", "./mybot.py:Bot,tight", *SEEDED, "--json")
    folder = tmp_path / json.loads(done.stdout)["runDir"]
    cut_back(folder, first_lines(5))
    bot.write_text(bot.read_text() + "# changed\n")
    done = run("resume", str(folder), "--run-agents")
    assert done.returncode == 1
    assert "the code of 'mybot' has been changed since the run began" in done.stderr


def test_any_field_can_be_set_whichever_way_it_is_spelt(run, tmp_path):
    (tmp_path / "d.yaml").write_text(
        "stop: {budget: null}\nparticipants: [{id: r, type: random}, {id: t, type: tight}]\n"
    )
    assert run("--config", "d.yaml", "--set", "stop.budget.max_matches=1", "--quiet").returncode == 0
    done = run("--config", "d.yaml", "--max-matches", "1", "--set", "participants.0.displayName=Zed", "--quiet")
    assert "Zed" in done.stdout


SHORT = ("participants: [folder, callstation, shover]", "seeds: {perMatch: 4}", "stop: {budget: {maxMatches: 2}}")
TOO_SMALL = (
    "molt-bench: warning: the budget (maxMatches: 2) ends before all 3 pairs have played 4 seed pairs "
    "(scheduler.minSeedPairs), so the result will be incomplete; maxMatches: 3 would do\n"
)


def test_a_budget_too_small_is_one_line_before_anything_is_played(run, tmp_path):
    """Once, though it is in the result's warnings as well; what is asked for on standard output stays as it is."""
    config = tmp_path / "short.yaml"
    config.write_text("\n".join(SHORT))
    checked = run("doctor", str(config))
    assert (checked.returncode, checked.stderr) == (0, TOO_SMALL)
    assert checked.stdout.count("\n") == 1
    planned = run("plan", str(config), "--json")
    assert (planned.returncode, planned.stderr) == (0, TOO_SMALL)
    assert json.loads(planned.stdout)["opening"]
    done = run("--config", str(config), "--hands", "5", "--json")
    assert (done.returncode, done.stderr) == (0, TOO_SMALL)
    assert json.loads(done.stdout)["summary"]["warnings"] == [TOO_SMALL.removeprefix("molt-bench: warning: ").strip()]
    reported = run("report", json.loads(done.stdout)["runDir"], "--json")
    assert reported.stderr == TOO_SMALL
    enough = run("--config", str(config), "--hands", "5", "--max-matches", "3", "--json")
    assert enough.stderr == ""


def test_an_error_before_the_first_game_is_the_only_line_also_with_such_a_budget(run, tmp_path):
    config = tmp_path / "short.yaml"
    config.write_text("\n".join(SHORT).replace("shover", "nobody_of_this_name"))
    done = run("--config", str(config))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "nobody_of_this_name" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each_commands_help(name):
    command = getattr(import_module(f"molt_bench.cli.{name}"), name)
    assert command.help.partition("\n\n")[0] == COMMANDS[name]


def test_help_imports_no_command(fresh_python):
    """So that it starts fast."""
    code = (
        "import sys; sys.argv[1:] = ['--help']; from molt_bench.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print({'molt_bench.cli.run', 'molt_bench.arena', 'numpy', 'pydantic', 'rich', 'yaml'} & sys.modules.keys())"
    )
    assert fresh_python(code).splitlines()[-1] == "set()"


def test_a_bug_outside_of_a_run_is_one_line_and_a_log(run, monkeypatch):
    def broken():
        raise TypeError("no such thing")

    monkeypatch.setattr("molt_bench.cli.doctor.all_agents", broken)
    done = run("doctor")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("molt-bench: a bug in molt-bench, and no agent's fault: TypeError: no such thing")
    log = Path(line.rpartition(" ")[2])
    assert "Traceback" in log.read_text("utf-8")
    log.unlink()
