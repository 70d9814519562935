"""DeepSeek: the chat protocol by its library, and a cache that begins early."""

from molt_bench.llm.providers.base import Provider


class DeepSeek(Provider):
    """DeepSeek's own API."""

    cached_from = (("", 64),)
    families = ((r"deepseek.*(r1|reason)|(^|[:/-])r1(-|$)", "high", 1.0),)
