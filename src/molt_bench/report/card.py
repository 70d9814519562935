"""The disclosure card: who played what, under which rules, and at what cost, for those who quote a result.

All of it follows from the journal, and from the replies that the journal vouches for. So `verify` checks a card, and
nothing in it depends on the clock, the machine or the name of a folder.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from molt_bench.bench.endings import said_of
from molt_bench.report.number_text import dollars
from molt_bench.report.row_types import AgentRow, CostRow
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import hands_text, totals, unaccounted_line
from molt_bench.runs.journal_lines import Header, PlayedAs
from molt_bench.visible_text import on_one_line

#: The file of a card.
CARD: Final = "card.md"
#: What Markdown does not take as text.
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")


class CardPart(NamedTuple):
    """A part of a card: its title, and lines with a name and what there is to say of it."""

    title: str
    lines: tuple[tuple[str, str], ...]


def card(rows: Rows, header: Header) -> tuple[CardPart, ...]:
    """Return the card of a run, part by part."""
    names = rows.names
    costs = [(names[name], _cost(row)) for name, row in rows.costs.items()]
    if rows.result.unaccounted.requests:
        costs.append(("Besides", unaccounted_line(rows.result)))
    parts = (
        CardPart("Who played", tuple((names[row.id], _who(rows, header, row)) for row in rows.agents)),
        CardPart("What was played", tuple(_played(rows, header).items())),
        CardPart("When it stopped", tuple(_stopped(rows).items())),
        CardPart("Faults", tuple((names[row.id], _faults(row)) for row in rows.agents)),
        CardPart("What it cost", tuple(costs)),
        CardPart("Contamination", (("Decks", _contamination(rows, header)),)),
        CardPart("Versions", tuple(_versions(rows, header).items())),
    )
    return tuple(part for part in parts if part.lines)


def card_text(rows: Rows, header: Header) -> str:
    """Return a card as a file of Markdown."""
    return "# Disclosure card of a molt-bench run\n\n" + markdown_of(card(rows, header))


def markdown_of(parts: tuple[CardPart, ...]) -> str:
    """Return the parts of a card as sections of Markdown."""
    return "\n".join(
        f"## {part.title}\n\n" + "".join(f"- **{plain_text(name)}:** {plain_text(said)}\n" for name, said in part.lines)
        for part in parts
    )


def plain_text(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    >>> print(plain_text("a_b|c"))
    a\_b\|c
    """
    return _MARKS.sub(r"\\\1", on_one_line(text))


def _who(rows: Rows, header: Header, row: AgentRow) -> str:
    """Say who exactly a participant is: snapshot, settings, prompt, way of asking, code, box."""
    participant = next(each for each in rows.result.config.participants if each.id == row.id)
    settings = participant.settings()
    if row.asked is not UNSET:
        usage = rows.costs[row.id].usage if row.id in rows.costs else None
        asked = {"reasoningEffort": "of the provider", "temperature": "of the provider", **row.asked}
        said = [f"language model {asked.pop('model')}"]
        said += [f"reported as {', '.join(usage.reported)}"] if usage and usage.reported else []
        said += [f"fingerprints {', '.join(usage.fingerprints)}"] if usage and usage.fingerprints else []
        said += [f"{name} {_json(value)}" for name, value in asked.items() if name != "label"]
        said.append(f"prompt SHA-256 {header.agents.get(row.id, PlayedAs()).prompt or 'unknown'}")
        said.append(f"asked by molt-bench: reply {rows.reply_forms[row.id]}")
    else:
        said = [f"built-in bot {participant.type}" if participant.kind.built_in else participant.type]
        own = {} if settings is None else settings.model_dump(mode="json", exclude_defaults=True)
        said += [f"{name} {_json(value)}" for name, value in own.items()]
    said += [f"params {_json(participant.params)}"] if participant.params else []
    played = header.agents.get(row.id, PlayedAs())
    facts = {"code SHA-256": played.code, "sandbox": played.sandbox, "package": played.package, "server": played.server}
    said += [f"{what} {fact}" for what, fact in facts.items() if fact is not None]
    return "; ".join([*said, *(["an anchor, outside the field"] if participant.anchor else [])])


def _played(rows: Rows, header: Header) -> dict[str, str]:
    game, count = rows.result.config.game, totals(rows.result)
    reset = "reset after every hand" if game.stacks == "reset" else "carried over within a game"
    own = sum(match.own_decks for match in rows.result.matches)
    swapped = f"; {own:,} matches of those who may remember had other decks for each seating" if own else ""
    return {
        "Rules": f"heads-up no-limit hold'em, blinds {game.small_blind:,}/{game.big_blind:,}",
        "Stacks": f"{game.stack:,} chips, {game.stack / game.big_blind:,.10g} big blinds, {reset}",
        "Faults allowed": f"{game.max_retries} retries of a decision, then a fold",
        "Hands": f"{hands_text(rows.result)} in {count['games']:,} games of {count['matches']:,} matches",
        "Decks": f"both games of a seed have the same cards, seats swapped{swapped}",
        "Seeds": _seeds(rows, header),
        "Field": f"{rows.names[rows.reference]} alone" if rows.reference else "all but the anchors, equally",
        "Results": f"bb/100 by the estimator {rows.estimator}",
    }


def _seeds(rows: Rows, header: Header) -> str:
    seed = rows.result.config.seeds.master_seed
    if header.seeds is not None:
        return f"{len(header.seeds):,} from a file, in the first line of the journal"
    if header.master_seed_hash is UNSET:
        return f"from the master seed {_json(seed)}, in the config from the start"
    told = "still secret" if seed is None else f"told at the end: {_json(seed)}"
    return f"from a secret master seed, SHA-256 {header.master_seed_hash}; {told}"


def _stopped(rows: Rows) -> dict[str, str]:
    result, names = rows.result, rows.names
    gate, rules = result.config.gate, result.config.stop.plain()
    versions = [] if gate is None else [f"gate of {gate.new} against {gate.old}"]
    said = {"Rule": "; ".join([*versions, *[f"{name}: {_flat(rule)}" for name, rule in rules.items() if rule]])}
    return {**said, "Reason": said_of(result.ending, names)}


def _flat(rule: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_json(value)}" for name, value in rule.items() if value is not None)


def _faults(row: AgentRow) -> str:
    kinds = row.faults_text or "none"
    return f"{kinds} in {row.hands:,} hands; {row.forced_folds:,} hands folded for them"


def _cost(row: CostRow) -> str:
    usage = row.usage
    return (
        f"{dollars(usage.cost_usd)}; {usage.input_tokens:,} tokens read ({usage.cached_tokens:,} cached), "
        f"{usage.output_tokens:,} written ({usage.reasoning_tokens:,} of them reasoning), in {usage.exchanges:,} "
        f"questions about {usage.decisions:,} decisions"
    )


def _contamination(rows: Rows, header: Header) -> str:
    """Say in a sentence whether an agent can have known the cards."""
    if header.master_seed_hash is not UNSET and rows.result.extensions:
        return (
            "the master seed was secret until the run first ended, and the run went on after that: no deck up to there "
            "can have been known before or be in training data, later ones can."
        )
    if header.master_seed_hash is not UNSET:
        return (
            "dealt fresh from a master seed that was secret until the run ended, so no deck of it can have been known "
            "before or be in training data; what a model has read about poker in general is not ruled out."
        )
    if all(each.kind.built_in for each in rows.result.config.participants):
        return "dealt from seeds that were known before; only built-in bots played, which do not look at them."
    return "dealt from seeds that were known before, so an agent or its training data can have known the cards."


def _versions(rows: Rows, header: Header) -> dict[str, str]:
    result = rows.result
    journal = {"journal": f"{result.journal_lines:,} lines, SHA-256 {result.journal_hash}"}
    return {
        "molt-bench": f"{header.version}, bench version {header.bench_version}",
        **header.versions,
        **({"terms of luck": ", ".join(map(str, header.luck))} if header.luck else {}),
        "config": f"SHA-256 {header.config_hash}",
        **(journal if result.journal_lines else {}),
    }


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
