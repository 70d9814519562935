"""Boxes: which one a participant gets, what is in it, and what is said where there is none."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.kinds import box_label, kind_of
from molt_bench.agents.permission import OWN, Permission, make_permitted
from molt_bench.agents.sandbox import boxed_program, cgroup_limits
from molt_bench.agents.sandbox import bubblewrap as bwrap
from molt_bench.agents.sandbox.choice import obstacle
from molt_bench.agents.sandbox.system_calls import seccomp_filter
from molt_bench.agents.sandbox.visible_files import covered, hide, is_shared, needed_by, special_files
from molt_bench.cli.agent_argument import agent_from
from molt_bench.config.loader import load_config, read_config_file
from molt_bench.errors import AgentError, ConfigError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.plugin import NO_BOX
from tests.agents.sandbox.boxes import needs_bubblewrap

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "docs" / "examples" / "bots"
FORBID = "echo 0 > /proc/sys/user/max_user_namespaces"
NOT_INSTALLED = "bubblewrap is not installed (Debian: apt install bubblewrap)"
CAUTIOUS = f"{ROOT / 'docs' / 'examples' / 'cautious.py'}:Cautious"


@pytest.fixture
def anew():
    """Look for bubblewrap anew, and again after the test."""
    bwrap.bubblewrap.cache_clear()
    yield
    bwrap.bubblewrap.cache_clear()


def spec(participant_type, params=None, **settings):
    return ParticipantSpec(id="bot", type=participant_type, params=params or {}, settings=settings)


def in_box(tmp_path, script, **fields):
    """Return what a shell script prints in a box, as the last line that greeting it quotes."""
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "bot.sh"
    path.write_text(f"#!/bin/sh\nexec >&2\n{script}\nexit 3\n")
    path.chmod(0o755)
    agent = make_agent(spec(f"exec:{path}", sandbox="bwrap", **fields), folder=tmp_path / "logs")
    with pytest.raises(AgentError):
        run_in_new_loop(agent.greet())
    return (tmp_path / "logs" / "bot.stderr.log").read_text().split()


@needs_bubblewrap
def test_a_program_has_a_box_without_any_setting():
    assert box_label(spec("exec:/bin/cat")).startswith("bubblewrap ")


@needs_bubblewrap
def test_python_code_has_a_box_only_if_it_is_asked_for():
    assert box_label(spec("mine.py:make")) == NO_BOX
    assert box_label(spec("mine.py:make", sandbox="auto")).startswith("bubblewrap ")


def test_whoever_runs_no_code_here_cannot_have_one():
    with pytest.raises(ConfigError, match="'tight' is neither a program nor a file of Python code"):
        agent_from("tight", (), sandbox="bwrap")


@needs_bubblewrap
def test_code_of_a_stored_run_has_to_have_one():
    wanted = spec("exec:/bin/cat", sandbox="off")
    granted = Permission(granted={"bot": kind_of(wanted.type).fingerprint(wanted)})
    assert make_permitted(wanted, granted)._command.box is not None
    assert make_permitted(wanted, OWN)._command.box is None
    assert box_label(spec("http://127.0.0.1:9/act"), boxed=True) is None


def test_the_box_of_a_config_is_that_of_all_who_can_play_in_one_and_name_none():
    bots = [{"id": "a", "type": "exec:./a"}, {"id": "b", "type": "exec:./b", "sandbox": "off"}, "mine.py:make", "tight"]
    found = load_config({"participants": bots, "sandbox": "bwrap"}).participants
    assert [getattr(each, "sandbox", None) for each in found] == ["bwrap", "off", "bwrap", None]


@pytest.mark.parametrize("setting", ["jail", {"kind": "chroot"}])
def test_a_box_that_there_is_not_is_one_clear_line(setting):
    with pytest.raises(ConfigError, match=r"sandbox.*: expected 'auto', 'bwrap' or 'off'"):
        load_config({"participants": [{"id": "a", "type": "exec:./a", "sandbox": setting}, "tight"]})


def test_network_makes_a_program_one_that_may_remember_unless_it_says_otherwise():
    programs = [{"network": True}, {"network": True, "isolated": True}, {}]
    bots = [{"id": str(at), "type": "exec:./a", **each} for at, each in enumerate(programs)]
    assert [each.may_remember for each in load_config({"participants": bots}).participants] == [True, False, False]


def test_only_who_can_play_in_a_box_has_its_settings():
    plain = load_config({"participants": ["exec:./a", "mine.py:make", "tight", "http://127.0.0.1:9/act"]}).plain()
    assert "sandbox" not in plain
    assert [each.get("sandbox") for each in plain["participants"]] == ["auto", "off", None, None]
    assert [each.get("network") for each in plain["participants"]] == [False, False, None, None]


@pytest.mark.parametrize(
    ("text", "setting"),
    [("off", "off"), ("'off'", "off"), ("false", "off"), ("on", "bwrap"), ("'on'", "bwrap"), ("true", "bwrap")],
)
def test_on_and_off_need_no_quotes_in_yaml(text, setting, tmp_path):
    path = tmp_path / "config.yaml"
    bots = "participants: [{id: a, type: 'exec:./a', sandbox: %s}, tight]"
    for config in (bots % text, f"sandbox: {text}\nparticipants: ['exec:./a', tight]"):
        path.write_text(config)
        assert load_config(read_config_file(str(path))).participants[0].sandbox == setting


# Machines without.


@pytest.fixture
def bare_path(tmp_path):
    """Return a PATH without bubblewrap, that of a machine where it is not installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env", "cc", "true"):
        if shutil.which(name):
            (folder / name).symlink_to(shutil.which(name))
    return str(folder)


@pytest.mark.slow
def test_a_worker_without_bubblewrap_refuses_such_games_in_one_line(bare_path):
    """The function that a node of a cluster runs, in a process that finds no bubblewrap."""
    code = (
        "import pickle, sys\n"
        "from molt_bench import GameSpec, MoltBenchError, ParticipantSpec\n"
        "from molt_bench.arena.worker_setup import WorkerSetup\n"
        "from molt_bench.play.ray_cluster import play_batch\n"
        "mine = ParticipantSpec(id='mine', type=sys.argv[1], settings={'sandbox': 'bwrap'})\n"
        "bots = (mine, ParticipantSpec(id='t', type='tight'))\n"
        "try:\n"
        "    play_batch(pickle.dumps(WorkerSetup.of(bots)), [GameSpec(seed=1, hands=1, players=('mine', 't'))])\n"
        "except MoltBenchError as error:\n"
        "    print(error)\n"
    )
    for participant in (CAUTIOUS, f"exec:{sys.executable} {BOTS / 'bot.py'}"):
        done = subprocess.run(
            [sys.executable, "-c", code, participant],
            env={**os.environ, "PATH": bare_path},
            capture_output=True,
            text=True,
            check=False,
        )
        (line,) = done.stdout.splitlines() or [done.stderr]
        assert line.startswith("the worker on ")
        assert line.endswith(
            "a machine that can make one: bubblewrap is not installed (Debian: apt install bubblewrap)"
        )


def test_without_bubblewrap_a_program_plays_and_the_line_says_what_to_install(monkeypatch, anew):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert box_label(spec("exec:/bin/cat")) == NO_BOX
    assert obstacle() == NOT_INSTALLED
    with pytest.raises(ConfigError, match="sandbox = 'bwrap': expected a machine that can make one: bubblewrap is not"):
        box_label(spec("exec:/bin/cat", sandbox="bwrap"))


@pytest.mark.slow
@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root, to forbid namespaces")
def test_where_user_namespaces_are_forbidden_a_program_plays_and_the_line_says_so(tmp_path):
    """In a user namespace of our own, where the number of further ones is set to 0."""
    bot = f"exec:{sys.executable} {BOTS / 'bot.py'}"
    done = run_elsewhere(
        ["unshare", "--user", "--map-root-user", "sh", "-c", f'{FORBID} && exec "$@"', "sh"], bot, tmp_path
    )
    said = "user namespaces are switched off (/proc/sys/user/max_user_namespaces is 0)"
    assert done.returncode == 0, done.stderr
    assert f"bot without a sandbox, since bubblewrap does not work here, since {said}" in " ".join(done.stderr.split())
    assert "Not in a sandbox: bot." in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_c_program_plays_by_the_one_line_of_the_readme_boxed_where_bubblewrap_is_installed(tmp_path, bare_path):
    program = tmp_path / "bot"
    subprocess.run(["cc", "-o", program, BOTS / "bot.c"], check=True)
    without = run_elsewhere([], "exec:./bot", tmp_path, PATH=bare_path)
    assert without.returncode == 0, without.stderr
    assert f"bot without a sandbox, since {NOT_INSTALLED}: can read your files" in " ".join(without.stderr.split())
    assert "Not in a sandbox: bot." in without.stdout
    if isinstance(bwrap.bubblewrap(), bwrap.Bubblewrap):
        assert "In a sandbox: bot (bubblewrap " in " ".join(run_elsewhere([], "exec:./bot", tmp_path).stdout.split())


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
    said = in_box(tmp_path, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    rights = dict(zip(said[::2], said[1::2], strict=True))
    assert {int(value, 16) for name, value in rights.items() if name.startswith("Cap")} == {0}
    assert (rights["NoNewPrivs:"], rights["Seccomp:"]) == ("1", "2")


@needs_bubblewrap
@pytest.mark.parametrize(
    "name", ["with space", "line\nbreak", "a,readonly=false:b", "käse-ünd-♠", "-option", "quo'te\"s"]
)
def test_a_folder_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(BOTS / "bot.py", folder / "bot.py")
    agent = make_agent(spec("exec", params={"command": [sys.executable, str(folder / "bot.py")]}, sandbox="bwrap"))
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
    assert f"shows the system's programs, {folder} and no network (--no-sandbox lets" in str(raised.value)


#: What a program does, and what is said of it. What a cgroup limits is said in the same words, or by the program.
AT_LIMITS = {
    "memory at once": ("bytearray(300 << 20)", "MemoryError"),
    "memory": (
        "os.fork(); os.fork(); kept = bytearray(b'x') * (80 << 20); time.sleep(60)",
        "limit of 256 MB of memory",
    ),
    "threads": (
        "[threading.Thread(target=time.sleep, args=(60,), daemon=True).start() for _ in range(1100)]",
        "can't start new thread|limit of 1024 processes and threads",
    ),
    "open files": ("[os.open('/dev/null', 0) for _ in range(5000)]", "Too many open files"),
    "open files of all": (
        "os.fork(); kept = [os.open('/dev/null', 0) for _ in range(3000)]; time.sleep(60)",
        "limit of 4096 open files",
    ),
    "processor time": ("[None for _ in iter(int, 1)]", "by SIGXCPU at its limit of 1 s of processor time"),
    "disk": ("open('/tmp/x', 'wb').write(bytes(257 << 20))", "No space left on device"),
    "files": ("[open(f'/tmp/{at}', 'w').close() for at in range(101_000)]; time.sleep(60)", "limit of 100,000 files"),
}


@needs_bubblewrap
@pytest.mark.slow
@pytest.mark.parametrize("limit", AT_LIMITS)
def test_what_is_said_of_a_program_at_a_limit(limit, tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_limits, "place", lambda: None)  # a cgroup limits some of it in another way
    code, said = AT_LIMITS[limit]
    (tmp_path / "bot.py").write_text(f"import os, threading, time\n{code}\n")
    monkeypatch.setattr(boxed_program, "CPU_SECONDS", 1 if "time" in limit else 600)
    small = {"memory_mb": 256 if "memory" in limit else 4096}
    params = {"command": [sys.executable, str(tmp_path / "bot.py")], "start_timeout_s": 50, **small}
    with pytest.raises(AgentError, match=said):
        run_in_new_loop(make_agent(spec("exec", params=params, sandbox="bwrap")).greet())


@needs_bubblewrap
def test_only_a_bench_that_root_runs_keeps_a_program_from_making_files_executable(tmp_path):
    """Root could change the modes of devices, which all boxes share."""
    said = in_box(tmp_path, "cd /tmp; printf 'echo ran' > made; chmod +x made; ./made || sh ./made")
    assert said[-1] == "ran"
    assert ("denied" in said) is (os.geteuid() == 0)


@needs_bubblewrap
def test_only_a_program_with_network_can_reach_loopback(tmp_path):
    names = [
        in_box(tmp_path / str(network), "ls /sys /etc/resolv.conf; cat /proc/net/dev", network=network)
        for network in (False, True)
    ]
    ours = {word for word in Path("/proc/net/dev").read_text().split() if word.endswith(":")}
    found = [{word for word in said if word in ours} for said in names]
    assert found == [{"lo:"}, ours]
    assert box_label(spec("exec:/bin/cat", network=True)).endswith(", with network")


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
        agent = make_agent(spec("exec", params={"command": command}, sandbox="bwrap"))
        assert play_game((agent, make_agent("callstation")), seed=1, hands=2).faults == (), command


def test_a_program_in_the_home_folder_does_not_show_that(monkeypatch):
    home = os.path.expanduser("~")
    assert is_shared(home)
    assert is_shared(os.path.dirname(home))
    assert not is_shared(os.path.join(home, "bots"))


def test_no_link_and_no_argument_shows_a_folder_that_holds_much_else(tmp_path, monkeypatch):
    home, root, bots = tmp_path / "home-link", tmp_path / "root-link", tmp_path / "bots"
    home.symlink_to(os.path.expanduser("~"))
    root.symlink_to("/")
    bots.mkdir()
    (bots / "bot").write_text("")
    for folder in (str(home), str(root), "/", "/home/somebody", os.path.expanduser("~")):
        assert is_shared(folder), folder
        assert needed_by((f"{bots}/bot", folder, f"--data={folder}")) == [str(bots)]


def test_a_program_in_the_folder_of_a_run_does_not_show_that(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "bot").write_text("")
    (tmp_path / "link").symlink_to(run)
    hide(str(run))
    assert needed_by((f"{run}/bot",)) == [f"{run}/bot"]
    assert {*needed_by((f"{tmp_path}/link/bot",))} == {f"{run}/bot", f"{tmp_path}/link/bot"}
    assert needed_by((f"{run}/bot", str(run))) == [f"{run}/bot"]


def test_a_program_beside_runs_shows_none_of_them(tmp_path):
    """Runs of other processes, too, which are known by their files; and those that come to lie there later."""
    for record in ("journal.jsonl", "master-seed"):
        results = tmp_path / record / "results"
        (results / "one").mkdir(parents=True)
        (results / "one" / record).write_text("")
        (results / "bot").write_text("")
        (tmp_path / record / "link").symlink_to(results)
        for folder in (results, results / "one"):
            assert is_shared(str(folder))
            assert needed_by(("/usr/bin/env", f"--data={folder}")) == []
        assert needed_by((f"{results}/bot",)) == [f"{results}/bot"]
        assert f"{tmp_path / record}/link" not in needed_by((f"{tmp_path / record}/link/bot",))
        assert not is_shared(str(tmp_path / record))


def test_all_runs_below_what_is_shown_are_covered(tmp_path):
    for name in ("now/a", "old/deep/b", "old/deep/c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "journal.jsonl").write_text("")
    assert covered([str(tmp_path)]) == [f"{tmp_path}/now", f"{tmp_path}/old/deep"]


def test_what_a_program_needs_beside_runs_is_not_covered_with_them(tmp_path):
    for name in ("data/one", "data/two"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "journal.jsonl").write_text("")
    for name in ("bot", "data/model"):
        (tmp_path / name).write_text("")
    shown = needed_by((f"{tmp_path}/bot", f"{tmp_path}/data/model"))
    assert shown == [str(tmp_path), f"{tmp_path}/data/model"]
    assert covered(shown) == [f"{tmp_path}/data/one", f"{tmp_path}/data/two"]


@needs_bubblewrap
def test_no_box_shows_the_run_of_another_process(tmp_path):
    (tmp_path / "results" / "other").mkdir(parents=True)
    (tmp_path / "results" / "other" / "journal.jsonl").write_text("cards")
    assert in_box(tmp_path / "results", f"ls {tmp_path}/results") == ["bot.sh"]
    (tmp_path / "bots").mkdir()
    shutil.move(tmp_path / "results", tmp_path / "bots")
    said = in_box(tmp_path / "bots", f"ls {tmp_path}/bots; ls {tmp_path}/bots/results")
    assert said == ["bot.sh", "results"]


def test_no_box_shows_pipes_and_sockets(tmp_path):
    (tmp_path / "bot").write_text("")
    (tmp_path / "deep").mkdir()
    os.mkfifo(tmp_path / "deep" / "pipe")
    assert special_files((str(tmp_path),)) == (f"{tmp_path}/deep/pipe",)
    assert needed_by((f"{tmp_path}/bot", f"--to={tmp_path}/deep/pipe")) == [str(tmp_path)]
    assert needed_by(("/usr/bin/env", f"{tmp_path}/deep/pipe")) == []


def test_other_files_that_a_command_names_are_shown_without_their_folders(tmp_path):
    for name in ("bots/bot.py", "models/one", "models/two"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    command = ("/usr/bin/env", f"{tmp_path}/bots/bot.py", f"{tmp_path}/models/one", f"--more={tmp_path}/models/two")
    assert needed_by(command) == [f"{tmp_path}/bots", f"{tmp_path}/models/one", f"{tmp_path}/models/two"]


def test_runs_are_covered_where_they_lie_in_what_is_shown(tmp_path):
    for name in ("bots/results/now", "apart/now"):
        (tmp_path / name).mkdir(parents=True)
        hide(str(tmp_path / name))
    bots = str(tmp_path / "bots")
    assert covered([bots]) == [f"{bots}/results"]
    assert covered([f"{bots}/results"]) == [f"{bots}/results/now"]
    assert covered(["/usr"]) == []


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_the_filter_of_system_calls_is_whole(architecture):
    code = seccomp_filter(architecture)
    assert len(code) % 8 == 0
    assert 50 < len(code) // 8 < 4096


def test_an_unknown_architecture_has_no_filter():
    assert seccomp_filter("riscv128") == b""


@pytest.mark.slow
@needs_bubblewrap
def test_leaderboard_and_header_say_who_played_in_a_box(tmp_path):
    command = [sys.executable, str(BOTS / "bot.py")]
    bots = [
        {"id": "in", "type": "exec", "command": command},
        {"id": "out", "type": "exec", "command": command, "sandbox": "off"},
    ]
    config = {"participants": bots, "seeds": {"perMatch": 1}, "game": {"handsPerGame": 2}}
    config |= {"stop": {"budget": {"maxMatches": 1}}, "outputDir": str(tmp_path / "out")}
    (tmp_path / "config.json").write_text(json.dumps(config))
    done = subprocess.run(
        [Path(sys.executable).with_name("molt-bench"), "run", tmp_path / "config.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "out").iterdir()
    header = json.loads((run / "journal.jsonl").read_text().splitlines()[0])
    label = header["versions"]["sandbox of in"]
    assert label.startswith("bubblewrap ")
    assert header["versions"]["sandbox of out"] == "none"
    rows = json.loads((run / "leaderboard.json").read_text())["participants"]
    assert {row["id"]: row["sandbox"] for row in rows} == {"in": label, "out": "none"}
    assert f"In a sandbox: in ({label})." in done.stdout
    assert "Not in a sandbox: out." in done.stdout
