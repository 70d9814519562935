"""Ways to cheat that boxes stop, each tried without a box as well, and the table of them in docs/why/fairness.md.

`make slow SUITE=cheats` tries all. MOLT_BENCH_WRITE_DOCS=1 writes the table anew.
"""

import json
import os
import pty
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.agent_log import log_path
from molt_bench.agents.external import box
from tests.agents.external.boxes import needs_bubblewrap

ATTACKER = Path(__file__).with_name("attacker.py")
DOC = Path(__file__).parents[3] / "docs" / "why" / "fairness.md"
MARKED = re.compile(r"(<!-- attacks: begin -->\n).*?(<!-- attacks: end -->)", re.DOTALL)


class Attack(NamedTuple):
    """One way to cheat.

    Attributes:
        says: What is tried, for the table.
        given: What the bot is given, by the name of a fixture of the place; None for nothing.
        games: How many it plays; 0 for one game against its twin.
        stopped: What stops it without a box as well; "" if nothing does.
        root: Whether only root can do it without a box.
    """

    says: str
    given: str | None = None
    games: int = 1
    stopped: str = ""
    root: bool = False


ATTACKS = {
    "read_file": Attack("read the master seed of its run", "master_seed"),
    "read_file:home": Attack("read another file of the user", "secret"),
    "read_memory": Attack("read the memory of the bench, with its decks", "bench"),
    "see_processes": Attack("list other processes"),
    "trace": Attack("attach to another process as a debugger", "victim"),
    "send_signal": Attack("send signals to the bench or the other bot", "victim"),
    "leave_file": Attack("leave a file in the folder for temporary files", "temporary_file", games=2),
    "leave_file:home": Attack("leave a file at home", "home_file", games=2, stopped="home is a new folder"),
    "leave_file:shm": Attack("leave shared memory", "shared_memory", games=2),
    "leave_daemon": Attack("leave a process behind", "name", games=2),
    "talk_by_socket": Attack("talk to its twin over an abstract socket", "name", games=0),
    "much_disk": Attack("fill the disk", "megabytes"),
    "plant_link": Attack("plant a link where the bench writes", "log"),
    "gain_rights": Attack("run a program that has its owner's rights (setuid)", "setuid", root=True),
    "write_settings": Attack("change a setting of the kernel", root=True),
    "through_others": Attack("read a file of the user through the processes around it", "secret"),
    "see_machine": Attack("look into /sys"),
    "type_into_terminal": Attack("write to the user's terminal", "terminal"),
    "new_namespace": Attack("become root in a namespace of its own"),
    "loopback_service": Attack("connect to the viewer or the live server", "service"),
    "ask_names": Attack("send something to the internet"),
    "socket_file": Attack("connect to a service by its file, such as one that holds keys", "service_file"),
}
#: Where each is tried: without a box, and in one.
WAYS = ("off", "required")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="these are attacks on Linux")
MARKS = {"off": [on_linux], "required": [needs_bubblewrap]}
#: What is said of a program that was ended at a limit.
LIMIT = re.compile("at its limit of|ended with exit status|ended by SIGKILL")
#: Tried in every run of the tests; the others take longer, or are much like these.
QUICK = ("read_file", "send_signal", "leave_file:shm", "loopback_service")


class Place:
    """A folder with a bot and a run in it, and everything else that attacks are after."""

    def __init__(self, folder):
        self.folder, self._held = folder, []
        self.bots = folder / "bots"
        self.bots.mkdir()
        self.bot = shutil.copy(ATTACKER, self.bots)
        run = self.bots / "results" / "run"
        (run / "agents").mkdir(parents=True)
        for name in ("master-seed", "journal.jsonl"):
            (run / name).write_text("what nobody may know")
        (folder / "secret").write_text("of the user")
        self.run = run
        self.name = f"attacker-{secrets.token_hex(4)}"
        self.temporary_file, self.shared_memory = f"{tempfile.gettempdir()}/{self.name}", f"/dev/shm/{self.name}"
        self.home_file = "~/left"
        self.master_seed = str(run / "master-seed")
        self.secret = str(folder / "secret")
        self.log = str(run / "agents" / "victim.log")
        self.bench, self.megabytes = os.getpid(), 200

    @property
    def victim(self):
        """Another program that the bench has started."""
        found = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE)
        self._held.append(found)
        return found.pid

    @property
    def terminal(self):
        """A terminal of the user."""
        self._held += pty.openpty()
        return os.ttyname(self._held[-1])

    @property
    def service(self):
        """The port of a server."""
        self._held.append(socket.create_server(("127.0.0.1", 0)))
        return self._held[-1].getsockname()[1]

    @property
    def service_file(self):
        """The file of a server."""
        path = tempfile.mktemp(prefix="mb-", dir="/tmp")
        self._held.append(socket.socket(socket.AF_UNIX))
        self._held[-1].bind(path)
        self._held[-1].listen()
        return path

    @property
    def setuid(self):
        """A program that runs as root, whoever starts it."""
        path = shutil.copy(shutil.which("id"), self.bots / "id")
        os.chmod(path, 0o4755)
        return str(path)

    def close(self):
        """Let go of everything."""
        for each in self._held:
            if isinstance(each, subprocess.Popen):
                each.kill()
                each.wait()
                each.stdin.close()
            elif isinstance(each, int):
                os.close(each)
            else:
                each.close()
        for path in (self.temporary_file, self.shared_memory):
            Path(path).unlink(missing_ok=True)

    def tried(self, name, way):
        """Play an attack; return what the bot got in its last game, and the faults of the game."""
        attack, function = ATTACKS[name], name.partition(":")[0]
        given = getattr(self, attack.given) if attack.given else None
        logs = self.run / "agents"

        def bot(label, *options):
            command = [sys.executable, "-I", "-S", self.bot, function, json.dumps(options or given)]
            spec = ParticipantSpec(id=label, type="exec", params={"command": command}, settings={"sandbox": way})
            return make_agent(spec, folder=logs, action_timeout_s=20)

        last = "second" if attack.games == 0 else f"game {attack.games}"
        if attack.games == 0:
            players = bot("first", "first", given), bot("second", "second", given)
            record = play_game(players, seed=1, hands=1, max_retries=0)
        for number in range(1, attack.games + 1):
            players = bot(f"game {number}"), make_agent("callstation")
            record = play_game(players, seed=1, hands=1, max_retries=0)
        log = log_path(logs, last)
        said = log.read_text().strip() if log.exists() else ""
        return said.startswith("GOT"), f"{said} {[fault.message for fault in record.faults]}"


@pytest.fixture
def place(monkeypatch):
    """Return a place for attacks, with low limits."""
    monkeypatch.setattr(box, "_HOME_BYTES", 8 * 1024 * 1024)
    with tempfile.TemporaryDirectory(prefix="molt-bench-") as folder:
        found = Place(Path(folder))
        yield found
        found.close()


def marked(name, way):
    quick = name in QUICK
    return pytest.param(way, name, id=f"{name}-{way}", marks=[*MARKS[way], *(() if quick else [pytest.mark.slow])])


@pytest.mark.parametrize(("box", "name"), [marked(name, way) for name in ATTACKS for way in WAYS])
def test_what_comes_of_it(name, box, place):
    """It works without a box, unless something else stops it, and in no box."""
    attack = ATTACKS[name]
    if attack.root and box == "off" and os.geteuid():
        pytest.skip("only root can do this anyway")
    got, said = place.tried(name, box)
    assert got or said.startswith("NOTHING") or (name == "much_disk" and LIMIT.search(said)), f"it was tried: {said}"
    assert got is (box == "off" and not attack.stopped), said


def test_the_table_in_the_docs_names_every_attack():
    rows = [
        f"| {attack.says} | {f'stopped: {attack.stopped}' if attack.stopped else 'works'} | stopped |"
        for attack in ATTACKS.values()
    ]
    head = "| what a program tries | without a sandbox | in the sandbox |"
    table = "\n".join([head, "|---|---|---|", *rows, ""])
    text = DOC.read_text("utf-8")
    wanted = MARKED.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", text)
    if os.environ.get("MOLT_BENCH_WRITE_DOCS"):
        DOC.write_text(wanted, "utf-8")
    assert MARKED.search(text), "the page has a place for it"
    assert DOC.read_text("utf-8") == wanted
