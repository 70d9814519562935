"""An exchange: one question to a model and what came of it, and the file that holds all of a run.

The file is what a run is replayed from, and why no paid call is ever made twice: a reply is in it before it is used.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.agents.llm.settings import LLMSettings, OutputMode
from molt_bench.errors import JournalError
from molt_bench.lines import LineFile, Warn, whole_lines
from molt_bench.specs import GameLabel

FORMAT: Final = 1

#: What came of a question: a reply, none in time, or no connection until all tries were spent.
Outcome: TypeAlias = Literal["reply", "timeout", "transport"]


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """Tokens of one exchange; cached ones are part of the input, reasoning ones part of the output."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """Input and output."""
        return self.input + self.output


class Exchange(msgspec.Struct, frozen=True, kw_only=True, tag="exchange", tag_field="line", rename="camel"):
    """One question to a model, as it stands in the file.

    Attributes:
        key: Names the question: model, settings, prompt, participant, game, hand, decision and attempt.
        participant: Who was asked.
        game: In which game.
        hand: Number of the hand.
        decision: How many actions the hand had before.
        attempt: Which try at the decision it was, from 1.
        prompt_hash: SHA-256 of the system prompt and the message.
        mode: How the reply was asked for.
        outcome: What came of it.
        text: What the model said, or why there is no reply; keys and the like are cut out.
        finish: Why the reply ended, as the provider says.
        model: The model, as the provider reports it.
        tokens: What it took.
        cost_usd: What it cost; None where no price is known.
        latency_s: Seconds the last request took.
        tries: Requests that were sent.
        misread: What it misread of its hand and the price, where it was asked for that; None where it was not.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    prompt_hash: str
    mode: OutputMode
    outcome: Outcome
    text: str
    finish: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    latency_s: float = 0.0
    tries: int = 1
    misread: tuple[str, ...] | None = None


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line: the version of the format, and every participant's system prompt."""

    format: int
    skills: dict[str, str]


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Header | Exchange)


class Recorder:
    """Holds the exchanges of a run, in memory and, where there is a file, in it.

    Attributes:
        skills: Every participant's system prompt, once it is known.
        read_only: Whether nobody may be asked: what is not here is an error.
        earlier: What was in the file, for whoever adds it up; all of it, in order.
    """

    def __init__(self, path: str | None = None, *, warn: Warn | None = None) -> None:
        """Start anew, in a file or in memory only."""
        self.skills: dict[str, str] = {}
        self.read_only = False
        self.earlier: list[Exchange] = []
        self._path = path
        self._file = LineFile(path, warn=warn) if path is not None else None
        self._known: dict[GameLabel, dict[str, Exchange]] = {}

    @classmethod
    def reopen(
        cls, path: str, *, read_only: bool = False, warn: Warn | None = None, unfinished: Callable[[GameLabel], bool]
    ) -> "Recorder":
        """Go on with a file, or only read it.

        Args:
            path: Where it is; there may be none yet, if the run ended before the first question.
            read_only: Whether nothing is to be asked.
            warn: Is told if the writing ends early.
            unfinished: Says which games may still be played: their replies are kept at hand.

        Raises:
            JournalError: It cannot be read, or a line in it is damaged.
        """
        recorder = cls()
        recorder._path, recorder.read_only = path, read_only
        if not Path(path).exists():
            recorder._file = None if read_only else LineFile(path, warn=warn)
            return recorder
        file = None if read_only else LineFile(path, new=False, warn=warn)
        try:
            lines, size = whole_lines(path)
            recorder._take(lines, unfinished)
        except JournalError:
            if file is not None:
                file.close()
            raise
        if file is not None:
            file.cut(size)
        recorder._file = file
        return recorder

    def _take(self, lines: list[bytes], unfinished: Callable[[GameLabel], bool]) -> None:
        for number, text in enumerate(lines, start=1):
            try:
                line = _decoder.decode(text)
            except (msgspec.DecodeError, ValueError) as error:
                raise JournalError(f"{self._path} line {number} is damaged: {error}") from error
            if isinstance(line, Header):
                if line.format != FORMAT:
                    raise JournalError(f"{self._path} has format {line.format}; this version reads format {FORMAT}")
                self.skills = line.skills
                continue
            # The text is needed only where it may be read again.
            kept = unfinished(line.game)
            self.earlier.append(line if kept else msgspec.structs.replace(line, text=""))
            if kept:
                self._known.setdefault(line.game, {})[line.key] = line

    def begin(self, skills: dict[str, str]) -> None:
        """Write the first line, unless it is there already."""
        if not self.skills:
            self.skills = skills
            self._write(Header(FORMAT, skills))

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange of that name, if it has taken place."""
        return self._known.get(game, {}).get(key)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; it is with the system before this returns."""
        self._known.setdefault(exchange.game, {})[exchange.key] = exchange
        self._write(exchange)

    def forget(self, game: GameLabel) -> None:
        """Let go of a game that is finished; the file keeps it."""
        self._known.pop(game, None)

    def _write(self, line: Header | Exchange) -> None:
        if self._file is not None:
            self._file.write(_encoder.encode(line))

    @property
    def problem(self) -> str | None:
        """Why the writing ended early, if it did."""
        return self._file.problem if self._file is not None else None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def settings_hash(participant: str, settings: LLMSettings) -> bytes:
    """Return the hash of who is asked with which settings."""
    content = {"participant": participant, **settings.decisive()}
    return sha256(msgspec.json.encode(content, order="sorted")).digest()


def exchange_key(asked: bytes, prompt_hash: str, game: GameLabel, hand: int, decision: int, attempt: int) -> str:
    """Return the name of a question. Two questions in different places are never the same one, whatever they say."""
    place = msgspec.json.encode((prompt_hash, game, hand, decision, attempt))
    return sha256(asked + place).hexdigest()
