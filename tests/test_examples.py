"""The projects in examples/ do what their READMEs say: every command in them is run, in a copy of the folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from molt_bench import cards_to_text, strength
from tests.e2e.shell import fault_counts, quick
from tests.llm.provider import Provider
from tests.llm.wire import default_policy
from tests.serve.test_proxies import free_port

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
SCRIPTS = Path(sys.executable).parent


def commands(name):
    """Return the commands that a README shows, in order."""
    text = (EXAMPLES / name / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def copied(name, folder):
    return Path(shutil.copytree(EXAMPLES / name, folder / name))


def run(command, folder, *, status=0, **variables):
    """Run a command of a README, and return what it prints."""
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_every_project_is_listed_and_says_how_it_is_used():
    listed = re.findall(r"\]\(([\w-]+)/README\.md\)", (EXAMPLES / "README.md").read_text("utf-8"))
    assert sorted(listed) == NAMES
    for name in NAMES:
        text = (EXAMPLES / name / "README.md").read_text("utf-8")
        assert "molt-bench " in text
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (EXAMPLES / name / target).is_file(), (name, target)
        for mentioned in re.findall(r"`([\w-]+\.(?:py|yaml|sh|c|service))`", text):
            assert (EXAMPLES / name / mentioned).is_file(), (name, mentioned)


@pytest.mark.parametrize(
    "config",
    [
        # Loading the libraries of models takes seconds.
        pytest.param(path, marks=pytest.mark.slow if "llm" in path.read_text("utf-8") else ())
        for path in sorted(EXAMPLES.glob("*/*.yaml"))
    ],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_every_config_is_valid(config, tmp_path):
    folder = copied(config.parent.name, tmp_path)
    for checkpoint in re.findall(r"checkpoints/\d+\.json", config.read_text("utf-8")):  # as before any training
        (folder / checkpoint).parent.mkdir(exist_ok=True)
        (folder / checkpoint).write_text("{}")
    done = quick("doctor", config.name, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f"{config.name} is valid" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_bot_is_built_checked_and_plays(tmp_path):
    folder = copied("c-bot", tmp_path)
    printed = [run(command, folder) for command in commands("c-bot")]
    assert "fit to play" in printed[1]
    assert {*fault_counts(printed[2])} == {"0"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_bot_ranks_hands_as_the_engine_does(tmp_path):
    source = '#define main bot_main\n#include "bot.c"\n#undef main\nint main(void) { int cards[7]; while (fgets(line, '
    source += 'sizeof line, stdin)) printf("%d\\n", value(cards, read_cards(line, cards))); return 0; }\n'
    (tmp_path / "values.c").write_text(source)
    strict = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", EXAMPLES / "c-bot", "values.c", "-o", "values"]
    subprocess.run(strict, cwd=tmp_path, check=True)
    hands = np.random.default_rng(3).random((5_000, 52)).argsort(axis=1)[:, :7].tolist()
    lines = ["".join(f'"{cards_to_text([card])}"' for card in hand) + "]\n" for hand in hands]
    printed = subprocess.run([tmp_path / "values"], input="".join(lines), capture_output=True, text=True, check=True)
    found = np.array([int(line) for line in printed.stdout.splitlines()])
    expected = np.array([strength(hand) for hand in hands])
    order = np.argsort(expected, kind="stable")
    assert (np.sign(np.diff(found[order])) == np.sign(np.diff(expected[order]))).all()


@pytest.mark.slow
def test_the_python_bot_is_checked_plays_and_passes_its_gate_until_it_gets_worse(tmp_path):
    folder = copied("python-bot", tmp_path)
    named = "git -c user.name=a -c user.email=a@b.c"
    run(f"git init --quiet && git add . && {named} commit --quiet --message first", folder)
    check, play, base, gate = commands("python-bot")
    run(f"{check} --hands 50", folder)
    assert "bot" in run(play, folder)
    run(base, folder)
    assert "not worse" in run(gate, folder)
    bot = (folder / "bot.py").read_text("utf-8")
    assert 'Action("call" if legal.to_call else "check")' in bot
    (folder / "bot.py").write_text(
        bot.replace('Action("call" if legal.to_call else "check")', 'Action("fold")'), "utf-8"
    )
    assert "worse" in run(gate, folder, status=4)


@pytest.mark.slow
def test_the_plug_in_adds_all_that_it_names(tmp_path):
    """Its folder is on the path with the metadata that pip writes, and every command but pip's is run."""
    folder = copied("plug-in", tmp_path)
    assert (folder / "coin.py").read_text("utf-8").count("\n") <= 60
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    info = folder / "coin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coin\nVersion: 1\n")
    groups = project["entry-points"].items()
    points = [f"[{group}]\n{name} = {value}\n" for group, each in groups for name, value in each.items()]
    (info / "entry_points.txt").write_text("".join(points))
    install, play, *others = commands("plug-in")
    assert install == "pip install ."
    (tmp_path / "elsewhere").mkdir()
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    told, largest, _, verified = [run(each, tmp_path / "elsewhere", PYTHONPATH=path) for each in (play, *others)]
    assert re.search(r"^\d+ games were played\.$", told, re.MULTILINE)
    assert re.fullmatch(r"\d+ chips\n", largest)
    assert "identical when replayed" in verified
    (journal,) = (tmp_path / "elsewhere" / "out").glob("*/journal.jsonl")
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    assert {each.get("term") for each in lines if each["line"] == "margins"} == {"without-cards 1"}
    assert journal.with_name("run.nets").read_text().count("\n") == sum(each["line"] == "game" for each in lines)


#: What the models of the example answer, from the best to the worst; the others check or call.
FOLDING = ("gpt-4.1-nano", "gemini-2.5-flash-lite")


@pytest.mark.slow
def test_five_models_play_within_their_money(tmp_path):
    folder = copied("five-models", tmp_path)
    models = re.findall(r'model: "(.+?)"', (folder / "models.yaml").read_text("utf-8"))
    assert len(models) == 5
    asked = set()

    def policy(prompt, body):
        asked.add(body.get("model", "google"))
        return {"kind": "fold"} if body.get("model") in FOLDING else default_policy(prompt, body)

    # They are elsewhere than their providers say, so they have no price of their own.
    prices = json.dumps({name: {"input": 2, "output": 8} for name in models})
    with Provider(policy=policy, keep_requests=False) as provider:
        base = provider.url.removesuffix("/v1")
        keys = {f"{name}_API_KEY": "a-key" for name in ("OPENAI", "ANTHROPIC", "GOOGLE")}
        urls = {"OPENAI_BASE_URL": provider.url, "ANTHROPIC_BASE_URL": base, "GOOGLE_GEMINI_BASE_URL": base}
        plan, play = commands("five-models")
        assert "dollars" in run(plan, folder, **keys)
        few = "--max-matches 15 --seeds 1 --hands 5"  # all pairings, and not for an hour
        printed = run(f"{play} {few} --set 'llm.prices={prices}'", folder, **keys, **urls)
    assert provider.answered > 400
    assert fault_counts(printed) == ["0"] * 6
    assert float(re.search(r"\$([0-9.]+)", printed)[1]) <= 20


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed: make slow SUITE=live")
def test_guests_play_at_the_live_benchmark_behind_caddy(tmp_path):
    folder, port, behind = copied("live-benchmark", tmp_path), free_port(), free_port()
    proxied = (folder / "Caddyfile").read_text("utf-8")
    # Without TLS, which the tests of proxies have: guests do not accept a certificate of our own making.
    named = proxied.replace("bench.example.org {", f"http://localhost:{port} {{")
    assert named != proxied
    text = "{\n\tadmin off\n\tauto_https off\n}\n" + named.replace("127.0.0.1:8770", f"127.0.0.1:{behind}")
    (folder / "Caddyfile").write_text(text, "utf-8")
    (serve,) = re.findall(r"^molt-bench (serve .*--public-url.*)$", (folder / "README.md").read_text("utf-8"), re.M)
    serve = serve.replace("8770", str(behind)).replace("https://bench.example.org", f"http://localhost:{port}")
    flags = (folder / "molt-bench.service").read_text("utf-8").partition("ExecStart=")[2].splitlines()[0].split()
    assert {*re.findall(r"--[\w-]+", serve)} <= {*flags}
    config = (folder / "live.yaml").read_text("utf-8")
    fewer = config.replace("perMatch: 5", "perMatch: 1").replace("handsPerGame: 20", "handsPerGame: 5")
    assert fewer != config
    (folder / "live.yaml").write_text(fewer, "utf-8")
    env = {**os.environ, "HOME": str(folder)}
    with ExitStack() as programs:

        def start(*command, **options):
            program = subprocess.Popen(command, cwd=folder, env=env, text=True, **options)
            programs.enter_context(program)  # which waits, and closes what it wrote to
            programs.callback(program.terminate)
            return program

        start("caddy", "run", "--adapter", "caddyfile", "--config", "Caddyfile", stderr=subprocess.DEVNULL)
        server = start(SCRIPTS / "molt-bench", *serve.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        invitations = []
        while len(invitations) < 2:
            line = server.stdout.readline()
            assert line, "the server ended"
            invitations += re.findall(rf"http://localhost:{port}/j/\w+", line)
        guests = [
            start(SCRIPTS / "molt-bench", "join", url, "--agent", agent, "--quiet")
            for url, agent in zip(invitations, ("maniac", "callstation"), strict=True)
        ]
        assert [guest.wait(300) for guest in guests] == [0, 0]
        rest = server.stdout.read()
        assert server.wait(60) == 0, rest
    assert "Results: " in rest
    assert "guest-1" in rest


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pettingzoo") is None, reason="what adapters need is not installed")
def test_the_learner_trains_and_its_checkpoints_are_ranked(tmp_path):
    folder = copied("training", tmp_path)
    train, rank = commands("training")
    assert "8,000 games" in run(train, folder)
    printed = run(rank, folder)
    places = [printed.index(f"after-{games}") for games in (8000, 0)]
    assert places == sorted(places), printed


#: What a model writes, round by round: no code, a bot that raises, and one that calls.
WRITTEN = (
    "I cannot write code.",
    "```python\ndef make():\n    raise ValueError('not yet')\n```",
    """Here it is.
```python
from molt_bench import Action


class Bot:
    name = "bot"

    def act(self, observation):
        return Action("call" if observation.to_call else "check")


def make():
    return Bot()
```""",
)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bwrap"), reason="there is no bubblewrap")
def test_a_model_writes_bots_and_is_shown_what_was_wrong_and_what_cost_most(tmp_path):
    folder, asked = copied("models-that-write-bots", tmp_path), []

    def policy(prompt, _body):
        asked.append(prompt)
        return WRITTEN[min(len(asked), len(WRITTEN)) - 1]

    with Provider(policy=policy, keep_requests=False) as provider:
        write, gate = commands("models-that-write-bots")
        there = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        printed = run(f"{write} --rounds 4 --hands 2", folder, **there)
    assert printed.splitlines()[:2] == ["round 1: not fit to play", "round 2: not fit to play"]
    assert re.search(r"^round 4: [+-][0-9.]+ bb/100$", printed, re.MULTILINE)
    assert re.search(r"^best: round-[34]/bot.py$", printed, re.MULTILINE)
    assert "not yet" in asked[2]
    assert "What cost it most:\n- " in asked[3]
    quick_look = "--set game.handsPerGame=2 --set scheduler.minSeedPairs=5 --opponents tag --margin 50000 --slower 0"
    same = gate.replace("round-5", "round-4").replace("round-1", "round-3")
    assert "not worse" in run(f"{same} {quick_look}", folder)


@pytest.mark.slow
def test_three_wordings_of_a_prompt_play_and_their_spread_is_told(tmp_path):
    folder = copied("prompt-sensitivity", tmp_path)
    prices = f"--set 'llm.prices={json.dumps({'openai:gpt-4.1-nano': {'input': 0.1, 'output': 0.4}})}'"

    def policy(prompt, body):
        return {"kind": "fold"} if "just you and one other player" in json.dumps(body) else default_policy(prompt, body)

    with Provider(policy=policy, keep_requests=False) as provider:
        there = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        play, told = commands("prompt-sensitivity")
        run(f"{play} --max-matches 18 --hands 5 {prices}", folder, **there)
    printed = run(told, folder)
    assert "3 wordings; from the worst to the best are" in printed
    assert re.search(r"^  casual: -", printed, re.MULTILINE)
    assert "plays better than casual" in printed or "No spread beyond the intervals" in printed
