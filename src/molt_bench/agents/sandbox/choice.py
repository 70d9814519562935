"""Which box a participant plays in: one place that decides, by its settings and by what this machine can do."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from molt_bench.agents.external.other_user import OtherUser, user_of
from molt_bench.agents.external.program_settings import ProgramSettings
from molt_bench.agents.sandbox import cgroup_limits
from molt_bench.agents.sandbox.bubblewrap import HOME, Bubblewrap, bubblewrap
from molt_bench.agents.sandbox.podman import Podman, podman
from molt_bench.agents.sandbox.system_calls import filter_file, seccomp_filter
from molt_bench.errors import ConfigError

AUTO: Final = "auto"
OFF: Final = "off"
#: Where another user reads the filter from: `sudo` passes on no other descriptors than the first three.
_FILTER_FD: Final = 9


class Box(msgspec.Struct, frozen=True):
    """The box of a participant, of which every game gets a new one.

    Attributes:
        made_by: What makes it; None if the program only has the rights of another user.
        user: The user that it runs as; None for ours.
        network: Whether it has the network of this machine.
    """

    made_by: Bubblewrap | Podman | None
    user: OtherUser | None = None
    network: bool = False

    @property
    def label(self) -> str:
        """What is recorded of it."""
        as_user = f"user {self.user.name}" if self.user is not None else ""
        if self.made_by is None:
            return as_user
        has_groups = isinstance(self.made_by, Podman) or (self.ends_by_itself and cgroup_limits.place() is not None)
        limits = "cgroup" if has_groups else "rlimit"
        parts = [self.made_by.label, as_user and f"as {as_user}", f"limits by {limits}"]
        return ", ".join(filter(None, [*parts, "with network" if self.network else ""]))

    @property
    def is_closed(self) -> bool:
        """Whether it has its own files, processes and limits; another user alone has only other rights."""
        return self.made_by is not None

    @property
    def ends_by_itself(self) -> bool:
        """Whether we may end it, and all that is in it ends with it."""
        return isinstance(self.made_by, Bubblewrap) and self.user is None

    @property
    def image(self) -> str | None:
        """The image that its programs and libraries come from; None for those of this machine."""
        return self.made_by.image if isinstance(self.made_by, Podman) else None

    @property
    def home(self) -> str | None:
        """Where a program starts in it; None: where it would start without."""
        return HOME if self.is_closed else None

    @contextmanager
    def open_filter(self) -> Iterator[int | None]:
        """Open a descriptor that the seccomp filter is read from; None if it is not needed."""
        code = seccomp_filter() if self.ends_by_itself else b""
        if not code:
            yield None
            return
        reading, writing = os.pipe()
        try:
            os.write(writing, code)
            os.close(writing)
            yield reading
        finally:
            os.close(reading)

    def command(self, words: Sequence[str], shown: Sequence[str], filter_fd: int | None = None) -> list[str]:
        """Return the command that runs another in a new box of bubblewrap, or as another user; see `Bubblewrap`."""
        if not isinstance(self.made_by, Bubblewrap):
            return [*(() if self.user is None else self.user.helper), *words]
        if self.user is None:
            return self.made_by.command(words, shown, network=self.network, filter_fd=filter_fd)
        path = filter_file()
        boxed = self.made_by.command(words, shown, network=self.network, filter_fd=_FILTER_FD if path else None)
        opened = ["/bin/sh", "-c", f'exec {_FILTER_FD}<"$0"; exec "$@"', path] if path else []
        return [*self.user.helper, *opened, *boxed]


class Boxed(msgspec.Struct, frozen=True):
    """A command, the box that it runs in, and what it gets there.

    Attributes:
        words: The command as it is in the box.
        settings: Its limits.
        box: The box; None for none.
        shown: Files and folders that the box shows besides the system's.
        environment: Variables that are passed on to it.
    """

    words: tuple[str, ...]
    settings: ProgramSettings
    box: Box | None = None
    shown: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}

    @property
    def inside(self) -> str:
        """What a program finds in its box, and how to let it see more; "" without a box."""
        if self.box is None or not self.box.is_closed:
            return ""
        programs = "the system's programs" if self.box.image is None else f"the programs of {self.box.image}"
        places = ", ".join([programs, *self.shown])
        network = "the network" if self.box.network else "no network"
        everything = "--no-sandbox lets it see everything"
        return f"it plays in a sandbox, which shows {places} and {network} ({everything})"


def box_of(setting: str | Mapping[str, Any] | None, *, network: bool, command: Sequence[str] = ()) -> Box | None:
    """Return the box that a setting asks for; None for none, or if `auto` cannot have one here.

    A `command` that runs its program as another user, such as `sudo -u guest ./bot`, has its box already. Raises
    ConfigError if a box is asked for and this machine has none.
    """
    if setting in (None, OFF):
        return None
    if isinstance(setting, Mapping):
        return _of_kind(setting, network=network)
    if command and setting == AUTO and (user := user_of(command)) is not None:
        return Box(None, OtherUser(user.name))
    found = bubblewrap()
    if isinstance(found, Bubblewrap):
        return Box(found, network=network)
    if setting == AUTO:
        return None
    raise ConfigError("sandbox", setting, f"a machine that can make one: {found}")


def _of_kind(setting: Mapping[str, Any], *, network: bool) -> Box:
    """Return a box of podman, or of another user: with bubblewrap, where that works for the user."""
    if setting["kind"] == "podman":
        container = podman(setting["image"])
        if isinstance(container, str):
            raise ConfigError("sandbox.image", setting["image"], container)
        return Box(container, network=network)
    user = _as_user(setting["name"])
    found = bubblewrap(user.helper)
    return Box(found if isinstance(found, Bubblewrap) else None, user, network=network)


def obstacle() -> str:
    """Return why there are no boxes on this machine, for the end of a sentence; "" if there are."""
    found = bubblewrap()
    return found if isinstance(found, str) else ""


def open_to_others(box: Box | None) -> str:
    """Return why a box is only another user, for the end of a sentence; "" for any other box."""
    if box is None or box.is_closed or box.user is None or not box.user.helper:
        return ""
    found = bubblewrap(box.user.helper)
    return found if isinstance(found, str) else ""


def _as_user(name: str) -> OtherUser:
    """Return another user, with the command that runs programs as that; raises ConfigError if there is none."""
    if OtherUser(name).uid is None:
        raise ConfigError("sandbox.name", name, "a user of this machine")
    switch = "runuser" if os.geteuid() == 0 else "sudo"
    program = shutil.which(switch)
    if program is None:
        raise ConfigError("sandbox.name", name, f"a machine with {switch}")
    return OtherUser(name, (program, *(("-n",) if switch == "sudo" else ()), "-u", name, "--"))
