"""Suggestions for a type that names no agent: an agent in one of the user's files, or a program."""

import os
import shlex
import shutil
from typing import Final

from molt_bench.agents.python_import import file_meant

#: What runs a script, by the end of its name.
_INTERPRETERS: Final = {
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".rb": "ruby",
    ".sh": "sh",
    ".pl": "perl",
    ".lua": "lua",
    ".jar": "java -jar",
}


def meant_by(participant_type: str) -> str:
    """Return what to expect in place of a type that is a file or a command; "" if it looks like neither."""
    if participant_type.endswith(".py") and " " not in participant_type:
        return file_meant(participant_type)
    program = _program_meant(participant_type)
    return f"exec: before a program; did you mean {program!r}?" if program else ""


def _program_meant(text: str) -> str:
    """Return a type that starts a program, where a text names one."""
    try:
        first, *arguments = shlex.split(text)
    except ValueError:  # an open quote, or nothing at all
        return ""
    interpreter = _INTERPRETERS.get(os.path.splitext(first)[1])
    if interpreter and os.path.isfile(first) and not os.access(first, os.X_OK):
        return f"exec:{interpreter} {text}"
    by_path = "/" in first and (first.startswith((".", "/")) or os.path.isfile(first))
    on_path = bool(arguments) and (shutil.which(first) is not None or any(map(os.path.isfile, arguments)))
    if by_path or on_path:
        return f"exec:{text}"
    return f"exec:./{text}" if os.path.isfile(first) else ""
