/* The luck of cards and dice in the hands of one game: molt_bench.luck.game_luck, in the same order. */
#include "game.h"
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
            || !sampled_lately(&cards, samples, size, won))
            return 0;
        for (int seat = 0; seat < 2; seat++)
            luck->strengths[street][seat] = won[seat] / (2.0 * (double)(size / (5 - street)));
    }
    return luck->strong[street] = 1;
}

/* The rows of a table that begin up to a strength. */
static int64_t row_of(const Game *game, double strength) {
    int64_t row = 0;
    for (int cut = 0; cut < game->cuts; cut++)
        row += strength >= game->cut[cut];
    return row;
}

/* The hole cards of a hand, as molt_bench.luck.hole_cards.packed_deal. */
static int add_holes(Game *game, Luck *luck) {
    if (!find_strengths(game, luck, 0))
        return 0;
    const double *strength = luck->strengths[0];
    int first = strength[0] >= strength[1];
    int64_t row = row_of(game, strength[!first]), column = row_of(game, strength[first]);
    Holes holes = {row * (row + 1) / 2 + column, (double)luck->deals[0].behind,
                   first ? 2 * luck->share[0] - 1 : 1 - 2 * luck->share[0]};
    return add_bytes(&game->holes, &holes, sizeof holes);
}

/* Ask a policy what could have been drawn, unless that was noted. */
static PyObject *asked(const Game *game, const Dice *dice, PyObject *seen, PyObject *noted) {
    int64_t noise = 0;
    if (noted && dice->form == AS_IT_IS)
        return Py_NewRef(noted);
    if (dice->form == WITHOUT_NOISE && !chips_of(seen, NOISE, &noise))
        return NULL;
    PyObject *found, *plain = Py_NewRef(seen);
    if (noise) {
        PyObject *args = PyTuple_Pack(1, seen);
        Py_DECREF(plain);
        plain = args ? PyObject_Call(replaced, args, game->without_noise) : NULL;
        Py_XDECREF(args);
    }
    found = plain ? PyObject_CallFunctionObjArgs(dice->policy, plain, NULL) : NULL;
    Py_XDECREF(plain);
    return found;
}

/* A decision, of which seat and street have been read; its policy, NULL if that was not noted. */
static int add_decision(Game *game, Luck *luck, PyObject *object, PyObject *noted, PyObject *done, Seen *seen) {
    Features found;
    found.count = 0;
    Chances surplus = {0};
    Dice *dice = &game->dice[seen->seat];
    int plain = dice->form == ANY_KIND || dice->form == POT_RAISES;
    memcpy(seen->starting, luck->stacks, sizeof seen->starting);
    if (seen->street >= luck->streets || !read_seen(object, seen))
        return 0;
    PyObject *policy = plain ? NULL : asked(game, dice, object, noted);
    if (!plain && !policy)
        return 0;
    int good = decision_surplus(policy, dice->form, seen, done, &surplus);
    Py_XDECREF(policy);
    if (good && surplus.left) {
        int64_t other = 1 - seen->seat;
        Setting setting = {.share = luck->share[seen->street],
                           .folds = (double)(game->folded[other] + 1) / (double)(game->faced[other] + 3)};
        good = find_strengths(game, luck, seen->street);
        memcpy(setting.strengths, luck->strengths[seen->street], sizeof setting.strengths);
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

/* Blinds and antes, which are the same in most hands of a game. */
static int read_blinds(Game *game, PyObject *start) {
    int64_t small, big, ante;
    PyObject *rules = attribute(start, RULES);
    int good = rules != NULL;
    if (good && rules != game->rules) {
        good = chips_of(rules, SMALL, &small) && chips_of(rules, BIG, &big) && chips_of(rules, ANTE, &ante);
        Py_XDECREF(game->rules);
        game->rules = good ? Py_NewRef(rules) : NULL;
        game->blinds = good ? small + big + 2 * ante : 0;
    }
    Py_XDECREF(rules);
    return good;
}

/* Read the cards up to the last decision, and the chips before the hole cards. */
static int read_hand(Game *game, PyObject *hand, PyObject *betting, PyObject *log, Luck *luck) {
    static const int OPEN[STREETS] = {0, 3, 4, 5};
    int64_t *stacks = luck->stacks, payoffs[2], staked;
    int street = street_of(betting), good;
    Py_ssize_t done = size_of(log);
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
    if (street < STREETS - 1 && (!done || kind_of(item_of(log, done - 1)) != 'f')) {
        if (!chips_of(betting, AT_STAKE, &staked))
            return 0;
        all_in = (2 * luck->share[street] - 1) * (double)staked;
    }
    return add_number(&game->all_in, all_in);
}

/* Note the pot and the chips behind before a card. */
static int add_deal(Luck *luck, int64_t pot, int64_t behind, int raised) {
    Deal deal = {pot, behind, raised, 0.0};
    if (luck->dealt >= luck->streets)
        return 0;
    luck->deals[luck->dealt++] = deal;
    return 1;
}

/* Go through a hand that was just played: what the seat to act saw, and what it did. Also count who folded to raises. */
static int walk_played(Game *game, PyObject *log, PyObject *seen, Luck *luck) {
    int last = 0, raised = 0, facing = 0;
    int64_t faced[2] = {0, 0}, folded[2] = {0, 0};
    int mixes = game->dice[0].policy || game->dice[1].policy;
    for (Py_ssize_t at = 0; (mixes || luck->streets > 1) && at < size_of(log); at++) {
        PyObject *done = item_of(log, at), *object = item_of(seen, at), *policy = NULL;
        int64_t pot, stacks[2];
        Seen now = {.street = street_of(done)};
        char kind = kind_of(done);
        if (PyTuple_Check(object) && PyTuple_Size(object) == 2) {
            policy = PyTuple_GetItem(object, 1);
            object = PyTuple_GetItem(object, 0);
        }
        if (now.street < 0 || !kind || !chips_of(done, SEAT, &now.seat) || now.seat < 0 || now.seat > 1)
            return 0;
        now.opened = at > 0 && now.street == last;
        if (now.street != last) {
            if (!chips_of(object, POT, &pot) || !pair_of(object, STACKS, stacks)
                || !add_deal(luck, pot, stacks[0] < stacks[1] ? stacks[0] : stacks[1], raised))
                return 0;
            last = now.street;
            raised = 0;
        }
        raised |= kind == 'r';
        if (game->dice[now.seat].policy && !add_decision(game, luck, object, policy, done, &now))
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

/* Take what was noted when a hand was gone through. */
static int walk_noted(Game *game, PyObject *walk, Luck *luck) {
    PyObject *openings = attribute(walk, OPENINGS), *decisions = attribute(walk, DECISIONS);
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
        Seen now;
        good = PyTuple_Check(decision) && PyTuple_Size(decision) == 2 && read_street(PyTuple_GetItem(decision, 0), &now)
               && (!game->dice[now.seat].policy
                   || add_decision(game, luck, PyTuple_GetItem(decision, 0), NULL, PyTuple_GetItem(decision, 1), &now));
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

/* A hand with what was noted of it, or what was seen in it if it was just played; its row, -1 if it does not count. */
static int add_hand(Game *game, PyObject *hand, PyObject *noted, int32_t row) {
    Luck luck = {.cards = {.count = 0}, .row = row};
    PyObject *betting = attribute(hand, BETTING), *log = betting ? attribute(betting, LOG) : NULL;
    int good = size_of(log) >= 0 && (row < 0 || read_hand(game, hand, betting, log, &luck));
    if (good && row >= 0 && PyList_Check(noted)) {
        good = size_of(noted) == size_of(log) && walk_played(game, log, noted, &luck) && add_cards_luck(game, &luck)
               && add_holes(game, &luck);
    } else if (good) {
        good = (row < 0 || (walk_noted(game, noted, &luck) && add_cards_luck(game, &luck) && add_holes(game, &luck)))
               && add_folds(game, log);
    }
    Py_XDECREF(log);
    Py_XDECREF(betting);
    return good;
}

/* Read the policy of a seat: None, or a tuple of it and its form. */
static int read_dice(Dice *dice, PyObject *asked, int sign) {
    int64_t form;
    dice->sign = sign;
    if (asked == Py_None)
        return 1;
    if (!PyTuple_Check(asked) || PyTuple_Size(asked) != 2 || !read_chips(PyTuple_GetItem(asked, 1), &form))
        return 0;
    dice->policy = PyTuple_GetItem(asked, 0);
    dice->form = (int)form;
    return WITHOUT_NOISE <= form && form <= POT_RAISES;
}

/* Read what is given. */
static int begin(Game *game, PyObject *const *args) {
    char *values, *starting, *cuts;
    Py_ssize_t size, table, cut_size;
    int64_t sign;
    PyObject *sets = args[3];
    if (!replaced || !PyTuple_Check(sets) || PyTuple_Size(sets) > MOST_SETS || !read_weights(args[4], &game->places)
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
    game->without_noise = Py_BuildValue("{O:i}", names[NOISE], 0);
    for (int set = 0; set < game->sets; set++)
        if (!read_weights(PyTuple_GetItem(sets, set), &game->by[set]))
            return 0;
    return game->without_noise && game->sets > 0 && game->value_sets > 0 && game->value_sets <= MOST_SETS
           && read_dice(&game->dice[0], PyTuple_GetItem(args[5], 0), (int)-sign)
           && read_dice(&game->dice[1], PyTuple_GetItem(args[5], 1), (int)sign);
}

/* What was won in the hands of a game that count, as molt_bench.luck.game_luck.GameLuck. Arguments: tuples of a hand's
   number, the hand, and what was noted of it, or a list of what was seen in it; how many come before those that count; 1
   if player A has seat 0, -1 if not; sets of weights of cards; those whose buckets are the places; the policies of both
   seats with their forms, or None; sets of weights of decisions; their first place; the strengths of hole cards; samples
   for a flop, a turn and a river; the strengths at which rows of the table of hole cards begin. */
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
