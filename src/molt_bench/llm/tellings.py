"""What the user is told while models are asked: who answers, what is refused or left out, and what costs too much."""

from collections.abc import Callable
from typing import Final

from molt_bench.llm.money.purse import Purse
from molt_bench.llm.reported_model import other_models, same_model
from molt_bench.llm.request import Participant
from molt_bench.llm.trouble import RequestFailed
from molt_bench.llm.types import Exchange
from molt_bench.visible_text import on_one_line

#: Names of models that are compared for each participant; a server may make up a new one every time.
_MOST_NAMES: Final = 100
#: Games of a seed pair.
MIN_GAMES: Final = 2


class Teller:
    """Tells the user something, if anybody listens."""

    def __init__(self, listener: Callable[[str], None] | None) -> None:
        self._listener = listener
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        """Tell something."""
        if self._listener is not None:
            self._listener(text)

    def once(self, text: str, *, about: str = "") -> None:
        """Tell something, unless it was told before, or something else about the same."""
        if (about or text) not in self._said:
            self._said.add(about or text)
            self(text)


class Tellings:
    """Tells the user about models.

    Attributes:
        warn: Tells what goes wrong while the run goes on, such as a model that is paused.
        note: Tells what is good to know, such as the dated state of a model that answers.
        on_exchange: Called with every new exchange.
        estimates: Whether it is still to be told what the money buys.
    """

    def __init__(
        self,
        *,
        warn: Callable[[str], None] | None = None,
        note: Callable[[str], None] | None = None,
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.warn, self.note, self.on_exchange = Teller(warn), Teller(note), on_exchange
        self._names: dict[str, list[str]] = {}
        self.estimates = True

    def answered_as(self, asked: Participant, reported: str | None) -> None:
        """Tell once which model has answered: a dated state of the one asked for, or another one."""
        names, model = self._names.setdefault(asked.name, []), asked.settings.model
        if reported is None or reported in names or len(names) > _MOST_NAMES:
            return
        names.append(reported)
        before = other_models(asked.name, model, names[:-1])
        for warning in other_models(asked.name, model, names):
            if warning not in before:
                self.warn(warning)
        if same_model(model.partition(":")[2], reported) and not model.endswith(reported):
            self.note(f"{asked} answers as {on_one_line(reported[:100])}")

    def estimated(self, purse: Purse, games: float) -> None:
        """Tell once how many games the money buys, by what hands have cost."""
        self.estimates = False
        limit = f"{purse.most_tokens:,} tokens buy" if purse.most_usd is None else f"${purse.most_usd:,.10g} buys"
        some = f"about {games:,.0f} games" if games >= MIN_GAMES else "no seed pair"
        self.note(f"by what its first hands have cost, {limit} {some}")

    def refused(self, asked: Participant, answer: RequestFailed) -> None:
        """Tell once that a model refuses prompts."""
        text = f"{asked} refuses a prompt: counted as refused, as will be others ({answer})"
        self.warn.once(text, about=f"refused {asked}")

    def exceeded(self, asked: Participant) -> None:
        """Tell once that a model takes more tokens than its requests allow."""
        self.warn.once(
            f"{asked} takes more tokens than it is allowed: more is kept for it from now on, and fewer requests are "
            "sent at once",
            about=f"limits of {asked}",
        )
