/* The incomplete beta function, as in molt_bench.rating.student. */
#include "kernels.h"
#include <math.h>

#define STEPS 250
#define TINY 1e-300
#define CLOSE 1e-15

static int step(double term, double *upper, double *lower, double *found) {
    *lower = 1 + term * *lower;
    *lower = 1 / (*lower > TINY || *lower < -TINY ? *lower : TINY);
    *upper = 1 + term / *upper;
    if (-TINY <= *upper && *upper <= TINY)
        *upper = TINY;
    double change = *upper * *lower;
    *found *= change;
    return -CLOSE < change - 1 && change - 1 < CLOSE;
}

/* Arguments, all floats: where, first, second, and the logarithm of one over the beta function of these. */
PyObject *incomplete_beta(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    double given[4];
    for (int at = 0; at < 4; at++) {
        if (count != 4 || !PyFloat_CheckExact(args[at]))
            Py_RETURN_NONE;
        given[at] = PyFloat_AsDouble(args[at]);
    }
    double at = given[0], first = given[1], second = given[2], both = first + second, upper = 2.0, lower = 1.0, found = 2.0;
    double front = exp(given[3] + first * log(at) + second * log(1 - at)) / first;
    if (!(at > 0 && at < 1) || !isfinite(front))
        Py_RETURN_NONE;
    for (int half = 0; half < STEPS; half++) {
        double place = first + 2 * half;
        if (half && step(half * (second - half) * at / ((place - 1) * place), &upper, &lower, &found))
            break;
        if (step(-(first + half) * (both + half) * at / (place * (place + 1)), &upper, &lower, &found))
            break;
    }
    return PyFloat_FromDouble(front * (found - 1));
}
