"""`plan` and `compare` as a user runs them."""

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.e2e.llm import config_for, played
from tests.e2e.shell import configured_run, good, in_bash, one_clear_line, quick, usage_in

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FIXED = ("--scheduler", "round_robin", "--set", "stop.adjacentConfidence=null")
BOT = '''
from molt_bench import Action


class Bot:
    """Calls, but folds to a bet in every hand whose number `leak` divides, and raises an exception if it is broken."""

    name = "bot"

    def __init__(self, leak=0, broken=False):
        self.leak, self.broken = leak, broken

    def act(self, observation):
        if self.broken:
            raise ValueError("broken")
        if not observation.to_call:
            return Action("check")
        return Action("fold") if self.leak and observation.hand_number % self.leak == 0 else Action("call")
'''


class Runs:
    """Runs of a bot against two others, by the bot's params; each is played where the others were, once."""

    def __init__(self, home):
        self.home = home
        (home / "bot.py").write_text(BOT)
        self.old, self.same = self.make("old"), self.make("same")
        self.weak = self.make("weak", {"leak": 1})
        self.other = self.make("other", {"leak": 1}, seed="t")

    def make(self, name, params=None, *, seed="s", bot="bot", hands=10):
        config = {
            "participants": [{"id": bot, "type": "../bot.py:Bot", "params": params or {}}, "tight", "callstation"],
            "seeds": {"perMatch": 12, "masterSeed": seed},
            "game": {"handsPerGame": hands},
            "stop": {"budget": {"maxMatches": 3}},
        }
        return configured_run(self.home / name, config, *FIXED, cwd=self.home / name)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"))


def agents_of(done):
    return {each["newId"]: each for each in json.loads(good(done).stdout)["agents"]}


@pytest.mark.slow
def test_the_same_agent_twice_differs_by_exactly_nothing(runs):
    for each in agents_of(quick("compare", runs.old, runs.same, "--json")).values():
        assert (each["changeBbPer100"], each["lowBbPer100"], each["highBbPer100"]) == (0, 0, 0)
        assert (each["verdict"], each["paired"]) == ("not worse", True)


def test_a_weakened_bot_is_worse(runs):
    here = [run.relative_to(runs.home) for run in (runs.old, runs.weak)]  # relative to where the user is
    done = good(quick("compare", *here, "--agent", "bot", cwd=runs.home))
    assert done.stderr == ""
    assert re.search(r"bot +2 +24 .* worse", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_other_seeds_are_said(runs):
    done = quick("compare", runs.old, runs.other, "--agent", "bot")
    assert "24 / 24" in done.stdout
    assert "On different cards" in done.stdout
    assert "share no cards" in done.stderr


def status(*arguments):
    done = quick("compare", *arguments, "--agent", "bot")
    return done.returncode, done.stderr


def test_a_loss_of_surely_more_than_the_margin_is_status_4(runs):
    bot = agents_of(quick("compare", runs.old, runs.weak, "--agent", "bot", "--json"))["bot"]
    low, high = (-10 * bot[key] for key in ("lowBbPer100", "highBbPer100"))  # the flags are in mbb
    assert 0 < high < low
    code, said = status(runs.old, runs.weak, "--margin", 0.9 * high)
    assert code == 4
    assert "bot: it surely lost more than" in said
    most = max(-10 * each["lowBbPer100"] for each in bot["byOpponent"].values())
    assert status(runs.old, runs.weak, "--margin", 1.1 * most) == (0, "")
    assert status(runs.weak, runs.old, "--margin", 0) == (0, "")
    assert status(runs.old, runs.same, "--margin", 0) == (0, "")


def test_too_few_hands_to_say_that_no_more_was_lost_are_status_6(runs):
    """On other cards the interval is wide."""
    done = quick("compare", runs.old, runs.other, "--agent", "tight", "--margin", 1)
    assert done.returncode == 6
    assert re.search("tight: (an answer takes about|it is too close)", done.stderr)


def test_a_bot_that_raises_exceptions_passes_no_gate_though_it_loses_little(runs):
    """Folding every hand loses less than a gate may allow."""
    code, said = status(runs.old, runs.make("broken", {"broken": True}), "--margin", 100_000)
    assert code == 4
    assert re.search(r"bot: it gave no usable answer in [0-9]+% of its hands$", said.strip())


def test_the_junit_file_agrees_with_the_exit_status(runs, tmp_path):
    for new, agent in ((runs.same, "bot"), (runs.weak, "bot"), (runs.other, "tight")):
        done = quick("compare", runs.old, new, "--agent", agent, "--margin", 0, "--save", tmp_path / "a.xml")
        suite = ElementTree.parse(tmp_path / "a.xml").find("testsuite")
        assert (done.returncode == 4, done.returncode == 6) == (
            suite.get("failures") == "1",
            suite.get("skipped") == "1",
        )


def test_quiet_leaves_the_exit_status_and_what_is_wrong_and_json_has_the_verdict(runs):
    worse = ("compare", runs.old, runs.weak, "--agent", "bot", "--margin", 0)
    done = quick("compare", runs.old, runs.same, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = quick(*worse, "--quiet")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
    assert json.loads(quick(*worse, "--json").stdout)["verdict"] == "worse"


@pytest.mark.slow
def test_a_hostile_name_comes_through_every_format(runs, tmp_path):
    name = "a|b\n::error::c<i>&`@d`"
    good_one, bad = runs.make("hostile", bot=name), runs.make("hostile weak", {"leak": 1}, bot=name)
    common = ("compare", good_one, bad, "--agent", name, "--margin", 0)
    saved = {ending: tmp_path / f"a.{ending}" for ending in ("json", "md", "xml")}
    done = quick(*common, *(word for path in saved.values() for word in ("--save", path)))
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert json.loads(saved["json"].read_text())["agents"][0]["newId"] == name
    assert json.loads(quick(*common, "--json").stdout) == json.loads(saved["json"].read_text())
    assert ElementTree.parse(saved["xml"]).find("*/testcase/failure") is not None
    assert len([line for line in saved["md"].read_text().splitlines() if line.startswith("|")]) == 3


def test_what_cannot_be_compared_is_one_clear_line(runs, tmp_path):
    """And status 1, so that a pipeline tells a run that is missing from a regression."""
    short = runs.make("short", hands=5)
    one_clear_line(quick("compare", runs.old, short), "cannot be compared", "game.handsPerGame is 10", "and 5 in")
    damaged = shutil.copytree(runs.same, tmp_path / "damaged")
    (damaged / "journal.jsonl").write_text("what is this?\n")
    one_clear_line(quick("compare", runs.old, damaged, "--json"), "line 1 is damaged")
    one_clear_line(quick("compare", tmp_path / "nowhere", runs.same, "--margin", 500), "RUN", "journal.jsonl")
    for agent, said in (("nobody", "bot, tight, callstation"), ("a=b=c", "OLD_ID=NEW_ID")):
        one_clear_line(quick("compare", runs.old, runs.same, "--agent", agent), "--agent", said)


def test_the_help_names_the_exit_statuses_of_a_verdict():
    said = " ".join(quick("compare", "--help", env={"COLUMNS": "200"}).stdout.split())
    assert "4 if an agent is worse by more than that" in said
    assert "6 if the hands are too few" in said


def test_an_opponent_that_changed_is_left_out_with_a_warning(runs):
    done = good(quick("compare", runs.old, runs.weak))
    assert "warning: bot is not the same in both runs (params)" in done.stderr
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.split()[1:2] == ["1"]]
    assert rows == [["tight", "1"], ["callstation", "1"]]


@pytest.mark.slow
def test_runs_with_models_are_compared_and_pilots_read_without_a_key_and_without_asking(tmp_path, server):
    old, new = (played(tmp_path / name, config_for(server.url)) for name in ("old", "new"))
    before = server.received
    model = agents_of(quick("compare", old, new, "--agent", "model", "--json"))["model"]
    assert (model["paired"], model["changeBbPer100"], model["verdict"]) == (True, 0, "not worse")
    usage = usage_in(old)["model"]
    done = good(quick("plan", tmp_path / "old" / "bench.json", "--pilot", old, "--json"))
    assert server.received == before
    content = json.loads(done.stdout)
    (model,) = content["assumed"]["models"]
    assert content["assumed"]["pilotSeedPairs"] == 6
    assert model["callsPerHand"] == pytest.approx(usage["exchanges"] / (2 * 4 * 6), rel=0.2)
    # The usage counts the question of the preflight, too.
    assert model["inputTokens"] == pytest.approx(usage["tokens"]["input"] / usage["exchanges"], rel=0.01)
    assert model["usdPerCall"] == pytest.approx(usage["costUsd"] / usage["exchanges"], rel=0.01)
    assert model["measured"] is True
    assert content["opening"]["usd"] > 0


@pytest.mark.slow
def test_a_plan_fits_80_columns_and_says_what_has_no_price(tmp_path, server):
    (tmp_path / "bench.json").write_text(json.dumps(config_for(server.url, llm={"prices": {}})))
    shown = good(quick("plan", tmp_path / "bench.json")).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "$0" not in shown
    said = " ".join(shown.split())
    assert "Assumptions, in bb/100: a seed pair of 12 hands has a standard deviation of" in said
    for words in ("unpriced", "No price is known for model", "opening"):
        assert words in said


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def trimmed(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def without_prices(text):
    """Cut the dollars, which change with the providers' prices, and the width of their column."""
    return [re.sub(r"[$][0-9.,k]+", "$", " ".join(line.split())) for line in trimmed(text) if "───" not in line]


@pytest.mark.slow
def test_the_screen_of_models_in_the_guide_is_the_real_one(tmp_path):
    (tmp_path / "bench.yaml").write_text(blocks("how-to/plan-and-extend-a-run.md", "yaml")[0])
    done = quick("plan", tmp_path / "bench.yaml")
    assert without_prices(done.stdout) == without_prices(blocks("how-to/plan-and-extend-a-run.md", "text")[0])


@pytest.mark.slow
def test_the_commands_that_compare_in_the_guide_run_and_print_what_is_shown(tmp_path):
    shutil.copytree(DOCS, tmp_path / "docs")
    *_, made, checks = blocks("reference/compare-and-gate.md", "sh")
    shown = trimmed(blocks("reference/compare-and-gate.md", "text")[-1])
    assert trimmed(good(in_bash(made, cwd=tmp_path)).stdout)[-len(shown) :] == shown
    good(in_bash(checks, cwd=tmp_path))
