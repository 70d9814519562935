"""Programs that run as another user: they can use their folder, and nothing of them is left. Real users, real sudo."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent
from molt_bench.agents.external.other_user import user_of
from molt_bench.agents.kinds import box_for
from molt_bench.agents.sandbox import choice
from tests.agents.external.playing import CHAOS, faults, played

HOST, GUEST = f"mb-host-{os.getpid()}", f"mb-guest-{os.getpid()}"
SUDOERS = Path(f"/etc/sudoers.d/{HOST}")
#: An interpreter that other users can start, too.
PYTHON = next((path for path in ("/usr/bin/python3", "/usr/local/bin/python3") if os.path.exists(path)), None)

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or sys.platform != "linux" or not shutil.which("useradd") or PYTHON is None,
    reason="needs root on Linux, useradd and a system-wide python3, to make a second user",
)


def as_root(test):
    """Mark a test that makes users; `make slow SUITE=cheats` runs it."""
    return pytest.mark.slow(needs_root(test))


with_sudo = pytest.mark.skipif(not shutil.which("sudo"), reason="needs sudo")


@pytest.fixture(scope="module")
def users():
    """Make the users of these tests, and remove them with all they left."""
    for user in (HOST, GUEST):
        subprocess.run(["useradd", "--create-home", user], check=True)
    yield
    for user in (HOST, GUEST):
        subprocess.run(["pkill", "-KILL", "-u", user], check=False)
        subprocess.run(["userdel", "--remove", user], check=False, capture_output=True)
    SUDOERS.unlink(missing_ok=True)


@pytest.fixture
def place(users):
    """Return a folder that both can use, with the chaos bot in it."""
    folder = Path(tempfile.mkdtemp(prefix="mb-guests-", dir="/tmp"))
    folder.chmod(0o777)
    shutil.copy(CHAOS, folder / "chaos.py")
    (folder / "chaos.py").chmod(0o755)
    yield folder
    until_gone()
    shutil.rmtree(folder)


def of_user(name):
    """Return the living processes of a user."""
    found = subprocess.run(["ps", "-u", name, "-o", "pid=,state="], capture_output=True, text=True, check=False).stdout
    return [int(line.split()[0]) for line in found.splitlines() if line.split()[1] != "Z"]


def until_gone():
    """Wait until no process of the guest is there."""
    deadline = time.monotonic() + 20
    while of_user(GUEST):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def guest(place, behaviour, *switch, first=1, remains=None, **settings):
    """Return the chaos bot as an agent that runs as the guest."""
    command = [*switch, PYTHON, "-I", "-S", str(place / "chaos.py"), behaviour, str(place / "log"), str(first)]
    spec = ParticipantSpec(id="guest", type="exec", params={"command": command, "max_restarts": 0, **settings})
    return make_agent(spec, action_timeout_s=2.0, on_remains=None if remains is None else remains.append)


def as_host(place, play):
    """Call a function as a user who is not root; return the lines that it returns."""
    played(make_agent("exec:/bin/false"), hands=1)  # what is imported late may lie where only root can read
    said = place / "said"
    child = os.fork()
    if not child:
        try:
            user = pwd.getpwnam(HOST)
            os.setgroups([])
            os.setresgid(*[user.pw_gid] * 3)
            os.setresuid(*[user.pw_uid] * 3)
            os.chdir("/")
            tempfile.tempdir = str(place)
            sys.executable = PYTHON
            said.write_text("\n".join(play()))
        except BaseException:
            said.write_text(traceback.format_exc())
        os._exit(0)
    os.waitpid(child, 0)
    return said.read_text().splitlines()


def sudo(commands):
    """Let the host run commands as the guest."""
    SUDOERS.write_text(f"{HOST} ALL=({GUEST}) NOPASSWD: {commands}\n")
    SUDOERS.chmod(0o440)
    return shutil.which("sudo"), "-n", "-u", GUEST


@as_root
@with_sudo
@pytest.mark.parametrize(
    ("behaviour", "kinds"),
    [
        ("well", {}),
        ("leave-child", {}),
        ("daemon", {}),
        ("stubborn", {"timeout": 1}),
        ("daemon-and-exit", {"crash": 1}),
        ("SIGKILL", {"signal": 1}),
        ("SIGSTOP", {"signal": 1}),
    ],
)
def test_nothing_is_left_of_a_guest_whom_the_host_may_not_kill(behaviour, kinds, place):
    switch, remains = sudo("ALL"), []

    def play():
        record = played(guest(place, behaviour, *switch, remains=remains), hands=1)
        return [str(faults(record)), *map(str, remains)]

    assert as_host(place, play) == [str(kinds)]
    assert of_user(GUEST) == []
    assert [path.name for path in place.iterdir() if path.name.startswith("molt-bench-agent-")] == []


@as_root
@with_sudo
def test_a_guest_that_sudo_does_not_let_us_end_is_reported_with_its_processes(place):
    switch, remains = sudo(PYTHON), []

    def play():
        played(guest(place, "stubborn", *switch, remains=remains), hands=1)
        return [*map(str, remains)]

    said = as_host(place, play)
    left = of_user(GUEST)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert len(left) == 2
    assert len(said) == 1
    assert "of its processes could not be ended (pids " in said[0]
    assert "sudo" in said[0], "it says why"
    assert all(f" {pid}" in said[0] for pid in left)


@as_root
@pytest.mark.parametrize("switch", [("runuser", "-u", GUEST, "--"), ("setpriv", f"--reuid={GUEST}", "--clear-groups")])
def test_a_guest_of_root_can_use_its_folder_home_and_temporary_files(switch, place, folders):
    folders.chmod(0o755)
    for parent in (*folders.parents,)[:-2]:
        parent.chmod(parent.stat().st_mode | 0o111)
    assert played(guest(place, "write-files", *switch), hands=1).faults == ()
    assert list(folders.iterdir()) == []


@as_root
def test_a_participant_can_name_the_user_it_runs_as(place, folders, monkeypatch):
    """Where bubblewrap does not work for that user."""
    monkeypatch.setattr(choice, "bubblewrap", lambda *_: "it does not work here")
    folders.chmod(0o755)
    for parent in (*folders.parents,)[:-2]:
        parent.chmod(parent.stat().st_mode | 0o111)
    command = [PYTHON, "-I", "-S", str(place / "chaos.py"), "write-files", str(place / "log"), "1"]
    sandbox = {"kind": "user", "name": GUEST}
    spec = ParticipantSpec(id="guest", type="exec", params={"command": command}, sandbox=sandbox)
    assert box_for(spec).label == f"user {GUEST}"
    assert played(make_agent(spec), hands=1).faults == ()
    assert (place / "log").stat().st_uid == pwd.getpwnam(GUEST).pw_uid
    assert list(folders.iterdir()) == []


@as_root
@with_sudo
def test_a_guest_of_sudo_can_use_its_folder_and_all_of_it_is_removed(place):
    switch, remains = sudo("ALL"), []

    def play():
        record = played(guest(place, "write-files", *switch, remains=remains), hands=1)
        return [str(record.faults), *map(str, remains)]

    assert as_host(place, play) == ["()"]
    assert [path.name for path in place.iterdir() if path.name.startswith("molt-bench-agent-")] == []


@pytest.mark.parametrize(
    ("command", "user"),
    [
        ("sudo -n -u guest ./bot", "guest"),
        ("sudo -nu guest ./bot", "guest"),
        ("sudo -n -g poker -u guest -- ./bot -u other", "guest"),
        ("sudo --user=guest ./bot", "guest"),
        ("sudo -uguest ./bot", "guest"),
        ("sudo -n ./bot -u other", "root"),
        ("/usr/bin/doas -u guest ./bot", "guest"),
        ("runuser -u guest -- ./bot", "guest"),
        ("setpriv --reuid 1000 ./bot", "1000"),
        ("su guest -c ./bot", ""),
    ],
)
def test_the_user_of_a_command_is_found_among_its_options(command, user):
    assert user_of(command.split()).name == user


@pytest.mark.parametrize("command", ["./bot -u guest", "python3 sudo", "./sudoku -u guest"])
def test_other_commands_run_as_ourselves(command):
    assert user_of(command.split()) is None
