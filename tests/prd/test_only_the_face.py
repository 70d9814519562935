"""These tests survive a rebuilding of the insides, since they know nothing of them."""

import ast
import sys
from pathlib import Path

import pytest

import molt_bench

FILES = sorted(Path(__file__).parent.glob("*.py"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_only_the_face_the_standard_library_and_pytest(path):
    allowed = {*sys.stdlib_module_names, "pytest", "yaml"}  # the docs show configs as YAML
    for name in imported(ast.parse(path.read_text("utf-8"))):
        ours = name in ("molt_bench", "tests.prd.conftest")
        assert ours or name.partition(".")[0] in allowed, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_uses_only_what_the_face_exports_and_replaces_nothing(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "molt_bench":
            assert node.attr in (*molt_bench.__all__, "__all__", "__file__"), f"{path.name} uses molt_bench.{node.attr}"
        if isinstance(node, ast.arg):
            assert node.arg != "monkeypatch", f"{path.name} replaces something"
