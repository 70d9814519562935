/* The strength of seven cards by the tables of molt_bench.poker.evaluator; dealing and writing cards. */
#include "kernels.h"
#include <string.h>

Evaluator evaluator;

static void *copied(Py_buffer *view) {
    void *found = PyMem_Malloc(view->len ? view->len : 1);
    if (found)
        memcpy(found, view->buf, view->len);
    return found;
}

PyObject *set_tables(PyObject *self, PyObject *args) {
    Py_buffer offsets, seven, flush, keys;
    long long start, flush_bits;
    int row_bits;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*y*LLi", &offsets, &seven, &flush, &keys, &start, &flush_bits, &row_bits))
        return NULL;
    if (keys.len != sizeof evaluator.key || offsets.itemsize != 4 || seven.itemsize != 2 || flush.itemsize != 2
        || flush.len < 2 << RANKS) {
        PyErr_SetString(PyExc_ValueError, "these are not the tables of the evaluator");
    } else if (!evaluator.seven) {
        Evaluator made = {.rows = offsets.len / 4, .sevens = seven.len / 2, .flushes = flush.len / 2,
                          .key_start = start, .flush_bits = flush_bits, .row_bits = row_bits};
        made.offsets = copied(&offsets);
        made.flush = copied(&flush);
        made.seven = copied(&seven);
        memcpy(made.key, keys.buf, sizeof made.key);
        for (int card = 0; card < CARDS; card++)
            made.bit[card] = 1ULL << (RANKS * (card & 3) + (card >> 2));
        if (made.offsets && made.flush && made.seven) {
            evaluator = made;
            result = Py_NewRef(Py_None);
        } else {
            PyErr_NoMemory();
        }
    } else {
        result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&offsets);
    PyBuffer_Release(&seven);
    PyBuffer_Release(&flush);
    PyBuffer_Release(&keys);
    return result;
}

int add_cards(Cards *cards, PyObject *sequence, Py_ssize_t least, Py_ssize_t most) {
    if (!PyTuple_Check(sequence) && !PyList_Check(sequence))
        return 0;
    Py_ssize_t size = PySequence_Size(sequence);
    int tuple = PyTuple_Check(sequence);
    if (size < least || size > most || cards->count + size > 9)
        return 0;
    for (Py_ssize_t at = 0; at < size; at++) {
        PyObject *item = tuple ? PyTuple_GetItem(sequence, at) : PyList_GetItem(sequence, at);
        if (!item || !PyLong_CheckExact(item))
            return 0;
        long card = PyLong_AsLong(item);
        if (card < 0 || card >= CARDS || cards->bits & evaluator.bit[card]) {
            PyErr_Clear();
            return 0;
        }
        cards->card[cards->count++] = (int)card;
        cards->bits |= evaluator.bit[card];
    }
    return 1;
}

void deal_cards(const unsigned char *entropy, int cards[9]) {
    unsigned char deck[CARDS];
    for (int card = 0; card < CARDS; card++)
        deck[card] = (unsigned char)card;
    for (int at = 0; at < 9; at++) {
        uint32_t drawn = number_at(entropy + 4 * at) % (uint32_t)(CARDS - at);
        cards[at] = deck[drawn];
        deck[drawn] = deck[CARDS - 1 - at];
    }
}

/* Cards as Python's numbers, made once; 0 if there is no memory. */
static PyObject *numbers[CARDS];
static int made_numbers(void) {
    for (long card = numbers[CARDS - 1] ? CARDS : 0; card < CARDS; card++)
        if (!numbers[card] && !(numbers[card] = PyLong_FromLong(card)))
            return 0;
    return 1;
}

PyObject *tuple_of(const double *values, Py_ssize_t count) {
    PyObject *found = PyTuple_New(count);
    for (Py_ssize_t at = 0; found && at < count; at++) {
        PyObject *number = PyFloat_FromDouble(values[at]);
        if (!number || PyTuple_SetItem(found, at, number) < 0)
            Py_CLEAR(found);
    }
    return found;
}

PyObject *taken_pair(PyObject *first, PyObject *second) {
    PyObject *found = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return found;
}

PyObject *deal_from(const unsigned char *entropy) {
    int card[9];
    PyObject *c[9];
    if (!made_numbers())
        return NULL;
    deal_cards(entropy, card);
    for (int at = 0; at < 9; at++)
        c[at] = numbers[card[at]];
    return taken_pair(taken_pair(PyTuple_Pack(2, c[0], c[1]), PyTuple_Pack(2, c[2], c[3])),
                   PyTuple_Pack(5, c[4], c[5], c[6], c[7], c[8]));
}

PyObject *deal(PyObject *self, PyObject *entropy) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(entropy, &bytes, &size) < 0)
        return NULL;
    if (size < 36) {
        PyErr_SetString(PyExc_ValueError, "a deal takes 36 random bytes");
        return NULL;
    }
    return deal_from((const unsigned char *)bytes);
}

/* Read the hole cards of both seats, then the board. */
static int add_deal(Cards *cards, PyObject *holes, PyObject *board, Py_ssize_t least_board) {
    return PyTuple_Check(holes) && PyTuple_Size(holes) == 2 && add_cards(cards, PyTuple_GetItem(holes, 0), 2, 2)
           && add_cards(cards, PyTuple_GetItem(holes, 1), 2, 2) && add_cards(cards, board, least_board, 5);
}

/* The strengths of both seats on a board of five cards. */
PyObject *showdown(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Cards cards = {.count = 0};
    if (count != 2 || !evaluator.seven || !add_deal(&cards, args[0], args[1], 5))
        Py_RETURN_NONE;
    const int *card = cards.card;
    int64_t key = evaluator.key_start, keys[2] = {0, 0};
    uint64_t bits[2] = {0, 0};
    for (int at = 4; at < 9; at++)
        key += evaluator.key[card[at]];
    for (int at = 0; at < 4; at++) {
        keys[at >> 1] += evaluator.key[card[at]];
        bits[1 - (at >> 1)] |= evaluator.bit[card[at]];
    }
    return Py_BuildValue("ii", strength(key + keys[0], cards.bits & ~bits[0]), strength(key + keys[1], cards.bits & ~bits[1]));
}

/* Hole cards and board as text, such as AhKd|7c7d|2h3h4h. */
PyObject *cards_line(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";
    Cards cards = {.count = 0};
    char line[2 * 9 + 2], *end = line;
    if (count != 2 || !evaluator.seven || !add_deal(&cards, args[0], args[1], 0))
        Py_RETURN_NONE;
    for (int at = 0; at < cards.count || at == 4; at++) {
        if (at == 2 || at == 4)
            *end++ = '|';
        if (at < cards.count) {
            *end++ = ranks[cards.card[at] >> 2];
            *end++ = suits[cards.card[at] & 3];
        }
    }
    return PyUnicode_FromStringAndSize(line, end - line);
}
