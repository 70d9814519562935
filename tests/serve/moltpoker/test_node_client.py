"""A client of moltpoker's platform in JavaScript, by its own WebSocket: what Python's does not tell."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serve.moltpoker.table import LONG_S, a_lobby, serving

NODE = shutil.which("node")
CLIENT = Path(__file__).with_name("client.mjs")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_a_client_in_javascript_plays_a_run_with_a_cut_and_an_illegal_action():
    with serving(a_lobby()) as table:
        command = [NODE, "--no-warnings", "--experimental-websocket", str(CLIENT), table.url, "2", "4"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert table.lobby.wait(LONG_S)
            table.play("AB", "BA")
            said, _ = process.communicate(timeout=LONG_S)
        table.join()
    assert process.returncode == 0
    seen = json.loads(said)
    assert (seen["hands"], seen["connections"], seen["codes"]) == (6, 2, ["INVALID_ACTION"])
    assert seen["seats"] == [0, 0, 1]
    assert seen["left"] == {"success": True, "message": "Left the table"}
    assert table.faults(1) + table.faults(2) == [("illegal", False)]
