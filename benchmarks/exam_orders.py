"""What exams claim about agents of known strength: how soon, how often wrongly, and beside play. Part of `exam.py`."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import inf, sqrt
from pathlib import Path
from statistics import fmean, median, stdev

import msgspec
import numpy as np
from strangers import TEN

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.llm.money.expected_use import DECISIONS_PER_HAND
from molt_bench.exam.questions import Question, public_set
from molt_bench.exam.scoring import BLOCK, PER, TIE, Scores, caution_of, tested, value_of, weighted
from molt_bench.exam.session import letters_of
from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import play_match
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate
from molt_bench.seeds import seed_pool

BIG_BLIND = 100
HANDS = 40
#: The error of each order in an exam: 5%, less what is kept for changes of the rule.
ERROR = 0.04
#: Most questions of simulated exams.
MOST = (400, 1600)
#: Leads that are counted together, in big blinds per 100 decisions.
LEADS = (0.0, 5.0, 10.0, 20.0, 40.0, 80.0)
#: The tie margin of runs, in mbb.
TIE_OF_PLAY = 50.0

#: What each action of an agent gives away at a question, with its chance; question by question.
Losses = list[list[tuple[float, float]]]


def answers(agent: PokerAgent, questions: Sequence[Question]) -> Losses:
    """Return for each question what each action of an agent gives away, with its chance."""
    found = []
    for question in questions:
        best = question.best.value
        actions = letters_of(agent.policy(question.seen()))  # type: ignore[attr-defined]
        found.append([(max(0.0, best - value_of(question, letter)), chance) for letter, chance in actions])
    return found


def whole(each: Losses) -> list[float]:
    """Return what an agent gives away at each question on average."""
    return [sum(loss * chance for loss, chance in actions) for actions in each]


def drawn(each: Losses, picked: "np.ndarray", dice: "np.random.RandomState") -> "np.ndarray":
    """Return what one drawn action of an agent gives away at each of the questions that were picked."""
    most = max(map(len, each))
    lost, below = np.zeros((len(each), most)), np.ones((len(each), most))
    for at, actions in enumerate(each):
        lost[at, : len(actions)] = [loss for loss, _ in actions]
        below[at, : len(actions)] = np.cumsum([chance for _, chance in actions])
    below[:, -1] = np.inf
    which = (dice.rand(*picked.shape)[..., None] >= below[picked]).sum(axis=-1)
    found: np.ndarray = lost[picked, np.minimum(which, most - 1)]
    return found


def shapes(weights: "np.ndarray", values: "np.ndarray") -> tuple["np.ndarray", ...]:
    """Return for each exam, at each look: mean, standard error, degrees of freedom, and squared skewness."""
    at = np.arange(BLOCK, weights.shape[1] + 1, BLOCK) - 1
    sums = {
        (power, of): np.cumsum(weights**power * values**of, axis=1)[:, at]
        for power in (1, 2, 3)
        for of in range(power + 1)
    }
    mean, size = sums[1, 1] / sums[1, 0], sums[1, 0] ** 2 / sums[2, 0]
    squares = np.maximum(0.0, sums[2, 2] - 2 * mean * sums[2, 1] + mean**2 * sums[2, 0])
    cubes = sums[3, 3] - 3 * mean * sums[3, 2] + 3 * mean**2 * sums[3, 1] - mean**3 * sums[3, 0]
    some = squares > 1e-9
    skewness = np.where(some, (at + 1) * cubes**2 / np.where(some, squares, 1.0) ** 3, 0.0)
    return mean, np.where(some, np.sqrt(squares * size / (size - 1)), 0.0) / sums[1, 0], size - 1, skewness


def looks(weights: "np.ndarray", leads: "np.ndarray", own: "np.ndarray") -> "np.ndarray":
    """Return what is claimed at each look of each exam.

    `leads` are by exam and question, and `own` is the squared skewness of the more skewed of the two at each look.
    """
    most, test = leads.shape[1], Horizon(TIE, BLOCK)
    means, errors, frees, shown = shapes(weights, leads)
    found = np.full(means.shape, np.nan)
    for exam, look in np.ndindex(*means.shape):
        count, error = (look + 1) * BLOCK, float(errors[exam, look])
        caution = caution_of(count, float(max(shown[exam, look], own[exam, look])))
        lead = Estimate(float(means[exam, look]), error, float(frees[exam, look]), caution=caution)
        found[exam, look] = claim(test, tested(lead, error * sqrt(count), most))
    return found


def claim(test: Horizon, lead: Estimate) -> float:
    """Return what an exam claims: as `Scores.orders` does."""
    if lead.scale == 0.0:  # the ten never answer alike for long
        return float("nan")
    if test.doubt(lead) <= ERROR:
        return float(np.sign(lead.mean))
    return 0.0 if test.tie_doubt(lead) <= ERROR else float("nan")


def print_orders(exams: int, seeds: int) -> None:
    """Simulate exams in which each of ten agents gives one drawn answer to each question."""
    questions = public_set().questions
    weights = np.array([each.weight for each in questions])
    losses = {name: answers(bot.make(name), questions) for name, bot in TEN.items()}
    truth = {name: weighted([*zip(weights, whole(each), strict=True)]) for name, each in losses.items()}
    names = sorted(TEN, key=lambda name: truth[name].mean)
    for name in names:
        print(f"{name:14} lost {PER * truth[name].mean:7.1f} ({PER * truth[name].scale:.1f})", flush=True)
    dice = np.random.RandomState(7)
    picked = dice.randint(len(questions), size=(exams, MOST[-1]))
    lost = {name: drawn(losses[name], picked, dice) for name in names}
    check_against_exam(questions, picked[0, :400], {name: each[0, :400] for name, each in lost.items()})
    leads = {(one, other): lost[other] - lost[one] for one, other in combinations(names, 2)}
    true = {(one, other): truth[other].mean - truth[one].mean for one, other in leads}
    units = [float(np.sqrt((weights[picked] ** 2 * (each - true[pair]) ** 2).mean())) for pair, each in leads.items()]
    print(f"{exams} exams; standard deviation of the weighted lead at a question: median {median(units):.2f} bb")
    for most in MOST:
        weigh = weights[picked[:, :most]]
        own = {name: shapes(weigh, each[:, :most])[3] for name, each in lost.items()}
        skewed = {pair: np.maximum(*[own[name] for name in pair]) for pair in leads}
        claims = {pair: looks(weigh, each[:, :most], skewed[pair]) for pair, each in leads.items()}
        equals = {}
        for pair, each in leads.items():
            apart = each[:, :most] != 0
            off = true[pair] * weigh.sum() / (weigh * apart).sum()
            equals[pair] = looks(weigh, each[:, :most] - off * apart, skewed[pair])
        print_pairs(most, true, claims, equals)
        print_whole_exams(names, weigh, {name: each[:, :most] for name, each in lost.items()}, claims)
    print_play(names, truth, claims, seeds)


def print_pairs(
    most: int,
    true: Mapping[tuple[str, str], float],
    claims: Mapping[tuple[str, str], "np.ndarray"],
    equals: Mapping[tuple[str, str], "np.ndarray"],
) -> None:
    """Print how many of all pairs are ordered after so many questions, by their leads, and how many wrongly."""
    print(f"exams of at most {most} questions, all {len(claims)} pairs:")
    for count in (most // 4, most // 2, most):
        said = []
        for least, below in pairwise(LEADS):
            found = [claims[pair][:, count // BLOCK - 1] for pair, lead in true.items() if least <= PER * lead < below]
            said.append(f"leads {least:g} to {below:g}: {100 * np.mean([each == 1.0 for each in found]):.0f}%")
        print(f"  {count:5} questions: ordered {', '.join(said)}")
    first = {pair: first_claims(found) for pair, found in claims.items()}
    made = np.array([each for pair in first.values() for each in pair if not np.isnan(each)])
    print(f"  {100 * np.mean(made == -1.0):.2f}% of {len(made):,} orders are wrong, at the first look that claims one")
    false = [np.mean(~np.isnan(first_claims(found))) for found in equals.values()]
    # The lead is taken off the questions at which the two answers differ: where they do not, nobody leads.
    print(f"  the same pairs made equal: {100 * np.mean(false):.1f}% are ordered, {100 * max(false):.1f}% of the worst")


def first_claims(found: "np.ndarray") -> "np.ndarray":
    """Return the first order that each exam claims; nan for none."""
    made = np.isin(found, (1.0, -1.0))
    at = made.argmax(axis=1)
    return np.where(made.any(axis=1), found[np.arange(len(found)), at], np.nan)


def print_whole_exams(
    names: list[str],
    weights: "np.ndarray",
    lost: Mapping[str, "np.ndarray"],
    claims: Mapping[tuple[str, str], "np.ndarray"],
) -> None:
    """Print what exams claim about neighbours in their own ranking when they stop: by the rule, or at their limit."""
    sums = np.array([np.cumsum(weights * lost[name], axis=1)[:, BLOCK - 1 :: BLOCK] for name in names])
    order = np.argsort(sums, axis=0, kind="stable")
    exams, count = order.shape[1:]
    sure = wrong = claimed = exams_wrong = 0
    for exam in range(exams):
        for look in range(count):
            ranked = [int(each) for each in order[:, exam, look]]
            said = [
                claims[names[min(pair)], names[max(pair)]][exam, look] * (1 if pair[0] < pair[1] else -1)
                for pair in pairwise(ranked)
            ]
            if not np.isnan(said).any():
                sure += 1
                break
        # A neighbour below is claimed to be worse; it is, if it comes later in `names`.
        bad = sum(each == 1.0 and pair[0] > pair[1] for each, pair in zip(said, pairwise(ranked), strict=True))
        claimed += sum(each == 1.0 for each in said)
        wrong += bad
        exams_wrong += bad > 0
    print(
        f"  whole exams: {100 * sure / exams:.0f}% end with the whole order sure; {claimed / exams:.1f} of "
        f"{len(names) - 1} neighbours ordered, {100 * wrong / max(1, claimed):.2f}% of these wrong; any wrong order in "
        f"{100 * exams_wrong / exams:.1f}% of exams"
    )


def print_play(
    names: list[str],
    truth: Mapping[str, Estimate],
    claims: Mapping[tuple[str, str], "np.ndarray"],
    seeds: int,
) -> None:
    """Print for each two neighbours how many questions decide, and how many hands of the same two would."""
    for one, other in pairwise(names):
        found = np.isin(claims[one, other], (1.0, -1.0))
        need = [BLOCK * (1 + int(row.argmax())) if row.any() else inf for row in found]
        result = play_match(
            (partial(TEN[one].make, one), partial(TEN[other].make, other)), seeds=seed_pool("exam", seeds), hands=HANDS
        )
        margins = margins_of(result, big_blind=BIG_BLIND)["adjusted"]
        mean, deviation = fmean(margins), stdev(margins)
        error = Horizon(TIE_OF_PLAY, 10).deciding(Estimate(mean, deviation / sqrt(seeds), 200, unit=deviation), ERROR)
        hands = 2 * HANDS * max(2.0, (deviation / error) ** 2)
        print(
            f"{one:14} - {other:14} {PER * (truth[other].mean - truth[one].mean):5.1f} per 100 decisions: "
            f"questions {median(need):5.0f}; {mean / 10:+.0f} ({deviation / sqrt(seeds) / 10:.0f}) bb/100: about "
            f"{hands:,.0f} hands, {DECISIONS_PER_HAND * hands:,.0f} calls of each",
            flush=True,
        )


def check_against_exam(questions: Sequence[Question], picked: "np.ndarray", lost: Mapping[str, "np.ndarray"]) -> None:
    """Check that the exam itself claims the same of one simulated exam."""
    asked = [msgspec.structs.replace(questions[at], id=f"{number}") for number, at in enumerate(picked)]
    scores = Scores(asked, [*lost], error=ERROR, most=len(asked))
    scores.losses = {
        name: {each.id: [float(each_lost[at])] for at, each in enumerate(asked)} for name, each_lost in lost.items()
    }
    weights = np.array([each.weight for each in asked])[None, :]
    for order in scores.orders():
        leads = (lost[order.below] - lost[order.above])[None, :]
        own = np.maximum(*[shapes(weights, lost[name][None, :])[3] for name in (order.above, order.below)])
        said = looks(weights, leads, own)[0, -1]
        expected = {"better": 1.0, "tied": 0.0}.get(order.kind, float("nan"))
        assert said == expected or (np.isnan(said) and np.isnan(expected)), (order, said)


def print_agreement(path: Path) -> None:
    """Print what the ten agents lose in another set of questions, beside the public ones of the same streets."""
    other = [msgspec.json.decode(line, type=Question) for line in path.read_bytes().splitlines()]
    streets = {each.decision.kind().street for each in other}
    public = [each for each in public_set().questions if each.decision.kind().street in streets]
    print(f"{len(public)} public questions and {len(other)} others, {' and '.join(sorted(streets))}")
    beyond, found = 0, []
    for name, bot in TEN.items():
        agent = bot.make(name)
        means = [
            weighted([(each.weight, lost) for each, lost in zip(asked, whole(answers(agent, asked)), strict=True)])
            for asked in (public, other)
        ]
        apart = (means[1].mean - means[0].mean) / sqrt(means[0].scale ** 2 + means[1].scale ** 2)
        beyond += abs(apart) > 2
        found.append(means)
        print(
            f"{name:14} "
            + "  ".join(f"{PER * m.mean:7.1f} ({PER * m.scale:.1f})" for m in means)
            + f"  {apart:+.1f} s.e."
        )
    first, second = ([each[at].mean for each in found] for at in (0, 1))
    ranks = [np.argsort(np.argsort(each)) for each in (first, second)]
    print(f"rank correlation {np.corrcoef(*ranks)[0, 1]:+.2f}; {beyond} of {len(found)} differ by more than 2 s.e.")
