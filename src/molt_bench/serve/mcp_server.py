"""What MCP hosts see: two tools, the rules as a resource, and a prompt to play.

Needs the package `mcp`, which is imported when a server is made.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import mcp_types as types
import msgspec
from mcp.server import lowlevel

from molt_bench._version import __version__
from molt_bench.agents.live.turn_messages import ACT_SCHEMA, DEFAULT_WAIT_S, LONGEST_WAIT_S, Next
from molt_bench.agents.struct_schemas import struct_schemas

#: Does what a tool does, given the context of the request, the arguments and how long to wait; a text is a refusal.
CallTool: TypeAlias = Callable[[Any, Mapping[str, Any], float], Awaitable[Next | str]]
#: Returns the skill document, given the context of a request.
ReadSkill: TypeAlias = Callable[[Any], Awaitable[str]]

_RULES_URI: Final = "molt-bench://rules"
_INSTRUCTIONS: Final = (
    "You play heads-up no-limit hold'em against one opponent. Call next_turn until it returns a turn, decide, call act "
    "with its turn_token; act returns your next turn. Without a turn in an answer, call next_turn again. Go on until "
    f"an answer has `over`, without asking anybody. The rules are the resource {_RULES_URI}."
)
_WAIT: Final = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_WAIT_S,
    "default": DEFAULT_WAIT_S,
    "description": "Seconds to wait until there is something to decide.",
}
_NEXT_TURN: Final = {"type": "object", "properties": {"wait_s": _WAIT}}
_AMOUNT: Final = {"type": "integer", "description": ACT_SCHEMA["properties"]["amount"]["description"]}
_ACT: Final = {**ACT_SCHEMA, "properties": {**ACT_SCHEMA["properties"], "amount": _AMOUNT, "wait_s": _WAIT}}


def mcp_server(next_turn: CallTool, act: CallTool, skill: ReadSkill) -> Any:
    """Return a server; raises ImportError if the package `mcp` is not there."""
    calls = {"next_turn": next_turn, "act": act}

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(tools=_tools())

    async def call_tool(context: Any, params: Any) -> Any:
        arguments = params.arguments or {}
        wait_s = arguments.get("wait_s", DEFAULT_WAIT_S)
        if params.name not in calls:
            return _tool_error("VALIDATION_ERROR: there is no such tool: expected next_turn or act")
        if isinstance(wait_s, bool) or not isinstance(wait_s, int | float) or not wait_s >= 0:
            return _tool_error(f"VALIDATION_ERROR: wait_s is not a number of seconds, such as {DEFAULT_WAIT_S:g}")
        found = await calls[params.name](context, arguments, min(wait_s, LONGEST_WAIT_S))
        if isinstance(found, str):
            return _tool_error(found)
        said = msgspec.json.encode(found)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=said.decode())], structured_content=msgspec.json.decode(said)
        )

    async def list_resources(_context: Any, _params: Any) -> Any:
        about = {"title": "Rules of this run", "mime_type": "text/markdown"}
        return types.ListResourcesResult(resources=[types.Resource(uri=_RULES_URI, name="rules", **about)])

    async def read_resource(context: Any, params: Any) -> Any:
        if str(params.uri) != _RULES_URI:
            raise ValueError(f"there is no such resource: expected {_RULES_URI}")
        text = types.TextResourceContents(
            uri=_RULES_URI, mime_type="text/markdown", text=_rules_in(await skill(context))
        )
        return types.ReadResourceResult(contents=[text])

    async def list_prompts(_context: Any, _params: Any) -> Any:
        about = "Play until the run is over, by the rules of this run."
        return types.ListPromptsResult(prompts=[types.Prompt(name="play", title="Play poker", description=about)])

    async def prompt(context: Any, params: Any) -> Any:
        if params.name != "play":
            raise ValueError("there is no such prompt: expected play")
        said = types.TextContent(type="text", text=f"{_INSTRUCTIONS}\n\n{_rules_in(await skill(context))}")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])

    return lowlevel.Server(
        "molt-bench",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=prompt,
    )


def _rules_in(skill: str) -> str:
    """Return the part of a skill document about the game itself; the rest is about other ways to play."""
    return "# " + skill.partition("\n# ")[2].partition("\n## Play with curl")[0].strip() + "\n"


def _tool_error(said: str) -> Any:
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def _tools() -> list[Any]:
    output = output_schema()
    own = {"destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
    return [
        types.Tool(
            name="next_turn",
            title="Next turn",
            description="Wait for your next decision. An empty answer means that there is none yet: call it again.",
            input_schema=_NEXT_TURN,
            output_schema=output,
            annotations=types.ToolAnnotations(read_only_hint=True, **own),
        ),
        types.Tool(
            name="act",
            title="Act",
            description="Answer a decision; returns the next one. The same answer again counts once.",
            input_schema=_ACT,
            output_schema=output,
            annotations=types.ToolAnnotations(read_only_hint=False, **own),
        ),
    ]


def output_schema() -> dict[str, Any]:
    """Return the schema of what both tools return, without references and alternatives: some hosts cannot read them."""
    (answer,), named = struct_schemas(Next)
    found: dict[str, Any] = _plain(answer, named)
    return found


def _plain(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema with definitions in place of references, and a list of types in place of alternatives."""
    if isinstance(schema, list):
        return [_plain(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _plain(value, definitions) for key, value in schema.items()}
    if "$ref" in found:
        named = definitions[found.pop("$ref").rpartition("/")[2]]
        found = {**_plain(named, definitions), **found}
    if "anyOf" in found:  # it always is something or null
        (one,) = [each for each in found.pop("anyOf") if each != {"type": "null"}]
        more = {"enum": [*one["enum"], None]} if "enum" in one else {"type": [one["type"], "null"]}
        found = {**one, **found, **more}
    if "prefixItems" in found:  # it always is a pair of equal things
        found["items"] = found.pop("prefixItems")[0]
    return found
