/* A hand against a range of starting hands, as molt_bench.poker.starting_hands counts it. */
#include "kernels.h"

/* A range, as molt_bench.poker.starting_hands packs it: two ranks with the starting hands that are wholly in it, of a pair,
   suited and not (1 or 0 each); the hands of all others; and all hands once more, those of one suit first. */
typedef struct {
    int64_t key, one, two, paired, suited, offsuit;
} Ranks;
typedef struct {
    int64_t key;
    uint64_t bits;
} Held;
typedef struct {
    const Ranks *ranks;
    const Held *rest, *hands;
    Py_ssize_t pairs, left, size, suited;
} Range;

/* The comparison with a board and two cards without a flush. */
static inline int by_ranks(int own, int64_t sum) {
    return compared(own, evaluator.seven[sum + evaluator.offsets[sum >> evaluator.row_bits]]);
}

/* A hand against a range on one board: twice the wins plus ties; adds the showdowns to `ways`. */
static int64_t board_wins(const Range *range, int64_t key, uint64_t bits, int64_t own_key, uint64_t own_bits, int64_t *ways) {
    static const int COUNT[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    int64_t won = 0, board = key >> 16;
    uint64_t known = bits | own_bits;
    unsigned live[RANKS];
    int own = strength(key + own_key, known);
    for (int rank = 0; rank < RANKS; rank++) {
        live[rank] = 0;
        for (int suit = 0; suit < 4; suit++)
            live[rank] |= (unsigned)(~known >> (RANKS * suit + rank) & 1) << suit;
    }
    for (const Ranks *at = range->ranks; at < range->ranks + range->pairs; at++) {
        unsigned first = live[at->one % RANKS], second = live[at->two % RANKS];
        int one = COUNT[first], two = COUNT[second], both = COUNT[first & second];
        int64_t possible = at->paired * (one * (one - 1) / 2) + at->suited * both + at->offsuit * (one * two - both);
        /* Five of a rank are not in the table. */
        won += possible ? possible * by_ranks(own, board + at->key) : 0;
        *ways += possible;
    }
    for (const Held *at = range->rest; at < range->rest + range->left; at++)
        if (!(at->bits & known)) {
            won += by_ranks(own, board + at->key);
            ++*ways;
        }
    /* The counter of a suit starts at three: with three of it on the board, two of it are a flush. */
    for (int suit = 0; suit < 4; suit++) {
        int64_t counter = key >> 4 * suit & 0xF, of_suit = bits >> RANKS * suit & ((1 << RANKS) - 1);
        const Held *end = range->hands + (counter < 6 ? 0 : counter == 6 ? range->suited : range->size);
        for (const Held *at = range->hands; at < end; at++) {
            int flush = evaluator.flush[of_suit | (at->bits >> RANKS * suit & ((1 << RANKS) - 1))];
            if (flush && !(at->bits & known))
                won += compared(own, flush) - by_ranks(own, board + at->key);
        }
    }
    return won;
}

/* A hand against a range on the run-outs of 64 random bytes each: (twice the wins plus ties, showdowns). Arguments: the hand;
   the board; the random bytes; the parts of the range as int64; how many of its hands are of one suit. */
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards = {.count = 0};
    char *given[4];
    Py_ssize_t sizes[4], suited;
    if (count != 7 || !add_cards(&cards, args[0], 2, 2) || !add_cards(&cards, args[1], 0, 5))
        Py_RETURN_NONE;
    for (int at = 0; at < 4; at++)
        if (PyBytes_AsStringAndSize(args[2 + at], &given[at], &sizes[at]) < 0)
            return NULL;
    suited = PyLong_AsSsize_t(args[6]);
    Range range = {(const Ranks *)given[1], (const Held *)given[2], (const Held *)given[3], sizes[1] / (Py_ssize_t)sizeof(Ranks),
                   sizes[2] / (Py_ssize_t)sizeof(Held), sizes[3] / (Py_ssize_t)sizeof(Held), suited};
    if (suited < 0 || suited > range.size)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
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
