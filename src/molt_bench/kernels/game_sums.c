/* The sums of a game: what was won, what is taken out of it, and its terms. */
#include "luck.h"
#include <string.h>

int add_bytes(Bytes *bytes, const void *more, size_t size) {
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

int add_number(Bytes *bytes, double number) {
    return add_bytes(bytes, &number, sizeof number);
}

static int count_of(const Bytes *bytes) {
    return (int)(bytes->size / sizeof(double));
}

static double sum_of(const Bytes *bytes) {
    return exact_sum((const double *)bytes->start, count_of(bytes));
}

/* What player A won by hand, by the last set of weights: the decisions of player A are added first. */
static void add_dice(const Game *game, const Dice *dice, double *won) {
    const Bytes *values = &dice->values[game->value_sets - 1];
    for (int at = 0; at < count_of(values); at++) {
        double value = ((const double *)values->start)[at];
        won[((const int32_t *)dice->rows.start)[at]] += dice->sign > 0 ? -value : value;
    }
}

PyObject *game_found(Game *game) {
    Dice *first = &game->dice[game->sign < 0], *second = &game->dice[game->sign > 0];
    int hands = count_of(&game->all_in);
    double all_in = sum_of(&game->all_in), adjusted[MOST_SETS], corrections[MOST_SETS];
    double *won = PyMem_Malloc((2 * (size_t)hands + 1) * sizeof(double));
    if (!won)
        return PyErr_NoMemory();
    for (int set = 0; set < game->sets; set++) {
        if (hands) {
            memcpy(won, game->all_in.start, game->all_in.size);
            memcpy(won + hands, game->chance[set].start, game->chance[set].size);
        }
        adjusted[set] = exact_sum(won, 2 * hands);
    }
    for (int set = 0; set < game->value_sets; set++)
        corrections[set] = sum_of(&first->values[set]) - sum_of(&second->values[set]);
    for (int hand = 0; hand < hands; hand++)
        won[hand] = (double)game->sign * (won[hand] + won[hands + hand]);
    add_dice(game, first, won);
    add_dice(game, second, won);
    Bytes *terms = &game->cards;
    PyObject *found = add_bytes(terms, first->terms.start, first->terms.size) && add_bytes(terms, second->terms.start, second->terms.size)
                          ? Py_BuildValue("LdNNNy#y#", (long long)game->raw, all_in, tuple_of(adjusted, game->sets),
                                          tuple_of(corrections, game->value_sets), tuple_of(won, hands),
                                          terms->start ? terms->start : "", (Py_ssize_t)terms->size,
                                          game->holes.start ? game->holes.start : "", (Py_ssize_t)game->holes.size)
                          : NULL;
    PyMem_Free(won);
    return found;
}

void end_game(Game *game) {
    for (int set = 0; set < MOST_SETS; set++) {
        PyMem_Free(game->chance[set].start);
        PyMem_Free(game->dice[0].values[set].start);
        PyMem_Free(game->dice[1].values[set].start);
    }
    for (int seat = 0; seat < 2; seat++) {
        PyMem_Free(game->dice[seat].rows.start);
        PyMem_Free(game->dice[seat].terms.start);
    }
    PyMem_Free(game->all_in.start);
    PyMem_Free(game->cards.start);
    PyMem_Free(game->holes.start);
}
