"""Measure how long a decision of the blueprint takes, and how many hands a second a field with it plays.

It plays games against built-in bots, 100 big blinds deep and with carried stacks. Every decision is timed in the game,
so boards are new to it, as they are in a run. Times are those of the processor, so that a busy machine does not matter.
"""

from time import perf_counter, process_time, thread_time

from molt_bench import Action, Mix, Observation, make_agent, play_game, run_benchmark
from molt_bench.plugins.reference.agent import BlueprintAgent
from molt_bench.plugins.reference.buckets import buckets
from molt_bench.plugins.reference.state import public_state

OPPONENTS = ("tag", "maniac", "random", "callstation")
HANDS = 400


class Timed(BlueprintAgent):
    """The blueprint, which notes how long its answers take."""

    def __init__(self) -> None:
        super().__init__(name="timed")
        self.times: dict[str, list[float]] = {}

    def act(self, observation: Observation) -> Action | Mix:
        """Answer, and note the milliseconds."""
        start = thread_time()
        action = super().act(observation)
        self.times.setdefault(observation.street, []).append(1000 * (thread_time() - start))
        return action


def summary(times: list[float]) -> str:
    """Return the mean, the median and the 99th percentile of some milliseconds."""
    ordered = sorted(times)
    mean = sum(ordered) / len(ordered)
    middle, late = ordered[len(ordered) // 2], ordered[99 * len(ordered) // 100]
    return f"{len(ordered):6} decisions, mean {mean:6.3f} ms, median {middle:6.3f} ms, 99th percentile {late:6.3f} ms"


class Watcher(BlueprintAgent):
    """The blueprint, which also asks for what all holes do and are worth, and notes how long that takes."""

    def __init__(self) -> None:
        super().__init__(name="watcher")
        self.times: dict[str, list[float]] = {}

    def act(self, observation: Observation) -> Action | Mix:
        """Answer, and note the milliseconds of the other questions."""
        state = public_state(observation)
        questions = {
            "buckets": lambda: buckets(observation.board),
            "range_policy": lambda: self.range_policy(observation),
            "hand_values": lambda: self.hand_values(state, observation.seat),
        }
        for name, ask in questions.items():
            start = thread_time()
            ask()
            self.times.setdefault(name, []).append(1000 * (thread_time() - start))
        return super().act(observation)


def play(bot: BlueprintAgent, hands: int) -> None:
    """Have a bot play games of each kind."""
    for number, opponent in enumerate(OPPONENTS):
        for stacks in ("reset", "carry"):
            other = make_agent(opponent)
            record = play_game((bot, other), seed=f"speed {number}", hands=hands, stacks=stacks)
            assert not record.faults, record.faults[0]


def field(*participants: str) -> float:
    """Return the hands a second of processor time of a run, with its ratings and terms of luck."""
    config = {
        "participants": [*participants],
        "seeds": {"perMatch": 10},
        "game": {"handsPerGame": 50},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
    }
    start = process_time()
    result = run_benchmark(config, executor="inline", keep_hands=False)
    return sum(match.hands for match in result.matches) / (process_time() - start)


def main() -> None:
    """Measure and print."""
    start = perf_counter()
    play_game((BlueprintAgent(), make_agent("callstation")), seed="load", hands=1)
    print(f"first hand, the table loaded: {1000 * (perf_counter() - start):.0f} ms")
    timed, watcher = Timed(), Watcher()
    play(timed, HANDS)
    for street, times in timed.times.items():
        print(f"{street:12} {summary(times)}")
    print(f"{'all':12} {summary([each for times in timed.times.values() for each in times])} (goal: below 1 ms)")
    play(watcher, HANDS // 10)
    for question, times in watcher.times.items():
        print(f"{question:12} {summary(times)}")
    for names in (("blueprint", "tag"), ("blueprint", *OPPONENTS)):
        print(f"{field(*names):6,.0f} hands a second of processor time: {', '.join(names)} (goal: 400)")


if __name__ == "__main__":
    main()
