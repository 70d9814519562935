"""What the end-to-end tests share: the program as a user runs it, and what it leaves on disk."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

from molt_bench import entry_points
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.cli import main
from molt_bench.config.loader import load_config
from molt_bench.runs.master_seed import environment_seed
from molt_bench.runs.run_files import RunFiles
from molt_bench.seeds import derive
from tests.agents.external.boxes import NO_BOXES

MOLT_BENCH = str(Path(sys.executable).with_name("molt-bench"))
#: The files that must be the same bytes whenever the config is the same.
RESULTS = ("leaderboard.json", "matches.json")
#: Every file of a run.
FILES = {
    "config.json",
    "seeds.json",
    "journal.jsonl",
    "leaderboard.json",
    "matches.json",
    "log.jsonl",
    "summary.json",
}
#: So quick that starting the program takes longer.
SMALL = ("--seeds", "2", "--hands", "5", "--max-matches", "3", "--set", "stop.adjacentConfidence=null")

#: A master seed, for runs that are to be the same whoever plays in them.
SEEDED = ("--master-seed", "the master seed of these tests")

#: A file of agents, for participants of one's own.
BOTS = '''
"""Agents of one's own."""

from molt_bench import Action


class Caller:
    def __init__(self, name="caller"):
        self.name = name

    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")


class Thrower:
    name = "thrower"

    def act(self, observation):
        raise RuntimeError("this agent always throws")


class Picky:
    """Raises to `size` big blinds before the flop where it may, and calls otherwise."""

    def __init__(self, size):
        self.name = f"picky-{size}"
        self.size = size

    def act(self, observation):
        wanted = self.size * 100
        if not observation.board and observation.max_raise_to and wanted >= observation.min_raise_to:
            return Action("raiseTo", min(wanted, observation.max_raise_to))
        return Action("call") if observation.to_call else Action("check")


def make_caller():
    return Caller()


def make_thrower():
    return Thrower()


def make_picky(size=3):
    return Picky(size)


def make_nothing():
    return None


def make_trouble():
    raise ValueError("no licence")


def make_long_trouble():
    raise ValueError("no licence\\nbuy one\\nsoon")


def make_class():
    return Caller


_made = 0


def make_a_few():
    global _made
    _made += 1
    if _made > 5:
        raise ValueError("out of agents")
    return Caller()


not_callable = 3
'''


def bench(*arguments, cwd=None, env=None, timeout=120):
    """Run the program to its end."""
    _need_box(arguments)
    return _to_its_end([MOLT_BENCH, *map(str, arguments)], cwd=cwd, env=env, timeout=timeout)


def in_bash(commands, *arguments, cwd=None, env=None, timeout=600):
    """Run shell commands to their end, with the program on the path."""
    path = f"{Path(MOLT_BENCH).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "-e", "-c", commands, "bash", *map(str, arguments)]
    return _to_its_end(command, cwd=cwd, env={"PATH": path, **(env or {})}, timeout=timeout)


def _to_its_end(command, *, env, **options):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        **options,
    )


#: Seconds after which a fork of the program is given up.
_MOST_S = 600
#: What a fork had to load of these is loaded here when it ends, so that the next one finds it.
_LOADED_ONCE = {
    *("aiohttp", "anthropic", "genai_prices", "httpx", "httpx2", "jiter", "molt_bench", "numpy", "openai", "openskill"),
    *("pydantic_ai", "rich", "yaml"),
}


class Fork:
    """The program in a fork of this process: as real, without the time to start Python."""

    def __init__(self, *arguments, out=None, err=None, said="", **settings):
        """Start it.

        Args:
            arguments: Of the program.
            out: A file, or its number, in place of what `communicate` returns.
            err: The same for standard error.
            said: What it reads on standard input.
            settings: See `be_the_program`.
        """
        _prepare()
        self.args = arguments
        self.returncode = None
        self._waiting = threading.Lock()
        # `communicate` closes them.
        self._in, self._out, self._err, self._loaded = (tempfile.TemporaryFile("w+") for _ in range(4))  # noqa: SIM115
        self._in.write(said)
        self._in.seek(0)
        self.pid = os.fork()
        if not self.pid:
            files = (self._in, out or self._out, err or self._err, self._loaded)
            be_the_program(arguments, [_number(file) for file in files], **settings)

    def kill(self):
        """Kill it, in the middle of whatever it does."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self):
        """Wait for its end and return its status; any thread may."""
        with self._waiting:
            if self.returncode is None:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def communicate(self):
        """Wait for its end and return what it printed."""
        self.wait()
        self._in.close()
        printed = []
        for file in (self._out, self._err, self._loaded):
            with file:
                file.seek(0)
                printed.append(file.read())
        for name in printed.pop().split():
            import_module(name)
        return tuple(printed)


@cache
def _prepare():
    """Play a run here once: forks find the tables that it makes, and half of their time was spent on them."""
    players = {"participants": ["tag", "tight", "maniac", "random", "callstation"], "game": {"handsPerGame": 10}}
    config = load_config({**players, "seeds": {"perMatch": 2}, "stop": {"budget": {"maxMatches": 10}}})
    with tempfile.TemporaryDirectory() as folder:
        files = RunFiles.new(Path(folder), config)
        run_benchmark(config, files=files)
        files.close()
    for group in (entry_points.COMMANDS, entry_points.EXECUTORS, entry_points.OBSERVERS, entry_points.FILES):
        entry_points.points(group)


def quick(*arguments, **options):
    """Run the program to its end in a fork of this process."""
    _need_box(arguments)
    process = Fork(*arguments, **options)
    out, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _need_box(arguments):
    """Skip a test that runs the agents of a stored run, on a machine that has no box for them."""
    if "--run-agents" in arguments and NO_BOXES:
        pytest.skip(f"needs a sandbox: {NO_BOXES}")


def _number(file):
    if isinstance(file, str):
        return os.open(file, os.O_WRONLY)
    return file if isinstance(file, int) else file.fileno()


def be_the_program(arguments, files, *, cwd=None, env=None, bare=False, encoding=None, most_kib=None):
    """Be the program to its end, in a process that was forked for it.

    Args:
        arguments: Of the program.
        files: Numbers of its standard input, output and error, and of a file that takes the names of what it loads.
        cwd: Where it runs.
        env: Variables of its environment, beside those of this process.
        bare: Whether it has no others.
        encoding: Of standard output and error.
        most_kib: Size that no file may grow beyond.
    """
    loaded = files[3]
    code, before = 70, {*sys.modules}
    signal.alarm(_MOST_S)  # what hangs is killed by it
    try:
        os.chdir(cwd or ".")
        if bare:
            os.environ.clear()
        os.environ.update(env or {})
        environment_seed.cache_clear()  # a new process has not read its environment yet
        if "--no-plugins" in arguments or entry_points.none_wanted():
            entry_points.points.cache_clear()
        sys.path[:] = filter(None, sys.path)  # nor loaded agents from the current folder, as earlier tests may have
        for standard, file in enumerate(files[:3]):
            os.dup2(file, standard)
        if most_kib is not None:
            sys.dont_write_bytecode = True  # what Python compiles would be cut off, for good
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * most_kib, 1024 * most_kib))
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding=encoding, closefd=False) for number in (1, 2))
        sys.argv = ["molt-bench", *map(str, arguments)]
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        new = [name for name in sys.modules if name not in before and name.partition(".")[0] in _LOADED_ONCE]
        os.write(loaded, "\n".join(new).encode())
    finally:
        os._exit(code)


def start(*arguments, **options):
    """Start the program and return the process."""
    _need_box(arguments)
    return subprocess.Popen(
        [MOLT_BENCH, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        **options,
    )


def until(happened, *, seconds=60):
    """Wait for something to come true, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)
    return found


def good(done):
    """Check that the program succeeded, and return how it ended."""
    assert done.returncode == 0, done.stderr
    return done


def gone_on(folder, *flags, **options):
    """Go on with a run, which must succeed, and return its folder."""
    good(quick("resume", "--run-agents", folder, "--quiet", *flags, **options))
    return folder


def verified(folder, *flags, **options):
    """Verify a run, which must succeed, and return what is said."""
    return good(quick("verify", folder, *flags, **options)).stdout


def fault_counts(printed):
    """Return the faults of every agent in a leaderboard: what stands behind its wins, losses and draws."""
    return re.findall(r" \d+-\d+-\d+ +([\d,]+)", printed)


def run_of(output_dir):
    """Return the folder of the one run in an output folder."""
    (folder,) = Path(output_dir).iterdir()
    return folder


def good_run(output_dir, *arguments, **options):
    """Run the program, which must succeed, and return the folder of its run."""
    good(bench(*arguments, "--output-dir", output_dir, **options))
    return run_of(Path(options.get("cwd") or ".") / output_dir)


def quick_run(output_dir, *arguments, **options):
    """Run the program, which must succeed, in a fork of this process, and return the folder of its run."""
    good(quick(*arguments, "--output-dir", output_dir, **options))
    return run_of(Path(options.get("cwd") or ".") / output_dir)


def configured_run(home, config, *flags, **options):
    """Write a config into a folder, run it there, which must succeed, and return the folder of the run."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "bench.json").write_text(json.dumps(config))
    return quick_run(home / "out", "--config", home / "bench.json", *flags, "--quiet", **options)


def results(folder):
    """Return the bytes of the files that must be the same."""
    return [(Path(folder) / name).read_bytes() for name in RESULTS]


def everything(folder):
    """Return the bytes of all files of a run."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(text):
    """Read JSON as the standard has it: no NaN, no Infinity."""
    return json.loads(text, parse_constant=_no_constant)


def read(folder, name):
    """Return what a JSON file of a run says."""
    return strict_json((Path(folder) / name).read_text("utf-8"))


def usage_in(folder):
    """Return what each language model of a run used, as the leaderboard has it, by participant."""
    return {row["id"]: row["usage"] for row in read(folder, "leaderboard.json")["participants"] if "usage" in row}


def lines_of(folder, name):
    """Return what the lines of a JSONL file of a run say."""
    return [strict_json(line) for line in (Path(folder) / name).read_text("utf-8").splitlines()]


def records_in(folder):
    """Return the records of the games in a run's journal, each with the number of its match."""
    lines = lines_of(folder, "journal.jsonl")
    return [{"match": line["match"], **line["record"]} for line in lines if line["line"] == "game"]


def games_in(folder):
    """Return match, seed and seating of every game in a run's journal."""
    found = [(record["match"], record["spec"]) for record in records_in(folder)]
    return [(match, spec["seed"], spec.get("seating", "AB")) for match, spec in found]


def faults_in(folder):
    """Return player and kind of every fault in a run's journal."""
    return [
        (record["spec"]["players"][fault["player"]], fault["kind"])
        for record in records_in(folder)
        for fault in record.get("faults", ())
    ]


def unvouched(folder):
    """Have a finished run be one whose journal has no hash of the replies."""
    lines = lines_of(folder, "journal.jsonl")
    del lines[-1]["repliesHash"]
    (Path(folder) / "journal.jsonl").write_bytes(rechained(lines))
    (Path(folder) / "summary.json").unlink()


def cut_back(folder, keep):
    """Cut a finished run back, as if it had been killed: `keep` is given its journal and returns what is left of it."""
    journal = Path(folder) / "journal.jsonl"
    journal.write_bytes(keep(journal.read_bytes()))
    (Path(folder) / "summary.json").unlink(missing_ok=True)  # it is written at the end


def first_lines(count):
    """Return what keeps the first so many lines."""
    return lambda data: b"".join(data.splitlines(keepends=True)[:count])


def rechained(lines):
    """Return the lines of a journal, each as bytes or as what it says, chained anew as a forger would.

    What cannot be read stays as it is.
    """
    texts = []
    for line in lines:
        try:
            content = json.loads(line) if isinstance(line, bytes) else dict(line)
            content.pop("prev", None)
        except (ValueError, RecursionError, AttributeError):
            texts.append(line)
            continue
        before = {"prev": sha256(texts[-1]).hexdigest()} if texts else {}
        texts.append(json.dumps({**before, **content}, separators=(",", ":")).encode())
    return b"".join(text + b"\n" for text in texts)


def one_clear_line(done, *said, status=1):
    """Check that the program ended with status 1, or another, and one line of its own on standard error.

    The agents that `--run-agents` names do not count.
    """
    assert done.returncode == status, (done.returncode, done.stderr)
    lines = [line for line in done.stderr.splitlines(keepends=True) if not re.search(r" names '.*', type ", line)]
    err = "".join(lines)
    assert "Traceback" not in err
    assert err.startswith("molt-bench: ")
    assert err.count("\n") == 1, err
    assert done.stdout == ""
    for text in said:
        assert text in err


def moment(*labels):
    """Return a number from 0 to 1 that looks random and is the same in every run."""
    return derive("moments", *labels) / 2**256


def journal_without_times(folder):
    """Return the games of a run's journal, without when they were played and what is chained."""
    lines = [json.loads(line) for line in (Path(folder) / "journal.jsonl").read_text("utf-8").splitlines()]
    games = [line for line in lines if line["line"] == "game"]
    return [{key: value for key, value in game.items() if key not in ("seconds", "prev")} for game in games]
