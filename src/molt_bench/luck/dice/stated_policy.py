"""The published policy of an agent that is not built in: an agent's word, asked once about each moment, and bounded.

Wherever the agent plays, it is asked before each of its decisions. So its word is given before anybody knows what will
be drawn, and a policy that fails, or changes, by what came of a hand gains nothing: what is left out is decided by what
is known before the draw.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from ctypes import c_ulong, py_object, pythonapi
from functools import partial
from itertools import islice
from threading import Event, Thread
from time import monotonic
from typing import Final, Generic, TypeAlias, TypeVar

from msgspec.structs import replace

from molt_bench.agents.base import PokerAgent, Policy, PolicyOf, Sizes
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.agents.tracebacks import Traced
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.observation import Observation
from molt_bench.specs import GameSpec

#: Entries of a policy that are read, at most.
MOST_ENTRIES: Final = 4096
#: Seconds that one answer may take.
PATIENCE_S: Final = 10.0
#: Questions that are asked at once, at most, and about how long they may take together.
_BATCH: Final = 256
_BATCH_S: Final = 1.0
#: Seconds between looks at the clock.
_LOOK_S: Final = 0.5

_UNASKED: Final = PolicyError("it was not asked about this decision")

_Found = TypeVar("_Found")
#: The hand, the cards that are seen, and the actions so far.
_Moment: TypeAlias = tuple[int, tuple[int, int], tuple[LoggedAction, ...]]


class Stalled(BaseException):
    """A policy gives no answers; unlike its mistakes, this ends the analysis."""


class StatedPolicy:
    """What an agent says about its odds. What it says first about a moment of a game counts, whoever asks again.

    Attributes:
        takes_many: Whether it can be asked about many decisions at once.
        stalled: Whether it gave no answer in time; it is not asked again then.
        unanswered: How often looking ahead got no answer that can be right in the game that is looked at.
        asked_s: When the answer that is awaited was asked for, by the monotonic clock; None if none is.
    """

    def __init__(self, policy: PolicyOf) -> None:
        self._policy = policy
        self._game: GameSpec | None = None
        self._answers: dict[_Moment, Policy | PolicyError] = {}
        #: What it said about games that were looked at, until their match is rated.
        self._kept: dict[GameSpec, dict[_Moment, Policy | PolicyError]] = {}
        #: What it said while games were played, until they are looked at.
        self._told: dict[GameSpec, dict[_Moment, Policy | PolicyError]] = {}
        self.takes_many = hasattr(policy, "many")
        self.stalled = False
        self.unanswered = 0
        self.asked_s: float | None = None

    def __call__(self, seen: Observation) -> Policy:
        """Return the odds at a decision.

        Raises:
            PolicyError: It failed, or answered what is no policy.
            Stalled: It gives no answers any more.
        """
        moment = _moment(seen)
        answer = self._answers.get(moment)
        if answer is None:
            answer = self._answers[moment] = self._ask(seen, self._game)
        if isinstance(answer, PolicyError):
            raise answer
        return answer

    def ask_ahead(self, seen: Sequence[Observation]) -> None:
        """Ask about many decisions at once, if the agent takes them so; whoever asks next finds the answers here.

        An agent in another process does: each question on its own would take as long as all of them.
        """
        new = {_moment(each): each for each in seen if _moment(each) not in self._answers}
        if not self.takes_many or len(new) < 2 or self.stalled:
            return
        left, each_s = [*new.items()], _BATCH_S
        while left:
            some, left = left[: (most := max(1, int(_BATCH_S / each_s)))], left[most:]
            self.asked_s = monotonic()
            try:
                found = self._of(self._game).many([each for _, each in some])  # type: ignore[attr-defined]
                each_s = max((monotonic() - self.asked_s) / len(some), _BATCH_S / _BATCH)
            except Exception:  # then each is asked on its own, and fails on its own
                return
            finally:
                self.asked_s = None
            for (moment, _), answer in zip(some, found, strict=True):
                self._answers[moment] = _checked(partial(_raised, answer))

    def tell(self, game: GameSpec, seen: Observation) -> None:
        """Have it say its odds at a decision that is still open, without the noise that the agent will draw with."""
        told, moment = self._told.setdefault(game, {}), _moment(seen)
        if moment in told or self.stalled:
            return
        ask = partial(self._ask, replace(seen, noise=0, previous_error=None), game)
        with suppress(Stalled):
            told[moment] = patiently(ask, (self,))

    def begin(self, game: GameSpec) -> None:
        """Look at a game: what was said while it was played counts."""
        self._answers = self._told.pop(game, {})
        self._game = game
        self.unanswered = 0

    def keep(self, game: GameSpec) -> None:
        """Keep the answers about a game for `kept`."""
        if self._answers:
            self._kept[game] = self._answers
        self._answers = {}

    def kept(self, game: GameSpec) -> PolicyOf:
        """Return what it said about a game, which is forgotten then; nobody is asked again."""
        return partial(_answered, self._kept.pop(game, {}))

    def forget(self) -> None:
        """Forget the answers about a game, and have whoever was asked about it forget them."""
        self._answers = {}
        if self.takes_many:
            self._policy.over(self._game)  # type: ignore[attr-defined]
        self._game = None

    def _of(self, game: GameSpec | None) -> PolicyOf:
        """Return who is asked about a game: one in another process has a process for each, so as not to remember."""
        return self._policy.of(game) if self.takes_many else self._policy  # type: ignore[attr-defined]

    def _ask(self, seen: Observation, game: GameSpec | None) -> Policy | PolicyError:
        if self.stalled:
            raise Stalled
        self.asked_s = monotonic()
        try:
            found = _checked(lambda: self._of(game)(seen))
        finally:
            self.asked_s = None
        if self.stalled:
            raise Stalled
        return found


def _checked(ask: Callable[[], Policy]) -> Policy | PolicyError:
    """Return what a policy answers, copied, or what is wrong with it."""
    try:
        found = tuple([_entry(choice, chance) for choice, chance in islice(ask(), MOST_ENTRIES + 1)])
    except (Exception, SystemExit) as error:  # foreign code: it may raise or return anything
        return PolicyError(f"its policy failed: {type(error).__name__}: {error}")
    return PolicyError(f"its policy has more than {MOST_ENTRIES:,} entries") if len(found) > MOST_ENTRIES else found


def _answered(answers: Mapping[_Moment, Policy | PolicyError], seen: Observation) -> Policy:
    answer = answers.get(_moment(seen), _UNASKED)
    if isinstance(answer, PolicyError):
        raise answer
    return answer


def _raised(answer: Policy | Exception) -> Policy:
    if isinstance(answer, Exception):
        raise answer
    return answer


def _moment(seen: Observation) -> _Moment:
    return seen.hand_number, seen.cards, seen.log


def _entry(choice: Action | Sizes, chance: float) -> tuple[Action | Sizes, float]:
    """Return a copy that nobody can change later; chances may be numbers of any type, such as those of numpy."""
    copy = Sizes(choice.low, choice.high) if isinstance(choice, Sizes) else Action(choice.kind, choice.amount)
    return copy, float(chance)


class _Work(Thread, Generic[_Found]):
    """Something that is computed in a thread, which can be left alone where foreign code does not return."""

    def __init__(self, compute: Callable[[], _Found]) -> None:
        super().__init__(daemon=True)
        self._compute = compute
        self.done = Event()
        self.found: _Found | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.found = self._compute()
        except BaseException as error:  # it is raised again where somebody waits for it
            self.error = error
        self.done.set()


def patiently(
    compute: Callable[[], _Found],
    policies: tuple[PolicyOf | StatedDraws | None, ...],
    *,
    patience_s: float | None = None,
) -> _Found:
    """Return what `compute` returns; raises `Stalled` if one of some policies that it asks gives no answer in time."""
    patience_s = PATIENCE_S if patience_s is None else patience_s
    asked = [policy for policy in policies if isinstance(policy, StatedPolicy)]
    work = _Work(compute)
    work.start()
    while not work.done.wait(min(_LOOK_S, patience_s)):
        for policy in asked:
            since = policy.asked_s
            if since is not None and monotonic() - since > patience_s:
                policy.stalled = True
                _end(work)
                raise Stalled
    if work.error is not None:
        raise work.error
    found: _Found = work.found  # type: ignore[assignment]
    return found


def _end(thread: Thread) -> None:
    """Raise an exception in a thread, which ends a loop that would go on forever."""
    if thread.ident is not None:
        pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread.ident), py_object(SystemExit))


def stating(agent: PokerAgent, policy: PolicyOf | None, game: GameSpec) -> PokerAgent:
    """Return the agent of a game; one whose policy is its own word states its odds before each decision."""
    if isinstance(policy, StatedPolicy) and isinstance(agent, Traced):
        agent.before = partial(policy.tell, game)
    return agent
