"""A poker bot as a web server, in plain Python: `python3 server.py 9000`, then it plays as `http://127.0.0.1:9000/act`."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RANKS = "23456789TJQKA"


def choose(seen: dict) -> dict:
    """Raise with a pair, call at the right price, check when it is free, fold otherwise."""
    legal = {option["kind"]: option for option in seen["legal"]}
    ranks = [RANKS.index(card[0]) for card in seen["cards"]]
    on_board = [RANKS.index(card[0]) for card in seen["board"]]
    paired = ranks[0] == ranks[1] or any(rank in on_board for rank in ranks)
    if paired and "raiseTo" in legal:
        return {"kind": "raiseTo", "amount": legal["raiseTo"]["min"]}
    if "check" in legal:
        return {"kind": "check"}
    price = seen["toCall"] / (seen["pot"] + seen["toCall"])
    return {"kind": "call" if paired or sum(ranks) / 40 > price else "fold"}


class Bot(BaseHTTPRequestHandler):
    """Answers every message; `message["game"]` identifies the game, for bots that remember."""

    protocol_version = "HTTP/1.1"  # keeps the connection open between messages
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer one message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if message["type"] == "hello":
            answer = {"type": "hello", "protocol": 1, "name": "example over HTTP"}
        elif message["type"] == "observation":
            answer = {"type": "action", "id": message["id"], **choose(message)}
        else:  # handResult, error and bye need only an acknowledgement
            answer = {}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Do not log individual requests."""


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Bot)
print(f"listening on http://127.0.0.1:{server.server_port}/act", flush=True)
server.serve_forever()
