/* How often two hands beat a third one on a fixed sample, as molt_bench.luck.cards.win_rate. */
#include "kernels.h"
#include <string.h>

/* Most samples. */
#define MOST 256

/* A board of known cards: the keys and bits of those on it, of the two hands, and of all live cards. */
typedef struct {
    int64_t key, own_key[2], live_key[CARDS];
    uint64_t bits, own_bits[2], live_bit[CARDS];
    int alive;
} Table;

/* What both hands and the third one are worth in every sample. */
typedef struct {
    int own[2][MOST], other[MOST], count;
} Worth;

/* Two hands and a third, which is drawn with two cards to come. Most often nobody has a flush. */
static void draw_on_flop(const Table *table, const unsigned char *samples, Worth *worth) {
    const int64_t *key = table->live_key, start = table->key, own = table->own_key[0], own_too = table->own_key[1];
    const uint64_t *bit = table->live_bit;
    const uint16_t *seven = evaluator.seven;
    const int32_t *offsets = evaluator.offsets;
    const int64_t flush_bits = evaluator.flush_bits;
    const int row_bits = evaluator.row_bits, count = worth->count;
    for (int sample = 0; sample < count; sample++) {
        const unsigned char *at = samples + 4 * sample;
        int64_t shared = start + key[at[2]] + key[at[3]];
        int64_t one = shared + own, two = shared + own_too, three = shared + key[at[0]] + key[at[1]];
        if ((one | two | three) & flush_bits) {
            uint64_t open = table->bits | bit[at[2]] | bit[at[3]];
            worth->own[0][sample] = strength(one, open | table->own_bits[0]);
            worth->own[1][sample] = strength(two, open | table->own_bits[1]);
            worth->other[sample] = strength(three, open | bit[at[0]] | bit[at[1]]);
            continue;
        }
        one >>= 16;
        two >>= 16;
        three >>= 16;
        worth->own[0][sample] = seven[one + offsets[one >> row_bits]];
        worth->own[1][sample] = seven[two + offsets[two >> row_bits]];
        worth->other[sample] = seven[three + offsets[three >> row_bits]];
    }
}

/* The same with one card to come, or none, where `drawn` is 2: what both hands are with each card is looked up once. */
static inline void draw_later(const Table *table, const unsigned char *samples, int drawn, Worth *worth) {
    const int64_t *key = table->live_key;
    const uint64_t *bit = table->live_bit;
    const uint16_t *seven = evaluator.seven;
    const int32_t *offsets = evaluator.offsets;
    const int64_t flush_bits = evaluator.flush_bits;
    const int row_bits = evaluator.row_bits, count = worth->count;
    int64_t shared[CARDS] = {table->key};
    uint64_t open[CARDS] = {table->bits};
    int own[CARDS][2];
    for (int card = 0; card < (drawn == 3 ? table->alive : 1); card++) {
        if (drawn == 3) {
            shared[card] = table->key + key[card];
            open[card] = table->bits | bit[card];
        }
        for (int hand = 0; hand < 2; hand++)
            own[card][hand] = strength(shared[card] + table->own_key[hand], open[card] | table->own_bits[hand]);
    }
    for (int sample = 0; sample < count; sample++) {
        const unsigned char *at = samples + drawn * sample;
        int card = drawn == 3 ? at[2] : 0;
        int64_t three = shared[card] + key[at[0]] + key[at[1]], ranks = three >> 16;
        worth->own[0][sample] = own[card][0];
        worth->own[1][sample] = own[card][1];
        worth->other[sample] = three & flush_bits ? strength(three, open[card] | bit[at[0]] | bit[at[1]])
                                                  : seven[ranks + offsets[ranks >> row_bits]];
    }
}

/* How both hands compare with the third one, over all samples. */
static void compare(const Worth *worth, int won[2]) {
    for (int hand = 0; hand < 2; hand++) {
        int found = 0;
        for (int sample = 0; sample < worth->count; sample++)
            found += compared(worth->own[hand][sample], worth->other[sample]);
        won[hand] = found;
    }
}

static int sampled(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]) {
    Table table = {.key = evaluator.key_start};
    const unsigned char *drawn = (const unsigned char *)samples;
    const int width = 11 - cards->count;
    Worth worth;
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
    if (last >= alive || cards->count < 7 || size > MOST * width)
        return 0;
    table.alive = alive;
    worth.count = (int)(size / width);
    if (cards->count == 7)
        draw_on_flop(&table, drawn, &worth);
    else if (cards->count == 8)
        draw_later(&table, drawn, 3, &worth);
    else
        draw_later(&table, drawn, 2, &worth);
    compare(&worth, won);
    return 1;
}

/* What was sampled lately: a deal is played in two seatings. */
#define REMEMBERED 4096
static struct {
    const char *samples;
    uint64_t cards;
    int won[2];
} lately[REMEMBERED];

PyObject *forget_wins(PyObject *self, PyObject *none) {
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
