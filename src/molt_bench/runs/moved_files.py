"""The files that a run refers to, located from another folder or on another machine."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final

from molt_bench.agents.external.command import words_of
from molt_bench.config.participants import ParticipantConfig
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import AgentError
from molt_bench.runs.header import source_hashes

_HINT: Final = "--root DIR names the folder where the files of the run are now"


def moved_config(plain: Mapping[str, Any], started: str, root: Path) -> dict[str, Any]:
    """Return the config of a run `started` in one folder, with its absolute paths leading below the folder `root`."""

    def moved(path: str) -> str:
        return moved_path(path, started, root)

    seeds = dict(plain["seeds"])
    if seeds.get("file"):
        seeds["file"] = moved(seeds["file"])
    participants = []
    for each in plain["participants"]:
        participant = dict(each)
        place, colon, name = participant["type"].rpartition(":")
        if "command" in participant:
            program, *arguments = words_of(participant["command"])
            participant["command"] = [moved(program), *(_moved_argument(word, started, root) for word in arguments)]
        elif colon and place.endswith(".py"):
            participant["type"] = f"{moved(place)}:{name}"
        if participant.get("skillDoc"):
            participant["skillDoc"] = moved(participant["skillDoc"])
        participants.append(participant)
    return {**plain, "seeds": seeds, "participants": participants}


def moved_path(path: str, started: str, root: Path) -> str:
    """Return where a file is now.

    A file below the folder in which the run was started is expected at the same place below the root. Any other file
    stays where it is; if it is gone, it is expected in the root under its name. A relative path stays as it is.
    """
    if not os.path.isabs(path):
        return path
    try:
        there = root / PurePath(os.path.normpath(path)).relative_to(os.path.normpath(started))
    except ValueError:
        return path if os.path.exists(path) else str(root / PurePath(path).name)
    return path if os.path.exists(path) and not there.exists() else str(there)


def _moved_argument(word: str, started: str, root: Path) -> str:
    """Return a word of a command, with its path (if any) as it is now; `--model=/there/w.bin` contains one, too."""
    option, equals, value = word.partition("=")
    before, path = (f"{option}=", value) if equals and option.startswith("-") else ("", word)
    moved = moved_path(path, started, root)
    return f"{before}{moved}" if os.path.exists(moved) else word


def changed_code(config: BenchmarkConfig, recorded: Mapping[str, str]) -> list[str]:
    """Return the participants whose code has another hash than recorded; raises AgentError if a file is missing."""
    now = source_hashes(config)
    changed = [each for each in config.participants if now.get(each.id) != recorded.get(each.id, now.get(each.id))]
    for participant in changed:
        missing = _missing(participant, hashed=participant.id in now)
        if missing is not None:
            # Not shortened: the user has to see where the file was expected.
            raise AgentError(f"participant {participant.id!r}: {missing} is not there: {_HINT}")
    return [each.id for each in changed if each.id in now]


def has_code(participant: ParticipantConfig) -> bool:
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
