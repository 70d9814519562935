"""Invitations: made for live participants, and kept in a file until the run ends, so that resuming keeps their URLs."""

import os
import secrets
from contextlib import suppress
from hashlib import sha256
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
    slots: int = msgspec.field(name="places", default=1)
    key: str = msgspec.field(default_factory=lambda: secrets.token_hex(TOKEN_BYTES))


class Invitations(msgspec.Struct, frozen=True, rename="camel"):
    """The invitations of a run.

    Attributes:
        session: How often the server was started for them.
        invited: One for each live agent, or for each copy of it.
        config: Hash of the config that they are for.
    """

    host: str
    port: int
    session: int = msgspec.field(name="sitting")
    invited: tuple[Invited, ...]
    config: str = ""


def new_invitations(config: BenchmarkConfig, host: str, port: int) -> Invitations:
    """Return an invitation for every live participant of a config."""
    found: list[Invited] = []
    for each in config.participants:
        if each.kind.comes:
            slots = getattr(each, "max_concurrent", 1)
            found.append(invited(each.id, slots))
    return Invitations(host, port, 0, tuple(found), _hash_of(config))


def invited(participant: str, slots: int) -> Invited:
    """Return a new invitation for a participant."""
    return Invited(participant, secrets.token_hex(TOKEN_BYTES), slots)


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


def left_waiting(config: BenchmarkConfig) -> Path | None:
    """Return the newest folder of this config in which nothing was played, since its server was killed as it waited."""
    for path in sorted(Path(config.output_dir).glob(f"*/{FILE}"), reverse=True):
        with suppress(OSError, JournalError):
            found = None if path.with_name("journal.jsonl").stat().st_size else load(path.parent)
            if found is not None and found.config == _hash_of(config):
                return path.parent
    return None


def forget(folder: Path) -> None:
    """Remove the file once the run has ended: the URLs lead nowhere."""
    (folder / FILE).unlink(missing_ok=True)


def _hash_of(config: BenchmarkConfig) -> str:
    return sha256(msgspec.json.encode(config.plain())).hexdigest()
