"""A web server that plays as it is told to, on the loopback: raw sockets, so that it can break every rule."""

import json
import socket
import threading
import time
from contextlib import suppress


class Server:
    """Answers hello well, and every observation in one way; handResult, error and bye are taken."""

    def __init__(self, behaviour="well"):
        self.behaviour = behaviour
        self.messages = []
        self.headers = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/act"
        self._open = []
        self._over = threading.Event()

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with suppress(OSError, ValueError), connection, connection.makefile("rb") as stream:
            while self._one(connection, stream):
                pass

    def _one(self, connection, stream):
        head = []
        while (line := stream.readline()) not in (b"\r\n", b""):
            head.append(line.decode().strip())
        if not head:
            return False
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:])}
        message = json.loads(stream.read(int(fields["content-length"])))
        self.messages.append(message)
        self.headers.append(fields)
        match message["type"]:
            case "hello":
                body = b'{"type":"hello","protocol":1}' if self.behaviour != "wrong-hello" else b"{}"
                connection.sendall(response(body))
            case "observation":
                connection.sendall(self._answer(message))
                return self.behaviour != "closes-mid-body"
            case _:
                if self.behaviour == "deaf":
                    self._over.wait(60)
                connection.sendall(response(b"", "204 No Content"))
        return True

    def _answer(self, seen):
        good = {"type": "action", "id": seen["id"], "kind": "call" if seen["toCall"] else "check"}
        body = json.dumps(good).encode()
        if self.behaviour.startswith("says "):
            fields = self.behaviour.removeprefix("says ")
            return response(f'{{"type":"action","id":{seen["id"]},{fields}}}'.encode())
        match self.behaviour:
            case "never":
                self._over.wait(60)
            case "drips":
                return response(body)[:-1] + b""
            case "slow":
                time.sleep(0.05)
            case "illegal":
                body = json.dumps(good | {"kind": "raiseTo", "amount": 1}).encode()
            case "old-id":
                body = json.dumps(good | {"id": seen["id"] - 1}).encode()
            case "not-json":
                body = b"<html>" + json.dumps(self.headers[-1]).encode()
            case "key-in-kind":
                body = json.dumps(good | {"kind": self.headers[-1].get("authorization", "")}).encode()
            case "empty":
                body = b""
            case "redirect":
                return response(body, "302 Found", f"Location: {self.url}\r\n")
            case "500":
                return response(body, "500 Internal Server Error")
            case "404":
                return response(body, "404 Not Found")
            case "giant":
                return response(b" " * 200_000 + body)
            case "giant-chunked":
                chunk = b"%x\r\n" % 10_000 + b" " * 10_000 + b"\r\n"
                return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 500
            case "closes-mid-body":
                return response(body)[:-5]
            case "packed":
                return response(body, extra="Content-Encoding: gzip\r\n")
            case "not-http":
                return b"220 mail.example.org ESMTP\r\n\r\n"
        return response(body)


def response(body, status="200 OK", extra=""):
    """Return the bytes of a response."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body
