/* The tables of molt_bench.poker.evaluator, and cards as Python has them. */
#include "kernels.h"

Evaluator evaluator;

/* Take the tables, which stay Python's and are never let go. */
PyObject *set_tables(PyObject *self, PyObject *args) {
    static Py_buffer offsets, seven, flush, keys;
    long long start, flush_bits;
    if (evaluator.seven)
        Py_RETURN_NONE;
    if (!PyArg_ParseTuple(args, "y*y*y*y*LLi", &offsets, &seven, &flush, &keys, &start, &flush_bits, &evaluator.row_bits))
        return NULL;
    evaluator.none.key = start, evaluator.flush_bits = flush_bits;
    for (int card = 0; card < CARDS; card++)
        evaluator.card[card] = (Held){((const int64_t *)keys.buf)[card], 1ULL << (RANKS * (card & 3) + (card >> 2))};
    evaluator.offsets = offsets.buf, evaluator.flush = flush.buf, evaluator.seven = seven.buf;
    Py_RETURN_NONE;
}

int add_card(Cards *cards, int card) {
    if (card >= CARDS || cards->count == 9 || cards->bits & evaluator.card[card].bits)
        return 0;
    cards->card[cards->count++] = card;
    cards->bits |= evaluator.card[card].bits;
    return 1;
}

int add_cards(Cards *cards, const char *bytes, Py_ssize_t size) {
    for (Py_ssize_t at = 0; at < size; at++)
        if (!add_card(cards, (unsigned char)bytes[at]))
            return 0;
    return 1;
}

void by_ranks(Held five, uint16_t found[RANKS][RANKS]) {
    int held[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
        held[rank] = 0;
        for (int suit = 0; suit < 4; suit++)
            held[rank] += five.bits >> (RANKS * suit + rank) & 1;
    }
    for (int high = 0; high < RANKS; high++)
        for (int low = 0; low <= high; low++) {
            int64_t ranks = (five.key + evaluator.card[4 * high].key + evaluator.card[4 * low].key) >> 16;
            /* Five of a rank are not in the table. */
            int possible = high == low ? held[high] < 3 : held[high] < 4 && held[low] < 4;
            found[high][low] = found[low][high] = possible ? evaluator.seven[ranks + evaluator.offsets[ranks >> evaluator.row_bits]] : 0;
        }
}
