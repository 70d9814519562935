"""Habits that all commands share: help, examples, JSON, quiet, colour, suggestions."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.e2e.shell import MOLT_BENCH, SMALL, one_clear_line, quick, quick_run, strict_json

from molt_bench.cli.app import program, with_command

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "reference" / "command-line.md").read_text("utf-8")
RUN = "benchmark-results/2026-01-31T12-00-00"
BOT = """
from molt_bench import Action

print("loaded")


class Bot:
    name = "bot"

    def act(self, observation):
        print("asked")
        return Action("call") if observation.to_call else Action("check")


make = Bot
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a folder with all that the examples name: runs, configs, an agent that prints."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "my_bot.py").write_text(BOT)
    (folder / "benchmark-results").mkdir()
    # A run that names code of somebody's asks before it continues elsewhere; the one that is resumed names none.
    for places, players in ((("old", "new"), "tight,random,my_bot.py:make"), ((RUN,), "tight,random,callstation")):
        run = quick_run("made", *SMALL, "--participants", players, "--quiet", cwd=folder)
        for place in places:
            shutil.copytree(run, folder / place)
        shutil.rmtree(folder / "made")
    small = "seeds: {perMatch: 2}\ngame: {handsPerGame: 5}\nstop: {budget: {maxMatches: 3}}\n"
    (folder / "bench.yaml").write_text("participants: [tight, random, my_bot.py:make]\n" + small)
    (folder / "live.yaml").write_text("participants: [{id: a, type: live}, tight]\n" + small)
    return folder


COMMANDS = program.list_commands(None)


def examples():
    """Return every example with its command; those of the program itself are those of `run`."""
    found = re.findall(r"^  (molt-bench.*)$", quick("--help").stdout, re.MULTILINE)
    pairs = [("run", line) for line in found]
    for name in COMMANDS:
        pairs += [(name, line.strip()) for line in program.get_command(None, name).epilog.splitlines()]
    return [pytest.param(name, line, id=line) for name, line in pairs]


EXAMPLES = examples()


def test_every_command_has_an_example():
    assert {example.values[0] for example in EXAMPLES} == {*COMMANDS}


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_the_parser_takes_every_example(name, line):
    called_as, *words = shlex.split(line)
    called, *arguments = with_command(words)
    assert (called_as, called) == ("molt-bench", name)
    program.get_command(None, name).make_context(name, arguments)


#: These wait for others, so the parser alone has them.
WAITING = ("serve", "join", "view")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line"), [each for each in EXAMPLES if each.values[0] not in WAITING])
def test_every_example_runs(home, tmp_path, name, line):
    shutil.copytree(home, tmp_path / "here")
    if name == "init":
        for config in (tmp_path / "here").glob("*.yaml"):
            config.unlink()
    done = subprocess.run(
        [MOLT_BENCH, *shlex.split(line)[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path / "here",
        stdin=subprocess.DEVNULL,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_shows_examples_and_no_types(name):
    done = quick(*name.split(), "--help", env={"COLUMNS": "120"})
    assert done.returncode == 0
    assert not re.search(r"<\w+|list\[|\bx>=|range|\bINTEGER\b|\bFLOAT\b|\bBOOLEAN\b", done.stdout)
    assert "Examples:\n  molt-bench" in done.stdout
    assert "\x1b" not in done.stdout
    assert quick(*name.split(), "-h", env={"COLUMNS": "120"}).stdout == done.stdout


#: What prints JSON, and with --quiet nothing, in a folder with runs. In place of RUN it is the folder of one.
ANSWERS = {
    "run": ["--max-matches", "1"],
    "resume": ["RUN"],
    "init": ["c.yaml"],
    "report": ["RUN"],
    "verify": ["RUN"],
    "grade": ["RUN"],
    "doctor": ["bench.yaml"],
    "plan": ["bench.yaml", "--hands", "20"],
    "compare": ["old", "new"],
    "gate": ["callstation", "--against", "callstation", "--opponents", "tight", "--set", "game.handsPerGame=5"],
    "check": ["my_bot.py:make", "--hands", "1"],
    "export": ["RUN", "--format", "site"],
}


def flags_of(name):
    return {option for param in program.get_command(None, name).params for option in param.opts}


def words(name):
    return [name, *[RUN if word == "RUN" else word for word in ANSWERS[name]]]


@pytest.mark.parametrize("name", ANSWERS)
def test_json_is_one_document_whatever_agents_print(home, tmp_path, name):
    shutil.copytree(home, tmp_path / "here")
    config = ["--config", "bench.yaml"] if name == "run" else []
    done = quick(*words(name), *config, "--json", cwd=tmp_path / "here")
    assert done.returncode == 0, done.stderr
    assert isinstance(strict_json(done.stdout), dict)
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in ANSWERS if "--quiet" in flags_of(name)])
def test_quiet_prints_nothing_unless_the_result_is_all_there_is(home, tmp_path, name):
    shutil.copytree(home, tmp_path / "here")
    done = quick(*words(name), "--quiet", cwd=tmp_path / "here")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if line not in ("loaded", "asked")]
    assert bool(said) == (name in ("run", "resume", "gate"))
    assert all(
        line.startswith("molt-bench: warning: ") for line in done.stderr.splitlines() if line not in ("loaded", "asked")
    )


def test_the_guide_says_who_has_which_flag():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.+) \| (.+) \|$", GUIDE, re.MULTILINE)
    told = {name: (json_ != "-", quiet != "-") for names, json_, quiet in rows for name in re.findall(r"\w+", names)}
    found = {name: ("--json" in flags_of(name), "--quiet" in flags_of(name)) for name in COMMANDS}
    assert {name: told[name] for name in COMMANDS} == found
    assert all("--no-color" in flags_of(name) for name in COMMANDS)


def test_an_unfit_agent_is_told_however_quiet(home):
    (home / "bad.py").write_text("class Bad:\n    name = 'bad'\n    def act(self, observation):\n        return 3\n")
    done = quick("check", "bad.py:Bad", "--hands", "1", "--quiet", cwd=home)
    assert done.returncode == 1
    assert "unreadable" in done.stdout


def test_json_cannot_share_standard_output(home):
    one_clear_line(quick("export", RUN, "--format", "csv", "--output", "-", "--json", cwd=home), "--output -", status=2)


def test_commands_are_listed_by_what_they_are_for():
    shown = quick("--help").stdout
    assert [shown.index(f"\n{heading}:\n") for heading in ("Play", "Prepare", "Read results", "Check results")]
    listed = {*re.findall(r"^  (\w+) ", shown, re.MULTILINE)}
    assert {*COMMANDS} <= listed
    assert len(COMMANDS) <= 15  # more than that is not read


def on_terminal(home, *words, env=None):
    """Run the program with a terminal as its standard output, and return what arrives there."""
    main, side = os.openpty()
    try:
        env = {"TERM": "xterm-256color", "COLORTERM": "", **(env or {})}
        done = quick(*words, cwd=home, out=os.ttyname(side), env=env)
        os.set_blocking(main, False)
        shown = b""
        while True:
            try:
                shown += os.read(main, 65536)
            except BlockingIOError:
                return done.returncode, shown.decode()
    finally:
        os.close(main)
        os.close(side)


@pytest.mark.parametrize("command", [f"report {RUN}", "check tight --hands 1"])
def test_colour_is_for_terminals_that_want_it(home, monkeypatch, command):
    monkeypatch.delenv("NO_COLOR", raising=False)
    words = command.split()
    assert "\x1b[" in on_terminal(home, *words)[1]
    for shown in (
        on_terminal(home, *words, env={"NO_COLOR": "1"})[1],
        on_terminal(home, *words, "--no-color")[1],
        on_terminal(home, "--no-color", *words)[1],
        quick(*words, cwd=home, env={"TERM": "xterm-256color", "GITHUB_ACTIONS": "true"}).stdout,
    ):
        assert shown
        assert "\x1b" not in shown


def test_a_config_in_place_of_a_command_is_run(home):
    done = quick("bench.yaml", "--max-matches", "1", "--json", "--output-dir", "of-a-config", cwd=home)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["totals"]["matches"] == 1


@pytest.mark.parametrize("command", ["run", "report", "view", "export", "serve", "doctor"])
def test_a_name_that_no_file_can_have_is_one_clear_line(home, command):
    long = "x" * 300
    one_clear_line(quick(command, long, *(["--format", "csv"] if command == "export" else []), cwd=home), "too long")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify"], "missing argument 'RUN'"),
        (["export", "x"], "--format"),
        (["export", "x", "--format", "eee", "--output", "-"], "--output -"),
        (["--hands", "many"], "must be a whole number, not 'many'"),
        (["--confidence", "95"], "must be above 0.5 and below 1, as 0.95 is, not '95'"),
        (["--confidence", "high"], "must be a number"),
        (["view", "--port", "99999"], "--port"),
        (["run", "bench.yaml", "extra"], "extra"),
        (["run", "--hands"], "(see: molt-bench run --help)"),
        (["compare", "a", "b", "--save", "x.html"], "does not end in .md, .xml, .json"),
        (["gate", "tag"], "--against"),
        (["gate", "tag", "--against", "tag", "--save", "x.html"], "does not end in .md, .xml, .json"),
        (["no\x1bsuch\ncommand"], "no such command"),
        (["verfy", "x"], "did you mean 'verify'?"),
        (["reprot"], "did you mean 'report'?"),
        (["--debug", "--no-color", "comapre"], "did you mean 'compare'?"),
        (["--handz", "3"], "did you mean '--hands'?"),
        (["--max_matches", "3"], "did you mean '--max-matches'?"),
        (["compare", "a", "b", "--margn", "3"], "did you mean '--margin'?"),
        (["check", "tight", "--JSON"], "did you mean '--json'?"),
    ],
)
def test_wrong_usage_is_one_clear_line_that_names_the_help(arguments, said):
    done = quick(*arguments)
    one_clear_line(done, said, "--help)", status=2)
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("option", ["grade RUN --agent tigth", "compare old new --agent tigth"])
def test_a_participant_that_is_not_in_the_run_gets_a_suggestion(home, option):
    done = quick(*option.replace("RUN", RUN).split(), cwd=home)
    done.stderr = done.stderr.removeprefix("loaded\n")  # what the agent of the run prints
    one_clear_line(done, "did you mean 'tight'?", status=1)


def test_the_suggestions_in_the_guide_are_the_real_ones(tmp_path):
    (tmp_path / "mybot.py").write_text("class MyBot:\n    def act(self, observation): ...\n")
    (tmp_path / "bot.js").touch()
    arguments = {
        "verfy": ["verfy"],
        "handz": ["--handz", "3"],
        "stack": ["--set", "stack=5000"],
        "mybot": ["--participants", "mybot.py,tight"],
        "node": ["--participants", "node bot.js,tight"],
    }
    for line in re.search(r"```text\n(.*?)```", GUIDE, re.DOTALL)[1].splitlines():
        words = next(words for word, words in arguments.items() if word in line)
        assert quick(*words, cwd=tmp_path).stderr == f"{line}\n"


def test_view_says_its_address_as_json(home):
    """At once, though it goes on until it is stopped."""
    process = subprocess.Popen(
        [MOLT_BENCH, "view", "--json", "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=home
    )
    try:
        said = json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert said["url"].startswith("http://127.0.0.1:")
    assert said["runs"] == 1
