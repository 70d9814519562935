"""A poker bot in plain Python: plays as `exec:python3 docs/examples/bots/bot.py`. Nothing to install."""

import json
import sys

RANKS = "23456789TJQKA"


def strength(cards: list[str], board: list[str]) -> float:
    """Return rough hand strength from 0 to 1: pairs and better count, high cards a little."""
    ranks = [RANKS.index(card[0]) for card in cards]
    on_board = [RANKS.index(card[0]) for card in board]
    score = sum(ranks) / 40
    if ranks[0] == ranks[1]:
        score += 0.4
    for rank in set(ranks):
        score += 0.35 * on_board.count(rank)
    for suit in "cdhs":
        if sum(card[1] == suit for card in cards + board) >= 5:
            score += 0.5
    return min(score, 1.0)


def choose(seen: dict) -> dict:
    """Raise good hands, call at the right price, check when it is free, fold otherwise."""
    legal = {option["kind"]: option for option in seen["legal"]}
    good = strength(seen["cards"], seen["board"])
    if good > 0.75 and "raiseTo" in legal:
        wanted = max(seen["bets"]) + seen["pot"] // 2
        return {"kind": "raiseTo", "amount": min(max(wanted, legal["raiseTo"]["min"]), legal["raiseTo"]["max"])}
    if "check" in legal:
        return {"kind": "check"}
    price = seen["toCall"] / (seen["pot"] + seen["toCall"])
    return {"kind": "call" if good > price + 0.1 else "fold"}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": 1, "name": "example in Python"}
    elif message["type"] == "observation":
        answer = {"type": "action", "id": message["id"], **choose(message)}
    elif message["type"] == "bye":
        break
    else:  # handResult, error, and whatever later versions may send
        continue
    print(json.dumps(answer), flush=True)
