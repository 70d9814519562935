"""The landing page of an invitation: everything to copy works, and secrets stay."""

import html
import json
import re
import shutil
import subprocess
import sys

import httpx2
import pytest

from tests.serve.tables import LONG_S, a_lobby, serving

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
        for block in re.findall(r'<pre tabindex="0"><code>(.*?)</code></pre>', section, re.DOTALL):
            found[heading] = html.unescape(block)
    return found


def pasted(command, script):
    return subprocess.run([*command, script], capture_output=True, text=True, timeout=LONG_S, check=True).stdout


def test_an_invitation_in_a_browser_says_who_you_are_and_the_rules(table):
    response = httpx2.get(table.url, trust_env=False, follow_redirects=True)
    assert str(response.url) == f"{table.url}/"
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "Invitation for Live &lt;b&gt;agent&lt;/b&gt;</h1>" in response.text
    assert "<b>agent</b>" not in response.text
    assert "<li>Blinds 50/100." in response.text
    assert "120 seconds for a decision" in response.text
    assert not re.search(r"%[A-Z_]+%", response.text)


def test_it_has_no_script_and_its_style_is_a_file(table):
    response = table.client.get("")
    assert not re.search(r"<script|<style|style=|\son\w+=", response.text)
    assert "default-src 'none'; style-src 'self'" in response.headers["content-security-policy"]
    assert httpx2.get(f"http://127.0.0.1:{table.port}/pages.css", trust_env=False).status_code == 200


def test_looking_at_the_page_is_not_coming(table):
    table.client.get("")
    table.client.get("v1/run")
    assert [each.came for each in table.lobby.invitations] == [False]
    assert not table.box.present


@needs_curl
def test_the_commands_for_curl_play_when_they_are_pasted(table):
    table.play(hands=2)
    said = pasted(["bash", "-e", "-u", "-c"], blocks_of(table)["curl"]).splitlines()
    assert json.loads(said[0])["turn"]["observation"]["handNumber"] == 1
    answer = json.loads(said[1])
    assert (answer["verdict"], answer["turn"]["observation"]["handNumber"]) == ("taken", 2)


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
