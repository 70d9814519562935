/* The module molt_bench.kernels._compiled: what it offers to Python. */
#include "kernels.h"

static PyMethodDef methods[] = {
    {"set_tables", set_tables, METH_VARARGS, NULL},
    {"set_preflop", set_preflop, METH_VARARGS, NULL},
    {"street_equities", street_equities, METH_VARARGS, NULL},
    {"range_wins", range_wins, METH_VARARGS, NULL},
    {"game_luck", game_luck, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int filled(PyObject *module) {
    return PyModule_AddIntConstant(module, "VERSION", KERNELS_VERSION);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, filled}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_compiled", "Compiled kernels; see molt_bench.kernels.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__compiled(void) {
    return PyModuleDef_Init(&definition);
}
