"""Agents of one's own: from files, from modules, from Python."""

from collections import Counter

import pytest
from msgspec import structs

from molt_bench import Action
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.totals import totals
from molt_bench.runs.journal import Journal, Rated, read_journal
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
    assert len(made) == games + 2, "twice more, to see that it can be made, and whether it publishes a policy"


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
    assert [match.result.score_a for match in mine.matches] == scores


def test_an_agent_that_is_async_takes_part():
    class Slow:
        name = "slow"

        async def act(self, observation):
            return Action("fold")

    result = run_benchmark(CONFIG, agents={"mine": Slow}, games_at_once=4)
    assert [rating.id for rating in result.leaderboard] == ["random", "me"]


MIXER = '''
"""An agent that mixes, and publishes how."""

from molt_bench import Action, Observation, Policy

print("the file of the agent is loaded")


class Mixer:
    name = "mixer"

    def act(self, observation: Observation) -> Action:
        choices = [action for action, _ in self.policy(observation)]
        return choices[observation.noise % len(choices)]

    def policy(self, observation: Observation) -> Policy:
        passive = Action("call") if observation.to_call else Action("check")
        if not observation.max_raise_to:
            return ((passive, 1.0),)
        return (passive, 0.5), (Action("raiseTo", observation.min_raise_to), 0.5)


class Folder(Mixer):
    def policy(self, observation: Observation) -> Policy:
        if observation.to_call:
            return (Action("fold"), 0.5), (Action("call"), 0.5)
        return Mixer.policy(self, observation)


class Stumbler(Mixer):
    def policy(self, observation):
        raise RuntimeError("no policy today") if observation.noise == 0 else AssertionError("the dice are shown")

    def act(self, observation):
        return Mixer.policy(self, observation)[0][0]


class Shy(Mixer):
    act = Stumbler.act
    policy = 3


class Locked(Shy):
    @property
    def policy(self):
        raise RuntimeError("not yours to know")
'''


@pytest.fixture
def mixer(tmp_path):
    path = tmp_path / "mixer.py"
    path.write_text(MIXER)
    return path


def margins(folder):
    """Return the margins of all seed pairs, as they were adjusted and as they were corrected."""
    matches = read(folder, "matches.json")["matches"]
    found = [pair["marginsMbb"] for match in matches for pair in match["result"]["perSeed"]]
    return [each["adjusted"] for each in found], [each["corrected"] for each in found]


@pytest.mark.slow
def test_the_policy_of_a_factorys_agent_is_used_wherever_it_plays_and_whenever_it_is_reported(tmp_path, mixer):
    """Its dice are taken out of the result: inline, in workers, and again when the run is reported or verified."""
    arguments = (*SMALL, *SEEDED, "--participants", f"{mixer}:Mixer,callstation")
    inline = quick_run(tmp_path / "inline", *arguments, "--executor", "inline")
    workers = quick_run(tmp_path / "workers", *arguments, "--executor", "processes", "--workers", "2")
    adjusted, corrected = margins(inline)
    assert adjusted != corrected
    assert results(workers) == results(inline)
    before = results(inline)
    done = quick("report", inline, "--json")
    assert (done.returncode, results(inline)) == (0, before)
    assert done.stdout.startswith("{"), "what agents print is not part of it"
    done = quick("verify", inline)
    assert "games are identical" in done.stdout
    assert "'mixer': margins that follow from its policy are as the run recorded them" in done.stderr
    done = quick("verify", inline, "--run-agents")
    assert (done.returncode, "never runs" in done.stderr) == (0, False), done.stderr


@pytest.mark.slow
def test_where_both_publish_a_policy_the_run_looks_ahead_wherever_it_plays_and_goes_on(tmp_path, mixer):
    """With stacks carried: inline, in workers, cut off and resumed, reported and verified."""
    players = f"{mixer}:Mixer,{mixer}:Folder,tag"
    arguments = (*SMALL, *SEEDED, "--participants", players, "--set", "game.stacks=carry", "--set", "game.stack=1500")
    inline = quick_run(tmp_path / "inline", *arguments, "--executor", "inline")
    before = results(inline)
    matches = read(inline, "matches.json")["matches"]
    found = [pair["marginsMbb"] for match in matches for pair in match["result"]["perSeed"]]
    assert [each["fitted"] for each in found] != [each["correctedSolid"] for each in found]
    workers = quick_run(tmp_path / "workers", *arguments, "--executor", "processes", "--workers", "2")
    assert results(workers) == before
    cut_back(workers, lambda data: data[: len(data) // 2])
    assert (quick("resume", "--run-agents", workers).returncode, results(workers)) == (0, before)
    assert (quick("report", inline).returncode, results(inline)) == (0, before)
    assert "games are identical" in quick("verify", inline).stdout


@pytest.mark.slow
def test_a_built_in_bots_possible_cards_are_the_same_wherever_it_plays_and_whenever_it_is_reported(tmp_path, mixer):
    arguments = (*SMALL, *SEEDED, "--participants", f"{mixer}:Shy,tight")
    inline = quick_run(tmp_path / "inline", *arguments, "--executor", "inline")
    workers = quick_run(tmp_path / "workers", *arguments, "--executor", "processes", "--workers", "2")
    matches = read(inline, "matches.json")["matches"]
    found = [pair["marginsMbb"] for match in matches for pair in match["result"]["perSeed"]]
    assert [each["ranged"] for each in found] != [each["corrected"] for each in found]
    before = results(inline)
    assert results(workers) == before
    assert (quick("report", inline).returncode, results(inline)) == (0, before)
    assert "games are identical" in quick("verify", inline).stdout


def test_a_run_is_reported_as_it_was_when_the_code_of_a_policy_is_gone(tmp_path, mixer):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{mixer}:Mixer,callstation")
    before = results(folder)
    mixer.write_text(MIXER + "\nraise SystemExit('another file')\n")
    for _ in range(2):
        done = quick("report", folder)
        assert (done.returncode, results(folder)) == (0, before)
        mixer.unlink(missing_ok=True)


@pytest.mark.slow
def test_a_match_whose_margins_were_not_recorded_counts_when_the_run_goes_on(tmp_path, mixer):
    """It was killed between a match's last game and its margins; reading it does not ask the code."""
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{mixer}:Mixer,callstation")
    found, matches = margins(folder), len(read(folder, "matches.json")["matches"])
    cut_back(folder, lambda data: data[: data.index(b"\n", data.rindex(b'"line":"game"')) + 1])
    assert quick("report", folder).returncode == 0
    assert len(read(folder, "matches.json")["matches"]) == matches - 1
    assert quick("resume", folder, "--run-agents").returncode == 0
    assert margins(folder) == found


def test_margins_in_the_journal_that_cannot_be_or_are_not_those_of_the_games_are_found_out(tmp_path, mixer):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{mixer}:Mixer,callstation")
    content = read_journal(str(folder / "journal.jsonl"))
    for change, command, said in (
        (lambda variant: {**variant, "raw": ()}, "report", "margins of match 1 are not those of its participants"),
        (lambda variant: {**variant, "raw": (1e6, 1e6)}, "verify", "margins of match 1 are not what its games"),
    ):
        forged = []
        for line in content.lines:
            if isinstance(line, Rated) and line.match == 1:
                variants = tuple(
                    structs.replace(each, margins_mbb=change(each.margins_mbb)) for each in line.account.variants
                )
                line = structs.replace(line, account=structs.replace(line.account, variants=variants))
            forged.append(line)
        (folder / "journal.jsonl").unlink()
        (folder / "summary.json").unlink(missing_ok=True)
        journal = Journal(str(folder / "journal.jsonl"))
        for line in (content.header, *forged):
            journal.write(line)
        journal.close()
        done = quick(command, folder)
        assert done.returncode == 1
        assert said in done.stderr


def rewritten(folder, change):
    """Have a forger change the lines of a run's journal, and chain them anew; nothing else of the folder is left."""
    lines = lines_of(folder, "journal.jsonl")
    lines[-1].pop("vouched", None)
    change(lines)
    for path in folder.iterdir():
        path.unlink()
    (folder / "journal.jsonl").write_bytes(rechained(lines))


def test_margins_in_a_journal_that_are_not_what_its_games_give_are_found_by_verify(tmp_path):
    """A forger turns the order of a run around, without its chips, and chains the lines anew."""
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", "tight,random")

    def forge(lines):
        for line in lines:
            for each in line["account"]["variants"] if line["line"] == "margins" else ():
                margins = each["marginsMbb"]
                margins.update({name: [-one for one in margins[name]] for name in margins if name != "raw"})

    rewritten(folder, forge)
    one_clear_line(quick("verify", folder), "margins of match 1 are not what its games")

    def move_chips(lines):
        for line in lines:
            for each in line["account"]["variants"] if line["line"] == "margins" else ():
                each["marginsMbb"]["raw"][0] += 1.0

    rewritten(folder, move_chips)
    for command in (["report"], ["export", "--format", "html"], ["verify"]):
        one_clear_line(quick(command[0], folder, *command[1:]), "margins")
    rewritten_header(folder, statedPolicies=["random"])
    one_clear_line(quick("verify", folder), "says that 'random' publishes a policy, and it is not Python code")


def rewritten_header(folder, **more):
    lines = lines_of(folder, "journal.jsonl")
    (folder / "journal.jsonl").write_bytes(rechained([{**lines[0], **more}, *lines[1:]]))


def _opposite(account):
    for each in account["variants"]:
        if not each["used"]:
            each["marginsMbb"]["corrected"] = [-found for found in each["marginsMbb"]["corrected"]]


def _of_the_opponent(account):
    account["evidence"]["callstation"] = {"refuted": "it lies"}


def _huge(account):
    for each in account["variants"]:
        each["marginsMbb"]["fitted"] = [1e308, -1e308]


def _unexplained(account):
    for each in account["evidence"].values():
        each.update(capital=[1e3] * len(each["capital"]), counts={})


def _imaginary(account):
    for each in account["evidence"].values():
        each.update(capital=[1e3] * len(each["capital"]), counts={"fold": {"found": 1, "variance": -1}})


@pytest.mark.slow
@pytest.mark.parametrize("forge", [_opposite, _of_the_opponent, _huge, _unexplained, _imaginary])
def test_what_a_journal_says_about_policies_is_checked_as_far_as_nobody_has_to_be_asked(tmp_path, mixer, forge):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{mixer}:Mixer,callstation")
    rewritten(folder, lambda lines: [forge(line["account"]) for line in lines if line["line"] == "margins"])
    for command in ("report", "verify"):
        one_clear_line(quick(command, folder), "the journal's margins of match 1 are not")


@pytest.mark.parametrize("agent", ["Stumbler", "Shy", "Locked"])
def test_a_policy_that_cannot_be_used_ends_no_run(tmp_path, mixer, agent):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{mixer}:{agent},callstation")
    adjusted, corrected = margins(folder)
    assert adjusted == corrected


@pytest.mark.parametrize("executor", ["inline", "processes"])
@pytest.mark.slow
def test_a_run_says_why_a_policy_was_not_used(tmp_path, mixer, executor):
    arguments = (*SMALL, *SEEDED, "--participants", f"{mixer}:Stumbler,callstation", "--executor", executor)
    done = quick(*arguments, "--output-dir", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    said = (
        "mixer: its published probabilities could not be used at 240 decisions; the first time: hand 1: its policy "
        "failed: RuntimeError: no policy today"
    )
    assert said in done.stdout + done.stderr
