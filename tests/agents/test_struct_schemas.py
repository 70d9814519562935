"""Schemas of structs are the same on every Python, whatever it makes of docstrings."""

import msgspec

from molt_bench.agents.struct_schemas import struct_schemas


class Told(msgspec.Struct):
    """One line.

    Attributes:
        name: Which one.
    """

    name: str


def test_docstrings_with_and_without_indentation_give_the_same_schema():
    described = "One line.\n\nAttributes:\n    name: Which one."
    for docstring in (Told.__doc__, described):
        Told.__doc__ = docstring
        _, named = struct_schemas(Told)
        assert named["Told"]["description"] == described
