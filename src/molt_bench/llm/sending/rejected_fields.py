"""The fields of a request, in the terms of the library; those that a server rejects are left out from then on."""

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from molt_bench.llm.providers.openai import LIMIT_NAMES
from molt_bench.llm.providers.request_settings import (
    limit_names,
    model_settings,
    trial_settings,
    without_fields,
)
from molt_bench.llm.sending.request import Prompt
from molt_bench.llm.settings import LLMSettings


class SentFields:
    """The fields that go with the requests to one model, in the terms of the library.

    Attributes:
        usual: Those of a request without limits of ours, with nothing left out.
        left_out: Fields that the server has rejected, and that are not sent any more.
    """

    def __init__(self, settings: LLMSettings, model: Model) -> None:
        self._settings = settings
        self._model = model
        self.usual = model_settings(settings, model)
        self._limits = limit_names(settings)
        self._limited: dict[int, ModelSettings] = {}
        self.left_out: frozenset[str] = frozenset()

    def of(self, prompt: Prompt, limit: int | None) -> ModelSettings:
        """Return the fields of a request; `limit` is the most tokens of a reply where the user set none."""
        settings = self.usual
        if limit is not None:
            if limit not in self._limited:
                limited = self._settings.model_copy(update={"max_tokens": limit})  # thoughts included
                self._limited[limit] = model_settings(limited, self._model)
            settings = self._limited[limit]
        if prompt.max_tokens is not None:
            settings = trial_settings(self._settings, self._model, prompt.max_tokens)
        if self.left_out:
            settings = without_fields(settings, self.left_out, self._limits)
        return settings

    def leave_out(self, field: str, without: frozenset[str]) -> bool:
        """Leave out a field that the server rejects from now on; return whether that makes the next request another.

        `without` are those that the rejected request left out. A limit of tokens is never left out altogether: only
        the name that the server does not know.
        """
        if not field or field in without:
            return False
        if field not in self.left_out:
            limits = {*self._limits} - self.left_out
            if limits == {field} or (field in LIMIT_NAMES and field not in limits):
                return False
            if field not in limits and self.usual.get(field) is None:
                return False
            self.left_out |= {field}
        return True
