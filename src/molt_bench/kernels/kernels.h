/* What the files of the compiled kernels share. The tables are Python's: molt_bench.poker hands them over. */
#ifndef MOLT_KERNELS_H
#define MOLT_KERNELS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

/* Changed with every change of these files: Python uses no other. The same number is in __init__.py. */
#define KERNELS_VERSION 19

#define CARDS 52
#define RANKS 13

/* The evaluator's tables, see molt_bench/poker/evaluator.py; `seven` is NULL until they are there. */
typedef struct {
    const int32_t *offsets;
    const uint16_t *seven;
    const uint16_t *flush;
    int64_t key[CARDS];
    uint64_t bit[CARDS];
    int64_t key_start, flush_bits;
    int row_bits;
} Evaluator;

extern Evaluator evaluator;

/* Cards read from Python, with their sums of keys and bits. */
typedef struct {
    int card[9];
    int count;
    uint64_t bits;
} Cards;

/* Add the cards of a sequence; 0 with no exception set if one is no card or is there twice, so that Python tells. */
int add_cards(Cards *cards, PyObject *sequence, Py_ssize_t least, Py_ssize_t most);
/* Read two hands and a board; 0 as before. */
int read_deal(Cards *cards, PyObject *first, PyObject *second, PyObject *board, Py_ssize_t least, Py_ssize_t most);
/* The strength of seven cards. */
static inline int strength(int64_t key, uint64_t bits) {
    int64_t flags = key & evaluator.flush_bits;
    if (flags) {
        int suit = (flags > 0x8) + (flags > 0x80) + (flags > 0x800);
        return evaluator.flush[bits >> RANKS * suit & ((1 << RANKS) - 1)];
    }
    int64_t ranks = key >> 16;
    return evaluator.seven[ranks + evaluator.offsets[ranks >> evaluator.row_bits]];
}

/* 2 for the stronger hand, 1 for a tie, 0 for the weaker. */
static inline int compared(int one, int two) {
    return (one > two) + (one >= two);
}

PyObject *set_tables(PyObject *self, PyObject *args);
PyObject *set_preflop(PyObject *self, PyObject *args);
PyObject *dealt_hand(PyObject *self, PyObject *entropy);
PyObject *street_equities(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *sampled_wins(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *game_luck(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* Take 36 random bytes for nine cards, as molt_bench.poker.deck.deal does. */
void deal_cards(const unsigned char *entropy, int cards[9]);
/* Seat 0's equities, street by street: how many, 0 for odd cards. */
int shares_of(const Cards *cards, double found[4]);
/* Wins of both hands against samples, see sampled_wins; 0 for odd ones. */
int sampled_lately(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]);
/* Numbers as a tuple. */
PyObject *tuple_of(const double *values, Py_ssize_t count);

#endif
