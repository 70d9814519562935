"""Live agents sit the exam: at the server of runs, one decision a hand, and nothing is told after it."""

import json
import signal
import threading
from contextlib import suppress
from functools import partial

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.e2e.live import Poller, Served, live_config, mixing, request
from tests.e2e.shell import lines_of, quick, run_of
from tests.serve.clients import AutonomousClient, ProtocolClient, SdkClient, opened, read_to_end, register_and_join

examined = partial(Served, command="exam")
FOLDER = {"id": "bot", "type": "folder"}


def answers_in(folder):
    """Return the answers of an exam, by participant and question, in the order in which they came."""
    lines = lines_of(folder, "exam.jsonl")
    return {(line["participant"], line["question"]): line for line in lines if line["line"] == "answer"}


def outcome(path):
    """Return the folder of an exam and its verified result."""
    folder = run_of(path / "runs")
    done = quick("verify", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_a_live_agent_is_asked_every_question_once_and_told_nothing_after_it(tmp_path):
    served = examined("--config", live_config(tmp_path, "guest", FOLDER), "--questions", "5")
    (url,) = served.invitations(1)
    told = []
    guest = Poller(url, lambda turn: told.append(turn["results"]) or mixing(turn)).done()
    assert served.ended() == 0, served.err
    assert len(guest.asked) == len({seen["game"] for _, seen in guest.asked}) == 5
    assert not any(told)
    assert guest.over == {"reason": "the exam is over", "results": []}
    assert all(seen["log"] for _, seen in guest.asked), "the hand so far"
    assert "guest" in served.out
    folder, found = outcome(tmp_path)
    assert found["answers"] == 10
    assert {each["id"]: each["answered"] for each in found["participants"]} == {"guest": 5, "bot": 5}
    assert not (folder / "invitations.json").exists()
    token = url.rpartition("/")[2]
    assert not any(token in path.read_text() for path in folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("client", [SdkClient, ProtocolClient, AutonomousClient])
def test_unmodified_clients_of_moltpoker_sit_it(tmp_path, client):
    served = examined("--config", live_config(tmp_path, "guest", FOLDER), "--questions", "12")
    (url,) = served.invitations(1)
    guest = client(url)
    assert guest.done() == 0
    assert served.ended() == 0, served.err
    states = guest.of("game_state")
    hands = [each.get("handNumber", each.get("hand")) for each in states if each.get("turn_token")]
    assert hands == [*range(1, 13)], "each hand has one decision"
    assert len(states) > 2 * len(hands), "what was done before is told as well"
    ends = guest.of("hand_complete")
    assert len(ends) == 12
    for end in ends:
        assert end["showdown"] is False
        assert [each.get("winnings", each.get("won")) for each in end["results"]] == [0, 0]
        assert sorted(len(each.get("holeCards", each.get("cards"))) for each in end["results"]) == [0, 2]
    folder, _ = outcome(tmp_path)
    assert not any(each["faults"] for each in answers_in(folder).values())


def killed(path, moments):
    """Sit an exam whose server is killed at these questions; return its answers, and what was asked."""
    path.mkdir()
    flags = ("--config", live_config(path, "guest", FOLDER), "--questions", "20")
    served = [examined(*flags)]
    (url,) = served[0].invitations(1)
    kills, again = [*moments], threading.Event()

    def on_decision(number):
        if kills and number >= kills[0]:
            kills.pop(0)
            served[-1].signal(signal.SIGKILL)
            again.set()

    guest = Poller(url, mixing, on_decision=on_decision)
    for _ in moments:
        assert again.wait(120)
        again.clear()
        served[-1].ended()
        served.append(examined(*flags, "--resume"))
        assert served[-1].invitations(1) == [url]
    guest.done()
    assert served[-1].ended() == 0, served[-1].err
    folder, _ = outcome(path)
    return {place: each["actions"] for place, each in answers_in(folder).items()}, guest.asked


@pytest.mark.slow
def test_a_killed_exam_goes_on_at_the_open_question_when_the_client_is_back(tmp_path):
    whole, _ = killed(tmp_path / "whole", [])
    found, asked = killed(tmp_path / "killed", [3, 9, 10])
    assert found == whole
    assert len(asked) - len(dict(asked)) <= 3, "only a question that was open is asked again"


@pytest.mark.slow
def test_two_live_agents_and_one_that_dies_does_not_stop_the_other(tmp_path):
    game = {"actionTimeoutS": 1}
    config = live_config(tmp_path, "dies", "stays", FOLDER, game=game)
    served = examined("--config", config, "--questions", "100", "--reconnect", "0.2", "--linger", "1")
    first, second = served.invitations(2)
    request(f"{first}/v1/turn?wait=0")  # it comes, and is never heard of again
    assert Poller(second, mixing).done().over["reason"] == "the exam is over"
    assert served.ended() == 0, served.err
    assert "dies has left" in served.err
    folder, found = outcome(tmp_path)
    asked = [name for name, _ in answers_in(folder)]
    assert asked.count("dies") == 3
    assert asked.count("stays") == asked.count("bot") >= 50
    assert [each["id"] for each in found["participants"]][-1] == "dies"
    assert found["participants"][-1]["loss"] is None
    assert {found["orders"][0]["above"], found["orders"][0]["below"]} == {"stays", "bot"}
    assert found["left"][0].startswith("dies let 3 questions in a row pass")


@pytest.mark.slow
def test_a_client_that_stays_and_stalls_is_left_behind(tmp_path):
    game = {"actionTimeoutS": 0.2, "maxRetries": 1}
    config = live_config(tmp_path, "stalls", FOLDER, game=game)
    served = examined("--config", config, "--questions", "30", "--linger", "0")
    (url,) = served.invitations(1)
    _, joined = register_and_join(url)
    with opened(joined) as socket:
        heard = []
        with suppress(ConnectionClosed):
            heard += map(json.loads, socket)
    assert served.ended() == 0, served.err
    assert "so the exam goes on without you" in heard[-1]["payload"]["reason"]
    folder, found = outcome(tmp_path)
    faults = [each["faults"] for (name, _), each in answers_in(folder).items() if name == "stalls"]
    assert [[fault["kind"] for fault in each] for each in faults] == [["timeout", "timeout"]] * 3
    assert found["participants"][0] == {**found["participants"][0], "id": "bot", "answered": 30}


@pytest.mark.slow
def test_bad_answers_are_faults_with_retries_and_cost_a_fold(tmp_path):
    served = examined("--config", live_config(tmp_path, "guest", FOLDER), "--questions", "6")
    (url,) = served.invitations(1)
    turns, codes = [], []

    def decide(turn):
        """Answer the first question badly three times, in three ways, and the second badly once."""
        turns.append(turn)
        if len(turns) > 2:
            return mixing(turn)
        bad = [
            {"kind": "raiseTo", "amount": 1},
            {"kind": "dance"},
            {"kind": "call" if not turn["observation"]["toCall"] else "check"},
        ]
        for each in bad[: 3 if len(turns) == 1 else 1]:
            codes.append(
                request(f"{url}/v1/act?wait=0", {"turn_token": turn["turn_token"], **each})[1]["error"]["code"]
            )
        return mixing(turn)

    huge = {"turn_token": "x" * 1_000_000, "kind": "fold"}
    with suppress(OSError):  # the server may hang up before it has read it all
        assert request(f"{url}/v1/act?wait=0", huge)[0] == 413
    guest = Poller(url, decide).done()
    assert served.ended() == 0, served.err
    assert codes == ["INVALID_ACTION", "VALIDATION_ERROR", "INVALID_ACTION", "INVALID_ACTION"]
    folder, _ = outcome(tmp_path)
    own = [each for (name, _), each in answers_in(folder).items() if name == "guest"]
    assert [len(each["faults"]) for each in own] == [3, 1, 0, 0, 0, 0]
    assert own[0]["actions"] == [["F", 1.0]]
    assert own[1]["actions"] != [["F", 1.0]]
    assert guest.over is not None


@pytest.mark.slow
def test_strangers_get_nothing_and_questions_are_not_shown(tmp_path):
    served = examined("--config", live_config(tmp_path, "guest", "other"), "--questions", "8")
    urls = served.invitations(2)
    base, _, token = urls[0].partition("/j/")
    strange = f"{base}/j/{'0' * len(token)}"
    seen = []

    def look(number):
        if number == 3:
            seen.append(request(f"{base}/watch.json")[1])
            seen.append(request(f"{base}/lobby.json")[1])
            seen.append(request(f"{strange}/v1/turn?wait=0"))
            seen.append(request(f"{strange}/v1/agents", {"name": "stranger"}))
            with pytest.raises(InvalidStatus, match="403"):
                opened({"ws_url": f"ws{strange[4:]}/v1/ws", "session_token": "mps_0"})
            with opened({"ws_url": f"ws{urls[0][4:]}/v1/ws", "session_token": "mps_0"}) as socket:
                seen.append([each["payload"] for each in read_to_end(socket)[0]])

    guests = [Poller(urls[0], mixing, on_decision=look), Poller(urls[1], mixing)]
    for guest in guests:
        guest.done()
    assert served.ended() == 0, served.err
    watched, lobby, turn, agent, refused = seen
    assert [each["code"] for each in refused] == ["INVALID_SESSION"]
    assert watched["tables"] == []
    assert lobby["progress"]["questions"] >= 2
    assert "agents" not in lobby
    assert (turn[0], agent[0]) == (404, 404)
    outcome(tmp_path)
    asked = [[seen["cards"] for _, seen in guest.asked] for guest in guests]
    assert asked[0] == asked[1], "both are asked the same"


@pytest.mark.slow
def test_several_places_are_asked_at_once(tmp_path):
    guest = {"id": "guest", "type": "live", "gamesAtOnce": 3}
    served = examined("--config", live_config(tmp_path, guest, FOLDER), "--questions", "12", "--json")
    served.wait_for("/j/")
    url = next(word for word in served.err.split() if "/j/" in word)
    places = set()
    Poller(url, lambda turn: places.add(turn["place"]) or mixing(turn)).done()
    assert served.ended() == 0, served.err
    assert places == {1, 2, 3}
    assert json.loads(served.out)["participants"][0]["answered"] == 12


@pytest.mark.slow
def test_ctrl_c_keeps_the_invitation_for_when_it_goes_on(tmp_path):
    flags = ("--config", live_config(tmp_path, "guest", FOLDER), "--questions", "12")
    served = examined(*flags)
    (url,) = served.invitations(1)
    guest = Poller(url, mixing, on_decision=lambda number: number == 5 and served.signal(signal.SIGINT))
    assert served.ended() == 130
    command = served.err.split("Resume with:\n  molt-bench ")[1].split()
    again = examined(*command[1:])
    assert again.invitations(1) == [url]
    guest.done()
    assert again.ended() == 0, again.err
    assert outcome(tmp_path)[1]["answers"] == 24
