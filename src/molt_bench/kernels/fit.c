/* Fitting weights: the moments of terms, and linear equations, as in molt_bench.luck.fitting. */
#include "kernels.h"
#include <math.h>
#include <string.h>

/* Most weights that can be fitted; most runs of terms with ascending rows. */
#define MOST_PLACES 1024
#define MOST_RUNS 8
/* Hands that are added to the moments at once, so that their terms stay in the processor's cache. */
#define TOGETHER 32

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

/* The weights that moments suggest: 0 for terms that were not there. Arguments: the moments, see `learn_terms`; how many
   terms; what weights are held with. */
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

/* What is fitted to: the mean that explains a part, from how far off a hand counts for less, and the variance. */
typedef struct {
    double mean, far, variance;
} Spread;

/* Add up to TOGETHER hands to the moments, see `learn_terms`: every sum gets them in their order. A term that is 0 would add
   0, which changes no sum that began with 0. */
static void add_hands(double *moments, Py_ssize_t size, const double *table, const double *won, int hands, const Spread *spread) {
    double left[TOGETHER], weight[TOGETHER];
    for (int hand = 0; hand < hands; hand++) {
        left[hand] = won[hand] - spread->mean;
        double off = spread->far / (fabs(left[hand]) > 1e-9 ? fabs(left[hand]) : 1e-9);
        weight[hand] = (off < 1.0 ? off : 1.0) / spread->variance;
    }
    for (int at = 0; at < size; at++) {
        double *own = moments + at * (size + 1);
        for (int hand = 0; hand < hands; hand++) {
            const double *row = table + hand * size;
            double weighed = weight[hand] * row[at];
            if (row[at] == 0.0)
                continue;
            own[0] += weighed * left[hand];
            for (int column = 0; column <= at; column++)
                own[1 + column] += weighed * row[column];
        }
    }
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

/* Add the hands of a game in both seatings to the moments of terms, in place and hand by hand. Arguments: the moments, a row
   of doubles for each term: with what is left to explain, then with every term up to it; what each hand was worth; the terms
   of both seatings; the number of their places; the mean that explains a part; from how far off a hand counts for less; the
   variance. */
PyObject *learn_terms(PyObject *self, PyObject *args) {
    Py_buffer moments, won, one, two;
    Py_ssize_t size;
    Spread spread;
    Runs first, second;
    if (!PyArg_ParseTuple(args, "w*y*y*y*nddd", &moments, &won, &one, &two, &size, &spread.mean, &spread.far, &spread.variance))
        return NULL;
    Py_ssize_t hands = won.len / sizeof(double);
    int good = size > 0 && size <= MOST_PLACES && moments.len == size * (size + 1) * (Py_ssize_t)sizeof(double) && hands < 1 << 24
               && find_runs(&first, &one, hands, size) && find_runs(&second, &two, hands, size);
    double *table = good ? PyMem_Malloc(TOGETHER * (size_t)size * sizeof(double)) : NULL, others[MOST_PLACES];
    for (int32_t hand = 0, kept = 0; table && hand < hands; hand++) {
        double *cells = table + kept++ * size;
        memset(cells, 0, size * sizeof(double));
        memset(others, 0, size * sizeof(double));
        add_row(&first, hand, cells);
        add_row(&second, hand, others);
        for (int at = 0; at < size; at++)
            cells[at] += others[at];
        if (kept == TOGETHER || hand == hands - 1) {
            add_hands(moments.buf, size, table, (const double *)won.buf + hand + 1 - kept, kept, &spread);
            kept = 0;
        }
    }
    PyMem_Free(table);
    PyBuffer_Release(&moments);
    PyBuffer_Release(&won);
    PyBuffer_Release(&one);
    PyBuffer_Release(&two);
    return PyBool_FromLong(table != NULL);
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
