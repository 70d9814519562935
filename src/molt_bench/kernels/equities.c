/* Equities of two hands, before the flop and from the flop on: counts of showdowns. */
#include "kernels.h"
#include <string.h>

/* A share of the table of equities before the flop, see molt_bench/poker/equity.py. */
static struct {
    unsigned char *won;
    unsigned char pattern[256];
    int patterns;
    double whole;
} preflop;

PyObject *set_preflop(PyObject *self, PyObject *args) {
    Py_buffer won, pattern;
    int patterns;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*id", &won, &pattern, &patterns, &preflop.whole))
        return NULL;
    if (pattern.len != sizeof preflop.pattern || won.len != 3L * patterns * (91 * 92 / 2)) {
        PyErr_SetString(PyExc_ValueError, "this is not the table of equities before the flop");
    } else if (preflop.won || (preflop.won = PyMem_Malloc(won.len))) {
        memcpy(preflop.won, won.buf, won.len);
        memcpy(preflop.pattern, pattern.buf, pattern.len);
        preflop.patterns = patterns;
        result = Py_NewRef(Py_None);
    } else {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&won);
    PyBuffer_Release(&pattern);
    return result;
}

static int numbered(int high, int low) {
    return high * (high + 1) / 2 + low;
}

static double before_flop(const int c[4]) {
    int a = c[0], b = c[1], d = c[2], e = c[3];
    if (a < b)
        a = c[1], b = c[0];
    if (d < e)
        d = c[3], e = c[2];
    int own = numbered(a >> 2, b >> 2), other = numbered(d >> 2, e >> 2), behind = own < other;
    int suits = behind ? (d & 3) << 6 | (e & 3) << 4 | (a & 3) << 2 | (b & 3)
                       : (a & 3) << 6 | (b & 3) << 4 | (d & 3) << 2 | (e & 3);
    int ranks = behind ? numbered(other, own) : numbered(own, other);
    const unsigned char *at = preflop.won + 3 * (preflop.patterns * ranks + preflop.pattern[suits]);
    double won = at[0] | at[1] << 8 | at[2] << 16;
    return (behind ? preflop.whole - won : won) / preflop.whole;
}

/* Twice the run-outs won plus those split, for two hands and a flop; by turn card, too. */
static int score_flop(const int c[7], unsigned char by_turn[CARDS]) {
    int64_t keys[2] = {evaluator.key_start, evaluator.key_start}, rank_key[RANKS];
    uint64_t bits[2] = {0, 0}, dead = 0;
    int own[2][4] = {{0}}, left[RANKS], score[RANKS][RANKS], by_rank[RANKS], found[CARDS];
    for (int at = 0; at < 7; at++) {
        dead |= evaluator.bit[c[at]];
        for (int hand = at >= 4 ? 0 : at >> 1; hand < (at >= 4 ? 2 : (at >> 1) + 1); hand++) {
            keys[hand] += evaluator.key[c[at]];
            bits[hand] |= evaluator.bit[c[at]];
            own[hand][c[at] & 3]++;
        }
    }
    for (int rank = 0; rank < RANKS; rank++) {
        rank_key[rank] = evaluator.key[4 * rank] >> 16;
        left[rank] = 4;
    }
    for (int at = 0; at < 7; at++)
        left[c[at] >> 2]--;
    for (int high = 0; high < RANKS; high++)
        for (int low = 0; low <= high; low++) {
            int value = 0;
            /* Five of a rank are not in the table. */
            if (high == low ? left[high] > 1 : left[high] && left[low]) {
                int64_t drawn = rank_key[high] + rank_key[low], one = (keys[0] >> 16) + drawn, two = (keys[1] >> 16) + drawn;
                value = compared(evaluator.seven[one + evaluator.offsets[one >> evaluator.row_bits]],
                                 evaluator.seven[two + evaluator.offsets[two >> evaluator.row_bits]]);
            }
            score[high][low] = score[low][high] = value;
        }
    for (int rank = 0; rank < RANKS; rank++) {
        by_rank[rank] = -score[rank][rank];
        for (int other = 0; other < RANKS; other++)
            by_rank[rank] += left[other] * score[rank][other];
    }
    for (int card = 0; card < CARDS; card++)
        found[card] = dead & evaluator.bit[card] ? 0 : by_rank[card >> 2];
    for (int suit = 0; suit < 4; suit++) {
        int most = own[0][suit] > own[1][suit] ? own[0][suit] : own[1][suit];
        if (most < 3)
            continue;
        /* Boards that give a hand a flush of this suit are looked up one by one. */
        for (int first = 0; first < CARDS; first++) {
            if (dead & evaluator.bit[first])
                continue;
            int needed = 5 - most - ((first & 3) == suit);
            if (needed > 1)
                continue;
            for (int second = first + 1; second < CARDS; second++) {
                if (dead & evaluator.bit[second] || (needed > 0 && (second & 3) != suit))
                    continue;
                int64_t drawn = evaluator.key[first] + evaluator.key[second];
                uint64_t open = evaluator.bit[first] | evaluator.bit[second];
                int change = compared(strength(keys[0] + drawn, bits[0] | open), strength(keys[1] + drawn, bits[1] | open))
                             - score[first >> 2][second >> 2];
                found[first] += change;
                found[second] += change;
            }
        }
    }
    int total = 0;
    for (int card = 0; card < CARDS; card++) {
        by_turn[card] = (unsigned char)found[card];
        total += found[card];
    }
    return total / 2;
}

int read_deal(Cards *cards, PyObject *first, PyObject *second, PyObject *board, Py_ssize_t least, Py_ssize_t most) {
    cards->count = 0;
    cards->bits = 0;
    return add_cards(cards, first, 2, 2) && add_cards(cards, second, 2, 2) && add_cards(cards, board, least, most);
}

static int hand_strength(const Cards *cards, int own) {
    const int *c = cards->card;
    int64_t key = evaluator.key_start + evaluator.key[c[own]] + evaluator.key[c[own + 1]];
    uint64_t bits = evaluator.bit[c[own]] | evaluator.bit[c[own + 1]];
    for (int at = 4; at < 9; at++) {
        key += evaluator.key[c[at]];
        bits |= evaluator.bit[c[at]];
    }
    return strength(key, bits);
}

/* Flops that were looked at lately: a deal is played in two seatings. */
#define REMEMBERED_BITS 11
typedef struct {
    uint64_t cards;
    int score;
    unsigned char by_turn[CARDS];
} Flop;
static Flop lately[1 << REMEMBERED_BITS];

static const Flop *remembered_flop(const int c[7]) {
    uint64_t all = 1;
    for (int at = 0; at < 7; at++)
        all = all << 6 | (uint64_t)c[at];
    Flop *flop = &lately[all * 0x9E3779B97F4A7C15ULL >> (64 - REMEMBERED_BITS)];
    if (flop->cards != all) {
        flop->score = score_flop(c, flop->by_turn);
        flop->cards = all;
    }
    return flop;
}

int shares_of(const Cards *cards, double found[4]) {
    int streets = cards->count < 7 ? 1 : cards->count - 5;
    if (!preflop.won || cards->count < 4 || (cards->count > 4 && cards->count < 7))
        return 0;
    found[0] = before_flop(cards->card);
    if (streets > 1) {
        const Flop *flop = remembered_flop(cards->card);
        found[1] = flop->score / (2 * 990.0);
        if (streets > 2)
            found[2] = flop->by_turn[cards->card[7]] / (2 * 44.0);
        if (streets > 3)
            found[3] = compared(hand_strength(cards, 0), hand_strength(cards, 2)) / 2.0;
    }
    return streets;
}

PyObject *street_equities(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards;
    double found[4];
    int streets = count == 3 && read_deal(&cards, args[0], args[1], args[2], 0, 5) ? shares_of(&cards, found) : 0;
    if (!streets)
        Py_RETURN_NONE;
    return tuple_of(found, streets);
}
