"""A key is nowhere but in the request that needs it; what is missing is said before the first card."""

import json
import re
import subprocess
import sys

import pytest

from tests.e2e.llm import config_for, prepared
from tests.e2e.shell import bench, everything, fault_counts, one_clear_line, quick, run_of
from tests.llm.wire import key_of

#: Recognisable as a whole and in its middle, should somebody show only a part of it.
SECRET, MIDDLE = "sk-test-5ecr3tk3yd0n0tsh0w-91c7", "5ecr3tk3yd0n0tsh0w"
ENV = {"MY_KEY": SECRET}


def tiny(server, **model):
    """Return the config of a run of a few decisions."""
    config = config_for(server.url, llm={"backoffS": 0.0003, "transportRetries": 1}, **model)
    return {
        **config,
        "participants": config["participants"][:2],
        "seeds": {"perMatch": 1},
        "game": {"handsPerGame": 2},
        "scheduler": {"minSeedPairs": 1},  # so that one match is enough, and no warning
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }


def ran(folder, config, *, before=(), after=(), env=None):
    """Run a config in a folder."""
    program = bench if before else quick  # a fork has no last word of the interpreter, which --debug shows
    return program(*before, "run", *prepared(folder, config), "--quiet", *after, cwd=folder, env=env)


def nowhere(folder, done, secret=MIDDLE):
    """Check that a secret is in nothing that a run has printed or left behind."""
    assert secret not in done.stdout
    assert secret not in done.stderr
    for path in folder.rglob("*"):
        assert secret not in path.name
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


def run_folders(folder):
    """Return the folders of runs that were left behind."""
    return [*(folder / "out").iterdir()] if (folder / "out").exists() else []


@pytest.mark.parametrize(
    ("fault", "debug"),
    [("401", False), pytest.param("401", True, marks=pytest.mark.slow), ("400", False), ("429-quota", False)],
)
def test_a_provider_that_refuses_for_good_is_one_line_without_the_key(tmp_path, server, fault, debug):
    server.fault = fault
    before = server.received
    done = ran(tmp_path, tiny(server, apiKeyEnv="MY_KEY"), before=["--debug"] if debug else [], env=ENV)
    nowhere(tmp_path, done)
    requests = server.since(before)
    assert requests
    assert {key_of(request.path, request.headers) for request in requests} == {SECRET}
    assert done.returncode == 1
    assert ("Traceback" in done.stderr) == debug
    if not debug and fault != "400":  # which is told of for every output mode before
        one_clear_line(done, "model", "molt-bench resume")
    assert "molt-bench resume" in done.stderr
    if fault == "401":
        assert "[key]" in done.stderr


@pytest.mark.parametrize(
    ("fault", "debug"),
    [
        ("echo-key", False),
        ("500", False),
        pytest.param("echo-key", True, marks=pytest.mark.slow),
        pytest.param("500", True, marks=pytest.mark.slow),
    ],
)
def test_a_key_in_a_reply_or_beside_an_error_is_cut_out(tmp_path, server, fault, debug):
    server.fault = fault
    config = tiny(server, apiKeyEnv="MY_KEY")
    done = ran(tmp_path, config, before=["--debug"] if debug else [], env=ENV)
    nowhere(tmp_path, done)
    assert done.returncode == (1 if fault == "500" else 0), done.stderr
    exchanges = (run_of(tmp_path / "out") / "replies.jsonl").read_text()
    assert ("The key is [key]" in exchanges) == (fault == "echo-key")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "fault"), [("anthropic:test", "401"), ("google:test", "401"), ("google:test", "echo-key")]
)
def test_keys_of_other_providers_are_cut_out_as_well(tmp_path, server, model, fault):
    server.fault = fault
    config = tiny(server, type=f"llm:{model}", baseUrl=server.url.removesuffix("/v1"), apiKeyEnv="MY_KEY")
    before = server.received
    done = ran(tmp_path, config, env=ENV)
    nowhere(tmp_path, done)
    assert {key_of(request.path, request.headers) for request in server.since(before)} == {SECRET}
    assert done.returncode == (1 if fault == "401" else 0), done.stderr


@pytest.mark.slow
def test_a_newline_after_a_key_does_no_harm(tmp_path, server):
    done = ran(tmp_path, tiny(server, apiKeyEnv="MY_KEY"), before=["--debug"], env={"MY_KEY": f"{SECRET}\n"})
    nowhere(tmp_path, done)
    assert done.returncode == 0
    assert {*fault_counts(done.stdout)} == {"0"}


@pytest.mark.slow
def test_a_key_that_resume_needs_is_asked_for_by_name_and_the_run_is_kept(tmp_path, server):
    server.fault = "429-quota"
    ran(tmp_path, tiny(server, apiKeyEnv="MY_KEY"), env=ENV)
    folder = run_of(tmp_path / "out")
    journal = (folder / "journal.jsonl").read_bytes()
    one_clear_line(quick("resume", "--run-agents", folder), "MY_KEY", "model")
    assert (folder / "journal.jsonl").read_bytes() == journal
    server.fault = None
    done = quick("resume", "--run-agents", folder, "--quiet", env=ENV)
    assert done.returncode == 0, done.stderr
    nowhere(tmp_path, done)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("openai:test", ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY")),
        ("anthropic:test", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")),
        ("google:test", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    ],
)
def test_a_server_of_the_users_own_never_gets_the_key_of_a_provider(tmp_path, server, model, names):
    before = server.received
    url = server.url if model == "openai:test" else server.url.removesuffix("/v1")
    done = ran(tmp_path, tiny(server, type=f"llm:{model}", baseUrl=url), env=dict.fromkeys(names, SECRET))
    assert done.returncode == 0, done.stderr
    requests = server.since(before)
    assert requests
    for request in requests:
        assert MIDDLE not in json.dumps([request.path, request.headers, request.body])
    nowhere(tmp_path, done)


def refused(tmp_path, server, config, *said, env=None):
    """Check that a config is refused before the first card, with nothing left behind and nobody asked."""
    before = server.received
    done = ran(tmp_path, config, env=env)
    one_clear_line(done, *said)
    assert run_folders(tmp_path) == []
    assert server.received == before
    return done.stderr


#: What a config of a model says, what is told of it, and whether it is tried in every run of the tests.
WRONG = {
    "the variable is not set": ({"apiKeyEnv": "MY_KEY"}, ("participants.model.apiKeyEnv", "MY_KEY"), True),
    "no key of OpenAI": ({"baseUrl": None}, ("participants.model", "OPENAI_API_KEY"), False),
    "no key of Anthropic": ({"type": "llm:anthropic:x", "baseUrl": None}, ("model", "ANTHROPIC_API_KEY"), False),
    "no key of Google": ({"type": "llm:google:g", "baseUrl": None}, ("model", "GEMINI_API_KEY"), False),
    "no skill document": ({"skillDoc": "no-such.md"}, ("participants.model.skillDoc", "no-such.md"), True),
    "a skill document that is no text": ({"skillDoc": "bytes.md"}, ("participants.model.skillDoc", "UTF-8"), False),
    "no provider": ({"type": "llm:gpt-4.1"}, ("participants.0.model", "gpt-4.1", "provider"), False),
    "an unknown one": ({"type": "llm:nosuch:model"}, ("participants.model.model", "nosuch"), False),
    "an unknown one without a key": ({"type": "llm:nosuch:model", "baseUrl": None}, ("nosuch",), False),
    "no URL": ({"baseUrl": ""}, ("participants.0.baseUrl",), False),
    "a URL without http": ({"baseUrl": "localhost:8000"}, ("participants.0.baseUrl",), False),
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[] if case[2] else pytest.mark.slow) for what, case in WRONG.items()]
)
def test_what_is_missing_or_wrong_is_one_line_before_the_first_card(tmp_path, server, what):
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    settings, said, _ = WRONG[what]
    assert "NOSUCH_API_KEY" not in refused(tmp_path, server, tiny(server, **settings), *said, env={"MY_KEY": ""})


@pytest.mark.slow
def test_a_password_in_a_url_is_refused_and_not_shown(tmp_path, server):
    url = server.url.replace("http://", f"http://user:{SECRET}@")
    assert MIDDLE not in refused(tmp_path, server, tiny(server, baseUrl=url), "baseUrl", "password")
    done = ran(tmp_path, tiny(server, baseUrl=url), before=["--debug"])
    assert done.returncode == 1
    assert MIDDLE not in done.stderr


def test_a_flag_that_does_not_exist_is_a_mistake_of_usage(tmp_path):
    assert quick("--no-such-flag", cwd=tmp_path).returncode == 2


def test_doctor_needs_no_key_and_names_those_that_a_run_needs(tmp_path, server):
    config = tiny(server, apiKeyEnv="MY_KEY")
    others = [
        {"id": "gem", "type": "llm:openai:gpt-4.1"},
        {"id": "nano", "type": "llm:openai:gpt-4.1-nano"},
        {"id": "bot", "type": f"exec:{sys.executable}"},
        {"id": "web", "type": "http://127.0.0.1:9/act", "apiKeyEnv": "WEB_KEY"},
    ]
    prepared(tmp_path, {**config, "participants": [*config["participants"], *others]})
    done = quick("doctor", "bench.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "maxMatches: 15 would" in done.stderr
    first, *keys = done.stdout.splitlines()
    assert first.endswith("2 hands per game; not started or asked yet: model, gem, nano, bot, web")
    needed = {"MY_KEY": "model", "OPENAI_API_KEY": "gem, nano", "WEB_KEY": "web"}
    assert keys == [f"  not set {name:20} for {who}" for name, who in needed.items()]
    everything_set = dict.fromkeys(needed, SECRET)
    done = quick("doctor", "bench.json", cwd=tmp_path, env=everything_set)
    assert done.stdout.splitlines()[1:] == [f"  ok      {name:20} for {who}" for name, who in needed.items()]
    assert MIDDLE not in done.stdout


@pytest.mark.parametrize(
    ("participant", "said"),
    [
        ({"type": "llm:openai:gpt-4.1", "skillDoc": "no-such.md"}, "no-such.md"),
        ({"type": "llm:nosuch:model"}, "nosuch"),
        ({"type": "exec:./nothing"}, "a program that is there"),
        ({"type": "http:ftp://h", "apiKeyEnv": "WEB_KEY"}, "a URL"),
        ({"type": "nowhere.py:make"}, "nowhere.py"),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_doctor_finds_everything_but_keys(tmp_path, participant, said):
    prepared(tmp_path, {"participants": [{"id": "one", **participant}, "tight"]})
    one_clear_line(quick("doctor", "bench.json", cwd=tmp_path), said)


def test_a_run_needs_the_keys_that_doctor_did_without(tmp_path):
    web = {"id": "web", "type": "http://127.0.0.1:9/act", "apiKeyEnv": "WEB_KEY"}
    prepared(tmp_path, {"participants": [web, "tight"]})
    assert quick("doctor", "bench.json", cwd=tmp_path).returncode == 0
    one_clear_line(quick("--config", "bench.json", cwd=tmp_path), "WEB_KEY")


#: The program as it is where some packages are not installed, once for each list of arguments.
WITHOUT = """
import json, sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
from molt_bench.cli import main
for arguments in json.loads(sys.argv[2]):
    sys.argv = ["molt-bench", *arguments]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    print("<<<", code, sep="", end="<<<", file=sys.stderr, flush=True)
print(sorted({name.partition(".")[0] for name in sys.modules if sys.modules[name]}), file=sys.stderr)
"""
MODELS = "pydantic_ai,openai,httpx2,aiohttp,genai_prices"


def without(missing, *commands, cwd):
    """Run commands in one fresh interpreter; return what came of each, and which packages were loaded at the end."""
    words = json.dumps([[str(word) for word in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, missing, words], capture_output=True, text=True, check=True, timeout=60, cwd=cwd
    )
    *told, loaded = done.stderr.split("<<<")
    found = [
        subprocess.CompletedProcess(command, int(code), "", said)
        for command, said, code in zip(commands, told[::2], told[1::2], strict=True)
    ]
    return found, done.stdout, set(re.findall(r"'(\w+)'", loaded))


@pytest.mark.parametrize(
    "missing", [MODELS, *(pytest.param(each, marks=pytest.mark.slow) for each in ("pydantic_ai", "openai"))]
)
def test_a_missing_package_names_the_extra_to_install(tmp_path, server, missing, monkeypatch):
    before = server.received
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no-key-of-anybody")
    model = ("--participants", "llm:openai:gpt-4.1,tight", "--set", "stop.budget.maxCostUsd=1")
    prepared(tmp_path, tiny(server))
    (tmp_path / "dear.json").write_text(json.dumps({"participants": ["tight", "llm:openai:gpt-4.1"]}))
    commands = ["run", "--config", "bench.json"], model, ("plan", *model), ("doctor", "dear.json")
    (run, *others), out, _ = without(missing, *commands, ("check", "llm:openai:gpt-4.1"), cwd=tmp_path)
    one_clear_line(run, "participants.model", "pip install 'molt-bench[llm]'")
    for done in others:
        assert done.returncode == 1
        assert "pip install 'molt-bench[llm]'" in done.stderr + out
        assert "bug" not in done.stderr
        assert "{" not in done.stderr
    assert run_folders(tmp_path) == []
    assert server.received == before


@pytest.mark.slow
def test_a_finished_run_is_verified_without_the_packages(tmp_path, server):
    assert ran(tmp_path, tiny(server)).returncode == 0
    folder = run_of(tmp_path / "out")
    before = everything(folder)
    found, _, _ = without(MODELS, ("verify", folder), ("report", folder), cwd=tmp_path)
    assert [done.returncode for done in found] == [0, 0], found
    assert everything(folder) == before


def test_who_asks_no_model_never_imports_what_asks_them(tmp_path):
    bots = ("--participants", "tight,random")
    play = (*bots, "--seeds", "1", "--hands", "2", "--max-matches", "1", "--quiet")
    found, _, loaded = without("nothing", ["--help"], ("init", "bench.yaml"), play, cwd=tmp_path)
    assert [done.returncode for done in found] == [0, 0, 0], found
    assert "molt_bench" in loaded
    assert not loaded & {"pydantic_ai", "openai", "anthropic", "google", "httpx", "httpx2", "aiohttp", "genai_prices"}
