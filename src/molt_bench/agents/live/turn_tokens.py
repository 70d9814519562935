"""The tokens by which decisions and games are named: the same after a restart, and impossible to guess."""

import hmac
from hashlib import sha256

import msgspec

from molt_bench.specs import GameLabel


def turn_token(secret: bytes, game: GameLabel, hand: int, decision: int) -> str:
    """Return the token of a decision."""
    named = msgspec.json.encode((game, hand, decision))
    return hmac.digest(secret, b"turn" + named, "sha256").hex()[:32]


def game_id(secret: bytes, game: GameLabel) -> str:
    """Return a name for a game that tells nothing about it."""
    return hmac.digest(secret, b"game" + msgspec.json.encode(game), "sha256").hex()[:16]


def digest(token: str) -> bytes:
    """Return the hash of a token: looking that up tells nothing about the token by the time it takes."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
