"""Which box a participant plays in: one place that decides, by its settings and by what this machine can do."""

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from molt_bench.agents.external.other_user import OtherUser, user_of
from molt_bench.agents.sandbox.bubblewrap import HOME, Bubblewrap, bubblewrap
from molt_bench.agents.sandbox.system_calls import seccomp_filter
from molt_bench.errors import ConfigError

AUTO: Final = "auto"
OFF: Final = "off"


class Box(msgspec.Struct, frozen=True):
    """The box of a participant, of which every game gets a new one.

    Attributes:
        made_by: What makes it.
        network: Whether it has the network of this machine.
    """

    made_by: Bubblewrap | OtherUser
    network: bool = False

    @property
    def label(self) -> str:
        """What is recorded of it."""
        if isinstance(self.made_by, OtherUser):
            return f"user {self.made_by.name}"
        return f"bubblewrap {self.made_by.version}{', with network' if self.network else ''}"

    @property
    def is_closed(self) -> bool:
        """Whether it has its own files, processes and limits; another user has only other rights."""
        return not isinstance(self.made_by, OtherUser)

    @property
    def home(self) -> str | None:
        """Where a program starts in it; None: where it would start without."""
        return HOME if self.is_closed else None

    @property
    def filter(self) -> bytes:
        """The seccomp filter that it is to be given."""
        return seccomp_filter() if self.is_closed else b""

    def command(self, words: Sequence[str], shown: Sequence[str], filter_fd: int | None) -> list[str]:
        """Return the command that runs another in a new box; see `Bubblewrap.command`."""
        if isinstance(self.made_by, OtherUser):
            return [*self.made_by.helper, *words]
        return self.made_by.command(words, shown, network=self.network, filter_fd=filter_fd)


class Boxed(msgspec.Struct, frozen=True):
    """A command, and the box that it runs in.

    Attributes:
        words: The command as it is in the box.
        box: The box; None for none.
        shown: Files and folders that the box shows besides the system's.
    """

    words: tuple[str, ...]
    box: Box | None = None
    shown: tuple[str, ...] = ()

    @property
    def inside(self) -> str:
        """What a program finds in its box, and how to let it see more; "" without a box."""
        if self.box is None or not self.box.is_closed:
            return ""
        places = ", ".join(["the system's programs", *self.shown])
        network = "the network" if self.box.network else "no network"
        return f"it plays in a sandbox, which shows {places} and {network} (--no-sandbox lets it see everything)"


def box_of(setting: str | Mapping[str, Any] | None, *, network: bool, command: Sequence[str] = ()) -> Box | None:
    """Return the box that a setting asks for; None for none, or if `auto` cannot have one here.

    A `command` that runs its program as another user, such as `sudo -u guest ./bot`, has its box already. Raises
    ConfigError if a box is asked for and this machine has none.
    """
    if setting in (None, OFF):
        return None
    if isinstance(setting, Mapping):
        return Box(_as_user(setting["name"]))
    if command and setting == AUTO and (user := user_of(command)) is not None:
        return Box(OtherUser(user.name))
    found = bubblewrap()
    if isinstance(found, Bubblewrap):
        return Box(found, network=network)
    if setting == AUTO:
        return None
    raise ConfigError("sandbox", setting, f"a machine that can make one: {found}")


def obstacle() -> str:
    """Return why there are no boxes on this machine, for the end of a sentence; "" if there are."""
    found = bubblewrap()
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
