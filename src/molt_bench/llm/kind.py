"""The kind of agents that are language models."""

import os
from collections.abc import Callable
from typing import Final

from molt_bench.agents.settings_base import variables_told
from molt_bench.llm.after_failure import RequestLimits
from molt_bench.llm.agent import LLMAgent
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.harness import Harness
from molt_bench.llm.providers import PROVIDERS
from molt_bench.llm.settings import LLMSettings, redirection_warnings
from molt_bench.plugin import Context, Kind
from molt_bench.specs import MODEL_TIMEOUT_S, GameLabel, ParticipantSpec

#: Seconds for which a single game waits for a model that cannot be reached.
_LONE_PAUSE_S: Final = 30.0


class LanguageModel(Kind):
    """A language model, such as llm:openai:gpt-4.1; needs the extra llm."""

    name = "llm"
    usage = "llm:MODEL"
    settings = LLMSettings
    short = "model"
    timeout_s = MODEL_TIMEOUT_S
    waits = True
    remote = True
    paid = True

    def label(self, participant_type: str) -> str:
        """Return the name of the model without its provider."""
        return participant_type.split(":", 2)[-1]

    def make(self, spec: ParticipantSpec, context: Context) -> LLMAgent:
        """Make an agent for a game outside a run."""
        return self.maker(spec, context)()

    def maker(self, spec: ParticipantSpec, context: Context) -> Callable[[], LLMAgent]:
        """Return what makes agents for games outside a run, with one connection; one that cannot be had is an error."""
        if context.ask is not None:
            harness = Harness(context.ask, context.settings)
            return lambda: LLMAgent(spec.id, context.settings, harness, game=GameLabel(0, 0, "AB"))
        limits = RequestLimits(timeout_s=context.timeout_s, pause_after_s=_LONE_PAUSE_S)
        gateway = Gateway({spec.id: context.settings}, limits=limits)
        return lambda: LLMAgent(spec.id, context.settings, gateway, game=GameLabel(0, 0, "AB"))

    def warnings(self, spec: ParticipantSpec, context: Context) -> list[str]:
        """Return where its requests go instead of to its provider, if something in the environment says so."""
        return redirection_warnings({spec.id: [context.settings]})

    def announced(self, spec: ParticipantSpec, settings: LLMSettings) -> str:
        """Return which model is asked where, and what is sent to it."""
        redirected = settings.redirection
        where = settings.base_url or (redirected[1] if redirected is not None else "its provider")
        document = f", and the file {os.path.realpath(settings.skill_doc)}" if settings.skill_doc else ""
        sent = variables_told(settings.key_variables)
        return f"asks the model {settings.model} at {where}; sends {sent}{document}"

    def meant(self, participant_type: str) -> str:
        """Return a model, if the type is one without its prefix."""
        return f"llm:{participant_type}" if participant_type.partition(":")[0] in PROVIDERS else ""
