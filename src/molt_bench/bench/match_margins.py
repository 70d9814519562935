"""The margins of a match, with and without the odds that its players state, which may be refused later.

Such odds are the strategies of a language model, and the policy of an agent that is not built in. Once there is
evidence that the latter is false, it is refused for the whole run: all matches are then counted without it, earlier
ones as well.

The weights that are fitted to earlier matches stay as they were when a match was played: they may be any, as long as
they do not depend on it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from functools import reduce
from itertools import combinations
from math import fsum
from typing import Final

from msgspec.structs import replace

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.bench.model_draws import Draws, MatchDraws
from molt_bench.bench.refused_policies import MatchAccount, MatchVariant, StatedOdds, UnusedPolicy
from molt_bench.errors import JournalError
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.dice.stated_policy_check import Evidence
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.luck.estimators import Estimates, margins_of
from molt_bench.luck.fitting import Fit, GameParts, SeedHands
from molt_bench.luck.stand_ins.match_luck import MatchLuck, RunStandIns
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import ESTIMATORS, GameRecord, Margins, MatchResult
from molt_bench.specs import GameLabel, GameSpec, Pair

#: Estimators that need no odds.
_BY_CARDS: Final = ("raw", "allIn", "adjusted", "adjustedSolid")
#: Those that need none but a built-in bot's where nobody's word is used: weights are fitted to other matches, too.
_BY_BOTS: Final = tuple(name for name in ESTIMATORS if name != "fitted")


class MatchMargins:
    """Computes the margins of matches.

    Attributes:
        differing: Numbers of matches whose recorded account is not what was found.
        recount: Whether margins are worked out even where an account was recorded.

    Args:
        policies: Action probabilities that participants publish.
        averaged: Those whose hands take time or money, so that averaging over a built-in opponent's cards pays.
        stated: Those of whom the journal of the run says that they publish a policy of their own.
    """

    def __init__(
        self,
        policies: Mapping[str, PolicyOf],
        draws: Draws,
        *,
        big_blind: int,
        averaged: Collection[str] = (),
        stated: Collection[str] = (),
    ) -> None:
        self._policies = policies
        self.recount = True
        self._draws = draws
        self._big_blind = big_blind
        self._averaged = frozenset(averaged)
        self._unused: dict[str, UnusedPolicy] = {}
        self._unanswered: Counter[str] = Counter()
        self._known: dict[int, dict[frozenset[str], Margins]] = {}
        self._accounts: dict[int, MatchAccount] = {}
        self._stated = StatedOdds()
        own = {name for name, policy in policies.items() if isinstance(policy, StatedPolicy)}
        #: Weights are fitted to all matches, so whoever cannot ask one policy can work out none.
        self._can_ask = own.issuperset(stated)
        self._words = own.union(stated)
        self.differing: list[int] = []
        self._fit = Fit()
        self._stand_ins = RunStandIns()

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
        draws = self._draws.of_match(number, self._draws.usable(pair), labels)
        lessons: dict[frozenset[str], list[SeedHands]] = {}
        if account is not None and not (self.recount and self._can_ask):
            for each in account.variants:
                check_chips(number, result, each.margins_mbb, big_blind=self._big_blind)
            if self.recount:
                self._check(number, pair, result, account)
            self._conclude(number, account)
        else:
            found = {
                game.spec: self._estimates(number, pair, draws, game, known=estimates.pop(game.spec, None))
                for game in games
            }
            luck = self._ahead(number, pair, draws, [(game, found[game.spec]) for game in games])
            worked_out, lessons = self._work_out(pair, result, found, luck)
            if account is None:
                account = self._accounts[number] = worked_out
            else:
                account = self._compared(number, account, worked_out)
            self._conclude(number, account)
        margins, used = self._now(number)
        if lessons:
            # They are what was found, even where what was recorded is something else.
            self._fit.learn(pair, lessons.get(used) or next(iter(lessons.values())))
        if len(self._known[number]) == 1:
            del self._known[number]
        return margins

    def _work_out(
        self,
        pair: Pair,
        result: MatchResult,
        found: Mapping[GameSpec, Estimates],
        luck: MatchLuck | None,
    ) -> tuple[MatchAccount, dict[frozenset[str], list[SeedHands]]]:
        """Return the account of a match, with its margins in every way that may be needed, and what it teaches."""
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
        self._note(luck, found, frozenset(pair.index(name) for name in usable))
        whys = {name: [each.refused[at] for each in found.values() if each.refused[at]] for at, name in enumerate(pair)}
        unused = {name: UnusedPolicy(len(why), why[0]) for name, why in whys.items() if why}
        silent = {name: sum(each.unanswered[at] for each in found.values()) for at, name in enumerate(pair)}
        account = MatchAccount(
            tuple([MatchVariant(*each) for each in variants.items()]),
            evidence,
            unused,
            {name: count for name, count in silent.items() if count},
        )
        return account, lessons

    def _compared(self, number: int, account: MatchAccount, found: MatchAccount) -> MatchAccount:
        """Return the account of a match, and note whether it is what was found."""
        told = replace(
            account,
            unused=account.unused or found.unused,
            unanswered=account.unanswered or found.unanswered,
        )
        if told != found:
            self.differing.append(number)
        return told

    def _trusts(self, luck: MatchLuck, players: Collection[int]) -> bool:
        """Return whether stand-ins are used: where one player's dice are known, once they have proven their worth."""
        return self._stand_ins.proven or not luck.one_sided(players)

    def _note(self, luck: MatchLuck | None, found: Mapping[GameSpec, Estimates], players: Collection[int]) -> None:
        """Add a match to the record of stand-ins, if it is one of those in which they have to prove their worth."""
        if luck is None or not luck.one_sided(players):
            return
        for spec, estimates in found.items():
            usual, ours = estimates.using(players).hands, luck.won(spec, players)
            if usual is not None and ours is not None:
                self._stand_ins.note(ours, usual.won)

    def _fits(self, account: MatchAccount, pair: Pair, seeds: int) -> bool:
        """Return whether a recorded account can be that of a match: it is by the policies that its players state."""
        words = {*self._draws.usable(pair), *(self._words.intersection(pair) - self._stated.refused.keys())}
        return account.fits(words, seeds) and account.unused.keys() | account.unanswered.keys() <= {*pair}

    def _check(self, number: int, pair: Pair, result: MatchResult, account: MatchAccount) -> None:
        """Check what a recorded account says that is known without asking anybody: chips, cards, and our own bots."""
        bots = (self._policy(pair[0], {}, None), self._policy(pair[1], {}, None))
        averaged = not self._averaged.isdisjoint(pair)
        known = margins_of(result, big_blind=self._big_blind, policies=bots, averaged=averaged)
        for each in account.variants:
            if any(each.margins_mbb[name] != known[name] for name in (_BY_CARDS if each.used else _BY_BOTS)):
                raise JournalError(f"the journal's margins of match {number} are not what its games give")

    def _conclude(self, number: int, account: MatchAccount) -> None:
        self._known[number] = account.by_used()
        self._stated.judge(account.evidence)
        self._unanswered.update(account.unanswered)
        for name, found in account.unused.items():
            before = self._unused.get(name)
            self._unused[name] = UnusedPolicy(before.games + found.games, before.why) if before is not None else found

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
        return {*self._stated.refused}

    def account(self, number: int) -> MatchAccount | None:
        """Return what has to be recorded of a match, once; None if that has been."""
        return self._accounts.pop(number, None)

    def at_once(self, game: GameRecord, hands: Sequence[PlayedHand]) -> Estimates | None:
        """Return what player A won in a game that was just played; None if that takes long, or needs other games."""
        pair = game.players
        if not self._averaged.isdisjoint(pair) or self._draws.usable(pair):
            return None
        first, second = (self._policy(name, {}, None) for name in pair)
        return all_estimates(game, (first, second), hands=hands)

    def again(self, number: int) -> Margins | None:
        """Return the margins of an earlier match, without the odds refused since; None if it had none."""
        return self._now(number)[0] if number in self._known else None

    def warnings(self) -> list[str]:
        """Return a warning for each participant whose published policy was not used, or not everywhere."""
        silent = [
            f"{name}: looking ahead, its policy gave no answer that can be right at {count:,} "
            f"{'moment' if count == 1 else 'moments'} of a hand, from where nothing was looked into"
            for name, count in self._unanswered.items()
        ]
        return [*self._stated.warnings(), *silent] + [
            f"{name}: its published probabilities were not used in {found.games:,} "
            f"{'game' if found.games == 1 else 'games'}; the first time: {found.why}"
            for name, found in self._unused.items()
        ]

    def _fitted(
        self, pair: Pair, result: MatchResult, estimates: Mapping[GameSpec, Estimates]
    ) -> tuple[Margins, list[SeedHands]]:
        """Return margins by the weights fitted to earlier matches, and the hands to learn from."""
        games: list[GameParts | None] = []

        def estimated(game: GameRecord) -> Estimates:
            found = estimates[game.spec]
            if found.hands is None:
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
            lessons += [known] if first == second else [[game] for game in known]
        return margins, lessons

    def _estimates(
        self, number: int, pair: Pair, draws: MatchDraws, game: GameRecord, *, known: Estimates | None = None
    ) -> Estimates:
        """Return what player A won in a game, as a worker has computed it or here."""
        if known is not None:
            return known
        first, second = (self._policy(name, draws, _label(number, game)) for name in pair)
        averaged = not self._averaged.isdisjoint(pair)
        return all_estimates(game, (first, second), averaged=averaged)

    def _ahead(
        self, number: int, pair: Pair, draws: MatchDraws, games: Sequence[tuple[GameRecord, Estimates]]
    ) -> MatchLuck | None:
        """Return the luck of known dice by stand-ins, which learn from the match; None where that is not known."""
        if self._averaged.isdisjoint(pair):
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

    def _said(self, name: str, draws: MatchDraws, number: int, game: GameRecord) -> PolicyOf | StatedDraws | None:
        """Return a policy in a game that was looked at; of one that is an agent's own word, what it said then."""
        policy = self._policy(name, draws, _label(number, game))
        return policy.kept(game.spec) if isinstance(policy, StatedPolicy) else policy

    def _policy(self, name: str, draws: MatchDraws, game: GameLabel | None) -> PolicyOf | StatedDraws | None:
        if game is not None and name in draws:
            return draws[name][game]
        return None if name in self._stated.refused else self._policies.get(name)


def check_chips(number: int, result: MatchResult, margins: Margins, *, big_blind: int) -> None:
    """Check that margins which were read have the chips of the games; raises JournalError if they do not."""
    chips = [1000 * float(seed.net) / big_blind / seed.nominal_hands for seed in result.seed_results]
    if [*margins["raw"]] != chips:
        raise JournalError(f"the recorded margins of match {number} are not what its games give")


def _label(match: int, game: GameRecord) -> GameLabel:
    return GameLabel(match, game.seed, game.seating)


def _looked_ahead(found: Estimates, luck: MatchLuck | None, game: GameSpec, players: Collection[int]) -> Estimates:
    """Return what a game was worth, looked ahead by stand-ins where the odds of some players are used."""
    won = luck.won(game, players) if luck is not None and players else None
    if won is None:
        return found
    hands = None if found.hands is None else found.hands._replace(won=won, terms=b"")
    return replace(found, fitted=fsum(won), hands=hands)
