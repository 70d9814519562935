/* The luck of the dice at one decision: the arithmetic of molt_bench.luck.dice, in the same order. */
#include "luck.h"
#include <math.h>

/* The types that policies are made of, by how much their sum may miss 1, and the price of a raise at which a bin begins. */
static struct Known {
    PyObject *action, *sizes, *pot_raises;
    double tolerance;
    int64_t price;
} known;

/* A probability may be a whole number, too. */
static int read_chance(PyObject *item, double *found) {
    int64_t whole;
    if (item && PyFloat_CheckExact(item)) {
        *found = PyFloat_AsDouble(item);
    } else {
        if (!read_chips(item, &whole) || whole < 0 || whole > 1)
            return 0;
        *found = (double)whole;
    }
    return -known.tolerance <= *found && *found <= 1 + known.tolerance;
}

PyObject *set_policies(PyObject *self, PyObject *args) {
    PyObject *action, *sizes, *pot_raises;
    long long price;
    double tolerance;
    if (!PyArg_ParseTuple(args, "OOOdL", &action, &sizes, &pot_raises, &tolerance, &price) || !know_names())
        return NULL;
    known = (struct Known){Py_NewRef(action), Py_NewRef(sizes), Py_NewRef(pot_raises), tolerance, price};
    return Py_NewRef(Py_None);
}

int read_seen(PyObject *object, Seen *seen) {
    if (!chips_of(object, POT, &seen->pot) || !pair_of(object, STACKS, seen->stacks) || !pair_of(object, BETS, seen->bets)
        || !chips_of(object, TO_CALL, &seen->to_call)
        || !chips_of(object, LEAST, &seen->least) || !chips_of(object, MOST, &seen->most))
        return 0;
    for (int seat = 0; seat < 2; seat++)
        seen->limits[seat] = seen->stacks[seat] + seen->bets[seat];
    int64_t first = seen->starting[0] - seen->limits[0], second = seen->starting[1] - seen->limits[1];
    seen->staked = first < second ? first : second;
    int64_t all_in = seen->limits[0] < seen->limits[1] ? seen->limits[0] : seen->limits[1];
    int64_t pot = seen->pot + seen->to_call;
    int64_t begin = seen->bets[seen->seat] + seen->to_call + (pot * known.price + 99) / 100;
    seen->begins[0] = begin < all_in ? begin : all_in;
    seen->begins[1] = all_in;
    return pot > 0;
}

/* An action: 'f' for a fold, 'p' for the check or call that is legal, 'r' for a raise, 0 for anything else. */
static char read_action(PyObject *object, const Seen *seen, int64_t *amount) {
    char kind = kind_of(object);
    if (kind == 'r')
        return chips_of(object, AMOUNT, amount) ? 'r' : 0;
    return kind == 'f' ? 'f' : kind == (seen->to_call ? 'a' : 'h') ? 'p' : 0;
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

/* A raise by any percentage of the pot: equal sizes are one, as in PotRaises. They ascend, and so do their bins. */
static int pot_raises(PyObject *policy, const Seen *seen, char kind, int64_t amount, Chances *found) {
    int64_t facing, pot, least, most, percents[2];
    double passive = -1.0, raise = -1.0;
    PyObject *chances = attribute(policy, CHANCES);
    int good = chances && PyTuple_Check(chances) && PyTuple_Size(chances) == 2 && read_chance(PyTuple_GetItem(chances, 0), &passive)
               && read_chance(PyTuple_GetItem(chances, 1), &raise) && chips_of(policy, FACING, &facing)
               && chips_of(policy, POT, &pot) && chips_of(policy, LEAST_SIZE, &least) && chips_of(policy, MOST_SIZE, &most)
               && pair_of(policy, PERCENTS, percents);
    Py_XDECREF(chances);
    if (!good || pot < 0 || least < 1 || least > most || percents[0] < 0 || percents[1] > 1000)
        return 0;
    const int64_t high = percents[1];
    double count = (double)(high - percents[0] + 1), once = raise / count, raised = 0.0, total = 0.0;
    int64_t percent = percents[0], next = 0;
    int bin = 0;
    found->passive = passive;
    found->taken = kind == 'p' ? passive : 0.0;
    for (int64_t times = 0, size = 0; percent <= high + 1; percent++, times++, size = next) {
        next = facing + (int64_t)((uint64_t)pot * (uint64_t)percent / 100);
        next = next < least ? least : next > most ? most : next;
        if (!times || (next == size && percent <= high))
            continue;
        for (; bin < BINS - 1 && seen->begins[bin] <= size; bin++, raised = total = 0.0) {
            found->raised[bin] = raised;
            found->sizes[bin] = total;
        }
        double chance = times == 1 ? once : (double)times * raise / count;
        raised += chance;
        total += chance * (double)size;
        if (kind == 'r' && amount == size)
            found->taken += chance;
        times = 0;
    }
    found->raised[bin] = raised;
    found->sizes[bin] = total;
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
        if (!entry || !PyTuple_Check(entry) || PyTuple_Size(entry) != 2 || !read_chance(PyTuple_GetItem(entry, 1), &chance))
            return 0;
        PyObject *choice = PyTuple_GetItem(entry, 0);
        if ((PyObject *)Py_TYPE(choice) == known.sizes) {
            if (!chips_of(choice, LOW, &low) || !chips_of(choice, HIGH, &high))
                return 0;
        } else {
            char chosen = (PyObject *)Py_TYPE(choice) == known.action ? read_action(choice, seen, &low) : 0;
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

static void add_feature(Features *found, int place, double part) {
    Term term = {0, place, part};
    found->term[found->count++] = term;
}

/* Subtract the actual draw from the mean over possible ones, as molt_bench.luck.dice._surplus; 0 if nothing is left. */
static int subtract(const Seen *seen, Chances *chances, char kind, int64_t amount) {
    double *matched = chances->matched, *raised = chances->raised, staked = (double)seen->staked;
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
    int left = chances->fold != 0.0 || chances->passive != 0.0;
    for (int at = 0; at < BINS; at++)
        left |= raised[at] != 0.0 || matched[at] != 0.0;
    return left;
}

/* As molt_bench.luck.dice: the features of what is left. */
void add_features(const Seen *seen, const Chances *chances, const Setting *setting, Features *found) {
    int street = seen->street;
    double share = setting->share, folds = setting->folds;
    const double *matched = chances->matched, *raised = chances->raised;
    int64_t seat = seen->seat, called_to = seen->bets[seat] + seen->to_call;
    double edge = seat ? 1 - 2 * share : 2 * share - 1;
    double passive = chances->passive * (double)(seen->staked + called_to);
    double exact = -chances->fold * (double)(seen->starting[seat] - seen->stacks[seat]);
    if (called_to == seen->limits[0] || called_to == seen->limits[1] || (seen->opened && street == 3)) {
        exact += passive * edge;
        passive = 0.0;
    }
    double depth = (double)(seen->begins[1] - called_to) / (double)(seen->pot + seen->to_call);
    double deep = log1p(depth < 0.0 ? 0.0 : depth), own = setting->rates[seat] - 0.5,
           other = setting->rates[1 - seat] - 0.5;
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

int decision_surplus(PyObject *policy, const Seen *seen, PyObject *done, Chances *chances) {
    int64_t amount = 0;
    char kind = read_action(done, seen, &amount);
    int raises = (PyObject *)Py_TYPE(policy) == known.pot_raises;
    if (!kind || !(raises ? pot_raises : listed_policy)(policy, seen, kind, amount, chances))
        return 0;
    double whole = chances->fold + chances->passive + (chances->raised[0] + chances->raised[1] + chances->raised[2]);
    if (!(chances->taken > 0) || fabs(whole - 1) > known.tolerance)
        return 0;
    chances->left = subtract(seen, chances, kind, amount);
    return 1;
}
