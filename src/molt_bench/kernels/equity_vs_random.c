/* How often two hands beat a third one on a fixed sample, as molt_bench.poker.equity_vs_random. */
#include "kernels.h"
#include <string.h>

/* Compare both hands with a third one, which is drawn first in every sample, then the cards to come. */
static int sampled(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]) {
    int64_t live_key[CARDS], key = evaluator.key_start, own_key[2];
    uint64_t live_bit[CARDS], bits = 0, own_bits[2];
    const int width = 11 - cards->count, *c = cards->card;
    int alive = 0;
    for (int card = 0; card < CARDS; card++)
        if (!(cards->bits & evaluator.bit[card])) {
            live_key[alive] = evaluator.key[card];
            live_bit[alive++] = evaluator.bit[card];
        }
    for (int at = 4; at < cards->count; at++) {
        key += evaluator.key[c[at]];
        bits |= evaluator.bit[c[at]];
    }
    for (int hand = 0; hand < 2; hand++) {
        own_key[hand] = evaluator.key[c[2 * hand]] + evaluator.key[c[2 * hand + 1]];
        own_bits[hand] = evaluator.bit[c[2 * hand]] | evaluator.bit[c[2 * hand + 1]];
        won[hand] = 0;
    }
    for (Py_ssize_t at = 0; at < size; at++)
        if ((unsigned char)samples[at] >= alive)
            return 0;
    for (const char *at = samples; cards->count >= 7 && at + width <= samples + size; at += width) {
        int64_t shared = key;
        uint64_t open = bits;
        for (int drawn = 2; drawn < width; drawn++) {
            shared += live_key[(int)at[drawn]];
            open |= live_bit[(int)at[drawn]];
        }
        int first = at[0], second = at[1];
        int other = strength(shared + live_key[first] + live_key[second], open | live_bit[first] | live_bit[second]);
        for (int hand = 0; hand < 2; hand++)
            won[hand] += compared(strength(shared + own_key[hand], open | own_bits[hand]), other);
    }
    return cards->count >= 7;
}

/* What was sampled lately: a deal is played in two seatings. */
#define REMEMBERED 4096
static struct {
    const char *samples;
    uint64_t cards;
    int won[2];
} lately[REMEMBERED];

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
    if (!sampled_lately(&cards, samples, size, won))
        Py_RETURN_NONE;
    return Py_BuildValue("ii", won[0], won[1]);
}
