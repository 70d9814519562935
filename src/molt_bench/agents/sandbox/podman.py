"""podman: whether it can run an image on this machine, and the command that starts a program in a container."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final

import msgspec

from molt_bench.agents.sandbox.bubblewrap import HOME, tried
from molt_bench.agents.sandbox.fixed_limits import DISK_BYTES, FILES, SHARED_MEMORY_BYTES, TASKS
from molt_bench.agents.sandbox.system_calls import profile_file
from molt_bench.agents.sandbox.visible_files import covered, special_files
from molt_bench.errors import ConfigError

_PATIENCE_S: Final = 60.0
#: Controllers that limit what all processes of a container use together.
_NEEDED: Final = frozenset({"memory", "pids"})
#: What has a meaning in its options.
_ODD: Final = frozenset(',:"\n\r')
_LIMITED: Final = ("--memory=64m", "--pids-limit=64")
#: How much a connection holds at most, in a container without the network of this machine: cgroup v1 does not count it.
_CONNECTIONS: Final = ("--sysctl=net.ipv4.tcp_rmem=4096 16384 65536", "--sysctl=net.ipv4.tcp_wmem=4096 16384 65536")


class Podman(msgspec.Struct, frozen=True):
    """podman on this machine.

    Attributes:
        program: Its path.
        version: Its version, such as `4.3.1`.
        image: The image that programs and libraries come from.
        digest: The SHA-256 of the image.
    """

    program: str
    version: str
    image: str
    digest: str

    @property
    def label(self) -> str:
        """What is recorded of it."""
        return f"podman {self.version}, image {self.image} ({self.digest[:12]})"

    def command(
        self,
        words: Sequence[str],
        shown: Sequence[str],
        variables: Iterable[str],
        *,
        name: str,
        network: bool,
        memory_bytes: int,
        cpu_seconds: int,
    ) -> list[str]:
        """Return the command that runs another in a new container, which shows some files of this machine, read-only.

        Args:
            words: The command.
            shown: Files and folders that the container shows besides those of its image.
            variables: Names of the variables of the environment that it gets.
            name: The name of the container.
            network: Whether it may use the network of this machine.
            memory_bytes: For all of its processes together.
            cpu_seconds: For each of them.
        """
        files = _options(shown)
        return [
            *(self.program, "run", "--rm", "--interactive", "--pull=never", f"--name={name}", "--log-driver=none"),
            *("--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--security-opt=mask=/sys"),
            *(f"--security-opt=seccomp={profile_file()}", f"--network={'host' if network else 'none'}"),
            *(() if network else _CONNECTIONS),
            *("--ipc=private", "--hostname=sandbox", "--workdir", HOME, "--entrypoint="),
            *(f"--memory={memory_bytes}", f"--memory-swap={memory_bytes}", f"--pids-limit={TASKS}"),
            *(f"--ulimit=cpu={cpu_seconds}:{cpu_seconds + 5}", "--ulimit=core=0:0", f"--ulimit=nofile={_files()}"),
            *(f"--ulimit=nproc={TASKS}:{TASKS}", f"--shm-size={SHARED_MEMORY_BYTES}", "--read-only-tmpfs=false"),
            *(f"--tmpfs={HOME}:rw,exec,nosuid,nodev,notmpcopyup,mode=1777,size={DISK_BYTES}",),
            *files,
            *(f"--env={variable}" for variable in variables),
            self.digest,
            *words,
        ]

    def remove(self, name: str) -> None:
        """Remove a container with all that is in it, if it is still there."""
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                [self.program, "rm", "--force", "--time=0", "--ignore", name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_PATIENCE_S,
                check=False,
            )


def _files() -> str:
    return f"{FILES}:{FILES}"


def _options(shown: Sequence[str]) -> list[str]:
    """Return what shows files, read-only, and covers the folders of runs and the pipes that lie in them."""
    special, runs = special_files(tuple(shown)), covered(shown)
    odd = next((path for path in (*shown, *special, *runs) if not _ODD.isdisjoint(path)), None)
    if odd is not None:
        raise ConfigError("command", odd, "paths without commas, colons, quotes and line breaks for podman")
    binds = {**{path: path for path in shown}, **dict.fromkeys(special, "/dev/null")}
    return [
        *(f"--mount=type=bind,source={source},target={path},readonly" for path, source in binds.items()),
        *(f"--tmpfs={path}:ro,notmpcopyup,size=4k,mode=0555" for path in runs),
    ]


@cache
def podman(image: str) -> Podman | str:
    """Return podman if it can run an image on this machine, or else what would do, for the end of a sentence."""
    if sys.platform == "win32":
        return "Linux or macOS, where what is in a container can be ended"
    program = shutil.which("podman")
    if program is None:
        return "a machine with podman (Debian: apt install podman)"
    status, said = tried([program, "version", "--format={{.Client.Version}}"])
    if status:
        return f"a podman that works here: {said}"
    missing = _NEEDED - _controllers(program)
    if missing:
        return f"a machine where podman can limit {' and '.join(sorted(missing))} (cgroup v2, or root)"
    status, digest = tried([program, "image", "inspect", "--format={{.Id}}", image])
    if status:
        return f"an image on this machine, as `podman images` lists them ({digest})"
    found = Podman(os.path.abspath(program), said, image, digest.removeprefix("sha256:"))
    probe = [program, "run", "--rm", "--pull=never", "--network=none", *_LIMITED, f"--ulimit=nofile={_files()}"]
    status, why = tried([*probe, f"--ulimit=nproc={TASKS}:{TASKS}", "--entrypoint=", found.digest, "/dev/null"])
    return found if only_not_executable(why) else f"a podman that works here: {why}"


def only_not_executable(said: str) -> bool:
    """Return whether a container was made, and only /dev/null could not be executed in it: as runc or crun says it.

    The status is 126 for that, as it is for a runtime that cannot make a container.

    >>> only_not_executable("Error: crun: open executable: Permission denied: OCI permission denied")
    True
    >>> only_not_executable("Error: crun: open `/sys/fs/cgroup/x`: Permission denied: OCI permission denied")
    False
    """
    return "permission denied" in said.lower() and ("/dev/null" in said or "open executable" in said)


def _controllers(program: str) -> frozenset[str]:
    status, said = tried([program, "info", "--format={{json .Host.CgroupControllers}}"])
    found: Any = None
    if not status:
        with suppress(msgspec.DecodeError):
            found = msgspec.json.decode(said)
    return frozenset(found) if isinstance(found, list) else frozenset()
