"""`molt-bench gate`: is a new version of an agent worse than the old one? It plays until that is sure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
from pydantic.alias_generators import to_camel

from molt_bench.agents.kinds import kind_of
from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.findings_output import ABOUT, check_endings
from molt_bench.cli.options import AGENT, PATH, RunOptions, param_flag, resume_option, sandbox_flag, set_flag
from molt_bench.cli.parser import NOT_NEGATIVE, POSITIVE, WHOLE, Command, flag, grouped
from molt_bench.config.assignments import put
from molt_bench.config.loader import read_config_file
from molt_bench.config.participants import participants_from, participants_named
from molt_bench.errors import ConfigError
from molt_bench.runs import master_seed
from molt_bench.specs import ParticipantSpec
from molt_bench.study.gate import Speed
from molt_bench.testing import check_agent

#: Opponents of a gate that names none: each punishes other mistakes.
OPPONENTS: Final = ("tag", "callstation", "maniac")
NEW: Final = "new"
OLD: Final = "old"
#: What a round is, and the seed pairs before the first look, where a config does not say.
_ROUND: Final = {"seeds.perMatch": 5, "game.handsPerGame": 20, "scheduler.minSeedPairs": 10}
#: The same where a model plays, whose hands cost money.
_ROUND_OF_MODELS: Final = {"seeds.perMatch": 2, "game.handsPerGame": 10, "scheduler.minSeedPairs": 4}
_MOST_HANDS: Final = 100_000
#: How often both versions are timed in turn, and the hands at each table.
_TIMED: Final = 2
_TIMED_HANDS: Final = 2


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What is compared, and what it may cost."""

    against: str | None = flag("The old version; named as NEW is.", metavar="OLD")
    margin: float = flag("Loss that does not matter; 10 mbb are 1 bb/100.", default=500.0, metavar="MBB", type=POSITIVE)
    opponents: str | None = flag(
        "The agents that both versions play, besides each other; tag,callstation,maniac by default.",
        metavar="LIST",
    )
    params: tuple[str, ...] = param_flag("A param of both versions")
    new_params: tuple[str, ...] = param_flag("A param of the new version alone", "--new-param")
    slower: float = flag(
        "Fail if a decision takes so many times as long, and more than a millisecond; 0 to let it.",
        default=3.0,
        metavar="TIMES",
        type=NOT_NEGATIVE,
    )
    sandbox: str | None = sandbox_flag("both versions")
    max_hands: int | None = flag(f"Give up after this many hands; {_MOST_HANDS:,} by default.", type=WHOLE)
    max_cost: float | None = flag("Give up after this many dollars.", metavar="USD", type=POSITIVE)
    config: str | None = flag("Config file for the game, the opponents and prices.", metavar="FILE", type=PATH)
    output_dir: str | None = flag("Folder for runs; each gets a folder of its own.", metavar="DIR", type=PATH)
    assignments: tuple[str, ...] = set_flag("Set any config field, as in game.stack=5000; repeatable.")

    def values(self, versions: Sequence[ParticipantSpec]) -> dict[str, Any]:
        """Return the config as plain values: its file, with both versions in front of the opponents."""
        values = read_config_file(self.config) if self.config is not None else {}
        others = values.pop("participants", None) or participants_named(OPPONENTS)
        if self.opponents is not None:
            others = participants_from(self.opponents)
        played = [
            {"id": name, "type": each.type, "params": each.params}
            for name, each in zip((NEW, OLD), versions, strict=True)
        ]
        # What is no list, or names no agents, is refused by the config.
        return {**values, "participants": [*played, *(others if isinstance(others, list) else [others])]}

    def fields(self, values: dict[str, Any], *, models: bool) -> dict[str, Any]:
        """Return the config fields that the flags set, and those that a gate has where the file does not say."""
        rounds = _ROUND_OF_MODELS if models else _ROUND
        fields: dict[str, Any] = {path: value for path, value in rounds.items() if not _says(values, path)}
        fields["scheduler.policy"] = "gate"
        fields["stop.adjacentConfidence"] = {"tieMarginMbb": self.margin}  # the order of all stops nothing here
        budget = "stop.budget.max"
        if not _says(values, f"{budget}Matches"):  # they are nothing to limit here
            put(values, f"{budget}Matches", None)
        limited = any(_says(values, f"{budget}{what}") for what in ("Games", "Hands", "Seconds", "CostUsd", "Tokens"))
        if self.max_hands is not None or not limited:
            fields[f"{budget}Hands"] = self.max_hands or _MOST_HANDS
        return {
            **fields,
            "stop.budget.maxCostUsd": self.max_cost,
            "outputDir": self.output_dir,
            "sandbox": self.sandbox,
        }


@dataclass(frozen=True, kw_only=True)
class GateRunOptions(RunOptions):
    """How a gate is played, and where it writes what it found."""

    saved: tuple[str, ...] = flag(ABOUT, "--save", default=(), metavar="FILE")


@click.command(cls=Command)
@click.argument("new", metavar="NEW", help=AGENT)
@grouped(GateOptions, "gate_options")
@resume_option
@grouped(GateRunOptions, "options")
def gate(new: str, gate_options: GateOptions, *, resume_last: bool, options: GateRunOptions) -> None:
    """Test whether a new version of an agent is worse than the old one, in as few hands as it takes.

    Both play the same opponents on the same decks, and each other. It ends as soon as it is sure. Exit status:
    0 if the new version is not worse by more than the margin, 4 if it is worse (on average or to one opponent, by
    faults, or slower), 6 if the budget is spent before that is known.

    Examples:
      molt-bench gate my_bot.py:make --against callstation
      molt-bench gate my_bot.py:make --against callstation --margin 1000 --save comment.md --save junit.xml
    """
    check_endings(options.saved)
    old = gate_options.against
    if old is None:
        raise click.BadParameter("is missing: the old version, named as NEW is", param_hint="--against")
    params, box = gate_options.params, gate_options.sandbox
    versions = agent_from(new, [*params, *gate_options.new_params], box), agent_from(old, params, box)
    _check_modules(new, old)
    values = gate_options.values(versions)
    models = any(kind_of(each.type).recorded and kind_of(each.type).remote for each in versions)
    fields = gate_options.fields(values, models=models)
    config = config_flags.config_from(values, fields, gate_options.assignments)
    timed = replace(options, speed=_speed_of(versions, gate_options.slower))
    run_or_resume.start_run(config, timed, secret=master_seed.secret_from(None), resume_last=resume_last)


def _speed_of(versions: Sequence[ParticipantSpec], slower: float) -> Speed | None:
    """Return how long both versions take for a decision; None if one of them waits for something outside."""
    kinds = [kind_of(each.type) for each in versions]
    if not slower or any(each.remote or each.comes or each.in_person for each in kinds):
        return None
    new, old = (
        min(
            check_agent(make=maker_of(each), hands=_TIMED_HANDS, partners=("tag",)).latency.median
            for _ in range(_TIMED)
        )
        for each in versions
    )
    return Speed(new, old, slower)


def _says(values: object, path: str) -> bool:
    """Return whether plain values have a field, in camelCase or snake_case."""
    for name in path.split("."):
        values = values if isinstance(values, dict) else {}
        values = next((values[key] for key in values if to_camel(str(key)) == name), None)
    return values is not None


def _check_modules(new: str, old: str) -> None:
    """Refuse two files of Python that import different modules of one name: a process would load one for both."""
    files = [Path(each.rpartition(":")[0]) for each in (new, old)]
    if any(each.suffix != ".py" for each in files) or files[0].parent.resolve() == files[1].parent.resolve():
        return
    around = [{path.name: path.read_bytes() for path in file.parent.glob("*.py")} for file in files]
    for name in sorted({*around[0]} & {*around[1]} - {file.name for file in files}):
        imported = re.compile(rb"^\s*(?:from|import)\s+%b\b" % re.escape(Path(name).stem).encode(), re.MULTILINE)
        texts = [text for folder in around for text in folder.values()]
        if around[0][name] != around[1][name] and any(map(imported.search, texts)):
            expected = (
                f"a version with the same {name} beside it, since one process loads one of them for both; or play each "
                "version as a program, with exec:"
            )
            raise ConfigError("NEW", new, expected)
