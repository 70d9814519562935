"""`init`: a commented config that runs as it is, or an agent."""

import pytest
import yaml
from tests.e2e.shell import one_clear_line, quick, strict_json

from molt_bench.config.loader import load_config, read_config_file


def written(folder, *arguments):
    """Return the config that `init` writes."""
    done = quick("init", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    return read_config_file(str(folder / "bench.yaml"))


def test_it_says_where_the_config_is_and_how_to_run_it(tmp_path):
    done = quick("init", "a b.yaml", cwd=tmp_path)
    assert done.stderr == "molt-bench: wrote a b.yaml; run it with: molt-bench 'a b.yaml'\n"
    assert "# Check it:       molt-bench doctor 'a b.yaml'\n" in (tmp_path / "a b.yaml").read_text()


def test_it_is_the_default_benchmark(tmp_path):
    assert load_config(written(tmp_path)) == load_config({})


def test_what_is_commented_out_is_valid_too(tmp_path):
    written(tmp_path)
    lines = (tmp_path / "bench.yaml").read_text().splitlines()
    uncommented = [
        line.replace("# ", "", 1) if line.startswith("  ") and line.lstrip()[0] == "#" else line for line in lines
    ]
    assert uncommented != lines
    load_config(yaml.safe_load("\n".join(uncommented)))


def test_with_json_it_is_one_object(tmp_path):
    done = quick("init", "--json", cwd=tmp_path)
    assert strict_json(done.stdout) == {"file": "bench.yaml", "run": "molt-bench bench.yaml"}
    assert done.stderr == ""


def test_nothing_is_overwritten_unless_forced(tmp_path):
    (tmp_path / "bench.yaml").write_text("mine")
    one_clear_line(quick("init", cwd=tmp_path), "FILE = 'bench.yaml'", "--force")
    assert (tmp_path / "bench.yaml").read_text() == "mine"
    (tmp_path / "link.yaml").symlink_to("nowhere")
    one_clear_line(quick("init", "link.yaml", cwd=tmp_path), "--force")
    assert load_config(written(tmp_path, "--force")) == load_config({})


@pytest.mark.parametrize(
    ("place", "said"),
    [("no/such/c.yaml", "No such file"), ("c.json", ".yaml"), (".", "--force"), ("x" * 300, "too long")],
)
def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path, place, said):
    one_clear_line(quick("init", place, cwd=tmp_path), "FILE = ", said)


def test_an_agent_of_25_lines_is_written_that_is_fit_and_plays(tmp_path):
    done = quick("init", "--agent", "a_new_bot.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "check it with: molt-bench check a_new_bot.py:ANewBot; run it with: molt-bench --part" in done.stderr
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
