"""A game: who sits where, what is counted, what becomes of mistakes."""

import asyncio
from itertools import pairwise

import msgspec
import pytest

from molt_bench import (
    Action,
    AgentError,
    ConfigError,
    GameRecord,
    ParticipantSpec,
    make_agent,
    play_game,
    play_game_async,
)
from molt_bench.play.match import match_result, play_match, seed_pair_specs
from molt_bench.records import MatchResult, SeedResult
from molt_bench.specs import GameSpec
from tests.play.agents import Answers, AsyncCaller, Caller, Future


class Untouchable:
    """Raises when its class is asked for."""

    @property
    def __class__(self):
        raise LookupError("do not look")


def bot(kind, seed=0):
    return make_agent(ParticipantSpec(id=kind, type=kind))


def test_the_same_game_twice_is_the_same():
    first, second = (play_game((bot("random"), bot("tight")), seed="s1", hands=200) for _ in range(2))
    assert first == second
    assert first != play_game((bot("random"), bot("tight")), seed="s2", hands=200)


def test_net_chips_sum_to_zero_and_the_texts_add_up_to_them():
    record = play_game((bot("random", 1), bot("random", 2)), seed="s1", hands=500)
    assert sum(record.net) == 0
    assert sum(parsed.hand.payoffs[0] for parsed in record.replay()) == record.net[0] == sum(record.hand_nets)
    assert record.hands == len(record.hand_texts) == 500
    assert record.actions == sum(len(parsed.hand.log) for parsed in record.replay())


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_results_belong_to_players_wherever_they_sit(seating):
    record = play_game((bot("folder"), bot("callstation")), seed="s1", hands=100, seating=seating)
    assert record.net == (-7500, 7500)
    assert record.players == ("folder", "callstation")


def test_swapping_seats_swaps_the_cards_and_nothing_else():
    first, second = Caller("a"), Caller("b")
    swapped_first, swapped_second = Caller("a"), Caller("b")
    record = play_game((first, second), seed="s1", hands=50)
    swapped = play_game((swapped_first, swapped_second), seed="s1", hands=50, seating="BA")

    def views(agent):
        return [(seen.hand_number, seen.cards, seen.board, seen.seat) for seen in agent.seen]

    assert views(first) == views(swapped_second)
    assert views(second) == views(swapped_first)
    assert record.net == swapped.net[::-1]
    assert record.hand_texts == swapped.hand_texts


def test_every_pairing_sees_the_same_cards():
    decks = set()
    for pair in (("random", "tight"), ("callstation", "maniac"), ("shover", "folder")):
        record = play_game((bot(pair[0]), bot(pair[1])), seed="s1", hands=40)
        decks.add(tuple(text.split(":")[4].rpartition("|")[0] for text in record.hand_texts))
    assert len(decks) == 1


def test_the_button_moves_every_hand_and_seat_0_has_it_first():
    record = play_game((Caller(), Caller()), seed=1, hands=6)
    assert [parsed.hand.button for parsed in record.replay()] == [0, 1, 0, 1, 0, 1]
    assert [parsed.number for parsed in record.replay()] == [1, 2, 3, 4, 5, 6]


def test_warm_up_hands_are_played_but_not_counted():
    cold = play_game((bot("random"), bot("tight")), seed=1, hands=70)
    warm = play_game((bot("random"), bot("tight")), seed=1, hands=50, warmup_hands=20)
    assert warm.hand_texts == cold.hand_texts
    assert (warm.hands, warm.spec.warmup_hands) == (50, 20)
    assert warm.net[0] == sum(cold.hand_nets[20:])
    assert len(warm.stack_trajectory[0]) == 51


def test_the_stack_trajectory_starts_at_the_stack_and_ends_at_the_result():
    record = play_game((bot("random"), bot("tight")), seed=1, hands=30, stack=5_000)
    first, second = record.stack_trajectory
    assert (first[0], second[0]) == (5_000, 5_000)
    assert (first[-1] - 5_000, second[-1] - 5_000) == record.net
    assert tuple(after - before for before, after in pairwise(first)) == record.hand_nets


class TestCarriedStacks:
    def test_what_was_won_is_there_in_the_next_hand(self):
        record = play_game((bot("tight"), bot("maniac")), seed=3, hands=200, stacks="carry")
        hands = [parsed.hand for parsed in record.replay()]
        assert all(before.stacks == after.starting_stacks for before, after in pairwise(hands))
        assert any(hand.starting_stacks != (10_000, 10_000) for hand in hands)

    def test_the_game_ends_when_a_player_is_broke(self):
        record = play_game((bot("shover"), bot("callstation")), seed=3, hands=1000, stacks="carry")
        assert record.hands < 1000
        assert sorted(record.net) == [-10_000, 10_000]
        assert min(record.stack_trajectory[0][-1], record.stack_trajectory[1][-1]) == 0

    def test_stacks_start_afresh_after_the_warm_up(self):
        record = play_game((bot("shover"), bot("callstation")), seed=3, hands=5, warmup_hands=30, stacks="carry")
        hands = [parsed.hand for parsed in record.replay()]
        assert len(hands) == 30 + record.hands
        assert hands[30].starting_stacks == (10_000, 10_000)
        assert record.hands >= 1

    def test_with_stacks_reset_every_hand_starts_the_same(self):
        record = play_game((bot("shover"), bot("callstation")), seed=3, hands=50)
        assert {parsed.hand.starting_stacks for parsed in record.replay()} == {(10_000, 10_000)}


def test_hooks_are_called_before_games_and_after_hands():
    agent = Caller()
    record = play_game((Caller(), agent), seed=1, hands=5)
    play_game((Caller(), agent), seed=2, hands=1)
    assert agent.resets == 2
    assert [result.hand_number for result in agent.results[:5]] == [1, 2, 3, 4, 5]
    assert [result.net[0] for result in agent.results[:5]] == list(record.hand_nets)
    assert all(result.opponent_cards is not None for result in agent.results)


@pytest.mark.parametrize("max_actions", [1, 4, 7, 30, 200])
def test_after_the_last_action_allowed_nobody_may_raise_so_every_hand_ends(max_actions):
    class MinRaiser(Caller):
        def act(self, observation):
            if observation.max_raise_to:
                assert len(observation.log) < max_actions
                return Action("raiseTo", observation.min_raise_to)
            return super().act(observation)

    record = play_game((MinRaiser(), MinRaiser()), seed=1, hands=2, stack=10**7, max_actions=max_actions)
    assert record.faults == ()
    assert all(max_actions < len(parsed.hand.log) <= max_actions + 8 for parsed in record.replay())


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("stack", {"stack": -5}),
        ("stack", {"stack": 99}),
        ("stack", {"stack": 105, "ante": 10}),
        ("stack", {"stack": 10**30}),
        ("seed", {"seed": "\ud800"}),
        ("action_timeout_s", {"action_timeout_s": 10**400}),
        ("hands", {"hands": 0}),
        ("hands", {"hands": -1}),
        ("hands", {"hands": 1.5}),
        ("hands", {"hands": True}),
        ("hands", {"hands": "10"}),
        ("seed", {"seed": 1.5}),
        ("seed", {"seed": None}),
        ("small_blind", {"small_blind": 200}),
        ("big_blind", {"big_blind": 0, "small_blind": 0}),
        ("ante", {"ante": -1}),
        ("stacks", {"stacks": "keep"}),
        ("seating", {"seating": "first"}),
        ("max_retries", {"max_retries": -1}),
        ("max_actions", {"max_actions": 0}),
        ("warmup_hands", {"warmup_hands": -1}),
        ("raise_cap", {"raise_cap": 0}),
        ("action_timeout_s", {"action_timeout_s": 0}),
        ("action_timeout_s", {"action_timeout_s": float("nan")}),
        ("action_timeout_s", {"action_timeout_s": "5"}),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_name(field, options):
    with pytest.raises(ConfigError) as caught:
        play_game((Caller(), Caller()), **{"seed": 1, "hands": 1, **options})
    assert caught.value.field == field
    assert str(caught.value).count("\n") == 0


class Touchy:
    """Raises when its name is read."""

    @property
    def name(self):
        raise RuntimeError

    def act(self, observation):
        return Action("fold")


@pytest.mark.parametrize(
    "players", [(), (Caller(),), (Caller(), "tight"), (Caller, Caller()), (None, Caller()), 5, (Touchy(), Caller())]
)
def test_a_player_that_is_no_agent_is_refused(players):
    with pytest.raises(AgentError, match="agent"):
        play_game(players, seed=1, hands=1)


def test_a_class_in_place_of_an_agent_gets_a_hint():
    with pytest.raises(AgentError, match=r"Caller is a class: pass an agent made from it, such as Caller\(\)"):
        play_game((Caller, Caller()), seed=1, hands=1)


def test_a_record_goes_through_json_and_back():
    record = play_game((Answers(None), bot("random")), seed=10**40, hands=20)
    assert msgspec.json.decode(msgspec.json.encode(record), type=GameRecord) == record


class TestAsync:
    def test_the_async_driver_gives_an_equal_record(self):
        for first, second in (("random", "tight"), ("maniac", "tag")):
            plain = play_game((bot(first), bot(second)), seed="s1", hands=60)
            assert asyncio.run(play_game_async((bot(first), bot(second)), seed="s1", hands=60)) == plain

    def test_async_agents_give_the_record_of_plain_ones(self):
        plain = play_game((Caller(), bot("maniac")), seed=1, hands=50)
        agent = AsyncCaller()
        assert asyncio.run(play_game_async((agent, bot("maniac")), seed=1, hands=50)) == plain
        assert (agent.resets, len(agent.results)) == (1, 50)

    def test_a_game_without_a_single_decision_ends_too(self):
        """Blinds that are all anybody has."""
        options = {"seed": 1, "hands": 3, "stack": 100, "small_blind": 100, "big_blind": 100}
        silent = play_game((bot("random"), bot("tight")), **options)
        assert silent.actions == 0
        assert silent.hands == 3
        assert asyncio.run(play_game_async((bot("random"), bot("tight")), **options)) == silent
        assert play_game((bot("random"), bot("tight")), action_timeout_s=30, **options).hand_texts == silent.hand_texts

    def test_plain_code_may_play_async_agents(self):
        plain = play_game((Caller(), bot("maniac")), seed=1, hands=50)
        assert play_game((AsyncCaller(), bot("maniac")), seed=1, hands=50) == plain

    def test_a_plain_function_may_return_an_awaitable(self):
        plain = play_game((Caller("future"), bot("maniac")), seed=1, hands=50)
        assert play_game((Future(), bot("maniac")), seed=1, hands=50) == plain

    @pytest.mark.parametrize("first_late", [1, 2, 7])
    def test_an_agent_that_begins_to_answer_late_is_asked_once_for_each_decision(self, first_late):
        class Wavering(Caller):
            def act(self, observation):
                answer = super().act(observation)

                async def later():
                    return answer

                return later() if len(self.seen) >= first_late and len(self.seen) % 2 else answer

        plain, wavering = Caller(), Wavering()
        record = play_game((plain, bot("maniac")), seed=1, hands=50)
        assert play_game((wavering, bot("maniac")), seed=1, hands=50) == record
        assert wavering.seen == plain.seen

    def test_many_games_run_at_once_on_one_loop(self):
        async def all_games():
            return await asyncio.gather(
                *(play_game_async((AsyncCaller(), bot("random")), seed=seed, hands=10) for seed in range(50))
            )

        one_by_one = [play_game((Caller(), bot("random")), seed=seed, hands=10) for seed in range(50)]
        assert asyncio.run(all_games()) == one_by_one

    def test_an_answer_that_cannot_be_looked_at_is_the_same_fault_in_both_drivers(self):
        class Odd(Caller):
            def act(self, observation):
                return Untouchable()

        plain = play_game((Odd(), Caller()), seed=1, hands=2)
        assert plain.fault_counts[0] == {"exception": 3 * len({fault.hand_number for fault in plain.faults})}
        assert asyncio.run(play_game_async((Odd(), Caller()), seed=1, hands=2)) == plain

    def test_plain_code_may_play_inside_a_running_loop_as_in_a_notebook(self):
        async def notebook():
            return play_game((AsyncCaller(), Caller()), seed=1, hands=5, action_timeout_s=30)

        record = asyncio.run(notebook())
        assert record.faults == ()
        assert record.net == play_game((Caller(), Caller()), seed=1, hands=5).net

    def test_a_long_game_lets_the_others_on_its_loop_have_their_turn(self):
        """An async agent that waits for a moment goes on while scripted bots play a long game beside it."""
        ended = []

        class Quick(Caller):
            async def act(self, observation):
                for _ in range(10):
                    await asyncio.sleep(0)
                return super().act(observation)

        async def play(name, players, hands):
            record = await play_game_async(players, seed=1, hands=hands)
            ended.append(name)
            return record

        async def both():
            long = play("long", (bot("callstation"), bot("random")), 2_000)
            return await asyncio.gather(long, play("quick", (Quick(), Caller()), 1))

        long, quick = asyncio.run(both())
        assert ended == ["quick", "long"]
        assert (long.hands, quick.hands) == (2_000, 1)

    def test_methods_are_looked_up_once_in_both_drivers(self):
        class Rebinds(Caller):
            def act(self, observation):
                self.act = lambda _: Action("fold")
                return super().act(observation)

        plain = play_game((Rebinds(), Caller()), seed=1, hands=5)
        assert asyncio.run(play_game_async((Rebinds(), Caller()), seed=1, hands=5)) == plain


class TestMatch:
    def test_each_seed_is_played_twice_with_seats_swapped(self):
        match = play_match((lambda: bot("random", 1), lambda: bot("tight")), seeds=["x", "y"], hands=20)
        assert [game.seating for pair in match.seed_results for game in pair.games] == ["AB", "BA"] * 2
        assert match.hands == 80
        assert match.score_a == -match.score_b == sum(pair.net for pair in match.seed_results)

    def test_the_games_of_a_seed_have_decks_of_their_own_where_told(self):
        first, second = seed_pair_specs(
            ("a", "b"),
            seed="s",
            hands=5,
            options={"stack": 500, "seating": "BA"},
            deck_seeds=("d0", "d1"),
        )
        assert first == GameSpec(seed="s", hands=5, players=("a", "b"), stack=500, deck_seed="d0")
        assert second == msgspec.structs.replace(first, seating="BA", deck_seed="d1")
        shared = seed_pair_specs(("a", "b"), seed="s", hands=5, options={})
        assert [spec.deck_seed for spec in shared] == [msgspec.UNSET] * 2

    def test_a_match_has_both_games_of_every_seed(self):
        games = [play_game((bot("folder"), bot("shover")), seed=1, hands=2, seating=way) for way in ("AB", "BA")]
        assert match_result(games, draw_threshold=7) == MatchResult(
            (SeedResult(1, (games[0], games[1])),), 7, games[0].players
        )
        with pytest.raises(ValueError, match="zip"):
            match_result(games[:1])

    def test_equal_agents_with_equal_dice_break_even_on_every_seed(self):
        match = play_match((lambda: bot("random", 1), lambda: bot("random", 1)), seeds=range(5), hands=40)
        assert [pair.net for pair in match.seed_results] == [0] * 5
        assert match.winner == "draw"

    def test_the_winner_has_more_chips(self):
        match = play_match((lambda: bot("folder"), lambda: bot("shover")), seeds=[1], hands=10)
        assert (match.winner, match.score_b) == ("B", 1_500)
        assert msgspec.structs.replace(match, draw_threshold=1_500).winner == "draw"
