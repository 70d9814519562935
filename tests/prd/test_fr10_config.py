"""FR-10: the config."""

import pytest

import molt_bench
from tests.prd.conftest import small


@pytest.mark.parametrize(
    ("section", "values", "field"),
    [
        ("participants", [{"id": "a", "type": "random"}, {"id": "a", "type": "tight"}], "participants"),
        ("participants", [{"id": "a", "type": "random"}, {"id": "b", "type": "nobody-knows"}], "nobody-knows"),
        ("participants", [{"id": "", "type": "random"}, "tight"], r"participants\S*id"),
        ("seeds", {"perMatch": 0}, "perMatch"),
        ("game", {"handsPerGame": 0}, "handsPerGame"),
        ("game", {"bigBlind": -1}, "bigBlind"),
        ("game", {"smallBlind": 200}, "small"),
        ("game", {"stack": 1}, "stack"),
        ("game", {"maxRetries": -1}, "maxRetries"),
        ("game", {"actionTimeoutS": 0}, "actionTimeoutS"),
        ("match", {"drawThreshold": -1}, "drawThreshold"),
        ("rating", {"sigma0": 0}, "sigma0"),
        ("rating", {"mu0": "high"}, "mu0"),
        ("scheduler", {"policy": "luck"}, "policy"),
        ("scheduler", {"rematchWindow": -1}, "rematchWindow"),
        ("stop", {"budget": {"maxMatches": 0}}, "maxMatches"),
        ("stop", {"topkStable": {"k": 0}}, "topkStable"),
        ("outputDir", 7, "outputDir"),
    ],
)
def test_fr10_39_every_section_is_validated(section, values, field):
    """39: a full schema covers all subsystems; testing plan: rejects invalid configs with clear messages."""
    with pytest.raises(molt_bench.ConfigError, match=field) as caught:
        molt_bench.run_benchmark({**small("random", "tight"), section: values})
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_fr10_39_an_unknown_key_is_an_error_that_names_the_nearest():
    """39: a misspelled key changes nothing silently."""
    with pytest.raises(molt_bench.ConfigError, match="handsPerGame"):
        molt_bench.run_benchmark({**small("random", "tight"), "game": {"handPerGame": 5}})


def test_fr10_40_every_field_but_the_participants_has_a_default():
    """40: sensible defaults for all optional fields; without participants they are random and tight."""
    assert molt_bench.BenchmarkConfig().plain()["participants"]
    config = molt_bench.BenchmarkConfig.model_validate({"participants": [{"id": "a", "type": "tag"}, "tight"]}).plain()
    assert {"seeds", "game", "match", "rating", "scheduler", "stop", "outputDir"} <= config.keys()
    assert (config["game"]["smallBlind"], config["game"]["bigBlind"], config["game"]["stack"]) == (50, 100, 10_000)
    assert config["game"]["maxRetries"] == 2


def test_fr10_41_the_config_is_saved_with_the_results_and_complete(played):
    """41: config snapshot saved to the output dir alongside the results."""
    given = small("random", "tight", matches=1, match={"drawThreshold": 3})
    run = played(given, name="first")
    assert run.config["match"] == {"drawThreshold": 3}
    assert run.config["game"]["handsPerGame"] == 10
    assert run.config["game"]["bigBlind"] == 100  # a default that was not given
    assert run.config["seeds"]["masterSeed"] == "requirements"
    assert played(run.config, name="again").matches == run.matches
