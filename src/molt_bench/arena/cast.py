"""The cast of a run: checks that every participant can play, and makes the agents of each game."""

from collections.abc import Awaitable, Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import OBJECT, box_label, kind_of
from molt_bench.agents.permission import OWN, Permission, make_permitted
from molt_bench.agents.python_import import AgentFactory
from molt_bench.agents.tracebacks import TraceLog
from molt_bench.arena.resuming_agent import RecordedAgent
from molt_bench.arena.status import Observer
from molt_bench.bench.endings import Spent
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError, raise_all
from molt_bench.llm.after_failure import PAUSE_BACKOFFS, RequestLimits
from molt_bench.llm.agent import LLMAgent
from molt_bench.llm.asking import AskingAgent, Models
from molt_bench.llm.desk import Listener
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.prices import PriceList
from molt_bench.llm.prompt import system_prompt
from molt_bench.llm.purse import Purse
from molt_bench.llm.request import new_client
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.play.event_loop import all_together
from molt_bench.play.seated_agent import SeatedAgent
from molt_bench.plugin import ComingRun, Kind, Sitting
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import DEFAULT_TIMEOUT_S, MODEL_TIMEOUT_S, NO_BOX, GameLabel, GameSpec, ParticipantSpec


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
            with _naming(participant.id):
                if model is not None:
                    permission.code_of(participant.spec())
                    if participant.id not in skills:
                        system_prompt(model)
                    new_client(model, key="none" if unset else None)
                elif not participant.kind.comes:
                    spec = participant.spec(without=unset)
                    SeatedAgent(make_permitted(spec, permission, factories=agents, anew=True)).tell_game(game.facts)
                    for settings in askers.get(participant.id, ()):
                        new_client(settings, key=None if keys else "none")
        except MoltBenchError as error:
            problems.append(error)
    raise_all(problems or _unpriced(config))


@contextmanager
def _naming(participant: str) -> Iterator[None]:
    """Name the participant in an error about one of its settings."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"participants.{participant}.{error.field}", error.value, error.expected) from error


def _unpriced(config: BenchmarkConfig) -> list[MoltBenchError]:
    """Return why a limit of money cannot be kept: a model without a price."""
    limits = config.stop.budget
    if limits is None or limits.max_cost_usd is None:
        return []
    prices = PriceList(config.llm.prices)
    asked = [each for models in config.paid().values() for each in models]
    unpriced = next((each.model for each in asked if not prices.knows(each)), None)
    if unpriced is None:
        return []
    example = f'--set \'llm.prices={{"{unpriced}": {{"input": 0.4, "output": 1.6}}}}\''
    expected = (
        f"a price of {unpriced} in llm.prices, since none is known where its requests go; in dollars per million "
        f"tokens, as in {example}"
    )
    return [ConfigError("stop.budget.maxCostUsd", limits.max_cost_usd, expected)]


class Player(msgspec.Struct):
    """One participant of a run, and how its agents are made.

    Attributes:
        model: Its settings, if it is a language model.
        asks: The models that its own code may ask.
        boxed: Whether it plays in a box.
        sitting: What its kind keeps for the run, if anything.
        bot: The agent of a built-in bot, which has no memory: one serves all games.
    """

    spec: ParticipantSpec
    kind: Kind
    model: LLMSettings | None
    asks: tuple[LLMSettings, ...]
    boxed: bool
    sitting: Sitting | None = None
    bot: PokerAgent | None = None

    @property
    def waits(self) -> bool:
        """Whether its games wait for something outside this process, so that many can run at once."""
        return self.kind.waits or self.boxed or bool(self.asks)

    @property
    def portable(self) -> bool:
        """Whether any process can make it from its spec."""
        return not self.kind.waits and self.kind is not OBJECT and not self.asks


class Cast:
    """Makes the agents of a run's games.

    Attributes:
        players: The participants by their ids.
        gateway: Sends questions to language models; None without any.
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
        observer = observer or Observer()
        self.folder = Path(files.journal.path).parent / "agents" if files.journal is not None else None
        self.permission = files.permission
        self.traces = TraceLog(self.folder, observer.on_traceback)
        self._agents, self._replies, self._live = agents, files.replies, live
        self._timeout_s = config.game.action_timeout_s
        self._dealt: Mapping[GameLabel, GameSpec] = {}
        models, askers = config.models(), config.askers()
        self.players: dict[str, Player] = {}
        for each in config.participants:
            spec, kind = each.spec(), kind_of(each.type, agents)
            boxed = kind is not OBJECT and self._is_boxed(spec)
            self.players[each.id] = Player(spec, kind, models.get(each.id), askers.get(each.id, ()), boxed)
        self.gateway = self._gateway(config, observer, on_exchange)

    def _gateway(
        self, config: BenchmarkConfig, observer: Observer, on_exchange: Callable[[Exchange], None] | None
    ) -> Gateway | None:
        """Return what asks the models of the run, with what earlier sessions have spent; None if there are none."""
        models, replies = config.models(), self._replies
        others = [each for player in self.players.values() for each in player.asks]
        if not models and not others:
            return None
        for name in () if replies.read_only else models:
            self.permission.code_of(self.players[name].spec)
        limits = config.stop.budget
        purse, lost = Purse(limits.max_cost_usd, limits.max_tokens) if limits else Purse(), replies.ledger.unaccounted
        purse.spend(lost.usd, lost.tokens)
        for exchange in replies.earlier:
            purse.spend(exchange.cost_usd or 0.0, exchange.tokens.total)
            if on_exchange is not None:
                on_exchange(exchange)
        slowest_s = max((each.timeout_s for each in models.values()), default=MODEL_TIMEOUT_S)
        timeout_s = self._timeout_s or slowest_s
        return Gateway(
            models,
            recorder=replies,
            limits=RequestLimits(
                timeout_s=timeout_s,
                transport_retries=config.llm.transport_retries,
                backoff_s=config.llm.backoff_s,
                # One late answer does not end a run.
                pause_after_s=max(
                    PAUSE_BACKOFFS * config.llm.backoff_s,
                    0.0 if self._timeout_s else 2 * (timeout_s - MODEL_TIMEOUT_S),
                ),
                on_failure=config.llm.on_failure,
            ),
            prices=PriceList(config.llm.prices),
            purse=purse,
            listener=Listener(observer.on_warning, observer.on_notice, on_exchange),
            others=others,
        )

    def named(self, which: Callable[[Player], object]) -> set[str]:
        """Return the participants of which something is true."""
        return {name for name, player in self.players.items() if which(player)}

    def open(self) -> None:
        """Have every kind prepare what it keeps for the run; raises ConfigError if one cannot."""
        run = ComingRun(partial(self._made, folder=self.folder), self._live)
        opened: dict[Kind, Sitting | None] = {}
        for name, player in self.players.items():
            with _naming(name):
                kind = player.kind
                player.sitting = opened[kind] = opened[kind] if kind in opened else kind.open(run)

    def gather(self) -> None:
        """Wait until those are there who come by themselves."""
        for sitting in dict.fromkeys(player.sitting for player in self.players.values()):
            if sitting is not None:
                sitting.gather()

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

    async def greet(self) -> None:
        """Contact every participant outside this process once, so that a missing one is noticed before the first card.

        All at the same time; models, which cost money, only once all others have answered.

        Raises:
            ConfigError: A server is unreachable, or does not answer as it should.
            AgentError: A program does not start, or does not answer as it should.
            ProviderError: A model's provider is unreachable, or refuses permanently.
        """
        apart = self.named(lambda player: player.waits and not player.model and not player.kind.comes)
        found = {name: getattr(self._made(name, folder=None), "greet", None) for name in sorted(apart)}
        await all_together(greeted(name, greet) for name, greet in found.items())
        if self.gateway is not None:
            models = self.named(lambda player: player.model)
            await all_together(greeted(name, partial(self.gateway.greet, name)) for name in sorted(models))

    def agent(self, participant: str, game: GameLabel) -> PokerAgent:
        """Return the agent of one participant for one game, made for it unless it is a built-in bot."""
        player, gateway = self.players[participant], self.gateway
        if player.model is not None and gateway is not None:
            return LLMAgent(participant, player.model, gateway, game=game)
        if player.kind.recorded and self._replies.recorded:
            asked = None if self._replies.read_only else self._asked(participant, game)
            return RecordedAgent(participant, asked, game, self._replies)
        if player.bot is not None:
            return player.bot
        if player.asks and gateway is not None:
            models = Models(gateway, participant, game, player.asks)
            made: PokerAgent = self._made(participant, folder=self.folder, models=models)
            made = AskingAgent(made, models, timeout_s=self._timeout_s or DEFAULT_TIMEOUT_S)
            return self.traces.watched(participant, made)
        made = self._asked(participant, game)
        if player.kind.built_in:
            player.bot = made
            return made
        return made if player.kind.waits else self.traces.watched(participant, made)

    def _asked(self, participant: str, game: GameLabel) -> PokerAgent:
        """Return the agent that is asked in a game."""
        sitting = self.players[participant].sitting
        if sitting is not None:
            made: PokerAgent = sitting.make(participant, game, self._dealt.get(game))
            return made
        return self._made(participant, folder=self.folder)

    def places(self, spec: GameSpec) -> list[tuple[str, int]]:
        """Return who takes up a place in a game, by a name, and in how many games at once each can play."""
        seated = [(name, self.players[name].sitting) for name in spec.players]
        return [sitting.places(name, spec.seating) for name, sitting in seated if sitting is not None]

    def _is_boxed(self, spec: ParticipantSpec) -> bool:
        """Return whether a participant plays in a box, for which its games wait."""
        allowed = self.permission.allows(spec, self._agents)
        return allowed and box_label(spec, boxed=not self.permission.own) not in (None, NO_BOX)

    def _made(self, participant: str, *, folder: Path | None, models: Models | None = None) -> PokerAgent:
        return make_permitted(
            self.players[participant].spec,
            self.permission,
            factories=self._agents,
            action_timeout_s=self._timeout_s,
            folder=folder,
            models=models,
        )


async def greeted(participant: str, greet: Callable[[], Awaitable[None]] | None) -> None:
    """Contact a participant that can be; one that does not answer is an error that names it."""
    if greet is not None:
        with _naming(participant):
            await greet()
