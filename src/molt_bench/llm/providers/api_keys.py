"""API keys: where a model finds its own, and what is said if it is missing."""

import os

from molt_bench.errors import ConfigError
from molt_bench.llm.settings import LLMSettings


def api_key(settings: LLMSettings) -> str:
    """Return the API key of a model; the user's own server needs none. Raises ConfigError if it is not set."""
    variables = settings.key_variables
    key = next((found for name in variables if (found := os.environ.get(name, "").strip())), "")
    if key or not variables:
        return key
    if settings.api_key_env is not None:
        raise ConfigError("apiKeyEnv", settings.api_key_env, "the name of an environment variable that is set")
    raise ConfigError("model", settings.model, f"its key in the environment variable {' or '.join(variables)}")
