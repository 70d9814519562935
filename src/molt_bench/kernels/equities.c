/* Seat 0's equities in hindsight, as molt_bench.poker.equity has them: counts of showdowns. */
#include "kernels.h"

/* The table of equities before the flop, see molt_bench/poker/equity.py. */
static struct {
    const unsigned char *won, *pattern;
    int patterns;
    double whole;
} preflop;

/* Take the table, which stays Python's and is never let go. */
PyObject *set_preflop(PyObject *self, PyObject *args) {
    static Py_buffer won, pattern;
    if (!preflop.won) {
        if (!PyArg_ParseTuple(args, "y*y*id", &won, &pattern, &preflop.patterns, &preflop.whole))
            return NULL;
        preflop.pattern = pattern.buf, preflop.won = won.buf;
    }
    Py_RETURN_NONE;
}

static int numbered(int high, int low) {
    return high * (high + 1) / 2 + low;
}

static double before_flop(const int card[4]) {
    int ranks[2], suits[2];
    for (int hand = 0; hand < 2; hand++) {
        int one = card[2 * hand], two = card[2 * hand + 1], high = one > two ? one : two, low = one > two ? two : one;
        ranks[hand] = numbered(high >> 2, low >> 2);
        suits[hand] = (high & 3) << 2 | (low & 3);
    }
    int behind = ranks[0] < ranks[1], pattern = preflop.pattern[suits[behind] << 4 | suits[!behind]];
    const unsigned char *at = preflop.won + 3 * (preflop.patterns * numbered(ranks[behind], ranks[!behind]) + pattern);
    double won = at[0] | at[1] << 8 | at[2] << 16;
    return (behind ? preflop.whole - won : won) / preflop.whole;
}

/* Twice the turns and rivers won plus those split, after a flop. */
static int won_on_flop(Held one, Held other) {
    uint16_t ranks[2][RANKS][RANKS];
    uint64_t dead = one.bits | other.bits;
    int won = 0;
    by_ranks(one, ranks[0]);
    by_ranks(other, ranks[1]);
    for (int turn = 0; turn < CARDS; turn++) {
        Held mine = with(one, turn), theirs = with(other, turn);
        for (int river = dead & evaluator.card[turn].bits ? CARDS : turn + 1; river < CARDS; river++) {
            Held last = evaluator.card[river];
            if (dead & last.bits)
                continue;
            if (((mine.key + last.key) | (theirs.key + last.key)) & evaluator.flush_bits)
                won += compared(strength(both(mine, last)), strength(both(theirs, last)));
            else
                won += compared(ranks[0][turn >> 2][river >> 2], ranks[1][turn >> 2][river >> 2]);
        }
    }
    return won;
}

/* The same, kept for a while: a deal is played in two seatings. */
static int won_lately(const int card[7], Held one, Held other) {
    static struct {
        uint64_t cards;
        int won;
    } lately[1 << 11], *flop;
    uint64_t all = 1;
    for (int at = 0; at < 7; at++)
        all = all << 6 | (uint64_t)card[at];
    flop = &lately[all * 0x9E3779B97F4A7C15ULL >> 53];
    if (flop->cards != all)
        flop->won = won_on_flop(one, other), flop->cards = all;
    return flop->won;
}

static int won_on_turn(Held one, Held other) {
    int won = 0;
    for (int card = 0; card < CARDS; card++)
        if (!((one.bits | other.bits) & evaluator.card[card].bits))
            won += compared(strength(with(one, card)), strength(with(other, card)));
    return won;
}

int shares_of(const int *card, int count, double found[4]) {
    int streets = count < 7 ? 1 : count - 5;
    if (!preflop.won || count < 4 || (count > 4 && count < 7))
        return 0;
    found[0] = before_flop(card);
    Held one = both(evaluator.none, held_in(card, 2)), other = both(evaluator.none, held_in(card + 2, 2));
    for (int street = 1; street < streets; street++) {
        Held opened = street == 1 ? held_in(card + 4, 3) : evaluator.card[card[street + 5]];
        one = both(one, opened), other = both(other, opened);
        found[street] = street == 1   ? won_lately(card, one, other) / (2 * 990.0)
                        : street == 2 ? won_on_turn(one, other) / (2 * 44.0)
                                      : compared(strength(one), strength(other)) / 2.0;
    }
    return streets;
}

/* The same for Python, which gives a byte for each card. */
PyObject *street_equities(PyObject *self, PyObject *args) {
    Cards cards = {.count = 0};
    const char *given;
    Py_ssize_t size;
    double found[4];
    if (!PyArg_ParseTuple(args, "y#", &given, &size))
        return NULL;
    int streets = add_cards(&cards, given, size) ? shares_of(cards.card, cards.count, found) : 0;
    PyObject *shares = streets ? PyTuple_New(streets) : Py_NewRef(Py_None);
    for (int at = 0; shares && at < streets; at++)
        if (PyTuple_SetItem(shares, at, PyFloat_FromDouble(found[at])) < 0)
            Py_CLEAR(shares);
    return shares;
}
