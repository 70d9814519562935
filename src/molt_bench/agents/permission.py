"""Permission: which agents of a config may be made. Reading a stored run never runs anything.

The config of a run that is read from its folder may be a stranger's: a type such as `os:system`, a command or a URL in
it would be run, started or contacted by making the agent. So every agent of a stored run is made here, and anyone but a
built-in bot only by the user's permission; code and programs only in a box.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import OBJECT, kind_of, make_within
from molt_bench.agents.python_import import AgentFactory
from molt_bench.errors import NotPermitted
from molt_bench.plugin import Context
from molt_bench.specs import ParticipantSpec


class Permission(msgspec.Struct, frozen=True):
    """Which agents may be made, besides built-in bots and those of objects that the caller passes in.

    Attributes:
        own: Whether the config is the user's own, so that all of its agents may.
        granted: Participants of a stored run that the user permits, with the SHA-256 that their code must
            have; None where there is no code, as with a server.
    """

    own: bool = False
    granted: Mapping[str, str | None] = {}

    def code_of(self, spec: ParticipantSpec, factories: Mapping[str, AgentFactory] | None = None) -> str | None:
        """Decide whether an agent may be made: return the SHA-256 that its code must have; None for any.

        Raises NotPermitted if it may not. Everything that makes an agent of a run asks here.
        """
        kind = kind_of(spec.type, factories or ())
        if self.own or kind.built_in or kind.in_person or kind is OBJECT:
            return None
        if spec.id not in self.granted:
            raise NotPermitted(
                f"participant {spec.id!r} ({spec.type}) is not built in, and reading a run never runs anything"
            )
        return self.granted[spec.id]

    def allows(self, spec: ParticipantSpec, factories: Mapping[str, AgentFactory] | None = None) -> bool:
        """Return whether an agent may be made."""
        try:
            self.code_of(spec, factories)
        except NotPermitted:
            return False
        return True


#: The config is the user's own.
OWN: Final = Permission(own=True)
#: The config is that of a stored run.
BUILT_IN: Final = Permission()


def make_permitted(
    spec: ParticipantSpec,
    permission: Permission,
    *,
    factories: Mapping[str, AgentFactory] | None = None,
    action_timeout_s: float | None = None,
    folder: Path | None = None,
    models: Any = None,
    anew: bool = False,
) -> PokerAgent:
    """Make an agent as `make_within` does, if it may be made; raises NotPermitted if not."""
    code_sha256 = permission.code_of(spec, factories)
    within = Context(boxed=not permission.own, code_sha256=code_sha256, folder=folder, models=models, anew=anew)
    return make_within(within, spec, factories, action_timeout_s=action_timeout_s)
