"""A server behind a proxy with TLS, by the configs of the docs: every way in works, and every URL is the public one."""

import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urljoin

import httpx2
import pytest
from websockets.sync.client import connect

from molt_bench import make_agent
from molt_bench.errors import MoltBenchError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.plugins.live.address import public_url
from molt_bench.plugins.live.guest import play_as_guest
from tests.serve.tables import LONG_S, TOKEN, a_lobby, serving

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "proxies"


@pytest.mark.parametrize(
    "given", ["bench.example.org", "ftp://a", "https://", "https://a?b", "https://u@a", "http://a:x"]
)
def test_what_is_no_public_url_is_named(given):
    with pytest.raises(MoltBenchError, match="--public-url"):
        public_url(given)


def test_the_servers_own_urls_are_public_and_the_prefix_may_be_there_or_not():
    with serving(a_lobby(), public_url="https://bench.example.org/poker") as table:
        for prefix in ("", "/poker"):
            base = f"http://127.0.0.1:{table.port}{prefix}/j/{TOKEN}"
            text = httpx2.get(f"{base}/skill.md", headers={"Host": "bench.example.org"}, trust_env=False).text
            assert f"https://bench.example.org/poker/j/{TOKEN}/v1/agents" in text
            assert "127.0.0.1" not in text


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return the files of a certificate for localhost, and of its key."""
    folder = tmp_path_factory.mktemp("tls")
    pem, key = folder / "bench.pem", folder / "bench.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", pem, "-keyout", key]
    subprocess.run([*made, *subject], check=True, capture_output=True)
    return pem, key


def caddy(folder, port, behind, certificate):
    text = (
        (EXAMPLES / "Caddyfile").read_text().replace("bench.example.org {", f"https://localhost:{port} {{\n\ttls %s %s")
    )
    text = (text % certificate).replace("127.0.0.1:8770", f"127.0.0.1:{behind}")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]


def nginx(folder, port, behind, certificate):
    text = (EXAMPLES / "nginx.conf").read_text().replace("listen 443", f"listen 127.0.0.1:{port}")
    for name, value in [("127.0.0.1:8770/", f"127.0.0.1:{behind}/"), ("bench.example.org;", "localhost;")]:
        assert name in text
        text = text.replace(name, value)
    for name, file in zip(("pem", "key"), certificate, strict=True):
        text = text.replace(f"/etc/ssl/bench.{name}", str(file))
    paths = "".join(
        f"    {each}_temp_path {folder / each};\n" for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder / 'pid'};\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n    access_log off;\n{paths}{text}}}\n"
    )
    return ["nginx", "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"]


@contextmanager
def behind_a_proxy(make, folder, certificate, lobby):
    """Serve a lobby behind a proxy; yields the table, the public base of its invitation, and how to check TLS."""
    if shutil.which(make.__name__) is None:
        pytest.skip(f"{make.__name__} is not installed: make slow SUITE=live")
    port = free_port()
    public = f"https://localhost:{port}/poker"
    with serving(lobby, public_url=public) as table:
        proxy = subprocess.Popen(
            make(folder, port, table.port, certificate),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"HOME": str(folder), "PATH": "/usr/bin:/usr/sbin:/bin"},
        )
        trusted = ssl.create_default_context(cafile=str(certificate[0]))
        until = time.monotonic() + LONG_S
        while True:
            assert proxy.poll() is None, proxy.stderr.read()
            assert time.monotonic() < until
            with suppress(httpx2.HTTPError):
                httpx2.get(f"{public}/pages.css", verify=trusted, trust_env=False)
                break
            time.sleep(0.05)
        try:
            yield table, f"{public}/j/{TOKEN}", trusted
        finally:
            proxy.terminate()
            proxy.wait(30)
            proxy.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("make", [caddy, nginx])
def test_all_doors_are_open_behind_a_proxy_with_tls(make, tmp_path, certificate):
    with behind_a_proxy(make, tmp_path, certificate, a_lobby()) as (table, base, trusted):
        client = httpx2.Client(base_url=f"{base}/", verify=trusted, trust_env=False, timeout=LONG_S)
        assert f"{base}/v1/agents" in client.get("skill.md").text
        landing = client.get(base, follow_redirects=True)
        assert str(landing.url) == f"{base}/"
        assert f"{base}/mcp" in landing.text
        for name in re.findall(r'(?:src|href)="([^"]+)"', landing.text):
            assert client.get(urljoin(str(landing.url), name)).status_code == 200, name
        assert client.get("v1/run").json()["games_at_once"] == 1
        assert client.post("mcp", json={}).status_code in (400, 406, 415, 501)  # MCP, or the word that it is not there
        key = client.post("v1/agents", json={"name": "x"}).json()["api_key"]
        joined = client.post("v1/tables/auto-join", json={}, headers={"Authorization": f"Bearer {key}"}).json()
        assert joined["ws_url"] == "wss" + base.removeprefix("https") + "/v1/ws"
        table.play(1, hands=2)
        with connect(f"{joined['ws_url']}?token={joined['session_token']}", ssl=trusted, proxy=None) as socket_:
            kinds = [json.loads(socket_.recv(LONG_S))["type"] for _ in range(2)]
        assert "welcome" in kinds
        table.client = client
        turn = table.turn()
        while turn is not None:
            turn = table.act(turn, wait=2).json().get("turn")
        table.join()
        assert table.faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("make", [caddy, nginx])
def test_join_plays_through_a_proxy(make, tmp_path, certificate, monkeypatch):
    monkeypatch.setattr(
        "molt_bench.plugins.live.guest.connected",
        lambda base: httpx2.AsyncClient(
            base_url=f"{base}/", verify=ssl.create_default_context(cafile=str(certificate[0])), trust_env=False
        ),
    )
    said = []
    with behind_a_proxy(make, tmp_path, certificate, a_lobby()) as (table, base, _):
        table.play(1, 2, hands=3, close="the run is over")
        reason = run_in_new_loop(play_as_guest(base, lambda: make_agent("tight"), patience_s=LONG_S, say=said.append))
        assert reason == "the run is over"
        table.join()
        assert [table.faults(1), table.faults(2)] == [[], []]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (502, "<html>Bad Gateway</html>", "status 502 Bad Gateway"),
        (404, '{"error":{"code":"INVITATION_NOT_FOUND","message":"there is none"}}', "there is none"),
        (404, "<html>nothing</html>", "status 404 Not Found"),
        (301, "", "status 301 Moved Permanently"),
    ],
)
def test_join_names_what_a_proxy_answers(status, body, said):
    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            if status == 301:
                self.send_header("Location", "https://elsewhere.example/")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        proxy.handle_error = lambda *_: None  # a client that has heard enough hangs up
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{proxy.server_port}/j/1"
        with pytest.raises(MoltBenchError, match=said):
            run_in_new_loop(play_as_guest(base, lambda: make_agent("tight"), patience_s=1, say=print))
        proxy.shutdown()
