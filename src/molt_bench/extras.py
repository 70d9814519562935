"""The command that installs an extra."""


def how_to_install(extra: str) -> str:
    """Return the command for an extra.

    >>> how_to_install("llm")
    "pip install 'molt-bench[llm]'"
    """
    return f"pip install 'molt-bench[{extra}]'"
