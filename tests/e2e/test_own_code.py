"""Agents of one's own, from files, modules and Python; and consent: code of a stored run is run by permission alone."""

import json
import shlex
import shutil
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from molt_bench import Action
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.totals import totals
from tests.agents.external.playing import CHAOS, PYTHON
from tests.e2e.shell import (
    BOTS,
    SEEDED,
    SMALL,
    configured_run,
    cut_back,
    everything,
    faults_in,
    first_lines,
    gone_on,
    good,
    good_run,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    results,
    run_of,
    strict_json,
    verified,
)

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "bots"


@pytest.mark.parametrize(
    ("players", "ids"),
    [
        ("{bots}:make_caller,random", {"bots", "random"}),
        ("bots.py:make_caller,random", {"bots", "random"}),  # from where the program runs
        ("{bots}:make_caller,{bots}:make_picky", {"bots", "bots-2"}),
    ],
)
def test_a_factory_in_a_file_takes_part_from_the_command_line(tmp_path, bots, players, ids):
    folder = quick_run("out", *SMALL, "--participants", players.format(bots=bots), cwd=tmp_path)
    assert {each["id"] for each in read(folder, "leaderboard.json")["participants"]} == ids


@pytest.mark.slow
def test_a_factory_in_a_module_takes_part(tmp_path, bots):
    good_run(tmp_path / "out", *SMALL, "--participants", "bots:make_caller,random", env={"PYTHONPATH": str(tmp_path)})


def test_params_of_a_config_file_reach_the_factory(tmp_path, bots):
    """Raises of 3 and of 30 big blinds before the flop win pots of different sizes."""
    played = []
    for size in (3, 30):
        mine = {"id": "mine", "type": f"{bots}:make_picky", "displayName": "My bot", "params": {"size": size}}
        folder = configured_run(tmp_path / str(size), {"participants": [mine, "callstation"]}, *SMALL)
        assert "My bot" in {each["name"] for each in read(folder, "leaderboard.json")["participants"]}
        played.append(results(folder)[1])
    assert played[0] != played[1]


class Counted:
    """Calls, and counts the hands that it has played."""

    name = "counted"

    def __init__(self, hands, number):
        self.hands = hands
        self.number = number

    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")

    def on_hand_complete(self, result):
        self.hands[self.number] += 1


class Awaited(Counted):
    """Does the same once it is awaited."""

    async def act(self, observation):
        return super().act(observation)


@pytest.mark.parametrize(("at_once", "kind"), [(1, Counted), (8, Counted), (4, Awaited)])
def test_an_agent_is_made_afresh_for_every_game_and_plays_as_a_built_in_bot_does(at_once, kind):
    made, hands = [], Counter()
    config = {
        "participants": [{"id": "me", "type": "mine"}, {"id": "random", "type": "random"}],
        "seeds": {"perMatch": 3},
        "game": {"handsPerGame": 7},
        "stop": {"budget": {"maxMatches": 4}, "adjacentConfidence": None},
    }

    def make_mine():
        made.append(1)
        return kind(hands, len(made))

    result = run_benchmark(config, agents={"mine": make_mine}, games_at_once=at_once)
    games = totals(result)["games"]
    assert games == 4 * 3 * 2
    assert (len(hands), {*hands.values()}) == (games, {7})
    assert len(made) == games + 1, "once more, to see that it can be made"
    config["participants"][0]["type"] = "callstation"
    config["seeds"]["masterSeed"] = result.config.seeds.master_seed
    assert [each.score_a for each in run_benchmark(config).matches] == [each.score_a for each in result.matches]


@pytest.mark.parametrize("executor", ["inline", "async", "processes"])
@pytest.mark.slow
def test_the_traceback_of_an_agent_is_in_the_runs_folder_and_shown_once_by_debug(tmp_path, bots, executor):
    flags = (*SMALL, "--participants", f"{bots}:make_thrower,callstation", "--executor", executor)
    done = good(quick("--debug", *flags, "--output-dir", tmp_path / "out"))
    assert done.stderr.count("molt-bench: bots raised:\nTraceback (most recent call last):\n") == 1
    text = (run_of(tmp_path / "out") / "agents" / "bots.log").read_text()
    assert text.startswith("Traceback (most recent call last):\n")
    assert 'raise RuntimeError("this agent always throws")' in text
    assert text.count("File ") == 1
    assert "Traceback" not in good(quick(*flags, "--output-dir", tmp_path / "quiet")).stderr


@pytest.mark.slow
def test_a_run_that_goes_on_keeps_its_tracebacks_and_logs_those_from_the_sandbox(tmp_path, bots):
    players = ("--participants", f"{bots}:make_thrower,callstation", "--executor", "inline")
    folder = quick_run(tmp_path / "out", *SMALL, "--max-matches", "1", *SEEDED, *players)
    log = folder / "agents" / "bots.log"
    whole = log.read_text()
    cut_back(folder, first_lines(3))
    gone_on(folder, "--executor", "inline")
    assert log.read_text().startswith(whole)
    assert "RuntimeError: this agent always throws" in whole


# Permission: what a stored run would run is named first, and runs only with the flag.


@pytest.fixture
def cut(tmp_path, bots):
    """Return the folder of a run with the user's own code that has not ended, and what it would come to."""
    players = ("--participants", f"{bots}:make_caller,random")
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, *players, cwd=tmp_path)
    whole = results(folder)
    cut_back(folder, first_lines(6))
    return folder, whole


def test_a_run_goes_on_only_with_the_flag_and_says_what_it_runs(cut, bots):
    folder, whole = cut
    before = (folder / "journal.jsonl").read_bytes()
    one_clear_line(quick("resume", folder), f"'bots' ({bots}:make_caller)", "add --run-agents")
    assert (folder / "journal.jsonl").read_bytes() == before
    done = good(quick("resume", folder, "--run-agents", "--quiet"))
    hashed = sha256(bots.read_bytes()).hexdigest()
    assert f"'bots', type python: runs {bots} in a sandbox; SHA-256 {hashed}, as recorded" in done.stderr
    assert results(folder) == whole


def test_the_users_own_config_needs_no_permission_in_the_folder_where_the_run_began(cut, tmp_path, bots):
    folder, whole = cut
    players = ("--participants", f"{bots}:make_caller,random", "--output-dir", tmp_path / "out", "--resume")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    one_clear_line(quick(*SMALL, *SEEDED, *players, cwd=elsewhere), "add --run-agents")
    good(quick(*SMALL, *SEEDED, *players, "--quiet", cwd=tmp_path))
    assert results(folder) == whole


def test_a_run_that_has_ended_is_read_and_resumed_without_its_code_and_extended_only_with_permission(tmp_path, bots):
    flags = (*SMALL, "--max-matches", "1", "--participants", f"{bots}:make_caller,tight")
    folder = quick_run(tmp_path / "out", *flags)
    bots.unlink()
    good(quick("resume", folder, "--quiet"))
    one_clear_line(quick("resume", folder, "--max-matches", "5"), "add --run-agents")
    assert "played again: tight; answers from the record: bots (journal.jsonl)" in verified(folder)
    found = strict_json(verified(folder, "--json"))
    assert (found["playedAgain"], found["onRecord"]) == (["tight"], {"bots": "journal.jsonl"})


@pytest.mark.slow
def test_the_command_that_is_printed_to_continue_works_as_it_is_and_agents_play_again_on_request(tmp_path, bots):
    flags = (*SMALL, "--max-matches", "1", "--participants", f"{bots}:make_caller,tight")
    done = good(quick(*flags, "--output-dir", tmp_path / "out"))
    folder = run_of(tmp_path / "out")
    command = next(line for line in done.stdout.splitlines() if line.startswith("To continue: "))
    words = shlex.split(command.removeprefix("To continue: molt-bench "))
    assert "--run-agents" in words
    good(quick(*words, "--quiet"))
    found = strict_json(verified(folder, "--run-agents", "--json"))
    assert (found["playedAgain"], found["onRecord"]) == (["bots", "tight"], {})


@pytest.mark.slow
def test_what_is_named_cannot_control_a_terminal(tmp_path):
    """The command of a program is the stranger's text."""
    command = shlex.join([*PYTHON, CHAOS, "well", "\x1b[2J\u202eharmless"])
    folder = configured_run(
        tmp_path, {"participants": ["tight", {"id": "bot", "type": f"exec:{command}"}]}, *SMALL, *SEEDED
    )
    cut_back(folder, first_lines(4))
    done = good(quick("resume", folder, "--run-agents", "--quiet"))
    assert "starts " in done.stderr
    assert not {"\x1b", "\u202e"} & {*done.stderr}


# A run whose folder was moved, as to another machine.


def fill(folder):
    """Put the files that a run names into a folder."""
    (folder / "bots").mkdir(parents=True, exist_ok=True)
    (folder / "mine.py").write_text(BOTS)
    (folder / "beside.py").write_text(BOTS)
    shutil.copy(EXAMPLES / "bot.py", folder / "bots" / "bot.py")
    (folder / "seeds.txt").write_text("".join(f"seed {number}\n" for number in range(20)))
    return folder


class Moved:
    """A run whose folder is elsewhere now, and whose start folder is gone; programs' answers may be, too."""

    def __init__(self, tmp_path, participants, seeds="seeds.txt", *, matches=3, answers=True):
        self.home = fill(tmp_path / "home" / "me")
        config = {
            "participants": participants,
            "seeds": {"perMatch": 2, "file": seeds},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}},
            "game": {"handsPerGame": 4},
        }
        config = json.loads(json.dumps(config).replace("HOME", str(self.home)))
        made = configured_run(self.home, config, cwd=self.home)
        self.run = Path(shutil.copytree(made, tmp_path / "there" / "run"))
        shutil.rmtree(self.home)
        self.here = tmp_path / "nowhere"
        self.here.mkdir()
        if not answers:
            (self.run / "replies.jsonl").unlink(missing_ok=True)
            lines = lines_of(self.run, "journal.jsonl")
            lines[-1].pop("repliesHash", None)
            (self.run / "journal.jsonl").write_bytes(rechained(lines))
            (self.run / "summary.json").unlink()
            good(quick("report", self.run, "--quiet"))

    def verify(self, *more):
        return quick("verify", "../there/run", *more, cwd=self.here)


RELATIVE = ("tight", "./mine.py:make_caller", "beside:make_picky", "exec:python3 bots/bot.py")
PROGRAM = {"id": "bot", "type": f"exec:{sys.executable} HOME/bots/bot.py --home=HOME/bots"}
ABSOLUTE = ("tight", "HOME/mine.py:make_caller", PROGRAM)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("participants", "seeds"), [(RELATIVE, "seeds.txt"), (ABSOLUTE, "HOME/seeds.txt")], ids=["relative", "absolute"]
)
def test_a_run_is_verified_without_its_files_and_its_agents_play_again_where_they_are(tmp_path, participants, seeds):
    moved = Moved(tmp_path, participants, seeds)
    before = everything(moved.run)
    assert good(moved.verify()).stderr == "", "the record is enough"
    fill(moved.home)
    assert "games are identical" in good(moved.verify("--run-agents")).stdout
    assert everything(moved.run) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("participant", "gone", "said"),
    [
        ("./mine.py:make_caller", "mine.py", ["mine.py", "its code is not there"]),
        ("HOME/mine.py:make_caller", "mine.py", ["mine.py", "its code is not there"]),
        ("beside:make_picky", "beside.py", ["beside:make_picky", "its code is not there"]),
        ("exec:python3 bots/bot.py", "bots/bot.py", ["the code of 'bot' has been changed since the run began"]),
        (PROGRAM, "bots/bot.py", ["the code of 'bot' has been changed since the run began"]),
    ],
    ids=["file", "absolute file", "module", "program", "absolute program"],
)
def test_a_file_that_is_missing_is_named(tmp_path, participant, gone, said):
    moved = Moved(tmp_path / "somewhere far away" / ("deep" * 20), ("tight", participant), answers=False)
    fill(moved.home)
    (moved.home / gone).unlink()
    one_clear_line(moved.verify("--run-agents"), *said)
    good(moved.verify())


def test_other_code_is_never_run(tmp_path):
    players = ("./mine.py:make_caller", "exec:python3 bots/bot.py")
    moved = Moved(tmp_path, players, matches=1, answers=False)
    fill(moved.home)
    for name, path in (("mine", moved.home / "mine.py"), ("bot", moved.home / "bots" / "bot.py")):
        whole = path.read_text()
        path.write_text(f"open('ran', 'w')\n{whole}")
        said = f"the code of '{name}' has been changed", "not run"
        one_clear_line(moved.verify("--run-agents"), *said)
        path.write_text(whole)
    assert not [*tmp_path.rglob("ran")]
    assert good(moved.verify()).stderr == "", "the record is enough"


def test_the_file_of_seeds_is_not_needed(tmp_path):
    moved = Moved(tmp_path, ("tight", "random"), "HOME/seeds.txt")
    good(moved.verify())
    (fill(moved.home) / "seeds.txt").write_text("a\nb\nc\nd\n")
    good(moved.verify())


READER = """
from molt_bench import Action

class Reader:
    name = "reader"
    def act(self, observation):
        import helper
        kind = open("kind.txt").read().strip() if helper.READS else "fold"
        legal = observation.legal
        return Action("fold") if kind == "fold" else Action("call") if legal.to_call else Action("check")
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", [("verify",), ("resume", "--max-matches", "4")])
def test_an_agent_that_reads_files_beside_it_plays_the_same_from_another_folder(tmp_path, command):
    home, other = tmp_path / "home", tmp_path / "other"
    for folder, reads in ((home, True), (other, False)):
        folder.mkdir()
        (folder / "helper.py").write_text(f"READS = {reads}\n")
    (home / "reader.py").write_text(READER)
    (home / "kind.txt").write_text("call\n")
    flags = (*SMALL, *SEEDED, "--participants", "reader.py:Reader,tight", "--executor", "inline")
    run = quick_run(home / "out", *flags, cwd=home)
    good(quick(command[0], run, "--run-agents", "--quiet", *command[1:], cwd=other))
    assert faults_in(run) == []
    verified(run, cwd=home)
