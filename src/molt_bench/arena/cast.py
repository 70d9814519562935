"""The cast: checks that all participants can play, and creates the agents that play a game."""

from collections.abc import Callable, Container, Mapping
from functools import partial
from pathlib import Path

from molt_bench.agents.base import PokerAgent, PolicyOf
from molt_bench.agents.kinds import BUILTIN_AGENTS, EXEC, HTTP, AgentFactory, make_agent
from molt_bench.agents.llm.agent import LLMAgent
from molt_bench.agents.llm.client import ModelClient
from molt_bench.agents.llm.exchange import Exchange, Exchanges
from molt_bench.agents.llm.gateway import DEFAULT_TIMEOUT_S, Desk, Policy
from molt_bench.agents.llm.prices import PriceList, Purse
from molt_bench.agents.llm.prompt import system_prompt
from molt_bench.agents.tracebacks import Raised, TraceLog
from molt_bench.arena.preflight import Greet, greeting_of
from molt_bench.config.environment import spec_without, unset_variables
from molt_bench.config.participants import LLMParticipantConfig
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.specs import GameLabel, ParticipantSpec


def check_participants(
    config: BenchmarkConfig,
    agents: Mapping[str, AgentFactory] | None = None,
    *,
    skills: Container[str] = (),
    keys: bool = True,
) -> None:
    """Create each agent once, so that one that cannot be created is an error before the first card.

    Args:
        config: The config of the run.
        agents: The caller's custom agents, by type.
        skills: Language models whose skill document is already recorded.
        keys: Whether the environment variables they need must be set.

    Raises:
        ConfigError: A type, param, package, key, skill document or program is missing.
        AgentError: A factory raises, or does not return an agent.
    """
    for participant in config.participants:
        unset = [] if keys else unset_variables(participant)
        try:
            if isinstance(participant, LLMParticipantConfig):
                if participant.id not in skills:
                    system_prompt(participant.settings())
                ModelClient(participant.settings(), key="none" if unset else None)
            else:
                make_agent(spec_without(participant, unset), factories=agents, seed=participant.id)
        except ConfigError as error:
            field = f"participants.{participant.id}.{error.field}"
            raise ConfigError(field, error.value, error.expected) from error
    limits = config.stop.budget
    if limits is not None and limits.max_cost_usd is not None:
        prices = PriceList(config.llm.prices)
        unpriced = next((each.model for each in config.models().values() if not prices.knows(each)), None)
        if unpriced is not None:
            expected = f"a price of {unpriced} in llm.prices, since none is published"
            raise ConfigError("stop.budget.maxCostUsd", limits.max_cost_usd, expected)


class Cast:
    """Creates the agents for the games of a run.

    Attributes:
        models: The participants that are language models.
        desk: Where language models are asked; None if there are none.
        waiting: Participants whose games wait for something outside this process, so that many can run at once.
        agents: All participants.
        portable: Participants that any process can create from their specs.
        traces: Where custom agents raised.

    Args:
        config: The config of the run.
        agents: The caller's custom agents, by type.
        recorder: Holds the exchanges with language models.
        on_exchange: Called with every exchange, those of earlier sessions first.
        folder: Receives a file for each program that writes to standard error, and for each agent that raises; None
            keeps none of it.
        raised: Called with the place where a custom agent raises.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        agents: Mapping[str, AgentFactory],
        recorder: Exchanges,
        *,
        on_exchange: Callable[[Exchange], None] | None = None,
        folder: Path | None = None,
        raised: Raised | None = None,
    ) -> None:
        self.traces = TraceLog(folder, raised)
        self.models = config.models()
        self._agents = agents
        self._specs = {participant.id: participant.spec() for participant in config.participants}
        self.agents = {*self._specs}
        self._folder = folder
        self._timeout_s = config.game.action_timeout_s or DEFAULT_TIMEOUT_S
        self.waiting = {
            *self.models,
            *(name for name, spec in self._specs.items() if spec.type in (EXEC, HTTP) and spec.type not in agents),
        }
        self.portable = {
            name for name, spec in self._specs.items() if name not in self.waiting and spec.type not in agents
        }
        limits = config.stop.budget
        purse = Purse(limits.max_cost_usd, limits.max_tokens) if limits else Purse()
        for exchange in recorder.earlier:
            purse.add(exchange)
            if on_exchange is not None:
                on_exchange(exchange)
        policy = Policy(
            timeout_s=self._timeout_s,
            transport_retries=config.llm.transport_retries,
            backoff_s=config.llm.backoff_s,
            max_concurrent=config.llm.max_concurrent,
        )
        self.desk = (
            Desk(
                self.models,
                recorder=recorder,
                policy=policy,
                prices=PriceList(config.llm.prices),
                purse=purse,
                heard=on_exchange,
            )
            if self.models
            else None
        )

    @property
    def awaited(self) -> int:
        """Number of pending replies from language models."""
        return self.desk.awaited if self.desk is not None else 0

    @property
    def spent(self) -> str | None:
        """The budget for language models that is used up, as text; None for none."""
        return self.desk.purse.empty if self.desk is not None else None

    def policies(self) -> dict[str, PolicyOf]:
        """Return the action probabilities published by built-in bots and by the caller's custom agents."""
        found = {}
        for name, spec in self._specs.items():
            if spec.type in BUILTIN_AGENTS or spec.type in self._agents:
                policy = getattr(make_agent(spec, factories=self._agents, seed=name), "policy", None)
                if callable(policy):
                    found[name] = policy
        return found

    def greets(self) -> tuple[dict[str, Greet], dict[str, Greet]]:
        """Return the preflight checks of participants outside this process: the free ones, and those of models."""
        free = {}
        for name in sorted(self.waiting - self.models.keys()):
            greet = greeting_of(self._made(name, folder=None))
            if greet is not None:
                free[name] = greet
        desk = self.desk
        return free, {} if desk is None else {name: partial(desk.greet, name) for name in self.models}

    def specs_of(self, participants: Container[str]) -> tuple[ParticipantSpec, ...]:
        """Return the specs of the given participants."""
        return tuple(spec for name, spec in self._specs.items() if name in participants)

    def agent(self, participant: str, game: GameLabel, *, may_put_back: bool = False) -> PokerAgent:
        """Create a participant's agent for one game."""
        settings = self.models.get(participant)
        if settings is not None and self.desk is not None:
            return LLMAgent(participant, settings, self.desk, game=game, may_put_back=may_put_back)
        made = self._made(participant, folder=self._folder)
        kind = self._specs[participant].type
        own = participant not in self.waiting and (kind in self._agents or kind not in BUILTIN_AGENTS)
        return self.traces.traced(participant, made) if own else made

    def _made(self, participant: str, *, folder: Path | None) -> PokerAgent:
        return make_agent(
            self._specs[participant],
            factories=self._agents,
            seed=participant,
            action_timeout_s=self._timeout_s,
            folder=folder,
        )
