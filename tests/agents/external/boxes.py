"""What the tests of boxes share."""

import pytest

from molt_bench.agents.external.box import obstacle

#: Why this machine has no boxes, whatever a test pretends later; "" if it has them.
NO_BOXES = obstacle()
needs_bubblewrap = pytest.mark.skipif(bool(NO_BOXES), reason=f"needs a sandbox: {NO_BOXES}")
