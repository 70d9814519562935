"""Care: what a user asked for about participants that fail, before, during and after a run."""

import sys

import msgspec

from molt_bench.errors import printable
from molt_bench.records import RunResult, failures_of


class Care(msgspec.Struct, frozen=True, kw_only=True):
    """How participants that fail are dealt with.

    Attributes:
        preflight: Whether everybody is asked once before the first card.
        fail_on_faults: Share of a participant's hands with a fault beyond which the command fails; None never does.
        debug: Whether the tracebacks of agents are shown.
    """

    preflight: bool = True
    fail_on_faults: float | None = None
    debug: bool = False

    def end(self, result: RunResult) -> None:
        """End with status 1 if somebody made more faults than is allowed, and say who."""
        most = self.fail_on_faults
        if most is None:
            return
        failing = [(name, each) for name, each in failures_of(result.matches).items() if each.share > most]
        for name, each in failing:
            print(
                f"molt-bench: {name} made faults in {each.faulty:,} of {each.hands:,} hands ({each.share:.1%}), and "
                f"--fail-on-faults allows {most:.10g}",
                file=sys.stderr,
            )
        if failing:
            sys.exit(1)


def show_raised(participant: str, trace: str) -> None:
    """Show where an agent raised."""
    print(f"molt-bench: {participant} raised:\n{printable(trace)}", file=sys.stderr, end="", flush=True)
