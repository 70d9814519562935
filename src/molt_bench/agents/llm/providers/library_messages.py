"""What we say to a model in the terms of pydantic-ai, which writes it in those of each provider.

The library is imported late, since that takes a second.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from molt_bench.agents.llm.settings import LLMSettings, OutputMode
from molt_bench.agents.llm.talk.question import ToolStep, Turn
from molt_bench.agents.llm.talk.reply import reply_schema
from molt_bench.agents.llm.talk.tools import TOOLS

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters

#: The name of the tool that a model calls to decide.
DECIDE: Final = "decide"
#: Most characters of a reply that calls our tools.
LONGEST_TURN: Final = 1_000_000


def parameters_of(settings: LLMSettings, mode: OutputMode, *, tools: bool) -> "ModelRequestParameters":
    """Return the request parameters of an output mode, with our tools or without."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    schema = reply_schema(comprehension=settings.comprehension, notes=settings.notes, first=settings.reply_first)
    about = "Your decision at the poker table."
    offered: dict[str, Any] = {}
    if tools:
        offered["function_tools"] = [
            ToolDefinition(name=name, description=TOOLS[name].about, parameters_json_schema=TOOLS[name].schema)
            for name in settings.tools
        ]
    if mode == "tool":
        tool = ToolDefinition(name=DECIDE, description=about, parameters_json_schema=schema, kind="output", strict=True)
        return ModelRequestParameters(output_mode=mode, output_tools=[tool], allow_text_output=False, **offered)
    form = OutputObjectDefinition(schema, name="decision", description=about, strict=True)
    return ModelRequestParameters(output_mode=mode, output_object=form if mode != "text" else None, **offered)


def messages_of(
    system: str, message: str, steps: Sequence[ToolStep] = (), earlier: Sequence[Turn] = ()
) -> "list[ModelMessage]":
    """Return a question as messages: with what was said before it, and what the model asked of our tools."""
    from pydantic_ai.messages import (
        ModelMessagesTypeAdapter,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolReturnPart,
        UserPromptPart,
    )

    found: list[ModelMessage] = []
    first: list[Any] = [SystemPromptPart(system)]
    for turn in earlier:
        found += [ModelRequest([*first, UserPromptPart(turn.asked)]), ModelResponse([TextPart(turn.said)])]
        first = []
    found.append(ModelRequest([*first, UserPromptPart(message)]))
    for step in steps:
        found += ModelMessagesTypeAdapter.validate_json(step.turn)
        told = zip(step.calls, step.answers, strict=True)
        parts = [ToolReturnPart(call.name, answer, tool_call_id=call.id) for call, answer in told]
        found.append(ModelRequest(parts=parts))
    return found


def turn_of(response: "ModelResponse") -> str | None:
    """Return a reply as text from which `messages_of` makes it again, with everything its provider wants back.

    None if it cannot be written, as with half of a character in it.
    """
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    try:
        return ModelMessagesTypeAdapter.dump_json([response]).decode()
    except ValueError:
        return None


def arguments_of(call: "ToolCallPart") -> str:
    """Return the arguments of a call as JSON, also with half of a character in them."""
    if isinstance(call.args, str):
        return call.args
    try:
        return call.args_as_json_str()
    except ValueError:
        return json.dumps(call.args)


def called(calls: Sequence[tuple[str, str]]) -> str:
    """Return the arguments of the one call that was asked for; other calls, or several, are shown as they are.

    Those are a list, which no reader takes for a decision.
    """
    if len(calls) == 1 and calls[0][0] == DECIDE:
        return calls[0][1]
    return json.dumps([{"tool": name, "arguments": arguments} for name, arguments in calls])
