"""The margin model of a gauntlet."""

from itertools import combinations
from math import inf
from typing import ClassVar

import pytest

from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.ranks import rank_intervals
from molt_bench.rating.sequential import Horizon


def model_of(margins, names, **options):
    model = GauntletModel(names, "b", **options)
    for pair, values in margins.items():
        model.add(pair, list(values))
    return model


class TestGauntlet:
    """Everybody has played b, the yardstick, alone."""

    MARGINS: ClassVar = {("a", "b"): [300.0, 500.0, 100.0], ("b", "c"): [200.0, 100.0, 0.0], ("b", "d"): [-50.0, 50.0]}

    def model(self, **options):
        return model_of(self.MARGINS, "abcd", **options)

    def test_a_result_is_the_margin_against_the_yardstick(self):
        model = self.model()
        assert model.result("a") == model.margin("a", "b")
        assert model.result("c") == model.margin("c", "b")
        assert [model.field_of(name) for name in "ab"] == [("b",), ()]

    def test_a_lead_is_a_difference_of_margins_against_the_yardstick(self):
        model = self.model()
        lead = model.lead("a", "c")
        assert lead.mean == pytest.approx(300 + 100)
        assert lead.scale**2 == pytest.approx(model.margin("a", "b").scale ** 2 + model.margin("b", "c").scale ** 2)

    def test_the_lead_over_the_yardstick_is_the_margin_itself(self):
        model = self.model()
        assert model.lead("a", "b") == model.margin("a", "b")
        assert model.lead("b", "c") == model.margin("b", "c")

    def test_the_yardstick_stands_at_0_in_the_ranking(self):
        model = self.model()
        assert model.ranking() == ("a", "b", "d", "c")
        assert (model.result("b").mean, model.result("b").half_width()) == (0, 0)
        assert model.so_far("b") == model.result("b")

    @pytest.mark.parametrize("options", [{"anchors": ["b"]}, {"anchors": ["a", "c"]}])
    def test_anchors_change_nothing(self, options):
        plain, other = self.model(), self.model(**options)
        for first, second in combinations("abcd", 2):
            assert other.lead(first, second) == plain.lead(first, second)
        assert [other.result(name) for name in "abcd"] == [plain.result(name) for name in "abcd"]

    def test_who_has_not_met_the_yardstick_may_have_any_rank_and_widens_no_other_by_more_than_one(self):
        model = model_of({("a", "b"): [900.0, 901.0] * 20, ("b", "c"): [900.0, 901.0] * 20}, "abcd")
        ranks = rank_intervals(model, Horizon(250.0, 10))
        assert ranks == {"a": (1, 2), "b": (2, 3), "c": (3, 4), "d": (1, 4)}
        assert model.so_far("d") is None
        assert model.lead("a", "d").scale == inf

    def test_rank_intervals_need_the_pairs_of_the_yardstick_alone(self):
        assert self.model().pairs == (("a", "b"), ("b", "c"), ("b", "d"))
        assert rank_intervals(self.model(), Horizon(250.0, 10))["b"][0] >= 1

    def test_between_two_it_is_the_same_as_without_a_yardstick(self):
        gauntlet, plain = model_of({("a", "b"): [5.0, 8.0, 1.0]}, "ab"), MarginModel("ab")
        plain.add(("a", "b"), [5.0, 8.0, 1.0])
        assert gauntlet.lead("a", "b").mean == pytest.approx(plain.lead("a", "b").mean)
        assert gauntlet.lead("a", "b").scale == pytest.approx(plain.lead("a", "b").scale)
