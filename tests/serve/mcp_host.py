"""Plays as an MCP host that starts programs: `python mcp_host.py COMMAND...`; prints what it met as JSON."""

import asyncio
import json
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main(command, *arguments):
    async with Client(stdio_client(StdioServerParameters(command=command, args=[*arguments]))) as client:
        rules = (await client.read_resource("molt-bench://rules")).contents[0].text
        prompt = (await client.get_prompt("play")).messages[0].content.text
        met = {"rules": rules, "prompt": prompt, "decisions": 0, "errors": []}
        for tool, wrong in (
            ("act", {"turn_token": "none", "kind": "fold"}),
            ("act", {}),
            ("next_turn", {"wait_s": ""}),
        ):
            met["errors"].append((await client.call_tool(tool, wrong)).content[0].text)
        found = {}
        while "over" not in found:
            turn = found.get("turn")
            if turn is None:
                answer = await client.call_tool("next_turn", {"wait_s": 45})
            else:
                kind = turn["observation"]["legal"][1]["kind"]
                answer = await client.call_tool("act", {"turn_token": turn["turn_token"], "kind": kind, "wait_s": 45})
                met["decisions"] += answer.structured_content["verdict"] == "taken"
            assert not answer.is_error, answer
            found = answer.structured_content
        met["over"] = found["over"]["reason"]
    print(json.dumps(met))


asyncio.run(main(*sys.argv[1:]))
