"""The server answers the pages of this machine, shows runs as they go on, and gives nothing else away."""

import gzip
import json
import re
import socket
import time
from base64 import b64encode
from hashlib import sha256

import pytest

from molt_bench.errors import ConfigError
from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.server import HEADERS, answer, is_our_name
from molt_bench.runs.header import config_hash
from tests.e2e.shell import MOLT_BENCH, one_clear_line, quick, rechained, start
from tests.plugins.view.conftest import Viewer


def safe(answer):
    """Check the headers that every answer has."""
    policy = "Content-Security-Policy"
    assert {name.lower(): value for name, value in HEADERS.items() if name != policy}.items() <= answer.headers.items()
    assert answer.headers[policy.lower()].startswith(HEADERS[policy])
    return answer


def test_the_pages_and_their_data_are_served(viewer, bots_id):
    page = safe(viewer.ask("/"))
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'id="data">{}<' in page.body
    assert viewer.json(f"/api/runs/{bots_id}.json")["status"] == "finished"
    assert viewer.json(f"/api/runs/{bots_id}/hand/1/0/1.json")["hand"] == 1


def test_the_page_comes_in_one_answer_and_its_policy_allows_what_is_in_it_alone(viewer):
    page = viewer.ask("/")
    policy = page.headers["content-security-policy"]
    for kind, element in (("script", '<script type="module">'), ("style", "<style>")):
        (inside,) = re.findall(rf"{element}(.*?)</{kind}>", page.body.decode(), re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"; {kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert b"modules[" not in page.body.partition(b"<body>")[2], "the text of the body is what a reader sees"
    assert not re.search(rb"<link[^>]*(stylesheet|preload)|<script[^>]* src=", page.body)


def test_large_answers_are_compressed_for_browsers_that_can_read_that(viewer, bots_id):
    path = f"/api/runs/{bots_id}/hands.json"
    plain = safe(viewer.ask(path))
    packed = safe(viewer.ask(path, headers={"Accept-Encoding": "br, gzip;q=0.8"}))
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 3
    assert "content-encoding" not in plain.headers
    assert packed.headers["vary"] == "Accept-Encoding"


def test_it_says_where_it_is(viewer):
    assert f"http://127.0.0.1:{viewer.port}/" in viewer.said


def test_hostile_text_is_sent_as_json_that_no_browser_takes_for_a_page(viewer, models_id):
    answer = safe(viewer.ask(f"/api/runs/{models_id}.json"))
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "</script>" in json.loads(answer.body)["participants"][0]["name"]


@pytest.mark.parametrize(
    "path",
    [
        *("/../../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/server.py", "/..\\server.py"),
        *("/../server.py", "/server.py", "/static/index.html", "/app.js", "/index.html%00.html", "//etc/passwd", "/."),
        *("/api/runs/..%2fsecret.json", "/api/runs/%2e%2e.json", "/api/runs/..%5c..%5cx.json", "/api/runs/%00.json"),
        *("/api/runs/link.json", "/api/runs/inner.json", "/api/runs/link/hands.json", "/api/runs/%ff.json"),
        *("/api/runs/link%2f..%2flink.json", "/api/", "/api/../app.js", "/api/runs/.json", "/vendor/"),
    ],
)
def test_no_path_leads_out_of_the_folder(viewer, path):
    answer = safe(viewer.ask(path))
    assert answer.status == 404
    assert "error" in json.loads(answer.body)


def test_links_out_of_the_folder_are_not_in_the_list(viewer, bots_id, models_id):
    lines = viewer.json("/api/runs.json")
    assert [line["id"] for line in lines] == [models_id, bots_id, "damaged"]
    assert "journal.jsonl" in lines[2]["error"]


def test_a_run_that_cannot_be_read_is_an_error_in_one_line(viewer):
    answer = safe(viewer.ask("/api/runs/damaged.json"))
    assert answer.status == 500
    assert json.loads(answer.body)["error"].count("\n") == 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_only_get_and_head_are_answered(viewer, method):
    answer = safe(viewer.ask("/api/runs.json", method=method))
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_head_is_get_without_the_body(viewer):
    got, head = viewer.ask("/api/runs.json"), safe(viewer.ask("/api/runs.json", method="HEAD"))
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(got.body))


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:PORT", "10.0.0.1:PORT"],
)
def test_a_foreign_name_that_points_here_is_refused(viewer, host):
    assert safe(viewer.ask("/", host=host.replace("PORT", str(viewer.port)))).status == 421


def test_the_names_of_the_loopback_are_known(viewer):
    for host in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]"):
        assert viewer.ask("/", host=f"{host}:{viewer.port}").status == 200


def test_a_request_without_a_name_or_with_two_is_refused(viewer):
    with socket.create_connection(("127.0.0.1", viewer.port)) as raw:
        raw.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert raw.recv(100).split()[1] == b"400"
    with socket.create_connection(("127.0.0.1", viewer.port)) as raw:
        own = f"Host: 127.0.0.1:{viewer.port}\r\n".encode()
        raw.sendall(b"GET / HTTP/1.1\r\n" + own + b"Host: evil.example\r\n\r\n")
        assert raw.recv(100).split()[1] == b"400"


@pytest.mark.parametrize(
    ("name", "host", "ours"),
    [
        ("192.168.1.5:80", "0.0.0.0", True),
        ("[fe80::1]:80", "::", True),
        ("evil.example:80", "0.0.0.0", False),
        ("box.local:80", "box.local", True),
        ("192.168.1.5", "0.0.0.0", True),
        ("192.168.1.5:81", "0.0.0.0", False),
        ("", "127.0.0.1", False),
        (":80", "", False),
    ],
)
def test_a_server_for_others_goes_by_its_numbers_and_its_own_name(name, host, ours):
    assert is_our_name(name, host, 80) == ours


def test_a_version_that_the_browser_has_is_not_sent_again(viewer, bots_id):
    version = viewer.json(f"/api/runs/{bots_id}.json")["version"]
    assert safe(viewer.ask(f"/api/runs/{bots_id}.json?since={version}")).status == 304
    assert viewer.ask(f"/api/runs/{bots_id}.json?since=another").status == 200


@pytest.mark.slow
def test_a_run_under_way_is_shown_as_it_grows_until_it_is_cut_off(tmp_path):
    flags = ("--participants", "tag,random", "--seeds", "2", "--hands", "8", "--set", "stop.adjacentConfidence=null")
    run = start(*flags, "--max-matches", 5000, "--output-dir", tmp_path, "--quiet", "--executor", "inline")
    viewer = None
    try:
        end = time.monotonic() + 30
        while not list(tmp_path.glob("*/journal.jsonl")) and time.monotonic() < end:
            time.sleep(0.02)
        viewer = Viewer(tmp_path)
        name = next(tmp_path.iterdir()).name

        def newer(than):
            began = time.monotonic()
            while time.monotonic() < began + 30:
                answer = viewer.ask(f"/api/runs/{name}.json?since={than}")
                if answer.status == 200:
                    return json.loads(answer.body)
                time.sleep(0.1)
            raise AssertionError("nothing new within thirty seconds")

        first = newer(0)
        assert first["status"] == "running"
        second = newer(first["version"])
        while second["totals"]["matches"] <= first["totals"]["matches"]:
            second = newer(second["version"])
        assert second["totals"]["games"] > first["totals"]["games"]
        run.kill()
        run.communicate()
        while second["status"] == "running":
            second = newer(second["version"])
        assert second["status"] == "interrupted"
    finally:
        run.kill()
        run.communicate()
        if viewer is not None:
            assert viewer.end() == (0, "")


def test_a_folder_that_is_a_run_is_shown_as_the_one_run(runs, bots_id):
    library = Library(runs / bots_id)
    assert [line["id"] for line in library.runs_page()] == [bots_id]
    with pytest.raises(ConfigError):
        library.folder("agents")


def test_a_port_that_is_taken_is_one_clear_line(viewer, runs):
    done = quick("view", runs, "--port", viewer.port, "--no-browser")
    one_clear_line(done, f"port {viewer.port}", "--port")


def test_bad_input_is_one_clear_line(tmp_path, runs):
    one_clear_line(quick("view", tmp_path / "none", "--no-browser"), "DIR", "a folder of runs")
    one_clear_line(quick("view", runs, "--host", "256.1.1.1", "--port", "0", "--no-browser"), "--host")


def test_without_its_libraries_view_says_what_to_install(runs, fresh_python):
    code = (
        "import sys; sys.modules['starlette.applications'] = None\n"
        f"sys.argv = [{MOLT_BENCH!r}, 'view', {str(runs)!r}, '--no-browser']\n"
        "from molt_bench.cli import main\n"
        "sys.stderr = sys.stdout\n"
        "try: main()\nexcept SystemExit as end: print(end.code, file=sys.stderr)"
    )
    said = fresh_python(code).splitlines()
    assert said[-1] == "1"
    assert "pip install 'molt-bench[view]'" in said[0]
    assert len(said) == 2


@pytest.fixture
def guests(runs, bots_id, tmp_path):
    """Return a folder with a run of live agents that has not ended."""
    header, *lines = map(json.loads, (runs / bots_id / "journal.jsonl").read_bytes().splitlines()[:9])
    header["config"]["participants"][0] |= {"type": "live", "displayName": "a guest by name"}
    header["configHash"] = config_hash(header["config"])
    (tmp_path / "guests").mkdir()
    (tmp_path / "guests" / "journal.jsonl").write_bytes(rechained([header, *lines]))
    for name in ("summary.json", "leaderboard.json"):  # as an interruption leaves them
        told = json.loads((runs / bots_id / name).read_bytes()) | {"ending": None}
        told.pop("journal", None)
        text = json.dumps(told).replace('"name": "tag"', '"name": "a guest by name"')
        (tmp_path / "guests" / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("page", ["", "/names", "/hands", "/styles", "/said", "/match/1", "/hand/1/0/1"])
def test_a_run_with_live_agents_shows_its_host_alone_what_they_hold_until_it_has_ended(guests, page):
    path = f"api/runs/guests{page}.json"
    with pytest.raises(PermissionError, match="with its token"):
        answer(Library(guests), path)


def test_such_a_run_is_listed_without_names_and_is_not_published(guests):
    assert "a guest by name" in json.dumps(answer(Library(guests), "api/runs/guests/names.json", host_asks=True))
    for page in ("runs", "history"):
        assert "a guest by name" not in json.dumps(answer(Library(guests), f"api/{page}.json"))
    for place, form in ((guests / "guests", "html"), (guests, "site")):
        done = quick("export", place, "--format", form, "--output", guests.with_name(f"a {form}"))
        assert done.returncode == 1
        assert "neither cards nor names" in done.stderr.splitlines()[-1]
