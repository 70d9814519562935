"""Models that are asked again in whole runs: numbers are on record, and every command gives the same bytes by them."""

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from molt_bench.luck.stand_ins import learned, match_luck, reasking
from molt_bench.view.library import Library
from tests.e2e.live import Poller, Served, live_config, mixing
from tests.e2e.llm import (
    MODEL,
    PRICE,
    SAME,
    config_for,
    cut,
    exchanges_in,
    gone_on,
    killed_and_resumed,
    played,
    prepared,
    same_files,
)
from tests.e2e.shell import lines_of, quick, read, run_of, unvouched

FILES = (*SAME, "margins.json")


def steady(prompt, body):
    """Answer the same question the same way, whenever it is asked: raise with some prompts, else check or call."""
    legal = [line for line in prompt.splitlines() if line.startswith("Legal actions: ")][-1]
    if len(prompt) % 3 == 0 and "raiseTo" in legal:
        return {"reasoning": "More.", "kind": "raiseTo", "amount": int(legal.rpartition("raiseTo ")[2].split("..")[0])}
    return {"reasoning": "Why not?", "kind": "check" if "check" in legal else "call", "amount": None}


def wavering():
    """Return a model that folds every third time it is asked."""
    times = Counter()

    def answer(prompt, body):
        times["all"] += 1
        fold = {"reasoning": "No.", "kind": "fold", "amount": None}
        return fold if times["all"] % 3 == 0 else steady(prompt, body)

    return answer


def config_of(url, **settings):
    """Return the config of a model that plays a bot again and again."""
    config = config_for(url, reask="auto", **settings)
    config["participants"] = config["participants"][:2]
    config["game"] = {"handsPerGame": 3}
    return config


@pytest.fixture(scope="module", autouse=True)
def early_and_often():
    """Have stand-ins after a few hands, and draw from up to three answers where a little depends on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learned, "FIRST_HANDS", 6)
        patch.setattr(match_luck, "_ENOUGH", 6)
        patch.setattr(reasking, "STEP_BB", 0.5)
        patch.setattr(reasking, "MOST", 3)
        yield


@pytest.fixture(scope="module")
def whole(one_server, tmp_path_factory):
    """Return the folder of a finished run whose model answers the same question the same way."""
    with one_server.saying(steady):
        return played(tmp_path_factory.mktemp("whole"), config_of(one_server.url))


@pytest.fixture(scope="module")
def mixed(one_server, tmp_path_factory):
    """Return the folder of a finished run whose model does not."""
    with one_server.saying(wavering()):
        return played(tmp_path_factory.mktemp("mixed"), config_of(one_server.url))


def margins(folder):
    matches = read(folder, "matches.json")["matches"]
    return [seed["marginsMbb"] for match in matches for seed in match["result"]["perSeed"]]


@pytest.mark.slow
def test_it_begins_once_there_are_stand_ins_and_numbers_are_on_record(mixed):
    lines = exchanges_in(mixed)
    by_match = Counter((line["game"]["match"] == 1, line.get("samples", 1)) for line in lines)
    assert {number for first, number in by_match if first} == {1}
    assert {number for first, number in by_match if not first} > {1}
    assert all(("strategy" in line) <= ("samples" in line) for line in lines)
    decisions = Counter()
    for line in lines:
        decisions[line["game"]["match"], str(line["game"]), line["hand"], line["decision"], line["attempt"]] += 1
    for line in lines:
        place = line["game"]["match"], str(line["game"]), line["hand"], line["decision"], line["attempt"]
        assert decisions[place] == line.get("samples", 1)
    assert any(each["fitted"] != each["adjustedSolid"] for each in margins(mixed))


def test_the_report_says_what_it_cost(mixed):
    done = quick("report", mixed)
    assert "Asked again: " in done.stdout
    (usage,) = [each for each in read(mixed, "usage.json")["models"] if each["id"] == "model"]
    more = [line for line in exchanges_in(mixed) if "samples" in line and line.get("sample")]
    assert usage["reasked"]["answers"] == len(more)
    assert usage["reasked"]["costUsd"] == pytest.approx(sum(line["costUsd"] for line in more))


@pytest.mark.slow
def test_verify_finds_nothing_and_computes_no_number(whole, mixed, monkeypatch):
    monkeypatch.setattr(reasking, "MOST", 1)
    for run in (whole, mixed):
        done = quick("verify", run)
        assert done.returncode == 0, done.stderr
        assert "identical" in done.stdout


@pytest.mark.parametrize(("games", "exchanges"), [(5, 25), (6, None)])
@pytest.mark.slow
def test_a_run_that_was_cut_goes_on_to_the_same_bytes(whole, server, tmp_path, games, exchanges):
    folder = shutil.copytree(whole, tmp_path / "run")
    cut(folder, games=games, exchanges=exchanges)
    server.say = steady
    gone_on(folder)
    assert same_files(folder, FILES) == same_files(whole, FILES)


@pytest.mark.slow
def test_a_run_that_is_extended_has_learned_as_one_that_was_not(whole, server, tmp_path):
    server.say = steady
    config = config_of(server.url)
    config["stop"]["budget"]["maxMatches"] = 2
    folder = played(tmp_path, config)
    gone_on(folder, "--set", "stop.budget.maxMatches=3")
    assert margins(folder) == margins(whole)


@pytest.mark.slow
def test_a_run_killed_among_the_answers_to_a_question_does(whole, server, tmp_path):
    server.say = steady
    several = next(at for at, line in enumerate(exchanges_in(whole)) if line.get("sample"))
    folder = killed_and_resumed(server, tmp_path, config_of(server.url), [several + 2])
    assert same_files(folder, FILES) == same_files(whole, FILES)


@pytest.mark.parametrize(
    ("field", "value", "said"), [("samples", 10**9, "samples"), ("strategy", None, "the strategy")]
)
def test_a_number_or_an_answer_that_was_edited_is_noticed(mixed, tmp_path, field, value, said):
    folder = shutil.copytree(mixed, tmp_path / "run")
    path = folder / "exchanges.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    edited = next(line for line in lines if "samples" in line and "strategy" in line)
    edited[field] = value or [{"kind": "raiseTo", "amount": 777, "percent": 100}]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    unvouched(folder)
    done = quick("verify", folder)
    assert done.returncode == 1
    assert said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_the_viewer_shows_the_answers_and_which_one_was_drawn(mixed):
    library = Library(mixed.parent)
    library.open(mixed.name).catch_up()
    shown = 0
    places = [(match, seed, hand) for match in (2, 3) for seed in (0, 1) for hand in (1, 2, 3)]
    for side in [side for place in places for side in library.hand_page(mixed.name, *place)["sides"]]:
        for decision in side["decisions"]:
            attempts = decision["exchange"]["attempts"] if decision["exchange"] else ()
            several = [each for each in attempts if each.get("samples")]
            for each in several:
                assert sum(share["percent"] for share in each["strategy"] or ()) in (0, pytest.approx(100))
                shown += 1
            assert all(each["strategy"] is None for each in attempts if not each.get("samples"))
    assert shown


def test_a_limit_of_money_holds(mixed, server, tmp_path):
    """Half of the money ends the run among answers to draw from, and not a request later."""
    server.say = wavering()
    config = config_of(server.url)
    limit = sum(line["costUsd"] for line in exchanges_in(mixed)) / 2
    config["stop"]["budget"]["maxCostUsd"] = limit
    quick(*prepared(tmp_path, config), "--quiet", cwd=tmp_path)
    spent = sum(line["costUsd"] for line in exchanges_in(run_of(tmp_path / "out")))
    assert 0.5 * limit < spent <= 1.05 * limit


def again_in(folder):
    """Return the exchanges of a run in which a question was asked more than once."""
    return [line for line in exchanges_in(folder) if line.get("samples", 1) > 1]


def checked(folder):
    """Check that a run is verified, and that somebody was asked again in it."""
    assert again_in(folder)
    done = quick("verify", folder)
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout


@pytest.mark.slow
def test_one_that_is_not_isolated_is_asked_again_on_decks_of_its_own(server, tmp_path):
    server.say = wavering()
    folder = played(tmp_path, config_of(server.url, isolated=False))
    specs = [line["record"]["spec"] for line in lines_of(folder, "journal.jsonl") if line.get("line") == "game"]
    assert len({spec["deck_seed"] for spec in specs}) == len(specs), "no two games have the same cards"
    checked(folder)


@pytest.mark.slow
def test_against_a_program_by_the_protocol_of_the_competition(server, tmp_path):
    server.say = wavering()
    config = config_of(server.url)
    program = Path(__file__).parents[2] / "docs" / "examples" / "bots" / "acpc_bot.py"
    config["participants"][1] = {"id": "bot", "type": f"acpc:{sys.executable} {program}"}
    config["game"]["stack"] = 20_000
    checked(played(tmp_path, config))


@pytest.mark.slow
def test_against_an_agent_that_comes_by_itself(server, tmp_path):
    """The server is a process of its own, so the number is one from the first hand on."""
    server.say = wavering()
    model = config_for(server.url, reask=3, memory="none")["participants"][0]
    budget = {"budget": {"maxMatches": 1, "maxCostUsd": 1000}, "adjacentConfidence": None}
    prices = {"prices": {MODEL: PRICE}}
    served = Served(live_config(tmp_path, "guest", model, stop=budget, llm=prices, game={"handsPerGame": 3}))
    Poller(served.invitations(1)[0], mixing).done()
    assert served.ended() == 0, served.err
    checked(run_of(tmp_path / "runs"))


@pytest.mark.parametrize("torn", ["", '{"line":"exch'], ids=["whole lines", "a line that is being written"])
def test_the_viewer_opens_a_run_that_is_not_over(mixed, tmp_path, torn):
    """Every hand that is over is shown with its answers; replies of games under way are there already."""
    folder = shutil.copytree(mixed, tmp_path / "runs" / mixed.name)
    cut(folder, games=6)
    with (folder / "exchanges.jsonl").open("a") as file:
        file.write(torn)
    library = Library(folder.parent)
    page = library.run_page(folder.name)
    assert page["matches"]
    shown = [library.hand_page(folder.name, 1, seed, hand) for seed in (0, 1) for hand in (1, 2, 3)]
    assert all(side["decisions"] for page in shown for side in page["sides"])
