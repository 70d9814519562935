"""Waiting: how long the replies of language models take, with the games of a round played at once."""

from collections import defaultdict
from collections.abc import Sequence
from math import fsum

from molt_bench.bench.schedule.meeting_counts import circle_order
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.study.pilot import ModelGuess


def sweep_s(config: BenchmarkConfig, guesses: Sequence[ModelGuess]) -> float:
    """Return the seconds that models need for one match of every pairing, with all games of a round at once."""
    models = {model.id: model for model in guesses}
    settings = config.models()
    hands = config.game.hands_per_game + config.game.warmup_hands
    games = 2 * config.seeds.per_match
    yardstick = config.scheduler.reference
    ids = [participant.id for participant in config.participants]
    pairs = [pair for pair in circle_order(ids) if yardstick is None or yardstick in pair]
    size = config.matches_per_round()
    total = 0.0
    for start in range(0, len(pairs), size):
        chosen = pairs[start : start + size]
        calls: dict[str, float] = defaultdict(float)
        # A game is sequential: each question waits for the previous answer.
        longest = 0.0
        for pair in chosen:
            asked = [models[name] for name in pair if name in models]
            turns = {model.id: hands * model.calls_per_hand for model in asked}
            longest = max(longest, fsum(turns[model.id] * model.latency_s for model in asked))
            for model in asked:
                calls[model.id] += games * hands * model.calls_per_hand
        waits = [longest, fsum(calls[name] * models[name].latency_s for name in calls) / config.llm.max_concurrent]
        for name, count in calls.items():
            at_once, a_minute = settings[name].max_concurrent, settings[name].requests_per_minute
            waits.append(count * models[name].latency_s / at_once if at_once else 0.0)
            waits.append(count * 60 / a_minute if a_minute else 0.0)
        total += max(waits)
    return total
