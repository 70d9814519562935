"""Agents that cheat, each in its own way, and what they do with what they find out."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.deck import Shoe, deal
from molt_bench.poker.evaluator import strength
from molt_bench.seeds import derived_seed, seed_pool


class Honest:
    """A web server, or a live agent, that plays the same way whatever it sees: others know more.

    Attributes:
        linked: In how many games it found out what the cards are.
        seen: Every decision: game, hand, cards, and how much had been done.
    """

    def __init__(self):
        self.linked = 0
        self.seen = []
        self._lock = threading.Lock()

    def __enter__(self):
        cheat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # an answer in one piece, and at once
            disable_nagle_algorithm = True

            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with cheat._lock:
                    answer = json.dumps(cheat.answer(message)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/act"
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, message):
        """Answer a message of the protocol of web servers."""
        if message["type"] == "hello":
            return {"type": "hello", "protocol": 1}
        if message["type"] == "handResult":
            self.ended(message)
        if message["type"] != "observation":
            return {}
        return {"type": "action", "id": message["id"], **self.act(message)}

    def decide(self, turn):
        """Decide as a live agent, by the messages that a turn brings."""
        with self._lock:
            for result in turn["results"]:
                self.ended(result)
            return self.act(turn["observation"])

    def act(self, seen):
        """Note a decision, and play it with what is known of the cards: those of both seats, and the board."""
        self.seen.append((seen["game"], seen["handNumber"], tuple(seen["cards"]), len(seen["log"])))
        raises = next((each for each in seen["legal"] if each["kind"] == "raiseTo"), None)
        passive = {"kind": "call" if seen["toCall"] else "check"}
        known = self.known(seen)
        if known is None:
            # A raise out of position, so that there is more to win.
            first = seen["street"] == "preflop" and not seen["toCall"] and raises
            return {"kind": "raiseTo", "amount": raises["min"]} if first else passive
        own, other, board = known
        if strength(own + board) > strength(other + board):
            return {"kind": "raiseTo", "amount": raises["max"]} if raises else passive
        return {"kind": "fold"} if seen["toCall"] and strength(own + board) < strength(other + board) else passive

    def known(self, seen):
        """Return what is known of a hand: own cards, those of the other and the board; None for an honest one."""

    def ended(self, result):
        """Hear how a hand has ended."""


def cards(words):
    return cards_from_text("".join(words))


class Rememberer(Honest):
    """Remembers every hand of every game, and looks for a game whose other side it held."""

    def __init__(self):
        super().__init__()
        self._games = {}
        self._links = {}

    def ended(self, result):
        game = self._games.setdefault(result["game"], {})
        game[result["handNumber"]] = (result["cards"], result["opponentCards"], result["board"])

    def known(self, seen):
        name, number = seen["game"], seen["handNumber"]
        if name not in self._links:
            for old, hands in reversed(self._games.items()):
                if old != name and self._same(seen, hands.get(number)):
                    self._links[name] = hands
                    self.linked += 1
                    break
        before = self._links.get(name, {}).get(number)
        if before is not None and before[1] is not None and not self._same(seen, before):
            del self._links[name]  # it was chance that the cards of one hand were the same
            return None
        return (
            None if before is None or len(before[2]) < 5 else (cards(seen["cards"]), cards(before[0]), cards(before[2]))
        )

    @staticmethod
    def _same(seen, before):
        return before is not None and before[1] is not None and sorted(before[1]) == sorted(seen["cards"])


class MillionSeeds(Honest):
    """Knows the source code, and has dealt the first hand of a million seeds.

    It tries every seed of 1,000 master seeds that somebody might choose, also as a deck for one seating alone. What it
    is dealt narrows them down, hand by hand; if one is left, it plays as if it knew all cards.
    """

    def __init__(self):
        super().__init__()
        self.tried = 0
        self._dealt = {}
        for master in ["molt-bench", "test", "demo", *map(str, range(997))]:
            for seed in seed_pool(master, 340):
                for deck in (seed, derived_seed(seed, "deck", "AB"), derived_seed(seed, "deck", "BA")):
                    self.tried += 1
                    for seat, dealt in enumerate(deal(Shoe(deck).entropy(1))[0]):
                        self._dealt.setdefault((seat, *sorted(dealt)), []).append(deck)
        self._left = {}

    def known(self, seen):
        number, seat, own = seen["handNumber"], seen["seat"], sorted(cards(seen["cards"]))
        left = self._dealt.get((seat, *own), []) if number == 1 else self._left.get(seen["game"], [])
        left = [deck for deck in left if sorted(deal(Shoe(deck).entropy(number))[0][seat]) == own]
        self._left[seen["game"]] = left
        if len(left) != 1:
            return None
        self.linked += 1
        holes, board = deal(Shoe(left[0]).entropy(number))
        return holes[seat], holes[1 - seat], board
