/* A hand against a range of starting hands, as molt_bench.agents.starting_hands counts it. */
#include "kernels.h"
#include <string.h>

/* A starting hand of a range: where its hands are in the list, its ranks, and whether all of its hands are there. */
typedef struct {
    Py_ssize_t from, to;
    int64_t key;
    int one, two, suited, whole;
} Kind;

/* Two ranks: of a pair, suited or not, how many of those kinds are wholly in the range (0 or 1). */
typedef struct {
    int64_t key;
    int one, two, paired, suited, offsuit;
} Ranks;

typedef struct {
    int kinds, ranks;
    Kind kind[RANKS * RANKS];
    Ranks pair[RANKS * (RANKS + 1) / 2];
} Range;

/* How many of four bits are set. */
static const unsigned char COUNT[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

static Kind kind_at(const uint64_t *hands, Py_ssize_t from, Py_ssize_t to, int64_t key) {
    int cards[2] = {0, 0}, found = 0;
    for (int bit = 0; bit < CARDS && found < 2; bit++)
        if (hands[from] >> bit & 1)
            cards[found++] = bit;
    Kind kind = {from, to, key, cards[0] % RANKS, cards[1] % RANKS, cards[0] / RANKS == cards[1] / RANKS, 0};
    kind.whole = to - from == (kind.one == kind.two ? 6 : kind.suited ? 4 : 12);
    return kind;
}

static void add_ranks(Range *range, const Kind *kind) {
    Ranks *found = range->pair;
    while (found < range->pair + range->ranks && found->key != kind->key)
        found++;
    if (found == range->pair + range->ranks) {
        Ranks ranks = {kind->key, kind->one, kind->two, 0, 0, 0};
        *found = ranks;
        range->ranks++;
    }
    *(kind->one == kind->two ? &found->paired : kind->suited ? &found->suited : &found->offsuit) = 1;
}

/* The strength of a board and two cards without a flush. */
static inline int by_ranks(int64_t board, int64_t key) {
    int64_t sum = board + key;
    return evaluator.seven[sum + evaluator.offsets[sum >> evaluator.row_bits]];
}

/* What flushes change: twice the wins plus ties with them, minus the same without. `live` has the suits that are live of
   each rank, as bits; `of_suit` the ranks on the board of a suit that is there three times or more. */
static int64_t flush_wins(const Range *range, const uint64_t *hands, int64_t board, uint64_t known, int own, int suit,
                          int on_board, uint64_t of_suit, const unsigned live[RANKS]) {
    int64_t won = 0;
    for (int at = 0; at < range->kinds; at++) {
        const Kind *kind = &range->kind[at];
        if (on_board == 3 && !kind->suited)
            continue;
        if (kind->suited && kind->whole && on_board == 3) {
            if (live[kind->one] >> suit & live[kind->two] >> suit & 1)
                won += compared(own, evaluator.flush[of_suit | 1ULL << kind->one | 1ULL << kind->two])
                       - compared(own, by_ranks(board, kind->key));
            continue;
        }
        for (Py_ssize_t hand = kind->from; hand < kind->to; hand++) {
            int flush = evaluator.flush[of_suit | (hands[hand] >> RANKS * suit & ((1 << RANKS) - 1))];
            if (flush && !(hands[hand] & known))
                won += compared(own, flush) - compared(own, by_ranks(board, kind->key));
        }
    }
    return won;
}

/* A hand against a range on one board: twice the wins plus ties; adds the showdowns to `ways`. */
static int64_t board_wins(const Range *range, const uint64_t *hands, int64_t key, uint64_t bits, int64_t own_key,
                          uint64_t own_bits, int64_t *ways) {
    int64_t won = 0, all = 0, board = key >> 16;
    uint64_t known = bits | own_bits;
    unsigned live[RANKS];
    int own = strength(key + own_key, known), count[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
        live[rank] = 0;
        for (int each = 0; each < 4; each++)
            live[rank] |= (unsigned)(~known >> (RANKS * each + rank) & 1) << each;
        count[rank] = COUNT[live[rank]];
    }
    for (int at = 0; at < range->ranks; at++) {
        const Ranks *pair = &range->pair[at];
        int one = count[pair->one], two = count[pair->two], both = COUNT[live[pair->one] & live[pair->two]];
        int possible = pair->paired * (one * (one - 1) / 2) + pair->suited * both + pair->offsuit * (one * two - both);
        /* Five of a rank are not in the table. */
        if (possible) {
            all += possible;
            won += possible * compared(own, by_ranks(board, pair->key));
        }
    }
    for (int at = 0; at < range->kinds; at++)
        for (Py_ssize_t hand = range->kind[at].from; !range->kind[at].whole && hand < range->kind[at].to; hand++)
            if (!(hands[hand] & known)) {
                all++;
                won += compared(own, by_ranks(board, range->kind[at].key));
            }
    *ways += all;
    /* The counter of a suit starts at three: from three on the board on, others may have a flush. */
    for (int suit = 0; suit < 4; suit++) {
        int on_board = (int)(key >> 4 * suit & 0xF) - 3;
        if (on_board >= 3)
            won += flush_wins(range, hands, board, known, own, suit, on_board, bits >> RANKS * suit & ((1 << RANKS) - 1), live);
    }
    return won;
}

/* Read a range: the bits of each hand, where each starting hand begins, and the key of its ranks; all as int64.
   Returns bytes for range_wins. */
PyObject *packed_range(PyObject *self, PyObject *args) {
    const char *bits, *starts, *keys;
    Py_ssize_t hands, kinds, sizes;
    Range range;
    memset(&range, 0, sizeof range);
    if (!PyArg_ParseTuple(args, "y#y#y#", &bits, &hands, &starts, &kinds, &keys, &sizes))
        return NULL;
    hands /= 8;
    kinds /= 8;
    for (Py_ssize_t at = 0; at < kinds; at++) {
        const int64_t *from = (const int64_t *)starts + at;
        Py_ssize_t end = kinds > RANKS * RANKS ? -1 : at + 1 < kinds ? from[1] : hands;
        if (sizes != 8 * kinds || *from < 0 || *from >= end || end > hands) {
            PyErr_SetString(PyExc_ValueError, "this is no range of starting hands");
            return NULL;
        }
        range.kind[range.kinds] = kind_at((const uint64_t *)bits, *from, end, ((const int64_t *)keys)[at]);
        if (range.kind[range.kinds].whole)
            add_ranks(&range, &range.kind[range.kinds]);
        range.kinds++;
    }
    return PyBytes_FromStringAndSize((const char *)&range, sizeof range);
}

/* A hand against a range on the run-outs of 64 random bytes each: (twice the wins plus ties, showdowns).
   The range as `packed_range` returns it, and the bits of its hands. */
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards = {.count = 0};
    char *entropy, *range, *hands;
    Py_ssize_t bytes, packed, sizes;
    if (count != 5 || !add_cards(&cards, args[0], 2, 2) || !add_cards(&cards, args[1], 0, 5))
        Py_RETURN_NONE;
    if (PyBytes_AsStringAndSize(args[2], &entropy, &bytes) < 0 || PyBytes_AsStringAndSize(args[3], &range, &packed) < 0
        || PyBytes_AsStringAndSize(args[4], &hands, &sizes) < 0)
        return NULL;
    if (packed != sizeof(Range))
        Py_RETURN_NONE;
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
        won += board_wins((const Range *)range, (const uint64_t *)hands, key, bits, own_key, own_bits, &ways);
    }
    return Py_BuildValue("LL", (long long)won, (long long)ways);
}
