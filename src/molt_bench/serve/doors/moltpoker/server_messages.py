"""The messages to clients of moltpoker's WebSocket, as payloads of its envelope format. Pure: no I/O."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

import msgspec

from molt_bench.agents.live.mailbox_events import HandOver, PendingDecision
from molt_bench.poker.actions import OPEN_CARDS, STREETS, LegalActions, LoggedAction, Street
from molt_bench.poker.betting import opening
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.evaluator import category, strength
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult

#: Version of the protocol, and the least one that a client may speak.
PROTOCOL_VERSION: Final = "0.1"
#: What an opponent is called: nobody is told whom it plays.
OPPONENT: Final = "opponent"
Payload: TypeAlias = dict[str, Any]


class Message(msgspec.Struct, frozen=True):
    """A message to a client: its type, its payload in the envelope format, and its place in the order of events."""

    type: str
    payload: Payload
    seq: int | None = None


class Client(msgspec.Struct, frozen=True):
    """Who a client is.

    Attributes:
        opponent_id: The id that all of its opponents have.
        timeout_ms: How long it may think about a decision.
    """

    table_id: str
    agent_id: str
    name: str
    opponent_id: str
    skill_url: str
    timeout_ms: int


def welcome(client: Client, seat: int) -> Message:
    """Return the message that tells a client its seat."""
    return Message(
        "welcome",
        {
            "protocol_version": PROTOCOL_VERSION,
            "min_supported_protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": client.skill_url,
            "seat_id": seat,
            "agent_id": client.agent_id,
            "action_timeout_ms": client.timeout_ms,
        },
    )


def table_status(client: Client, status: Literal["waiting", "running"], seat: int) -> Message:
    """Return the message that says whether games have begun; it is also the heartbeat."""
    return Message(
        "table_status",
        {
            "status": status,
            "seat_id": seat,
            "agent_id": client.agent_id,
            "min_players_to_start": 2,
            "current_players": 1 if status == "waiting" else 2,
        },
    )


def table_ended(reason: str) -> Message:
    """Return the last message of all."""
    return Message("table_status", {"status": "ended", "reason": reason})


def game_state(client: Client, turn: PendingDecision) -> Message:
    """Return an open decision. `pots` hold finished streets only: what was bet on this one is in `bet`."""
    seen = turn.observation
    payload = state_payload(client, turn, phase=seen.street, board=seen.board, last=seen.log[-1] if seen.log else None)
    payload |= {"currentSeat": seen.seat, "legalActions": _legal(seen.legal), "turn_token": turn.token}
    if seen.max_raise_to:
        payload["minRaise"] = seen.min_raise_to - max(seen.bets)
    if seen.to_call:
        payload["toCall"] = seen.to_call
    return Message("game_state", payload, turn.seq)


def state_payload(
    client: Client, turn: PendingDecision, *, phase: Street, board: tuple[int, ...], last: LoggedAction | None
) -> Payload:
    """Return the chips of a decision in a state in which nobody is to act."""
    seen = turn.observation
    own, other = seen.bets[seen.seat], seen.bets[1 - seen.seat]
    earlier = seen.pot - own - min(other, own + seen.stack)  # antes and earlier streets
    payload: Payload = {
        "tableId": client.table_id,
        "handNumber": turn.hand,
        "phase": phase,
        "communityCards": _cards(board),
        "pots": [{"amount": earlier, "eligibleSeats": [0, 1]}],
        "players": [
            {
                "seatId": seat,
                "agentId": client.agent_id if seat == seen.seat else client.opponent_id,
                "agentName": client.name if seat == seen.seat else OPPONENT,
                "stack": seen.stacks[seat],
                "bet": seen.bets[seat],
                "folded": False,
                "allIn": seen.stacks[seat] == 0,
                "isActive": True,
                "holeCards": _cards(seen.cards) if seat == seen.seat else None,
            }
            for seat in (0, 1)
        ],
        "dealerSeat": seen.button,
        "currentSeat": None,
        "lastAction": None,
        "legalActions": None,
        "seq": turn.seq,
    }
    if last is not None:
        payload["lastAction"] = {"seatId": last.seat, "kind": last.kind}
        if last.kind == "raiseTo":
            payload["lastAction"]["amount"] = last.amount
    return payload


def streets_dealt(hand: int, board: tuple[int, ...], known: int) -> list[Message]:
    """Return a message for each street that was dealt after `known` cards of the board."""
    found = []
    for before, street in pairwise(STREETS):
        start, end = OPEN_CARDS[before], OPEN_CARDS[street]
        if known <= start and end <= len(board):
            cards = _cards(board[start:end])
            found.append(Message("street_dealt", {"handNumber": hand, "street": street, "cards": cards}))
    return found


def hand_complete(client: Client, over: HandOver, rules: HandRules) -> Message:
    """Return how a hand ended. Nobody sees cards that were folded; `winnings` is what a seat takes from the pot."""
    result = over.result
    showdown = result.opponent_cards is not None
    staked = _staked(result, rules)
    results = []
    for seat in (0, 1):
        own = seat == result.seat
        cards = result.cards if own else result.opponent_cards or ()
        entry: Payload = {
            "seatId": seat,
            "agentId": client.agent_id if own else client.opponent_id,
            "holeCards": _cards(cards),
            "winnings": result.net[seat] + staked,
        }
        if showdown and len(result.board) == OPEN_CARDS["river"]:
            entry["handRank"] = category(strength((*cards, *result.board)))
        results.append(entry)
    folded = {each.seat for each in result.log if each.kind == "fold"}
    payload = {
        "handNumber": over.hand,
        "results": results,
        "finalPots": [{"amount": 2 * staked, "eligibleSeats": [seat for seat in (0, 1) if seat not in folded]}],
        "communityCards": _cards(result.board),
        "showdown": showdown,
    }
    return Message("hand_complete", payload, over.seq)


def hand_broken_off(client: Client, turn: PendingDecision, seq: int) -> Message:
    """Return that a hand was broken off: nobody is told what became of it."""
    own = turn.observation
    results = [
        {
            "seatId": seat,
            "agentId": client.agent_id if seat == own.seat else client.opponent_id,
            "holeCards": _cards(own.cards) if seat == own.seat else [],
            "winnings": 0,
        }
        for seat in (0, 1)
    ]
    payload = {
        "handNumber": turn.hand,
        "results": results,
        "finalPots": [],
        "communityCards": _cards(own.board),
        "showdown": False,
    }
    return Message("hand_complete", payload, seq)


def ack(token: str, seq: int) -> Message:
    """Return that an action was taken."""
    return Message("ack", {"turn_token": token, "seq": seq, "success": True}, seq)


def error(code: str, message: str) -> Message:
    """Return that something was not taken, and why."""
    return Message("error", {"code": code, "message": message})


def pong(timestamp: float) -> Message:
    """Return the answer to a ping, which has the envelope format for everybody."""
    return Message("pong", {"timestamp": timestamp})


def _legal(legal: LegalActions) -> list[Payload]:
    ranges = {"call": (legal.to_call, legal.to_call), "raiseTo": (legal.min_raise_to, legal.max_raise_to)}
    found = []
    for kind in legal.kinds:
        entry: Payload = {"kind": kind}
        if kind in ranges:
            entry["minAmount"], entry["maxAmount"] = ranges[kind]
        found.append(entry)
    return found


def _cards(cards: tuple[int, ...]) -> list[dict[str, str]]:
    return [{"rank": CARD_TEXT[card][0], "suit": CARD_TEXT[card][1]} for card in cards]


def _staked(result: HandResult, rules: HandRules) -> int:
    """Return the chips that each seat had in the pot, without what nobody called."""
    if result.net[0]:
        return abs(result.net[0])
    totals = []
    for seat in (0, 1):
        stack = result.starting_stacks[seat]
        ante = min(rules.ante, stack)
        blind = min(rules.small_blind if seat == result.button else rules.big_blind, stack - ante)
        bets: dict[Street, int] = {"preflop": blind}
        bets |= {each.street: each.amount for each in result.log if each.seat == seat}
        totals.append(ante + sum(bets.values()))
    return min(totals)


def states_before(client: Client, turn: PendingDecision) -> Iterator[tuple[tuple[int, ...], Message]]:
    """Yield the state after each action of a hand but the last, which the decision itself shows, with its board.

    Nobody is to act in them, so that no client takes one for a decision.
    """
    seen = turn.observation
    betting = opening(seen.rules, seen.starting_stacks, seen.button)
    for done in seen.log[:-1]:
        after = betting.after(done.kind, done.amount)
        assert after is not None, "the log of a hand has legal actions"
        betting = after
        board = seen.board[: OPEN_CARDS[betting.street]]
        payload = state_payload(client, turn, phase=betting.street, board=board, last=done)
        for seat, player in enumerate(payload["players"]):
            player |= {"stack": betting.stacks[seat], "bet": betting.bets[seat], "allIn": betting.stacks[seat] == 0}
        payload |= {"pots": [{"amount": betting.pot, "eligibleSeats": [0, 1]}]}
        yield board, Message("game_state", payload, turn.seq)
