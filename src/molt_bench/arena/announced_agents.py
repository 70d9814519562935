"""Announced agents: what playing a stored run would run, start or contact, named before the user permits it."""

from collections.abc import Collection, Mapping

import msgspec

from molt_bench.agents.permission import OWN, Permission
from molt_bench.config.participants import ParticipantConfig
from molt_bench.errors import AgentError
from molt_bench.llm.settings import LLMSettings
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line


class Announcement(msgspec.Struct, frozen=True):
    """What would be done for one participant.

    Attributes:
        participant: Its id.
        text: What would be run, started or contacted, on one line that controls no terminal.
        code_sha256: The SHA-256 of its code, which is the recorded one; None where there is no code.
    """

    participant: str
    text: str
    code_sha256: str | None


def outsiders(stored: Run) -> list[str]:
    """Return the participants that are made only by permission; those that come by themselves are not made at all."""
    return [each.id for each in stored.config.participants if each.kind.foreign]


def announced(stored: Run, participants: Collection[str]) -> list[Announcement]:
    """Say what would be run for some participants of a run; nothing is.

    Raises AgentError if the code of one is missing, is not the one that is recorded, or no hash of it is recorded: such
    code is never run.
    """
    recorded, hashes = stored.header.known("code"), dict[str, str]()
    with stored.at_home(OWN):  # which only changes the folder that relative paths start in
        wanted = [each for each in stored.config.participants if each.id in participants]
        for each in wanted:
            if not each.kind.code:
                continue
            if each.id not in recorded:
                raise AgentError(f"the journal has no hash of the code of {each.id!r}, so it is not run")
            now = each.kind.fingerprint(each.spec())
            if now is None:
                # Not shortened: the user has to see where the file was expected.
                told = each.kind.announced(each.spec(), each.settings())
                raise AgentError(f"participant {each.id!r}: its code is not there; it {told}")
            if now != recorded[each.id]:
                raise AgentError(
                    f"the code of {each.id!r} has been changed since the run began, so it is not run: its SHA-256 is "
                    f"{now}, and {recorded[each.id]} is recorded"
                )
            hashes[each.id] = now
        skills = stored.replies().skills
        return [Announcement(each.id, on_one_line(_told(each, hashes, skills)), hashes.get(each.id)) for each in wanted]


def permission_of(announcements: Collection[Announcement]) -> Permission:
    """Return the permission for what was announced."""
    return Permission(granted={each.participant: each.code_sha256 for each in announcements})


def _told(participant: ParticipantConfig, hashes: Mapping[str, str], skills: Collection[str]) -> str:
    """Say what a participant runs, starts or contacts; of a model whose system prompt is on record, no file is read."""
    settings = participant.settings()
    if isinstance(settings, LLMSettings) and participant.id in skills:
        settings = settings.model_copy(update={"skill_doc": None})
    told = participant.kind.announced(participant.spec(), settings)
    recorded = hashes.get(participant.id)
    hashed = f"; SHA-256 {recorded}, as recorded (not covered: what it loads)"
    kind = participant.kind.name or participant.type
    return f"{participant.id!r}, type {kind}: {told}{'' if recorded is None else hashed}"
