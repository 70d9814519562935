"""The landing page of an invitation: everything to copy works, the practice hand counts nothing, secrets stay."""

import html
import json
import re
import shutil
import subprocess
import sys

import pytest

from molt_bench import make_agent, play_game
from molt_bench.config.game import GameConfig
from molt_bench.runs.journal_lines import Game
from molt_bench.serve.doors.landing import own_results
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from tests.serve.tables import LONG_S, TOKEN, a_lobby, serving

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@pytest.fixture
def table():
    with serving(a_lobby()) as table:
        yield table


def blocks_of(table):
    """Return the texts of the page that are there to be copied, by their headings."""
    text = table.client.get("").text
    found = {}
    for section in re.split(r"<h[23]>", text)[1:]:
        heading = section.partition("</h")[0]
        for block in re.findall(r"<pre><code>(.*?)</code></pre>", section, re.DOTALL):
            found[heading] = html.unescape(block)
    return found


def pasted(command, script):
    return subprocess.run([*command, script], capture_output=True, text=True, timeout=LONG_S, check=True).stdout


def test_an_invitation_in_a_browser_says_who_you_are_and_the_rules(table):
    response = table.client.get("")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "Invitation for Live &lt;b&gt;agent&lt;/b&gt;</h1>" in response.text
    assert "<b>agent</b>" not in response.text
    assert "<li>Blinds 50/100." in response.text
    assert "120 seconds for a decision" in response.text
    assert not re.search(r"%[A-Z_]+%", response.text)


def test_without_a_slash_it_sends_there_by_a_relative_address(table):
    import httpx2

    response = httpx2.get(table.url, trust_env=False)
    assert (response.status_code, response.headers["location"]) == (307, f"{TOKEN}/")
    wrong = httpx2.get(table.url.replace(TOKEN, "f" * 32), trust_env=False)
    assert wrong.status_code == 404


def test_scripts_and_styles_come_from_files_alone(table):
    import httpx2

    response = table.client.get("")
    assert re.findall(r"<script(.*?)</script>", response.text, re.DOTALL) == [' src="../../landing.js">']
    assert not re.search(r"<style|style=|\son\w+=", response.text)
    assert "script-src 'self'" in response.headers["content-security-policy"]
    for name in ("landing.js", "pages.css"):
        assert httpx2.get(f"http://127.0.0.1:{table.port}/{name}", trust_env=False).status_code == 200


def test_every_url_is_the_public_one_behind_a_proxy():
    with serving(a_lobby(), public_url="https://bench.example.org/poker") as table:
        text = table.client.get("", headers={"Host": "bench.example.org"}).text
    urls = set(re.findall(r"https?://[^\s\"<&]+", text))
    assert {url.partition("/j/")[0] for url in urls} == {"https://bench.example.org/poker"}


def test_looking_at_the_page_and_practising_are_not_coming(table):
    table.client.get("")
    turn = table.client.get("v1/test").json()["turn"]
    table.client.post("v1/test", json={"turn_token": turn["turn_token"], "kind": "fold"})
    table.client.get("v1/results")
    assert [each.came for each in table.lobby.invitations] == [False]
    assert not table.box.present


@needs_curl
def test_the_test_with_curl_works_when_it_is_pasted(table):
    answer = json.loads(pasted(["bash", "-e", "-u", "-c"], blocks_of(table)["Test your connection"]))
    assert answer["verdict"] == "taken"
    assert "does not count" in answer["message"]


@needs_curl
def test_the_commands_for_curl_play_when_they_are_pasted(table):
    table.play(hands=2)
    said = pasted(["bash", "-e", "-u", "-c"], blocks_of(table)["curl"]).splitlines()
    assert json.loads(said[0])["turn"]["hand_number"] == 1
    answer = json.loads(said[1])
    assert (answer["verdict"], answer["turn"]["hand_number"]) == ("taken", 2)


def test_the_agent_in_python_plays_to_the_end(table):
    table.play(1, 2, hands=5, bot="maniac", close="the run is over")
    assert pasted([sys.executable, "-c"], blocks_of(table)["Python"]) == "the run is over\n"
    table.join()
    assert [table.faults(1), table.faults(2)] == [[], []]


def test_the_configs_of_mcp_hosts_name_the_door(table):
    blocks = blocks_of(table)
    servers = json.loads(blocks["Other MCP hosts"])["mcpServers"]
    assert servers["molt-bench"] == {"type": "http", "url": f"{table.url}/mcp"}
    started = json.loads(blocks["Claude Desktop"])["mcpServers"]["molt-bench"]
    assert started == {"command": "npx", "args": ["-y", "mcp-remote", f"{table.url}/mcp"]}
    assert blocks["Claude Code"].split()[-1] == f"{table.url}/mcp"


def test_a_practice_turn_looks_like_a_real_one_and_touches_no_game(table):
    table.play(hands=1)
    real = table.turn()
    practice = table.client.get("v1/test").json()["turn"]
    assert practice.keys() == real.keys()
    assert practice["observation"].keys() == real["observation"].keys()
    assert practice["turn_token"] != real["turn_token"]
    assert table.act(practice, "call").json()["error"]["code"] == "STALE_TURN"
    wrong = table.client.post("v1/test", json={"turn_token": real["turn_token"], "kind": "call"})
    assert wrong.json()["error"]["code"] == "STALE_TURN"
    assert table.box.snapshot().turn.token == real["turn_token"]
    table.act(real)
    table.client.post("v1/test", json={"turn_token": practice["turn_token"], "kind": "fold"})


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ({"kind": "fold"}, 200, "You would have won -50 chips"),
        ({"kind": "call"}, 200, "you would have won +100 chips"),
        ({"kind": "raiseTo", "amount": 300}, 200, "raiseTo 300 was understood"),
        ({"kind": "check"}, 409, "would count as a mistake in the run. Legal now: fold, call (50), raiseTo 200..10000"),
        ({"kind": "raiseTo", "amount": 199}, 409, "would count as a mistake"),
        ({"kind": "bet"}, 400, "would count as a mistake"),
        ({}, 400, "kind"),
    ],
)
def test_an_answer_in_practice_says_what_would_have_happened(table, answer, status, said):
    for closed in (False, True):  # before the run, and after it
        if closed:
            table.lobby.close("the run is over")
        turn = table.client.get("v1/test").json()["turn"]
        response = table.client.post("v1/test", json={"turn_token": turn["turn_token"], **answer})
        assert response.status_code == status
        assert said in json.dumps(response.json())


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"\xff", b'{"kind":"call"}', b'{"turn_token":7}'])
def test_what_is_no_answer_is_refused_in_practice(table, body):
    response = table.client.post("v1/test", content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("game", [{"stack": 100}, {"smallBlind": 5, "bigBlind": 5, "ante": 100, "stack": 105}])
def test_there_is_something_to_practise_whatever_the_stacks(game):
    with serving(a_lobby(**GameConfig.model_validate(game).model_dump(exclude_unset=True))) as table:
        turn = table.client.get("v1/test").json()["turn"]
        kind = turn["observation"]["legal"][-1]
        answer = {"turn_token": turn["turn_token"], "kind": kind["kind"], "amount": kind.get("max")}
        assert table.client.post("v1/test", json=answer).json()["verdict"] == "taken"


def test_nobody_else_gets_the_token_of_a_practice_turn():
    lobby = Lobby(
        [Invited("one", TOKEN), Invited("two", "f" * 32)], titles={"one": "One", "two": "Two"}, game=GameConfig()
    )
    with serving(lobby) as table:
        own = table.client.get("v1/test").json()["turn"]["turn_token"]
        other = table.client.get(f"../{'f' * 32}/v1/test").json()["turn"]["turn_token"]
    assert own != other


def a_game(number, players, seating="AB"):
    agents = tuple(make_agent(name) for name in players)
    record = play_game(agents, seed=number, hands=4, seating=seating)
    return Game(number, record)


def test_results_are_own_chips_by_game_and_no_cards():
    games = [a_game(1, ("random", "maniac")), a_game(2, ("tight", "maniac")), a_game(3, ("maniac", "random"), "BA")]
    found = own_results(games, Invited("random", TOKEN))
    assert [(each.game, each.hands, each.chips) for each in found] == [
        (1, 4, games[0].record.net[0]),
        (2, 4, games[2].record.net[1]),
    ]
    copy = own_results(games, Invited("random", TOKEN, "BA"))
    assert [each.chips for each in copy] == [games[2].record.net[1]]


def test_there_are_no_results_before_the_end():
    with serving(Lobby([Invited("random", TOKEN)], titles={"random": "Random"}, game=GameConfig())) as table:
        table.lobby.finished_games = lambda: [a_game(1, ("random", "maniac"))]
        assert table.client.get("v1/results").json() == {"over": None, "games": []}
        table.lobby.close("the run is over")
        told = table.client.get("v1/results").json()
        assert told["over"] == "the run is over"
        assert [set(each) for each in told["games"]] == [{"game", "hands", "chips", "faults"}]
