/* Fitting weights: the moments of terms, and linear equations, as in molt_bench.luck.fitting. */
#include "kernels.h"
#include <math.h>

/* Most weights that can be fitted; most runs of terms with ascending rows. */
#define MOST_PLACES 1024
#define MOST_RUNS 8

/* Solve (square + hold) x = wanted by Cholesky; `square` is the lower triangle, row by row. 0 if it is not positive. */
static int solve(const double *square, const double *wanted, int size, double hold, double *found) {
    double *lower = PyMem_Calloc((size_t)size * size + 2 * (size_t)size + 1, sizeof(double));
    if (!lower) {
        PyErr_NoMemory();
        return 0;
    }
    double *half = lower + (size_t)size * size, *products = half + size;
    int good = 1;
    for (int place = 0; place < size && good; square += ++place) {
        double *own = lower + (size_t)place * size;
        for (int at = 0; at < place; at++) {
            const double *above = lower + (size_t)at * size;
            for (int each = 0; each < at; each++)
                products[each] = own[each] * above[each];
            own[at] = (square[at] - exact_sum(products, at)) / above[at];
        }
        for (int each = 0; each < place; each++)
            products[each] = own[each] * own[each];
        double left = square[place] + hold - exact_sum(products, place);
        good = left > 0.0 && isfinite(left);
        own[place] = sqrt(left);
        for (int each = 0; each < place; each++)
            products[each] = own[each] * half[each];
        half[place] = (wanted[place] - exact_sum(products, place)) / own[place];
    }
    for (int place = size - 1; place >= 0 && good; place--) {
        for (int later = place + 1; later < size; later++)
            products[later - place - 1] = lower[(size_t)later * size + place] * found[later];
        found[place] = (half[place] - exact_sum(products, size - 1 - place)) / lower[(size_t)place * size + place];
    }
    PyMem_Free(lower);
    return good;
}

PyObject *solved(PyObject *self, PyObject *args) {
    Py_buffer square, wanted;
    double hold;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*d", &square, &wanted, &hold))
        return NULL;
    int size = (int)(wanted.len / sizeof(double)), good = square.len == size * (size + 1) / 2 * (Py_ssize_t)sizeof(double);
    double *found = good ? PyMem_Malloc((size_t)size * sizeof(double) + 1) : NULL;
    if (found && solve(square.buf, wanted.buf, size, hold, found))
        result = tuple_of(found, size);
    PyMem_Free(found);
    PyBuffer_Release(&square);
    PyBuffer_Release(&wanted);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

/* The same for moments: the solution of the terms that were there, 0 for all others. */
PyObject *solved_moments(PyObject *self, PyObject *args) {
    Py_buffer moments;
    Py_ssize_t size;
    double hold;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*nd", &moments, &size, &hold))
        return NULL;
    int good = size > 0 && size <= MOST_PLACES && moments.len == size * (size + 1) * (Py_ssize_t)sizeof(double);
    double *square = good ? PyMem_Malloc((size_t)(size * (size + 1) / 2 + 2 * size) * sizeof(double)) : NULL;
    if (square) {
        double *wanted = square + size * (size + 1) / 2, *found = wanted + size, weights[MOST_PLACES] = {0.0};
        int used[MOST_PLACES], count = 0, filled = 0;
        for (int at = 0; at < size; at++) {
            const double *row = (const double *)moments.buf + at * (size + 1);
            if (row[1 + at] == 0.0)
                continue;
            used[count] = at;
            wanted[count++] = row[0];
            for (int other = 0; other < count; other++)
                square[filled++] = row[1 + used[other]];
        }
        if (solve(square, wanted, count, hold, found)) {
            for (int at = 0; at < count; at++)
                weights[used[at]] = found[at];
            result = tuple_of(weights, size);
        }
    }
    PyMem_Free(square);
    PyBuffer_Release(&moments);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

/* Add a hand to the moments, see `add_moments`. Whole rows, since most terms of a row are there. */
static void add_hand(double *moments, Py_ssize_t size, const double *restrict terms, double left, double far, double variance) {
    double off = far / (fabs(left) > 1e-9 ? fabs(left) : 1e-9), weight = (off < 1.0 ? off : 1.0) / variance;
    for (int at = 0; at < size; at++) {
        if (terms[at] == 0.0)
            continue;
        double weighed = weight * terms[at], *restrict own = moments + at * (size + 1);
        own[0] += weighed * left;
        for (int other = 0; other <= at; other++)
            own[1 + other] += weighed * terms[other];
    }
}

/* Add hands to the moments of terms, in place and hand by hand. Arguments: the moments, a row for each term: with what is
   left to explain, then with every term up to it; what each hand was worth; the terms of each hand, all of doubles; the
   mean that explains a part; from how far off a hand counts for less; the variance. A term that is 0 would add 0, which
   changes no sum that began with 0. */
PyObject *add_moments(PyObject *self, PyObject *args) {
    Py_buffer moments, won, table;
    double mean, far, variance;
    if (!PyArg_ParseTuple(args, "w*y*y*ddd", &moments, &won, &table, &mean, &far, &variance))
        return NULL;
    Py_ssize_t hands = won.len / sizeof(double), size = hands ? table.len / sizeof(double) / hands : 0;
    int good = size <= MOST_PLACES && table.len == hands * size * (Py_ssize_t)sizeof(double)
               && moments.len == size * (size + 1) * (Py_ssize_t)sizeof(double);
    for (Py_ssize_t hand = 0; good && hand < hands; hand++)
        add_hand(moments.buf, size, (const double *)table.buf + hand * size, ((const double *)won.buf)[hand] - mean, far, variance);
    PyBuffer_Release(&moments);
    PyBuffer_Release(&won);
    PyBuffer_Release(&table);
    return PyBool_FromLong(good);
}

/* The terms of a game as a table of doubles, a row for each hand. Arguments: the terms; how many hands; how many places.
   Terms of one cell are added in their order. */
PyObject *term_table(PyObject *self, PyObject *args) {
    Py_buffer terms;
    Py_ssize_t hands, size;
    if (!PyArg_ParseTuple(args, "y*nn", &terms, &hands, &size))
        return NULL;
    int good = hands >= 0 && hands < 1 << 24 && size > 0 && size < 1 << 10;
    PyObject *result = good ? PyByteArray_FromStringAndSize(NULL, hands * size * (Py_ssize_t)sizeof(double)) : NULL;
    double *cells = result ? (double *)PyByteArray_AsString(result) : NULL;
    for (Py_ssize_t at = 0; result && at < hands * size; at++)
        cells[at] = 0.0;
    for (Py_ssize_t at = 0; result && at < terms.len / (Py_ssize_t)sizeof(Term); at++) {
        const Term *term = (const Term *)terms.buf + at;
        if (term->row < 0 || term->row >= hands || term->place < 0 || term->place >= size)
            Py_CLEAR(result);
        else
            cells[term->row * size + term->place] += term->part;
    }
    PyBuffer_Release(&terms);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}

/* The terms of a game, as they come: runs of ascending rows, those of the cards first, then of each player's decisions. */
typedef struct {
    const Term *at[MOST_RUNS], *end[MOST_RUNS];
    int count;
} Runs;

/* Find the runs; 0 if a term is out of place. */
static int find_runs(Runs *runs, const Py_buffer *terms, Py_ssize_t hands, Py_ssize_t size) {
    const Term *all = terms->buf, *end = all + terms->len / sizeof(Term);
    runs->count = 0;
    for (const Term *at = all; at < end; at++) {
        if (at->row < 0 || at->row >= hands || at->place < 0 || at->place >= size)
            return 0;
        if (at == all || at->row < at[-1].row) {
            if (runs->count == MOST_RUNS)
                return 0;
            runs->at[runs->count++] = at;
        }
        runs->end[runs->count - 1] = at + 1;
    }
    return 1;
}

/* Add the terms of the next row, cell by cell in their order. */
static void add_row(Runs *runs, int32_t row, double *cells) {
    for (int run = 0; run < runs->count; run++)
        for (; runs->at[run] < runs->end[run] && runs->at[run]->row == row; runs->at[run]++)
            cells[runs->at[run]->place] += runs->at[run]->part;
}

/* As `add_moments`, for the terms of a game in both seatings, and the number of their places. */
PyObject *learn_terms(PyObject *self, PyObject *args) {
    Py_buffer moments, won, one, two;
    Py_ssize_t size;
    double mean, far, variance;
    Runs first, second;
    if (!PyArg_ParseTuple(args, "w*y*y*y*nddd", &moments, &won, &one, &two, &size, &mean, &far, &variance))
        return NULL;
    Py_ssize_t hands = won.len / sizeof(double);
    int good = size > 0 && size <= MOST_PLACES && moments.len == size * (size + 1) * (Py_ssize_t)sizeof(double) && hands < 1 << 24
               && find_runs(&first, &one, hands, size) && find_runs(&second, &two, hands, size);
    for (int32_t hand = 0; good && hand < hands; hand++) {
        double cells[MOST_PLACES], others[MOST_PLACES];
        for (int at = 0; at < size; at++)
            cells[at] = others[at] = 0.0;
        add_row(&first, hand, cells);
        add_row(&second, hand, others);
        for (int at = 0; at < size; at++)
            cells[at] += others[at];
        add_hand(moments.buf, size, cells, ((const double *)won.buf)[hand] - mean, far, variance);
    }
    PyBuffer_Release(&moments);
    PyBuffer_Release(&won);
    PyBuffer_Release(&one);
    PyBuffer_Release(&two);
    return PyBool_FromLong(good);
}

/* The exact sum of the terms of a game times the weight of each, cell by cell as in the table. Arguments: the terms; how
   many hands; the weights as doubles. */
PyObject *weighed_terms(PyObject *self, PyObject *args) {
    Py_buffer terms, weights;
    Py_ssize_t hands;
    Runs runs;
    if (!PyArg_ParseTuple(args, "y*ny*", &terms, &hands, &weights))
        return NULL;
    Py_ssize_t size = weights.len / sizeof(double), count = terms.len / sizeof(Term);
    double cells[MOST_PLACES] = {0.0}, *products = NULL;
    int good = hands >= 0 && hands < 1 << 24 && size > 0 && size <= MOST_PLACES && count < 1 << 28
               && find_runs(&runs, &terms, hands, size), found = 0;
    if (good)
        good = (products = PyMem_Malloc((count + 1) * sizeof(double))) != NULL;
    for (int32_t row = 0; good && row < hands; row++) {
        Runs begun = runs;
        add_row(&runs, row, cells);
        for (int run = 0; run < runs.count; run++)
            for (const Term *at = begun.at[run]; good && at < runs.at[run]; at++) {
                double product = cells[at->place] * ((const double *)weights.buf)[at->place];
                cells[at->place] = 0.0;
                good = isfinite(product);
                if (product != 0.0)
                    products[found++] = product;
            }
    }
    PyObject *result = good ? PyFloat_FromDouble(exact_sum(products, found)) : NULL;
    PyMem_Free(products);
    PyBuffer_Release(&terms);
    PyBuffer_Release(&weights);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}
