"""MCP: the official clients play a game through two tools. Both are installed by `make slow SUITE=mcp`."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.serve.tables import LONG_S, TOKEN, a_lobby, serving, until

HERE = Path(__file__).parent
#: The folder in which npm has installed the TypeScript client.
NODE_MODULES = Path(os.environ.get("MCP_NODE_MODULES", HERE.parents[1] / ".venv-mcp" / "node_modules"))

needs_mcp = pytest.mark.skipif(find_spec("mcp") is None, reason="the package mcp is not installed: make slow SUITE=mcp")
needs_npm = pytest.mark.skipif(
    shutil.which("node") is None or not (NODE_MODULES / "@modelcontextprotocol" / "sdk").is_dir(),
    reason="node or the npm package @modelcontextprotocol/sdk is not installed: make slow SUITE=mcp",
)


@pytest.fixture
def table():
    with serving(a_lobby()) as table:
        yield table


def a_call(tool, **arguments):
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the package mcp is installed")
def test_without_the_package_the_door_says_what_is_missing(table):
    answer = table.client.post("mcp", json=a_call("next_turn"))
    assert answer.status_code == 501
    assert "pip install 'molt-bench[mcp]'" in answer.json()["error"]["message"]


@needs_mcp
@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "mcp_client.py"], id="python"),
        pytest.param(["node", "mcp_client.mjs"], id="typescript", marks=needs_npm),
    ],
)
def test_an_official_client_plays_a_game(table, tmp_path, command):
    shutil.copy(HERE / command[1], tmp_path)
    if NODE_MODULES.is_dir():
        (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    table.play(1, 2, hands=5, close="the run is over")
    done = subprocess.run(
        [*command, f"{table.url}/mcp"], cwd=tmp_path, capture_output=True, text=True, timeout=LONG_S, check=False
    )
    assert done.returncode == 0, done.stderr
    met = json.loads(done.stdout)
    assert met["tools"] == ["act", "next_turn"]
    assert met["decisions"] > 10
    assert [error.partition(":")[0] for error in met["errors"]] == [
        "STALE_TURN",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "INVALID_ACTION",
    ]
    assert met["over"] == "the run is over"
    table.join()
    assert [table.faults(1), table.faults(2)] == [[("illegal", False)], []]


@needs_mcp
def test_the_door_tells_hosts_what_tools_take_return_and_change(table):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    listed = table.client.post("mcp", json=body, headers=HEADERS).json()["result"]["tools"]
    tools = {tool["name"]: tool for tool in listed}
    assert tools["next_turn"]["annotations"]["readOnlyHint"] is True
    assert tools["act"]["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    for tool in tools.values():
        assert not re.search(r'"(anyOf|oneOf|allOf|\$ref|prefixItems)"', json.dumps(tool))
        inputs = tool["inputSchema"]["properties"].values()
        assert {each["type"] for each in inputs} <= {"string", "integer", "number", "array"}
    rules = tools["next_turn"]["description"]
    assert "Blinds 50/100." in rules
    assert TOKEN not in rules


@needs_mcp
def test_nothing_to_decide_is_an_empty_answer(table):
    answer = table.client.post("mcp", json=a_call("next_turn", wait_s=0), headers=HEADERS).json()
    assert answer["result"]["structuredContent"] == {}
    assert not answer["result"]["isError"]


@needs_mcp
def test_a_call_needs_no_session_so_a_restart_loses_nothing():
    with serving(a_lobby()) as table:
        table.play(hands=1)
        turn = table.turn()
    with serving(a_lobby(), table.port) as table:
        table.play(hands=1)
        until(lambda: table.box.turn is not None)
        kind = turn["observation"]["legal"][1]["kind"]
        call = a_call("act", turn_token=turn["turn_token"], kind=kind, wait_s=0)
        answer = table.client.post("mcp", json=call, headers=HEADERS).json()
        assert answer["result"]["structuredContent"]["verdict"] == "taken"


@needs_mcp
def test_a_client_that_goes_away_while_it_waits_leaves_nothing_behind(table):
    import httpx2

    before = list(table.box._listeners)
    with pytest.raises(httpx2.ReadTimeout):
        table.client.post("mcp", json=a_call("next_turn", wait_s=45), headers=HEADERS, timeout=1.0)
    until(lambda: not table.box.present)
    assert table.box._listeners == before
    names = [thread.name for thread in threading.enumerate()]
    assert table.client.post("mcp", json=a_call("next_turn", wait_s=0), headers=HEADERS).status_code == 200
    assert [thread.name for thread in threading.enumerate()] == names


@needs_mcp
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"7", b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', b"[" * 50_000, b"\xff"],
)
def test_what_is_not_mcp_is_refused(table, body):
    answer = table.client.post("mcp", content=body, headers={**HEADERS, "Content-Type": "application/json"})
    assert 200 <= answer.status_code < 500
    assert "error" in answer.json()


@needs_mcp
def test_streams_of_the_server_are_not_offered(table):
    assert table.client.get("mcp", headers=HEADERS).status_code == 405


def test_a_post_to_the_bare_invitation_names_the_door_of_mcp(table):
    answer = table.client.post("", json=a_call("next_turn"))
    assert answer.status_code == 405
    assert "/mcp" in answer.json()["error"]["message"]
