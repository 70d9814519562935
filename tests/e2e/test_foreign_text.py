"""Names, errors and replies of strangers never control a terminal, whichever command shows them, on a pty or a pipe."""

import http.server
import json
import os
import pty
import re
import threading
import unicodedata
from pathlib import Path

import pytest

import molt_bench
from molt_bench.visible_text import on_one_line, printable
from tests.agents.external.playing import CHAOS, PYTHON
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.llm import MODEL
from tests.e2e.shell import Fork, good, quick, run_of, strict_json

#: Moves the cursor, changes the title, beeps, turns text round, and is markup: none of it may be printed as it is.
EVIL = "e\x1b[2J\x1b]0;owned\x07\r\x9b31m\x7f\u202e\u200b[red]\U000e0041"
#: What a console of ours may write: colours, the cursor's visibility and moves of a live display.
OURS = re.compile(r"\x1b\[(?:[\d;]*m|\?25[lh]|\d*[AGK]|2K|1A)|\r")
ROOT = Path(molt_bench.__file__).parent

BOT = " ".join((*PYTHON, CHAOS))
BOTS = f"""
class Evil:
    name = {EVIL!r}
    def act(self, observation):
        print("prints " + {EVIL!r})
        raise RuntimeError({EVIL!r})
"""


def unsafe(text):
    """Return the characters of some output that may control a terminal, but for those of our own consoles."""
    left = OURS.sub("", text)
    return {char for char in left if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t"}


def on_a_terminal(*arguments, cwd):
    """Run the program with both streams on a terminal, and return all that it was sent."""
    ours, theirs = pty.openpty()
    process = Fork(*arguments, out=theirs, err=theirs, cwd=cwd, env={"TERM": "xterm-256color", "COLUMNS": "200"})
    os.close(theirs)
    pieces = []
    reader = threading.Thread(target=_drain, args=(ours, pieces))
    reader.start()
    process.communicate()
    reader.join()
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def _drain(number, pieces):
    try:
        while piece := os.read(number, 65536):
            pieces.append(piece)
    except OSError:  # the other end is closed
        pass


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a folder with hostile configs, agents, and two runs."""
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "bots.py").write_text(BOTS)
    names = [{"id": EVIL, "type": "tight", "displayName": f"shown {EVIL}"}, {"id": f"{EVIL}2", "type": "random"}]
    base = {"participants": names, "seeds": {"perMatch": 2, "masterSeed": "m"}, "game": {"handsPerGame": 4}}
    stop = {"stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}}, "outputDir": "out"}
    configs = {
        "good": stop,
        "short": {"stop": {"budget": {"maxMatches": 1}}},
        "raises": {**stop, "participants": [{"id": EVIL, "type": "bots.py:Evil"}, "tight"]},
        "twice": {**stop, "participants": [names[0], names[0]]},
        "field": {EVIL: 1},
        "type": {"participants": [{"id": EVIL, "type": EVIL}, "tight"]},
        "missing": {**stop, "participants": [{"id": EVIL, "type": f"exec:{EVIL}"}, "tight"]},
        "chaos": {**stop, "participants": [{"id": EVIL, "type": f"exec:{BOT} garbage"}, "tight"]},
    }
    for name, content in configs.items():
        (folder / f"{name}.json").write_text(json.dumps({**base, **content}))
    good(quick("run", "--config", "good.json", "--quiet", cwd=folder))
    (folder / "run").symlink_to(run_of(folder / "out"))
    (folder / "cut").mkdir()
    journal = (folder / "run" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "cut" / "journal.jsonl").write_bytes(b"".join(journal[:3]))
    (folder / "torn").mkdir()
    (folder / "torn" / "journal.jsonl").write_bytes(journal[0].replace(b'"format"', f'"{"evil"}'.encode() + b'"'))
    return folder


COMMANDS = {
    "doctor": ("doctor", "good.json"),
    "doctor with a warning": ("doctor", "short.json"),
    "doctor twice": ("doctor", "twice.json"),
    "doctor a field": ("doctor", "field.json"),
    "doctor a type": ("doctor", "type.json"),
    "plan": ("plan", "good.json"),
    "run": ("run", "--config", "good.json", "--output-dir", "out2"),
    "run of who raises": ("--debug", "run", "--config", "raises.json", "--output-dir", "out3"),
    "run in workers": ("run", "--config", "raises.json", "--output-dir", "out4", "--executor", "processes"),
    "run of a program that is not there": ("run", "--config", "missing.json", "--output-dir", "out5"),
    "run of a program that talks": ("run", "--config", "chaos.json", "--output-dir", "out6"),
    "run by name": ("run", "--participants", f"tight,{EVIL}"),
    "run with a flag": ("run", "--set", f"{EVIL}=1"),
    "report": ("report", "run"),
    "report of a cut run": ("report", "cut"),
    "report of a torn run": ("report", "torn"),
    "report of nothing": ("report", f"no{EVIL}"),
    "compare": ("compare", "run", "run"),
    "verify": ("verify", "run"),
    "resume": ("resume", "run"),
    "grade": ("grade", "run"),
    "check": ("check", "bots.py:Evil", "--games", "1"),
    "check a name": ("check", EVIL),
    "export to standard output": ("export", "run", "--format", "csv", "--output", "-"),
    "compare somebody": ("compare", "run", "run", "--agent", EVIL[:-3]),
    "a command": (f"no{EVIL}",),
    "an option": ("run", f"--{EVIL}"),
}
#: Those that are tried with every change; the others are slow together.
OFTEN = ("doctor", "run", "run of who raises", "report", "compare", "check", "report of nothing", "a command")


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=() if what in OFTEN else pytest.mark.slow) for what in COMMANDS]
)
def test_no_command_lets_foreign_text_control_a_terminal_nor_a_pipe(here, what):
    said = on_a_terminal(*COMMANDS[what], cwd=here)
    assert said.strip()
    assert unsafe(said) == set()
    assert not [each for each in ("\x1b[2J", "owned\x07") if each in said]
    if not what.startswith("export to"):  # to a pipe it is data, as it is in a file
        done = quick(*COMMANDS[what], cwd=here)
        assert unsafe(done.stdout + done.stderr) == set()
        assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("command", [("doctor", "good.json"), ("report", "run"), ("compare", "run", "run")])
def test_json_is_escaped_and_says_the_same(here, command):
    done = quick(*command, "--json", cwd=here)
    assert unsafe(done.stdout) == set()
    assert any(EVIL in text for text in texts_in(strict_json(done.stdout)))


def texts_in(value):
    """Return all texts in a JSON value, keys included."""
    if isinstance(value, dict):
        return [text for key, below in value.items() for text in (key, *texts_in(below))]
    if isinstance(value, list):
        return [text for below in value for text in texts_in(below)]
    return [value] if isinstance(value, str) else []


class EvilServer(http.server.BaseHTTPRequestHandler):
    """Answers with text that is no message."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        said = json.dumps({"type": EVIL, "protocol": EVIL}, ensure_ascii=False).encode()
        self.send_response(500, "no")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


def test_what_a_web_server_answers_is_visible(here):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), EvilServer) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        said = on_a_terminal("run", "--participants", f"http://127.0.0.1:{server.server_port}/,tight", cwd=here)
        server.shutdown()
    assert "molt-bench: " in said
    assert unsafe(said) == set()


@pytest.mark.slow
def test_what_a_model_replies_is_visible(here, server):
    server.say = lambda prompt, body: EVIL
    config = {
        "participants": [{"id": EVIL, "type": f"llm:{MODEL}", "baseUrl": server.url}, "tight"],
        "seeds": {"perMatch": 1},
        "game": {"handsPerGame": 1},
        "stop": {"budget": {"maxMatches": 1}},
    }
    (here / "model.json").write_text(json.dumps(config))
    said = on_a_terminal("run", "--config", "model.json", "--output-dir", "out7", cwd=here)
    assert "Results:" in said
    assert unsafe(said) == set()


@pytest.mark.slow
def test_what_a_live_server_says_is_visible(tmp_path):
    players = ({"id": EVIL, "type": "live", "displayName": EVIL}, {"id": "bot", "type": "tight"})
    served = Served(live_config(tmp_path, *players))
    Poller(served.invitations(1)[0]).done()
    assert served.ended() == 0, served.err
    assert "has joined" in served.out
    assert unsafe(served.out + served.err) == set()


#: What may print, and how: standard streams are visible ones, consoles are ours.
ALLOWED = {
    "visible_text.py",  # the streams themselves
    "cli/console.py",
    "cli/streams.py",
    "agents/human.py",  # styles the table; names are made visible
    "plugins/reference/grade_tables.py",  # tables without colour, on the visible stream
}


def test_nothing_prints_around_the_visible_streams():
    """No console but ours, no library's own printing, and no bytes to a standard stream."""
    around = re.compile(
        r"\bConsole\(|\becho\(|\bsecho\(|print_exc|sys\.__std(out|err)__|sys\.std(out|err)\.buffer|\.styled\b"
    )
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted(ROOT.rglob("*.py"))
        if str(path.relative_to(ROOT)) not in ALLOWED
        for line in path.read_text().splitlines()
        if around.search(line)
    ]
    # The answer of the process that searches, which another one reads.
    assert [each for each in found if not each.startswith("view/search_worker.py")] == []


def test_everything_that_may_control_or_hide_is_escaped():
    #: Signs of Arabic, Syriac and old scripts that are drawn, and line ends and tabs.
    drawn = {*"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\n\t"}
    drawn |= {chr(number) for number in range(0x13430, 0x13460)}
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    hidden = [char for char in map(chr, range(0x110000)) if unicodedata.category(char) in kinds]
    assert [char for char in hidden if char not in drawn and not printable(char).isascii()] == []
    assert [char for char in hidden if char not in drawn and printable(char) == char] == []
    assert [char for char in hidden if on_one_line(char) == char] == []
