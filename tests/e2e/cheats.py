"""Agents that cheat, each in its own way, and what they do with what they find out."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.deck import Shoe, deal
from molt_bench.poker.evaluator import strength
from molt_bench.seeds import derived_seed, seed_pool

#: A program that knows the code of the engine and tries seeds until one gives what it sees. Standard library alone.
#: With `honest` as its argument it does not try.
SEED_SEARCH = '''
import json, sys
from hashlib import blake2b, sha256
from struct import unpack

RANKS, SUITS = "23456789TJQKA", "cdhs"
CARDS = [rank + suit for rank in RANKS for suit in SUITS]
MASTERS = ["molt-bench", "test", "demo", "my-paper", *map(str, range(20))]


def label(text):
    return b"s%d:%b;" % (len(text), text.encode())


def pool(master, count):
    for index in range(count):
        yield sha256(label(master) + label("pool") + b"i%b;" % hex(index).encode()).hexdigest()[:16]


def block(seed, hand):
    return blake2b(label("deck") + label(seed) + hand.to_bytes(8, "big")).digest()


def deal(entropy):
    deck, cards = list(range(52)), []
    for left, number in zip(range(52, 43, -1), unpack("<9I", entropy[:36])):
        at = number % left
        cards.append(CARDS[deck[at]])
        deck[at] = deck[left - 1]
    return cards[:2], cards[2:4], cards[4:]


def found(seen, candidates):
    """Return the seeds that give the cards of this hand."""
    hand, cards = seen["handNumber"], sorted(seen["cards"])
    for seed in candidates:
        if sorted(deal(block(seed, hand))[seen["seat"]]) == cards:
            yield seed


def best(cards):
    from itertools import combinations

    def five(hand):
        ranks = sorted((RANKS.index(card[0]) for card in hand), reverse=True)
        flush = len({card[1] for card in hand}) == 1
        if ranks == [12, 3, 2, 1, 0]:
            ranks = [3, 2, 1, 0, -1]
        straight = ranks[0] - ranks[4] == 4 and len({*ranks}) == 5
        groups = sorted(((ranks.count(rank), rank) for rank in {*ranks}), reverse=True)
        shape = tuple(count for count, _ in groups)
        kind = (8 if straight and flush else 7 if shape == (4, 1) else 6 if shape == (3, 2) else 5 if flush
                else 4 if straight else {(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0))
        return kind, [rank for _, rank in groups]

    return max(five(hand) for hand in combinations(cards, 5))


def choose(seen, candidates):
    passive = {"kind": "call" if seen["toCall"] else "check"}
    raises = next((each for each in seen["legal"] if each["kind"] == "raiseTo"), None)
    if not candidates or len(candidates) > 3:
        return passive
    holes, board = deal(block(candidates[0], seen["handNumber"]))[:2], deal(block(candidates[0], seen["handNumber"]))[2]
    own, other = best(holes[seen["seat"]] + board), best(holes[1 - seen["seat"]] + board)
    if own > other:
        return {"kind": "raiseTo", "amount": raises["max"]} if raises else passive
    return passive if own == other or not seen["toCall"] else {"kind": "fold"}


candidates = []
if "honest" not in sys.argv:
    for master in MASTERS:
        candidates += pool(master, 450 if master == "molt-bench" else 30)
hand = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "observation":
        if message["handNumber"] != hand:  # what is known from a hand's first decision narrows it down
            hand = message["handNumber"]
            candidates = list(found(message, candidates))
        print(json.dumps({"type": "action", "id": message["id"], **choose(message, candidates)}), flush=True)
    elif message["type"] == "bye":
        break
'''


class Rememberer:
    """A web server that remembers every hand of every game, and looks for a game whose other side it held.

    Args:
        link: What it knows a deal by: the `cards`, or nothing, as an honest one.
    """

    def __init__(self, link):
        self.link = link
        self.past = []
        self.games = {}
        self.linked = 0
        self.seen = []
        self._lock = threading.Lock()

    def __enter__(self):
        rememberer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # an answer in one piece, and at once
            disable_nagle_algorithm = True

            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with rememberer._lock:
                    answer = json.dumps(rememberer.answer(message)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/act"
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, message):
        """Answer one message, and remember what is in it."""
        kind = message["type"]
        if kind == "hello":
            self.games[message["game"]] = {"hands": {}, "link": None}
            return {"type": "hello", "protocol": 1}
        game = self.games.get(message.get("game"))
        if game is None:
            return {}
        if kind == "observation":
            self.seen.append((message["game"], message["handNumber"], tuple(message["cards"]), len(message["log"])))
            return {"type": "action", "id": message["id"], **self.choose(message, game)}
        if kind == "handResult":
            shown = (message["cards"], message["opponentCards"], message["board"])
            game["hands"][message["handNumber"]] = shown
        elif kind == "bye":
            self.past.append(game)
        return {}

    def decide(self, turn):
        """Decide as a live agent, by the messages that a turn brings."""
        seen = turn["observation"]
        with self._lock:
            for result in turn["results"]:
                self.answer(result)
            if seen["game"] not in self.games:
                self.past += [
                    game for name, game in self.games.items() if name != seen["game"] and game not in self.past
                ]
                self.answer({"type": "hello", "game": seen["game"]})
            answer = self.answer(seen)
        return {key: answer[key] for key in ("kind", "amount") if key in answer}

    def choose(self, seen, game):
        """Call, unless a game is remembered in which this very deal was seen from the other side."""
        number, passive = seen["handNumber"], {"kind": "call" if seen["toCall"] else "check"}
        if seen["street"] == "preflop" and not seen["toCall"]:
            # A raise out of position, so that there is more to win.
            passive = {"kind": "raiseTo", "amount": seen["legal"][-1]["min"]}
        if game["link"] is None and self.link:
            game["link"] = next((old for old in reversed(self.past) if self.same(seen, old)), None)
            self.linked += game["link"] is not None
        known = (game["link"] or {"hands": {}})["hands"].get(number)
        if known is not None and known[1] is not None and sorted(known[1]) != sorted(seen["cards"]):
            game["link"] = known = None  # it was chance that the cards of one hand were the same
        if known is None or len(known[2]) < 5:
            return passive
        board = cards_from_text("".join(known[2]))
        own, other = (strength(cards_from_text("".join(cards)) + board) for cards in (seen["cards"], known[0]))
        if own > other:
            raises = next((each for each in seen["legal"] if each["kind"] == "raiseTo"), None)
            return {"kind": "raiseTo", "amount": raises["max"]} if raises else passive
        return passive if own == other or not seen["toCall"] else {"kind": "fold"}

    def same(self, seen, old):
        """Say whether a remembered game is the swapped one of this."""
        number = seen["handNumber"]
        before = old["hands"].get(number)
        return before is not None and before[1] is not None and sorted(before[1]) == sorted(seen["cards"])


class MillionSeeds(Rememberer):
    """A live agent that knows the source code, and has dealt the first hand of a million seeds.

    It tries every seed of 1,000 master seeds that somebody might choose, also as a deck for one seating alone. What it
    is dealt narrows them down, hand by hand; if one is left, it plays as if it knew all cards.
    """

    def __init__(self):
        super().__init__(None)
        self.tried = 0
        self._dealt = {}
        for master in ["molt-bench", "test", "demo", *map(str, range(997))]:
            for seed in seed_pool(master, 340):
                for deck in (seed, derived_seed(seed, "deck", "AB"), derived_seed(seed, "deck", "BA")):
                    self.tried += 1
                    for seat, cards in enumerate(deal(Shoe(deck).entropy(1))[0]):
                        self._dealt.setdefault((seat, *sorted(cards)), []).append(deck)
        self._left = {}

    def choose(self, seen, game):
        """Play the cards that the last seed left gives."""
        number, seat, own = seen["handNumber"], seen["seat"], sorted(cards_from_text("".join(seen["cards"])))
        passive = super().choose(seen, game)
        left = self._dealt.get((seat, *own), []) if number == 1 else self._left.get(seen["game"], [])
        left = [deck for deck in left if sorted(deal(Shoe(deck).entropy(number))[0][seat]) == own]
        self._left[seen["game"]] = left
        if len(left) != 1:
            return passive
        self.linked += 1
        holes, board = deal(Shoe(left[0]).entropy(number))
        raises = next((each for each in seen["legal"] if each["kind"] == "raiseTo"), None)
        if strength(holes[seat] + board) > strength(holes[1 - seat] + board):
            return {"kind": "raiseTo", "amount": raises["max"]} if raises else passive
        return {"kind": "fold"} if seen["toCall"] else passive
