"""Modules that are loaded when they are first used."""

import sys
from types import ModuleType

import pytest

from molt_bench.lazy_import import lazy_import


def test_a_module_is_loaded_when_a_name_of_it_is_first_used(fresh_python):
    code = (
        "import sys; from molt_bench.lazy_import import lazy_import\n"
        "np = lazy_import('numpy'); print('numpy' in sys.modules)\n"
        "one = np.exp(0.0); import numpy; print(one, np.exp is numpy.exp, np.random is numpy.random)"
    )
    assert fresh_python(code).splitlines() == ["False", "1.0 True True"]


def test_a_submodule_can_be_lazy_too():
    assert lazy_import("xml.etree.ElementTree").Element is sys.modules["xml.etree.ElementTree"].Element


def test_a_module_that_was_used_is_an_ordinary_one():
    """So that later uses are as fast as with any import."""
    json = lazy_import("json")
    assert json.dumps({}) == "{}"
    assert type(json) is ModuleType
    assert vars(json) == vars(sys.modules["json"])


def test_a_missing_module_is_an_error_when_it_is_used_and_a_missing_name_is_named():
    missing = lazy_import("no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        missing.anything  # noqa: B018 - the use is the point
    with pytest.raises(AttributeError, match="no_such_name"):
        lazy_import("json").no_such_name  # noqa: B018


def test_looking_at_it_loads_nothing(fresh_python):
    code = "import inspect, sys; from molt_bench.lazy_import import lazy_import; late = lazy_import('colorsys')\n"
    code += (
        "inspect.unwrap(late); inspect.isroutine(late); hasattr(late, '__wrapped__'); print('colorsys' in sys.modules)"
    )
    assert fresh_python(code) == "False"
