"""The disclosure card, as `export --format card` writes it and as pages show it."""

import doctest
import json
from hashlib import sha256

from tests.e2e.shell import one_clear_line, quick, quick_run
from tests.e2e.two_runs import EVIL

from molt_bench.llm.prompt import default_skill
from molt_bench.report import card as cards
from molt_bench.report.card import CARD, card, card_text
from molt_bench.report.run_rows import Rows
from molt_bench.runs.run import Run


def card_of(folder):
    run = Run.open(folder)
    return {part.title: dict(part.lines) for part in card(Rows(run.result()), run.header)}


def test_the_examples_in_the_module_are_right():
    assert doctest.testmod(cards) == (0, 1)


def test_it_says_who_exactly_a_model_was(runs, models_id):
    (said,) = [text for text in card_of(runs / models_id)["Who played"].values() if "openai:other" in text]
    prompt = sha256(default_skill().encode()).hexdigest()
    assert said.startswith("language model openai:other; reported as ")
    assert "reasoningEffort of the provider; temperature of the provider" in said
    assert f"prompt SHA-256 {prompt}; asked by molt-bench: reply action/1, standard" in said


def test_it_says_what_was_played_why_it_stopped_and_what_it_cost(runs, models_id):
    said = card_of(runs / models_id)
    summary = json.loads((runs / models_id / "summary.json").read_bytes())
    played = said["What was played"]
    assert played["Rules"].endswith("blinds 50/100")
    assert played["Hands"].startswith(f"{summary['totals']['hands']:,} hands")
    assert said["When it stopped"] == {"Rule": "budget: maxMatches 3", "Reason": summary["stopReason"]}
    used = json.loads((runs / models_id / "leaderboard.json").read_bytes())["participants"]
    tokens = {row["id"]: row["usage"]["tokens"]["input"] for row in used if "usage" in row}
    assert [f"{tokens['model-1']:,} tokens read" in text for text in said["What it cost"].values()].count(True) == 1
    assert len(said["What it cost"]) == 2
    assert len(said["Faults"]) == 3


def test_decks_from_a_seed_that_was_told_only_at_the_end_are_said_to_be_fresh(tmp_path):
    bots = "docs/examples/cautious.py:Cautious,tag"
    folder = quick_run(tmp_path / "runs", "--participants", bots, "--seeds", "1", "--max-matches", "1", "--hands", "5")
    header = json.loads((folder / "journal.jsonl").read_text().splitlines()[0])
    said = card_of(folder)
    assert said["Contamination"]["Decks"].startswith("dealt fresh from a master seed that was secret")
    assert header["masterSeedHash"] in said["What was played"]["Seeds"]
    assert header["agents"]["cautious"]["code"] in said["Who played"]["cautious"]


def test_decks_that_a_model_could_have_known_are_not_said_to_be_fresh(runs, models_id):
    said = card_of(runs / models_id)
    assert said["What was played"]["Seeds"] == "from the master seed models, in the config from the start"
    assert "can have known the cards" in said["Contamination"]["Decks"]


def test_verify_accepts_a_card_and_rejects_one_that_was_edited(runs, models_id):
    folder = runs / models_id
    assert quick("export", folder, "--format", "card").returncode == 0
    try:
        assert f", {CARD}" in quick("verify", folder).stdout
        text = (folder / CARD).read_text("utf-8")
        (folder / CARD).write_text(text.replace("of the provider", "high", 1), "utf-8")
        one_clear_line(quick("verify", folder), f"{CARD} differs")
    finally:
        (folder / CARD).unlink()


def test_what_foreigners_wrote_is_shown_as_it_is(runs, models_id):
    run = Run.open(runs / models_id)
    text = card_text(Rows(run.result()), run.header)
    assert EVIL not in text
    assert r"\<script\>" in text
    assert "\u202e" not in text
