/* Reading the attributes of Python's objects. */
#include "luck.h"

static const char *const NAME[NAMES] = {"seat", "pot", "stacks", "bets", "to_call", "min_raise_to", "max_raise_to", "log",
    "street", "kind", "amount", "low", "high", "facing", "least", "most", "percents", "chances", "holes", "board", "payoffs",
    "at_stake", "rules", "small_blind", "big_blind", "ante", "betting", "start"};
static PyObject *names[NAMES];
/* Texts are mostly these very objects, so that a look suffices. */
static const char *const KIND_NAME[KINDS] = {"raiseTo", "fold", "call", "check"}, *const STREET_NAME[STREETS] = {"preflop", "flop", "turn", "river"};
static PyObject *kinds[KINDS], *streets[STREETS];

/* Which of some texts it is, -1 for none: mostly one of these very objects. */
static int place_of(PyObject *text, PyObject *const *objects, const char *const *texts, int count) {
    for (int at = 0; at < count; at++)
        if (text == objects[at])
            return at;
    for (int at = 0; text && PyUnicode_CheckExact(text) && at < count; at++)
        if (PyUnicode_CompareWithASCIIString(text, texts[at]) == 0)
            return at;
    return -1;
}

static int interned(PyObject **found, const char *const *texts, int count) {
    for (int at = 0; at < count; at++)
        if (!found[at] && !(found[at] = PyUnicode_InternFromString(texts[at])))
            return 0;
    return 1;
}

int know_names(void) {
    return interned(names, NAME, NAMES) && interned(kinds, KIND_NAME, KINDS) && interned(streets, STREET_NAME, STREETS);
}

PyObject *attribute(PyObject *object, int name) {
    PyObject *found = PyObject_GetAttr(object, names[name]);
    if (!found)
        PyErr_Clear();
    return found;
}

/* Read chips; 0 with no exception if it is no small int. */
int read_chips(PyObject *item, int64_t *found) {
    if (!item || !PyLong_CheckExact(item))
        return 0;
    *found = PyLong_AsLongLong(item);
    if (*found == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return -MOST_CHIPS <= *found && *found <= MOST_CHIPS;
}

int chips_of(PyObject *object, int name, int64_t *found) {
    PyObject *item = attribute(object, name);
    int good = read_chips(item, found);
    Py_XDECREF(item);
    return good;
}

int pair_of(PyObject *object, int name, int64_t found[2]) {
    PyObject *item = attribute(object, name);
    int good = item && PyTuple_Check(item) && PyTuple_Size(item) == 2 && read_chips(PyTuple_GetItem(item, 0), &found[0])
               && read_chips(PyTuple_GetItem(item, 1), &found[1]);
    Py_XDECREF(item);
    return good;
}

int street_of(PyObject *object) {
    PyObject *street = attribute(object, STREET);
    int found = place_of(street, streets, STREET_NAME, STREETS);
    Py_XDECREF(street);
    return found;
}

char kind_of(PyObject *object) {
    PyObject *kind = attribute(object, KIND);
    int at = place_of(kind, kinds, KIND_NAME, KINDS);
    Py_XDECREF(kind);
    return at < 0 ? 0 : KIND_NAME[at][0] == 'c' ? KIND_NAME[at][1] : KIND_NAME[at][0];
}
