/* The luck of cards and dice in the hands of one game: molt_bench.luck.game_luck, in the same order. */
#include "luck.h"
#include <string.h>

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
        if (!add_number(&game->chance[set], -exact_sum(products, luck->dealt)))
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

/* How often both hands beat a third one, as molt_bench.luck.cards.equity_vs_random. */
static int find_rates(const Game *game, Luck *luck, int street) {
    char *samples;
    Py_ssize_t size;
    int won[2];
    const int *c = luck->cards.card;
    if (luck->rated[street])
        return 1;
    for (int seat = 0; !street && seat < 2; seat++)
        luck->rates[0][seat] = game->starting[CARDS * c[2 * seat] + c[2 * seat + 1]];
    if (street) {
        Cards cards = luck->cards;
        while (cards.count > 6 + street)
            cards.bits &= ~evaluator.bit[cards.card[--cards.count]];
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(game->samples, street - 1), &samples, &size) < 0
            || !sampled_lately(&cards, samples, size, won))
            return 0;
        for (int seat = 0; seat < 2; seat++)
            luck->rates[street][seat] = won[seat] / (2.0 * (double)(size / (5 - street)));
    }
    return luck->rated[street] = 1;
}

/* The rows of a table that begin up to a rate. */
static int64_t row_of(const Game *game, double rate) {
    int64_t row = 0;
    for (int cut = 0; cut < game->cuts; cut++)
        row += rate >= game->cut[cut];
    return row;
}

/* The hole cards of a hand, as molt_bench.luck.cards.hole_cards.packed_deal. */
static int add_holes(Game *game, Luck *luck) {
    if (!find_rates(game, luck, 0))
        return 0;
    const double *rate = luck->rates[0];
    int first = rate[0] >= rate[1];
    int64_t row = row_of(game, rate[!first]), column = row_of(game, rate[first]);
    Holes holes = {row * (row + 1) / 2 + column, (double)luck->deals[0].behind,
                   first ? 2 * luck->share[0] - 1 : 1 - 2 * luck->share[0]};
    return add_bytes(&game->holes, &holes, sizeof holes);
}

/* A decision, of which seat and street have been read: the policy is asked what could have been drawn. */
static int add_decision(Game *game, Luck *luck, PyObject *object, PyObject *done, Seen *seen) {
    Features found;
    found.count = 0;
    Chances surplus = {0};
    Dice *dice = &game->dice[seen->seat];
    memcpy(seen->starting, luck->stacks, sizeof seen->starting);
    if (seen->street >= luck->streets || !read_seen(object, seen))
        return 0;
    PyObject *policy = PyObject_CallFunctionObjArgs(dice->policy, object, NULL);
    int good = policy && decision_surplus(policy, seen, done, &surplus);
    Py_XDECREF(policy);
    if (good && surplus.left) {
        int64_t other = 1 - seen->seat;
        Setting setting = {.share = luck->share[seen->street],
                           .folds = (double)(game->folded[other] + 1) / (double)(game->faced[other] + 3)};
        good = find_rates(game, luck, seen->street);
        memcpy(setting.rates, luck->rates[seen->street], sizeof setting.rates);
        add_features(seen, &surplus, &setting, &found);
    }
    for (int set = 0; good && set < game->value_sets; set++) {
        const double *weight = game->values + FEATURES * set;
        double total = 0.0;
        for (int at = 0; at < found.count; at++)
            total += weight[found.term[at].place] * found.term[at].part;
        good = add_number(&dice->values[set], total);
    }
    for (int at = 0; good && at < found.count; at++) {
        Term *term = &found.term[at];
        term->row = luck->row;
        term->place += (int32_t)game->first;
        term->part = dice->sign < 0 ? -term->part : term->part;
    }
    return good && add_bytes(&dice->rows, &luck->row, sizeof luck->row)
           && add_bytes(&dice->terms, found.term, found.count * sizeof(Term));
}

/* Blinds and antes. */
static int read_blinds(Game *game, PyObject *start) {
    int64_t small, big;
    PyObject *rules = attribute(start, RULES);
    int good = rules && chips_of(rules, SMALL, &small) && chips_of(rules, BIG, &big) && chips_of(rules, ANTE, &game->ante);
    Py_XDECREF(rules);
    game->blinds = good ? small + big + 2 * game->ante : 0;
    return good;
}

/* Read the cards up to the last decision, and the chips before the hole cards. */
static int read_hand(Game *game, PyObject *hand, PyObject *betting, PyObject *log, Luck *luck) {
    static const int OPEN[STREETS] = {0, 3, 4, 5};
    int64_t *stacks = luck->stacks, payoffs[2], staked;
    int street = street_of(betting), good;
    Py_ssize_t done = PyTuple_Size(log);
    PyObject *holes = attribute(hand, HOLES), *board = attribute(hand, BOARD);
    PyObject *start = attribute(betting, START);
    good = street >= 0 && holes && board && start && PyTuple_Check(holes) && PyTuple_Size(holes) == 2 && PyTuple_Check(board)
           && add_cards(&luck->cards, PyTuple_GetItem(holes, 0), 2, 2) && add_cards(&luck->cards, PyTuple_GetItem(holes, 1), 2, 2)
           && add_cards(&luck->cards, board, OPEN[street], 5) && pair_of(start, STACKS, stacks)
           && pair_of(hand, PAYOFFS, payoffs) && read_blinds(game, start);
    Py_XDECREF(holes);
    Py_XDECREF(board);
    Py_XDECREF(start);
    if (!good)
        return 0;
    while (luck->cards.count > 4 + OPEN[street])
        luck->cards.bits &= ~evaluator.bit[luck->cards.card[--luck->cards.count]];
    luck->streets = shares_of(&luck->cards, luck->share);
    if (luck->streets != street + 1)
        return 0;
    int64_t shorter = stacks[0] < stacks[1] ? stacks[0] : stacks[1];
    Deal deal = {game->blinds < 2 * shorter ? game->blinds : 2 * shorter, shorter, 0, 0.0};
    luck->deals[0] = deal;
    luck->dealt = 1;
    double all_in = (double)payoffs[0];
    game->raw += payoffs[0];
    if (street < STREETS - 1 && (!done || kind_of(PyTuple_GetItem(log, done - 1)) != 'f')) {
        if (!chips_of(betting, AT_STAKE, &staked))
            return 0;
        all_in = (2 * luck->share[street] - 1) * (double)staked;
    }
    return add_number(&game->all_in, all_in);
}

static int64_t least(int64_t one, int64_t two) {
    return one < two ? one : two;
}

/* Go through a hand: the deals of a hand that counts, the decisions whose policy is known, and who folded to raises. What the
   seat to act saw before each action is read for its decisions alone. */
static int walk(Game *game, PyObject *log, PyObject *seen, Luck *luck) {
    const int64_t *stacks = luck->stacks, shorter = least(stacks[0], stacks[1]);
    int64_t pot = least(game->ante, stacks[0]) + least(game->ante, stacks[1]), behind = shorter - least(game->ante, shorter);
    int64_t matched = 0, amount, faced[2] = {0, 0}, folded[2] = {0, 0};
    int last = 0, raised = 0, facing = 0, counts = luck->row >= 0, mixes = game->dice[0].policy || game->dice[1].policy;
    for (Py_ssize_t at = 0; (mixes || luck->streets > 1) && at < PyTuple_Size(log); at++) {
        PyObject *done = PyTuple_GetItem(log, at);
        Seen now = {.street = street_of(done)};
        char kind = kind_of(done);
        if (now.street < 0 || !kind || !chips_of(done, SEAT, &now.seat) || now.seat < 0 || now.seat > 1
            || !chips_of(done, AMOUNT, &amount))
            return 0;
        now.opened = at > 0 && now.street == last;
        if (now.street != last && counts) {
            /* Whoever goes on to another street has matched the last bet on this one. */
            pot += 2 * matched;
            behind -= matched;
            Deal deal = {pot, behind, raised, 0.0};
            if (luck->dealt >= luck->streets)
                return 0;
            luck->deals[luck->dealt++] = deal;
            matched = raised = 0;
        }
        last = now.street;
        matched = amount > matched ? amount : matched;
        raised |= kind == 'r';
        if (counts && game->dice[now.seat].policy
            && (!PyList_Check(seen) || at >= PyList_Size(seen) || !add_decision(game, luck, PyList_GetItem(seen, at), done, &now)))
            return 0;
        faced[now.seat] += facing;
        folded[now.seat] += facing && kind == 'f';
        facing = kind == 'r';
    }
    for (int seat = 0; seat < 2; seat++) {
        game->faced[seat] += faced[seat];
        game->folded[seat] += folded[seat];
    }
    return 1;
}

/* A hand with what was seen in it; its row, -1 if it does not count. */
static int add_hand(Game *game, PyObject *hand, PyObject *seen, int32_t row) {
    Luck luck = {.cards = {.count = 0}, .row = row};
    PyObject *betting = attribute(hand, BETTING), *log = betting ? attribute(betting, LOG) : NULL;
    int good = log && PyTuple_Check(log) && (row < 0 || read_hand(game, hand, betting, log, &luck)) && walk(game, log, seen, &luck)
               && (row < 0 || (add_cards_luck(game, &luck) && add_holes(game, &luck)));
    Py_XDECREF(log);
    Py_XDECREF(betting);
    return good;
}

/* Read what is given. */
static int begin(Game *game, PyObject *const *args) {
    char *values, *starting, *cuts;
    Py_ssize_t size, table, cut_size;
    int64_t sign;
    PyObject *sets = args[3];
    if (!PyTuple_Check(sets) || PyTuple_Size(sets) > MOST_SETS || !read_weights(args[4], &game->places)
        || !read_chips(args[2], &sign) || (sign != 1 && sign != -1) || !PyTuple_Check(args[5]) || PyTuple_Size(args[5]) != 2
        || !read_chips(args[7], &game->first) || !PyTuple_Check(args[9]) || PyTuple_Size(args[9]) != 3)
        return 0;
    if (PyBytes_AsStringAndSize(args[6], &values, &size) < 0 || PyBytes_AsStringAndSize(args[8], &starting, &table) < 0
        || PyBytes_AsStringAndSize(args[10], &cuts, &cut_size) < 0
        || table != CARDS * CARDS * (Py_ssize_t)sizeof(double) || size % (FEATURES * sizeof(double)))
        return 0;
    game->sign = sign;
    game->values = (const double *)values;
    game->value_sets = (int)(size / (FEATURES * sizeof(double)));
    game->starting = (const double *)starting;
    game->samples = args[9];
    game->cut = (const double *)cuts;
    game->cuts = (int)(cut_size / sizeof(double));
    game->sets = (int)PyTuple_Size(sets);
    for (int set = 0; set < game->sets; set++)
        if (!read_weights(PyTuple_GetItem(sets, set), &game->by[set]))
            return 0;
    for (int seat = 0; seat < 2; seat++) {
        PyObject *policy = PyTuple_GetItem(args[5], seat);
        game->dice[seat].policy = policy == Py_None ? NULL : policy;
        game->dice[seat].sign = (int)(seat ? sign : -sign);
    }
    return game->sets > 0 && game->value_sets > 0 && game->value_sets <= MOST_SETS;
}

/* What was won in the hands of a game that count, as molt_bench.luck.game_luck.GameLuck. Arguments: tuples of a hand's
   number, the hand, and what was seen in it; how many come before those that count; 1 if player A has seat 0, -1 if not; sets
   of weights of cards; those whose buckets are the places; the policies of both seats, or None; sets of weights of decisions;
   their first place; the equities of hole cards; samples for a flop, a turn and a river; the rates at which rows of the table
   of hole cards begin. */
PyObject *game_luck(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Game game = {.sets = 0};
    int64_t before = 0;
    int good = count == 11 && PyList_Check(args[0]) && read_chips(args[1], &before) && begin(&game, args);
    for (Py_ssize_t at = 0; good && at < PyList_Size(args[0]); at++) {
        PyObject *item = PyList_GetItem(args[0], at);
        good = at < 1 << 24 && PyTuple_Check(item) && PyTuple_Size(item) == 3
               && add_hand(&game, PyTuple_GetItem(item, 1), PyTuple_GetItem(item, 2), at < before ? -1 : (int32_t)(at - before));
    }
    PyObject *result = good ? game_found(&game) : NULL;
    end_game(&game);
    /* Python finds out what is wrong, but for an interruption while a policy was asked. */
    if (!result && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return result || PyErr_Occurred() ? result : Py_NewRef(Py_None);
}
