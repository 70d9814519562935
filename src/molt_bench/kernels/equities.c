/* Equities: two hands on a flop, a hand against a fixed sample, a hand against a range. All are counts of showdowns. */
#include "kernels.h"
#include <string.h>

/* A share of the table of equities before the flop, see molt_bench/poker/equity.py. */
static struct {
    unsigned char *won;
    Py_ssize_t size;
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
        preflop.size = won.len;
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

static int compared(int one, int two) {
    return (one > two) + (one >= two);
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

static int read_deal(Cards *cards, PyObject *first, PyObject *second, PyObject *board, Py_ssize_t least, Py_ssize_t most) {
    cards->count = 0;
    cards->bits = 0;
    return add_cards(cards, first, 2, 2) && add_cards(cards, second, 2, 2) && add_cards(cards, board, least, most);
}

PyObject *flop_score(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards;
    unsigned char by_turn[CARDS];
    if (count != 3 || !read_deal(&cards, args[0], args[1], args[2], 3, 3))
        Py_RETURN_NONE;
    int total = score_flop(cards.card, by_turn);
    return Py_BuildValue("iy#", total, by_turn, (Py_ssize_t)CARDS);
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

PyObject *street_equities(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards;
    unsigned char by_turn[CARDS];
    double found[4];
    if (count != 3 || !preflop.won || !read_deal(&cards, args[0], args[1], args[2], 0, 5))
        Py_RETURN_NONE;
    int streets = cards.count < 7 ? 1 : cards.count - 5;
    if (cards.count > 4 && cards.count < 7)
        Py_RETURN_NONE;
    found[0] = before_flop(cards.card);
    if (streets > 1) {
        found[1] = score_flop(cards.card, by_turn) / (2 * 990.0);
        if (streets > 2)
            found[2] = by_turn[cards.card[7]] / (2 * 44.0);
        if (streets > 3)
            found[3] = compared(hand_strength(&cards, 0), hand_strength(&cards, 2)) / 2.0;
    }
    PyObject *result = PyTuple_New(streets);
    for (int at = 0; result && at < streets; at++) {
        PyObject *share = PyFloat_FromDouble(found[at]);
        if (!share || PyTuple_SetItem(result, at, share) < 0)
            Py_CLEAR(result);
    }
    return result;
}

/* Two hands on a board against samples: bytes with the places among the live cards, the other hand first. */
PyObject *sampled_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards;
    char *samples;
    Py_ssize_t size;
    if (count != 4 || !read_deal(&cards, args[0], args[1], args[2], 3, 5))
        Py_RETURN_NONE;
    if (PyBytes_AsStringAndSize(args[3], &samples, &size) < 0)
        return NULL;
    int live[CARDS], alive = 0, drawn = 11 - cards.count, won[2] = {0, 0};
    for (int card = 0; card < CARDS; card++)
        if (!(cards.bits & evaluator.bit[card]))
            live[alive++] = card;
    int64_t key = evaluator.key_start;
    uint64_t bits = 0;
    for (int at = 4; at < cards.count; at++) {
        key += evaluator.key[cards.card[at]];
        bits |= evaluator.bit[cards.card[at]];
    }
    int64_t own_key[2];
    uint64_t own_bits[2];
    for (int hand = 0; hand < 2; hand++) {
        const int *c = cards.card + 2 * hand;
        own_key[hand] = evaluator.key[c[0]] + evaluator.key[c[1]];
        own_bits[hand] = evaluator.bit[c[0]] | evaluator.bit[c[1]];
    }
    /* Without a flush, a hand is as strong on all run-outs of the same ranks. */
    int16_t memo[2][RANKS * RANKS];
    memset(memo, 0, sizeof memo);
    for (Py_ssize_t at = 0; at + drawn <= size; at += drawn) {
        int64_t shared = key;
        uint64_t open = bits;
        int ranks = 0, card[4];
        for (int each = 0; each < drawn; each++) {
            int place = (unsigned char)samples[at + each];
            if (place >= alive)
                Py_RETURN_NONE;
            card[each] = live[place];
        }
        for (int each = 2; each < drawn; each++) {
            shared += evaluator.key[card[each]];
            open |= evaluator.bit[card[each]];
            ranks = RANKS * ranks + (card[each] >> 2);
        }
        int other = strength(shared + evaluator.key[card[0]] + evaluator.key[card[1]],
                             open | evaluator.bit[card[0]] | evaluator.bit[card[1]]);
        for (int hand = 0; hand < 2; hand++) {
            int own = memo[hand][ranks];
            int64_t sum = shared + own_key[hand];
            if (sum & evaluator.flush_bits)
                own = strength(sum, open | own_bits[hand]);
            else if (!own)
                memo[hand][ranks] = (int16_t)(own = strength(sum, 0));
            won[hand] += compared(own, other);
        }
    }
    return Py_BuildValue("ii", won[0], won[1]);
}

/* A starting hand of a range: where its hands are in the list, its ranks, and whether all of its hands are there. */
typedef struct {
    Py_ssize_t from, to;
    int64_t key;
    int one, two, suited, whole;
} Kind;

/* How many of four bits are set. */
static const unsigned char COUNT[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static Kind kind_of(const uint64_t *hands, Py_ssize_t from, Py_ssize_t to, int64_t key) {
    int cards[2], found = 0;
    for (int bit = 0; bit < CARDS && found < 2; bit++)
        if (hands[from] >> bit & 1)
            cards[found++] = bit;
    Kind kind = {from, to, key, cards[0] % RANKS, cards[1] % RANKS, cards[0] / RANKS == cards[1] / RANKS, 0};
    kind.whole = to - from == (kind.one == kind.two ? 6 : kind.suited ? 4 : 12);
    return kind;
}

/* How many hands of a kind are possible; `live` has the suits that are live of each rank, as bits. */
static int possible_hands(const Kind *kind, const uint64_t *hands, const unsigned live[RANKS], uint64_t known) {
    int found = 0, one = COUNT[live[kind->one]], both = COUNT[live[kind->one] & live[kind->two]];
    if (kind->whole)
        return kind->one == kind->two ? one * (one - 1) / 2 : kind->suited ? both : one * COUNT[live[kind->two]] - both;
    for (Py_ssize_t hand = kind->from; hand < kind->to; hand++)
        found += !(hands[hand] & known);
    return found;
}

/* A hand against a range on one board: twice the wins plus ties; adds the showdowns to `ways`. */
static int64_t board_wins(const Kind *kinds, Py_ssize_t count, const uint64_t *hands, int64_t key, uint64_t bits,
                          int64_t own_key, uint64_t own_bits, int64_t *ways) {
    int64_t won = 0;
    uint64_t known = bits | own_bits, of_suit = 0;
    unsigned live[RANKS];
    int own = strength(key + own_key, known), suit = -1, on_board = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        live[rank] = 0;
        for (int each = 0; each < 4; each++)
            live[rank] |= (unsigned)(~known >> (RANKS * each + rank) & 1) << each;
    }
    /* The counter of a suit starts at three: from three on the board on, others may have a flush. */
    for (int each = 0; each < 4; each++)
        if ((key >> 4 * each & 0xF) >= 6) {
            suit = each;
            on_board = (int)(key >> 4 * each & 0xF) - 3;
            of_suit = bits >> RANKS * each & ((1 << RANKS) - 1);
        }
    for (Py_ssize_t at = 0; at < count; at++) {
        const Kind *kind = &kinds[at];
        int possible = possible_hands(kind, hands, live, known);
        if (!possible)
            continue;
        int64_t sum = (key >> 16) + kind->key;
        int score = compared(own, evaluator.seven[sum + evaluator.offsets[sum >> evaluator.row_bits]]);
        *ways += possible;
        won += possible * score;
        if (suit < 0 || (on_board == 3 && !kind->suited))
            continue;
        for (Py_ssize_t hand = kind->from; hand < kind->to; hand++) {
            int flush = evaluator.flush[of_suit | (hands[hand] >> RANKS * suit & ((1 << RANKS) - 1))];
            if (flush && !(hands[hand] & known))
                won += compared(own, flush) - score;
        }
    }
    return won;
}

/* Read a range: the bits of each hand, where each starting hand begins, and the key of its ranks; all as int64.
   Returns bytes for range_wins. */
PyObject *packed_range(PyObject *self, PyObject *args) {
    const char *bits, *starts, *keys;
    Py_ssize_t hands, kinds, sizes;
    Kind all[RANKS * RANKS];
    if (!PyArg_ParseTuple(args, "y#y#y#", &bits, &hands, &starts, &kinds, &keys, &sizes))
        return NULL;
    hands /= 8;
    kinds /= 8;
    for (Py_ssize_t at = 0; at < kinds; at++) {
        const int64_t *from = (const int64_t *)starts + at;
        Py_ssize_t end = at + 1 < kinds ? from[1] : hands;
        if (kinds > RANKS * RANKS || sizes != 8 * kinds || *from < 0 || *from >= end || end > hands) {
            PyErr_SetString(PyExc_ValueError, "this is no range of starting hands");
            return NULL;
        }
        all[at] = kind_of((const uint64_t *)bits, *from, end, ((const int64_t *)keys)[at]);
    }
    return PyBytes_FromStringAndSize((const char *)all, kinds * sizeof(Kind));
}

/* A hand against a range on the run-outs of 64 random bytes each: (twice the wins plus ties, showdowns).
   The range as `packed_range` returns it, and the bits of its hands. */
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards = {.count = 0};
    char *entropy, *kinds, *hands;
    Py_ssize_t bytes, packed, sizes;
    if (count != 5 || !add_cards(&cards, args[0], 2, 2) || !add_cards(&cards, args[1], 0, 5))
        Py_RETURN_NONE;
    if (PyBytes_AsStringAndSize(args[2], &entropy, &bytes) < 0 || PyBytes_AsStringAndSize(args[3], &kinds, &packed) < 0
        || PyBytes_AsStringAndSize(args[4], &hands, &sizes) < 0)
        return NULL;
    int64_t won = 0, ways = 0, own_key = evaluator.key[cards.card[0]] + evaluator.key[cards.card[1]];
    int64_t board_key = evaluator.key_start;
    uint64_t own_bits = evaluator.bit[cards.card[0]] | evaluator.bit[cards.card[1]];
    for (int at = 2; at < cards.count; at++)
        board_key += evaluator.key[cards.card[at]];
    for (Py_ssize_t from = 0; from + 64 <= bytes; from += 64) {
        int drawn[9], missing = 7 - cards.count;
        int64_t key = board_key;
        uint64_t bits = cards.bits & ~own_bits;
        deal_cards((const unsigned char *)entropy + from, drawn);
        for (int at = 0; at < 9 && missing; at++)
            if (!(cards.bits & evaluator.bit[drawn[at]])) {
                key += evaluator.key[drawn[at]];
                bits |= evaluator.bit[drawn[at]];
                missing--;
            }
        won += board_wins((const Kind *)kinds, packed / sizeof(Kind), (const uint64_t *)hands, key, bits, own_key, own_bits, &ways);
    }
    return Py_BuildValue("LL", (long long)won, (long long)ways);
}
