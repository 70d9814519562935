"""Trouble of the machine and the way to a provider: few file descriptors, bad certificates, folders to read only."""

import json
import os
import resource
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.e2e.llm import config_for, exchanges_in, prepared
from tests.e2e.shell import MOLT_BENCH, games_in, lines_of, one_clear_line, quick, read, run_of

GAMES = 500


@pytest.mark.slow
def test_500_games_at_once_with_256_file_descriptors_lose_nothing(tmp_path, server):
    server.delay = 0.5
    config = config_for(server.url, memory="none")
    config |= {"participants": [config["participants"][0], "callstation"], "game": {"handsPerGame": 1}}
    config["seeds"]["perMatch"] = GAMES // 2
    config["stop"]["budget"]["maxMatches"] = 1
    before = server.received
    done = subprocess.run(
        [MOLT_BENCH, *prepared(tmp_path, config), "--quiet", "--games-at-once", str(GAMES)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)),
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    folder = run_of(tmp_path / "out")
    assert len(games_in(folder)) == GAMES
    assert len(exchanges_in(folder)) == server.received - before
    assert all(line["outcome"] == "reply" for line in exchanges_in(folder))
    rows = {row["id"]: row for row in read(folder, "leaderboard.json")["participants"]}
    assert rows["model"]["matches"] == 1


class Never(BaseHTTPRequestHandler):
    """Is never reached by whoever checks the certificate."""

    asked = 0

    def do_POST(self):
        Never.asked += 1
        self.send_error(500)

    do_GET = do_POST  # noqa: N815 - as the library calls it


@pytest.fixture
def self_signed(tmp_path):
    """Return the address of a server whose certificate nobody has signed but itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    asked = [openssl, "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=127.0.0.1"]
    asked += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(asked, check=True, capture_output=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Never)
    server.handle_error = lambda *_: None  # the client leaves in the middle of the handshake
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bad_certificate_pauses_the_model_says_why_and_is_never_a_rated_fold(tmp_path, self_signed):
    config = config_for(self_signed, llm={"transportRetries": 0, "backoffS": 0.002})
    done = quick(*prepared(tmp_path, config), "--quiet", "--no-preflight", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert f"model (openai:test) at {self_signed}/ is paused" in done.stderr
    assert "certificate" in done.stderr.lower()
    assert "molt-bench resume" in done.stderr
    folder = run_of(tmp_path / "out")
    games = [json.dumps(line["record"]) for line in lines_of(folder, "journal.jsonl") if line["line"] == "game"]
    assert not [game for game in games if '"model"' in game]
    assert not Never.asked


def test_a_bad_certificate_is_found_before_the_first_card(tmp_path, self_signed):
    config = config_for(self_signed, llm={"transportRetries": 0, "backoffS": 0.002})
    done = quick(*prepared(tmp_path, config), "--quiet", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "certificate" in done.stderr.lower()
    assert "Traceback" not in done.stderr


#: A folder in which nobody may write, not even root.
READ_ONLY = "/proc/sys"


def test_a_folder_to_read_only_is_one_clear_line_before_anybody_is_asked(tmp_path, server):
    if not os.path.isdir(READ_ONLY):
        pytest.skip(f"needs {READ_ONLY}")
    before, preflights = server.received, server.preflights
    config = {**config_for(server.url), "outputDir": READ_ONLY}
    done = quick(*prepared(tmp_path, config), "--quiet", cwd=tmp_path)
    one_clear_line(done, READ_ONLY)
    assert (server.received, server.preflights) == (before, preflights)
