"""Short runs of bots, as rows."""

from molt_bench import Action, run_benchmark
from molt_bench.report.run_rows import Rows

SMALL = {"seeds": {"perMatch": 4, "masterSeed": 1}, "game": {"handsPerGame": 10}}


class Mute:
    name = "mute"

    def act(self, observation):
        raise RuntimeError("nothing to say")


class Stumbler:
    """Answers in every second hand."""

    name = "stumbler"

    def act(self, observation):
        if observation.hand_number % 2:
            raise RuntimeError("not now")
        return Action("call") if observation.to_call else Action("check")


def played(*participants, matches=6, rule=None, **more):
    stop = {"budget": {"maxMatches": matches}, "adjacentConfidence": rule}
    config = {"participants": [*participants], **SMALL, "stop": stop, **more}
    return Rows(run_benchmark(config, agents={"mute": Mute, "stumbler": Stumbler}, executor="inline"))
