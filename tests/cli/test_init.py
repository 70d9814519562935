"""`init`: a commented config that runs as it is."""

import json

import pytest
import yaml
from tests.e2e.shell import one_clear_line, quick, strict_json

from molt_bench.config.loader import load_config, read_config_file


def chosen(path):
    config = load_config(read_config_file(str(path)))
    ids = [each.id for each in config.participants]
    return ids, config.game.hands_per_game, config.stop.adjacent_confidence.threshold, config.stop.budget.max_matches


def test_it_says_where_the_config_is_and_how_to_run_it(tmp_path):
    done = quick("init", "c.yaml", "--participants", "tag,tight,random", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "molt-bench: wrote c.yaml; run it with: molt-bench --config c.yaml\n"
    assert chosen(tmp_path / "c.yaml") == (["tag", "tight", "random"], 50, 0.95, 30)


def test_the_config_runs_as_it_is(tmp_path):
    assert quick("init", "--participants", "shover,folder", cwd=tmp_path).returncode == 0
    assert quick("doctor", "bench.yaml", "--quiet", cwd=tmp_path).stdout == ""
    done = quick("--config", "bench.yaml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in json.loads(done.stdout)["participants"]] == ["shover", "folder"]


def test_without_flags_it_is_the_default_benchmark(tmp_path):
    assert quick("init", "--quiet", cwd=tmp_path).stderr == ""
    assert load_config(read_config_file(str(tmp_path / "bench.yaml"))) == load_config({})


def test_what_is_commented_out_is_valid_too(tmp_path):
    quick("init", "--quiet", cwd=tmp_path)
    lines = (tmp_path / "bench.yaml").read_text().splitlines()
    uncommented = [
        line.replace("# ", "", 1) if line.startswith("  ") and line.lstrip()[0] == "#" else line for line in lines
    ]
    assert uncommented != lines
    load_config(yaml.safe_load("\n".join(uncommented)))


def test_more_players_get_more_matches(tmp_path):
    quick("init", "--participants", "tag,tight,random,maniac,shover", cwd=tmp_path)
    assert chosen(tmp_path / "bench.yaml")[3] == 100


@pytest.mark.parametrize(
    ("flags", "per_match", "most"),
    [
        (("--participants", "llm:openai:gpt-4.1,tag"), 4, 50),
        (("--participants", "llm:openai:gpt-4.1,tag,tight,random"), 4, 150),
    ],
)
def test_models_get_short_matches_as_in_a_run(flags, per_match, most, tmp_path):
    quick("init", *flags, cwd=tmp_path)
    config = load_config(read_config_file(str(tmp_path / "bench.yaml")))
    assert (config.seeds.per_match, config.stop.budget.max_matches) == (per_match, most)


def test_with_json_it_is_one_object(tmp_path):
    done = quick("init", "--json", cwd=tmp_path)
    assert strict_json(done.stdout) == {
        "config": "bench.yaml",
        "participants": ["random", "tight"],
        "run": "molt-bench --config bench.yaml",
    }
    assert done.stderr == ""


@pytest.mark.parametrize(("players", "said"), [("tigth,tag", "did you mean 'tight'?"), ("tag", "at least 2")])
def test_players_that_cannot_play_are_one_clear_line_and_no_file(tmp_path, players, said):
    one_clear_line(quick("init", "--participants", players, cwd=tmp_path), said)
    assert not (tmp_path / "bench.yaml").exists()


def test_nothing_is_overwritten_unless_forced(tmp_path):
    (tmp_path / "bench.yaml").write_text("mine")
    one_clear_line(quick("init", cwd=tmp_path), "FILE = 'bench.yaml'", "--force")
    assert (tmp_path / "bench.yaml").read_text() == "mine"
    (tmp_path / "link.yaml").symlink_to("nowhere")
    one_clear_line(quick("init", "link.yaml", cwd=tmp_path), "--force")
    assert quick("init", "--force", cwd=tmp_path).returncode == 0
    assert chosen(tmp_path / "bench.yaml")[0] == ["random", "tight"]


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path):
    one_clear_line(quick("init", "no/such/c.yaml", cwd=tmp_path), "FILE = 'no/such/c.yaml'", "No such file")
    one_clear_line(quick("init", "c.json", cwd=tmp_path), ".yaml")
    one_clear_line(quick("init", ".", cwd=tmp_path), "--force")


def test_odd_names_survive(tmp_path):
    """Of the file, and of programs that play."""
    (tmp_path / "b: #o't").write_text("#!/bin/sh\n")
    (tmp_path / "b: #o't").chmod(0o755)
    player = "exec:'./b: #o'\\''t' --size 1\\,2 '{x}'"
    done = quick("init", "a b\n#.yaml", "--participants", f"{player},tight", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    config = load_config(read_config_file(str(tmp_path / "a b\n#.yaml")))
    assert config.participants[0].command == "'./b: #o'\\''t' --size 1,2 '{x}'"


def test_live_agents_are_served(tmp_path):
    done = quick("init", "--participants", "live,tag", cwd=tmp_path)
    assert done.stderr.startswith("molt-bench: wrote bench.yaml; run it with: molt-bench serve bench.yaml")


def test_live_writes_a_config_and_a_client_and_replaces_nothing(tmp_path):
    done = quick("init", "--live", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["live.yaml", "poll.sh"]
    assert "molt-bench serve live.yaml" in done.stderr
    assert quick("doctor", "live.yaml", cwd=tmp_path).returncode == 0
    (tmp_path / "live.yaml").unlink()
    (tmp_path / "poll.sh").write_text("mine")
    again = quick("init", "--live", cwd=tmp_path)
    assert again.returncode == 1
    assert "poll.sh" in again.stderr
    assert not (tmp_path / "live.yaml").exists()
    assert quick("init", "--live", "--force", cwd=tmp_path).returncode == 0
    assert quick("init", "--live", "--participants", "tag,tight", cwd=tmp_path).returncode == 2


def test_an_agent_of_25_lines_is_written_that_is_fit_and_plays(tmp_path):
    done = quick("init", "--agent", "a_new_bot.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "molt-bench check a_new_bot.py:ANewBot" in done.stderr
    assert len((tmp_path / "a_new_bot.py").read_text().splitlines()) == 25
    assert quick("check", "a_new_bot.py:ANewBot", "--hands", "4", cwd=tmp_path).returncode == 0
    one_clear_line(quick("init", "--agent", "a_new_bot.py", cwd=tmp_path), "--force to replace this one")
    assert quick("init", "--agent", "a_new_bot.py", "--force", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("name", ["bot.js", "my-bot.py", "3.py"])
def test_an_agent_has_a_name_that_python_can_import(tmp_path, name):
    one_clear_line(quick("init", "--agent", name, cwd=tmp_path), "a name such as my_bot.py")
    assert not [*tmp_path.iterdir()]


def test_an_agent_is_written_without_a_config(tmp_path):
    assert quick("init", "bench.yaml", "--agent", "my_bot.py", cwd=tmp_path).returncode == 2
