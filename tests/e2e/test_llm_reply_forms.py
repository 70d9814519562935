"""Forms of replies from end to end: reports never mix ways of asking in silence."""

import json

import pytest

from tests.e2e.llm import config_for
from tests.e2e.shell import quick, read, run_of
from tests.llm import wire
from tests.llm.mixing import mixing
from tests.llm.provider import Provider
from tests.viewing import told


def either(prompt, body):
    """Reply in the form that the prompt asks for."""
    return mixing(prompt) if '"strategy"' in prompt else wire.default_policy(prompt, body)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a finished run of a model by two forms of replies, whose provider is gone, and what it printed."""
    home = tmp_path_factory.mktemp("mixed")
    with Provider(policy=either) as provider:
        config = config_for(provider.url)
        model = config["participants"][0]
        other = {**model, "id": "mixer", "reply": "strategy", "track": "bare", "memory": "none"}
        config = {**config, "participants": [model, other, "tight"], "seeds": {"perMatch": 2, "masterSeed": "mixed"}}
        config["game"] = {"handsPerGame": 3}
        home.joinpath("bench.json").write_text(json.dumps(config))
        done = quick("--config", "bench.json", "--no-cost-limit", cwd=home)
        assert done.returncode == 0, done.stderr
    return run_of(home / "out"), done.stdout


@pytest.mark.slow
def test_verify_asks_nobody(mixed):
    folder, _ = mixed
    done = quick("verify", folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_rating_that_mixes_reply_forms_says_so_and_its_rows_name_them(mixed):
    folder, printed = mixed
    for text in (printed, quick("report", folder).stdout):
        plain = " ".join(text.split())
        assert "This rating mixes forms of replies, tracks or memory" in plain
        assert all(form in plain for form in ("model (action/1, standard, memory session)", "mixer (strategy/1, bare)"))
    rows = {row["id"]: row for row in read(folder, "leaderboard.json")["participants"]}
    assert (rows["model"]["reply"], rows["model"]["track"]) == ("action/1", "standard")
    assert (rows["mixer"]["reply"], rows["mixer"]["track"]) == ("strategy/1", "bare")
    assert "reply" not in rows["tight"]
    header = json.loads((folder / "journal.jsonl").read_text().splitlines()[0])
    assert header["agents"]["mixer"]["reply"] == "strategy/1"
    assert header["versions"]["openai"]
    assert header["versions"]["pydantic-ai-slim"]


def test_the_viewer_names_forms_of_replies_and_shows_what_was_asked(mixed):
    folder, _ = mixed
    page = told(folder.parent, folder.name)
    assert {row["id"]: row["reply"] for row in page["leaderboard"]} == {
        "model": "action/1, standard, memory session",
        "mixer": "strategy/1, bare",
        "tight": None,
    }
    assert any("mixes forms of replies" in sentence for sentence in page["sentences"])
    asked = [
        (decision["agent"], attempt)
        for match in (1, 2, 3)
        for hand in (1, 2, 3)
        for side in told(folder.parent, folder.name, f"/hand/{match}/0/{hand}")["sides"]
        for decision in side["decisions"]
        if decision["exchange"]
        for attempt in decision["exchange"]["attempts"]
    ]
    assert {name for name, _ in asked} == {"model", "mixer"}
    assert all(attempt["prompt"] for _, attempt in asked), "every prompt comes out as it was"
    thoughts = [attempt["reasoning"] for name, attempt in asked if name == "mixer"]
    assert any(text == "Who knows?" for text in thoughts)
