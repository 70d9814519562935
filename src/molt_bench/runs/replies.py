"""The replies of models, programs and servers on file (`replies.jsonl`): no question is asked, or paid, twice.

Every reply is written before the game uses it, and what a request to a model may cost before it is sent. So a game that
was cut off goes on at the decision that was open, and a run is verified without those who played in it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, Self, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import AgentFailed, FaultKind, JournalError, RulesError, RunHalted
from molt_bench.llm.ledger import Entry, Ledger
from molt_bench.llm.reply import read_reply
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, mix_from_text
from molt_bench.poker.observation import Observation
from molt_bench.runs.line_file import LineFile, Warn, lines_after
from molt_bench.specs import GameLabel

FORMAT: Final = 1


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line"):
    """The first line: the format version."""

    format: int


class Skill(msgspec.Struct, frozen=True, tag="skill", tag_field="line"):
    """The system prompt of a participant that is a model."""

    participant: str
    text: str


class ReplyFault(msgspec.Struct, frozen=True):
    """Why there was no usable answer, as the game was told."""

    kind: FaultKind
    message: str


#: What came of a question to a program or a server.
Outcome: TypeAlias = Action | Mix | ReplyFault


class ProgramAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="line", rename="camel"):
    """One question to a program or a server and its outcome: an action, a mix or a fault.

    Attributes:
        key: Identifies the question: participant, game, hand, decision, attempt, and all that was seen.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        mix: The mix as text; see `molt_bench.poker.mix`.
        latency_s: Seconds it took.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    action: Action | UnsetType = UNSET
    mix: str | UnsetType = UNSET
    fault: ReplyFault | UnsetType = UNSET
    latency_s: float = 0.0

    def __post_init__(self) -> None:
        if [self.action, self.mix, self.fault].count(UNSET) != 2:
            raise ValueError("expected an action, a mix or a fault")
        if self.mix is not UNSET:
            try:
                mix_from_text(self.mix)
            except RulesError as error:
                raise ValueError(str(error)) from None

    @property
    def outcome(self) -> Outcome:
        """The action, the mix or the fault."""
        if self.mix is not UNSET:
            return mix_from_text(self.mix)
        return self.action if self.action is not UNSET else self.fault  # type: ignore[return-value]


#: A line of the file.
Line: TypeAlias = Header | Skill | Exchange | ProgramAnswer | Entry

_encode: Final = msgspec.json.Encoder().encode
_decoder: Final = msgspec.json.Decoder(Line)
#: How the lines of the ledger begin.
_LEDGER: Final = (b'{"line":"sent"', b'{"line":"forgotten"')


def read_line(text: bytes, place: str) -> Line:
    """Parse one line of the file; raises JournalError, naming its place, if that cannot be done."""
    try:
        line: Line = _decoder.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise JournalError(f"{place} is damaged: {error}") from error
    if isinstance(line, Header) and line.format != FORMAT:
        raise JournalError(f"{place} has format {line.format}; this version reads format {FORMAT}")
    return line


def answer_key(participant: str, game: GameLabel, observation: Observation, attempt: int) -> str:
    """Return what identifies a question to a program or a server; no other question in the run has the same."""
    place = (participant, game, observation.hand_number, len(observation.log), attempt)
    return sha256(_encode((place, observation))).hexdigest()


def replies_hash(path: Path) -> str | None:
    """Return the hash of all that was said; None if there is no file.

    What requests may cost is left out: the user may have that forgotten after the run has ended.
    """
    try:
        with open(path, "rb") as file:
            digest = sha256()
            for line in file:
                if not line.startswith(_LEDGER):
                    digest.update(line)
            return digest.hexdigest()
    except OSError:
        return None


class Replies:
    """The replies of a run: in memory, and in a file. The gateway of models keeps its exchanges here, too.

    Attributes:
        begun: Whether the file has its header: from then on, what is said is on record.
        read_only: Whether no one may be asked: a missing reply is an error.
        skills: The system prompt of every participant that is a model, once it is known.
        earlier: The exchanges of earlier sessions, in order.
        ledger: What requests to models can cost, before they are sent.

    Args:
        path: A new file; None keeps them in memory only. To continue a file see `reopen`.
        warn: Called when something cannot be written.
    """

    def __init__(self, path: str | None = None, *, warn: Warn | None = None) -> None:
        self.read_only = self.begun = False
        self.skills: dict[str, str] = {}
        self.earlier: list[Exchange] = []
        self._keys: set[str] = set()
        self.ledger = Ledger(self._write)
        self._exchanges: dict[GameLabel, dict[str, Exchange]] = defaultdict(dict)
        self._answers: dict[GameLabel, dict[str, Outcome]] = defaultdict(dict)
        self._file = None if path is None else _opened(path, new=True, warn=warn)

    @classmethod
    def reopen(
        cls, path: str, *, over: Collection[GameLabel] = (), read_only: bool = False, warn: Warn | None = None
    ) -> Self:
        """Continue a file, or only read it; it may not exist yet if the run ended before the first question.

        What was said in the games that are `over` is not kept. Raises JournalError if the file cannot be read, or a
        line is damaged.
        """
        found, there = cls(), Path(path).exists()
        found.read_only = read_only
        if not read_only:  # opened first, so that no other process writes while this reads
            found._file = _opened(path, new=not there, warn=warn)
        try:
            size = 0
            for number, text in enumerate(lines_after(path) if there else (), start=1):
                place = f"{path} line {number}"
                line = read_line(text, place)
                if isinstance(line, Header) is not (number == 1):
                    raise JournalError(f"{place}: expected {'the header of the file' if number == 1 else 'a reply'}")
                found._take(line, place, over)
                size += len(text) + 1
            if found._file is not None:
                found._file.cut(size)
        except JournalError:
            found.close()
            raise
        return found

    def _take(self, line: Line, place: str, over: Collection[GameLabel]) -> None:
        if isinstance(line, Header):
            self.begun = True
        elif isinstance(line, Skill):
            self.skills[line.participant] = line.text
        elif isinstance(line, Exchange):
            self._take_exchange(line, kept=line.game not in over)
        elif isinstance(line, Entry):
            self.ledger.take(line)
        elif line.game not in over and self._answers[line.game].setdefault(line.key, line.outcome) != line.outcome:
            raise JournalError(f"{place} answers a question that an earlier line answers in another way")

    def _take_exchange(self, line: Exchange, *, kept: bool) -> None:
        if line.key in self._keys:  # a copy of a line is one exchange, paid for once
            return
        self._keys.add(line.key)
        # The text is only needed where it may be read again, and what was asked and thought never.
        line = msgspec.structs.replace(line, asked=(), thoughts="", text=line.text if kept else "")
        self.earlier.append(line)
        self.ledger.settle(line)
        if kept:
            self._exchanges[line.game][line.key] = line

    def begin(self, skills: Mapping[str, str] | None = None) -> None:
        """Begin to record, with the system prompts that are not known yet; raises RunHalted if that is not written."""
        if not self.begun:
            self.begun = True
            self._write(Header(FORMAT))
        for participant, text in (skills or {}).items():
            if participant not in self.skills:
                self.skills[participant] = text
                self._write(Skill(participant, text))

    @property
    def recorded(self) -> bool:
        """Whether replies of programs and servers are recorded, or will be."""
        return self.begun or not self.read_only

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with a model that has this key, if there is one."""
        return self._exchanges.get(game, {}).get(key)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; it is handed to the system before this returns. Raises RunHalted if it cannot be."""
        self.ledger.settle(exchange)
        self._exchanges[exchange.game][exchange.key] = exchange
        self._write(exchange)

    def knows(self, game: GameLabel) -> bool:
        """Return whether a program or a server has answered in a game before."""
        return game in self._answers

    def answer(self, game: GameLabel, key: str) -> Outcome | None:
        """Return the outcome of a question to a program or a server, if it has been asked."""
        return self._answers.get(game, {}).get(key)

    def add_answer(self, answer: ProgramAnswer) -> None:
        """Record an answer; it is handed to the system before this returns. Raises RunHalted if it cannot be."""
        self._write(answer)
        self._answers[answer.game][answer.key] = answer.outcome

    def forget(self, game: GameLabel) -> None:
        """Drop the replies in a finished game."""
        self._exchanges.pop(game, None)
        self._answers.pop(game, None)

    def _write(self, line: Line) -> None:
        if self.read_only:
            raise RunHalted("the replies of the run are not open for writing")
        if self._file is not None and not self._file.append(_encode(line)):
            raise RunHalted(self.problem or f"{self._file.path} is closed")

    @property
    def problem(self) -> str | None:
        """Why replies are missing from the file, if any are."""
        return self._file.problem if self._file is not None else None

    def close(self) -> None:
        """Close any open file."""
        if self._file is not None:
            self._file.close()


def _opened(path: str, *, new: bool, warn: Warn | None) -> LineFile:
    return LineFile(path, new=new, warn=warn, then="no further questions are asked")


class Said:
    """One attempt of a model at a decision: what it was asked, and what it said.

    Attributes:
        exchange: What was asked, and what came of it.
        system: The system prompt of the model.
        reasoning: What a valid reply says before its answer.
        mix: The strategy that it states, if it states one.
    """

    def __init__(self, exchange: Exchange, system: str | None, settings: LLMSettings | None) -> None:
        self.exchange = exchange
        self.system = system
        self.reasoning: str | None = None
        self.mix: Mix | None = None
        if exchange.outcome == "reply" and settings is not None:
            with suppress(AgentFailed):
                reply = read_reply(exchange.text, exchange.finish, strategy=settings.reply == "strategy")
                self.reasoning = reply.reasoning
                self.mix = reply.answer if isinstance(reply.answer, Mix) else None


def said_in(path: Path, models: Mapping[str, LLMSettings], game: GameLabel | None = None) -> Iterator[Said]:
    """Return what the models of a run said, in the order in which it was written; in one game if it is named.

    It is read when it is needed, and not kept. Raises JournalError if a line is damaged.
    """
    wanted = b"" if game is None else _encode(game)
    skills: dict[str, str] = {}
    for text in lines_after(path):
        is_skill = text.startswith(b'{"line":"skill"')
        if not is_skill and not (text.startswith(b'{"line":"exchange"') and wanted in text):
            continue
        line = read_line(text, str(path))
        if isinstance(line, Skill):
            skills[line.participant] = line.text
        elif isinstance(line, Exchange) and game in (None, line.game):
            if not line.attempt and line.game.match:
                continue  # cut off by a limit of ours, and asked again
            yield Said(line, skills.get(line.participant), models.get(line.participant))
