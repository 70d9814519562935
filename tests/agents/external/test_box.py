"""Boxes: which one a participant gets, what is in it, and what is said where there is none."""

import os
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.external import box
from molt_bench.agents.external.box import Box, _is_shared, obstacle, seen_by
from molt_bench.agents.kinds import box_label, kind_of
from molt_bench.agents.permission import OWN, Permission, make_permitted
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.cli.agent_argument import agent_from
from molt_bench.config.loader import load_config
from molt_bench.config.participants import boxed_alike
from molt_bench.errors import AgentError, ConfigError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import NO_BOX
from tests.agents.external.boxes import needs_bubblewrap

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "docs" / "examples" / "bots"
FORBID = "echo 0 > /proc/sys/user/max_user_namespaces"
NOT_INSTALLED = "bubblewrap is not installed (Debian: apt install bubblewrap)"
CAUTIOUS = f"{ROOT / 'docs' / 'examples' / 'cautious.py'}:Cautious"


@pytest.fixture
def anew():
    """Look for bubblewrap anew, and again after the test."""
    box.bubblewrap.cache_clear()
    yield
    box.bubblewrap.cache_clear()


def spec(participant_type, params=None, **settings):
    return ParticipantSpec(id="bot", type=participant_type, params=params or {}, settings=settings)


def in_box(tmp_path, script, **fields):
    """Return what a shell script prints in a box, as the last line that greeting it quotes."""
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "bot.sh"
    path.write_text(f"#!/bin/sh\nexec >&2\n{script}\nexit 3\n")
    path.chmod(0o755)
    logs = tmp_path.parent / f"{tmp_path.name}-run" / "agents"
    agent = make_agent(spec(f"exec:{path}", sandbox="required", **fields), folder=logs)
    with pytest.raises(AgentError):
        run_in_new_loop(agent.greet())
    return (logs / "bot.log").read_text().split()


@needs_bubblewrap
def test_a_program_has_a_box_without_any_setting():
    assert box_label(spec("exec:/bin/cat")).startswith("bubblewrap ")


@needs_bubblewrap
def test_python_code_has_a_box_only_if_it_is_asked_for():
    assert box_label(spec("mine.py:make")) == NO_BOX
    assert box_label(spec("mine.py:make", sandbox="auto")).startswith("bubblewrap ")


def test_whoever_runs_no_code_here_cannot_have_one():
    with pytest.raises(ConfigError, match="'tight' is neither a program nor a file of Python code"):
        agent_from("tight", (), sandbox="required")
    assert agent_from("tight", (), sandbox="off").settings == {}


@needs_bubblewrap
def test_code_of_a_stored_run_has_to_have_one():
    wanted = spec("exec:/bin/cat", sandbox="off")
    granted = Permission(granted={"bot": kind_of(wanted.type).fingerprint(wanted)})
    assert make_permitted(wanted, granted)._box is not None
    assert make_permitted(wanted, OWN)._box is None
    assert box_label(spec("http://127.0.0.1:9/act"), boxed=True) is None


def test_the_flag_is_for_all_who_can_play_in_a_box():
    bots = [{"id": "a", "type": "exec:./a"}, {"id": "b", "type": "exec:./b", "sandbox": "off"}, "mine.py:make", "tight"]
    found = load_config({"participants": boxed_alike(bots, "required")}).participants
    assert [getattr(each, "sandbox", None) for each in found] == ["required", "required", "required", None]


@pytest.mark.parametrize("setting", ["jail", "on", True, {"kind": "chroot"}])
def test_a_box_that_there_is_not_is_one_clear_line(setting):
    with pytest.raises(ConfigError, match=r"sandbox.*: expected 'auto', 'required' or 'off'"):
        load_config({"participants": [{"id": "a", "type": "exec:./a", "sandbox": setting}, "tight"]})


def test_only_who_can_play_in_a_box_has_its_setting():
    plain = load_config({"participants": ["exec:./a", "mine.py:make", "tight", "http://127.0.0.1:9/act"]}).plain()
    assert [each.get("sandbox") for each in plain["participants"]] == ["auto", "off", None, None]


# Machines without.


def test_without_bubblewrap_a_program_plays_and_the_line_says_what_to_install(monkeypatch, anew):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert box_label(spec("exec:/bin/cat")) == NO_BOX
    assert obstacle() == NOT_INSTALLED
    with pytest.raises(ConfigError, match="expected a machine that can make one: bubblewrap is not"):
        box_label(spec("exec:/bin/cat", sandbox="required"))


@pytest.mark.slow
@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root, to forbid namespaces")
def test_where_user_namespaces_are_forbidden_a_program_plays_and_the_line_says_so(tmp_path):
    """In a user namespace of our own, where the number of further ones is set to 0."""
    bot = f"exec:{sys.executable} {BOTS / 'bot.py'}"
    done = run_elsewhere(
        ["unshare", "--user", "--map-root-user", "sh", "-c", f'{FORBID} && exec "$@"', "sh"], bot, tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "bot without a sandbox, since bubblewrap does not work here: " in " ".join(done.stderr.split())


def run_elsewhere(prefix, bot, folder, **variables):
    """Play a small run against `tight` by the command itself, as on another machine."""
    command = [*prefix, sys.executable, "-m", "molt_bench", "--participants", f"{bot},tight"]
    small = ["--seeds", "1", "--hands", "2", "--max-matches", "1", "--output-dir", str(folder / "out")]
    environment = {**os.environ, **variables, "COLUMNS": "500"}
    return subprocess.run([*command, *small], cwd=folder, env=environment, capture_output=True, text=True, check=False)


# What is inside.


@needs_bubblewrap
def test_a_program_sees_its_folder_and_the_system_and_nothing_else_of_the_user(tmp_path):
    (tmp_path / "beside").write_text("x")
    assert in_box(tmp_path, f"ls {tmp_path}; ls /; id -u") == [
        *("beside", "bot.sh"),
        *sorted(
            {"bin", "dev", "etc", "lib", "lib64", "proc", "sbin", "tmp", "usr", "lib32", "libx32"} & {*os.listdir("/")}
        ),
        str(os.getuid()),
    ]


@needs_bubblewrap
def test_a_program_inherits_no_open_file_and_no_variable_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "secret")
    said = in_box(tmp_path, "ls /proc/$$/fd; env")
    assert not [word for word in said if word.isdigit() and int(word) > 2 and word not in ("10", "255")]
    assert "SECRET_KEY=secret" not in said
    assert {"HOME=/tmp", "TMPDIR=/tmp"} <= {*said}


@needs_bubblewrap
def test_a_program_has_no_rights_that_its_user_does_not_have(tmp_path):
    said = in_box(tmp_path, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
    rights = dict(zip(said[::2], said[1::2], strict=True))
    assert {int(value, 16) for name, value in rights.items() if name.startswith("Cap")} == {0}
    assert rights["NoNewPrivs:"] == "1"


@needs_bubblewrap
@pytest.mark.parametrize(
    "name", ["with space", "line\nbreak", "a,readonly=false:b", "käse-ünd-♠", "-option", "quo'te\"s"]
)
def test_a_folder_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(BOTS / "bot.py", folder / "bot.py")
    agent = make_agent(spec("exec", params={"command": [sys.executable, str(folder / "bot.py")]}, sandbox="required"))
    assert play_game((agent, make_agent("callstation")), seed=1, hands=1).faults == ()


@needs_bubblewrap
def test_the_message_of_a_program_that_misses_a_file_says_what_is_there(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("x")
    folder = tmp_path / "bot"
    folder.mkdir()
    bot = folder / "bot.sh"
    bot.write_text(f"#!/bin/sh\ncat {outside}\n")
    bot.chmod(0o755)
    with pytest.raises(AgentError) as raised:
        run_in_new_loop(make_agent(spec(f"exec:{bot}")).greet())
    assert "No such file or directory" in str(raised.value)
    assert "shows the system's programs, its own folder, what its command names and no network" in str(raised.value)


#: What a program does, and what is said of it.
AT_LIMITS = {
    "open files": ("[os.open('/dev/null', 0) for _ in range(5000)]", "Too many open files"),
    "processor time": ("[None for _ in iter(int, 1)]", "by SIGXCPU, at its limit of processor time"),
    "disk": ("open('/tmp/x', 'wb').write(bytes(257 << 20))", "No space left on device"),
}


@needs_bubblewrap
@pytest.mark.parametrize("limit", AT_LIMITS)
def test_what_is_said_of_a_program_at_a_limit(limit, tmp_path, monkeypatch):
    code, said = AT_LIMITS[limit]
    (tmp_path / "bot.py").write_text(f"import os\n{code}\n")
    monkeypatch.setattr(box, "CPU_SECONDS", 1 if "time" in limit else 600)
    params = {"command": [sys.executable, str(tmp_path / "bot.py")]}
    with pytest.raises(AgentError, match=said):
        run_in_new_loop(make_agent(spec("exec", params=params, sandbox="required")).greet())


@needs_bubblewrap
def test_a_box_has_no_network(tmp_path):
    said = in_box(tmp_path, "cat /proc/net/dev")
    assert {word for word in said if word.endswith(":")} == {"lo:"}


@needs_bubblewrap
def test_interpreters_work_wherever_they_are_installed(tmp_path):
    """A virtual environment, by a link to it, in the first line of a script, and one that is a copy."""
    bot = (BOTS / "bot.py").read_text()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "envs" / "own"], check=True)
    python = tmp_path / "envs" / "own" / "bin" / "python"
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "bot.py").write_text(f"#!{python}\n{bot}")
    (scripts / "bot.py").chmod(0o755)
    (scripts / "python").symlink_to(python)
    for command in (f"{python} {scripts}/bot.py", f"{scripts}/bot.py", f"{scripts}/python {scripts}/bot.py"):
        agent = make_agent(spec("exec", params={"command": command}, sandbox="required"))
        assert play_game((agent, make_agent("callstation")), seed=1, hands=2).faults == (), command


def test_no_link_and_no_argument_shows_a_folder_that_holds_much_else(tmp_path):
    home, root, bots = tmp_path / "home-link", tmp_path / "root-link", tmp_path / "bots"
    home.symlink_to(os.path.expanduser("~"))
    root.symlink_to("/")
    bots.mkdir()
    (bots / "bot").write_text("")
    for folder in (str(home), str(root), "/", "/home/somebody", os.path.expanduser("~")):
        assert _is_shared(folder), folder
        assert seen_by((f"{bots}/bot", folder, f"--data={folder}")) == [str(bots)]
    assert not _is_shared(os.path.expanduser("~/bots"))


#: What is shown, and what of it is covered, where the run is results/now.
COVERED = {
    "all": (["."], ["results"]),
    "a link to all": (["link"], ["link/results"]),
    "all, and a program among the runs": ([".", "results/bot"], ["results/now"]),
    "a program among the runs": (["results"], ["results/now"]),
    "a program elsewhere": (["bots"], []),
}


@pytest.mark.parametrize("case", COVERED)
def test_the_runs_below_what_is_shown_are_covered(tmp_path, case):
    for name in ("results/now/agents", "bots"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "results" / "bot").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    shown, covered = COVERED[case]
    words = Box("bwrap", "0").words(["bot"], [f"{tmp_path / name}" for name in shown], tmp_path / "results" / "now")
    found = [path for word, path in pairwise(words) if word == "--tmpfs" and str(tmp_path) in path]
    assert found == [str(tmp_path / name) for name in covered]


def test_other_files_that_a_command_names_are_shown_without_their_folders(tmp_path):
    for name in ("bots/bot.py", "models/one", "models/two"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    command = ("/usr/bin/env", f"{tmp_path}/bots/bot.py:Bot", f"{tmp_path}/models/one", f"--more={tmp_path}/models/two")
    assert seen_by(command) == [f"{tmp_path}/bots", f"{tmp_path}/models/one", f"{tmp_path}/models/two"]


#: Looks for what nobody may know, says on standard error what it found, and calls.
THIEF = """
import glob, json, os, sys

def look(outside):
    found = []
    for path in (outside, outside + "/master-seed", outside + "/journal.jsonl", outside + "/seeds.json"):
        try:
            found += [path] if os.listdir(path) else []
        except NotADirectoryError:
            found += [open(path).read()]
        except OSError:
            pass
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name, of_the_bench in (("environ", b"mark-of-the-bench"), ("maps", b"msgspec")):
            try:
                found += [name] if of_the_bench in open(f"/proc/{pid}/{name}", "rb").read() else []
            except OSError:
                pass
        try:
            found += [each for each in glob.glob(f"/proc/{pid}/fd/*") if "results" in os.readlink(each)]
        except OSError:
            pass
    found += [name for name, value in os.environ.items() if "SEED" in name]
    return [each for each in found if each]

decisions = stolen = 0
for line in sys.stdin:
    seen = json.loads(line)
    if seen["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    if seen["type"] == "observation":
        decisions += 1
        stolen += bool(look(sys.argv[1]))
        kind = "call" if seen["toCall"] else "check"
        print(json.dumps({"type": "action", "id": seen["id"], "kind": kind}), flush=True)
print(decisions, stolen, file=sys.stderr)
"""


@needs_bubblewrap
@pytest.mark.parametrize("sandbox", [pytest.param("off", marks=pytest.mark.slow), "required"])
def test_a_thief_of_the_same_user_knows_no_card(tmp_path, monkeypatch, sandbox):
    """It looks for the master seed, the folder of the run and the bench itself at every decision."""
    monkeypatch.setenv("MARK", "mark-of-the-bench")
    (tmp_path / "thief.py").write_text(THIEF)
    outside = tmp_path / "results"
    command = shlex.join([sys.executable, "-I", "-S", str(tmp_path / "thief.py"), str(outside / "run")])
    thief = {"id": "thief", "type": f"exec:{command}", "sandbox": sandbox}
    config = load_config(
        {
            "participants": [thief, "callstation"],
            "game": {"handsPerGame": 7},
            "seeds": {"perMatch": 3},
            "stop": {"budget": {"maxMatches": 2}},
        }
    )
    (outside / "run").mkdir(parents=True)
    files = RunFiles.new(outside / "run", config)
    result = run_benchmark(config, files=files)
    files.close()
    assert result.leaderboard
    lines = (outside / "run" / "agents" / "thief.log").read_text().splitlines()
    decisions, stolen = (sum(column) for column in zip(*[map(int, line.split()) for line in lines], strict=True))
    assert decisions >= 290
    assert stolen == (0 if sandbox == "required" else decisions), (decisions, stolen)
