/* Reading the attributes of Python's objects, most of which have a slot at a place that is the same for all of a type. */
#include "luck.h"
#include <string.h>
#include <structmember.h>

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

/* The types that are read most, and where their attributes are; 0 for those that have no slot. */
#define TYPES 8
static struct {
    PyTypeObject *type;
    Py_ssize_t place[NAMES];
} layouts[TYPES];

/* Find the slots of a type, which Python lists. */
static void find_slots(int at, PyTypeObject *type) {
    const PyMemberDef *slot = PyType_GetSlot(type, Py_tp_members);
    for (; slot && slot->name; slot++)
        for (int name = 0; slot->type == T_OBJECT_EX && name < NAMES; name++)
            if (strcmp(slot->name, NAME[name]) == 0)
                layouts[at].place[name] = slot->offset;
    layouts[at].type = (PyTypeObject *)Py_NewRef((PyObject *)type);
}

PyObject *set_types(PyObject *self, PyObject *types) {
    if (!interned(names, NAME, NAMES) || !interned(kinds, KIND_NAME, KINDS) || !interned(streets, STREET_NAME, STREETS))
        return NULL;
    for (int at = 0; at < TYPES && PyTuple_Check(types) && at < PyTuple_Size(types); at++)
        if (!layouts[at].type && PyType_Check(PyTuple_GetItem(types, at)))
            find_slots(at, (PyTypeObject *)PyTuple_GetItem(types, at));
    return Py_NewRef(Py_None);
}

PyObject *attribute(PyObject *object, int name) {
    for (int at = 0; at < TYPES && layouts[at].type; at++) {
        if (layouts[at].type != Py_TYPE(object))
            continue;
        Py_ssize_t place = layouts[at].place[name];
        PyObject *found = place ? *(PyObject **)((char *)object + place) : NULL;
        if (found)
            return Py_NewRef(found);
        break;
    }
    return PyObject_GetAttr(object, names[name]);
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
    if (!item)
        PyErr_Clear();
    return good;
}

int pair_of(PyObject *object, int name, int64_t found[2]) {
    PyObject *item = attribute(object, name);
    int good = item && PyTuple_Check(item) && PyTuple_Size(item) == 2 && read_chips(PyTuple_GetItem(item, 0), &found[0])
               && read_chips(PyTuple_GetItem(item, 1), &found[1]);
    Py_XDECREF(item);
    if (!item)
        PyErr_Clear();
    return good;
}

int street_of(PyObject *object) {
    PyObject *street = attribute(object, STREET);
    int found = place_of(street, streets, STREET_NAME, STREETS);
    Py_XDECREF(street);
    if (!street)
        PyErr_Clear();
    return found;
}

char kind_of(PyObject *object) {
    PyObject *kind = attribute(object, KIND);
    int at = place_of(kind, kinds, KIND_NAME, KINDS);
    Py_XDECREF(kind);
    if (!kind)
        PyErr_Clear();
    return at < 0 ? 0 : KIND_NAME[at][0] == 'c' ? KIND_NAME[at][1] : KIND_NAME[at][0];
}
