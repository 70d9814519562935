"""Games share the processors, so numpy's products take one thread each."""

import os
import subprocess
import sys

import pytest

THREADS = "OPENBLAS_NUM_THREADS"
SHOW = f"""
import os
import sys
from types import SimpleNamespace

import molt_bench.cli as command

assert "numpy" not in sys.modules
command.import_module = lambda _: SimpleNamespace(main=lambda: print(os.environ["{THREADS}"]))
command.main()
"""


@pytest.mark.parametrize(("given", "expected"), [({}, "1"), ({THREADS: "4"}, "4")])
def test_a_product_takes_one_thread_unless_its_user_says_otherwise(given, expected):
    variables = {name: value for name, value in os.environ.items() if name != THREADS} | given
    told = subprocess.run([sys.executable, "-c", SHOW], env=variables, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == expected
