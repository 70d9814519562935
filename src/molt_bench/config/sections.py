"""BenchmarkConfig: everything that determines a result, validated, with defaults.

Files and artifacts use camelCase; snake_case is accepted as well.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Final, Self, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from molt_bench.agents.settings_base import PathText, Problem, Section, as_problems, checked
from molt_bench.config.game import (
    MOST_GAMES_OF_A_ROUND,
    MOST_HANDS_OF_A_ROUND,
    GameConfig,
    MatchConfig,
    SeedsConfig,
)
from molt_bench.config.gate import Versions, gate_problems
from molt_bench.config.methods import GATE, GAUNTLET, LLMConfig, RatingConfig, SchedulerConfig
from molt_bench.config.participants import AnyParticipant, ParticipantConfig, with_settings
from molt_bench.config.stop import AdjacentConfidence, Budget, StopConfig, usual_tie_margin
from molt_bench.llm.settings import LLMSettings
from molt_bench.specs import Pair

AnySection = TypeVar("AnySection", bound=Section)

#: Every two participants form a pairing, and every pairing is considered before every round.
LEAST_PARTICIPANTS: Final = 2
MOST_PARTICIPANTS: Final = 1_000
#: Seeds of a match and matches of a run with language models, where a config does not say. A run can stop after a
#: match, and tells nothing before every pairing has played one. So short ones save hands, which cost money there.
MODEL_SEEDS_PER_MATCH: Final = 4
MODEL_MATCHES: Final = 50


class BenchmarkConfig(Section):
    """The config of a benchmark."""

    participants: Annotated[
        tuple[AnyParticipant, ...],
        BeforeValidator(with_settings),
        Field(
            min_length=LEAST_PARTICIPANTS,
            max_length=MOST_PARTICIPANTS,
            description="Who plays: names of agents, or their settings.",
        ),
    ] = (
        ParticipantConfig(id="random", type="random"),
        ParticipantConfig(id="tight", type="tight"),
    )
    seeds: SeedsConfig = SeedsConfig()
    game: GameConfig = GameConfig()
    match: MatchConfig = MatchConfig()
    rating: RatingConfig = RatingConfig()
    scheduler: SchedulerConfig = SchedulerConfig()
    stop: StopConfig = StopConfig()
    llm: LLMConfig = LLMConfig()
    output_dir: Annotated[PathText, Field(description="Folder in which each run gets a folder.")] = "benchmark-results"

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self._settle()
        if found := [*self._problems()]:
            raise as_problems(found)
        return self

    def _settle(self) -> None:
        """State the defaults that depend on other fields, so that a run is the same whatever they become."""
        self._shorten_matches()
        rule = self.stop.adjacent_confidence
        if rule is not None and "tie_margin_mbb" not in rule.model_fields_set:
            scaled = rule.model_copy(update={"tie_margin_mbb": self.usual_tie_margin()})
            self.__dict__["stop"] = self.stop.model_copy(update={"adjacent_confidence": scaled})

    def _shorten_matches(self) -> None:
        """Make the matches of models and people short, unless the config says how long they are.

        Those of models stay long, too, where it says how many there are.
        """
        budget, people = self.stop.budget or Budget(max_matches=None), self.people()
        counted = "max_matches" in budget.model_fields_set
        said = "per_match" in self.seeds.model_fields_set or (counted and budget.max_matches is not None and not people)
        if said or not (self.models() or people):
            return
        seeds, most = (1, len(self.pairings())) if people else (MODEL_SEEDS_PER_MATCH, MODEL_MATCHES)
        self.__dict__["seeds"] = _with_default(self.seeds, "per_match", seeds)
        if not counted:
            more = _with_default(budget, "max_matches", most)
            self.__dict__["stop"] = self.stop.model_copy(update={"budget": more})

    def usual_tie_margin(self) -> float:
        """Return the margin that counts as a tie with these stacks, unless the config says another."""
        return usual_tie_margin(self.game.stack / self.game.big_blind)

    def _problems(self) -> Iterator[Problem]:
        """Yield what is wrong across sections."""
        ids = [participant.id for participant in self.participants]
        for name in dict.fromkeys(ids):
            if ids.count(name) > 1:
                yield "participants", name, "a different id for each, and this one appears twice"
        for name in self.people()[1:]:
            yield "participants", name, "one human at most, since there is one terminal"
        if self.scheduler.policy == GATE:
            yield from gate_problems(self.stop)
        rule = self.stop.adjacent_confidence
        if self.reference is not None and rule is not None and rule.method != "margin":
            expected = f"margin: a {GAUNTLET} ranks by what is won from the reference"
            yield "stop.adjacentConfidence.method", rule.method, expected
        yield from self._size_problems()
        endless = self.stop.endless and self.seeds.file is None and self.scheduler.policy != GATE
        if endless:
            yield "stop", None, "at least one condition, such as budget.maxMatches: the run would never end"

    def _size_problems(self) -> Iterator[Problem]:
        """Check that a round is not too large, and a budget not too small for a match."""
        matches = min(self.matches_per_round(), len(self.pairings()))
        games, budget = 2 * self.seeds.per_match, self.stop.budget or Budget(max_matches=None)
        at_once = "a match" if matches == 1 else f"the {matches:,} matches of a round"
        for what, in_match, most, limit in (
            ("games", games, MOST_GAMES_OF_A_ROUND, budget.max_games),
            ("hands", games * self.game.dealt_hands, MOST_HANDS_OF_A_ROUND, budget.max_hands),
        ):
            if matches * in_match > most:
                expected = f"at most {most:,} {what} in {at_once}, and these are {matches * in_match:,}"
                yield "seeds.perMatch", self.seeds.per_match, expected
                return
            if limit is not None and limit < in_match:
                yield f"stop.budget.max{what.capitalize()}", limit, f"at least {in_match:,}, the {what} of one match"

    @property
    def reference(self) -> str | None:
        """The first participant, which all others play alone in a gauntlet; None if the run is none."""
        return self.participants[0].id if self.scheduler.policy == GAUNTLET else None

    @property
    def gate(self) -> Versions | None:
        """The two versions that a gate compares; None if the run is none."""
        if self.scheduler.policy != GATE:
            return None
        new, old = self.participants[:2]
        return Versions(new.id, old.id, (self.stop.adjacent_confidence or AdjacentConfidence()).tie_margin_mbb)

    def pairings(self) -> list[Pair]:
        """Return the pairs of participants that may play: all, or in a gauntlet all with the reference."""
        yardstick, gate = self.reference, self.gate
        every = combinations([participant.id for participant in self.participants], 2)
        if gate is not None:
            return [pair for pair in every if gate.plays(pair)]
        return [pair for pair in every if yardstick is None or yardstick in pair]

    def decks(self) -> dict[Pair, Pair]:
        """Return the pairing whose decks each pairing plays: its own, but in a gate that of the new version."""
        gate = self.gate
        return {pair: pair if gate is None else gate.as_new(pair) for pair in self.pairings()}

    def anchors(self) -> list[str]:
        """Return the participants that are outside the field."""
        return [participant.id for participant in self.participants if participant.anchor]

    def models(self) -> dict[str, LLMSettings]:
        """Return the settings of every language model, by participant."""
        settings = {each.id: each.settings() for each in self.participants}
        return {name: found for name, found in settings.items() if isinstance(found, LLMSettings)}

    def askers(self) -> dict[str, tuple[LLMSettings, ...]]:
        """Return the settings of the models that participants' own code may ask, by participant."""
        given = {each.id: getattr(each.settings(), "models", ()) for each in self.participants}
        return {
            name: tuple(checked(LLMSettings, {"model": one} if isinstance(one, str) else one) for one in models)
            for name, models in given.items()
            if models
        }

    def paid(self) -> dict[str, tuple[LLMSettings, ...]]:
        """Return the settings of every model that the run may pay for, by participant."""
        return {**{name: (settings,) for name, settings in self.models().items()}, **self.askers()}

    def people(self) -> list[str]:
        """Return who is played by a person at the terminal."""
        return [each.id for each in self.participants if each.kind.in_person]

    def matches_per_round(self) -> int:
        """Return how many matches are scheduled together: with models, whose games wait, no one should sit idle."""
        if self.gate is not None:
            return len(self.pairings())
        return max(1, len(self.participants) // 2) if self.models() else 1


def _with_default(section: AnySection, field: str, value: object) -> AnySection:
    """Return a section with another value in a field that counts as not said, as a default does."""
    copied = section.model_copy()
    copied.__dict__[field] = value
    return copied
