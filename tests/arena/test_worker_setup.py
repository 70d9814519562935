"""What workers compute is what this process would: also how far policies are asked ahead."""

from pathlib import Path

from molt_bench.agents.permission import OWN
from molt_bench.arena.worker_setup import WorkerSetup
from molt_bench.luck.dice.lookahead import FAR, NEAR
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.runs.header import stated_policy
from molt_bench.specs import GameSpec, ParticipantSpec

MIXER = Path(__file__).parents[1] / "data" / "runs-v12" / "mixer.py"


def test_a_worker_looks_as_far_ahead_as_the_config_says():
    specs = (ParticipantSpec(id="mixer", type=f"{MIXER}:Mixer"), ParticipantSpec(id="random", type="random"))
    game = GameSpec(seed="near", hands=2, players=("mixer", "random"), stack=1500)
    found = {near: WorkerSetup.of(specs, near=near)()(game) for near in (False, True)}
    policies = tuple(stated_policy(spec, OWN) for spec in specs)
    for near, played in found.items():
        assert played.estimates == all_estimates(played.record(game), policies, reach=NEAR if near else FAR)
    assert found[True].estimates.fitted != found[False].estimates.fitted
