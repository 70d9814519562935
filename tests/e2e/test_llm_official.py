"""Models at the official addresses of their providers, through a proxy that ends TLS in their name."""

import asyncio
import json
import shutil
import ssl
import subprocess
from contextlib import suppress
from threading import Thread
from urllib.parse import urlsplit

import pytest

from tests.e2e.llm import exchanges_in
from tests.e2e.shell import MOLT_BENCH, run_of
from tests.llm import wire
from tests.llm.provider import Provider

#: The hosts of providers, a model of each, the variable with its key, and the protocol.
PROVIDERS = {
    "openai:gpt-4.1": ("api.openai.com", "OPENAI_API_KEY", "openai"),
    "openai-responses:gpt-5-mini": ("api.openai.com", "OPENAI_API_KEY", "responses"),
    "anthropic:claude-sonnet-4-5": ("api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic"),
    "google:gemini-2.5-flash": ("generativelanguage.googleapis.com", "GOOGLE_API_KEY", "google"),
    "openrouter:mistralai/mistral-small": ("openrouter.ai", "OPENROUTER_API_KEY", "openai"),
    "deepseek:deepseek-chat": ("api.deepseek.com", "DEEPSEEK_API_KEY", "openai"),
}
KEY = "a-key-of-these-tests"
#: What OpenRouter states besides: who ran the model, and what it cost.
UPSTREAM, BILL = "Mistral", 0.0125


def signed(folder, hosts):
    """Make an authority, and a certificate of the hosts that it has signed; return the files of both."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make certificates")

    def made(name, *more):
        key, file = folder / f"{name}.key", folder / f"{name}.pem"
        asked = ["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", f"/CN={name}"]
        subprocess.run([openssl, *asked, "-keyout", key, "-out", file, *more], check=True, capture_output=True)
        return key, file

    key, authority = made("authority", "-addext", "basicConstraints=critical,CA:TRUE")
    names = ",".join(f"DNS:{host}" for host in hosts)
    leaf = ("-CA", authority, "-CAkey", key, "-addext", f"subjectAltName={names}")
    return authority, made("hosts", *leaf, "-addext", "basicConstraints=critical,CA:FALSE")


class Official:
    """A proxy on loopback that is the host to which it is asked for a tunnel: it passes on to the test provider.

    Attributes:
        hosts: The hosts that were asked for, and to which a client then talked over TLS.
    """

    def __init__(self, provider, key, certificate):
        self.hosts = []
        self._target = urlsplit(provider.url)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        started = asyncio.start_server(self._talk, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(started, self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _talk(self, reader, writer):
        with suppress(OSError, asyncio.IncompleteReadError):
            method, target, _ = (await reader.readuntil(b"\r\n\r\n")).decode().split(" ", 2)
            assert method == "CONNECT"
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await writer.drain()
            await writer.start_tls(self._context)
            self.hosts.append(target)
            inner, outer = await asyncio.open_connection(self._target.hostname, self._target.port)
            await asyncio.gather(_pass_on(reader, outer), _pass_on(inner, writer))


async def _pass_on(reader, writer):
    with suppress(OSError):
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
    writer.close()


@pytest.fixture
def stated(monkeypatch):
    """Have the test provider answer as OpenRouter does where a model has a vendor in its name."""
    plain = wire.openai_answer

    def answer(model, *rest):
        body = plain(model, *rest)
        if "/" in model:
            body["provider"] = UPSTREAM
            body["usage"]["cost"] = BILL
        return body

    monkeypatch.setattr(wire, "openai_answer", answer)


@pytest.mark.slow
@pytest.mark.usefixtures("stated")
def test_official_addresses_are_asked_over_tls_by_every_protocol_and_priced(tmp_path):
    hosts = {host for host, _, _ in PROVIDERS.values()}
    authority, (key, certificate) = signed(tmp_path, hosts)
    models = [
        {"id": name.replace(":", "-").replace("/", "-"), "type": "llm", "model": name, "maxTokens": 2000}
        for name in PROVIDERS
    ]
    config = {
        "participants": [*models, "callstation"],
        "seeds": {"perMatch": 1},
        "game": {"handsPerGame": 1},
        "scheduler": {"minSeedPairs": 1},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 21, "maxCostUsd": 100.0}},
        "outputDir": str(tmp_path / "out"),
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    with Provider() as provider, Official(provider, key, certificate) as proxy:
        env = {variable: KEY for _, variable, _ in PROVIDERS.values()}
        env |= {"HTTPS_PROXY": proxy.url, "NO_PROXY": "", "SSL_CERT_FILE": str(authority), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [MOLT_BENCH, "--config", "config.json", "--quiet"],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
        asked = {(request.headers["host"], request.api) for request in provider.requests}
    assert {host.partition(":")[0] for host in proxy.hosts} == hosts
    assert asked == {(host, api) for host, _, api in PROVIDERS.values()}
    replies = exchanges_in(run_of(tmp_path / "out"))
    assert {each["participant"] for each in replies} == {each["id"] for each in models}
    assert all(each["costUsd"] > 0 for each in replies)
    billed = {each["costUsd"] for each in replies if each.get("upstream") == UPSTREAM}
    assert billed == {BILL}
