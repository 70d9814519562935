"""What the tests of hands share: hands that random numbers play, as hypothesis draws them."""

from hypothesis import strategies as st

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action

#: A plan of a hand: what is wished for at each decision, and a size.
PLANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 10**6)), max_size=30)
STACKS = st.tuples(st.integers(1, 3_000), st.integers(1, 3_000))
CAPS = st.one_of(st.none(), st.integers(1, 3))


def step(hand, plan):
    """Do what comes next in a plan, or check and call where it has ended."""
    wish, size = next(plan, (1, 0))
    legal = hand.legal_actions()
    if wish > 5 and legal.max_raise_to:
        low, high = legal.min_raise_to, legal.max_raise_to
        hand.apply(Action("raiseTo", low + size % (high - low + 1)))
    elif wish == 0:
        hand.apply(FOLD)
    else:
        hand.apply(CALL if legal.to_call else CHECK)
