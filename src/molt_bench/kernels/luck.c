/* The luck of a game's hands, read from their texts, as molt_bench.luck.cards and molt_bench.luck.dice take it out. */
#include "kernels.h"
#include <math.h>
#include <string.h>

#define MOST_ENTRIES 100

/* The weights of molt_bench.luck.weights, one after another. */
typedef struct {
    double depths[2], deals[4][6], exact[4], passive[4][6], raised[2][3][9];
} Weights;

/* A moment of the betting, as in molt_bench.poker.betting; `opened` once a seat has acted on the street. */
typedef struct {
    int64_t stacks[2], limits[2], bets[2], pot, at_stake, to_call;
    int button, actor, street, opened;
} Betting;

typedef struct {
    int64_t weight, low, high;
    char kind;
} Entry;

/* What a game is known by, and how often each seat has faced a raise and folded to it. */
typedef struct {
    const Weights *weights;
    const double *worse;
    const char *samples[3];
    Py_ssize_t sizes[3];
    int faced[2], folded[2];
} Game;

static const int OPEN[4] = {0, 3, 4, 5};

static int64_t least(int64_t one, int64_t two) {
    return one < two ? one : two;
}

/* The next number of a text; 0 at its end. */
static int64_t number(const char **at) {
    int64_t found = 0;
    *at += strcspn(*at, "0123456789");
    for (; **at >= '0' && **at <= '9' && found < 1LL << 50; ++*at)
        found = 10 * found + (**at - '0');
    return found;
}

static char letter(const char **at) {
    return **at ? *(*at)++ : 0;
}

static int read_cards(Cards *cards, const char **at, int most) {
    static const char RANK[] = "23456789TJQKA", SUIT[] = "cdhs";
    for (const char *rank, *suit; most-- && **at && **at != '|' && **at != ':'; *at += 2) {
        if (!(rank = strchr(RANK, **at)) || !(*at)[1] || !(suit = strchr(SUIT, (*at)[1])) || cards->count == 9)
            return 0;
        int card = (int)(4 * (rank - RANK) + (suit - SUIT));
        if (cards->bits & evaluator.bit[card])
            return 0;
        cards->card[cards->count++] = card;
        cards->bits |= evaluator.bit[card];
    }
    return letter(at) != 0;
}

/* The cards that are open on a street. */
static Cards known(const Cards *all, int street) {
    Cards found = {.count = 4 + OPEN[street]};
    memcpy(found.card, all->card, sizeof found.card);
    for (int at = 0; at < found.count; at++)
        found.bits |= evaluator.bit[found.card[at]];
    return found;
}

/* Read what a hand begins with; return the blinds and antes about to be posted. */
static int64_t begin(Betting *b, const char **at) {
    number(at);
    int64_t small = number(at), big = number(at), ante = number(at);
    if (**at == '/')
        number(at);
    b->stacks[0] = number(at), b->stacks[1] = number(at);
    b->button = b->actor = (int)(number(at) & 1);
    int64_t shorter = least(b->stacks[0], b->stacks[1]), paid[2];
    for (int seat = 0; seat < 2; seat++) {
        paid[seat] = least(ante, b->stacks[seat]);
        b->limits[seat] = b->stacks[seat] - paid[seat];
        b->bets[seat] = least(seat == b->button ? small : big, b->limits[seat]);
    }
    b->pot = paid[0] + paid[1], b->at_stake = least(paid[0], paid[1]);
    b->to_call = least(b->bets[1 - b->button], b->limits[b->button]) - b->bets[b->button];
    return least(small + big + 2 * ante, 2 * shorter);
}

static void end_street(Betting *b) {
    int64_t matched = least(b->bets[0], b->bets[1]);
    for (int seat = 0; seat < 2; seat++)
        b->limits[seat] -= matched, b->bets[seat] = 0;
    b->pot += 2 * matched, b->at_stake += matched, b->to_call = 0, b->opened = 0;
    if (b->street < 3 && b->limits[0] && b->limits[1])
        b->street++, b->actor = 1 - b->button;
}

static void apply(Betting *b, char kind, int64_t amount) {
    int actor = b->actor, other = 1 - actor;
    int64_t faced = b->bets[other];
    b->bets[actor] = kind == 'r' ? amount : b->bets[actor] + b->to_call;
    if (kind != 'r' && (b->opened || b->bets[actor] == b->limits[actor] || faced == b->limits[other])) {
        end_street(b);
        return;
    }
    b->to_call = kind == 'r' ? least(amount, b->limits[other]) - faced : 0;
    b->actor = other, b->opened = 1;
}

static void counted(double found[8], char kind, int64_t amount, double share, int64_t large, int64_t all_in) {
    int at = kind == 'f' ? 0 : kind != 'r' ? 1 : amount < large ? 2 : amount < all_in ? 4 : 6;
    found[at] += share;
    if (at > 1)
        found[at + 1] += share * (double)(at < 6 ? amount : all_in);
}

/* What was drawn minus what was likely, see _beyond there; `mix` is read. Returns 0 if nothing was drawn from it. */
static int beyond(double found[8], const char **mix, char kind, int64_t amount, int64_t large, int64_t all_in) {
    Entry entries[MOST_ENTRIES];
    int64_t total = 0;
    int count = 0, raises = 0;
    do {
        Entry *each = &entries[count];
        *each = (Entry){.weight = number(mix), .kind = letter(mix)};
        total += each->weight;
        if (each->kind == 'r') {
            each->low = each->high = number(mix);
            if (**mix == '-')
                each->high = number(mix);
            raises += each->low < each->high;
        }
    } while (++count < MOST_ENTRIES && **mix == ',');
    if (total <= 0 || (count < 2 && !raises))
        return 0;
    for (const Entry *each = entries; each < entries + count; each++) {
        double chance = (double)each->weight / (double)total;
        if (each->low >= each->high) {
            counted(found, each->kind, each->low, -chance, large, all_in);
            continue;
        }
        double one = chance / (double)(each->high - each->low + 1);
        const int64_t bins[3][2] = {{each->low, large - 1}, {large, all_in - 1}, {all_in, each->high}};
        for (int bin = 0; bin < 3; bin++) {
            int64_t start = bins[bin][0] > each->low ? bins[bin][0] : each->low, last = least(bins[bin][1], each->high);
            if (last < start)
                continue;
            double share = one * (double)(last - start + 1);
            found[2 + 2 * bin] -= share;
            found[3 + 2 * bin] -= share * (bin == 2 ? (double)all_in : (double)(start + last) / 2.0);
        }
    }
    counted(found, kind, amount, 1.0, large, all_in);
    return 1;
}

/* The luck of one draw for the seat that decides, see _luck there; `equity` and `rates` are of seat 0. */
static double draw_luck(const Game *game, const Betting *b, const char **mix, char kind, int64_t amount, double equity, const double rates[2]) {
    const Weights *weights = game->weights;
    int seat = b->actor, other_seat = 1 - seat;
    int64_t all_in = least(b->limits[0], b->limits[1]), called_to = b->bets[seat] + b->to_call;
    int64_t over = b->bets[other_seat] - b->limits[seat], pot = b->pot + b->bets[0] + b->bets[1] - (over > 0 ? over : 0) + b->to_call;
    int64_t large = least(called_to + (pot * 150 + 99) / 100, all_in);
    double found[8] = {0.0}, value = 0.0, edge = seat ? -(2 * equity - 1) : 2 * equity - 1;
    double own = rates[seat] - 0.5, other = rates[other_seat] - 0.5, stake = (double)b->at_stake;
    if (!beyond(found, mix, kind, amount, large, all_in))
        return 0.0;
    double deep = called_to < all_in ? log1p((double)(all_in - called_to) / (double)pot) : 0.0;
    double folds = (game->folded[other_seat] + 1) / (double)(game->faced[other_seat] + 3);
    if (found[0] != 0.0)
        value = -weights->exact[b->street] * (double)(b->stacks[seat] - b->limits[seat] + b->bets[seat]) * found[0];
    if (found[1] != 0.0) {
        double matched = found[1] * (double)(b->at_stake + called_to);
        const double *w = weights->passive[2 * (b->street > 0) + b->opened];
        if (called_to == b->limits[0] || called_to == b->limits[1] || (b->opened && b->street == 3))
            value += weights->exact[b->street] * matched * edge;
        else
            value += matched * (edge * w[0] + own * w[1] + other * w[2] + deep * (edge * w[3] + own * w[4] + other * w[5]));
    }
    double won = (double)(b->stacks[other_seat] - b->limits[other_seat] + b->bets[other_seat]);
    for (int bin = 0; bin < 3; bin++) {
        double raised = found[2 + 2 * bin], size = found[3 + 2 * bin];
        const double *w = weights->raised[b->street > 0][bin];
        if (raised == 0.0 && size == 0.0)
            continue;
        value += raised * won * (w[0] + folds * w[1] + other * (w[2] + folds * w[3]));
        double called = edge * (w[4] + folds * w[5] + other * w[6] + deep * w[8]) + own * w[7];
        value += (raised * stake + size) * called;
    }
    return seat ? -value : value;
}

/* How often both hands beat a third one on a street. */
static int rates_of(const Game *game, const Cards *all, int street, double rates[2]) {
    int won[2];
    Cards cards = known(all, street);
    if (street && !sampled_lately(&cards, game->samples[street - 1], game->sizes[street - 1], won))
        return 0;
    for (int hand = 0; hand < 2; hand++)
        rates[hand] = street ? won[hand] / 512.0 : game->worse[CARDS * cards.card[2 * hand] + cards.card[2 * hand + 1]];
    return 1;
}

/* One hand: net chips of seat 0 without the luck of the cards, and the luck of the draws. 0 if the text is odd. */
static int hand_luck(Game *game, const char *at, const char *mix, double found[2]) {
    Betting b = {.pot = 0};
    Cards all = {.count = 0};
    int64_t blinds = begin(&b, &at), amount = 0;
    int last = 0, faced[2] = {0, 0}, folded[2] = {0, 0}, raised = 0, rated = -1;
    double equities[4], rates[2], cards, draws = 0.0;
    if (letter(&at) != ':' || !read_cards(&all, &at, 2) || !read_cards(&all, &at, 2) || !read_cards(&all, &at, 5))
        return 0;
    for (const char *each = at; *each && *each != ':'; each++)
        last += *each == '/';
    if (last > 3 || all.count < 4 + OPEN[last])
        return 0;
    Cards decided = known(&all, last);
    if (!shares_of(&decided, equities))
        return 0;
    const Weights *weights = game->weights;
    int64_t shorter = least(b.stacks[0], b.stacks[1]);
    cards = weights->deals[0][(shorter >= weights->depths[0] * blinds) + (shorter >= weights->depths[1] * blinds)] * blinds
            * (equities[0] - 0.5);
    int64_t next = *mix ? number(&mix) : -1;
    char kind = 0, before = 0;
    for (int decision = 0; (kind = letter(&at)) && kind != ':'; decision++, before = kind) {
        if (kind == '/' && !(kind = letter(&at)))
            return 0;
        kind = kind == 'F' ? 'f' : kind;
        amount = kind == 'r' ? number(&at) : 0;
        if (amount > b.limits[b.actor])
            return 0;
        int street = b.street;
        if (before == 'r') {
            faced[b.actor]++;
            folded[b.actor] += kind == 'f';
        }
        if (decision == next) {
            if (rated != street && !rates_of(game, &all, street, rates))
                return 0;
            rated = street;
            draws += draw_luck(game, &b, &mix, kind, amount, equities[street], rates);
            next = *mix == ';' ? number(&mix) : -1;
        }
        raised |= kind == 'r';
        if (kind != 'f')
            apply(&b, kind, amount);
        if (b.street != street) {
            if (b.street > last)
                return 0;
            int64_t behind = least(b.limits[0], b.limits[1]);
            int bucket = (behind >= weights->depths[0] * b.pot) + (behind >= weights->depths[1] * b.pot) + 3 * raised;
            cards += weights->deals[b.street][bucket] * b.pot * (equities[b.street] - equities[b.street - 1]);
            raised = 0;
        }
    }
    if (!before) /* antes and blinds alone put a seat all-in */
        end_street(&b);
    int lost = *at == '-';
    double won = (double)number(&at);
    if (before != 'f' && last < 3)
        won = (2 * equities[last] - 1) * b.at_stake, lost = 0;
    found[0] = (lost ? -won : won) - cards, found[1] = draws;
    for (int seat = 0; seat < 2; seat++)
        game->faced[seat] += faced[seat], game->folded[seat] += folded[seat];
    return kind == ':';
}

/* The luck of a game: for every hand after the warm-up what hand_luck finds, or None. Arguments: the texts of the hands and of
   their mixes; hands of the warm-up; the weights; by two cards, the share of worse starting hands; samples for flop, turn and
   river. */
PyObject *game_luck(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    Game game = {.faced = {0, 0}};
    char *given[5];
    Py_ssize_t sizes[5];
    double one[2];
    if (count != 8 || !PyTuple_Check(args[0]) || !PyTuple_Check(args[1]))
        Py_RETURN_NONE;
    for (int at = 0; at < 5; at++)
        if (PyBytes_AsStringAndSize(args[3 + at], &given[at], &sizes[at]) < 0)
            return NULL;
    Py_ssize_t hands = PyTuple_Size(args[0]), mixes = PyTuple_Size(args[1]), warmup = PyLong_AsSsize_t(args[2]);
    if (sizes[0] != sizeof(Weights) || sizes[1] != sizeof(double) * CARDS * CARDS || (mixes && mixes != hands) || warmup < 0)
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    game.weights = (const Weights *)given[0], game.worse = (const double *)given[1];
    for (int at = 0; at < 3; at++)
        game.samples[at] = given[2 + at], game.sizes[at] = sizes[2 + at];
    PyObject *found = PyList_New(0);
    for (Py_ssize_t at = 0; found && at < hands; at++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args[0], at), NULL);
        const char *mix = text && mixes ? PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args[1], at), NULL) : "";
        PyObject *pair = NULL;
        if (!text || !mix || !hand_luck(&game, text, mix, one) || !(pair = tuple_of(one, 2))
            || (at >= warmup && PyList_Append(found, pair) < 0))
            Py_CLEAR(found);
        Py_XDECREF(pair);
    }
    return found || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}
