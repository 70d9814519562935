"""Write the JSON Schema of every file of a run to docs/schemas, that of the config, and that of the protocol of agents.

Files that are written from structs get the schema of the structs, with the docstrings as descriptions. Those that
`report/artifacts.py` puts together are described here. Unknown fields are allowed, since later versions may add some.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from molt_bench.agents.external.protocol import PROTOCOL, FromAgent, ToAgent
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.plugins.reference.grades import Grades
from molt_bench.poker.messages import struct_schemas
from molt_bench.records import ESTIMATORS
from molt_bench.runs.journal_lines import Line
from molt_bench.runs.replies import Line as RepliesLine

FOLDER: Final = Path(__file__).parents[1] / "docs" / "schemas"
PROTOCOL_FILE: Final = FOLDER.parent / "protocol.schema.json"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]
INTEGER, NUMBER, TEXT, BOOLEAN = ({"type": name} for name in ("integer", "number", "string", "boolean"))
SEED: Final[Schema] = {"type": ["integer", "string"]}


def say(schema: Schema, what: str) -> Schema:
    """Return a schema with a description."""
    return {**schema, "description": what}


def or_null(schema: Schema, what: str) -> Schema:
    """Return a schema that also takes null, with a description."""
    if "type" in schema and "properties" not in schema and "items" not in schema:
        return say({**schema, "type": [schema["type"], "null"]}, what)
    return say({"anyOf": [schema, {"type": "null"}]}, what)


def listed(items: Schema, what: str) -> Schema:
    """Return the schema of a list."""
    return say({"type": "array", "items": items}, what)


def by_key(values: Schema, what: str) -> Schema:
    """Return the schema of an object whose keys are names."""
    return say({"type": "object", "additionalProperties": values}, what)


def fields(what: str, **found: Schema) -> Schema:
    """Return the schema of an object; a field whose name ends in `_` may be absent."""
    return {
        "description": what,
        "type": "object",
        "properties": {name.rstrip("_"): schema for name, schema in found.items()},
        "required": [name for name in found if not name.endswith("_")],
    }


UNRANKED: Final = say(BOOLEAN, "False for one that hardly ever gave a usable answer; absent otherwise.")
REFERENCE: Final = say(TEXT, "Who the others are measured against; absent where there is nobody.")
REPLY: Final = say(TEXT, "How a language model is asked: the form of its replies with its version.")
SANDBOX: Final = say(TEXT, "The box that a program or Python code played in; `none` without one.")
TRACK: Final = say(TEXT, "What a language model is told besides what the table shows.")
_HALF: Final = or_null(NUMBER, "Half of the interval that decides; null if it is not known.")
_VERDICT: Final = {"enum": ["ordered", "tied", "open"]}
_SURE: Final = or_null(NUMBER, "The largest threshold at which the two would be called ordered or tied.")
LEAD: Final = fields(
    "How much more one wins from the field than the next one.",
    above=say(TEXT, "The one that stands above."),
    below=TEXT,
    bbPer100=or_null(NUMBER, "How much more it wins; null if not all that this rests on has been played."),
    bbPer100HalfWidth=_HALF,
    sure=_SURE,
    verdict=_VERDICT,
    tieBbPer100=say(NUMBER, "Leads up to this size do not matter; 0 where nobody can tie."),
    mostlyFrom=or_null(TEXT, "The opponent that most of the lead is won from; `below` if it is their own games."),
    mostlyBbPer100=or_null(NUMBER, "How much of the lead that is."),
)
PAIR: Final = fields(
    "What one wins from another in their own games alone.",
    a=say(TEXT, "The one that comes out above."),
    b=TEXT,
    seedPairs=say(INTEGER, "Seed pairs they have played."),
    bbPer100=say(NUMBER, "Big blinds a won from b per 100 hands."),
    bbPer100HalfWidth=_HALF,
    rawBbPer100=say(NUMBER, "The same in chips."),
    rawBbPer100HalfWidth=_HALF,
    sure=_SURE,
    verdict=_VERDICT,
    varianceLeft=or_null(NUMBER, "How much of the variance of chips is left without luck; null if not known."),
)
ASKED: Final = {
    "type": "object",
    "description": "How a language model is asked: its settings in the config, and a short `label` of them.",
    "required": ["label", "model"],
}
USAGE: Final = fields(
    "What a language model used; absent for others.",
    model=say(TEXT, "The model in the config."),
    reportedAs=listed(TEXT, "The model as its provider reports it; several if that changed."),
    fingerprints=listed(TEXT, "What its servers call the configurations that they ran with."),
    decisions=say(INTEGER, "Decisions it was asked for."),
    exchanges=say(INTEGER, "Questions in games, those after a fault included."),
    tokens=fields("Tokens.", input=INTEGER, cached=INTEGER, output=INTEGER, reasoning=INTEGER),
    costUsd=or_null(NUMBER, "Dollars; null if a price is unknown, or no reply ever came."),
    costUsdPerHand=or_null(NUMBER, "Dollars per hand."),
    costUsdPer100Decisions=or_null(NUMBER, "Dollars per 100 decisions."),
)
CYCLES: Final = listed(
    fields("Each beats the next, and the last the first.", members=listed(TEXT, "Ids."), sure=NUMBER),
    "Cycles that are sure on every edge.",
)
CONVERGENCE: Final = listed(
    fields(
        "What one match changed of ratings and confidences.",
        match=say(INTEGER, "Its number."),
        ratings=listed(fields("One rating.", id=TEXT, mu=NUMBER, sigma=NUMBER), "OpenSkill's ratings that are new."),
        confidences=listed(
            fields("Two neighbours.", above=TEXT, below=TEXT, confidence=say(NUMBER, "To 4 decimals.")),
            "How sure the verdict on two neighbours in the ranking is, if it is new.",
        ),
    ),
    "What every match changed, in schedule order.",
)
LEADERBOARD: Final = fields(
    "The final table. The same config gives the same bytes.",
    reference_=REFERENCE,
    estimator=say(TEXT, "The estimator of bbPer100, from the config."),
    luck=say(TEXT, "Version and hash of the frozen weights that take luck out."),
    participants=listed(
        fields(
            "One participant.",
            id=say(TEXT, "Its id in the config."),
            name=say(TEXT, "Its display name."),
            mu=say(NUMBER, "OpenSkill: the mean of the belief about its skill."),
            sigma=say(NUMBER, "OpenSkill: the standard deviation of that belief."),
            matches=say(INTEGER, "Matches played."),
            wins=say(INTEGER, "Matches won."),
            losses=say(INTEGER, "Matches lost."),
            draws=say(INTEGER, "Matches drawn."),
            bbPer100=or_null(NUMBER, "Big blinds won per 100 hands against the field; null before its first match."),
            bbPer100HalfWidth=or_null(NUMBER, "Half of its interval, as wide as those that decide; null if unknown."),
            rawBbPer100=or_null(NUMBER, "What it won in chips, from the same opponents."),
            rawBbPer100HalfWidth=or_null(NUMBER, "Half of its interval; null if it is not known."),
            rankRange=or_null(
                {"type": "array", "items": INTEGER},
                "Its rank: the best and the worst that are possible by the orders that the run claims.",
            ),
            betterThanNext=or_null(NUMBER, "How sure the verdict on it and the next one is; null for the last."),
            hands=say(INTEGER, "Hands dealt to it, warm-up included."),
            faults=by_key(INTEGER, "How many faults of each kind it made."),
            forcedFolds=say(INTEGER, "Hands folded for it after its last attempt."),
            met_=listed(INTEGER, "How many of its field it has met, and of how many; absent once it has met all."),
            ranked_=UNRANKED,
            anchor_=say(BOOLEAN, "True if it only anchors the scale; absent otherwise."),
            asked_=ASKED,
            usage_=USAGE,
            sandbox_=SANDBOX,
            reply_=REPLY,
            track_=TRACK,
        ),
        "Everybody, best first.",
    ),
    leads=listed(LEAD, "The lead of everybody over the next one."),
    pairs=listed(PAIR, "All who have met."),
    cycles=CYCLES,
)
_SUMS: Final = {
    "scoreA": say(INTEGER, "Chips that A won from B."),
    "scoreB": say(INTEGER, "The same for B."),
    "bbPer100A": say(NUMBER, "Big blinds that A won per 100 hands, in chips."),
    "winner": say({"enum": ["A", "B", "draw"]}, "Who won the match."),
    "hands": say(INTEGER, "Hands that count."),
    "errors": say(INTEGER, "Faults of both."),
}
_MATCH: Final = {
    "id": say(TEXT, "match-0001 and so on."),
    "round": say(INTEGER, "The round in which it was scheduled, from 1."),
    "meeting": say(INTEGER, "Which meeting of this pair it was, from 1."),
    "participantA": say(TEXT, "Id of player A."),
    "participantB": say(TEXT, "Id of player B."),
    "ownDecks_": say(BOOLEAN, "True if each seating was dealt cards of its own; absent otherwise."),
    "seeds": listed(SEED, "The seeds, in order of play."),
    "ratingDelta": by_key(
        fields("A change.", mu=say(NUMBER, "Of mu."), sigma=say(NUMBER, "Of sigma.")),
        "How OpenSkill's ratings changed, by participant.",
    ),
}
_SEED_PAIR: Final = fields(
    "One seed pair: the same cards twice, with seats swapped.",
    seed=say(SEED, "Names the decks."),
    netA=say(INTEGER, "Chips that A won in both games."),
    hands=say(INTEGER, "Hands that count."),
    aFirst=say(INTEGER, "Chips that A won in seat 0."),
    bFirst=say(INTEGER, "Chips that A won in seat 1."),
    draw=say(BOOLEAN, "Whether neither player gave a usable answer in a game."),
    marginsMbb=fields(
        "What A won in thousandths of a big blind per hand, by estimator.", **dict.fromkeys(ESTIMATORS, NUMBER)
    ),
)
MATCHES: Final = fields(
    "Every match. The same config gives the same bytes.",
    matches=listed(
        fields(
            "One match.",
            **_MATCH,
            result=fields("Its result.", **_SUMS, perSeed=listed(_SEED_PAIR, "Every seed pair.")),
        ),
        "In schedule order.",
    ),
)
LOG: Final[Schema] = {
    "description": "One event per line. The same config gives the same bytes.",
    "anyOf": [
        fields("A match was rated.", event={"const": "match"}, **_MATCH, result=fields("Its result.", **_SUMS)),
        fields(
            "An agent made a fault.",
            event={"const": "fault"},
            match=say(INTEGER, "Number of the match."),
            seed=SEED,
            seating={"enum": ["AB", "BA"]},
            participant=say(TEXT, "Who made it."),
            hand=say(INTEGER, "Number of the hand, from 1; 0 before the first."),
            decision=or_null(INTEGER, "How many actions of the hand came before; null for a hook between decisions."),
            kind=say(TEXT, "The kind of fault."),
            attempt=say(INTEGER, "Which attempt at the decision it was, from 1; 0 for a hook."),
            forcedFold=say(BOOLEAN, "Whether it was the last, so that the hand was folded."),
            message=say(TEXT, "What was wrong."),
        ),
        fields("The run ended.", event={"const": "stop"}, reason=say(TEXT, "Why.")),
    ],
}
SUMMARY: Final = fields(
    "The run as a whole. It has times, so it differs from run to run.",
    headline=or_null(TEXT, "Who leads, by how much, how sure that is, and what is open; null without a match."),
    disagreements_=listed(TEXT, "Claimed orders against what two win from each other, and cycles."),
    stopReason=say(TEXT, "Why the run ended."),
    ending=or_null({"type": "object"}, "The same as data, as the journal has it; null while the run is going on."),
    gate_=fields(
        "What a gate found, in big blinds per 100 hands; only of a gate.",
        verdict=say(TEXT, "not worse, by more than the margin; worse; or open."),
        marginBbPer100=NUMBER,
        changeBbPer100=or_null(NUMBER, "How much more the new version wins, on average over the opponents."),
        bbPer100HalfWidth=or_null(NUMBER, "Half the width of its interval."),
        againstEach=listed(
            fields(
                "One opponent.",
                opponent=TEXT,
                seedPairs=INTEGER,
                oldBbPer100=NUMBER,
                newBbPer100=NUMBER,
                changeBbPer100=NUMBER,
                bbPer100HalfWidth=or_null(NUMBER, "Half the width of the interval of the change."),
            ),
            "Every opponent.",
        ),
        reasons=listed(TEXT, "Why the new version is worse."),
        hands=INTEGER,
        morePlay=or_null(NUMBER, "How many times as many hands would tell; null for never."),
    ),
    totals=fields("What was played.", matches=INTEGER, games=INTEGER, hands=INTEGER, actions=INTEGER),
    seconds=say(NUMBER, "How long it took, over all sessions."),
    handsPerSecond=or_null(INTEGER, "Hands per second of that."),
    errors=by_key(by_key(INTEGER, "How many faults of each kind."), "The faults of each participant."),
    convergenceEfficiency_=fields(
        "Games played until the order was decided, beside those of a round robin; only if it was decided.",
        games=INTEGER,
        roundRobinGames=say(INTEGER, "Games if all pairs had met as often as the pair that met most."),
        ratio=or_null(NUMBER, "One over the other."),
    ),
    latency_=by_key(
        fields(
            "One model.",
            p50S=or_null(NUMBER, "Seconds within which half of its replies came."),
            p95S=or_null(NUMBER, "Seconds within which 95% of them came."),
            requests=INTEGER,
        ),
        "Response times of language models, by participant.",
    ),
    unaccounted_=fields(
        "Requests to models that were sent and whose cost is not known, as after a kill, if there are any.",
        requests=INTEGER,
        usd=say(NUMBER, "Dollars they cost at most."),
        tokens=say(INTEGER, "Tokens they took at most."),
    ),
    guardrails=fields(
        "Checks that every trustworthy run passes.",
        errorRate=say(NUMBER, "Share of games with a forced fold."),
        chipsConserved=say(BOOLEAN, "Whether chips never came or went."),
        sigmaDecreased=say(NUMBER, "Share of rating updates that made a rating surer."),
    ),
    extensions_=listed(
        fields(
            "One extension.",
            matches=say(INTEGER, "Matches that had a finished game by then."),
            stopReason=or_null(TEXT, "Why the run had ended; null if it had been interrupted."),
            stop=say({"type": "object"}, "The stop rule until then."),
        ),
        "When the run went on under another stop rule.",
    ),
    journal_=fields(
        "The journal that all this follows from.",
        lines=INTEGER,
        sha256=say(TEXT, "Hash of its last line, which identifies the whole."),
    ),
    warnings=listed(TEXT, "What readers should know."),
    notFromJournal=listed(
        TEXT, "The fields that depend on the time or the machine. All others follow from the journal."
    ),
    convergence=CONVERGENCE,
)
SEEDS: Final = listed(SEED, "The seeds of the run, which `--seeds-file` takes.")

WRITTEN: Final[Mapping[str, Schema]] = {
    "leaderboard.json": LEADERBOARD,
    "matches.json": MATCHES,
    "log.jsonl": LOG,
    "summary.json": SUMMARY,
    "seeds.json": SEEDS,
}
#: Files that are written from structs: what they say, and the structs.
STRUCTS: Final[Mapping[str, tuple[str, Any]]] = {
    "journal.jsonl": ("The journal, format 1. Each line but the first begins with the hash of the one before.", Line),
    "replies.jsonl": ("The replies of models, programs and servers, format 1, after a header.", RepliesLine),
    "grades.json": ("What each agent's decisions gave away, format 1; written by `molt-bench grade`.", Grades),
}
PREV: Final = say(TEXT, "SHA-256 of the line before.")


def struct_schema(what: str, types: Any) -> Schema:
    """Return the schema of structs; the attributes in their docstrings become descriptions of fields."""
    (found,), defs = struct_schemas(types)
    for schema in defs.values():
        text, _, attributes = schema.pop("description", "").partition("Attributes:")
        schema["description"] = " ".join(text.split())
        for name, said in _attributes(attributes):
            if name in schema.get("properties", {}):
                schema["properties"][name] = say(schema["properties"][name], said)
    found.pop("discriminator", None)
    return {"description": what, **found, "$defs": defs}


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """Return the fields that a docstring describes, as they are named in the struct and in camelCase."""
    for name, said in re.findall(r"^ {4}(\w+): (.*?)(?=^ {4}\w|\Z)", text, re.MULTILINE | re.DOTALL):
        plain = " ".join(said.split())
        yield name, plain
        yield re.sub(r"_(\w)", lambda found: found[1].upper(), name), plain


def schemas() -> dict[str, Schema]:
    """Return the schema of every file of a run."""
    found = {**WRITTEN, **{name: struct_schema(*each) for name, each in STRUCTS.items()}}
    for name in ("Game", "SessionEnd", "Resumption", "Rated"):
        found["journal.jsonl"]["$defs"][name]["properties"]["prev"] = PREV
    return {name: {"$schema": DIALECT, "title": name, **schema} for name, schema in sorted(found.items())}


def protocol_schema() -> Schema:
    """Return the schema of every message of agents; `$defs/ToAgent` and `$defs/FromAgent` are the two directions."""
    (to_agent, from_agent), components = struct_schemas(ToAgent, FromAgent)
    return {
        "$schema": DIALECT,
        "title": f"molt-bench agent protocol, version {PROTOCOL}",
        "description": "One JSON object a message. Unknown keys are to be ignored, in both directions.",
        "anyOf": [{"$ref": "#/$defs/ToAgent"}, {"$ref": "#/$defs/FromAgent"}],
        "$defs": {
            "ToAgent": {"anyOf": to_agent["anyOf"]},
            "FromAgent": {"anyOf": from_agent["anyOf"]},
            **components,
        },
    }


def config_schema() -> Schema:
    """Return the schema of the config."""
    return {"$schema": DIALECT, **BenchmarkConfig.model_json_schema(by_alias=True)}


class Field(NamedTuple):
    """One field of a schema: where it is, such as `participants[].rank`, what it is, and whether it may be absent."""

    path: str
    schema: Schema
    required: bool


def fields_of(schema: Schema, path: str = "", defs: Mapping[str, Schema] | None = None) -> Iterator[Field]:
    """Return all fields of a schema, those inside others after them; one of several alternatives may come twice."""
    defs = schema.get("$defs", {}) if defs is None else defs
    if "$ref" in schema:
        yield from fields_of(defs[schema["$ref"].rpartition("/")[2]], path, defs)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from fields_of(part, path, defs)
    for name, inner in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        yield Field(here, inner, name in schema.get("required", ()))
        yield from fields_of(inner, here, defs)
    if isinstance(schema.get("items"), dict):
        yield from fields_of(schema["items"], f"{path}[]", defs)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields_of(schema["additionalProperties"], f"{path}.*", defs)


def file_name(artifact: str) -> str:
    """Return the name of the schema of a file: `leaderboard.schema.json`."""
    return f"{artifact.rpartition('.')[0]}.schema.json"


def as_text(schema: Schema) -> str:
    """Return a schema as it is stored."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for artifact, schema in schemas().items():
        (FOLDER / file_name(artifact)).write_text(as_text(schema), "utf-8")
    (FOLDER / file_name("config.json")).write_text(as_text(config_schema()), "utf-8")
    PROTOCOL_FILE.write_text(as_text(protocol_schema()), "utf-8")
