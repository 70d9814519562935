"""What the tests of boxes share."""

import pytest

from molt_bench.agents.sandbox.bubblewrap import bubblewrap

_MISSING = bubblewrap()
needs_bubblewrap = pytest.mark.skipif(isinstance(_MISSING, str), reason=f"needs a sandbox: {_MISSING}")
