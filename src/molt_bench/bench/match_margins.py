"""The margins of a match, with and without the odds that its players state, which may be refused later.

Such odds are the draws of a language model and the policy of an agent that is not built in. Once there is evidence that
they are false, they are refused for the whole run: all matches are then counted without them, earlier ones as well.

The weights that are fitted to earlier matches stay as they were when a match was played: they may be any, as long as
they do not depend on it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from functools import reduce
from itertools import combinations
from math import fsum
from typing import Final

from msgspec.structs import replace

from molt_bench._version import BENCH_VERSION
from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.providers.log_probabilities import RecordedDraws
from molt_bench.bench.model_draws import Draws, MatchDraws
from molt_bench.bench.refused_policies import MatchAccount, MatchVariant, StatedOdds
from molt_bench.errors import JournalError
from molt_bench.luck.dice.lookahead import FAR, NEAR
from molt_bench.luck.dice.stated_odds_evidence import Evidence
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.luck.estimators import Estimates, game_estimates, margins_of
from molt_bench.luck.fitting import Fit, GameParts, SeedHands
from molt_bench.luck.stand_ins.match_luck import MatchLuck, RunStandIns
from molt_bench.luck.stand_ins.reasking import Reasking
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import ESTIMATORS, GameRecord, Margins, MatchResult
from molt_bench.specs import GameLabel, GameSpec, Pair

#: Estimators that need no odds.
_BY_CARDS: Final = ("raw", "allIn", "adjusted", "adjustedSolid")
#: The first bench version that has stand-ins, and looks far ahead.
_SINCE: Final = 14
#: Those that need none but a built-in bot's where nobody's word is used: weights are fitted to other matches, too.
_BY_BOTS: Final = tuple(name for name in ESTIMATORS if name != "fitted")


class MatchMargins:
    """Computes the margins of matches.

    Attributes:
        records: Whether an account of every match is recorded: weights are fitted to all of them, so whoever cannot ask
            one policy can work out none.
        differing: Numbers of matches whose recorded account is not what was found.

    Args:
        policies: Action probabilities that participants publish.
        averaged: Those whose hands take time or money, so that averaging over a built-in opponent's cards pays.
        stated: Those of whom the journal of the run says that they publish a policy of their own.
        near: Whether looking ahead ends early, since answers of policies take long.
        version: The bench version that plays the run, or has played it.
    """

    def __init__(
        self,
        policies: Mapping[str, PolicyOf],
        draws: Draws,
        *,
        big_blind: int,
        averaged: Collection[str] = (),
        stated: Collection[str] = (),
        near: bool = False,
        version: int = BENCH_VERSION,
    ) -> None:
        self._policies = policies
        self._draws = draws
        self._big_blind = big_blind
        self._averaged = frozenset(averaged)
        #: Why a policy was not used, by participant and game.
        self._refused: dict[str, dict[GameLabel, str]] = defaultdict(dict)
        self._unanswered: Counter[str] = Counter()
        self._known: dict[int, dict[frozenset[str], Margins]] = {}
        self._lessons: dict[int, dict[frozenset[str], list[SeedHands]]] = {}
        self._accounts: dict[int, MatchAccount] = {}
        self._stated = StatedOdds()
        own = {name for name, policy in policies.items() if isinstance(policy, StatedPolicy)}
        self.records = bool(own)
        self._words = own.union(stated)
        self.differing: list[int] = []
        self._fit = Fit()
        self._stand_ins = RunStandIns() if version >= _SINCE else None
        self._reach = NEAR if near or version < _SINCE else FAR

    def of(
        self,
        number: int,
        pair: Pair,
        result: MatchResult,
        estimates: MutableMapping[GameSpec, Estimates],
        account: MatchAccount | None = None,
    ) -> Margins:
        """Return the margins of a match, without the odds that are refused by now.

        `estimates` has what player A won in some of its games, which are taken out of it; `account` is what was
        recorded when it was rated: that counts, whatever is found now. Raises JournalError if it cannot be that of this
        match.
        """
        if account is not None and not self._fits(account, pair, len(result.seed_results)):
            raise JournalError(f"the journal's margins of match {number} are not those of its participants and seeds")
        games = [game for seed in result.seed_results for game in seed.games]
        labels = [_label(number, game) for game in games]
        draws = self._draws.of_match(number, self._draws.usable(pair), labels, games)
        if account is not None and not self.records:
            self._check(number, pair, result, account)
            self._look_up(number, pair, draws, games)
            self._conclude(number, account)
        else:
            found = {
                game.spec: self._estimates(number, pair, draws, game, known=estimates.pop(game.spec, None))
                for game in games
            }
            luck = self._ahead(number, pair, draws, [(game, found[game.spec]) for game in games])
            self._work_out(number, pair, result, found, luck, account)
        self._draws.judge(draws)
        margins, used = self._now(number)
        lessons = self._lessons.pop(number, None)
        if lessons is not None:
            # They are what was found, even where what was recorded is something else.
            self._fit.learn(pair, lessons.get(used) or next(iter(lessons.values())))
        if len(self._known[number]) == 1:
            del self._known[number]
        return margins

    def _work_out(
        self,
        number: int,
        pair: Pair,
        result: MatchResult,
        found: Mapping[GameSpec, Estimates],
        luck: MatchLuck | None,
        account: MatchAccount | None,
    ) -> None:
        """Work out the margins of a match in every way that may be needed, and judge the odds stated in it."""
        usable = self._usable(pair)
        variants, lessons = {}, {}
        for count in range(len(usable), -1, -1):
            for used in combinations(usable, count):
                players = frozenset(pair.index(name) for name in used)
                trusted = None if luck is None or not self._trusts(luck, players) else luck
                using = {
                    spec: _looked_ahead(each.using(players), trusted, spec, players) for spec, each in found.items()
                }
                variants[used], lessons[frozenset(used)] = self._fitted(pair, result, using)
        evidence = {
            name: reduce(Evidence.plus, told)
            for at, name in enumerate(pair)
            if name in usable and (told := [each for game in found.values() if (each := game.evidence[at]) is not None])
        }
        worked_out = MatchAccount(tuple([MatchVariant(*each) for each in variants.items()]), evidence)
        if account is not None and account != worked_out:
            self.differing.append(number)
        if account is None and self.records:
            self._accounts[number] = worked_out
        self._note(luck, found, frozenset(pair.index(name) for name in usable))
        self._lessons[number] = lessons
        self._conclude(number, account or worked_out)

    def _trusts(self, luck: MatchLuck, players: Collection[int]) -> bool:
        """Return whether stand-ins are used: where one player's dice are known, once they have proven their worth."""
        return self._stand_ins is not None and (self._stand_ins.proven or not luck.one_sided(players))

    def _note(self, luck: MatchLuck | None, found: Mapping[GameSpec, Estimates], players: Collection[int]) -> None:
        """Add a match to the record of stand-ins, if it is one of those in which they have to prove their worth."""
        if self._stand_ins is None or luck is None or not luck.one_sided(players):
            return
        for spec, estimates in found.items():
            usual, ours = estimates.using(players).hands, luck.won(spec, players)
            if usual is not None and ours is not None:
                self._stand_ins.note(ours, usual.won)

    def _fits(self, account: MatchAccount, pair: Pair, seeds: int) -> bool:
        """Return whether a recorded account can be that of a match: some policy is published, and it is by those of it.

        Otherwise, whoever writes a journal could give any margins to bots that publish nothing.
        """
        words = {*self._draws.usable(pair), *(self._words.intersection(pair) - self._stated.refused.keys())}
        return bool(self._words) and account.fits(words, seeds)

    def _check(self, number: int, pair: Pair, result: MatchResult, account: MatchAccount) -> None:
        """Check what a recorded account says that is known without asking anybody: chips, cards, and our own bots."""
        bots = (self._policy(pair[0], {}, None), self._policy(pair[1], {}, None))
        averaged = not self._averaged.isdisjoint(pair)
        known = margins_of(result, big_blind=self._big_blind, policies=bots, averaged=averaged)
        for each in account.variants:
            if any(each.margins_mbb[name] != known[name] for name in (_BY_CARDS if each.used else _BY_BOTS)):
                raise JournalError(f"the journal's margins of match {number} are not what its games give")

    def _look_up(self, number: int, pair: Pair, draws: MatchDraws, games: Sequence[GameRecord]) -> None:
        """Look up the draws of models in a match whose margins are recorded, so that these are judged as before."""
        for game in games if draws else ():
            first, second = (draws[name][_label(number, game)] if name in draws else None for name in pair)
            game_estimates(game, (first, second))

    def _conclude(self, number: int, account: MatchAccount) -> None:
        self._known[number] = account.by_used()
        self._stated.judge(account.evidence)

    def _now(self, number: int) -> tuple[Margins, frozenset[str]]:
        """Return the margins of a match by the odds that are not refused, and whose these are."""
        variants = self._known[number]
        used = max(variants, key=len).difference(self.refused)
        return variants[used], used

    def _usable(self, pair: Pair) -> tuple[str, ...]:
        """Return those of a pair whose odds are their own word, and not refused."""
        drawn = self._draws.usable(pair)
        return tuple(
            name
            for name in pair
            if name in drawn
            or (isinstance(self._policies.get(name), StatedPolicy) and name not in self._stated.refused)
        )

    @property
    def refused(self) -> set[str]:
        """Those whose odds are not used any more."""
        return {*self._draws.refused, *self._stated.refused}

    def account(self, number: int) -> MatchAccount | None:
        """Return what has to be recorded of a match, once; None if that has been, or need not be."""
        return self._accounts.pop(number, None)

    def at_once(self, game: GameRecord, hands: Sequence[PlayedHand]) -> Estimates | None:
        """Return what player A won in a game that was just played; None if that takes long, or needs other games."""
        pair = game.players
        if not self._averaged.isdisjoint(pair) or self._draws.usable(pair):
            return None
        first, second = (self._policy(name, {}, None) for name in pair)
        return all_estimates(game, (first, second), hands=hands, reach=self._reach)

    def again(self, number: int) -> Margins | None:
        """Return the margins of an earlier match, without the odds refused since; None if it had none."""
        return self._now(number)[0] if number in self._known else None

    def reasking(self) -> Reasking | None:
        """Return how many answers of models decisions are worth, by the matches rated so far."""
        return self._stand_ins.reasking() if self._stand_ins is not None else None

    def warnings(self) -> list[str]:
        """Return a warning for each participant whose published policy was not used, or not everywhere."""
        silent = [
            f"{name}: looking ahead, its policy gave no answer that can be right at {count:,} "
            f"{'moment' if count == 1 else 'moments'} of a hand, from where nothing was looked into"
            for name, count in (+self._unanswered).items()
        ]
        return [*self._stated.warnings(), *silent] + [
            f"{name}: its published probabilities were not used in {len(games):,} "
            f"{'game' if len(games) == 1 else 'games'}; the first time: {next(iter(games.values()))}"
            for name, games in self._refused.items()
        ]

    def _fitted(
        self, pair: Pair, result: MatchResult, estimates: Mapping[GameSpec, Estimates]
    ) -> tuple[Margins, list[SeedHands]]:
        """Return margins by the weights fitted to earlier matches, and the hands to learn from.

        Nothing is fitted, nor learned, where one of the decks has been learned from.
        """
        known_decks = self._fit.knows(seed.seed for seed in result.seed_results)
        games: list[GameParts | None] = []

        def estimated(game: GameRecord) -> Estimates:
            found = estimates[game.spec]
            if known_decks or found.hands is None:
                games.append(None)
                return found
            games.append(found.hands)
            return replace(found, fitted=found.fitted - self._fit.luck(pair, found.hands))

        margins = margins_of(result, big_blind=self._big_blind, estimates=estimated)
        lessons: list[SeedHands] = []
        for seed, *both in zip(result.seed_results, games[::2], games[1::2], strict=True):
            known = [game for game in both if game is not None]
            first, second = (game.spec.deck_seed for game in seed.games)
            # Where an agent may remember, its two games have decks of their own: no hand is played twice.
            lessons += [(seed.seed, known)] if first == second else [(seed.seed, [game]) for game in known]
        return margins, lessons

    def _estimates(
        self, number: int, pair: Pair, draws: MatchDraws, game: GameRecord, *, known: Estimates | None = None
    ) -> Estimates:
        """Return what player A won in a game, as a worker has computed it or here; note whose policy was refused."""
        label = _label(number, game)
        if known is None:
            first, second = (self._policy(name, draws, label) for name in pair)
            averaged = not self._averaged.isdisjoint(pair)
            known = all_estimates(game, (first, second), averaged=averaged, reach=self._reach)
        for name, why, unanswered in zip(pair, known.refused, known.unanswered, strict=True):
            self._unanswered[name] += unanswered
            if why:
                self._refused[name].setdefault(label, why)
        return known

    def _ahead(
        self, number: int, pair: Pair, draws: MatchDraws, games: Sequence[tuple[GameRecord, Estimates]]
    ) -> MatchLuck | None:
        """Return the luck of known dice by stand-ins, which learn from the match; None where that is not known."""
        if self._stand_ins is None or self._averaged.isdisjoint(pair):
            return None
        looked_at = []
        for game, found in games:
            first, second = (
                None if why else self._said(name, draws, number, game)
                for name, why in zip(pair, found.refused, strict=True)
            )
            if not game.both_failed:
                looked_at.append((game, (first, second)))
        return self._stand_ins.look_at(pair, looked_at) if looked_at else None

    def _said(self, name: str, draws: MatchDraws, number: int, game: GameRecord) -> PolicyOf | RecordedDraws | None:
        """Return a policy in a game that was looked at; of one that is an agent's own word, what it said then."""
        policy = self._policy(name, draws, _label(number, game))
        return policy.kept(game.spec) if isinstance(policy, StatedPolicy) else policy

    def _policy(self, name: str, draws: MatchDraws, game: GameLabel | None) -> PolicyOf | RecordedDraws | None:
        if game is not None and name in draws:
            return draws[name][game]
        return None if name in self._stated.refused else self._policies.get(name)


def _label(match: int, game: GameRecord) -> GameLabel:
    return GameLabel(match, game.seed, game.seating)


def _looked_ahead(found: Estimates, luck: MatchLuck | None, game: GameSpec, players: Collection[int]) -> Estimates:
    """Return what a game was worth, looked ahead by stand-ins where the odds of some players are used."""
    won = luck.won(game, players) if luck is not None and players else None
    if won is None:
        return found
    hands = None if found.hands is None else found.hands._replace(won=won, terms=b"")
    return replace(found, fitted=fsum(won), hands=hands)
