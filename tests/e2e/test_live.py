"""Live runs: agents come by themselves, play a run as any other, and find it again after a crash."""

import json
import re
import signal
import stat
import subprocess
import threading
import urllib.error
import urllib.request
from itertools import pairwise

import pytest

from tests.e2e.live import Poller, Served, live_config, mixing, page, request
from tests.e2e.shell import MOLT_BENCH, journal_without_times, one_clear_line, quick, quick_run, results, run_of
from tests.serve.clients import SdkClient

SECRET = {"MOLT_BENCH_MASTER_SEED": "0123456789abcdef0123456789abcdef"}


def test_a_run_with_a_live_agent_leaves_what_any_run_leaves(tmp_path):
    served = Served(live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}))
    (url,) = served.invitations(1)
    guest = Poller(url, mixing).done()
    assert served.ended() == 0, served.err
    folder = run_of(tmp_path / "runs")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not (folder / "invitations.json").exists()
    token = url.rpartition("/")[2]
    assert not any(token in path.read_text() for path in folder.iterdir() if path.is_file())
    assert len((folder / "replies.jsonl").read_text().splitlines()) == 1 + len(guest.asked)
    assert "identical" in quick("verify", folder).stdout
    assert quick("serve", folder).returncode == 0


@pytest.mark.slow
def test_a_live_run_needs_no_file(tmp_path):
    limits = ("--set", "game.handsPerGame=2", "--set", "seeds.perMatch=1", "--max-matches", "1")
    served = Served("--participants", "live,tight", *limits, cwd=tmp_path)
    (url,) = served.invitations(1)
    Poller(url, mixing).done()
    assert served.ended() == 0, served.err
    assert "identical" in quick("verify", run_of(tmp_path / "benchmark-results")).stdout


def test_what_cannot_be_served_is_said_before_anybody_is_invited(tmp_path):
    one_clear_line(quick("serve", tmp_path / "no-such.yaml"), "no-such.yaml")
    assert quick("serve").returncode == 2
    assert "--participants live,tag" in quick("serve", "live,tag").stderr
    assert not (tmp_path / "runs").exists()


def faults_of(folder):
    lines = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    return [fault for line in lines if line.get("line") == "game" for fault in line["record"]["faults"]]


@pytest.mark.slow
def test_games_wait_for_places_that_clients_have_taken(tmp_path):
    guest = {"id": "guest", "type": "live", "maxConcurrent": 3}
    served = Served(live_config(tmp_path, guest, {"id": "bot", "type": "tight"}, game={"handsPerGame": 3}))
    (url,) = served.invitations(1)
    assert SdkClient(url).done() == 0
    assert served.ended() == 0, served.err
    assert faults_of(run_of(tmp_path / "runs")) == []


@pytest.mark.slow
def test_a_client_that_fetches_all_decisions_has_taken_all_places(tmp_path):
    guest = {"id": "guest", "type": "live", "maxConcurrent": 3}
    served = Served(live_config(tmp_path, guest, {"id": "bot", "type": "tight"}))
    (url,) = served.invitations(1)
    polling = Poller(url, mixing).done()
    assert served.ended() == 0, served.err
    assert faults_of(run_of(tmp_path / "runs")) == []
    games = [seen["game"] for _, seen in polling.asked]
    changes = sum(one != next_one for one, next_one in pairwise(games))
    assert changes > len({*games}) - 1, "games are played side by side"


@pytest.mark.slow
def test_three_live_agents_meet_each_other_without_waiting_for_ever(tmp_path):
    served = Served(live_config(tmp_path, "one", "two", "three", stop={"budget": {"maxMatches": 3}}))
    guests = [Poller(url, mixing) for url in served.invitations(3)]
    for guest in guests:
        guest.done()
    assert served.ended() == 0, served.err
    assert "identical" in quick("verify", run_of(tmp_path / "runs")).stdout


def uncut(path):
    """Return the files and the journal of a run that nothing interrupts."""
    path.mkdir()
    served = Served(live_config(path, "guest", {"id": "bot", "type": "maniac"}), env=SECRET)
    Poller(served.invitations(1)[0], mixing).done()
    assert served.ended() == 0, served.err
    folder = run_of(path / "runs")
    return results(folder), journal_without_times(folder)


def killed(path, moments):
    """Play the same run, with the server killed at these decisions; return its files and who was asked what."""
    path.mkdir()
    config = live_config(path, "guest", {"id": "bot", "type": "maniac"})
    served = [Served(config, env=SECRET)]
    (url,) = served[0].invitations(1)
    port = url.split(":")[2].split("/")[0]
    kills = iter(moments)
    at = [next(kills)]
    again = threading.Event()

    def on_decision(number):
        if number >= at[0]:
            at[0] = next(kills, 10**9)
            served[-1].signal(signal.SIGKILL)
            again.set()

    guest = Poller(url, mixing, on_decision=on_decision)
    for _ in moments:
        assert again.wait(120)
        again.clear()
        served[-1].ended()
        served.append(Served(config, "--resume", "--port", port, env=SECRET))
        assert served[-1].invitations(1) == [url]
    guest.done()
    assert served[-1].ended() == 0, served[-1].err
    folder = run_of(path / "runs")
    assert "identical" in quick("verify", folder).stdout
    return results(folder), journal_without_times(folder), guest.asked


@pytest.mark.slow
def test_a_killed_server_goes_on_at_the_open_decision(tmp_path):
    files, journal = uncut(tmp_path / "uncut")
    again, cut_journal, asked = killed(tmp_path / "killed", [4, 9])
    assert again == files
    assert cut_journal == journal
    seen = dict(asked)
    assert all(seen[token]["cards"] == each["cards"] for token, each in asked)
    assert len(asked) - len(seen) <= 2 + 2  # only a decision in flight was asked again, before or after its answer


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path):
    files, journal = uncut(tmp_path / "uncut")
    again, cut_journal, _ = killed(tmp_path / "killed", [1, 3, 5, 8, 12, 13, 20, 27, 33, 40])
    assert again == files
    assert cut_journal == journal


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(tmp_path):
    config = live_config(tmp_path, "guest", {"id": "bot", "type": "maniac"})
    served = Served(config)
    (url,) = served.invitations(1)
    guest = Poller(url, mixing, on_decision=lambda number: number == 5 and served.signal(signal.SIGINT))
    assert served.ended() == 130
    command = served.err.split("Resume with:\n  molt-bench ")[1].split()
    assert command[0] == "serve"
    again = Served(*command[1:])
    assert again.invitations(1) == [url]
    guest.done()
    assert again.ended() == 0, again.err


@pytest.mark.slow
def test_resuming_a_live_run_names_the_command_for_it(tmp_path):
    served = Served(live_config(tmp_path, "guest", {"id": "bot", "type": "maniac"}))
    guest = Poller(served.invitations(1)[0], mixing)
    guest.done()
    assert served.ended() == 0, served.err
    folder = run_of(tmp_path / "runs")
    one_clear_line(quick("resume", "--run-agents", folder, "--max-matches", "2"), f"molt-bench serve {folder}")


def test_nobody_coming_is_one_clear_line_and_leaves_nothing(tmp_path):
    done = quick("serve", live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}), "--join-timeout", "0.2")
    assert done.returncode == 1
    assert done.stderr == "molt-bench: no agent came for guest within 0.2 s (--join-timeout)\n"
    assert list((tmp_path / "runs").iterdir()) == []


def test_playing_without_somebody_counts_every_decision_as_a_fault(tmp_path):
    game = {"handsPerGame": 2, "actionTimeoutS": 0.05, "maxRetries": 0}
    config = live_config(tmp_path, "guest", {"id": "bot", "type": "maniac"}, game=game)
    done = quick("serve", config, "--join-timeout", "0.2", "--if-missing", "play", "--reconnect", "0.05")
    assert done.returncode == 0, done.stderr
    assert "Playing without guest" in done.stdout
    assert "guest is not ranked" in done.stdout


def test_run_names_the_command_for_live_agents(tmp_path):
    done = quick("--config", live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}))
    one_clear_line(done, "participants.guest.type = 'live'", "molt-bench serve")


def test_serve_without_live_agents_names_run(tmp_path):
    bots = {"id": "one", "type": "tight"}, {"id": "two", "type": "random"}
    done = quick("serve", live_config(tmp_path, *bots))
    one_clear_line(done, "molt-bench run")


@pytest.mark.slow
def test_the_page_of_an_invitation_shows_hostile_names_as_text(tmp_path):
    name = "<img src=x onerror=alert(1)>\x1b[31m"
    guest = {"id": "guest", "type": "live", "displayName": name}
    served = Served(live_config(tmp_path, guest, {"id": "bot", "type": "tight"}))
    (url,) = served.invitations(1)
    assert "Invitation for &lt;img src=x onerror=alert(1)&gt;" in page(f"{url}/")
    served.signal(signal.SIGINT)
    assert served.ended() == 130
    assert "\x1b" not in served.out
    assert served.err == "Interrupted before the first game: nothing is kept.\n"


def test_an_address_of_another_machine_is_named_as_such(tmp_path):
    config = live_config(tmp_path, "guest", {"id": "bot", "type": "tight"})
    one_clear_line(quick("serve", config, "--host", "192.0.2.1"), "--host = '192.0.2.1'", "an address of this machine")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"id": "prog", "type": "exec:./no-such-bot"}, "prog"),
        ({"id": "web", "type": "http://127.0.0.1:9/act"}, "participants.web"),
    ],
)
def test_nobody_is_invited_before_the_others_are_ready(tmp_path, other, said):
    done = quick("serve", live_config(tmp_path, "guest", other), "--join-timeout", "0.2")
    one_clear_line(done, said)
    assert done.stdout == ""
    assert list((tmp_path / "runs").iterdir()) == []


@pytest.mark.slow
def test_an_agent_that_vanishes_is_named_and_holds_nobody_up(tmp_path):
    game = {"handsPerGame": 10, "actionTimeoutS": 0.5}
    served = Served(live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}, game=game), "--reconnect", "0.5")
    (url,) = served.invitations(1)
    request(f"{url}/v1/turn?wait=0")  # it came, and is never seen again
    served.wait_for("The server stays up to 60 s, so that guest can learn that the run is over")
    served.signal(signal.SIGINT)
    assert served.ended() == 0, served.err
    assert "guest is away, and its time to answer is up" in served.err
    assert "guest stays away, and forfeits its game (1 of 3)" in served.err
    assert "identical" in quick("verify", run_of(tmp_path / "runs")).stdout


@pytest.mark.slow
def test_after_three_forfeited_games_the_run_goes_on_without_an_agent(tmp_path):
    game = {"handsPerGame": 4, "actionTimeoutS": 0.3}
    bots = [{"id": "bot", "type": "tight"}, {"id": "wild", "type": "maniac"}]
    sections = {"game": game, "stop": {"budget": {"maxMatches": 6}}}
    served = Served(live_config(tmp_path, "guest", *bots, **sections), "--reconnect", "0.2")
    (url,) = served.invitations(1)
    request(f"{url}/v1/turn?wait=0")
    served.wait_for("The server stays up to 60 s")
    status, body = request(f"{url}/v1/turn?wait=5")
    assert (status, body["over"]["reason"]) == (410, "you forfeited 4 games, so the run goes on without you")
    assert served.ended() == 0, served.err
    assert "guest stays away, and forfeits its game (3 of 3)" in served.err
    assert "guest has left: the run goes on without it" in served.err
    assert "guest is not ranked: it stayed away and forfeited 4 games, so the run went on without it." in served.out
    folder = run_of(tmp_path / "runs")
    lines = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    played = [{*line["record"]["spec"]["players"]} for line in lines if line.get("line") == "game"]
    assert ["guest" in each for each in played] == [True] * 4 + [False] * 20
    board = json.loads((folder / "leaderboard.json").read_text())
    assert [each["id"] for each in board["participants"]][-1] == "guest"
    assert [{each["above"], each["below"]} for each in board["leads"]] == [{"bot", "wild"}]
    more = quick("serve", folder, "--max-matches", "7")  # which does not wait for whoever has left
    assert more.returncode == 0, more.stderr
    assert "guest has left: the run goes on without it" in more.stderr
    assert "identical" in quick("verify", folder).stdout


@pytest.mark.slow
def test_latecomers_learn_that_the_run_is_over(tmp_path):
    game = {"handsPerGame": 2, "actionTimeoutS": 0.2}
    config = live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}, game=game)
    served = Served(config, "--reconnect", "0")
    (url,) = served.invitations(1)
    request(f"{url}/v1/turn?wait=0")
    served.wait_for("The server stays up to 60 s")
    served.wait_for("Results: ")  # they are printed before, on another stream
    status, body = request(f"{url}/v1/turn?wait=5")
    assert (status, body["over"]["reason"]) == (410, "the run is over")
    assert served.ended() == 0


@pytest.mark.slow
def test_the_viewer_hides_the_cards_of_a_run_with_guests_until_it_has_ended(tmp_path):
    config = live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}, game={"handsPerGame": 3})
    served = Served(config)
    (url,) = served.invitations(1)
    journal = threading.Event()

    def watch(_):
        found = [*(tmp_path / "runs").glob("*/journal.jsonl")]
        if found and found[0].read_text().count('"line":"game"') >= 2:
            served.signal(signal.SIGKILL)
            journal.set()

    Poller(url, mixing, on_decision=watch)
    assert journal.wait(60)
    served.ended()
    viewer = subprocess.Popen(
        [MOLT_BENCH, "view", str(tmp_path / "runs"), "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        base, token = re.search(r"(http://\S+)/\?token=(\w+)", viewer.stdout.readline()).groups()
        run = run_of(tmp_path / "runs").name
        assert request(f"{base}/api/runs.json")[0] == 200
        for page in ("hands", "match/1", "hand/1/0/1"):
            status, body = request(f"{base}/api/runs/{run}/{page}.json")
            assert status == 403
            assert "shows neither cards nor names before it has ended" in body["error"]
            assert "token" not in str(body).replace("with its token", "")
        cookie = {"Cookie": f"molt_bench_{base.rpartition(':')[2]}={token}"}
        assert asked(f"{base}/api/runs/{run}/hands.json", cookie) == 200
        assert asked(f"{base}/api/runs/{run}/hands.json", {"Cookie": cookie["Cookie"][:-1]}) == 403
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.communicate(timeout=60)


def asked(url, headers):
    """Return the status of a request."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.slow
def test_from_other_machines_the_viewer_shows_nothing_without_its_token(tmp_path):
    quick_run(tmp_path / "runs", "--participants", "tight,random", "--hands", "2", "--seeds", "2", "--max-matches", "1")
    viewer = subprocess.Popen(
        [MOLT_BENCH, "view", str(tmp_path / "runs"), "--host", "0.0.0.0", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port, token = re.search(r":(\d+)/\?token=(\w+)", viewer.stdout.readline()).groups()
        base = f"http://127.0.0.1:{port}"
        assert [asked(base + path, {}) for path in ("/", "/api/runs.json")] == [403, 403]
        assert asked(f"{base}/?token=wrong", {}) == 403
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(f"{base}/?token={token}", timeout=60) as page:
            assert (page.status, page.url) == (200, f"{base}/")
        with opener.open(f"{base}/api/runs.json", timeout=60) as data:
            assert data.status == 200
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.communicate(timeout=60)
