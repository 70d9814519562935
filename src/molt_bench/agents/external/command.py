"""The command of a program that plays: its words, the files that it names, and their hash."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from hashlib import file_digest, sha256
from itertools import pairwise
from pathlib import Path

from molt_bench.errors import ConfigError


def words_of(command: str | Sequence[str]) -> list[str]:
    """Return the words of a command, split as in a shell; raises ConfigError if there are none, or a quote is open."""
    if not isinstance(command, str):
        words = list(command)
    else:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ConfigError("command", command, f"words as in a shell ({str(error).lower()})") from error
    if not words or not words[0] or any("\0" in word for word in words):
        raise ConfigError("command", command, "a program, such as ./bot")
    if sys.platform == "win32":  # where a program cannot be ended with all that it has started
        raise ConfigError("command", command, "Linux or macOS, where programs play; on Windows, a server does (http:)")
    return words


def resolved(command: str | Sequence[str]) -> tuple[str, ...]:
    """Return a command that works in any folder: its program and the files it names become absolute paths.

    A word names a folder only if it has a slash in it: a plain word is as likely to be something else. Raises
    ConfigError if the program does not exist, or is not executable.
    """
    program, *arguments = words_of(command)
    if program in ("python", "python3") and " ".join(arguments).startswith("-m molt_bench."):
        program = sys.executable  # whichever Python is first on the PATH may not have it
    for at, word in enumerate(arguments):
        if os.path.isfile(file_of(word)) or ("/" in word and os.path.isdir(word)):
            arguments[at] = os.path.abspath(word)
    return _program(program), *arguments


def file_of(word: str) -> str:
    """Return the file that a word may name, which is `bot.py` in `bot.py:Bot`."""
    file, colon, _ = word.rpartition(":")
    return file if colon and file.endswith(".py") else word


def _program(word: str) -> str:
    if "/" not in word:
        found = shutil.which(word)
        if found is not None:
            return os.path.abspath(found)
        hint = f"; did you mean './{word}'?" if os.path.isfile(word) else ""
        raise ConfigError("command", word, f"a program on the PATH{hint}")
    path = os.path.abspath(word)
    if not os.path.isfile(path):
        raise ConfigError("command", word, "a program that is there")
    if not os.access(path, os.X_OK):
        raise ConfigError(
            "command", word, "a program that may be executed: chmod +x would do, or its interpreter first"
        )
    return path


def command_hash(command: str | Sequence[str]) -> str | None:
    """Return the SHA-256 of the files that a command names; None if they cannot be read.

    A program found on the PATH does not count if the command names other files: then it is an interpreter.
    """
    try:
        words = words_of(command)
        program, *arguments = resolved(command)
        files = [file for file in map(file_of, arguments) if os.path.isabs(file) and os.path.isfile(file)]
        if "/" in words[0] or not files:
            files.insert(0, program)
        contents = [_digest(file) for file in files]
    except (OSError, ConfigError):
        return None
    return sha256(b"".join(contents)).hexdigest()


def _digest(path: str) -> bytes:
    with open(path, "rb") as file:
        return file_digest(file, "sha256").digest()


def label_of(command: str) -> str:
    """Return a short name for a command: the name of its script, or else of its module or its program."""
    try:
        words = words_of(command)
    except ConfigError:
        return command
    modules = [after for word, after in pairwise(words) if word == "-m"]
    files = [file_of(word) for word in words if not word.startswith("-") and word not in modules]
    scripts = [file for file in files if Path(file).suffix[1:].isalpha()]
    if modules and not scripts:
        return modules[0].rpartition(".")[2]
    return Path(scripts[0] if scripts else words[0]).stem or command
