/* The luck of a game's hands, read from their texts, as molt_bench.luck.cards and molt_bench.luck.dice take it out. */
#include "kernels.h"
#include <math.h>
#include <string.h>

#define MOST_ENTRIES 100

/* What molt_bench.luck.estimators packs: the weights, one after another; by two cards, the share of worse starting hands; and
   the samples for flop, turn and river. */
typedef struct {
    double depths[2], deals[4][6], exact[4], passive[4][6], raised[2][3][9];
    double worse[CARDS][CARDS];
    unsigned char flop[SAMPLES][4], turn[SAMPLES][3], river[SAMPLES][2];
} Tables;

/* A moment of the betting, as in molt_bench.poker.betting; `opened` once a seat has acted on the street. */
typedef struct {
    int64_t stacks[2], limits[2], bets[2], pot, at_stake, to_call;
    int button, actor, street, opened;
} Betting;

typedef struct {
    int64_t weight, low, high;
    char kind;
} Entry;

/* A game: how often each seat has faced a raise and folded to it. */
typedef struct {
    const Tables *tables;
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
        if (!(rank = strchr(RANK, **at)) || !(*at)[1] || !(suit = strchr(SUIT, (*at)[1])))
            return 0;
        if (!add_card(cards, (int)(4 * (rank - RANK) + (suit - SUIT))))
            return 0;
    }
    return letter(at) != 0;
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

/* Count an action with its share, see _count there. */
static void counted(double found[8], const Entry *done, double share, int64_t large, int64_t all_in) {
    if (done->kind != 'r') {
        found[done->kind != 'f'] += share;
        return;
    }
    const int64_t begins[4] = {done->low, large, all_in, done->high + 1};
    double one = share / (double)(done->high - done->low + 1);
    for (int bin = 0; bin < 3; bin++) {
        int64_t start = begins[bin] > done->low ? begins[bin] : done->low, last = least(begins[bin + 1] - 1, done->high);
        if (last < start)
            continue;
        double of_bin = one * (double)(last - start + 1);
        found[2 + 2 * bin] += of_bin;
        found[3 + 2 * bin] += of_bin * (bin == 2 ? (double)all_in : (double)(start + last) / 2.0);
    }
}

/* What was drawn minus what was likely, see _beyond there; `mix` is read. Returns 0 if nothing was drawn from it. */
static int beyond(double found[8], const char **mix, char kind, int64_t amount, int64_t large, int64_t all_in) {
    Entry entries[MOST_ENTRIES], drawn = {.low = amount, .high = amount, .kind = kind};
    int64_t total = 0;
    int count = 0;
    do {
        Entry *each = &entries[count];
        *each = (Entry){.weight = number(mix), .kind = letter(mix)};
        total += each->weight;
        if (each->kind == 'r')
            each->low = each->high = number(mix);
        if (each->kind == 'r' && **mix == '-')
            each->high = number(mix);
    } while (++count < MOST_ENTRIES && **mix == ',');
    if (total <= 0 || (count < 2 && entries->low >= entries->high))
        return 0;
    for (const Entry *each = entries; each < entries + count; each++)
        if (each->low <= each->high)
            counted(found, each, -(double)each->weight / (double)total, large, all_in);
    counted(found, &drawn, 1.0, large, all_in);
    return 1;
}

/* The luck of one draw for the seat that decides, see _luck there; `equity` and `rates` are of seat 0. */
static double draw_luck(const Game *game, const Betting *b, const char **mix, char kind, int64_t amount, double equity, const double rates[2]) {
    const Tables *weights = game->tables;
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
static void rates_of(const Tables *tables, const int *card, int street, double rates[2]) {
    const unsigned char *samples[4] = {NULL, tables->flop[0], tables->turn[0], tables->river[0]};
    if (street)
        sampled(card, 4 + OPEN[street], samples[street], rates);
    for (int hand = 0; !street && hand < 2; hand++)
        rates[hand] = tables->worse[card[2 * hand]][card[2 * hand + 1]];
}

/* One hand: net chips of seat 0 without the luck of the cards, and the luck of the draws. 0 if the text is odd. */
static int hand_luck(Game *game, const char *at, const char *mix, double found[2]) {
    Betting b = {.pot = 0};
    Cards all = {.count = 0};
    int64_t blinds = begin(&b, &at), amount = 0;
    Game after = *game;
    int last = 0, raised = 0, rated = -1;
    double equities[4], rates[2], cards, draws = 0.0;
    if (letter(&at) != ':' || !read_cards(&all, &at, 2) || !read_cards(&all, &at, 2) || !read_cards(&all, &at, 5))
        return 0;
    for (const char *each = at; *each && *each != ':'; each++)
        last += *each == '/';
    if (last > 3 || all.count < 4 + OPEN[last])
        return 0;
    if (!shares_of(all.card, 4 + OPEN[last], equities))
        return 0;
    const Tables *weights = game->tables;
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
            after.faced[b.actor]++;
            after.folded[b.actor] += kind == 'f';
        }
        if (decision == next) {
            if (rated != street)
                rates_of(game->tables, all.card, rated = street, rates);
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
    *game = after;
    return kind == ':';
}

/* The luck of a game: for every hand what hand_luck finds, or None. Arguments: the texts of the hands; those of their mixes; the
   tables. */
PyObject *game_luck(PyObject *self, PyObject *args) {
    PyObject *texts, *mixes, *pair = NULL;
    const char *tables, *text, *mix;
    Py_ssize_t size;
    double one[2];
    if (!PyArg_ParseTuple(args, "O!O!y#", &PyTuple_Type, &texts, &PyTuple_Type, &mixes, &tables, &size))
        return NULL;
    Py_ssize_t hands = PyTuple_Size(texts);
    if (size != sizeof(Tables) || PyTuple_Size(mixes) != hands)
        Py_RETURN_NONE;
    Game game = {.tables = (const Tables *)tables};
    PyObject *found = PyList_New(0);
    for (Py_ssize_t at = 0; found && at < hands; at++) {
        text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(texts, at), NULL);
        mix = text ? PyUnicode_AsUTF8AndSize(PyTuple_GetItem(mixes, at), NULL) : NULL;
        pair = mix && hand_luck(&game, text, mix, one) ? Py_BuildValue("dd", one[0], one[1]) : NULL;
        if (!pair || PyList_Append(found, pair) < 0)
            Py_CLEAR(found);
        Py_XDECREF(pair);
    }
    return found || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}
