"""Announced agents: what playing a stored run would run, start or contact, named before anybody permits it."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from molt_bench.agents.external.command import words_of
from molt_bench.agents.kinds import LLM, source_hash
from molt_bench.agents.permission import OWN, Permission
from molt_bench.agents.python_import import factory_file
from molt_bench.config.participants import ParticipantConfig
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import AgentError
from molt_bench.llm.providers import key_variables, redirection
from molt_bench.runs.header import source_hashes
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
    recorded = stored.header.source_hashes
    with stored.at_home(OWN):  # which only changes the folder that relative paths start in
        wanted = [each for each in stored.config.participants if each.id in participants]
        coded = [each for each in wanted if _has_code(each)]
        unknown = next((each.id for each in coded if each.id not in recorded), None)
        if unknown is not None:
            raise AgentError(f"the journal has no hash of the code of {unknown!r}, so it is not run")
        hashes = {each.id: recorded[each.id] for each in coded}
        changed = _changed_code(stored.config, hashes)
        if changed:
            name = changed[0]
            now = next(source_hash(each.spec().type, each.spec().params) for each in coded if each.id == name)
            raise AgentError(
                f"the code of {name!r} has been changed since the run began, so it is not run: its SHA-256 is {now}, "
                f"and {hashes[name]} is recorded"
            )
        return [Announcement(each.id, on_one_line(_told(each, hashes)), hashes.get(each.id)) for each in wanted]


def permission_of(announcements: Collection[Announcement]) -> Permission:
    """Return the permission that somebody gives to what was announced."""
    return Permission(granted={each.participant: each.code_sha256 for each in announcements})


def _told(participant: ParticipantConfig, hashes: dict[str, str]) -> str:
    """Say what a participant runs."""
    found: Any = participant
    told = f"{participant.id!r}, type {participant.type}: "
    if participant.kind.user_code:
        code = factory_file(participant.type)
        params = f" with params {json.dumps(participant.params, default=str)}" if participant.params else ""
        path = code.path if code is not None else "?"
        return (
            f"{told}runs {path}{params} in a sandbox{_network(participant)}; SHA-256 {hashes[participant.id]}, as "
            "recorded (not covered: what it imports)"
        )
    if participant.kind is LLM:
        redirected = redirection(found)
        where = found.base_url or (redirected[1] if redirected is not None else "its provider")
        document = f", and the file {os.path.realpath(found.skill_doc)}" if found.skill_doc else ""
        return f"{told}asks the model {found.model} at {where}; sends {_variables(key_variables(found))}{document}"
    if participant.id not in hashes:
        sent = [] if found.api_key_env is None else [found.api_key_env]
        return f"{told}posts to {found.url}; sends {_variables(sent)}"
    command = found.command if isinstance(found.command, str) else json.dumps(found.command)
    return (
        f"{told}starts {command} in a sandbox{_network(participant)}; SHA-256 of the files that it names "
        f"{hashes[participant.id]}, as recorded; it gets "
        f"{_variables(found.env)}"
    )


def _network(participant: ParticipantConfig) -> str:
    return " with network" if participant.network else ""


def _variables(names: Collection[str]) -> str:
    return f"the value of {', '.join(f'${name}' for name in names)}" if names else "no key"


def _changed_code(config: BenchmarkConfig, recorded: Mapping[str, str]) -> list[str]:
    """Return the participants whose code has another hash than recorded; raises AgentError if a file is missing."""
    now = source_hashes(config)
    changed = [each for each in config.participants if now.get(each.id) != recorded.get(each.id, now.get(each.id))]
    for participant in changed:
        missing = _missing(participant, hashed=participant.id in now)
        if missing is not None:
            # Not shortened: the user has to see where the file was expected.
            raise AgentError(f"participant {participant.id!r}: {missing} is not there")
    return [each.id for each in changed if each.id in now]


def _has_code(participant: ParticipantConfig) -> bool:
    """Return whether a participant is code on this machine, which has a hash: a Python agent or a program."""
    return participant.kind.user_code or hasattr(participant, "command")


def _missing(participant: ParticipantConfig, *, hashed: bool) -> str | None:
    """Return the missing file of a participant's code, if there is one; `hashed`: its code was found."""
    command = getattr(participant, "command", None)
    if command is not None:
        program, *arguments = words_of(command)
        words = [program] if "/" in program else []
        files = [word for word in arguments if "/" in word or PurePath(word).suffix[1:].isalpha()]
        words += [word for word in files if not word.startswith("-")]
        return next((word for word in words if not os.path.exists(word)), None)
    place, _, _ = participant.type.rpartition(":")
    if place.endswith(".py"):
        return None if os.path.isfile(place) else place
    return None if hashed else participant.type
