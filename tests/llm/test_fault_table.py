"""The table of faults in the docs says what happens."""

import pytest

from tests.llm.fault_table import SERVER, table, written
from tests.llm.provider import FAULTS


def test_every_fault_of_the_test_provider_is_in_the_table():
    assert sorted(SERVER) == sorted(FAULTS)
    assert written().count("\n") >= 2 + 40


@pytest.mark.slow
def test_the_table_in_the_docs_is_what_runs_find_out():
    assert table() == written()
