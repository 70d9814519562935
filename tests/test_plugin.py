"""Plug-ins are found by entry points, asked in a fixed order, and break nothing."""

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest

from molt_bench import entry_points, make_agent, run_benchmark
from molt_bench.agents.kinds import BUILTIN_AGENTS, kind_of
from molt_bench.agents.permission import BUILT_IN
from molt_bench.arena.announced_agents import announced, outsiders, permission_of
from molt_bench.arena.replayed_games import replay_games
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.config.loader import load_config
from molt_bench.entry_points import AGENTS, LUCK
from molt_bench.errors import ConfigError, JournalError
from molt_bench.play.match import play_match
from molt_bench.plugin import ComingMatch
from molt_bench.records import Registered
from molt_bench.report.artifact_check import check_artifacts
from molt_bench.report.run_rows import Rows
from molt_bench.runs.header import luck_of_a_run
from molt_bench.runs.journal import Journal
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from tests.e2e.shell import SMALL, lines_of, quick_run

CODE = """
class Luck:
    name, version = "{name}", 3
    def before(self, match):
        return self if match.number > 1 else None
    def rated(self, match, games):
        pass
    def value(self, game, core):
        return core.adjusted + 100.0
"""
RUN = {
    "participants": ["tag", "maniac"],
    "seeds": {"perMatch": 2, "masterSeed": "plug-ins"},
    "game": {"handsPerGame": 4},
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}},
}


def install(folder, package, points, group=LUCK):
    """Put a package with entry points on the path, as pip would."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    entry_points.points.cache_clear()


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Return a folder on the path; what is installed in it is found."""
    monkeypatch.syspath_prepend(str(tmp_path))
    entry_points.points.cache_clear()
    yield tmp_path
    entry_points.points.cache_clear()
    for name in ("theirs", "broken_luck", "others", "their_module"):
        sys.modules.pop(name, None)


def uninstall(folder, package):
    for path in (folder / f"{package}-1.dist-info").iterdir():
        path.unlink()
    entry_points.points.cache_clear()


def with_theirs(folder):
    (folder / "theirs.py").write_text(CODE.format(name="theirs"))
    install(folder, "their-package", {"theirs": "theirs:Luck"})


def test_ours_come_first_and_others_say_what_package_they_are_from(packages):
    with_theirs(packages)
    found, problems = luck_of_a_run()
    assert problems == []
    assert str([*found][-1]) == "theirs 3 (their-package)"


@pytest.mark.parametrize("code", ["raise RuntimeError('not\ntoday')", "x = 1", "def Luck(): raise KeyError(5)"])
def test_a_broken_plug_in_is_one_warning_with_its_name_and_the_run_goes_on(packages, code):
    (packages / "broken_luck.py").write_text(code)
    install(packages, "odd", {"bad": "broken_luck:Luck"})
    found, problems = luck_of_a_run()
    assert "bad" not in {each.name for each in found}
    (said,) = problems
    assert said.startswith("the plug-in bad of odd cannot be used, so the run goes on without it: ")
    assert "\n" not in said
    assert said in run_benchmark(RUN).warnings


def test_without_plug_ins_there_are_none(packages, monkeypatch):
    with_theirs(packages)
    monkeypatch.setenv(entry_points.NO_PLUGINS, "1")
    assert luck_of_a_run() == ({}, [])


def test_the_flag_leaves_them_out(packages, tmp_path):
    with_theirs(packages)
    for more, expected in (((), ["theirs"]), (("--no-plugins",), [])):
        run = quick_run(tmp_path / f"out {len(more)}", *more, "--participants", "tag,maniac", *SMALL, "--quiet")
        header = lines_of(run, "journal.jsonl")[0]
        assert [each["name"] for each in header["luck"] if each["package"] != "molt-bench"] == expected


def played(folder):
    folder.mkdir()
    journal = Journal(str(folder / "journal.jsonl"))
    result = run_benchmark(RUN, files=RunFiles(journal), executor="inline")
    journal.close()
    return result


def test_a_term_speaks_alone_for_the_matches_that_it_has_and_the_journal_names_it(packages, tmp_path):
    plain = run_benchmark(RUN).matches
    with_theirs(packages)
    result = played(tmp_path / "run")
    assert result.matches[0].margins == plain[0].margins
    both = (each[1].margins["adjusted"] for each in (result.matches, plain))
    moved = [one - two for one, two in zip(*both, strict=True)]
    assert moved == pytest.approx([1000 * 200 / 100 / 8] * 2)
    assert result.matches[1].margins["raw"] == plain[1].margins["raw"]
    lines = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    assert [line.get("term") for line in lines if line["line"] == "margins"] == [None, "theirs 3"]


def test_a_run_that_needs_a_missing_plug_in_is_read_and_verify_and_resume_name_the_package(packages, tmp_path):
    with_theirs(packages)
    result = played(tmp_path / "run")
    stored = Run.open(tmp_path / "run")
    assert stored.result(recount=True).matches == stored.result().matches
    uninstall(packages, "their-package")
    assert [each.margins for each in stored.result().matches] == [each.margins for each in result.matches]
    with pytest.raises(JournalError, match=r"the plug-in theirs 3 \(their-package\).*: install their-package"):
        stored.result(recount=True)
    files, again = RunFiles.reopen(tmp_path / "run")
    with pytest.raises(JournalError, match="install their-package"):
        run_benchmark(again.config, files=files)
    files.close()


def test_without_plug_ins_a_run_that_needs_one_says_which_flag_is_in_the_way(packages, tmp_path, monkeypatch):
    with_theirs(packages)
    played(tmp_path / "run")
    monkeypatch.setenv(entry_points.NO_PLUGINS, "1")
    entry_points.points.cache_clear()
    stored = Run.open(tmp_path / "run")
    with pytest.raises(JournalError, match=r"the plug-in .*, which is not here: start without --no-plugins"):
        stored.result(recount=True)


class Fails:
    """Fails where it is told to."""

    name, version = "fails", 1

    def __init__(self, where):
        self._where = where

    def _do(self, where, value):
        if where == self._where:
            raise RuntimeError("no\nluck")
        return value

    def before(self, match):
        return self._do("before", self)

    def rated(self, match, games):
        self._do("rated", None)

    def value(self, game, core):
        return self._do("value", float("nan") if self._where == "nan" else core.adjusted + 1)


@pytest.mark.parametrize("where", ["before", "value", "nan", "rated"])
def test_a_plug_in_that_fails_has_no_say_from_then_on(where):
    makers = tuple(lambda kind=kind: BUILTIN_AGENTS[kind]() for kind in ("tag", "maniac"))
    result = play_match(makers, seeds=["a", "b"], hands=4)
    registered = Registered("fails", 1, "odd")
    book = MatchMargins(big_blind=100, luck={registered: Fails(where)})
    core = MatchMargins(big_blind=100).of(ComingMatch(1, 1, ("a", "b"), built_in=True), result, {})
    found = [book.of(ComingMatch(number, number, ("a", "b"), built_in=True), result, {}) for number in (1, 2)]
    assert found[1] == core
    (said,) = book.problems
    assert said.startswith("the plug-in fails 1 (odd) failed, and was not used from then on: ")
    assert "\n" not in said


OTHERS = """
from molt_bench.plugin import RunObserver

class Told(RunObserver):
    games = seats = 0
    def seated(self, game, players):
        type(self).seats += 1
    def game_over(self, game, record):
        type(self).games += 1
        if self.games == 3:
            raise RuntimeError("enough")

class Here:
    '''Plays where it is.'''
    def __init__(self, setup, place, warn):
        warn(f"at {place}")
        self.play_one = setup()
    def play(self, specs, on_game, *, until):
        for spec in specs:
            on_game(spec, self.play_one(spec))
    def close(self):
        pass

def check(run, rows):
    raise KeyError("no idea")
"""


@pytest.fixture
def others(packages):
    (packages / "others.py").write_text(OTHERS)
    return packages


def test_an_observer_that_fails_is_a_warning_and_is_told_no_more(others):
    install(others, "watching", {"told": "others:Told"}, group=entry_points.OBSERVERS)
    warnings = run_benchmark(RUN).warnings
    told = sys.modules["others"].Told
    assert told.games == 3 <= told.seats
    (said,) = [each for each in warnings if "told" in each]
    assert said == (
        "the plug-in told of watching cannot be used, so it is told no more of this run: RuntimeError: enough"
    )


def test_games_run_where_an_executor_says_with_the_same_results(others):
    install(others, "places", {"here": "others:Here"}, group=entry_points.EXECUTORS)
    there, here = run_benchmark(RUN, executor="here:some place"), run_benchmark(RUN, executor="inline")
    assert [each.margins for each in there.matches] == [each.margins for each in here.matches]
    assert "at some place" in there.warnings


def test_a_file_whose_check_fails_is_not_checked_and_that_is_said(others, tmp_path):
    install(others, "files", {"notes.txt": "others:check"}, group=entry_points.FILES)
    result = played(tmp_path / "run")
    (tmp_path / "run" / "notes.txt").write_text("mine")
    found = check_artifacts(Run.open(tmp_path / "run"), Rows(result))
    assert "notes.txt" in found.of("unchecked")
    (said,) = found.problems
    assert said.startswith("the plug-in notes.txt of files cannot be used, so notes.txt is not checked: KeyError")


# Kinds of agents: each plays, is resumed and verified, and is named where it is missing.

GUIDE = Path(__file__).parents[1] / "docs" / "reference" / "integrations.md"
WITH_DICE = {
    "participants": ["dice:5", {"id": "six", "type": "dice"}, "maniac"],
    "seeds": {"perMatch": 2},
    "game": {"handsPerGame": 4},
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
}


@pytest.fixture
def dice(packages):
    """Return a folder on the path with the package that the docs show, installed as pip would."""
    shown = re.search(r"### Kinds of agents.*?```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (packages / "their_module.py").write_text(shown[1])
    install(packages, "their-dice", {"dice": "their_module:Dice"}, group=AGENTS)
    return packages


def stopped(folder, games):
    """Leave a run after some games, as an interrupted one is left."""
    folder.mkdir()
    journal = Journal(str(folder / "journal.jsonl"))
    whole = run_benchmark(WITH_DICE, files=RunFiles(journal, secret="a secret of sixteen"), executor="inline")
    journal.close()
    path = folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[: 1 + games]))
    return whole


def test_its_settings_are_checked_like_ours(dice):
    config = load_config(WITH_DICE)
    assert [(each.id, each.type, getattr(each, "sides", None)) for each in config.participants] == [
        ("dice:5", "dice", 5),
        ("six", "dice", 6),
        ("maniac", "maniac", None),
    ]
    with pytest.raises(ConfigError, match=r"participants\.0\.side = 4: expected another field; did you mean 'sides'"):
        load_config({**WITH_DICE, "participants": [{"id": "a", "type": "dice", "side": 4}, "tight"]})
    assert make_agent("dice:3").sides == 3


def test_a_run_with_it_is_resumed_and_verified(dice, tmp_path):
    whole = stopped(tmp_path / "run", games=5)
    files, stored = RunFiles.reopen(tmp_path / "run", secret="a secret of sixteen")
    told = announced(stored, outsiders(stored))
    assert told[1].text == "'six', type dice: plays by the plug-in dice"
    permitted = msgspec.structs.replace(files, permission=permission_of(told))
    again = run_benchmark(stored.config, files=permitted, executor="inline")
    files.close()
    assert [each.margins for each in again.matches] == [each.margins for each in whole.matches]
    stored = Run.open(tmp_path / "run")
    for permission in (BUILT_IN, permission_of(told)):
        replay_games(stored, permission)


def test_without_the_package_a_run_is_read_and_verify_and_resume_name_it(dice, tmp_path):
    stopped(tmp_path / "run", games=40)
    uninstall(dice, "their-dice")
    stored = Run.open(tmp_path / "run")
    assert {each.id for each in stored.config.participants} == {"dice:5", "six", "maniac"}
    said = "'dice:5' plays by a plug-in of the package their-dice, which is not here: install their-dice"
    with pytest.raises(JournalError, match=said):
        replay_games(stored)
    files, again = RunFiles.reopen(tmp_path / "run")
    with pytest.raises(JournalError, match=said):
        run_benchmark(again.config, files=files)
    files.close()


def test_a_kind_that_cannot_be_loaded_is_one_line_with_its_package(dice):
    (dice / "their_bad.py").write_text("raise RuntimeError('not\\ntoday')")
    install(dice, "their-bad", {"bad": "their_bad:Bad"}, group=AGENTS)
    with pytest.raises(ConfigError, match=r"the plug-in bad of their-bad cannot be used: RuntimeError: not today"):
        make_agent("bad")


def test_no_plug_in_makes_itself_one_of_our_bots(dice):
    """Of those nobody asks for permission, and one object serves all games."""
    code = "from molt_bench.plugin import Kind\nclass Sly(Kind):\n    name, built_in = 'sly', True\n"
    (dice / "their_sly.py").write_text(code)
    install(dice, "their-sly", {"sly": "their_sly:Sly"}, group=AGENTS)
    with pytest.raises(ConfigError, match=r"the plug-in sly of their-sly cannot be used: .* bots of molt-bench itself"):
        make_agent("sly")
    assert not kind_of("sly").built_in


def test_ours_play_without_plug_ins_and_theirs_do_not(dice, monkeypatch):
    monkeypatch.setenv(entry_points.NO_PLUGINS, "1")
    assert make_agent("tag").name == "tag"
    with pytest.raises(ConfigError, match="type = 'dice'"):
        make_agent("dice")
