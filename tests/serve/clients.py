"""Clients of moltpoker's platform, with the habits of the real ones: for tests of servers that they come to."""

import http.client
import json
import socket
import threading
import time
from contextlib import suppress
from urllib.parse import quote, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

#: Errors after which the platform's clients close and do not come back.
FATAL = [
    "TABLE_NOT_FOUND",
    "TABLE_ENDED",
    "INVALID_SESSION",
    "SESSION_EXPIRED",
    "UNAUTHORIZED",
    "INVALID_API_KEY",
    "OUTDATED_CLIENT",
]
#: Seconds after which a client that hears nothing is stuck.
STUCK_S = 60.0


def request(method, url, body=None, *, key=None, headers=None):
    """Return the status and the body of an answer, which must be JSON."""
    parts = urlsplit(url)
    fields = dict(headers or {})
    if key is not None:
        fields["Authorization"] = f"Bearer {key}"
    data = None
    if body is not None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields["Content-Type"] = "application/json"
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=STUCK_S)
    try:
        query = f"?{parts.query}" if parts.query else ""
        connection.request(method, parts.path + query, data, fields)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def register_and_join(base, name="client"):
    """Return the key of a new agent, and the answer to its joining."""
    status, agent = request("POST", f"{base}/v1/agents", {"name": name})
    assert status == 201, agent
    status, joined = request("POST", f"{base}/v1/tables/auto-join", {}, key=agent["api_key"])
    assert status == 200, joined
    return agent["api_key"], joined


def opened(joined, *, agent_format=False, query="", **options):
    """Return a socket for the session of a join."""
    form = "&format=agent" if agent_format else ""
    url = f"{joined['ws_url']}?token={quote(joined['session_token'])}{form}{query}"
    return connect(url, compression=None, proxy=None, ping_interval=None, close_timeout=5, **options)


def read_to_end(socket_):
    """Return all messages until a connection ends, and its code."""
    heard = []
    with suppress(ConnectionClosed):
        heard += (json.loads(each) for each in socket_)
    return heard, socket_.close_code


def passive(kinds):
    """Return the kind of action of a client that checks or calls."""
    return "check" if "check" in kinds else "call"


def calls(state, attempt=1):
    """Return the action of a client that checks or calls, in the envelope format."""
    return {"kind": passive([each["kind"] for each in state["legalActions"]])}


class Client(threading.Thread):
    """A client in a thread of its own.

    Attributes:
        heard: All messages, in order.
        status: Exit status; None while it runs.
    """

    def __init__(self, base):
        super().__init__(daemon=True)
        self.base = base
        self.heard = []
        self.status = None
        self.start()

    def of(self, kind):
        """Return the messages of a type, without their envelopes."""
        return [each.get("payload", each) for each in self.heard if each["type"] == kind]

    def done(self):
        """Wait for the end and return the exit status."""
        self.join(STUCK_S)
        assert not self.is_alive()
        return self.status


class SdkClient(Client):
    """As `random`, `tight` and `callstation`: envelope format, reconnects, answers again by itself after a refusal.

    Args:
        base: The server's URL.
        choose: Gets a state and which attempt it is; returns kind and amount.
        cut: Decisions, counted from 1, at which the connection breaks before the answer.
        pause_s: Seconds before it reconnects; the real ones wait for 3.
    """

    def __init__(self, base, choose=calls, *, cut=(), pause_s=0.05):
        self.choose, self.cut, self.pause_s = choose, set(cut), pause_s
        self.seats, self.codes, self.left = [], [], None
        self.connections, self.decisions = 0, 0
        super().__init__(base)

    def run(self):
        self.key, self.joined = register_and_join(self.base)
        self.seat = self.joined["seat_id"]
        attempts = 0
        while attempts < 10:
            try:
                with opened(self.joined) as self.socket:
                    attempts = 0
                    self.connections += 1
                    if not self._listen():
                        return
            except (OSError, InvalidStatus):
                attempts += 1
            time.sleep(self.pause_s)
        self.status = 1

    def _listen(self):
        """Return whether to connect again."""
        try:
            while True:
                if self._hear(json.loads(self.socket.recv(STUCK_S))):
                    return self._leave()
        except ConnectionClosed as closed:
            received = closed.rcvd
            if received is not None and received.code == 1000 and "table ended" in received.reason.lower():
                return self._leave()
            if self.codes and self.codes[-1] in FATAL:
                self.status = 0
                return False
            return True

    def _hear(self, message):
        """Return whether the table has ended."""
        self.heard.append(message)
        payload = message["payload"]
        match message["type"]:
            case "welcome":
                self.seat = payload["seat_id"]
                self.seats.append(self.seat)
            case "game_state" if payload["currentSeat"] == self.seat and payload["legalActions"]:
                self.decisions += 1
                self.attempt, self.state = 1, payload
                if self.decisions in self.cut:
                    self.socket.socket.shutdown(socket.SHUT_RDWR)
                else:
                    self._act()
            case "error":
                self.codes.append(payload["code"])
                if payload["code"] == "INVALID_ACTION" and self.attempt <= 2:
                    self.attempt += 1
                    self._act()
                elif payload["code"] in FATAL:
                    self.socket.close(1008, payload["message"])
            case "table_status":
                return payload["status"] == "ended"
        return False

    def _act(self):
        action = {"turn_token": self.state["turn_token"], **self.choose(self.state, self.attempt)}
        with suppress(ConnectionClosed):
            self.socket.send(json.dumps({"type": "action", "action": action, "expected_seq": self.state["seq"]}))

    def _leave(self):
        self.socket.close(1000, "Client disconnect")
        self.left = request("POST", f"{self.base}/v1/tables/{self.joined['table_id']}/leave", {}, key=self.key)
        self.status = 0
        return False


class ProtocolClient(Client):
    """As `protocol`: agent format, one connection, and after a refusal it waits for a state that comes again.

    Args:
        base: The server's URL.
        choose: Gets a state and which decision it is, counted from 1; returns kind and amount.
    """

    def __init__(self, base, choose=None):
        self.choose = choose or (lambda state, _: {"kind": passive([each["kind"] for each in state["actions"]])})
        self.asked = 0
        super().__init__(base)

    def run(self):
        self.key, self.joined = register_and_join(self.base)
        seat = None
        with opened(self.joined, agent_format=True) as socket_, suppress(ConnectionClosed):
            while True:
                message = json.loads(socket_.recv(STUCK_S))
                self.heard.append(message)
                match message["type"]:
                    case "welcome":
                        seat = message["seat"]
                    case "game_state" if message.get("turn") == seat and message.get("actions"):
                        self.asked += 1
                        action = {"turn_token": message["turn_token"], **self.choose(message, self.asked)}
                        socket_.send(json.dumps({"type": "action", "action": action}))
                    case "table_status" if message["status"] == "ended":
                        break
        self.status = 0


class AutonomousClient(Client):
    """As `autonomous`: polls for messages. A read that found none in time swallows the next ones that come.

    Args:
        base: The server's URL.
        left_behind: Such reads in the beginning.
    """

    def __init__(self, base, *, left_behind=0):
        self.left_behind, self.swallowed = left_behind, []
        super().__init__(base)

    def run(self):
        self.key, self.joined = register_and_join(self.base)
        self.over = False
        with opened(self.joined, agent_format=True) as self.socket:
            while not self.over:
                batch = self._batch()
                if self.left_behind:
                    self.left_behind -= 1
                    self.swallowed.append(batch)
                else:
                    for message in batch:
                        self._hear(message)
        self.status = 0

    def _batch(self):
        """Return all messages that come together."""
        batch = []
        try:
            batch.append(json.loads(self.socket.recv(STUCK_S)))
            while True:
                batch.append(json.loads(self.socket.recv(0.05)))
        except TimeoutError:
            pass
        except ConnectionClosed:
            self.over = True
        self.heard += batch
        return batch

    def _hear(self, message):
        match message["type"]:
            case "game_state" if message.get("actions"):
                action = {
                    "turn_token": message["turn_token"],
                    "kind": passive([each["kind"] for each in message["actions"]]),
                }
                said = {"type": "action", "action": action, "expected_seq": message["seq"]}
                with suppress(ConnectionClosed):
                    self.socket.send(json.dumps(said))
            case "table_status":
                self.over = message["status"] == "ended"
