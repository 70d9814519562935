/* A hand against a range of starting hands, as molt_bench.agents.starting_hands counts it. */
#include "kernels.h"

/* A range: the bits of its hands; and of each starting hand, where its hands begin and the key of its ranks. */
typedef struct {
    const uint64_t *hands;
    const int64_t *starts, *keys;
    Py_ssize_t size, kinds;
} Range;

/* A hand against a range on one board: twice the wins plus ties; adds the showdowns to `ways`. All hands of a kind are as
   strong as each other, but for flushes. */
static int64_t board_wins(const Range *range, int64_t key, uint64_t bits, int64_t own_key, uint64_t own_bits, int64_t *ways) {
    int64_t won = 0, board = key >> 16;
    uint64_t known = bits | own_bits, of_suit = 0;
    int own = strength(key + own_key, known), suit = -1;
    /* The counter of a suit starts at three: with three of it on the board, others may have a flush. */
    for (int each = 0; each < 4; each++)
        if ((key >> 4 * each & 0xF) >= 6) {
            suit = RANKS * each;
            of_suit = bits >> suit & ((1 << RANKS) - 1);
        }
    for (Py_ssize_t kind = 0; kind < range->kinds; kind++) {
        Py_ssize_t end = kind + 1 < range->kinds ? range->starts[kind + 1] : range->size;
        int live = 0;
        for (Py_ssize_t hand = range->starts[kind]; hand < end; hand++)
            live += !(range->hands[hand] & known);
        /* Five of a rank are not in the table. */
        if (!live)
            continue;
        int64_t sum = board + range->keys[kind];
        int score = compared(own, evaluator.seven[sum + evaluator.offsets[sum >> evaluator.row_bits]]);
        won += live * score;
        *ways += live;
        for (Py_ssize_t hand = range->starts[kind]; suit >= 0 && hand < end; hand++) {
            int flush = evaluator.flush[of_suit | (range->hands[hand] >> suit & ((1 << RANKS) - 1))];
            if (flush && !(range->hands[hand] & known))
                won += compared(own, flush) - score;
        }
    }
    return won;
}

/* A hand against a range on the run-outs of 64 random bytes each: (twice the wins plus ties, showdowns). Arguments: the hand;
   the board; the random bytes; the range as int64: the bits of its hands, where each starting hand begins, and the keys. */
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards = {.count = 0};
    char *given[4];
    Py_ssize_t sizes[4];
    if (count != 6 || !add_cards(&cards, args[0], 2, 2) || !add_cards(&cards, args[1], 0, 5))
        Py_RETURN_NONE;
    for (int at = 0; at < 4; at++)
        if (PyBytes_AsStringAndSize(args[2 + at], &given[at], &sizes[at]) < 0)
            return NULL;
    Range range = {(const uint64_t *)given[1], (const int64_t *)given[2], (const int64_t *)given[3], sizes[1] / 8, sizes[2] / 8};
    for (Py_ssize_t kind = 0; kind < range.kinds; kind++)
        if (sizes[2] != sizes[3] || range.starts[kind] < 0 || range.starts[kind] >= range.size)
            Py_RETURN_NONE;
    int64_t won = 0, ways = 0, own_key = evaluator.key[cards.card[0]] + evaluator.key[cards.card[1]];
    int64_t board_key = evaluator.key_start;
    uint64_t own_bits = evaluator.bit[cards.card[0]] | evaluator.bit[cards.card[1]];
    for (int at = 2; at < cards.count; at++)
        board_key += evaluator.key[cards.card[at]];
    for (Py_ssize_t from = 0; from + 64 <= sizes[0]; from += 64) {
        int drawn[9], missing = 7 - cards.count;
        int64_t key = board_key;
        uint64_t bits = cards.bits & ~own_bits;
        deal_cards((const unsigned char *)given[0] + from, drawn);
        for (int at = 0; at < 9 && missing; at++)
            if (!(cards.bits & evaluator.bit[drawn[at]])) {
                key += evaluator.key[drawn[at]];
                bits |= evaluator.bit[drawn[at]];
                missing--;
            }
        won += board_wins(&range, key, bits, own_key, own_bits, &ways);
    }
    return Py_BuildValue("LL", (long long)won, (long long)ways);
}
