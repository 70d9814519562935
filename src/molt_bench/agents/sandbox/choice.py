"""Which box a participant plays in: one place that decides, by its settings and by what this machine can do."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from molt_bench.agents.external.program_settings import ProgramSettings
from molt_bench.agents.sandbox import cgroup_limits
from molt_bench.agents.sandbox.bubblewrap import Bubblewrap, bubblewrap
from molt_bench.agents.sandbox.system_calls import seccomp_filter
from molt_bench.errors import ConfigError

#: A box where that is possible, one in any case, or none.
AUTO: Final = "auto"
REQUIRED: Final = "bwrap"
OFF: Final = "off"


class Box(msgspec.Struct, frozen=True):
    """The box of a participant, of which every game gets a new one.

    Attributes:
        made_by: What makes it.
        network: Whether it has the network of this machine.
    """

    made_by: Bubblewrap
    network: bool = False

    @property
    def label(self) -> str:
        """What is recorded of it."""
        limits = "rlimit" if cgroup_limits.place() is None else "cgroup"
        return ", ".join([self.made_by.label, f"limits by {limits}", *(["with network"] if self.network else [])])

    @contextmanager
    def open_filter(self) -> Iterator[int | None]:
        """Open a descriptor that the seccomp filter is read from; None if it is not needed."""
        code = seccomp_filter()
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
        """Return the command that runs another in a new box; see `Bubblewrap`."""
        return self.made_by.command(words, shown, network=self.network, filter_fd=filter_fd)


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
        if self.box is None:
            return ""
        places = ", ".join(["the system's programs", *self.shown])
        network = "the network" if self.box.network else "no network"
        everything = "--no-sandbox lets it see everything"
        return f"it plays in a sandbox, which shows {places} and {network} ({everything})"


def box_of(setting: str | None, *, network: bool) -> Box | None:
    """Return the box that a setting asks for; None for none, or if `auto` cannot have one here.

    Raises ConfigError if a box is asked for and this machine has none.
    """
    if setting in (None, OFF):
        return None
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
