"""Agents that are not what they seem are named, and their table in docs/why/fairness.md (`make slow SUITE=cheats`).

To write the table again: python -m tests.e2e.test_suspicion
"""

import json
import re
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.analysis import Analysis
from molt_bench.report.claims import sentences
from molt_bench.report.win_rates import in_bb_per_100
from tests.e2e.shell import quick, read, run_of

PAGE = Path(__file__).parents[2] / "docs" / "why" / "fairness.md"
SUSPECTS = Path(__file__).with_name("suspects.py")
BEGIN, END = "<!-- cheats: begin -->", "<!-- cheats: end -->"
HEAD = "| agent | against | raw, bb/100 | without luck | z | named | the report says |"
#: What nobody at the table knows; fixed, so that the table is the same every time.
SECRET = "b1946ac92492d2347c6235b4d2611184"
CHEATS = {"CardReader": "card reader", "Rememberer": "rememberer", "Liar": "liar", "Gamer": "gamer"}
HONEST = list(combinations(("tag", "tight", "callstation", "maniac", "random"), 2))


def config(*participants, **sections):
    """Return a config with default settings, as somebody would run it who suspects nothing."""
    return {
        "participants": list(participants),
        "seeds": {"masterSeed": sha256(f"{SECRET} {[*map(_plain, participants)]}".encode()).hexdigest()},
        "stop": {"budget": {"maxMatches": 40}},
        **sections,
    }


def _plain(participant):
    return participant if isinstance(participant, str) else participant["type"].rpartition(":")[2]


def cheat(kind):
    return {"id": "cheat", "type": f"{SUSPECTS}:{kind}"}


def played(*participants):
    """Play a run on cards of its own, in this process: what a rememberer knows depends on which games share one."""
    return Analysis(run_benchmark(config(*participants), executor="inline"))


def with_interval(known):
    return f"{known[0]:+.1f} ± {known[1]:.1f}"


def said(found, name):
    """Return in some words what the report says about a participant."""
    known = found.result.suspicion
    if name in known.suspects:
        return "suspected, judged by chips alone"
    if name in known.doubted:
        return "no order is claimed yet"
    told = [each for each in found.result.warnings if each.startswith(f"{name}: ")]
    if any("it does not play by its published probabilities" in each for each in told):
        return "it does not play by its published probabilities: not used"
    if any("could not be used" in each for each in told):
        return "its published probabilities could not be used at some decisions"
    return "nothing"


def row(found, name, label, against):
    models = (found.raw, found.trusting)
    raw, left = (with_interval(in_bb_per_100(model.so_far(name))) for model in models)
    known = found.result.suspicion
    named = ", ".join(known.suspects) or "nobody"
    return (
        f"| {label} | {against} | {raw} | {left} | {known.participants[name].z:+.1f} | {named} | {said(found, name)} |"
    )


def table():
    """Return the table: every cheat in a run with two bots, and ten honest pairings."""
    rows = [HEAD, "|---|---|---:|---:|---:|---|---|"]
    for kind, label in CHEATS.items():
        found = played(cheat(kind), "tag", "callstation")
        rows.append(row(found, "cheat", label, "tag, callstation"))
    for one, two in HONEST:
        rows.append(row(played(one, two), one, one, two))
    return rows


def cells(lines):
    """Return what of a table does not depend on luck: whom it is about, who is named, and what is said."""
    return [[cell.strip() for at, cell in enumerate(line.split("|")) if at in (1, 2, 6, 7)] for line in lines]


def shown():
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip().splitlines()


@pytest.mark.slow
def test_the_table_in_the_docs_is_the_one_that_is_found():
    found = table()
    named = [line[2] for line in cells(found)]
    assert [each.split(", ")[0] for each in named[2:4]] == ["cheat", "cheat"]
    assert "it does not play by" in cells(found)[4][3]
    assert named[6:] == ["nobody"] * 10
    assert cells(shown()) == cells(found)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "opponent"), [("CardReader", "tag"), ("CardReader", "tight"), ("Rememberer", "tag")])
def test_a_cheat_is_found_before_a_run_of_two_ends(kind, opponent):
    """Not always: `Rememberer` against `tight` sees few showdowns, and a run of the two may end before it is found."""
    found = played(cheat(kind), opponent)
    assert "cheat" in found.result.suspicion.suspects
    assert {*found.estimators.values()} == {"raw"}
    assert any("cheat (!) is suspected" in each for each in sentences(found))


@pytest.mark.slow
def test_a_suspect_is_named_everywhere_and_the_same_in_every_command(tmp_path):
    """The journal is all that a report needs: resumed, reported, exported and verified, the run says the same."""
    settings = {"game": {"handsPerGame": 6}, "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 12}}}
    (tmp_path / "c.json").write_text(json.dumps(config(cheat("CardReader"), "callstation", "tag", **settings)))
    done = quick("--config", tmp_path / "c.json", "--output-dir", tmp_path / "out", "--executor", "inline")
    assert done.returncode == 0, done.stderr
    run = run_of(tmp_path / "out")
    (line,) = re.findall(r"cheat \(!\) is suspected.*", done.stdout)
    rows = {each["id"]: each for each in read(run, "leaderboard.json")["participants"]}
    assert [name for name, each in rows.items() if each.get("suspect")] == ["cheat"]
    assert rows["cheat"]["bbPer100"] == rows["cheat"]["rawBbPer100"]
    assert read(run, "summary.json")["suspicions"][0] == line
    assert read(run, "margins.json")["suspicion"]["suspects"] == ["cheat"]
    assert line in quick("report", run).stdout
    before = (run / "leaderboard.json").read_bytes()
    journal = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(journal[: len(journal) // 2]))
    (run / "summary.json").unlink()
    # Whoever is resumed with --run-agents plays in a sandbox, and reads no cards there.
    done = quick("--config", tmp_path / "c.json", "--output-dir", tmp_path / "out", "--executor", "inline", "--resume")
    assert done.returncode == 0, done.stderr
    assert (run / "leaderboard.json").read_bytes() == before
    assert quick("verify", run).returncode == 0


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    lines = "\n".join(table())
    PAGE.write_text(f"{before}{BEGIN}\n\n{lines}\n\n{END}{rest.partition(END)[2]}")
    print(lines)
