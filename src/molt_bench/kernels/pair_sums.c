/* A weighted sum of margins, as in molt_bench.rating.margin. */
#include "kernels.h"
#include <math.h>

/* The square as Python's ** computes it, which is not always that of a product: the compiler must not see the 2. */
static double square(double number) {
    static volatile double two = 2.0;
    return pow(number, two);
}

/* Returns (mean, variance, degrees of freedom, variance of one seed pair each); None if a pair has none, or anything is
   odd. Arguments: the places of the pairs as int64; then as doubles their weights and the squares of these, and by place
   the seed pairs, means, variances and degrees of freedom. */
PyObject *weighted_margin(PyObject *self, PyObject *args) {
    Py_buffer given[7];
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5], &given[6]))
        return NULL;
    const int64_t *places = given[0].buf;
    const double *weights = given[1].buf, *squared = given[2].buf, *counts = given[3].buf, *means = given[4].buf;
    const double *variances = given[5].buf, *frees = given[6].buf;
    Py_ssize_t size = given[0].len / 8, pairs = given[3].len / 8;
    int good = size > 0 && size < 1 << 20 && given[1].len == 8 * size && given[2].len == 8 * size;
    for (int at = 4; at < 7; at++)
        good = good && given[at].len == 8 * pairs;
    double *parts = good ? PyMem_Malloc(4 * size * sizeof(double)) : NULL, *squares, *sums, *units;
    good = parts != NULL;
    squares = good ? parts + size : NULL;
    sums = good ? squares + size : NULL;
    units = good ? sums + size : NULL;
    for (Py_ssize_t at = 0; good && at < size; at++) {
        int64_t place = places[at];
        good = place >= 0 && place < pairs && counts[place] > 0;
        if (!good)
            break;
        parts[at] = squared[at] * variances[place] / counts[place];
        squares[at] = square(parts[at]) / frees[place];
        sums[at] = weights[at] * means[place];
        units[at] = parts[at] * counts[place];
        good = isfinite(parts[at]) && isfinite(squares[at]) && isfinite(sums[at]) && isfinite(units[at]);
    }
    PyObject *result = NULL;
    if (good) {
        double total = exact_sum(parts, (int)size), apart = exact_sum(squares, (int)size);
        if (apart > 0 && isfinite(square(total)))
            result = Py_BuildValue("dddd", exact_sum(sums, (int)size), total, square(total) / apart, exact_sum(units, (int)size));
    }
    PyMem_Free(parts);
    for (int at = 0; at < 7; at++)
        PyBuffer_Release(&given[at]);
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}
