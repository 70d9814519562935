"""bubblewrap: whether it works on this machine, what is missing if not, and the command that starts a program in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Final

import msgspec

from molt_bench.agents.sandbox.fixed_limits import DISK_BYTES, SHARED_MEMORY_BYTES
from molt_bench.agents.sandbox.visible_files import NETWORK_SETTINGS, SETTINGS, SYSTEM, covered, special_files

#: Where a program starts in its box: the only place besides /dev/shm where it can write.
HOME: Final = "/tmp"
_NAMESPACES: Final = ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
_PATIENCE_S: Final = 60.0
#: What switches user namespaces off, and the value at which it does.
_SWITCHES: Final = {
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/user/max_user_namespaces": "0",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
}
#: What marks the inside of a container.
_CONTAINERS: Final = ("/.dockerenv", "/run/.containerenv", "/run/secrets/kubernetes.io")


class Bubblewrap(msgspec.Struct, frozen=True):
    """bubblewrap on this machine.

    Attributes:
        program: Its path.
        version: Its version, such as `0.8.0`.
    """

    program: str
    version: str

    @property
    def label(self) -> str:
        """What is recorded of it."""
        return f"bubblewrap {self.version}"

    def command(self, words: Sequence[str], shown: Sequence[str], *, network: bool, filter_fd: int | None) -> list[str]:
        """Return the command that runs another in a new box, which shows some files of this machine, read-only.

        Args:
            words: The command.
            shown: Files and folders that the box shows besides the system's.
            network: Whether it may use the network of this machine.
            filter_fd: Descriptor that a seccomp filter is read from; None for none.
        """
        system = [word for folder in SYSTEM for word in _system_folder(folder)]
        etc = [f"/etc/{name}" for name in (*SETTINGS, *(NETWORK_SETTINGS if network else ()))]
        return [
            self.program,
            *_NAMESPACES,
            *(() if network else ("--unshare-net",)),
            *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"),
            *system,
            *(word for path in etc for word in _read_only(path) if os.path.exists(path)),
            # Files of the kernel's settings belong to root, who needs no capability to write them.
            *("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
            *("--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"),
            *("--perms", "1777", "--size", str(DISK_BYTES), "--tmpfs", HOME),
            *(word for path in shown for word in _read_only(path)),
            *(word for path in special_files(tuple(shown)) for word in ("--ro-bind", "/dev/null", path)),
            *(word for path in covered(shown) for word in ("--size", "4096", "--tmpfs", path, "--remount-ro", path)),
            *("--remount-ro", "/", "--chdir", HOME),
            *(() if filter_fd is None else ("--seccomp", str(filter_fd))),
            "--",
            *words,
        ]


def _system_folder(folder: str) -> Sequence[str]:
    if os.path.islink(folder):
        return "--symlink", os.readlink(folder), folder
    return _read_only(folder) if os.path.isdir(folder) else ()


def _read_only(path: str) -> tuple[str, str, str]:
    return "--ro-bind", path, path


@cache
def bubblewrap() -> Bubblewrap | str:
    """Return bubblewrap if it works on this machine, or else what is missing, for the end of a sentence."""
    if sys.platform != "linux":
        return "bubblewrap needs Linux"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    found = Bubblewrap(os.path.abspath(program), "")
    said = tried([program, "--version"])
    if said[0]:
        return f"{program} does not start: {said[1]}"
    works = tried([*found.command(["/usr/bin/env", "true"], (), network=False, filter_fd=None)])
    if not works[0]:
        return msgspec.structs.replace(found, version=said[1].split()[-1] if said[1] else "?")
    return f"bubblewrap does not work here, since {_obstacle()} ({works[1] or f'exit status {works[0]}'})"


def tried(command: Sequence[str]) -> tuple[int, str]:
    """Run a command; return its status, and the last line of what it said."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return 1, str(error)
    lines = (done.stderr.strip() or done.stdout.strip() if done.returncode else done.stdout.strip()).splitlines()
    return done.returncode, lines[-1] if lines else ""


def _obstacle() -> str:
    """Return why no box can be made: what forbids it, as far as the system says."""
    for path, off in _SWITCHES.items():
        with suppress(OSError), open(path, encoding="ascii") as file:
            if file.read().strip() == off:
                return f"user namespaces are switched off ({path} is {off})"
    if any(map(os.path.exists, _CONTAINERS)):
        return "this container forbids user namespaces"
    return "something forbids user namespaces or mounts, as containers do"
