"""Every Eval Ever: one record of each participant, with a row for each of its seed pairs, as hubs of results take them.

A folder of records is a data set: its README.md is the data card, and CITATION.bib says how to cite the run. The
records follow version 0.3.0 of the schemas of github.com/evaleval/every_eval_ever.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

from msgspec import UNSET

from molt_bench.files import file_name, fill_whole, write_whole
from molt_bench.records import MBB_PER_BB100, GameRecord
from molt_bench.report.card import card, markdown_of, plain_text
from molt_bench.report.row_types import AgentRow
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import totals
from molt_bench.report.verdict import headline, result_text
from molt_bench.runs.run import Run
from molt_bench.seeds import Seed

SCHEMA: Final = "0.3.0"
_BENCHMARK: Final = "molt-bench"
_METRIC: Final = "molt-bench.bb_per_100"
#: The settings of a model that the schema has names for.
_ARGUMENTS: Final = {"temperature": "temperature", "topP": "top_p", "maxTokens": "max_tokens"}


class Records:
    """The records of a run, made at some time."""

    def __init__(self, run: Run, when: datetime) -> None:
        self._run, self._when = run, when
        self._result = run.result()
        self._rows = Rows(self._result)
        self._config = {each.id: each for each in self._result.config.participants}

    def write(self, folder: Path) -> int:
        """Write all records, the data card and the citation into a folder; return how many records there are.

        Raises OSError if that is not possible.
        """
        played = [row for row in self._rows.agents if row.bb_per_100 is not None]
        for row in played:
            model = self._model(row)
            place = folder / "data" / _BENCHMARK / file_name(model["developer"]) / file_name(model["name"])
            place.mkdir(parents=True, exist_ok=True)
            # The same name whenever the same run is exported.
            name = UUID(bytes=sha256(f"{self._result.journal_hash} {row.id}".encode()).digest()[:16], version=4)
            samples = place / f"{name}_samples.jsonl"

            def fill(file: IO[bytes], row: AgentRow = row, model: dict[str, str] = model) -> tuple[int, str]:
                count, checksum = 0, sha256()
                for sample in self._samples(row, model):
                    line = _line(sample)
                    file.write(line)
                    checksum.update(line)
                    count += 1
                return count, checksum.hexdigest()

            count, checksum = fill_whole(samples, fill)
            detailed = {
                "file_path": str(samples.relative_to(folder)),
                "format": "jsonl",
                "hash_algorithm": "sha256",
                "checksum": checksum,
                "total_rows": count,
            }
            record = {**self._record(row, model, count), "detailed_evaluation_results": detailed}
            write_whole(place / f"{name}.json", _line(record, indent=2))
        write_whole(folder / "CITATION.bib", self.citation().encode())
        write_whole(folder / "README.md", self.data_card().encode())
        return len(played)

    def citation(self) -> str:
        """Return the run as an entry for BibTeX; the hash identifies every line of the journal."""
        result, header = self._result, self._run.header
        return f"""@misc{{molt-bench-run-{result.journal_hash[:12]},
  title = {{molt-bench run: {totals(result)["hands"]:,} hands between {len(self._rows.agents)} agents}},
  note = {{Journal of {result.journal_lines:,} lines, SHA-256 of the last {result.journal_hash};
          config SHA-256 {header.config_hash}; checked by ``molt-bench verify''}},
  howpublished = {{Run folder, to be replayed with molt-bench {header.version}, bench version {header.bench_version}}},
  year = {{{self._when.year}}},
}}
"""

    def data_card(self) -> str:
        """Return the card of the data set, as a hub shows it: its front matter, results, disclosure and citation."""
        rows = self._rows
        table = "".join(
            f"| {plain_text(rows.names[row.id])} | {row.rank_text} | {result_text(row)} | {row.hands:,} |\n"
            for row in rows.agents
        )
        return f"""---
pretty_name: molt-bench run {self._result.journal_hash[:12]}
tags:
- {_BENCHMARK}
- every-eval-ever
- poker
configs:
- config_name: seed_pairs
  data_files: data/**/*_samples.jsonl
---
# A run of molt-bench

{plain_text(" ".join(headline(rows)))}

| agent | rank | bb/100 | hands |
|---|---:|---:|---:|
{table}
Each `.json` below `data` is the record of one agent, in the schema of Every Eval Ever {SCHEMA}. The `_samples.jsonl`
beside it has a row for each of its seed pairs: what it won there in bb/100, and the hands of both games. Rows of two
agents with the same `sample_hash` had the same cards and the same opponent.

{markdown_of(card(rows, self._run.header))}
## Citation

```bibtex
{self.citation()}```
"""

    def _model(self, row: AgentRow) -> dict[str, str]:
        """Return how a participant is called in records: who makes it, its name there, and who serves a model."""
        participant = self._config[row.id]
        if row.asked is UNSET:
            built_in = participant.kind.built_in
            developer, name = (_BENCHMARK, participant.type) if built_in else ("local", row.id)
            return {"developer": developer, "name": name, "id": f"{developer}/{name}"}
        platform, _, model = row.asked["model"].partition(":")
        developer, _, name = model.rpartition("/")
        developer = developer or platform
        served = {"inference_platform": row.asked.get("baseUrl", platform)}
        return {"developer": developer, "name": name, "id": f"{developer}/{name}", **served}

    def _evaluation_id(self, model: dict[str, str]) -> str:
        return f"{_BENCHMARK}/{model['id']}/{int(self._when.timestamp())}"

    def _record(self, row: AgentRow, model: dict[str, str], count: int) -> dict[str, Any]:
        """Return the record of a participant, of so many seed pairs."""
        header, rows = self._run.header, self._rows
        hashes = {"config_sha256": header.config_hash, "journal_sha256": self._result.journal_hash}
        known = {"deployment_type": "unknown", "model_availability": "unknown", "participant": row.id}
        return {
            "schema_version": SCHEMA,
            "evaluation_id": self._evaluation_id(model),
            "retrieved_timestamp": str(int(self._when.timestamp())),
            "source_metadata": {
                "source_name": f"{_BENCHMARK} run {self._result.journal_hash[:12]}",
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {
                "name": _BENCHMARK,
                "version": header.version,
                "additional_details": _strings({"bench_version": header.bench_version, **header.versions}),
            },
            "model_info": {**model, "name": rows.names[row.id], "additional_details": known},
            "evaluation_results": [
                {
                    "evaluation_result_id": _METRIC,
                    "evaluation_name": _BENCHMARK,
                    "source_data": {
                        "dataset_name": f"{_BENCHMARK} decks",
                        "source_type": "other",
                        "additional_details": _strings({**hashes, **totals(self._result)}),
                    },
                    "metric_config": {
                        "evaluation_description": "Big blinds won per 100 hands of heads-up no-limit hold'em from the "
                        "field, every opponent with the same weight, luck taken out",
                        "metric_id": _METRIC,
                        "metric_name": "bb/100",
                        "metric_kind": "win_rate",
                        "metric_unit": "big blinds per 100 hands",
                        "metric_parameters": {
                            "estimator": rows.estimator,
                            "against": rows.reference or "the field",
                        },
                        "lower_is_better": False,
                        "score_type": "continuous",
                        "min_score": "-Infinity",
                        "max_score": "Infinity",
                    },
                    "score_details": self._score(row, count),
                    "generation_config": self._generation(row),
                }
            ],
        }

    def _score(self, row: AgentRow, count: int) -> dict[str, Any]:
        """Return the result of a participant, from so many seed pairs, and what belongs to it."""
        score, half, cost = row.bb_per_100 or 0.0, row.bb_per_100_half_width, self._rows.costs.get(row.id)
        uncertainty: dict[str, Any] = {"num_samples": count}
        if half is not None:
            uncertainty["confidence_interval"] = {
                "lower": round(score - half, 1),
                "upper": round(score + half, 1),
                "confidence_level": 1 - self._rows.judge.error,
                "method": "boundary that holds at every look, over seed pairs",
            }
        details = {
            "hands": row.hands,
            "rank": row.rank_text,
            "raw_bb_per_100": row.raw_bb_per_100,
            "mu": row.mu,
            "sigma": row.sigma,
            "faults": row.fault_count,
            "forced_folds": row.forced_folds,
            **({} if cost is None else cost.plain()),
        }
        return {"score": row.bb_per_100, "uncertainty": uncertainty, "details": _strings(details)}

    def _generation(self, row: AgentRow) -> dict[str, Any]:
        """Return the settings that decide what a participant answers."""
        if row.asked is UNSET:
            participant = self._config[row.id]
            return {"additional_details": _strings({"agent": participant.type, "params": participant.params})}
        asked = row.asked
        arguments = {name: asked[key] for key, name in _ARGUMENTS.items() if key in asked}
        if "reasoningEffort" in asked or "thinkingTokens" in asked:
            arguments["reasoning"] = asked.get("reasoningEffort") != "none"
        prompt = self._run.header.known("prompt").get(row.id)
        said = {**asked, "reply": row.reply, "track": row.track, "prompt_sha256": prompt}
        return {"generation_args": arguments, "additional_details": _strings(said)}

    def _samples(self, row: AgentRow, model: dict[str, str]) -> Iterator[dict[str, Any]]:
        """Yield a row for each seed pair of a participant, with what it won there in bb/100; as its games finished.

        The hands come from the journal, game by game: a run may have more of them than memory holds.
        """
        settings = self._result.config.game.plain()
        margins: dict[tuple[int, Seed], float] = {}
        for match in self._result.matches:
            if row.id in match.participants:
                of_seeds = zip(match.seed_results, match.margins[self._rows.estimator], strict=True)
                margins |= {(match.number, pair.seed): mbb for pair, mbb in of_seeds}
        halves: dict[tuple[int, Seed], GameRecord] = {}
        for _, game in self._run.read_games():
            place, record = (game.match, game.record.seed), game.record
            if row.id not in game.participants or place not in margins:
                continue
            if place not in halves:
                halves[place] = record
                continue
            games = sorted((halves.pop(place), record), key=lambda each: each.seating)
            player = record.players.index(row.id)
            won = (-1 if player else 1) * margins[place] / MBB_PER_BB100 + 0.0
            about = {"game": settings, "opponent": record.players[1 - player], "seed": record.seed}
            raw = json.dumps(about, ensure_ascii=False)
            faults = [fault for each in games for fault in each.faults if fault.player == player]
            played = {"match": game.match, "seats": [each.seating for each in games]}
            yield {
                "schema_version": SCHEMA,
                "evaluation_id": self._evaluation_id(model),
                "model_id": model["id"],
                "evaluation_name": _BENCHMARK,
                "evaluation_result_id": _METRIC,
                "sample_id": f"match-{game.match:04} {record.seed}",
                "sample_hash": sha256(raw.encode()).hexdigest(),
                "interaction_type": "multi_turn",
                "input": {"raw": raw, "reference": []},
                "output": None,
                "messages": [
                    {"turn_idx": at, "role": "environment", "content": "\n".join(each.hand_texts)}
                    for at, each in enumerate(games)
                ],
                "answer_attribution": [],
                "evaluation": {"score": round(won, 4), "is_correct": won > 0},
                "error": "; ".join(f"{fault.kind} in hand {fault.hand_number}" for fault in faults) or None,
                "metadata": _strings({**played, "hands": sum(each.hands for each in games)}),
            }


def _line(value: object, indent: int | None = None) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=indent) + "\n").encode()


def _strings(values: dict[str, Any]) -> dict[str, str]:
    """Return what is known as text, which is all that the schema takes there."""
    known = {key: value for key, value in values.items() if value is not None and value is not UNSET}
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in known.items()}
