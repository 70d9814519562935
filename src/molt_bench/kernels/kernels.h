/* What the files of the compiled kernels share. The tables are Python's: molt_bench.poker hands them over. */
#ifndef MOLT_KERNELS_H
#define MOLT_KERNELS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

/* Changed with every change of these files: Python uses no other. The same number is in __init__.py. */
#define KERNELS_VERSION 20

#define CARDS 52
#define RANKS 13
#define SAMPLES 256

/* The sums of some cards: of their keys, see molt_bench/poker/evaluator.py, and of a bit for each. */
typedef struct {
    int64_t key;
    uint64_t bits;
} Held;

/* The evaluator's tables; `none` are the sums of no cards. */
typedef struct {
    const int32_t *offsets;
    const uint16_t *seven;
    const uint16_t *flush;
    int64_t flush_bits;
    int row_bits;
    Held none, card[CARDS];
} Evaluator;

extern Evaluator evaluator;

/* The cards of a deal as far as they are known: one hand or two, and then the board. */
typedef struct {
    int card[9];
    int count;
    uint64_t bits;
} Cards;

/* Add a card; 0 if it is none, or is there already. */
int add_card(Cards *cards, int card);
/* Add a byte for each card; 0 if one is odd. */
int add_cards(Cards *cards, const char *bytes, Py_ssize_t size);

static inline Held both(Held one, Held other) {
    return (Held){one.key + other.key, one.bits | other.bits};
}

static inline Held with(Held held, int card) {
    return both(held, evaluator.card[card]);
}

/* The sums of some cards. */
static inline Held held_in(const int *card, int count) {
    Held found = {0, 0};
    for (int at = 0; at < count; at++)
        found = with(found, card[at]);
    return found;
}

/* The strength of seven cards, with what `none` adds. */
static inline int strength(Held held) {
    int64_t flags = held.key & evaluator.flush_bits;
    if (flags) {
        int suit = (flags > 0x8) + (flags > 0x80) + (flags > 0x800);
        return evaluator.flush[held.bits >> RANKS * suit & ((1 << RANKS) - 1)];
    }
    int64_t ranks = held.key >> 16;
    return evaluator.seven[ranks + evaluator.offsets[ranks >> evaluator.row_bits]];
}

/* 2 for the stronger hand, 1 for a tie, 0 for the weaker. */
static inline int compared(int one, int two) {
    return (one > two) + (one >= two);
}

/* The strengths of five cards with any two more, by the ranks of these: where there is no flush. */
void by_ranks(Held five, uint16_t found[RANKS][RANKS]);
/* Seat 0's equities, street by street, by two hands and a board: how many, 0 for odd cards. */
int shares_of(const int *card, int count, double found[4]);
/* How often both hands beat a third one on a board, by samples as molt_bench.poker.equity_vs_random draws them: places among
   the live cards, of the third hand first, then of the cards to come. */
void sampled(const int *card, int count, const unsigned char *samples, double rates[2]);

PyObject *set_tables(PyObject *self, PyObject *args);
PyObject *set_preflop(PyObject *self, PyObject *args);
PyObject *street_equities(PyObject *self, PyObject *args);
PyObject *range_wins(PyObject *self, PyObject *args);
PyObject *game_luck(PyObject *self, PyObject *args);

#endif
