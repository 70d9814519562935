"""A bot of the Annual Computer Poker Competition (protocol 2.0.0), in Python without any packages.

    molt-bench --config docs/examples/acpc.yaml

A bridge starts it with the host and the port of the dealer as its last two arguments.
"""

import re
import socket
import sys

RANKS = "23456789TJQKA"
BIG_BLIND, STACK = 100, 20_000


def is_my_turn(position: int, betting: str, cards: str) -> bool:
    """Return whether it is; position 0 is the big blind, 1 the button, which is first before the flop alone."""
    is_over = "f" in betting or all(cards.split("/")[0].split("|"))
    first = 0 if "/" in betting else 1
    actions = re.findall(r"c|r\d+", betting.rpartition("/")[2])
    return not is_over and (first + len(actions)) % 2 == position


def choose(position: int, betting: str, cards: str) -> str:
    """Raise good hands before the flop and bet a pair after it; call with those and an ace; give up the others."""
    own = cards.split("/")[0].split("|")[position]
    board = cards.partition("/")[2]
    ranks = sorted(RANKS.index(rank) for rank in own[::2])
    good = ranks[0] == ranks[1] or ranks[0] >= RANKS.index("T")
    paired = ranks[0] == ranks[1] or any(rank in board for rank in own[::2])
    if not board:
        if good and "r" not in betting:
            return f"r{3 * BIG_BLIND}"
        return "c" if good or "r" not in betting else "f"
    is_free = "r" not in betting.rpartition("/")[2]
    if is_free and paired:
        # A size is the total since the hand began: here all that was put in so far once more.
        return f"r{min(STACK, 2 * max([BIG_BLIND, *map(int, re.findall(r'[0-9]+', betting))]))}"
    return "c" if is_free or paired or ranks[1] == RANKS.index("A") else "f"


def main(host: str, port: str) -> None:
    """Connect, and answer until the dealer hangs up."""
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rw", newline="") as lines:
        lines.write("VERSION:2.0.0\r\n")
        lines.flush()
        for line in lines:
            state = line.strip()
            if not state or state[0] in "#;":
                continue
            _, position, _hand, betting, cards = state.split(":")
            if is_my_turn(int(position), betting, cards):
                lines.write(f"{state}:{choose(int(position), betting, cards)}\r\n")
                lines.flush()


if __name__ == "__main__":
    main(*sys.argv[-2:])
