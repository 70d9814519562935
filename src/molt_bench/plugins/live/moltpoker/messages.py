"""The messages of moltpoker's WebSocket, in its two formats: the envelope, and the short one for agents. No I/O."""

import time
from typing import Any, Final, Literal, TypeAlias

import msgspec

from molt_bench.plugins.live.mailbox import HandOver, Turn
from molt_bench.poker.actions import MOST_CHIPS, LegalActions
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.observation import HandResult, Observation

#: Version of the protocol, and the least one that a client may speak.
PROTOCOL_VERSION: Final = "0.1"
#: What every opponent is called, and its id: no one is told who it plays.
_OPPONENT: Final = ("opponent", "agt_opponent")
Json: TypeAlias = dict[str, Any]

#: What the short format calls the fields of the other one.
_SHORT_NAMES: Final = {
    "handNumber": "hand",
    "communityCards": "board",
    "pots": "pot",
    "dealerSeat": "dealer",
    "currentSeat": "turn",
    "lastAction": "last",
    "legalActions": "actions",
    "minAmount": "min",
    "maxAmount": "max",
    "seatId": "seat",
    "agentName": "name",
    "holeCards": "cards",
    "winnings": "won",
    "seat_id": "seat",
    "action_timeout_ms": "timeout",
}
#: Fields that it leaves out.
_NOT_SHORT: Final = (
    *("tableId", "agentId", "isActive", "finalPots", "success"),
    *("protocol_version", "min_supported_protocol_version", "skill_doc_url"),
)
#: Fields that it leaves out when they are false.
_IF_TRUE: Final = ("folded", "allIn")


class Words(msgspec.Struct, frozen=True):
    """What one client is told.

    Attributes:
        timeout_ms: How long it may think about a decision.
        short: Whether it reads the format for agents.
    """

    table_id: str
    agent_id: str
    name: str
    skill_url: str
    timeout_ms: int
    short: bool

    def welcome(self, seat: int) -> str:
        """Tell the client its seat."""
        payload = {
            "protocol_version": PROTOCOL_VERSION,
            "min_supported_protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": self.skill_url,
            "seat_id": seat,
            "agent_id": self.agent_id,
            "action_timeout_ms": self.timeout_ms,
        }
        return self._said("welcome", payload)

    def status(self, status: Literal["waiting", "running"]) -> str:
        """Say whether games have begun; it is also the heartbeat."""
        return self._said("table_status", {"status": status})

    def ended(self, reason: str) -> str:
        """Say the last word of all."""
        return self._said("table_status", {"status": "ended", "reason": reason})

    def error(self, code: str, message: str) -> str:
        """Say that something was not taken, and why."""
        return self._said("error", {"code": code, "message": message})

    def ack(self, token: str, seq: int) -> str:
        """Say that an action was taken."""
        return self._said("ack", {"turn_token": token, "seq": seq, "success": True}, seq)

    def pong(self, timestamp: float) -> str:
        """Answer a ping; the answer always has the envelope format."""
        return self._envelope("pong", {"timestamp": timestamp})

    def state(self, turn: Turn) -> str:
        """Show an open decision. `pots` hold finished streets only: what was bet on this one is in `bet`."""
        seen = turn.observation
        own, other = seen.bets[seen.seat], seen.bets[1 - seen.seat]
        earlier = seen.pot - own - min(other, own + seen.stack)  # antes and earlier streets
        last = seen.log[-1] if seen.log else None
        amount = {"amount": last.amount} if last is not None and last.kind == "raiseTo" else {}
        payload = {
            "tableId": self.table_id,
            "handNumber": turn.hand,
            "phase": seen.street,
            "communityCards": _cards(seen.board),
            "pots": [{"amount": earlier, "eligibleSeats": [0, 1]}],
            "players": [self._player(seen, seat) for seat in (0, 1)],
            "dealerSeat": seen.button,
            "currentSeat": seen.seat,
            "lastAction": None if last is None else {"seatId": last.seat, "kind": last.kind, **amount},
            "legalActions": _legal(seen.legal),
            "seq": turn.seq,
            "turn_token": turn.token,
            **({"toCall": seen.to_call} if seen.to_call else {}),
        }
        return self._said("game_state", payload, turn.seq)

    def hand_complete(self, over: HandOver) -> str:
        """Tell how a hand ended. No one sees cards that were folded; winnings are what a seat takes from the pot."""
        result = over.result
        staked = _staked(result)
        results = [
            {
                "seatId": seat,
                "agentId": self.agent_id if seat == result.seat else _OPPONENT[1],
                "holeCards": _cards(result.cards if seat == result.seat else result.opponent_cards or ()),
                "winnings": result.net[seat] + staked,
            }
            for seat in (0, 1)
        ]
        payload = {
            "handNumber": over.hand,
            "results": results,
            "finalPots": [{"amount": 2 * staked, "eligibleSeats": [0, 1]}],
            "communityCards": _cards(result.board),
            "showdown": result.opponent_cards is not None,
        }
        return self._said("hand_complete", payload, over.seq)

    def _player(self, seen: Observation, seat: int) -> Json:
        own = seat == seen.seat
        name, agent_id = (self.name, self.agent_id) if own else _OPPONENT
        return {
            "seatId": seat,
            "agentId": agent_id,
            "agentName": name,
            "stack": seen.stacks[seat],
            "bet": seen.bets[seat],
            "folded": False,
            "allIn": seen.stacks[seat] == 0,
            "isActive": True,
            "holeCards": _cards(seen.cards) if own else None,
        }

    def _said(self, kind: str, payload: Json, seq: int | None = None) -> str:
        if self.short:
            return msgspec.json.encode({"type": kind, **_shortened(payload)}).decode()
        return self._envelope(kind, payload, seq)

    def _envelope(self, kind: str, payload: Json, seq: int | None = None) -> str:
        now_ms = time.time_ns() // 1_000_000
        envelope: Json = {"type": kind, "table_id": self.table_id, "ts": now_ms, "payload": payload}
        if seq is not None:
            envelope["seq"] = seq
        return msgspec.json.encode(envelope).decode()


def _shortened(value: Any) -> Any:
    """Return what the short format has in place of a part of a payload."""
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "rank" in value:  # a card
        return value["rank"] + value["suit"]
    if "eligibleSeats" in value:  # a pot
        return value["amount"]
    found = {
        _SHORT_NAMES.get(name, name): _shortened(each)
        for name, each in value.items()
        if name not in _NOT_SHORT and each is not None and not (each is False and name in _IF_TRUE)
    }
    return {**found, "pot": found["pot"][0]} if "pot" in found else found


def _cards(cards: tuple[int, ...]) -> list[Json]:
    return [{"rank": text[0], "suit": text[1]} for text in (CARD_TEXT[card] for card in cards)]


def _legal(legal: LegalActions) -> list[Json]:
    ranges = {"call": (legal.to_call, legal.to_call), "raiseTo": (legal.min_raise_to, legal.max_raise_to)}
    names = ("minAmount", "maxAmount")
    return [{"kind": kind, **dict(zip(names, ranges.get(kind, ()), strict=False))} for kind in legal.kinds]


def _staked(result: HandResult) -> int:
    """Return the chips that each seat had in the pot, without what was not called."""
    if result.net[0]:
        return abs(result.net[0])
    bets = {(each.seat, each.street): each.amount for each in result.log}
    return max(sum(amount for (seat, _), amount in bets.items() if seat == own) for own in (0, 1))


def read(text: bytes) -> Json | str:
    """Return a client's ping or action, whose form is checked; or what is wrong with a message that is neither.

    Fields that are not known are ignored, `expected_seq` too: the token says which decision is meant. An amount beside
    another kind than raiseTo is ignored, and 300.0 is a whole number, as in JavaScript.
    """
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return "Invalid JSON"
    match found:
        case {"type": "ping", "payload": {"timestamp": timestamp}} if _is_number(timestamp):
            return {"timestamp": timestamp}
        case {"type": "action", "action": {"turn_token": str()} as action}:
            amount = action.pop("amount", None)
            if action.get("kind") == "raiseTo":
                action["amount"] = int(amount) if isinstance(amount, float) and amount.is_integer() else amount
            return dict(action)
    return "Invalid message format"


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= MOST_CHIPS  # type: ignore[arg-type]
