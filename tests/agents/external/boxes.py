"""What the tests of boxes share."""

import pytest

from molt_bench.agents.external.box import obstacle

_MISSING = obstacle()
needs_bubblewrap = pytest.mark.skipif(bool(_MISSING), reason=f"needs a sandbox: {_MISSING}")
