"""The page that says where the defaults differ from the requirements: its settings give their way."""

import re
from pathlib import Path

import yaml

PAGE = (Path(__file__).parents[2] / "docs" / "why" / "limits.md").read_text("utf-8")


def config(**sections):
    """Return the config of the page, made short, with other sections on top."""
    whole = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
    short = {"seeds": {"perMatch": 2, "masterSeed": "differ"}, "game": {**whole["game"], "handsPerGame": 10}}
    return {**whole, **short, **sections}


def test_the_config_of_the_page_has_every_setting_of_its_table():
    table = dict(re.findall(r"\| `([a-zA-Z.]+): (\w+)` \|$", PAGE, re.MULTILINE))
    assert len(table) == 5
    for path, value in table.items():
        section = config()
        for name in path.split("."):
            section = section[name]
        assert section == value, path


def test_with_its_settings_the_order_is_that_of_mu(played):
    run = played(config())
    means = [row["mu"] for row in run.board.values()]
    assert means == sorted(means, reverse=True)
    assert (run.config["scheduler"]["policy"], run.config["rating"]["estimator"]) == ("uncertainty_overlap", "raw")


def test_with_its_settings_confidence_comes_from_the_ratings(played):
    run = played(config(stop={"adjacentConfidence": {"threshold": 0.6, "method": "openskill"}}))
    assert run.summary["ending"]["by"] == "order"
    assert all(step["confidence"] >= 0.6 for step in run.steps[-1]["confidences"])


def test_with_its_settings_margins_are_chips_and_stacks_are_carried(played):
    run = played(config())
    rows = run.board.values()
    assert [row["bbPer100"] for row in rows] == [row["rawBbPer100"] for row in rows]
    assert run.config["game"]["stacks"] == "carry"
