"""Google: Gemini by its own protocol."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from molt_bench.llm.providers.base import BROKEN_OFF, Asked, Provider, objects


class GoogleCloud(Provider):
    """Gemini in Google's cloud."""

    package = "google-genai"
    priced_as = "google"
    cached_from: ClassVar[tuple[tuple[str, int], ...]] = (("", 2048),)

    def finish(self, finish: str | None, told: object) -> str | None:
        """Return why a reply ended. The library calls it an error, too, where the model wrote what cannot be."""
        return None if finish == BROKEN_OFF else finish

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the parts that are thoughts."""
        for candidate in objects(answer.get("candidates")):
            for content in objects([candidate.get("content")]):
                for part in objects(content.get("parts")):
                    if part.get("thought"):
                        yield part.get("text")


class Google(GoogleCloud):
    """Gemini by an API key."""

    counts_thoughts = True
    bills_errors = False
    cached_from = (("gemini-2.5-pro", 4096), ("", 2048))
    families = ((r"gemini-2\.5-flash-lite", None, 1.0), (r"gemini-(2\.5|[3-9])", "medium", 1.4))

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.key_variables = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
        self.url_variables = ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL")

    def own_settings(self, settings: Asked, profile: Mapping[str, Any], max_tokens: int | None) -> dict[str, Any]:
        """Return how long to think, where that is a number."""
        number = settings.thinking_tokens
        return {} if number is None else {"google_thinking_config": {"thinking_budget": number}}
