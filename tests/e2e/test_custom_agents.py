"""Agents of one's own: from files, from modules, from Python."""

from collections import Counter

import pytest

from molt_bench import Action
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.totals import totals
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    cut_back,
    good_run,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    results,
)


def ids(folder):
    return {each["id"] for each in read(folder, "leaderboard.json")["participants"]}


def test_a_factory_in_a_file_takes_part_from_the_command_line(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,random")
    assert ids(folder) == {"bots", "random"}


def test_a_path_is_taken_from_where_the_program_runs(tmp_path, bots):
    folder = quick_run("out", *SMALL, "--participants", "bots.py:make_caller,random", cwd=bots.parent)
    assert ids(folder) == {"bots", "random"}


@pytest.mark.slow
def test_a_factory_in_a_module_takes_part(tmp_path, bots):
    environment = {"PYTHONPATH": str(bots.parent)}
    folder = good_run(tmp_path / "out", *SMALL, "--participants", "bots:make_caller,random", env=environment)
    assert ids(folder) == {"bots", "random"}


def test_two_factories_of_one_file_get_ids_of_their_own(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,{bots}:make_picky")
    assert len(ids(folder)) == 2


def test_the_same_factory_twice_is_told_apart(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,{bots}:make_caller")
    assert ids(folder) == {"bots", "bots-2"}


def test_params_of_a_config_file_reach_the_factory(tmp_path, bots):
    """Raises of 3 and of 30 big blinds before the flop win pots of different sizes."""
    played = []
    for size in (3, 30):
        config = tmp_path / f"{size}.yaml"
        config.write_text(
            "participants:\n"
            f"  - {{id: mine, type: '{bots}:make_picky', displayName: My bot, params: {{size: {size}}}}}\n"
            "  - {id: station, type: callstation}\n"
        )
        folder = quick_run(tmp_path / f"out-{size}", *SMALL, "--config", config)
        assert "My bot" in {each["name"] for each in read(folder, "leaderboard.json")["participants"]}
        played.append(results(folder)[1])
    assert played[0] != played[1]


def test_params_that_the_factory_does_not_take_are_one_clear_line(tmp_path, bots):
    config = tmp_path / "config.yaml"
    config.write_text(
        f"participants: [{{id: mine, type: '{bots}:make_picky', params: {{sise: 3}}}}, {{id: random, type: random}}]"
    )
    done = quick("--config", config, "--output-dir", tmp_path / "out")
    assert done.returncode == 1
    assert "'mine'" in done.stderr
    assert "sise" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_with_agents_of_ones_own_can_be_verified_and_resumed(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{bots}:make_caller,random")
    before = results(folder)
    assert "12 games are identical" in quick("verify", folder).stdout
    cut_back(folder, lambda data: data[:-2000])
    assert quick("resume", "--run-agents", folder).returncode == 0
    assert results(folder) == before


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


CONFIG = {
    "participants": [{"id": "me", "type": "mine"}, {"id": "random", "type": "random"}],
    "seeds": {"perMatch": 3},
    "game": {"handsPerGame": 7},
    "stop": {"budget": {"maxMatches": 4}, "adjacentConfidence": None},
}


@pytest.mark.parametrize("at_once", [1, 8])
def test_an_agent_is_made_afresh_for_every_game(at_once):
    made, hands = [], Counter()

    def make_mine():
        made.append(1)
        return Counted(hands, len(made))

    result = run_benchmark(CONFIG, agents={"mine": make_mine}, games_at_once=at_once)
    games = totals(result)["games"]
    assert games == 4 * 3 * 2
    assert set(hands.values()) == {7}
    assert len(hands) == games
    assert len(made) == games + 1, "once more, to see that it can be made"


def test_the_library_gives_the_same_result_as_the_program(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", "tight,callstation")
    mine = run_benchmark(
        {
            "participants": [{"id": "tight", "type": "tight"}, {"id": "callstation", "type": "mine"}],
            "seeds": {"perMatch": 2, "masterSeed": "molt-bench"},
            "game": {"handsPerGame": 5},
            "stop": {"budget": {"maxMatches": 3}, "adjacentConfidence": None},
        },
        agents={"mine": lambda: Counted(Counter(), 0)},
    )
    scores = [match["result"]["scoreA"] for match in read(folder, "matches.json")["matches"]]
    assert [match.score_a for match in mine.matches] == scores


def test_an_agent_that_is_async_takes_part():
    class Slow:
        name = "slow"

        async def act(self, observation):
            return Action("fold")

    result = run_benchmark(CONFIG, agents={"mine": Slow}, games_at_once=4)
    assert [rating.id for rating in result.leaderboard] == ["random", "me"]


def rewritten(folder, change):
    """Have a forger change the lines of a run's journal, and chain them anew; nothing else of the folder is left."""
    lines = lines_of(folder, "journal.jsonl")
    change(lines)
    for path in folder.iterdir():
        path.unlink()
    (folder / "journal.jsonl").write_bytes(rechained(lines))


def test_margins_in_a_journal_that_are_not_what_its_games_give_are_found_by_verify(tmp_path):
    """A forger turns the order of a run around, without its chips, and chains the lines anew."""
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", "tight,random")

    def forge(lines):
        for line in lines:
            if line["line"] == "margins":
                line["margins"]["adjusted"] = [-one for one in line["margins"]["adjusted"]]

    rewritten(folder, forge)
    one_clear_line(quick("verify", folder), "margins of match 1 are not what its games")

    def move_chips(lines):
        for line in lines:
            if line["line"] == "margins":
                line["margins"]["raw"][0] += 1.0

    rewritten(folder, move_chips)
    for command in (["report"], ["export", "--format", "html"], ["verify"]):
        one_clear_line(quick(command[0], folder, *command[1:]), "margins")
