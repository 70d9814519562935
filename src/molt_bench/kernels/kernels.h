/* What the files of the compiled kernels share. The tables are Python's: molt_bench.poker hands them over. */
#ifndef MOLT_KERNELS_H
#define MOLT_KERNELS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

/* Changed with every change of these files: Python uses no other. The same number is in __init__.py. */
#define KERNELS_VERSION 6

#define CARDS 52
#define RANKS 13

/* The evaluator's tables, see molt_bench/poker/evaluator.py; `seven` is NULL until they are there. */
typedef struct {
    const int32_t *offsets;
    const uint16_t *seven;
    const uint16_t *flush;
    Py_ssize_t rows, sevens, flushes;
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

/* A term of luck whose weight is fitted, see molt_bench/luck/terms.py. */
typedef struct {
    int32_t row, place;
    double part;
} Term;

/* Add the cards of a sequence; 0 with no exception set if one is no card or is there twice, so that Python tells. */
int add_cards(Cards *cards, PyObject *sequence, Py_ssize_t least, Py_ssize_t most);
/* The strength of seven cards. */
int strength(int64_t key, uint64_t bits);

PyObject *set_tables(PyObject *self, PyObject *args);
PyObject *set_preflop(PyObject *self, PyObject *args);
PyObject *deal(PyObject *self, PyObject *entropy);
PyObject *showdown(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *cards_line(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *flop_score(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *street_equities(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *sampled_wins(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *packed_range(PyObject *self, PyObject *args);
PyObject *range_wins(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *card_luck(PyObject *self, PyObject *const *args, Py_ssize_t count);
PyObject *set_policies(PyObject *self, PyObject *args);
PyObject *decision_parts(PyObject *self, PyObject *const *args, Py_ssize_t count);

PyObject *solved(PyObject *self, PyObject *args);
PyObject *add_moments(PyObject *self, PyObject *args);
PyObject *term_table(PyObject *self, PyObject *args);

/* The correctly rounded sum of finite numbers, as math.fsum returns it. */
double exact_sum(const double *numbers, int count);
/* Take 36 random bytes for nine cards, as molt_bench.poker.deck.deal does. */
void deal_cards(const unsigned char *entropy, int cards[9]);

#endif
