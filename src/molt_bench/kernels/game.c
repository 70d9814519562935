/* The luck of cards and dice in the hands of one game: molt_bench.luck.game_luck, in the same order. */
#include "luck.h"
#include <string.h>

#define MOST_SETS 8

/* Weights of deals as doubles: the depths at which buckets begin, and the weights of all deals by bucket. */
typedef struct {
    const double *depths, *weights;
    int cuts;
} ChanceWeights;

/* A deal of cards, as ChanceTerm in molt_bench/luck/chance.py. */
typedef struct {
    int64_t pot, behind;
    int raised;
    double change;
} Deal;

/* Bytes that grow. */
typedef struct {
    char *start;
    size_t size, room;
} Bytes;

/* The decisions of a seat: its policy, NULL if it is not known; the rows and values found, and their terms. */
typedef struct {
    PyObject *policy, *rows, *values;
    Bytes terms;
    int sign;
} Dice;

typedef struct {
    ChanceWeights by[MOST_SETS], places;
    int sets, value_sets;
    int64_t sign, first, raw, faced[2], folded[2];
    const double *values, *starting;
    PyObject *samples, *all_in, *chance, *without_noise;
    Bytes cards;
    Dice dice[2];
} Game;

/* A hand: the cards up to the last decision, seat 0's equities, the strengths of both hands by street, and the deals. */
typedef struct {
    Cards cards;
    int32_t row;
    int streets, dealt, strong[STREETS];
    double share[STREETS], strengths[STREETS][2];
    Deal deals[STREETS];
} Luck;

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
    return (int)(weight_size / sizeof(double)) >= STREETS * 2 * (found->cuts + 1);
}

static int bucket_of(const ChanceWeights *by, const Deal *deal) {
    int bucket = deal->raised ? by->cuts + 1 : 0;
    for (int cut = 0; cut < by->cuts; cut++)
        bucket += (double)deal->behind >= by->depths[cut] * (double)deal->pot;
    return bucket;
}

static int add_bytes(Bytes *bytes, const void *more, size_t size) {
    if (bytes->size + size > bytes->room) {
        size_t room = 2 * (bytes->size + size) + 4096;
        char *start = PyMem_Realloc(bytes->start, room);
        if (!start) {
            PyErr_NoMemory();
            return 0;
        }
        bytes->start = start;
        bytes->room = room;
    }
    if (size)
        memcpy(bytes->start + bytes->size, more, size);
    bytes->size += size;
    return 1;
}

/* Append to a list, and give the reference away. */
static int append(PyObject *list, PyObject *item) {
    int good = list && item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

static int append_number(PyObject *lists, int at, double number) {
    return append(PyList_GetItem(lists, at), PyFloat_FromDouble(number));
}

/* Items of a list or tuple. */
static Py_ssize_t size_of(PyObject *sequence) {
    return !sequence ? -1 : PyTuple_Check(sequence) ? PyTuple_Size(sequence) : PyList_Check(sequence) ? PyList_Size(sequence) : -1;
}

static PyObject *item_of(PyObject *sequence, Py_ssize_t at) {
    return PyTuple_Check(sequence) ? PyTuple_GetItem(sequence, at) : PyList_GetItem(sequence, at);
}

/* The luck of the cards: what it was by each set of weights, and the deals after the hole cards as terms. */
static int add_cards_luck(Game *game, Luck *luck) {
    Term terms[STREETS];
    double products[STREETS];
    luck->deals[0].change = luck->share[0] - 0.5;
    for (int at = 1; at < luck->dealt; at++)
        luck->deals[at].change = luck->share[at] - luck->share[at - 1];
    for (int set = 0; set < game->sets; set++) {
        const ChanceWeights *by = &game->by[set];
        for (int at = 0; at < luck->dealt; at++) {
            const Deal *deal = &luck->deals[at];
            products[at] = by->weights[at * 2 * (by->cuts + 1) + bucket_of(by, deal)] * (double)deal->pot * deal->change;
        }
        if (!append_number(game->chance, set, -exact_sum(products, luck->dealt)))
            return 0;
    }
    for (int at = 1; at < luck->dealt; at++) {
        const Deal *deal = &luck->deals[at];
        Term term = {luck->row, 2 * (game->places.cuts + 1) * (at - 1) + bucket_of(&game->places, deal),
                     (double)game->sign * (double)deal->pot * deal->change};
        terms[at - 1] = term;
    }
    return add_bytes(&game->cards, terms, (luck->dealt - 1) * sizeof(Term));
}

/* Strengths that were sampled lately: a deal is played in two seatings. */
#define REMEMBERED 4096
static struct {
    const char *samples;
    uint64_t cards;
    int won[2];
} lately[REMEMBERED];

PyObject *forget_strengths(PyObject *self, PyObject *none) {
    memset(lately, 0, sizeof lately);
    return Py_NewRef(Py_None);
}

static int remembered(const Cards *cards, const char *samples, Py_ssize_t size, int won[2]) {
    uint64_t all = (uint64_t)cards->count;
    for (int at = 0; at < cards->count; at++)
        all = all << 6 | (uint64_t)cards->card[at];
    size_t place = all * 0x9E3779B97F4A7C15ULL >> 52;
    if (lately[place].samples != samples || lately[place].cards != all) {
        if (!sampled(cards, samples, size, lately[place].won)) {
            lately[place].samples = NULL;
            return 0;
        }
        lately[place].samples = samples;
        lately[place].cards = all;
    }
    memcpy(won, lately[place].won, sizeof lately[place].won);
    return 1;
}

/* The strengths of both hands, as molt_bench.luck.strength.hand_strengths. */
static int find_strengths(const Game *game, Luck *luck, int street) {
    char *samples;
    Py_ssize_t size;
    int won[2];
    const int *c = luck->cards.card;
    if (luck->strong[street])
        return 1;
    for (int seat = 0; !street && seat < 2; seat++)
        luck->strengths[0][seat] = game->starting[CARDS * c[2 * seat] + c[2 * seat + 1]];
    if (street) {
        Cards cards = luck->cards;
        while (cards.count > 6 + street)
            cards.bits &= ~evaluator.bit[cards.card[--cards.count]];
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(game->samples, street - 1), &samples, &size) < 0
            || !remembered(&cards, samples, size, won))
            return 0;
        for (int seat = 0; seat < 2; seat++)
            luck->strengths[street][seat] = won[seat] / (2.0 * (double)(size / (5 - street)));
    }
    return luck->strong[street] = 1;
}

/* Ask a policy what could have been drawn. */
static PyObject *asked(const Game *game, PyObject *policy, PyObject *seen) {
    int64_t noise;
    if (!chips_of(seen, NOISE, &noise))
        return NULL;
    PyObject *found, *plain = Py_NewRef(seen);
    if (noise) {
        PyObject *args = PyTuple_Pack(1, seen);
        Py_DECREF(plain);
        plain = args ? PyObject_Call(replaced, args, game->without_noise) : NULL;
        Py_XDECREF(args);
    }
    found = plain ? PyObject_CallFunctionObjArgs(policy, plain, NULL) : NULL;
    Py_XDECREF(plain);
    return found;
}

static int add_decision(Game *game, Luck *luck, PyObject *object, PyObject *done) {
    Seen seen;
    Features found;
    if (!read_seen(object, &seen) || seen.street >= luck->streets)
        return 0;
    Dice *dice = &game->dice[seen.seat];
    if (!dice->policy)
        return 1;
    PyObject *policy = asked(game, dice->policy, object);
    if (!policy)
        return 0;
    int64_t other = 1 - seen.seat;
    Setting setting = {.share = luck->share[seen.street],
                       .folds = (double)(game->folded[other] + 1) / (double)(game->faced[other] + 3)};
    int good = find_strengths(game, luck, seen.street);
    memcpy(setting.strengths, luck->strengths[seen.street], sizeof setting.strengths);
    good = good && decision_features(policy, &seen, done, &setting, &found);
    Py_DECREF(policy);
    for (int set = 0; good && set < game->value_sets; set++) {
        const double *weight = game->values + FEATURES * set;
        double total = 0.0;
        for (int at = 0; at < found.count; at++)
            total += weight[found.term[at].place] * found.term[at].part;
        good = append_number(dice->values, set, total);
    }
    for (int at = 0; good && at < found.count; at++) {
        Term *term = &found.term[at];
        term->row = luck->row;
        term->place += (int32_t)game->first;
        term->part = dice->sign < 0 ? -term->part : term->part;
    }
    return good && append(dice->rows, PyLong_FromLong(luck->row)) && add_bytes(&dice->terms, found.term, found.count * sizeof(Term));
}

/* Read the cards up to the last decision, and the chips before the hole cards. */
static int read_hand(Game *game, PyObject *hand, Luck *luck) {
    static const int OPEN[STREETS] = {0, 3, 4, 5};
    int64_t stacks[2], payoffs[2], folded, staked, small, big, ante;
    int street = street_of(hand), good;
    PyObject *holes = PyObject_GetAttr(hand, names[HOLES]), *board = PyObject_GetAttr(hand, names[BOARD]);
    PyObject *rules = PyObject_GetAttr(hand, names[RULES]), *open = NULL;
    good = street >= 0 && holes && board && rules && PyTuple_Check(holes) && PyTuple_Size(holes) == 2 && PyTuple_Check(board)
           && PyTuple_Size(board) >= OPEN[street] && (open = PyTuple_GetSlice(board, 0, OPEN[street]))
           && add_cards(&luck->cards, PyTuple_GetItem(holes, 0), 2, 2) && add_cards(&luck->cards, PyTuple_GetItem(holes, 1), 2, 2)
           && add_cards(&luck->cards, open, 0, 5) && (luck->streets = shares_of(&luck->cards, luck->share))
           && pair_of(hand, STARTING, stacks) && pair_of(hand, PAYOFFS, payoffs) && chips_of(hand, FOLDED, &folded)
           && chips_of(rules, SMALL, &small) && chips_of(rules, BIG, &big) && chips_of(rules, ANTE, &ante);
    Py_XDECREF(holes);
    Py_XDECREF(board);
    Py_XDECREF(rules);
    Py_XDECREF(open);
    if (!good || luck->streets != street + 1)
        return 0;
    int64_t shorter = stacks[0] < stacks[1] ? stacks[0] : stacks[1], blinds = small + big + 2 * ante;
    Deal deal = {blinds < 2 * shorter ? blinds : 2 * shorter, shorter, 0, 0.0};
    luck->deals[0] = deal;
    luck->dealt = 1;
    double all_in = (double)payoffs[0];
    game->raw += payoffs[0];
    if (folded < 0 && street < STREETS - 1) {
        if (!chips_of(hand, AT_STAKE, &staked))
            return 0;
        all_in = (2 * luck->share[street] - 1) * (double)staked;
    }
    return append(game->all_in, PyFloat_FromDouble(all_in));
}

/* Note the pot and the chips behind before a card. */
static int add_deal(Luck *luck, int64_t pot, int64_t behind, int raised) {
    Deal deal = {pot, behind, raised, 0.0};
    if (luck->dealt >= luck->streets)
        return 0;
    luck->deals[luck->dealt++] = deal;
    return 1;
}

/* Go through a hand that was just played: what the seat to act saw, and what it did. */
static int walk_played(Game *game, PyObject *log, PyObject *seen, Luck *luck) {
    int last = 0, raised = 0;
    if (!game->dice[0].policy && !game->dice[1].policy && luck->streets == 1)
        return 1;
    for (Py_ssize_t at = 0; at < size_of(log); at++) {
        PyObject *done = item_of(log, at), *object = item_of(seen, at);
        int64_t pot, stacks[2], seat;
        int street = street_of(done);
        if (street < 0 || !chips_of(object, SEAT, &seat) || seat < 0 || seat > 1)
            return 0;
        if (street != last) {
            if (!chips_of(object, POT, &pot) || !pair_of(object, STACKS, stacks)
                || !add_deal(luck, pot, stacks[0] < stacks[1] ? stacks[0] : stacks[1], raised))
                return 0;
            last = street;
            raised = 0;
        }
        raised |= kind_of(done) == 'r';
        if (game->dice[seat].policy && !add_decision(game, luck, object, done))
            return 0;
    }
    return 1;
}

/* Take what was noted when a hand was gone through. */
static int walk_noted(Game *game, PyObject *walk, Luck *luck) {
    PyObject *openings = PyObject_GetAttr(walk, names[OPENINGS]), *decisions = PyObject_GetAttr(walk, names[DECISIONS]);
    int good = openings && decisions && PyList_Check(openings) && PyList_Check(decisions);
    for (Py_ssize_t at = 0; good && luck->streets > 1 && at < PyList_Size(openings); at++) {
        PyObject *opening = PyList_GetItem(openings, at);
        int64_t pot, behind;
        good = PyTuple_Check(opening) && PyTuple_Size(opening) == 3 && read_chips(PyTuple_GetItem(opening, 0), &pot)
               && read_chips(PyTuple_GetItem(opening, 1), &behind)
               && add_deal(luck, pot, behind, PyTuple_GetItem(opening, 2) == Py_True);
    }
    for (Py_ssize_t at = 0; good && at < PyList_Size(decisions); at++) {
        PyObject *decision = PyList_GetItem(decisions, at);
        good = PyTuple_Check(decision) && PyTuple_Size(decision) == 2
               && add_decision(game, luck, PyTuple_GetItem(decision, 0), PyTuple_GetItem(decision, 1));
    }
    Py_XDECREF(openings);
    Py_XDECREF(decisions);
    return good;
}

/* Count who folded to raises. */
static int add_folds(Game *game, PyObject *log) {
    int raised = 0;
    for (Py_ssize_t at = 0; at < size_of(log); at++) {
        char kind = kind_of(item_of(log, at));
        int64_t seat;
        if (raised) {
            if (!chips_of(item_of(log, at), SEAT, &seat) || seat < 0 || seat > 1)
                return 0;
            game->faced[seat]++;
            game->folded[seat] += kind == 'f';
        }
        raised = kind == 'r';
    }
    return 1;
}

/* A hand with what was noted of it, None if it was just played; its row, -1 if it does not count. */
static int add_hand(Game *game, PyObject *hand, PyObject *walk, int32_t row) {
    Luck luck = {.cards = {.count = 0}, .row = row};
    PyObject *log = PyObject_GetAttr(hand, names[LOG]), *seen = NULL;
    int good = size_of(log) >= 0;
    if (good && row >= 0) {
        good = read_hand(game, hand, &luck);
        if (good && walk == Py_None) {
            seen = PyObject_GetAttr(hand, names[SEEN]);
            good = size_of(seen) == size_of(log) && walk_played(game, log, seen, &luck);
        } else {
            good = good && walk_noted(game, walk, &luck);
        }
        good = good && add_cards_luck(game, &luck);
    }
    good = good && add_folds(game, log);
    Py_XDECREF(log);
    Py_XDECREF(seen);
    return good;
}

/* Read what is given, and begin with empty lists. */
static int begin(Game *game, PyObject *const *args) {
    char *values, *starting;
    Py_ssize_t size, table;
    int64_t sign;
    PyObject *sets = args[3];
    if (!replaced || !PyTuple_Check(sets) || PyTuple_Size(sets) > MOST_SETS || !read_weights(args[4], &game->places)
        || !read_chips(args[2], &sign) || (sign != 1 && sign != -1) || !PyTuple_Check(args[5]) || PyTuple_Size(args[5]) != 2
        || !read_chips(args[7], &game->first) || !PyTuple_Check(args[9]) || PyTuple_Size(args[9]) != 3)
        return 0;
    if (PyBytes_AsStringAndSize(args[6], &values, &size) < 0 || PyBytes_AsStringAndSize(args[8], &starting, &table) < 0
        || table != CARDS * CARDS * (Py_ssize_t)sizeof(double) || size % (FEATURES * sizeof(double)))
        return 0;
    game->sign = sign;
    game->values = (const double *)values;
    game->value_sets = (int)(size / (FEATURES * sizeof(double)));
    game->starting = (const double *)starting;
    game->samples = args[9];
    game->sets = (int)PyTuple_Size(sets);
    game->all_in = PyList_New(0);
    game->chance = PyList_New(0);
    game->without_noise = Py_BuildValue("{O:i}", names[NOISE], 0);
    for (int set = 0; set < game->sets; set++)
        if (!read_weights(PyTuple_GetItem(sets, set), &game->by[set]) || !append(game->chance, PyList_New(0)))
            return 0;
    for (int seat = 0; seat < 2; seat++) {
        Dice *dice = &game->dice[seat];
        PyObject *policy = PyTuple_GetItem(args[5], seat);
        dice->policy = policy == Py_None ? NULL : policy;
        dice->sign = (int)(seat ? sign : -sign);
        dice->rows = PyList_New(0);
        dice->values = PyList_New(0);
        for (int set = 0; set < game->value_sets; set++)
            if (!append(dice->values, PyList_New(0)))
                return 0;
    }
    return game->all_in && game->without_noise && game->dice[0].rows && game->dice[1].rows;
}

static PyObject *found_of(Game *game) {
    Dice *one = &game->dice[0], *two = &game->dice[1];
    return Py_BuildValue("LOOy#((OOy#)(OOy#))", (long long)game->raw, game->all_in, game->chance,
                         game->cards.start ? game->cards.start : "", (Py_ssize_t)game->cards.size, one->rows, one->values,
                         one->terms.start ? one->terms.start : "", (Py_ssize_t)one->terms.size, two->rows, two->values,
                         two->terms.start ? two->terms.start : "", (Py_ssize_t)two->terms.size);
}

/* What seat 0 won in the hands of a game that count: (chips; all-in EV by hand; by set of weights, minus the luck of the
   cards by hand; the terms of the cards; for each seat the rows, values by set and terms of its decisions). Arguments:
   tuples of a hand's number, the hand and what was noted of it, None if it was just played; how many come before those
   that count; 1 if player A has seat 0, -1 if not; sets of weights of cards; those whose buckets are the places; the
   policies of both seats, or None; sets of weights of decisions; their first place; the strengths of hole cards; samples
   for a flop, a turn and a river. */
PyObject *game_luck(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Game game = {.sets = 0};
    int64_t before = 0;
    int good = count == 10 && PyList_Check(args[0]) && read_chips(args[1], &before) && begin(&game, args);
    for (Py_ssize_t at = 0; good && at < PyList_Size(args[0]); at++) {
        PyObject *item = PyList_GetItem(args[0], at);
        good = at < 1 << 24 && PyTuple_Check(item) && PyTuple_Size(item) == 3
               && add_hand(&game, PyTuple_GetItem(item, 1), PyTuple_GetItem(item, 2), at < before ? -1 : (int32_t)(at - before));
    }
    PyObject *result = good ? found_of(&game) : NULL;
    PyMem_Free(game.cards.start);
    for (int seat = 0; seat < 2; seat++) {
        PyMem_Free(game.dice[seat].terms.start);
        Py_XDECREF(game.dice[seat].rows);
        Py_XDECREF(game.dice[seat].values);
    }
    Py_XDECREF(game.all_in);
    Py_XDECREF(game.chance);
    Py_XDECREF(game.without_noise);
    /* Python finds out what is wrong, but for an interruption while a policy was asked. */
    if (!result && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}
