"""`molt-bench agents`: what a config can name as a participant."""

from molt_bench.agents.kinds import BUILTIN_AGENTS, plugins


def agents() -> None:
    """List the agents that a config can name."""
    for kind, bot in BUILTIN_AGENTS.items():
        about = (bot.__doc__ or "").partition("\n")[0]
        print(f"{kind:12} {about}")
    print(f"{'llm:MODEL':12} A language model, such as llm:openai:gpt-4.1; needs the extra molt-bench[llm].")
    print(f"{'exec:COMMAND':12} A program in any language that speaks JSON lines, such as exec:./bot --fast.")
    print(f"{'http:URL':12} A web server that takes the same messages, such as http://127.0.0.1:9000/act.")
    for name, point in plugins().items():
        print(f"{name:12} Plug-in: {point.value}")
