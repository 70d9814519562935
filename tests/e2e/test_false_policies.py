"""Policies that are false, as a user meets them: refused for the whole run, named in the report, and worth nothing."""

from pathlib import Path

import pytest

from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.runs.journal import Rated, read_journal
from molt_bench.runs.stored_run import StoredRun
from tests.e2e import liars
from tests.e2e.shell import SEEDED, cut_back, quick, quick_run, read, results

LIARS = Path(liars.__file__)
PLAYED = ("--seeds", "2", "--hands", "4", "--max-matches", "6", "--set", "stop.adjacentConfidence=null", *SEEDED)


def run_with(folder, *names, executor="inline"):
    players = ",".join(name if name.islower() else f"{LIARS}:{name}" for name in names)
    return quick_run(folder, *PLAYED, "--participants", players, "--executor", executor)


def margins(folder):
    return [
        pair["marginsMbb"] for match in read(folder, "matches.json")["matches"] for pair in match["result"]["perSeed"]
    ]


def accounts(folder):
    return [line for line in read_journal(str(folder / "journal.jsonl")).lines if isinstance(line, Rated)]


@pytest.mark.slow
def test_a_false_policy_is_not_used_in_any_match_and_the_report_says_whose(tmp_path):
    folder = run_with(tmp_path, "CallingLiar", "maniac", "tight")
    said = "liars: it does not play by its published probabilities, so they are not used in this run: "
    done = quick("report", folder)
    assert said in done.stdout + done.stderr
    found = [match for match in read(folder, "matches.json")["matches"] if "liars" in match["participantA"]]
    assert found
    for match in found:
        for pair in match["result"]["perSeed"]:
            if match["participantB"] == "tight":
                assert pair["marginsMbb"]["corrected"] == pair["marginsMbb"]["adjusted"]
    first = next(each for each in accounts(folder) if each.account.evidence)
    assert {each.used for each in first.account.variants} == {("liars",), ()}


@pytest.mark.slow
def test_a_false_policy_gives_the_margins_of_the_same_play_without_dice(tmp_path):
    """All margins but those by weights that the run had learned before it was found out."""
    liar, plain = (
        run_with(tmp_path / "liar", "CallingLiar", "maniac"),
        run_with(tmp_path / "plain", "Caller", "maniac"),
    )
    for name in ("raw", "adjusted", "corrected", "correctedSolid"):
        assert [each[name] for each in margins(liar)] == pytest.approx([each[name] for each in margins(plain)])


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    ["after the games", "after the margins", "in the middle"],
)
def test_a_run_with_a_false_policy_goes_on_where_it_was_cut_off(tmp_path, cut):
    executor = "inline" if cut == "after the games" else "processes"  # starting processes takes seconds
    folder = run_with(tmp_path, "CallingLiar", "maniac", executor=executor)
    before, lines = results(folder), len(accounts(folder))
    assert lines == 6
    third = b'"line":"margins","match":3,'

    def keep(data):
        at = data.rindex(b"\n", 0, data.index(third)) + 1
        return data[: {"after the games": at, "after the margins": data.index(b"\n", at) + 1}.get(cut, at + 200)]

    cut_back(folder, keep)
    assert quick("resume", folder, "--run-agents", "--executor", executor).returncode == 0
    assert results(folder) == before
    assert [each.match for each in accounts(folder)] == [*range(1, 7)]
    assert "games are identical" in quick("verify", folder).stdout


@pytest.mark.slow
def test_a_run_is_reported_without_asking_anybody(tmp_path, monkeypatch):
    folder = run_with(tmp_path, "Honest", "Caller")
    monkeypatch.setattr(StatedPolicy, "__init__", lambda *_: pytest.fail("somebody was asked"))
    result = StoredRun.open(folder).result()
    assert [match.margins["fitted"] for match in result.matches] == [
        tuple(pair["marginsMbb"]["fitted"] for pair in match["result"]["perSeed"])
        for match in read(folder, "matches.json")["matches"]
    ]
