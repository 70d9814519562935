/* Fitting weights: exact sums, the moments of terms, and linear equations, as in molt_bench.luck.fitting. */
#include "kernels.h"
#include <math.h>

static double slow_exact_sum(const double *numbers, int count) {
    /* Doubles span 2,098 bits, so that no more than 40 can be apart. */
    double partials[64], hi = 0.0, lo = 0.0;
    int kept = 0;
    for (int at = 0; at < count; at++) {
        double x = numbers[at];
        int left = 0;
        for (int each = 0; each < kept; each++) {
            double y = partials[each];
            if (fabs(x) < fabs(y)) {
                double swapped = x;
                x = y;
                y = swapped;
            }
            hi = x + y;
            lo = y - (hi - x);
            if (lo != 0.0)
                partials[left++] = lo;
            x = hi;
        }
        kept = left;
        if (x != 0.0)
            partials[kept++] = x;
    }
    if (!kept)
        return 0.0;
    hi = partials[--kept];
    lo = 0.0;
    while (kept > 0) {
        double x = hi, y = partials[--kept];
        hi = x + y;
        lo = y - (hi - x);
        if (lo != 0.0)
            break;
    }
    /* Half-way cases are rounded by what is left. */
    if (kept > 0 && ((lo < 0.0 && partials[kept - 1] < 0.0) || (lo > 0.0 && partials[kept - 1] > 0.0))) {
        double y = lo * 2.0, x = hi + y;
        if (y == x - hi)
            hi = x;
    }
    return hi;
}

double exact_sum(const double *numbers, int count) {
    double sum = 0.0, rest = 0.0, size = 0.0;
    for (int at = 0; at < count; at++) {
        double x = numbers[at], next = sum + x, back = next - sum, lost = (sum - (next - back)) + (x - back);
        sum = next;
        rest += lost;
        size += fabs(lost);
    }
    /* What was lost is exact, its sum nearly: if that cannot matter, the rounded sum is known. */
    double off = size * count * 4 * 0x1p-52, low = sum + (rest - off), high = sum + (rest + off);
    if (low == high)
        return low == 0.0 ? 0.0 : low;
    return slow_exact_sum(numbers, count);
}

/* Solve (square + hold) x = wanted by Cholesky; `square` is the lower triangle, row by row. */
PyObject *solved(PyObject *self, PyObject *args) {
    Py_buffer square, wanted;
    double hold;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "y*y*d", &square, &wanted, &hold))
        return NULL;
    int size = (int)(wanted.len / sizeof(double)), good = square.len == size * (size + 1) / 2 * (Py_ssize_t)sizeof(double);
    double *lower = PyMem_Calloc((size_t)size * size + 3 * (size_t)size + 1, sizeof(double));
    if (lower && good) {
        double *half = lower + (size_t)size * size, *found = half + size, *products = found + size;
        const double *row = square.buf;
        for (int place = 0; place < size && good; row += ++place) {
            double *own = lower + (size_t)place * size;
            for (int at = 0; at < place; at++) {
                const double *above = lower + (size_t)at * size;
                for (int each = 0; each < at; each++)
                    products[each] = own[each] * above[each];
                own[at] = (row[at] - exact_sum(products, at)) / above[at];
            }
            for (int each = 0; each < place; each++)
                products[each] = own[each] * own[each];
            double left = row[place] + hold - exact_sum(products, place);
            good = left > 0.0 && isfinite(left);
            own[place] = sqrt(left);
            for (int each = 0; each < place; each++)
                products[each] = own[each] * half[each];
            half[place] = (((const double *)wanted.buf)[place] - exact_sum(products, place)) / own[place];
        }
        for (int place = size - 1; place >= 0 && good; place--) {
            for (int later = place + 1; later < size; later++)
                products[later - place - 1] = lower[(size_t)later * size + place] * found[later];
            found[place] = (half[place] - exact_sum(products, size - 1 - place)) / lower[(size_t)place * size + place];
        }
        result = good ? PyList_New(size) : NULL;
        for (int at = 0; result && at < size; at++) {
            PyObject *item = PyFloat_FromDouble(found[at]);
            if (!item || PyList_SetItem(result, at, item) < 0)
                Py_CLEAR(result);
        }
    }
    PyMem_Free(lower);
    PyBuffer_Release(&square);
    PyBuffer_Release(&wanted);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
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
    int good = size <= 256 && table.len == hands * size * (Py_ssize_t)sizeof(double)
               && moments.len == size * (size + 1) * (Py_ssize_t)sizeof(double);
    for (Py_ssize_t hand = 0; good && hand < hands; hand++) {
        const double *terms = (const double *)table.buf + hand * size;
        double left = ((const double *)won.buf)[hand] - mean, off = far / (fabs(left) > 1e-9 ? fabs(left) : 1e-9);
        double weight = (off < 1.0 ? off : 1.0) / variance;
        int used[256], count = 0;
        for (int at = 0; at < size; at++)
            if (terms[at] != 0.0)
                used[count++] = at;
        for (int at = 0; at < count; at++) {
            double weighed = weight * terms[used[at]], *own = (double *)moments.buf + used[at] * (size + 1);
            own[0] += weighed * left;
            for (int other = 0; other <= at; other++)
                own[1 + used[other]] += weighed * terms[used[other]];
        }
    }
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

/* The exact sum of the terms of a game times the weight of each, cell by cell as in the table. Arguments: the terms; how
   many hands; the weights as doubles. */
PyObject *weighed_terms(PyObject *self, PyObject *args) {
    Py_buffer terms, weights;
    Py_ssize_t hands;
    if (!PyArg_ParseTuple(args, "y*ny*", &terms, &hands, &weights))
        return NULL;
    Py_ssize_t size = weights.len / sizeof(double), count = terms.len / sizeof(Term);
    int good = hands >= 0 && hands < 1 << 24 && size > 0 && size < 1 << 10 && count < 1 << 28, found = 0;
    double *cells = good ? PyMem_Calloc((size_t)(hands * size + count) + 1, sizeof(double)) : NULL;
    double *products = cells ? cells + hands * size : NULL;
    const Term *all = terms.buf;
    good = cells != NULL;
    for (Py_ssize_t at = 0; good && at < count; at++) {
        good = all[at].row >= 0 && all[at].row < hands && all[at].place >= 0 && all[at].place < size;
        if (good)
            cells[all[at].row * size + all[at].place] += all[at].part;
    }
    for (Py_ssize_t at = 0; good && at < count; at++) {
        double *cell = &cells[all[at].row * size + all[at].place];
        double product = *cell * ((const double *)weights.buf)[all[at].place];
        *cell = 0.0;
        good = isfinite(product);
        if (product != 0.0)
            products[found++] = product;
    }
    PyObject *result = good ? PyFloat_FromDouble(exact_sum(products, found)) : NULL;
    PyMem_Free(cells);
    PyBuffer_Release(&terms);
    PyBuffer_Release(&weights);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}
