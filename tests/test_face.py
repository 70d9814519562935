"""The face of the package is what it says."""

import types

import pytest

import molt_bench


def test_all_is_exactly_what_is_exported():
    exported = {name: getattr(molt_bench, name) for name in dir(molt_bench)}
    public = {
        name
        for name, value in exported.items()
        if not isinstance(value, types.ModuleType) and (not name.startswith("_") or name == "__version__")
    }
    assert sorted(molt_bench.__all__) == sorted(public - {"Path", "import_module"})


def test_importing_the_package_is_quick_since_it_loads_nothing(fresh_python):
    code = "import sys, molt_bench; print([name for name in sys.modules if name.startswith('molt_bench')])"
    assert fresh_python(code) == "['molt_bench']"


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = molt_bench.nonsense


def test_every_exported_thing_says_what_it_is():
    undocumented = [
        name
        for name in molt_bench.__all__
        if callable(getattr(molt_bench, name)) and not getattr(molt_bench, name).__doc__
    ]
    assert undocumented == []


def test_the_package_is_typed():
    from importlib.resources import files

    assert files("molt_bench").joinpath("py.typed").is_file()


def test_errors_survive_pickling():
    """Errors cross process borders as they are."""
    import pickle

    error = pickle.loads(pickle.dumps(molt_bench.ConfigError("hands", 0, "at least 1")))
    assert (error.field, error.value, str(error)) == ("hands", 0, "hands = 0: expected at least 1")
