"""The run as a generator: it decides, somebody else plays."""

import pytest

from molt_bench.agents.kinds import make_agent
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.endings import INTERRUPTED, Spent
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.past import Extension, Past
from molt_bench.bench.rounds import Played, drive_run, play_nothing, rounds
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.loader import load_config
from molt_bench.config.stop import Budget, StopConfig
from molt_bench.errors import JournalError
from molt_bench.play.play_games import drive

CONFIG = load_config(
    {
        # Bots play in their place: with models, a round of four has two matches.
        "participants": [
            {"id": name, "type": f"llm:openai:{name}"} for name in ("tight", "callstation", "random", "maniac")
        ],
        "seeds": {"perMatch": 2, "masterSeed": "rounds"},
        "game": {"handsPerGame": 5},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
    }
)


def decided(config=CONFIG, **more):
    """Return a generator that decides a run, and the ladder it learns on."""
    ladder = Ladder(config)
    deal = Dealer(config, SeedBlocks(config))
    return rounds(config, ladder, deal, **more), ladder


def play(wanted):
    """Play what is missing of a round."""
    found = dict(wanted.known)
    for label, spec in wanted.missing.items():
        first, second = (make_agent(name) for name in spec.players)
        found[label] = drive(spec, (first, second))
    return Played(found)


def played():
    """Return the result of a run, and its games."""
    games = {}

    def noting(wanted):
        found = play(wanted)
        games.update(found.games)
        return found

    run, _ = decided()
    return drive_run(run, noting), games


def test_it_asks_for_whole_rounds_until_a_stop_rule_holds():
    sizes = []

    def noting(wanted):
        sizes.append((len(wanted.pairs), len(wanted.missing), len(ladder.matches)))
        return play(wanted)

    run, ladder = decided()
    assert drive_run(run, noting).stop_reason == "the budget of 6 matches is spent"
    assert sizes == [(2, 8, 0), (2, 8, 2), (2, 8, 4)]


def test_what_is_known_is_not_asked_for_again():
    result, games = played()
    run, _ = decided(past=Past(games=games))
    assert drive_run(run, play_nothing) == result


@pytest.mark.parametrize("count", range(0, 24, 5))
def test_a_run_that_was_cut_off_anywhere_comes_to_the_same_end(count):
    result, games = played()
    known = dict([*games.items()][:count])
    asked = []

    def noting(wanted):
        asked.extend(wanted.missing)
        return play(wanted)

    run, _ = decided(past=Past(games=known))
    assert drive_run(run, noting) == result
    assert not known.keys() & {*asked}
    assert len(known) + len(asked) == len(games)


def test_without_anybody_to_play_it_ends_as_interrupted_and_rates_the_complete_seed_pairs_of_its_last_round():
    _, games = played()
    run, ladder = decided(past=Past(games=dict([*games.items()][:11])))
    assert drive_run(run, play_nothing).ending == INTERRUPTED
    assert [len(match.seed_results) for match in ladder.matches] == [2, 2, 1]


def test_whoever_only_reads_a_run_rates_nothing_that_the_run_has_not_rated():
    _, games = played()
    run, ladder = decided(past=Past(games=dict([*games.items()][:7]), rated_only=True))
    drive_run(run, play_nothing)
    assert not ladder.matches


@pytest.mark.parametrize("count", [9, 10, 11])
def test_a_match_that_was_cut_short_counts_as_one_once_the_run_goes_on(count):
    """It is rated with its complete seed pairs, and anew with all of them, as if it had never been cut short."""
    whole, games = played()
    first = dict([*games.items()][:count])
    run, _ = decided()
    wanted = drive_run(run, lambda wanted: Played({label: first[label] for label in wanted.missing if label in first}))
    assert len(wanted.matches) == (2 if count < 10 else 3)
    recorded = {match.number: match.margins for match in wanted.matches}
    run, _ = decided(past=Past(games=first, margins=recorded))
    rest = drive_run(run, lambda wanted: Played(wanted.known | {label: games[label] for label in wanted.missing}))
    assert rest == whole


def test_a_round_cut_short_by_the_budget_says_so():
    run, _ = decided()
    result = drive_run(run, lambda wanted: Played(budget=Spent("maxCostUsd", 1)))
    assert result.stop_reason == "the budget of $1 is spent, in the middle of a round"


def test_time_ends_a_run_only_once_known_matches_have_been_gone_through():
    stop = StopConfig(adjacent_confidence=None, budget=Budget(max_matches=None, max_seconds=10))
    _, games = played()
    known = {label: record for label, record in games.items() if label.match <= 4}
    config = CONFIG.model_copy(update={"stop": stop})
    run, ladder = decided(config, past=Past(games=known))
    result = drive_run(run, lambda wanted: Played(wanted.known, seconds=99.0))
    assert (len(ladder.matches), result.stop_reason) == (4, "the budget of 10 seconds is spent")


def test_a_run_whose_time_was_up_in_a_round_ends_for_the_same_reason_when_it_is_resumed():
    """Even if none of that round's games had been finished, so that the clock alone would end it between rounds."""
    limit = Budget(max_matches=None, max_seconds=10)
    stop = StopConfig(adjacent_confidence=None, budget=limit)
    _, games = played()
    known = {label: record for label, record in games.items() if label.match <= 4}
    told = Spent("maxSeconds", 10, in_a_round=True)
    past = Past(games=known, ending=told, seconds=10.5)
    for seconds in (0.0, 99.0):
        run, ladder = decided(CONFIG.model_copy(update={"stop": stop}), past=past)
        result = drive_run(run, lambda wanted, seconds=seconds: Played(wanted.known, seconds=seconds))
        assert (len(ladder.matches), result.ending) == (4, told)


def test_a_run_cannot_have_ended_for_want_of_time_that_it_had():
    limit = Budget(max_matches=None, max_seconds=10)
    stop = StopConfig(adjacent_confidence=None, budget=limit)
    told = Spent("maxSeconds", 10, in_a_round=True)
    past = Past(ending=told, seconds=9.0)
    run, _ = decided(CONFIG.model_copy(update={"stop": stop}), past=past)
    with pytest.raises(JournalError, match="the journal says that the run stopped because the budget of 10 seconds"):
        drive_run(run, lambda wanted: Played(wanted.known))


@pytest.mark.parametrize("count", [20, 24])
def test_a_run_is_extended_once_nothing_more_is_known(count):
    """A round under way is completed by the rule that it was begun by."""
    _, games = played()
    stop = StopConfig(adjacent_confidence=None, budget=Budget(max_matches=8))
    extension = Extension(-(-count // 4), INTERRUPTED, CONFIG.stop)
    past = Past(games=dict([*games.items()][:count]), extensions=(extension,))
    run, ladder = decided(CONFIG.model_copy(update={"stop": stop}), past=past)
    extended = drive_run(run, play)
    assert len(ladder.matches) == 8
    assert extended.extensions == (extension,)
    assert str(extended.ending) == "the budget of 8 matches is spent"


def test_everybody_who_listens_hears_of_every_match_in_its_order():
    heard = []
    run, _ = decided(on_match=heard.append)
    result = drive_run(run, play)
    assert tuple(heard) == result.matches


def test_games_of_another_config_are_noticed():
    _, games = played()
    other = load_config({**CONFIG.plain(), "game": {"handsPerGame": 6}})
    run, _ = decided(other, past=Past(games=games))
    with pytest.raises(JournalError, match="match 1 is not the one that its config plays"):
        next(run)
