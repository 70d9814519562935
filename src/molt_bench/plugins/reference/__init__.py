"""The reference: a bot near an equilibrium, and what it says of other agents' play."""

from typing import Final

from molt_bench.plugin import LazyCommand

GRADE: Final = LazyCommand(
    "Grade every decision of a run by the values of the reference bot, and write grades.json.",
    "molt_bench.plugins.reference.command:grade",
    "Read results",
)
