"""The kind of agents that are language models."""

import os

from molt_bench.agents.settings_base import variables_told
from molt_bench.llm.agent import LLMAgent, lone_agent
from molt_bench.llm.providers import PROVIDERS
from molt_bench.llm.settings import LLMSettings
from molt_bench.plugin import Context, Kind
from molt_bench.specs import MODEL_TIMEOUT_S, ParticipantSpec


class LanguageModel(Kind):
    """A language model, such as llm:openai:gpt-4.1; needs the extra llm."""

    name = "llm"
    usage = "llm:MODEL"
    settings = LLMSettings
    short = "model"
    timeout_s = MODEL_TIMEOUT_S
    waits = True
    remote = True

    def label(self, participant_type: str) -> str:
        """Return the name of the model without its provider."""
        return participant_type.split(":", 2)[-1]

    def make(self, spec: ParticipantSpec, context: Context) -> LLMAgent:
        """Make an agent for a game outside a run."""
        return lone_agent(spec.id, context.settings, action_timeout_s=context.timeout_s)

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
