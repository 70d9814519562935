"""The two formats of moltpoker's messages: the envelope, and the short one for agents. Pure: no I/O."""

from typing import Literal, TypeAlias

import msgspec

from molt_bench.serve.doors.moltpoker.server_messages import Message, Payload

Format: TypeAlias = Literal["envelope", "agent"]


def encoded(message: Message, form: Format, *, table_id: str, now_ms: int) -> str:
    """Return a message as the text that is sent."""
    if form == "agent" and message.type != "pong":
        return msgspec.json.encode(_flat(message)).decode()
    envelope: Payload = {"type": message.type, "table_id": table_id, "ts": now_ms, "payload": message.payload}
    if message.seq is not None:
        envelope["seq"] = message.seq
    return msgspec.json.encode(envelope).decode()


def _flat(message: Message) -> Payload:
    payload = message.payload
    match message.type:
        case "welcome":
            short = {
                "seat": payload["seat_id"],
                "agent_id": payload["agent_id"],
                "timeout": payload["action_timeout_ms"],
            }
        case "game_state":
            short = _flat_state(payload)
        case "hand_complete":
            results = [
                {
                    "seat": each["seatId"],
                    "cards": _texts(each["holeCards"]),
                    "won": each["winnings"],
                    **({"rank": each["handRank"]} if "handRank" in each else {}),
                }
                for each in payload["results"]
            ]
            short = {"hand": payload["handNumber"], "results": results, "showdown": payload["showdown"]}
        case "street_dealt":
            cards = _texts(payload["cards"])
            short = {"hand": payload["handNumber"], "street": payload["street"], "cards": cards}
        case "ack":
            short = {"turn_token": payload["turn_token"], "seq": payload["seq"]}
        case _:
            short = payload
    return {"type": message.type, **short}


def _flat_state(payload: Payload) -> Payload:
    players = []
    for each in payload["players"]:
        player = {"seat": each["seatId"], "name": each["agentName"], "stack": each["stack"], "bet": each["bet"]}
        player |= {key: True for key in ("folded", "allIn") if each[key]}
        if each["holeCards"]:
            player["cards"] = _texts(each["holeCards"])
        players.append(player)
    short: Payload = {
        "seq": payload["seq"],
        "hand": payload["handNumber"],
        "phase": payload["phase"],
        "board": _texts(payload["communityCards"]),
        "pot": sum(pot["amount"] for pot in payload["pots"]),
        "players": players,
        "dealer": payload["dealerSeat"],
    }
    if payload["currentSeat"] is not None:
        short["turn"] = payload["currentSeat"]
    if payload["lastAction"] is not None:
        last = dict(payload["lastAction"])
        short["last"] = {"seat": last.pop("seatId"), **last}
    if payload["legalActions"] is not None:
        names = {"kind": "kind", "minAmount": "min", "maxAmount": "max"}
        short["actions"] = [{names[key]: value for key, value in each.items()} for each in payload["legalActions"]]
    return short | {key: payload[key] for key in ("toCall", "turn_token") if key in payload}


def _texts(cards: list[dict[str, str]]) -> list[str]:
    return [card["rank"] + card["suit"] for card in cards]
