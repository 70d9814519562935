"""The cast of a run: checks that every participant can play, and makes the agents of each game."""

from collections.abc import Callable, Container, Mapping
from functools import partial
from pathlib import Path

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import OBJECT, box_label, kind_of
from molt_bench.agents.permission import OWN, Permission, make_permitted
from molt_bench.agents.python_import import AgentFactory
from molt_bench.agents.tracebacks import TraceLog
from molt_bench.arena.preflight import Greet, greeting_of
from molt_bench.arena.resuming_agent import Record, RecordedAgent
from molt_bench.arena.status import Observer
from molt_bench.bench.endings import Spent
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError, raise_all
from molt_bench.llm.after_failure import RequestLimits
from molt_bench.llm.agent import LLMAgent
from molt_bench.llm.asking import AskingAgent, Models
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.new_client import new_client
from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Purse
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.tellings import Tellings
from molt_bench.llm.types import Exchange, Unaccounted
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.plugin import NO_BOX, ComingRun, Kind, Sitting
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import DEFAULT_TIMEOUT_S, MODEL_TIMEOUT_S, GameLabel, GameSpec, ParticipantSpec


def check_participants(
    config: BenchmarkConfig,
    agents: Mapping[str, AgentFactory] | None = None,
    *,
    skills: Container[str] = (),
    keys: bool = True,
    permission: Permission = OWN,
) -> None:
    """Make each agent once, so that one that cannot be made is an error before the first card is dealt.

    What is wrong with any of them is raised together.

    `agents` are factories that the caller passed in, by type, and `skills` the language models whose skill document is
    already recorded. With `keys`, the environment variables they need must be set.

    Raises:
        ConfigError: A type, param, package, key, skill document or program is missing, or one cannot play this game.
        AgentError: A factory raised an exception, or did not return an agent.
    """
    models, askers = config.models(), config.askers()
    game = GameSpec(seed=0, hands=config.game.hands_per_game, **config.game.options())
    problems: list[MoltBenchError] = []
    for participant in config.participants:
        unset = [] if keys else participant.unset_variables()
        model = models.get(participant.id)
        try:
            if model is not None:
                permission.code_of(participant.spec())
                if participant.id not in skills:
                    system_prompt(model)
                new_client(model, key="none" if unset else None)
                continue
            if participant.kind.comes:
                continue
            agent = make_permitted(participant.spec(without=unset), permission, factories=agents, anew=True)
            SeatedAgent(agent).tell_game(game.facts)
            for settings in askers.get(participant.id, ()):
                new_client(settings, key=None if keys else "none")
        except ConfigError as error:
            problems.append(ConfigError(f"participants.{participant.id}.{error.field}", error.value, error.expected))
        except MoltBenchError as error:
            problems.append(error)
    raise_all(problems or _unpriced(config))


def _unpriced(config: BenchmarkConfig) -> list[MoltBenchError]:
    """Return why a limit of money cannot be kept: a model without a price."""
    limits = config.stop.budget
    if limits is None or limits.max_cost_usd is None:
        return []
    prices = PriceList(config.llm.prices)
    everybody = [each for models in config.paid().values() for each in models]
    unpriced = next((each.model for each in everybody if not prices.knows(each)), None)
    if unpriced is None:
        return []
    example = f'--set \'llm.prices={{"{unpriced}": {{"input": 0.4, "output": 1.6}}}}\''
    expected = (
        f"a price of {unpriced} in llm.prices, since none is known where its requests go; in dollars per million "
        f"tokens, as in {example}"
    )
    return [ConfigError("stop.budget.maxCostUsd", limits.max_cost_usd, expected)]


class Cast:
    """Makes the agents of a run's games.

    Attributes:
        gateway: Sends questions to those models; None without any.
        waiting: Participants whose games wait for something outside this process, so many can run at once.
        coming: Participants that connect to us by themselves.
        portable: Participants that any process can make from their specs.
        traces: Tracebacks of exceptions raised by the user's own agents.
        folder: Where the logs of agents lie; None without a journal.

    Args:
        agents: Factories that the caller passed in, by type.
        files: Hold the replies of models, programs and servers. In the folder of the journal, if there is one, lie the
            standard error of programs and the tracebacks of agents.
        observer: Told what goes wrong while models are asked, what is good to know, and where agents raised.
        on_exchange: Called with every exchange, starting with those of earlier sessions.
        live: Seats the agents that connect to us by themselves; None without a server.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        agents: Mapping[str, AgentFactory],
        files: RunFiles,
        *,
        observer: Observer | None = None,
        on_exchange: Callable[[Exchange], None] | None = None,
        live: Sitting | None = None,
    ) -> None:
        observer, recorder = observer or Observer(), files.replies
        folder = Path(files.journal.path).parent / "agents" if files.journal is not None else None
        self.permission = files.permission
        self.traces = TraceLog(folder, observer.on_traceback)
        self.models = config.models()
        self._askers = config.askers()
        self._dealt: Mapping[GameLabel, GameSpec] = {}
        self._agents = agents
        self._replies = recorder
        self._remembering = {participant.id for participant in config.participants if participant.may_remember}
        self._specs = {participant.id: participant.spec() for participant in config.participants}
        self.agents = {*self._specs}
        #: Built-in bots, which have no memory: one serves all games.
        self._bots: dict[str, PokerAgent] = {}
        self.folder = folder
        self._timeout_s = config.game.action_timeout_s
        self._kinds = {name: kind_of(spec.type, agents) for name, spec in self._specs.items()}
        self.waiting = {name for name, kind in self._kinds.items() if kind.waits or self._is_boxed(name)}
        self.waiting |= self._askers.keys()
        self.coming = {name for name, kind in self._kinds.items() if kind.comes}
        self.portable = {name for name, kind in self._kinds.items() if not kind.waits and kind is not OBJECT}
        self.portable -= self._askers.keys()
        self._live = live
        self._sittings: dict[str, Sitting] = {}
        stop = config.stop.budget
        purse = Purse(stop.max_cost_usd, stop.max_tokens) if stop else Purse()
        lost = Unaccounted()
        for exchange in recorder.earlier:
            purse.spend(exchange.cost_usd or 0.0, exchange.tokens.total)
            lost += exchange.lost
            if on_exchange is not None:
                on_exchange(exchange)
        lost = recorder.ledger.unaccounted(lost)
        purse.spend(lost.usd, lost.tokens)
        slowest_s = max((each.timeout_s for each in self.models.values()), default=MODEL_TIMEOUT_S)
        timeout_s = self._timeout_s or slowest_s
        limits = RequestLimits(
            timeout_s=timeout_s,
            transport_retries=config.llm.transport_retries,
            backoff_s=config.llm.backoff_s,
            # One late answer does not end a run.
            pause_after_s=max(config.llm.pause_after_s, 0.0 if self._timeout_s else 2 * (timeout_s - MODEL_TIMEOUT_S)),
            on_failure=config.llm.on_failure,
            max_concurrent=config.llm.max_concurrent,
        )
        self.gateway: Gateway | None = None
        if self.models or self._askers:
            for name in () if recorder.read_only else self.models:
                self.permission.code_of(self._specs[name])
            prices = PriceList(config.llm.prices)
            self.gateway = Gateway(
                self.models,
                recorder=recorder,
                limits=limits,
                prices=prices,
                purse=purse,
                told=Tellings(warn=observer.on_warning, note=observer.on_notice, on_exchange=on_exchange),
                others=[each for models in self._askers.values() for each in models],
            )

    def open(self) -> None:
        """Have every kind prepare what it keeps for the run; raises ConfigError if one cannot."""
        run = ComingRun(partial(self._made, folder=self.folder), self._live)
        opened: dict[Kind, Sitting | None] = {}
        for name, kind in self._kinds.items():
            try:
                sitting = opened[kind] = opened[kind] if kind in opened else kind.open(run)
            except ConfigError as error:
                raise ConfigError(f"participants.{name}.{error.field}", error.value, error.expected) from error
            if sitting is not None:
                self._sittings[name] = sitting

    def gather(self) -> None:
        """Wait until those are there who come by themselves."""
        for sitting in dict.fromkeys(self._sittings.values()):
            sitting.gather()

    @property
    def for_models(self) -> set[str]:
        """Participants whose games wait for models."""
        return {*self.models, *self._askers}

    @property
    def spent(self) -> Spent | None:
        """The limit of money that ended the games; None if there is none."""
        purse = self.gateway.purse if self.gateway is not None else None
        if purse is None or purse.spent is None:
            return None
        usd = purse.spent == "maxCostUsd"
        most, so_far = (purse.most_usd, round(purse.usd, 6)) if usd else (purse.most_tokens, round(purse.tokens))
        return Spent(purse.spent, float(most or 0), float(so_far) if purse.too_little else None)

    def dealt(self, games: Mapping[GameLabel, GameSpec]) -> Mapping[GameLabel, GameSpec]:
        """Take note of the games that are played next; return them in the order in which they begin."""
        self._dealt = games
        return games if self.gateway is None else self.gateway.turns.deal(games)

    def over(self, game: GameLabel) -> None:
        """Take note that a game is over."""
        if self.gateway is not None:
            self.gateway.turns.ended(game)

    def greets(self) -> tuple[dict[str, Greet], dict[str, Greet]]:
        """Return how to check that participants outside this process respond: the free checks, then models."""
        free = {}
        for name in sorted(self.waiting - self.models.keys() - self.coming):
            greet = greeting_of(self._made(name, folder=None))
            if greet is not None:
                free[name] = greet
        gateway = self.gateway
        return free, {} if gateway is None else {name: partial(gateway.greet, name) for name in self.models}

    def specs_of(self, participants: Container[str]) -> tuple[ParticipantSpec, ...]:
        """Return the specs of some participants."""
        return tuple(spec for name, spec in self._specs.items() if name in participants)

    def agent(self, participant: str, game: GameLabel) -> PokerAgent:
        """Return the agent of one participant for one game, made for it unless it is a built-in bot."""
        settings = self.models.get(participant)
        if settings is not None and self.gateway is not None:
            return LLMAgent(participant, settings, self.gateway, game=game)
        if self._kinds[participant].recorded and self._replies.recorded:
            record = Record(game, self._replies, safe=participant in self._remembering)
            asked = None if self._replies.read_only else self._asked(participant, game)
            return RecordedAgent(participant, asked, record)
        bot = self._bots.get(participant)
        if bot is not None:
            return bot
        if participant in self._askers and self.gateway is not None:
            models = Models(self.gateway, participant, game, self._askers[participant])
            asking = AskingAgent(
                self._made(participant, folder=self.folder, models=models),
                models,
                timeout_s=self._timeout_s or DEFAULT_TIMEOUT_S,
            )
            return self.traces.watched(participant, asking)
        made = self._asked(participant, game)
        if self._kinds[participant].built_in:
            self._bots[participant] = made
            return made
        return made if self._kinds[participant].waits else self.traces.watched(participant, made)

    def _asked(self, participant: str, game: GameLabel) -> PokerAgent:
        """Return the agent that is asked in a game."""
        sitting = self._sittings.get(participant)
        if sitting is not None:
            made: PokerAgent = sitting.make(participant, game, self._dealt.get(game))
            return made
        return self._made(participant, folder=self.folder)

    def places(self, spec: GameSpec) -> list[tuple[str, int]]:
        """Return who takes up a place in a game, by a name, and in how many games at once each can play."""
        seated = [(name, self._sittings[name]) for name in spec.players if name in self._sittings]
        return [sitting.places(name, spec.seating) for name, sitting in seated]

    def _is_boxed(self, participant: str) -> bool:
        """Return whether a participant plays in a box, for which its games wait."""
        spec = self._specs[participant]
        known = self._kinds[participant] is not OBJECT and self.permission.allows(spec, self._agents)
        return known and box_label(spec, boxed=not self.permission.own) not in (None, NO_BOX)

    def _made(self, participant: str, *, folder: Path | None, models: Models | None = None) -> PokerAgent:
        return make_permitted(
            self._specs[participant],
            self.permission,
            factories=self._agents,
            action_timeout_s=self._timeout_s,
            folder=folder,
            models=models,
        )
