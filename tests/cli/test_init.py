"""`init`: a config from four questions or as many flags."""

import json
import os
import pty
import select
import time

import pytest
import yaml
from tests.e2e.shell import be_the_program, one_clear_line, quick, strict_json

from molt_bench.config.loader import load_config, read_config_file

FLAGS = ("--participants", "tag,tight,random", "--hands", "7", "--confidence", "0.8", "--max-matches", "9")


def piped(answers, *arguments, cwd):
    return quick("init", *arguments, said=answers, cwd=cwd)


def chosen(path):
    config = load_config(read_config_file(str(path)))
    ids = [each.id for each in config.participants]
    return ids, config.game.hands_per_game, config.stop.adjacent_confidence.threshold, config.stop.budget.max_matches


def test_flags_answer_everything(tmp_path):
    done = quick("init", "c.yaml", *FLAGS, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "molt-bench: wrote c.yaml; run it with: molt-bench --config c.yaml\n"
    assert chosen(tmp_path / "c.yaml") == (["tag", "tight", "random"], 7, 0.8, 9)


def test_the_config_runs_as_it_is(tmp_path):
    assert quick("init", "--participants", "shover,folder", "--yes", cwd=tmp_path).returncode == 0
    assert quick("doctor", "bench.yaml", "--quiet", cwd=tmp_path).stdout == ""
    done = quick("--config", "bench.yaml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in json.loads(done.stdout)["participants"]] == ["shover", "folder"]


def test_without_answers_it_is_the_default_benchmark(tmp_path):
    assert quick("init", "--yes", "--quiet", cwd=tmp_path).stderr == ""
    assert load_config(read_config_file(str(tmp_path / "bench.yaml"))) == load_config({})


def test_what_is_commented_out_is_valid_too(tmp_path):
    quick("init", "--yes", "--quiet", cwd=tmp_path)
    lines = (tmp_path / "bench.yaml").read_text().splitlines()
    uncommented = [
        line.replace("# ", "", 1) if line.startswith("  ") and line.lstrip()[0] == "#" else line for line in lines
    ]
    assert uncommented != lines
    load_config(yaml.safe_load("\n".join(uncommented)))


def test_more_players_get_more_matches(tmp_path):
    quick("init", "--participants", "tag,tight,random,maniac,shover", "--yes", cwd=tmp_path)
    assert chosen(tmp_path / "bench.yaml")[3] == 100


@pytest.mark.parametrize(
    ("flags", "per_match", "most"),
    [
        (("--participants", "llm:openai:gpt-4.1,tag"), 4, 50),
        (("--participants", "llm:openai:gpt-4.1,tag,tight,random"), 4, 150),
        (("--participants", "llm:openai:gpt-4.1,tag", "--max-matches", "30"), 10, 30),
    ],
)
def test_models_get_short_matches_as_in_a_run_unless_their_number_is_given(flags, per_match, most, tmp_path):
    quick("init", *flags, "--yes", cwd=tmp_path)
    config = load_config(read_config_file(str(tmp_path / "bench.yaml")))
    assert (config.seeds.per_match, config.stop.budget.max_matches) == (per_match, most)


def test_a_pipe_answers_line_by_line_and_empty_is_the_default(tmp_path):
    done = piped("tag,maniac\n\n0.9\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert chosen(tmp_path / "bench.yaml") == (["tag", "maniac"], 50, 0.9, 20)
    assert done.stdout.count("?") == 4


def test_with_json_the_questions_go_to_standard_error(tmp_path):
    done = piped("\n\n\n\n", "--json", cwd=tmp_path)
    assert strict_json(done.stdout) == {
        "config": "bench.yaml",
        "participants": ["random", "tight"],
        "run": "molt-bench --config bench.yaml",
    }
    assert done.stderr.count("?") == 4


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("tigth,tag\n", "did you mean 'tight'?"),
        ("tag\n", "at least 2"),
        ("\nmany\n", "game.handsPerGame = 'many'"),
        ("\n\n95\n", "threshold = 95"),
        ("\n\n\n[\n", "maxMatches"),
    ],
)
def test_a_wrong_answer_of_a_script_is_one_clear_line_and_no_file(tmp_path, answers, said):
    done = piped(answers, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("molt-bench: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "bench.yaml").exists()


def at_a_terminal(typed, cwd):
    """Type at a terminal, each text once the program waits for it; return the status and what was shown."""
    pid, terminal = pty.fork()
    if not pid:
        be_the_program(["init"], [0, 1, 2, os.open(os.devnull, os.O_WRONLY)], cwd=cwd)
    shown, typed = b"", list(typed)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                break
        if typed and shown.rstrip().endswith(b"]:"):
            os.write(terminal, typed.pop(0))
            shown += b" "
            time.sleep(0.1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


def test_a_person_is_asked_again(tmp_path):
    status, shown = at_a_terminal([b"tigth,tag\n", b"tight,tag\n", b"\n", b"2\n", b"0.9\n", b"\n"], tmp_path)
    assert status == 0, shown
    assert "did you mean 'tight'?" in shown
    assert chosen(tmp_path / "bench.yaml") == (["tight", "tag"], 50, 0.9, 20)


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_a_person_who_leaves_gets_no_file(tmp_path, key):
    status, shown = at_a_terminal([b"\n", key], tmp_path)
    assert status == 130, shown
    assert "nothing was written" in shown
    assert not (tmp_path / "bench.yaml").exists()


def test_nothing_is_overwritten_unless_forced(tmp_path):
    (tmp_path / "bench.yaml").write_text("mine")
    one_clear_line(quick("init", "--yes", cwd=tmp_path), "FILE = 'bench.yaml'", "--force")
    assert (tmp_path / "bench.yaml").read_text() == "mine"
    (tmp_path / "link.yaml").symlink_to("nowhere")
    one_clear_line(quick("init", "link.yaml", "--yes", cwd=tmp_path), "--force")
    assert quick("init", "--yes", "--force", cwd=tmp_path).returncode == 0
    assert chosen(tmp_path / "bench.yaml")[0] == ["random", "tight"]


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path):
    one_clear_line(quick("init", "no/such/c.yaml", "--yes", cwd=tmp_path), "FILE = 'no/such/c.yaml'", "No such file")
    one_clear_line(quick("init", "c.json", "--yes", cwd=tmp_path), ".yaml")
    one_clear_line(quick("init", ".", "--yes", cwd=tmp_path), "--force")


def test_odd_names_survive(tmp_path):
    """Of the file, and of programs that play."""
    (tmp_path / "b: #o't").write_text("#!/bin/sh\n")
    (tmp_path / "b: #o't").chmod(0o755)
    player = "exec:'./b: #o'\\''t' --size 1\\,2 '{x}'"
    done = quick("init", "a b\n#.yaml", "--participants", f"{player},tight", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    config = load_config(read_config_file(str(tmp_path / "a b\n#.yaml")))
    assert config.participants[0].command == "'./b: #o'\\''t' --size 1,2 '{x}'"


def test_live_agents_are_served(tmp_path):
    done = quick("init", "--participants", "live,tag", "--yes", cwd=tmp_path)
    assert done.stderr.startswith("molt-bench: wrote bench.yaml; run it with: molt-bench serve bench.yaml")


def test_live_writes_a_config_and_clients_and_replaces_nothing(tmp_path):
    done = quick("init", "--live", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["client.py", "live.yaml", "poll.sh"]
    assert "molt-bench serve live.yaml" in done.stderr
    assert quick("doctor", "live.yaml", cwd=tmp_path).returncode == 0
    (tmp_path / "live.yaml").unlink()
    (tmp_path / "poll.sh").write_text("mine")
    again = quick("init", "--live", cwd=tmp_path)
    assert again.returncode == 1
    assert "poll.sh" in again.stderr
    assert not (tmp_path / "live.yaml").exists()
    assert quick("init", "--live", "--force", cwd=tmp_path).returncode == 0
    assert quick("init", "--live", "--hands", "3", cwd=tmp_path).returncode == 2
