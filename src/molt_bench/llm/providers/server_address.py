"""Addresses of providers: variables of the environment that send requests, and the key, to another server."""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from molt_bench.llm.providers.table import provider_of
from molt_bench.llm.settings import LLMSettings


def redirection(settings: LLMSettings) -> tuple[str, str] | None:
    """Return the variable that redirects a model, and the server it names; None if none does, or the config names one.

    A password in the URL is left out.
    """
    if settings.base_url is not None:
        return None
    for name in provider_of(settings.provider).url_variables:
        url = os.environ.get(name)
        if url:
            parts = urlsplit(url)
            return name, parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return None


def is_elsewhere(settings: LLMSettings) -> bool:
    """Return whether a model is asked at another server than its provider's."""
    return settings.base_url is not None or redirection(settings) is not None


def redirection_warnings(models: Mapping[str, LLMSettings]) -> list[str]:
    """Say of each model by its participant where the environment sends its requests and its key."""
    found = {name: redirection(settings) for name, settings in models.items()}
    return [
        f"{where[0]} sends the requests and the key of {name} to {where[1]}: published prices do not hold there"
        for name, where in found.items()
        if where is not None
    ]
