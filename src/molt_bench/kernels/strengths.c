/* How strong two hands are by themselves: compared with a third on a fixed sample, as molt_bench.luck.strength. */
#include "kernels.h"
#include <string.h>

/* A board of known cards: the keys and bits of those on it, of the two hands, and of all live cards. */
typedef struct {
    int64_t key, own_key[2], live_key[CARDS];
    uint64_t bits, own_bits[2], live_bit[CARDS];
} Table;

/* Compare both hands with a third, which is drawn with two cards to come. Most often nobody has a flush. */
static void compare_on_flop(const Table *table, const unsigned char *samples, Py_ssize_t size, int won[2]) {
    const int64_t *key = table->live_key, own = table->own_key[0], own_too = table->own_key[1];
    const uint64_t *bit = table->live_bit;
    const uint16_t *seven = evaluator.seven;
    const int32_t *offsets = evaluator.offsets;
    const int64_t flush_bits = evaluator.flush_bits;
    const int row_bits = evaluator.row_bits;
    int first = 0, second = 0;
    for (const unsigned char *at = samples, *end = at + size; at + 4 <= end; at += 4) {
        int64_t shared = table->key + key[at[2]] + key[at[3]];
        int64_t one = shared + own, two = shared + own_too, three = shared + key[at[0]] + key[at[1]];
        if ((one | two | three) & flush_bits) {
            uint64_t open = table->bits | bit[at[2]] | bit[at[3]];
            int other = strength(three, open | bit[at[0]] | bit[at[1]]);
            first += compared(strength(one, open | table->own_bits[0]), other);
            second += compared(strength(two, open | table->own_bits[1]), other);
            continue;
        }
        one >>= 16;
        two >>= 16;
        three >>= 16;
        int other = seven[three + offsets[three >> row_bits]];
        first += compared(seven[one + offsets[one >> row_bits]], other);
        second += compared(seven[two + offsets[two >> row_bits]], other);
    }
    won[0] = first;
    won[1] = second;
}

/* The same with one card to come, or none, where `drawn` is 2: what both hands are with each card is looked up once. */
static inline void compare_later(const Table *table, const unsigned char *samples, Py_ssize_t size, int drawn, int won[2]) {
    const int64_t *key = table->live_key;
    const uint64_t *bit = table->live_bit;
    const uint16_t *seven = evaluator.seven;
    const int32_t *offsets = evaluator.offsets;
    const int64_t flush_bits = evaluator.flush_bits;
    const int row_bits = evaluator.row_bits;
    int own[CARDS][2] = {{0}}, first = 0, second = 0;
    for (const unsigned char *at = samples, *end = at + size; at + drawn <= end; at += drawn) {
        int card = drawn == 3 ? at[2] : 0;
        int64_t shared = table->key + (drawn == 3 ? key[card] : 0), three = shared + key[at[0]] + key[at[1]];
        uint64_t open = table->bits | (drawn == 3 ? bit[card] : 0);
        if (!own[card][0])
            for (int hand = 0; hand < 2; hand++)
                own[card][hand] = 1 + strength(shared + table->own_key[hand], open | table->own_bits[hand]);
        int64_t ranks = three >> 16;
        int other = three & flush_bits ? strength(three, open | bit[at[0]] | bit[at[1]])
                                       : seven[ranks + offsets[ranks >> row_bits]];
        first += compared(own[card][0], 1 + other);
        second += compared(own[card][1], 1 + other);
    }
    won[0] = first;
    won[1] = second;
}

static int sampled(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]) {
    Table table = {.key = evaluator.key_start};
    const unsigned char *drawn = (const unsigned char *)samples;
    int alive = 0;
    for (int card = 0; card < CARDS; card++)
        if (!(cards->bits & evaluator.bit[card])) {
            table.live_key[alive] = evaluator.key[card];
            table.live_bit[alive++] = evaluator.bit[card];
        }
    for (int at = 4; at < cards->count; at++) {
        table.key += evaluator.key[cards->card[at]];
        table.bits |= evaluator.bit[cards->card[at]];
    }
    for (int hand = 0; hand < 2; hand++) {
        const int *c = cards->card + 2 * hand;
        table.own_key[hand] = evaluator.key[c[0]] + evaluator.key[c[1]];
        table.own_bits[hand] = evaluator.bit[c[0]] | evaluator.bit[c[1]];
    }
    unsigned char last = 0;
    for (Py_ssize_t at = 0; at < size; at++)
        last = drawn[at] > last ? drawn[at] : last;
    if (last >= alive)
        return 0;
    if (cards->count == 7)
        compare_on_flop(&table, drawn, size, won);
    else if (cards->count == 8)
        compare_later(&table, drawn, size, 3, won);
    else if (cards->count == 9)
        compare_later(&table, drawn, size, 2, won);
    return cards->count >= 7;
}

/* Strengths that were sampled lately: a deal is played in two seatings. */
#define REMEMBERED 4096
static struct {
    const char *samples;
    uint64_t cards;
    int won[2];
} lately[REMEMBERED];

PyObject *forget_strengths(PyObject *self, PyObject *none) {
    memset(lately, 0, sizeof lately);
    return Py_NewRef(Py_None);
}

int sampled_lately(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]) {
    uint64_t all = (uint64_t)cards->count;
    for (int at = 0; at < cards->count; at++)
        all = all << 6 | (uint64_t)cards->card[at];
    size_t place = all * 0x9E3779B97F4A7C15ULL >> 52;
    if (lately[place].samples != samples || lately[place].cards != all) {
        if (!sampled(cards, samples, size, lately[place].won)) {
            lately[place].samples = NULL;
            return 0;
        }
        lately[place].samples = samples;
        lately[place].cards = all;
    }
    memcpy(won, lately[place].won, sizeof lately[place].won);
    return 1;
}

/* Two hands on a board against samples: bytes with the places among the live cards, the other hand first. */
PyObject *sampled_wins(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards;
    char *samples;
    Py_ssize_t size;
    int won[2];
    if (count != 4 || !read_deal(&cards, args[0], args[1], args[2], 3, 5))
        Py_RETURN_NONE;
    if (PyBytes_AsStringAndSize(args[3], &samples, &size) < 0)
        return NULL;
    if (!sampled(&cards, samples, size, won))
        Py_RETURN_NONE;
    return Py_BuildValue("ii", won[0], won[1]);
}
