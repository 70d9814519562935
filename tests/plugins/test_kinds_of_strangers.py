"""A stranger's package brings a kind of agents: it plays, is resumed and verified, and is named where it is missing."""

import re
import sys
from pathlib import Path

import msgspec
import pytest

from molt_bench import entry_points, make_agent, run_benchmark
from molt_bench.agents.kinds import kind_of
from molt_bench.agents.permission import BUILT_IN
from molt_bench.arena.announced_agents import announced, outsiders, permission_of
from molt_bench.arena.replayed_games import replay_games
from molt_bench.config.loader import load_config
from molt_bench.entry_points import AGENTS
from molt_bench.errors import ConfigError, JournalError
from molt_bench.runs.journal import Journal
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from tests.test_plugin import install

GUIDE = Path(__file__).parents[2] / "docs" / "reference" / "integrations.md"
RUN = {
    "participants": ["dice:5", {"id": "six", "type": "dice"}, "maniac"],
    "seeds": {"perMatch": 2},
    "game": {"handsPerGame": 4},
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
}


@pytest.fixture
def dice(tmp_path, monkeypatch):
    """Return a folder on the path with the package that the docs show, installed as pip would."""
    folder = tmp_path / "packages"
    folder.mkdir()
    code = re.search(r"### Kinds of agents.*?```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[
        1
    ]
    (folder / "their_module.py").write_text(code)
    install(folder, "their-dice", {"dice": "their_module:Dice"}, group=AGENTS)
    monkeypatch.syspath_prepend(str(folder))
    entry_points.points.cache_clear()
    yield folder / "their-dice-1.dist-info"
    entry_points.points.cache_clear()
    sys.modules.pop("their_module", None)


def uninstall(info):
    for path in info.iterdir():
        path.unlink()
    entry_points.points.cache_clear()


def stopped(folder, games):
    """Leave a run after some games, as an interrupted one is left."""
    folder.mkdir()
    journal = Journal(str(folder / "journal.jsonl"))
    whole = run_benchmark(RUN, files=RunFiles(journal, secret="a secret of sixteen"), executor="inline")
    journal.close()
    path = folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[: 1 + games]))
    return whole


def test_its_settings_are_checked_like_ours(dice):
    config = load_config(RUN)
    assert [(each.id, each.type, getattr(each, "sides", None)) for each in config.participants] == [
        ("dice:5", "dice", 5),
        ("six", "dice", 6),
        ("maniac", "maniac", None),
    ]
    with pytest.raises(ConfigError, match=r"participants\.0\.side = 4: expected another field; did you mean 'sides'"):
        load_config({**RUN, "participants": [{"id": "a", "type": "dice", "side": 4}, "tight"]})
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
        assert replay_games(stored, permission).content.lines == stored.content.lines


def test_without_the_package_a_run_is_read_and_verify_and_resume_name_it(dice, tmp_path):
    stopped(tmp_path / "run", games=40)
    uninstall(dice)
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
    (dice.parent / "their_bad.py").write_text("raise RuntimeError('not\\ntoday')")
    install(dice.parent, "their-bad", {"bad": "their_bad:Bad"}, group=AGENTS)
    entry_points.points.cache_clear()
    with pytest.raises(ConfigError, match=r"the plug-in bad of their-bad cannot be used: RuntimeError: not today"):
        make_agent("bad")


def test_no_plug_in_makes_itself_one_of_our_bots(dice):
    """Of those nobody asks for permission, and one object serves all games."""
    code = "from molt_bench.plugin import Kind\nclass Sly(Kind):\n    name, built_in = 'sly', True\n"
    (dice.parent / "their_sly.py").write_text(code)
    install(dice.parent, "their-sly", {"sly": "their_sly:Sly"}, group=AGENTS)
    entry_points.points.cache_clear()
    with pytest.raises(ConfigError, match=r"the plug-in sly of their-sly cannot be used: .* bots of molt-bench itself"):
        make_agent("sly")
    assert not kind_of("sly").built_in


def test_ours_play_without_plug_ins_and_theirs_do_not(dice, monkeypatch):
    monkeypatch.setenv(entry_points.NO_PLUGINS, "1")
    assert make_agent("tag").name == "tag"
    with pytest.raises(ConfigError, match="type = 'dice'"):
        make_agent("dice")
