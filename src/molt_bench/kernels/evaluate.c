/* The strength of seven cards by the tables of molt_bench.poker.evaluator, and reading and drawing cards. */
#include "kernels.h"
#include <string.h>

/* Random bytes of a hand, and how many of them nine cards take. */
#define ENTROPY 64
#define USED 36

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
        Evaluator made = {.key_start = start, .flush_bits = flush_bits, .row_bits = row_bits};
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

/* Four bytes of random bytes as a number, the lowest first. */
static uint32_t number_at(const unsigned char *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
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

PyObject *tuple_of(const double *values, Py_ssize_t count) {
    PyObject *found = PyTuple_New(count);
    for (Py_ssize_t at = 0; found && at < count; at++) {
        PyObject *number = PyFloat_FromDouble(values[at]);
        if (!number || PyTuple_SetItem(found, at, number) < 0)
            Py_CLEAR(found);
    }
    return found;
}

/* Cards as Python's numbers, made once. */
static PyObject *cards_at(const int *card, int count) {
    static PyObject *numbers[CARDS];
    PyObject *found = PyTuple_New(count);
    for (int at = 0; found && at < count; at++) {
        PyObject **number = &numbers[card[at]];
        if (!*number && !(*number = PyLong_FromLong(card[at])))
            Py_CLEAR(found);
        else
            PyTuple_SetItem(found, at, Py_NewRef(*number));
    }
    return found;
}

/* A pair, which takes over both; NULL if one of them is. */
static PyObject *pair(PyObject *first, PyObject *second) {
    PyObject *found = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return found;
}

/* The cards of a hand from 64 random bytes, as molt_bench.poker.deck deals them. */
PyObject *dealt_hand(PyObject *self, PyObject *entropy) {
    char *bytes;
    Py_ssize_t size;
    int card[9];
    if (PyBytes_AsStringAndSize(entropy, &bytes, &size) < 0)
        return NULL;
    if (size != ENTROPY) {
        PyErr_SetString(PyExc_ValueError, "a hand takes 64 random bytes");
        return NULL;
    }
    deal_cards((const unsigned char *)bytes, card);
    return pair(pair(cards_at(card, 2), cards_at(card + 2, 2)), cards_at(card + 4, 5));
}
