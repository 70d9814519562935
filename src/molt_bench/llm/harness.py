"""A harness: the caller's own client asks a model that plays, in place of the gateway, and minds time and money."""

from molt_bench.llm.prompt import system_prompt
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Said
from molt_bench.plugin import Ask
from molt_bench.specs import GameLabel


class Harness:
    """Asks a model by a function of the caller's; nothing is recorded, paid or limited here."""

    def __init__(self, ask: Ask, settings: LLMSettings) -> None:
        self._ask = ask
        self._system = system_prompt(settings)

    async def greet(self, participant: str) -> None:
        """Leave it to the caller whether the model can be asked."""

    async def ask(
        self, participant: str, game: GameLabel, said: tuple[Said, ...], *, hand: int, decision: int, attempt: int
    ) -> Exchange:
        """Ask the model, and return its reply."""
        text, finish = await self._ask(self._system, said[-1].text)
        return Exchange(
            key="",
            participant=participant,
            game=game,
            hand=hand,
            decision=decision,
            attempt=attempt,
            prompt_hash="",
            outcome="reply",
            text=text,
            finish=finish,
        )
