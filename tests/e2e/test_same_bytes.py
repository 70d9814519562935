"""Every file of a run has the same bytes without kernels, in workers and on every Python, or the docs name it."""

import re
import sys

import dist
import pytest

from molt_bench.kernels import compiled
from tests.e2e import golden_runs
from tests.e2e.golden_runs import other_sum
from tests.e2e.same_bytes import NOT_PROMISED, ROOT, compared, differing, golden, with_wheel

THIS = ".".join(map(str, sys.version_info[:2]))


def documented():
    """Return the names of all files that the docs say a run writes."""
    text = (ROOT / "docs" / "reference" / "run-folder.md").read_text()
    table = text.partition("# The run folder")[2].partition("\n\nEach file has")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.M)
    return {name for row in rows for name in re.findall("`(.+?)`", row)}


def test_every_file_of_a_run_is_compared_or_listed_as_not_promised(finished):
    when_asked_for = {"grades.json", "card.md"}
    assert documented() == compared(finished).keys() | NOT_PROMISED.keys() | when_asked_for
    assert NOT_PROMISED["summary.json"], "all but some fields is compared"


def test_the_sum_of_other_pythons_is_another_one():
    tenths = [0.1] * 10
    assert {sum(tenths), other_sum(tenths)} == {1.0, 0.9999999999999999}
    assert other_sum([1, 2], 3) == 6
    assert other_sum([[1], [2]], []) == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("name", golden_runs.RUNS)
class TestEveryKind:
    def test_without_kernels(self, name, tmp_path):
        if compiled is None:
            pytest.skip("the kernels were not compiled, or are turned off")
        one, other = (golden(tmp_path / str(pure), name, pure=pure) for pure in (True, False))
        assert differing(one, other) == []

    def test_with_the_sum_of_other_pythons_and_in_workers(self, name, tmp_path):
        plain = golden(tmp_path / "plain", name)
        for at, flags in enumerate((["--other-sum"], ["--executor", "processes"])):
            assert differing(plain, golden(tmp_path / str(at), name, flags=flags)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blueprint", "blueprint carry"])
def test_however_the_machine_adds_up_arrays(name, tmp_path, monkeypatch):
    """The last bits of sums of arrays depend on the processor, and on how many threads share the work."""
    one = golden(tmp_path / "one", name)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    assert differing(one, golden(tmp_path / "other", name)) == []


@pytest.mark.slow
@pytest.mark.parametrize("version", dist.PYTHONS)
def test_on_other_pythons(version, tmp_path):
    """With whatever versions of its packages that Python gets."""
    found = dict(dist.pythons()).get(version)
    if found is None or version == THIS:
        pytest.skip(f"these tests run on Python {THIS}" if found else f"there is no Python {version} here")
    python = with_wheel(found, tmp_path)
    assert differing(golden(tmp_path / "here"), golden(tmp_path / "there", python=python)) == []
