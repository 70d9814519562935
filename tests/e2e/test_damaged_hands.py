"""A hand that cannot have happened: whoever reads it names the line of the journal."""

import json
import shutil

import pytest

from tests.e2e.shell import SMALL, one_clear_line, quick, quick_run
from tests.fuzz.mutations import chained

FORMATS = ("phh", "csv")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return quick_run(tmp_path_factory.mktemp("damaged") / "runs", *SMALL, "--quiet", "--executor", "inline")


def damaged(run, folder, change):
    """Copy a run, with its second game changed; its line is the third."""
    copy = folder / "run"
    shutil.copytree(run, copy)
    (copy / "matches.json").unlink()  # it has the margins of the hands as they were
    (copy / "summary.json").unlink()  # and this one the hash of the journal
    lines = (copy / "journal.jsonl").read_bytes().splitlines(keepends=True)
    game = json.loads(lines[2])
    change(game["record"])
    changed = [*lines[:2], json.dumps(game).encode() + b"\n", *lines[3:]]
    (copy / "journal.jsonl").write_bytes(b"".join(chained(changed)))
    return copy


def other_card(record):
    """Give seat 0 the same card twice."""
    hole, rest = record["hand_texts"][3].split("|", 1)
    record["hand_texts"][3] = f"{hole[:-2]}{hole[-4:-2]}|{rest}"


def other_net(record):
    record["hand_nets"][1] += 7


def one_hand_less(record):
    del record["hand_nets"][0]


@pytest.mark.parametrize("change", [other_card, other_net, one_hand_less])
@pytest.mark.parametrize(
    "command", [["report"], ["export", "--format", "html"], ["verify"], ["export", "--format", "csv"]]
)
def test_a_damaged_hand_is_one_line_that_names_the_line(run, tmp_path, command, change):
    copy = damaged(run, tmp_path, change)
    done = quick(command[0], copy, *command[1:], cwd=tmp_path)
    if command == ["report"] and change is other_card:  # it reads margins, and no hands: verify does
        assert done.returncode == 0
        one_clear_line(quick("verify", copy), "differs from hand 4 on")
    elif command == ["verify"] and change is other_card:
        one_clear_line(done, "differs from hand 4 on")
    else:
        one_clear_line(done, "line 3 is damaged")


@pytest.mark.parametrize("form", FORMATS)
def test_no_export_writes_a_hand_that_cannot_have_happened(run, tmp_path, form):
    copy = damaged(run, tmp_path, other_card)
    target = tmp_path / "out"
    one_clear_line(quick("export", copy, "--format", form, "--output", target), "line 3 is damaged", "hand 4")
    assert not target.exists()


def with_first_mix(change):
    def changed(record):
        at = next(at for at, line in enumerate(record["mixes"]) if line)
        record["mixes"][at] = change(record["mixes"][at])

    return changed


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a run of an agent of our own that mixes, and so is not asked again by verify."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mixer.py").write_text(MIXER)
    flags = ["--participants", f"{folder / 'mixer.py'}:Mixer,callstation", "--seeds", "1", "--hands", "4"]
    return quick_run(folder / "runs", *flags, "--max-matches", "1", "--quiet", "--executor", "inline")


MIXER = """
from molt_bench import Action, Mix


class Mixer:
    name = "mixer"

    def act(self, observation):
        return Mix([(Action("call" if observation.to_call else "check"), 3), (Action("fold"), 1)])
"""

WRONG_MIXES = {
    "no mixes": (lambda line: "hello", "not the mixes of a hand: 'hello'"),
    "no mix": (lambda line: f"{line},9f", "not a mix"),
    "weight 0": (lambda line: "0:0f", "not a mix: '0f'"),
    "after the hand": (lambda line: f"{line};98:1f", "differs in the mixes of hand 1"),
}


@pytest.mark.parametrize("name", WRONG_MIXES)
def test_a_mix_that_was_changed_is_one_line_that_names_the_hand(mixed, tmp_path, name):
    change, words = WRONG_MIXES[name]
    copy = damaged(mixed, tmp_path, with_first_mix(change))
    one_clear_line(quick("verify", copy), "match 1, seed" if "differs" in words else "hand 1", words)


def test_a_journal_whose_lines_were_changed_is_not_that_of_the_summary(mixed, tmp_path):
    copy = damaged(mixed, tmp_path, with_first_mix(lambda line: line.replace(":3", ":4")))
    shutil.copy(mixed / "summary.json", copy)
    one_clear_line(quick("verify", copy), "is not the journal that summary.json was written from: lines were changed")
