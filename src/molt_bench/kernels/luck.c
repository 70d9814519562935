/* The luck of cards and dice in one hand: the arithmetic of molt_bench.luck, in the same order. */
#include "kernels.h"
#include <math.h>
#include <string.h>

#define BINS 3
#define PASSIVE 6
#define RAISED 9
#define STREETS 4
#define FIRST_RAISED (STREETS + 4 * PASSIVE)
#define FEATURES (FIRST_RAISED + 2 * BINS * RAISED)
/* Chips up to here are exact as doubles, also times a percentage. */
#define MOST_CHIPS (1LL << 44)

/* Read chips; 0 with no exception if it is no small int. */
static int read_chips(PyObject *item, int64_t *found) {
    if (!item || !PyLong_CheckExact(item))
        return 0;
    *found = PyLong_AsLongLong(item);
    if (*found > MOST_CHIPS || *found < -MOST_CHIPS || PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

static int read_number(PyObject *item, double *found) {
    if (!item || !PyFloat_CheckExact(item))
        return 0;
    *found = PyFloat_AsDouble(item);
    return isfinite(*found);
}

/* Weights of deals as doubles: the depths at which buckets begin, and the weights of all deals by bucket. */
typedef struct {
    const double *depths, *weights;
    int cuts, places;
} ChanceWeights;

static int read_weights(PyObject *pair, ChanceWeights *found) {
    char *depths, *weights;
    Py_ssize_t depth_size, weight_size;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2
        || PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 0), &depths, &depth_size) < 0
        || PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 1), &weights, &weight_size) < 0) {
        PyErr_Clear();
        return 0;
    }
    found->depths = (const double *)depths;
    found->weights = (const double *)weights;
    found->cuts = (int)(depth_size / sizeof(double));
    found->places = (int)(weight_size / sizeof(double));
    return found->places >= 4 * 2 * (found->cuts + 1);
}

/* A deal of cards, as ChanceTerm in molt_bench/luck/chance.py. */
typedef struct {
    int64_t pot, behind;
    int raised;
    double change;
} Deal;

static int bucket_of(const ChanceWeights *by, const Deal *deal) {
    int bucket = deal->raised ? by->cuts + 1 : 0;
    for (int cut = 0; cut < by->cuts; cut++)
        bucket += (double)deal->behind >= by->depths[cut] * (double)deal->pot;
    return bucket;
}

static PyObject *floats(const double *numbers, int count) {
    PyObject *list = PyList_New(count);
    for (int at = 0; list && at < count; at++) {
        PyObject *item = PyFloat_FromDouble(numbers[at]);
        if (!item || PyList_SetItem(list, at, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* The luck of the cards in a hand, for seat 0: (what it was by each set of weights, the deals after the hole cards times
   `sign` as terms). Arguments: seat 0's equities; the pot before the hole cards; the chips behind; the openings of later
   streets; sets of weights; the weights whose buckets are the places; the row of the terms; sign. */
PyObject *card_luck(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Deal deals[4];
    double share[4], lucks[8], products[4];
    int64_t row, sign;
    Term terms[3];
    if (count != 8 || !PyTuple_Check(args[0]) || !PyList_Check(args[3]) || !PyTuple_Check(args[4])
        || !read_chips(args[1], &deals[0].pot) || !read_chips(args[2], &deals[0].behind) || !read_chips(args[6], &row) || !read_chips(args[7], &sign))
        Py_RETURN_NONE;
    int streets = (int)PyTuple_Size(args[0]), dealt = 1 + (int)PyList_Size(args[3]), sets = (int)PyTuple_Size(args[4]);
    if (dealt > streets || streets > 4 || sets < 1 || sets > 8)
        Py_RETURN_NONE;
    for (int at = 0; at < streets; at++)
        if (!read_number(PyTuple_GetItem(args[0], at), &share[at]))
            Py_RETURN_NONE;
    deals[0].raised = 0;
    deals[0].change = share[0] - 0.5;
    for (int at = 1; at < dealt; at++) {
        PyObject *opening = PyList_GetItem(args[3], at - 1);
        if (!PyTuple_Check(opening) || PyTuple_Size(opening) != 3 || !read_chips(PyTuple_GetItem(opening, 0), &deals[at].pot)
            || !read_chips(PyTuple_GetItem(opening, 1), &deals[at].behind))
            Py_RETURN_NONE;
        deals[at].raised = PyTuple_GetItem(opening, 2) == Py_True;
        deals[at].change = share[at] - share[at - 1];
    }
    ChanceWeights by = {0};
    for (int set = 0; set < sets; set++) {
        if (!read_weights(PyTuple_GetItem(args[4], set), &by))
            Py_RETURN_NONE;
        for (int at = 0; at < dealt; at++)
            products[at] = by.weights[at * 2 * (by.cuts + 1) + bucket_of(&by, &deals[at])] * (double)deals[at].pot
                           * deals[at].change;
        lucks[set] = exact_sum(products, dealt);
    }
    if (!read_weights(args[5], &by))
        Py_RETURN_NONE;
    for (int at = 1; at < dealt; at++) {
        terms[at - 1].row = (int32_t)row;
        terms[at - 1].place = 2 * (by.cuts + 1) * (at - 1) + bucket_of(&by, &deals[at]);
        terms[at - 1].part = (double)sign * (double)deals[at].pot * deals[at].change;
    }
    PyObject *found = floats(lucks, sets);
    return found ? Py_BuildValue("Ny#", found, terms, (Py_ssize_t)((dealt - 1) * sizeof(Term))) : NULL;
}

/* What the policies of the built-in bots are made of, see molt_bench.luck.dice. */
static struct {
    PyObject *action, *sizes, *pot_raises;
    int64_t low, high, price;
    double passive, raised, tolerance;
} known;

enum { SEAT, POT, STACKS, BETS, STARTING, TO_CALL, LEAST, MOST, LOG, STREET, KIND, AMOUNT, LOW, HIGH, FACING, LEAST_SIZE, MOST_SIZE, NAMES };
static const char *const NAME[NAMES] = {"seat", "pot", "stacks", "bets", "starting_stacks", "to_call", "min_raise_to",
    "max_raise_to", "log", "street", "kind", "amount", "low", "high", "facing", "least", "most"};
static PyObject *names[NAMES];

PyObject *set_policies(PyObject *self, PyObject *args) {
    PyObject *action, *sizes, *pot_raises;
    long long low, high, price;
    double passive, raised, tolerance;
    if (!PyArg_ParseTuple(args, "OOOLLdddL", &action, &sizes, &pot_raises, &low, &high, &passive, &raised, &tolerance, &price))
        return NULL;
    for (int at = 0; at < NAMES; at++)
        if (!names[at] && !(names[at] = PyUnicode_InternFromString(NAME[at])))
            return NULL;
    known.action = Py_NewRef(action);
    known.sizes = Py_NewRef(sizes);
    known.pot_raises = Py_NewRef(pot_raises);
    known.low = low;
    known.high = high;
    known.price = price;
    known.passive = passive;
    known.raised = raised;
    known.tolerance = tolerance;
    return Py_NewRef(Py_None);
}

static int chips_of(PyObject *object, int name, int64_t *found) {
    PyObject *item = PyObject_GetAttr(object, names[name]);
    int good = read_chips(item, found);
    Py_XDECREF(item);
    if (!item)
        PyErr_Clear();
    return good;
}

static int pair_of(PyObject *object, int name, int64_t found[2]) {
    PyObject *item = PyObject_GetAttr(object, names[name]);
    int good = item && PyTuple_Check(item) && PyTuple_Size(item) == 2 && read_chips(PyTuple_GetItem(item, 0), &found[0])
               && read_chips(PyTuple_GetItem(item, 1), &found[1]);
    Py_XDECREF(item);
    if (!item)
        PyErr_Clear();
    return good;
}

/* What a decision depends on. */
typedef struct {
    int64_t seat, pot, stacks[2], bets[2], starting[2], to_call, least, most, limits[2], staked, begins[2];
    int opened;
} Seen;

static int read_seen(PyObject *object, Seen *seen) {
    if (!chips_of(object, SEAT, &seen->seat) || seen->seat < 0 || seen->seat > 1 || !chips_of(object, POT, &seen->pot)
        || !pair_of(object, STACKS, seen->stacks) || !pair_of(object, BETS, seen->bets)
        || !pair_of(object, STARTING, seen->starting) || !chips_of(object, TO_CALL, &seen->to_call)
        || !chips_of(object, LEAST, &seen->least) || !chips_of(object, MOST, &seen->most))
        return 0;
    PyObject *log = PyObject_GetAttr(object, names[LOG]), *street = PyObject_GetAttr(object, names[STREET]);
    int good = log && street && PyTuple_Check(log);
    seen->opened = 0;
    if (good && PyTuple_Size(log)) {
        PyObject *last = PyObject_GetAttr(PyTuple_GetItem(log, PyTuple_Size(log) - 1), names[STREET]);
        int same = last ? PyObject_RichCompareBool(last, street, Py_EQ) : -1;
        Py_XDECREF(last);
        good = same >= 0;
        seen->opened = same > 0;
    }
    Py_XDECREF(log);
    Py_XDECREF(street);
    if (!good)
        PyErr_Clear();
    for (int seat = 0; seat < 2; seat++)
        seen->limits[seat] = seen->stacks[seat] + seen->bets[seat];
    int64_t first = seen->starting[0] - seen->limits[0], second = seen->starting[1] - seen->limits[1];
    seen->staked = first < second ? first : second;
    int64_t all_in = seen->limits[0] < seen->limits[1] ? seen->limits[0] : seen->limits[1];
    int64_t pot = seen->pot + seen->to_call;
    int64_t begin = seen->bets[seen->seat] + seen->to_call + (pot * known.price + 99) / 100;
    seen->begins[0] = begin < all_in ? begin : all_in;
    seen->begins[1] = all_in;
    return good && pot > 0;
}

/* The probabilities of a policy, in the order of molt_bench.luck.dice._chances. */
typedef struct {
    double fold, passive, raised[BINS], sizes[BINS], taken;
} Chances;

/* An action: 'f' for a fold, 'p' for the check or call that is legal, 'r' for a raise, 0 for anything else. */
static char read_action(PyObject *object, const Seen *seen, int64_t *amount) {
    if ((PyObject *)Py_TYPE(object) != known.action)
        return 0;
    PyObject *kind = PyObject_GetAttr(object, names[KIND]);
    char found = 0;
    if (kind && PyUnicode_CheckExact(kind)) {
        if (PyUnicode_CompareWithASCIIString(kind, "raiseTo") == 0)
            found = chips_of(object, AMOUNT, amount) ? 'r' : 0;
        else if (PyUnicode_CompareWithASCIIString(kind, "fold") == 0)
            found = 'f';
        else if (PyUnicode_CompareWithASCIIString(kind, seen->to_call ? "call" : "check") == 0)
            found = 'p';
    }
    Py_XDECREF(kind);
    if (!kind)
        PyErr_Clear();
    return found;
}

static int bin_of(const Seen *seen, int64_t size) {
    return (seen->begins[0] <= size) + (seen->begins[1] <= size);
}

static void add_sizes(Chances *found, const Seen *seen, int64_t low, int64_t high, double chance) {
    if (low == high) {
        int at = bin_of(seen, low);
        found->raised[at] += chance;
        found->sizes[at] += chance * (double)low;
        return;
    }
    double each = chance / (double)(high - low + 1);
    for (int at = bin_of(seen, low); at < BINS; at++) {
        int64_t last = at < BINS - 1 && seen->begins[at] - 1 < high ? seen->begins[at] - 1 : high;
        if (last >= low) {
            double part = each * (double)(last - low + 1);
            found->raised[at] += part;
            found->sizes[at] += part * (double)(low + last) / 2;
            low = last + 1;
        }
    }
}

/* A raise by any percentage of the pot: equal sizes are one, as in PotRaises. */
static int pot_raises(PyObject *policy, const Seen *seen, char kind, int64_t amount, Chances *found) {
    int64_t facing, pot, least, most;
    if (!chips_of(policy, FACING, &facing) || !chips_of(policy, POT, &pot) || !chips_of(policy, LEAST_SIZE, &least)
        || !chips_of(policy, MOST_SIZE, &most) || pot < 0 || least < 1 || least > most)
        return 0;
    int64_t size = 0, times = 0;
    double percents = (double)(known.high - known.low + 1);
    found->passive = known.passive;
    found->taken = kind == 'p' ? known.passive : 0.0;
    for (int64_t percent = known.low; percent <= known.high + 1; percent++) {
        int64_t next = facing + pot * percent / 100;
        next = next < least ? least : next;
        next = next > most ? most : next;
        if (times && (next != size || percent > known.high)) {
            double chance = (double)times * known.raised / percents;
            add_sizes(found, seen, size, size, chance);
            if (kind == 'r' && amount == size)
                found->taken += chance;
            times = 0;
        }
        size = next;
        times++;
    }
    return 1;
}

static int listed_policy(PyObject *policy, const Seen *seen, char kind, int64_t amount, Chances *found) {
    int tuple = PyTuple_Check(policy);
    if (!tuple && !PyList_Check(policy))
        return 0;
    Py_ssize_t count = PySequence_Size(policy);
    double taken = 0.0;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *entry = tuple ? PyTuple_GetItem(policy, at) : PyList_GetItem(policy, at);
        double chance;
        int64_t low, high;
        if (!entry || !PyTuple_Check(entry) || PyTuple_Size(entry) != 2 || !read_number(PyTuple_GetItem(entry, 1), &chance)
            || !(-known.tolerance <= chance && chance <= 1 + known.tolerance))
            return 0;
        PyObject *choice = PyTuple_GetItem(entry, 0);
        if ((PyObject *)Py_TYPE(choice) == known.sizes) {
            if (!chips_of(choice, LOW, &low) || !chips_of(choice, HIGH, &high))
                return 0;
        } else {
            char chosen = read_action(choice, seen, &low);
            if (!chosen)
                return 0;
            if (chosen != 'r') {
                *(chosen == 'f' ? &found->fold : &found->passive) += chance;
                continue;
            }
            high = low;
        }
        if (!(0 < seen->least && seen->least <= low && low <= high && high <= seen->most))
            return 0;
        if (kind == 'r' && low <= amount && amount <= high)
            taken += chance;
        add_sizes(found, seen, low, high, chance);
    }
    found->taken = kind == 'r' ? taken : kind == 'f' ? found->fold : found->passive;
    return 1;
}

/* The features of a decision. */
typedef struct {
    int count;
    Term term[FEATURES];
} Features;

static void add_feature(Features *found, int place, double part) {
    Term term = {0, place, part};
    found->term[found->count++] = term;
}

/* As molt_bench.luck.dice: the mean over possible draws minus the actual one, then the features of its value. */
static void add_features(const Seen *seen, Chances *chances, char kind, int64_t amount, int street, double share,
                         const double strengths[2], double folds, Features *found) {
    double matched[BINS], *raised = chances->raised, staked = (double)seen->staked;
    chances->sizes[BINS - 1] = raised[BINS - 1] * (double)seen->begins[BINS - 2];
    for (int at = 0; at < BINS; at++)
        matched[at] = chances->sizes[at] + staked * raised[at];
    if (kind == 'f') {
        chances->fold -= 1.0;
    } else if (kind == 'r') {
        int at = bin_of(seen, amount);
        raised[at] -= 1.0;
        matched[at] -= (double)(amount < seen->begins[1] ? amount : seen->begins[1]) + staked * 1.0;
    } else {
        chances->passive -= 1.0;
    }
    int64_t seat = seen->seat, called_to = seen->bets[seat] + seen->to_call;
    double edge = seat ? 1 - 2 * share : 2 * share - 1;
    double passive = chances->passive * (double)(seen->staked + called_to);
    double exact = -chances->fold * (double)(seen->starting[seat] - seen->stacks[seat]);
    if (called_to == seen->limits[0] || called_to == seen->limits[1] || (seen->opened && street == 3)) {
        exact += passive * edge;
        passive = 0.0;
    }
    double depth = (double)(seen->begins[1] - called_to) / (double)(seen->pot + seen->to_call);
    double deep = log1p(depth < 0.0 ? 0.0 : depth), own = strengths[seat] - 0.5, other = strengths[1 - seat] - 0.5;
    int late = street > 0;
    if (exact != 0.0)
        add_feature(found, street, exact);
    if (passive != 0.0) {
        double parts[PASSIVE] = {edge, own, other, edge * deep, own * deep, other * deep};
        for (int at = 0; at < PASSIVE; at++)
            add_feature(found, STREETS + PASSIVE * (2 * late + seen->opened) + at, passive * parts[at]);
    }
    double lost = (double)(seen->starting[1 - seat] - seen->stacks[1 - seat]);
    for (int price = 0; price < BINS; price++) {
        if (raised[price] == 0.0 && matched[price] == 0.0)
            continue;
        double won = raised[price] * lost;
        double parts[RAISED] = {won, won * folds, won * other, won * folds * other, matched[price] * edge,
            matched[price] * (folds * edge), matched[price] * (edge * other), matched[price] * own,
            matched[price] * (edge * deep)};
        for (int at = 0; at < RAISED; at++)
            add_feature(found, FIRST_RAISED + RAISED * (BINS * late + price) + at, parts[at]);
    }
}

/* A decision: (its features times `sign` as terms, its value by each set of weights). Arguments: policy, observation,
   action, street, seat 0's equity, strengths of both hands, folds, weights, the row of the terms, sign, the first place. */
PyObject *decision_parts(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Seen seen;
    Chances chances = {0};
    Features found;
    int64_t amount = 0, street, row, sign, first;
    double share, strengths[2], folds;
    char *weights;
    Py_ssize_t size;
    if (count != 11 || !known.action || !read_seen(args[1], &seen) || !read_chips(args[3], &street)
        || !read_number(args[4], &share) || !PyTuple_Check(args[5]) || PyTuple_Size(args[5]) != 2
        || !read_number(PyTuple_GetItem(args[5], 0), &strengths[0]) || !read_number(PyTuple_GetItem(args[5], 1), &strengths[1])
        || !read_number(args[6], &folds) || !read_chips(args[8], &row) || !read_chips(args[9], &sign)
        || !read_chips(args[10], &first))
        Py_RETURN_NONE;
    if (PyBytes_AsStringAndSize(args[7], &weights, &size) < 0)
        return NULL;
    char kind = read_action(args[2], &seen, &amount);
    int pot = (PyObject *)Py_TYPE(args[0]) == known.pot_raises;
    if (!kind || street < 0 || street >= STREETS || size % (FEATURES * sizeof(double))
        || !(pot ? pot_raises(args[0], &seen, kind, amount, &chances) : listed_policy(args[0], &seen, kind, amount, &chances)))
        Py_RETURN_NONE;
    double whole = chances.fold + chances.passive + (chances.raised[0] + chances.raised[1] + chances.raised[2]);
    found.count = 0;
    if (!(chances.taken > 0) || fabs(whole - 1) > known.tolerance)
        Py_RETURN_NONE;
    add_features(&seen, &chances, kind, amount, (int)street, share, strengths, folds, &found);
    Py_ssize_t sets = size / (FEATURES * sizeof(double));
    PyObject *values = PyList_New(sets);
    for (Py_ssize_t set = 0; values && set < sets; set++) {
        const double *weight = (const double *)weights + FEATURES * set;
        double total = 0.0;
        for (int at = 0; at < found.count; at++)
            total += weight[found.term[at].place] * found.term[at].part;
        PyObject *value = PyFloat_FromDouble(total);
        if (!value || PyList_SetItem(values, set, value) < 0)
            Py_CLEAR(values);
    }
    for (int at = 0; at < found.count; at++) {
        Term *term = &found.term[at];
        term->row = (int32_t)row;
        term->place += (int32_t)first;
        term->part = sign < 0 ? -term->part : term->part;
    }
    return values ? Py_BuildValue("y#N", found.term, (Py_ssize_t)(found.count * sizeof(Term)), values) : NULL;
}
