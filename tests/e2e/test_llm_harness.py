"""Harnesses from end to end: a chat that was killed goes on as it was, and reports never mix harnesses in silence."""

import json
import re

import pytest

from molt_bench.view.library import Library
from tests.agents.llm.provider import Provider
from tests.e2e.llm import config_for, exchanges_in, killed_and_resumed, played, same_files
from tests.e2e.shell import quick, read, run_of


def chatting(prompt, body):
    """Decide by the length of the conversation, in the form that the prompt asks for."""
    legal = re.findall(r"^Legal actions: (.*)$", prompt, re.MULTILINE)[-1:]
    kind = "call" if legal and "call" in legal[0] else "check" if legal else "fold"
    length = sum(len(each["content"]) for each in body["messages"])
    if "ACTION: " not in prompt:
        return {"reasoning": "r", "kind": kind, "amount": None}
    if length % 7 == 0:
        return "I do not know."  # a fault, which stays in the conversation
    return f"So far {length} characters.\nACTION: {kind}"


def chat_config(url):
    config = config_for(url, harness="chat", memory="none")
    return {**config, "game": {"handsPerGame": 8, "stacks": "carry"}}


def sent_in(folder):
    """Return the bodies of all requests in games as the run's files have them."""
    done = quick("export", folder, "--format", "exchanges", "--output", "-")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line["wire"]["sent"] for line in lines if line["game"]["match"]]


@pytest.mark.slow
def test_a_chat_killed_in_the_middle_of_games_is_rebuilt_byte_for_byte(tmp_path, server):
    """Each SIGKILL comes in place of an answer: all answered requests together are those of an undisturbed run."""
    server.say = chatting
    before = server.received
    whole = played(tmp_path / "whole", chat_config(server.url), "--games-at-once", "1")
    bodies = [request.body for request in server.since(before)]
    assert max(len(body["messages"]) for body in bodies) > 12
    assert sent_in(whole) == bodies
    before, home = server.received, tmp_path / "killed"
    folder = killed_and_resumed(server, home, chat_config(server.url), (9, 1, 14), "--games-at-once", "1")
    assert [request.body for request in server.since(before) if request.answered] == bodies
    assert sent_in(folder) == bodies
    assert same_files(folder) == same_files(whole)
    hashes = [[line["promptHash"] for line in exchanges_in(each)] for each in (whole, folder)]
    assert hashes[0] == hashes[1]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a finished run of a model by two harnesses and two tracks, whose provider is gone, and what it printed."""
    home = tmp_path_factory.mktemp("mixed")
    with Provider(policy=chatting) as provider:
        config = config_for(provider.url)
        model = config["participants"][0]
        chat = {**model, "id": "talker", "harness": "chat", "track": "bare", "memory": "none"}
        config = {**config, "participants": [model, chat, "tight"], "seeds": {"perMatch": 2, "masterSeed": "mixed"}}
        config["game"] = {"handsPerGame": 3}
        home.joinpath("bench.json").write_text(json.dumps(config))
        done = quick("--config", "bench.json", "--no-cost-limit", cwd=home)
        assert done.returncode == 0, done.stderr
    return run_of(home / "out"), done.stdout


@pytest.mark.slow
def test_verify_of_a_chat_asks_nobody(mixed):
    folder, _ = mixed
    done = quick("verify", folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_rating_that_mixes_harnesses_says_so_and_its_rows_name_them(mixed):
    folder, printed = mixed
    for text in (printed, quick("report", folder).stdout):
        plain = " ".join(text.split())
        assert "This rating mixes harnesses, tracks, memory or samples" in plain
        assert "model (strict/3, standard, memory session); talker (chat/2, bare)." in plain
        assert "(chat/2, bare, text mode)" in plain
    rows = {row["id"]: row for row in read(folder, "leaderboard.json")["participants"]}
    assert (rows["model"]["harness"], rows["model"]["track"]) == ("strict/3", "standard")
    assert (rows["talker"]["harness"], rows["talker"]["track"]) == ("chat/2", "bare")
    assert "harness" not in rows["tight"]
    header = json.loads((folder / "journal.jsonl").read_text().splitlines()[0])
    assert header["versions"]["harness of talker"] == "chat/2"
    assert header["versions"]["openai"]
    assert header["versions"]["pydantic-ai-slim"]


def test_the_viewer_names_harnesses_and_shows_what_was_asked_in_a_chat(mixed):
    folder, _ = mixed
    library = Library(folder.parent)
    library.open(folder.name).catch_up()
    page = library.run_page(folder.name)
    assert {row["id"]: row["harness"] for row in page["leaderboard"]} == {
        "model": "strict/3, standard, memory session",
        "talker": "chat/2, bare",
        "tight": None,
    }
    assert any("mixes harnesses" in sentence for sentence in page["sentences"])
    asked = [
        (decision["agent"], attempt)
        for match in (1, 2, 3)
        for hand in (1, 2, 3)
        for side in library.hand_page(folder.name, match, 0, hand)["sides"]
        for decision in side["decisions"]
        if decision["exchange"]
        for attempt in decision["exchange"]["attempts"]
    ]
    assert {name for name, _ in asked} == {"model", "talker"}
    assert all(attempt["prompt"] for _, attempt in asked), "every prompt comes out as it was"
    thoughts = [attempt["reasoning"] for name, attempt in asked if name == "talker"]
    assert any(text and text.startswith("So far ") for text in thoughts)


def test_comparing_two_harnesses_says_so(mixed):
    folder, _ = mixed
    done = quick("compare", folder, folder, "--agent", "model=talker")
    assert "talker was asked in another way (strict/3, standard in" in done.stdout + done.stderr
