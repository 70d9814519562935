"""All that a report says of a run besides its headline and its table."""

from molt_bench.report.explanation import claims
from molt_bench.report.rows import Rows
from molt_bench.report.verdict import remarks


def sentences(found):
    """Return what is said of an analysis, remarks first."""
    rows = Rows(found.result)
    return [*remarks(rows), *claims(rows)]
