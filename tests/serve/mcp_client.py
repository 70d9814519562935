"""Plays through the MCP door with the Python client: `python mcp_client.py URL`; prints what it met as JSON."""

import asyncio
import json
import sys

from mcp.client import Client


async def main(url):
    async with Client(url) as client:
        tools = await client.list_tools()
        met = {"tools": sorted(tool.name for tool in tools.tools), "decisions": 0, "errors": []}
        met["errors"].append(await error_of(client, "act", {"turn_token": "none", "kind": "fold"}))
        met["errors"].append(await error_of(client, "act", {}))
        met["errors"].append(await error_of(client, "next_turn", {"wait_s": "soon"}))
        found = (await client.call_tool("next_turn", {"wait_s": 45})).structured_content
        while "over" not in found:
            turn = found.get("turn")
            if turn is None:
                found = (await client.call_tool("next_turn", {"wait_s": 45})).structured_content
                continue
            if not met["decisions"]:
                wrong = {"turn_token": turn["turn_token"], "kind": "raiseTo", "amount": 3}
                met["errors"].append(await error_of(client, "act", wrong))
            kind = turn["observation"]["legal"][1]["kind"]
            arguments = {"turn_token": turn["turn_token"], "kind": kind, "wait_s": 45}
            found = (await client.call_tool("act", arguments)).structured_content
            assert found["verdict"] == "taken", found
            met["decisions"] += 1
        met["over"] = found["over"]["reason"]
    print(json.dumps(met))


async def error_of(client, tool, arguments):
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer
    return answer.content[0].text


asyncio.run(main(sys.argv[1]))
