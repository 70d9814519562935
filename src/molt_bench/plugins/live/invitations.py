"""Invitations: made for live participants, and kept in a file until the run ends, so that resuming keeps their URLs."""

import os
import secrets
from pathlib import Path
from typing import Final

import msgspec

from molt_bench import BenchmarkConfig
from molt_bench.errors import JournalError, MoltBenchError

FILE: Final = "invitations.json"
#: Bytes of an invitation's token: 128 bits.
TOKEN_BYTES: Final = 16


class Invited(msgspec.Struct, frozen=True, rename="camel"):
    """An invitation as the file of invitations has it.

    Attributes:
        participant: Whom it is for.
        token: The secret in its URL.
        slots: Games it plays at once.
        key: What else is secret is derived from this. The agent never sees it: who knew it could try seeds until one
            gives the tokens that it was sent.
    """

    participant: str
    token: str
    slots: int = 1
    key: str = msgspec.field(default_factory=lambda: secrets.token_hex(TOKEN_BYTES))


class Invitations(msgspec.Struct, frozen=True, rename="camel"):
    """The invitations of a run, one for each live agent, and the address that their URLs name."""

    host: str
    port: int
    invited: tuple[Invited, ...]


def new_invitations(config: BenchmarkConfig) -> tuple[Invited, ...]:
    """Return an invitation for every live participant of a config."""
    return tuple(
        Invited(each.id, secrets.token_hex(TOKEN_BYTES), getattr(each, "max_concurrent", 1))
        for each in config.participants
        if each.kind.comes
    )


def save(invitations: Invitations, folder: Path) -> None:
    """Write the file, which only the user can read; raises MoltBenchError if it cannot be written."""
    path, part = folder / FILE, folder / f".{FILE}.part"
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(msgspec.json.format(msgspec.json.encode(invitations)) + b"\n")
        part.replace(path)
    except OSError as error:
        raise MoltBenchError(f"{path} cannot be written: {error.strerror}") from error


def load(folder: Path) -> Invitations | None:
    """Read the invitations of a run; None if there are none, since it has ended or none were sent."""
    path = folder / FILE
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Invitations)
        for each in found.invited:
            bytes.fromhex(each.token + each.key)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise JournalError(f"{path} cannot be read: {error}") from error
    return found


def forget(folder: Path) -> None:
    """Remove the file once the run has ended: the URLs lead nowhere."""
    (folder / FILE).unlink(missing_ok=True)
