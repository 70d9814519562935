"""The command that installs an extra."""


def how_to_install(extra: str) -> str:
    """Return the command for an extra: from a clone, since on an index the name may belong to somebody else.

    >>> how_to_install("llm")
    "pip install '.[llm]' in a clone of molt-bench"
    """
    return f"pip install '.[{extra}]' in a clone of molt-bench"
