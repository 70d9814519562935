"""A box: the words that begin a command which runs another one in bubblewrap, and what that one sees in it.

A program in a box sees the system's programs, its own folder and the interpreter that runs it, all read-only. It has a
home of its own, which ends with it, and neither network nor other processes. A box ends with its starter.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from pydantic import Field

from molt_bench.agents.external.command import file_of
from molt_bench.agents.settings_base import AgentSettings
from molt_bench.errors import ConfigError

AUTO: Final = "auto"
REQUIRED: Final = "required"
OFF: Final = "off"
#: The `sandbox` of a participant or a config.
SandboxSetting: TypeAlias = Literal["auto", "required", "off"]
#: What a config says about it.
SANDBOX: Final = Field(
    description="The box it plays in: `auto` (bubblewrap where it works), `required` (or not at all), or `off`: a "
    "program then has your network and your environment."
)


class SandboxSettings(AgentSettings):
    """The box of code that plays on this machine."""

    sandbox: Annotated[SandboxSetting, SANDBOX] = "auto"


#: Where a program starts in its box, the only place where it can write; and how much, which is memory.
HOME: Final = "/tmp"
_HOME_BYTES: Final = 256 << 20
#: Processor time for each process, in one game; and open files.
CPU_SECONDS: Final = 3600
_FILES: Final = 4096
#: Folders of the system; where one is a link, as /bin often is, so it is in the box.
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
#: What programs and libraries read in /etc. The rest may hold secrets.
_SETTINGS: Final = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "nsswitch.conf"),
    *("passwd", "group", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "fonts", "mime.types"),
)
_PATIENCE_S: Final = 60.0


class Box(msgspec.Struct, frozen=True):
    """The box of a participant, of which every game gets a new one.

    Attributes:
        program: The path of bubblewrap, and its version.
    """

    program: str
    version: str

    @property
    def label(self) -> str:
        """What is recorded of it."""
        return f"bubblewrap {self.version}"

    @property
    def inside(self) -> str:
        """What a program finds in it, and how to let it see more."""
        return (
            "it plays in a sandbox, which shows the system's programs, its own folder, what its command names and no "
            "network (--no-sandbox lets it see everything)"
        )

    def words(self, command: Sequence[str], shown: Iterable[str] = (), run: Path | None = None) -> list[str]:
        """Return the command that runs another in a new box.

        Args:
            command: The other command.
            shown: Files and folders that it sees besides the system's.
            run: The folder of the run, of which it sees nothing, nor of the runs beside it, unless it lies there.
        """
        shown = [*shown]
        covers = [] if run is None else [*_covers(shown, run)]
        etc = [f"/etc/{name}" for name in _SETTINGS]
        return [
            self.program,
            *("--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid", "--unshare-uts"),
            *("--unshare-cgroup-try", "--unshare-net"),
            *("--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"),
            *(word for folder in _SYSTEM for word in _system_folder(folder)),
            *_read_only(filter(os.path.exists, etc)),
            # Files of the kernel's settings belong to root, who needs no capability to write them.
            *("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
            *("--size", str(_HOME_BYTES // 4), "--tmpfs", "/dev/shm"),
            *("--perms", "1777", "--size", str(_HOME_BYTES), "--tmpfs", HOME),
            *_read_only(shown),
            *(word for path in covers for word in ("--tmpfs", path)),
            *(word for path in (*covers, "/") for word in ("--remount-ro", path)),
            *("--chdir", HOME, "--", *command),
        ]


def limited(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command whose processes have limits, on systems that have `prlimit`."""
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        return tuple(command)
    # Data rather than address space: some runtimes reserve far more addresses than they use.
    cpu = f"{CPU_SECONDS}:{CPU_SECONDS + 5}"
    return prlimit, f"--data={memory_bytes()}", f"--cpu={cpu}", "--core=0", f"--nofile={_FILES}", "--", *command


def memory_bytes() -> int:
    """Return how much data each process may have: half of what the machine has. For systems with `prlimit`."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def box_in(settings: SandboxSettings, *, required: bool = False) -> Box | None:
    """Return the box that an agent plays in here; None for none, or if `auto` cannot have one.

    Raises ConfigError if it has to have one and this machine has none.
    """
    setting = REQUIRED if required else settings.sandbox
    found = bubblewrap() if setting != OFF else ""
    if isinstance(found, Box):
        return found
    if setting == REQUIRED:
        raise ConfigError("sandbox", setting, f"a machine that can make one: {found}")
    return None


def obstacle() -> str:
    """Return why there are no boxes on this machine, for the end of a sentence; "" if there are."""
    found = bubblewrap()
    return found if isinstance(found, str) else ""


@cache
def bubblewrap() -> Box | str:
    """Return a box if bubblewrap works on this machine, or else what is missing, for the end of a sentence."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    status, said = _tried([program, "--version"])
    if status:
        return f"{program} does not start: {said}"
    found = Box(os.path.abspath(program), said.split()[-1] if said else "?")
    status, said = _tried(found.words(["/usr/bin/env", "true"]))
    if not status:
        return found
    return f"bubblewrap does not work here: {said or f'exit status {status}'} (it needs 0.8 or newer, and namespaces)"


def _tried(command: Sequence[str]) -> tuple[int, str]:
    """Run a command; return its status, and the last line of what it said."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return 1, str(error)
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
    return done.returncode, lines[-1] if lines else ""


def seen_by(command: Sequence[str], shown: Iterable[str] = ()) -> list[str]:
    """Return the files and folders that a command sees in its box besides the system's.

    These are the folder of its program and of its script, what their interpreters were installed to, the other files
    that it names, without their folders, and what else is `shown`.
    """
    program, *arguments = command
    named = [path for path in map(_named, arguments) if path]
    own = {way for path in [program, *filter(os.path.isfile, named)][:2] for way in (path, os.path.realpath(path))}
    wanted = [*shown, *named, *own, *map(os.path.dirname, own), *(each for path in own for each in _installed(path))]
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        wanted.append(str(Path(__file__).parents[2]))  # which may lie elsewhere, and has the host of Python files
    found: list[str] = []
    for path in sorted({os.path.normpath(path) for path in wanted}, key=lambda path: (len(path), path)):
        is_new = not _within(path, (*_SYSTEM, "/proc", "/sys", "/dev", *found))
        if is_new and (os.path.isfile(path) or (os.path.isdir(path) and not _is_shared(path))):
            found.append(path)
    return found


def _system_folder(folder: str) -> Iterable[str]:
    if os.path.islink(folder):
        return "--symlink", os.readlink(folder), folder
    return _read_only([folder] if os.path.isdir(folder) else [])


def _read_only(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from ("--ro-bind", path, path)


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _covers(shown: Sequence[str], run: Path) -> Iterator[str]:
    """Yield where the runs are, or this one alone, in the folders that are shown, which may be links to others."""
    folder = os.path.realpath(run)
    if not any(_within(os.path.realpath(path), (os.path.dirname(folder),)) for path in shown):
        folder = os.path.dirname(folder)
    for path in shown:
        if _within(folder, (real := os.path.realpath(path),)):
            yield os.path.normpath(f"{path}/{os.path.relpath(folder, real)}")


def _named(word: str) -> str:
    """Return the file or folder that an argument names, as `--model=/srv/model` does; "" if it names none."""
    path = file_of(word if os.path.isabs(word) else word.partition("=")[2])
    return path if os.path.isabs(path) and os.path.exists(path) else ""


def _installed(path: str) -> Iterator[str]:
    """Yield what an interpreter was installed to, and a virtual environment was made from; of a script, for its own.

    The interpreter of a script is in its first line.
    """
    with suppress(OSError), open(path, "rb") as file:
        first = file.read(256).split(b"\n")[0].decode("utf-8", "replace")
        words = first[2:].split() if first.startswith("#!") else []
        named = shutil.which(words[-1] if os.path.basename(words[0]) == "env" else words[0]) if words else None
        if named not in (None, path):
            for each in {named, os.path.realpath(named)}:
                yield from _installed(each)
    if os.path.basename(os.path.dirname(path)) in ("bin", "shims"):
        yield (prefix := os.path.dirname(os.path.dirname(path)))
        with suppress(OSError), open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8") as file:
            homes = [line.partition("=")[2].strip() for line in file if line.partition("=")[0].strip() == "home"]
            yield from map(os.path.dirname, homes)


def _is_shared(folder: str) -> bool:
    """Return whether a folder holds so much else that it is not shown for the sake of one program in it."""
    real, home = os.path.realpath(folder), os.path.realpath(os.path.expanduser("~"))
    others = (home, f"{home}/.local", "/var/tmp", os.path.realpath(tempfile.gettempdir()))
    return real.count("/") < 2 or os.path.dirname(real) == "/home" or any(_within(each, (real,)) for each in others)
