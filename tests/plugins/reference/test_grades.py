"""The grades of a run: every decision that counts, once, for the one who made it."""

from types import SimpleNamespace

import msgspec
import pytest

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.plugins.reference.grades import LISTED, GradeBook, left_out
from molt_bench.poker.notation import hand_from_text
from molt_bench.runs.journal_lines import Game
from tests.plugins.reference.stand_in import StandIn

IDS = ("tag", "maniac")


class Broken:
    name = "broken"

    def act(self, observation):
        raise RuntimeError("never")


def worth(done, seat):
    """Return a value that depends on what was done, so that most decisions give something away."""
    return {"call": 40.0, "check": 70.0}.get(done.kind, 7919 * done.amount % 211)


def played(*, agents=IDS, seed="grades", **options):
    made = [Broken() if name == "broken" else BUILTIN_AGENTS[name]() for name in agents]
    record = play_game(tuple(made), seed=seed, **{"hands": 12, **options})
    named = msgspec.structs.replace(record.spec, players=agents)
    return Game(1, msgspec.structs.replace(record, spec=named))


def grades(*games, by=None, agents=IDS):
    book = GradeBook(agents, by or StandIn(worth))
    for at, game in enumerate(games):
        book.add(game, at)
    rows = {name: SimpleNamespace(id=name, bb_per_100=1.0, bb_per_100_half_width=None) for name in agents}
    return book.grades(SimpleNamespace(by_id=rows))


def decisions(game, *, first=1):
    """Return the number of decisions of players A and B in the hands from `first` on."""
    turn = 1 if game.record.seating == "BA" else 0
    hands = [hand_from_text(text).hand for text in game.record.hand_texts[first - 1 :]]
    seats = [done.seat ^ turn for hand in hands for done in hand.log]
    return [seats.count(0), seats.count(1)]


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_every_decision_is_graded_once_for_the_one_who_made_it(seating):
    game = played(seating=seating)
    found = grades(game)
    assert [row.decisions for row in found.participants] == decisions(game)
    assert [row.hands for row in found.participants] == [12, 12]
    assert found.games == 1


def test_losses_add_up_by_street_and_by_kind():
    for row in grades(played(), played(seed="more")).participants:
        for parts in (row.streets, row.kinds):
            assert sum(each.loss_bb_per_100 for each in parts.values()) == pytest.approx(row.loss_bb_per_100, abs=0.01)
        assert sum(each.decisions for each in row.streets.values()) == row.decisions
        assert row.loss_mbb * row.decisions / row.hands / 10 == pytest.approx(row.loss_bb_per_100, abs=0.1)


def test_warm_up_hands_are_left_out():
    game = played(warmup_hands=5)
    found = grades(game)
    assert [row.decisions for row in found.participants] == decisions(game, first=6)
    assert found.participants[0].hands == 12
    assert [len(losses) for losses in found.hands[0].worst_mbb] == [17, 17]
    assert not any(found.hands[0].worst_mbb[0][:5])


def test_forced_folds_are_counted_and_not_graded():
    game = played(agents=("tag", "broken"))
    tag, broken = grades(game, agents=("tag", "broken")).participants
    assert (broken.decisions, broken.loss_mbb, broken.above_mbb) == (0, None, None)
    assert broken.forced_folds == decisions(game)[1] > 0
    assert tag.forced_folds == 0


def test_a_game_in_which_both_failed_is_left_out():
    found = grades(played(agents=("broken", "broken")), agents=("broken",))
    assert [(row.hands, row.decisions, row.forced_folds) for row in found.participants] == [(0, 0, 0)]


def test_the_costliest_decisions_are_the_largest_losses_and_say_where_they_are():
    game = played(seating="BA")
    found = grades(game)
    for player, row in enumerate(found.participants):
        losses = [each.loss_mbb for each in row.costliest]
        assert losses == sorted(losses, reverse=True)
        assert len(losses) == LISTED
        assert losses[0] == pytest.approx(max(found.hands[0].worst_mbb[player]), abs=1)
        for each in row.costliest:
            done = hand_from_text(game.record.hand_texts[each.hand - 1]).hand.log[each.decision]
            assert (done.seat, done.street) == (1 - player, each.street)
            assert found.hands[0].worst_mbb[player][each.hand - 1] >= int(each.loss_mbb)


def test_grades_say_what_was_left_out_and_why():
    agents = ("tag", "broken")
    found = grades(played(agents=agents), agents=agents)
    forced = found.participants[1].forced_folds
    assert left_out(found.participants).startswith(f"Left out: {forced:,} folds that were forced after faults; ")
    assert left_out(grades(played()).participants) == ""


def test_an_interval_needs_two_seeds_and_narrows_with_more():
    games = [played(seed=f"seed {number}") for number in range(8)]
    one, two, eight = (grades(*games[:count]).participants[0].loss_mbb_half_width_95 for count in (1, 2, 8))
    assert one is None
    assert two > eight > 0


def test_who_always_does_the_best_gives_nothing_away():
    def best(done, seat):
        return 100.0 if done.kind in ("call", "check") else 0.0

    found = grades(played(agents=("callstation", "maniac")), agents=("callstation", "maniac"), by=StandIn(best))
    caller, maniac = found.participants
    assert (caller.loss_mbb, caller.mistakes, caller.costliest) == (0, 0, [])
    assert caller.above_mbb == 0 < maniac.above_mbb
    assert maniac.kinds["raises"].decisions == maniac.mistakes > 0
