"""What a provider is: everything about it that differs from others, with what is usual as the default.

A provider that speaks the chat protocol is one file with a subclass of `ChatProvider`, and one row in `table`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from molt_bench.llm.types import Effort

#: Why a reply ended that its provider broke off: its own trouble, and nothing that the model said.
BROKEN_OFF: Final = "error"
#: A family of models: a pattern of their names, the effort with which they think if none is set (None: they do not
#: think then), and how long they think over what others take.
Family: TypeAlias = tuple[str, Effort | None, float]


class Asked(Protocol):
    """The settings of a model, as far as a provider looks at them."""

    @property
    def reasoning_effort(self) -> Effort | None:
        """How hard it is to think."""

    @property
    def max_tokens(self) -> int | None:
        """Tokens that a reply may have, if the user set a number."""

    @property
    def thinking_tokens(self) -> int | None:
        """Tokens of thought, if the user set a number."""


class Provider:
    """A provider that has nothing special about it: its library writes requests and reads answers.

    Attributes:
        name: Its name in configs.
        library: Its name in pydantic-ai, which writes its requests; "" for its own name.
        priced_as: Its name in lists of prices; "" for its own name.
        prefix: How its variables of the environment begin; "" for its own name.
        url: Its address, where the library does not know it.
        key_variables: The environment variables of which one holds its key.
        url_variables: Those that send its requests, and its key, to another server.
        package: The package of its library.
        chat: Whether it speaks the chat protocol, so that most requests need no library.
        retries_on_client: Whether retries are turned off once; otherwise every request does, which takes longer.
        usual_max_tokens: Tokens of a reply that are asked for where the user sets none.
        limit_names: The names of the limit of tokens in its requests: its own, and an older one.
        effort_field: The setting of the library for the effort.
        counts_thoughts: Whether it takes a number of tokens of thought.
        samples_while_thinking: Whether it takes a temperature beside thoughts.
        cached_from: The fewest tokens that are cached, by the beginning of a model's name; the first that fits counts.
            Providers publish them, and they change.
        cache_step: It caches in steps of this many tokens.
        bills_errors: Whether it may bill requests that it answers with an error of its own.
        families: Its models that think by themselves, wherever they run.
    """

    library: str = ""
    priced_as: str = ""
    prefix: ClassVar[str] = ""
    url: ClassVar[str | None] = None
    package: ClassVar[str | None] = None
    chat: ClassVar[bool] = False
    retries_on_client: ClassVar[bool] = False
    usual_max_tokens: ClassVar[int | None] = None
    limit_names: ClassVar[tuple[str, ...]] = ()
    effort_field: ClassVar[str] = "thinking"
    counts_thoughts: ClassVar[bool] = False
    samples_while_thinking: ClassVar[bool] = True
    cached_from: ClassVar[tuple[tuple[str, int], ...]] = ()
    cache_step: ClassVar[int] = 1
    bills_errors: ClassVar[bool] = True
    families: ClassVar[tuple[Family, ...]] = ()

    def __init__(self, name: str) -> None:
        prefix = self.prefix or name.upper().replace("-", "_")
        self.name, self.library, self.priced_as = name, self.library or name, self.priced_as or name
        self.key_variables: tuple[str, ...] = (f"{prefix}_API_KEY",)
        self.url_variables: tuple[str, ...] = (f"{prefix}_BASE_URL",)

    def thought_number(self, settings: Asked) -> int:
        """Return how many tokens of thought a request asks for, where that is a number; 0 for none."""
        return settings.thinking_tokens or 0

    def sent_max_tokens(self, settings: Asked) -> int | None:
        """Return the limit of tokens that is sent with a request; None if none is."""
        if settings.max_tokens is not None:
            return settings.max_tokens
        usual = self.usual_max_tokens
        return None if usual is None else usual + self.thought_number(settings)

    def own_settings(self, settings: Asked, profile: Mapping[str, Any], max_tokens: int | None) -> dict[str, Any]:
        """Return settings of the library that no other provider has; `profile` is what it knows about the model."""
        return {}

    def finish(self, finish: str | None, told: object) -> str | None:
        """Return why a reply ended, by the library's word and the provider's own."""
        return BROKEN_OFF if BROKEN_OFF in (finish, told) else finish

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the thoughts in an answer's body; what is not a text is no thought."""
        return ()


def objects(values: object) -> list[dict[str, Any]]:
    """Return the objects of a list; none if it is no list."""
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def texts(parts: object) -> Iterable[object]:
    """Return what the parts of a trace say."""
    for part in objects(parts):
        yield part.get("text")
        yield part.get("summary")


def thinking_blocks(content: object) -> Iterable[object]:
    """Return what blocks of thoughts say: some have a text in them, others a list of texts."""
    for block in objects(content):
        if block.get("type") == "thinking":
            yield block.get("thinking")
            yield from texts(block.get("thinking"))
