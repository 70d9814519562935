"""Strangers who only take up connections: guests play on as if nobody else were there."""

import resource
import signal
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from tests.e2e.live import Poller, Served, live_config, mixing, request
from tests.e2e.shell import run_of

STRANGERS = 1_100


@contextmanager
def flood(port, count=STRANGERS):
    """Hold so many connections open, half of them with headers that never end, and take new ones for those that end."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 2_000), hard))
    held, over, full = [], threading.Event(), threading.Event()

    def knock(number):
        sock = socket.socket()
        sock.settimeout(5)
        with suppress(OSError):
            sock.connect(("127.0.0.1", port))
            if number % 2:
                sock.sendall(b"GET /lobby.json HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            sock.setblocking(False)
        return sock

    def ended(sock):
        try:
            return sock.recv(1) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def hold():
        while not over.is_set():
            while len(held) < count and not over.is_set():
                held.append(knock(len(held)))
            full.set()
            for number, sock in enumerate(held):
                if over.is_set():
                    return
                if ended(sock):
                    sock.close()
                    held[number] = knock(number)

    holding = threading.Thread(target=hold, daemon=True)
    holding.start()
    assert full.wait(120)
    try:
        yield
    finally:
        over.set()
        holding.join(60)
        for sock in held:
            sock.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def served_with(files, config):
    return Served(config, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))


def port_of(url):
    return int(url.split(":")[2].split("/")[0])


@pytest.mark.slow
@pytest.mark.parametrize("files", [256, 1_024])
def test_a_guest_plays_to_the_end_without_a_fault_whoever_fills_the_server(tmp_path, files):
    config = live_config(
        tmp_path, "guest", {"id": "bot", "type": "tight"}, game={"handsPerGame": 20, "actionTimeoutS": 20}
    )
    served = served_with(files, config)
    (url,) = served.invitations(1)
    with flood(port_of(url)):
        status, lobby = request(url.split("/j/")[0] + "/lobby.json")
        assert (status, lobby["missing"]) == (200, 1)
        Poller(url, mixing).done()
        assert served.ended() == 0, served.err
    assert "Traceback" not in served.err
    assert "accept" not in served.err
    journal = (run_of(tmp_path / "runs") / "journal.jsonl").read_text()
    assert journal.count('"line":"game"') == 4
    assert journal.count('"faults":[]') == 4


@pytest.mark.slow
def test_a_server_in_a_flood_ends_when_it_is_told_to(tmp_path):
    served = served_with(256, live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}))
    (url,) = served.invitations(1)
    with flood(port_of(url)):
        served.signal(signal.SIGTERM)
        begun = time.monotonic()
        status = served.ended()
        assert time.monotonic() - begun < 60
    assert status != 0
    assert "Traceback" not in served.err
