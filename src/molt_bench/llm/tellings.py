"""What the user is told while models are asked."""

from collections.abc import Callable

from molt_bench.llm.types import Exchange


def _nobody(_: object) -> None:
    """Listen to nothing."""


class Tellings:
    """Tells the user about models, if there is a listener.

    Attributes:
        warn: Tells what goes wrong while the run goes on, such as a model that is paused.
        on_exchange: Called with every new exchange.
        bought: Whether it was told what the money buys.
    """

    def __init__(
        self,
        *,
        warn: Callable[[str], object] | None = None,
        note: Callable[[str], object] | None = None,
        on_exchange: Callable[[Exchange], object] | None = None,
    ) -> None:
        self.warn, self._note, self.on_exchange = warn or _nobody, note or _nobody, on_exchange or _nobody
        self.bought = False
        self._told: set[str] = set()

    def once(self, about: str, text: str) -> None:
        """Warn, unless something was told before about the same."""
        if about not in self._told:
            self._told.add(about)
            self.warn(text)

    def buys(self, limit: str, games: float) -> None:
        """Tell how many games a limit of money buys, by what hands have cost."""
        self.bought = True
        some = f"about {games:,.0f} games" if games >= 2 else "no seed pair"
        self._note(f"by what its first hands have cost, {limit} {some}")
