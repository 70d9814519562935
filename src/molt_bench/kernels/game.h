/* What the files on the luck of a game share. */
#ifndef MOLT_GAME_H
#define MOLT_GAME_H

#include "luck.h"

#define MOST_SETS 8

/* Weights of deals as doubles: the depths at which buckets begin, and the weights of all deals by bucket. */
typedef struct {
    const double *depths, *weights;
    int cuts;
} ChanceWeights;

/* A deal of cards, as ChanceTerm in molt_bench/luck/cards/chance.py. */
typedef struct {
    int64_t pot, behind;
    int raised;
    double change;
} Deal;

/* The hole cards of a hand, as molt_bench.luck.hole_cards packs them. */
typedef struct {
    int64_t cell;
    double behind, edge;
} Holes;

/* Bytes that grow. */
typedef struct {
    char *start;
    size_t size, room;
} Bytes;

/* The decisions of a seat: its policy, NULL if it is not known, and its form; the rows of those found, their values by set
   of weights, and their terms. */
typedef struct {
    PyObject *policy;
    int form, sign;
    Bytes rows, values[MOST_SETS], terms;
} Dice;

/* What is given, and what was found so far: by hand, what was won with the run-out replaced by its mean, and minus the luck
   of the cards by set of weights; the terms of the cards; the hole cards; and the decisions of both seats. */
typedef struct {
    ChanceWeights by[MOST_SETS], places;
    int sets, value_sets, cuts;
    int64_t sign, first, raw, faced[2], folded[2], blinds;
    const double *values, *starting, *cut;
    PyObject *samples, *rules, *without_noise;
    Bytes all_in, chance[MOST_SETS], cards, holes;
    Dice dice[2];
} Game;

/* A hand: the cards up to the last decision, seat 0's equities, the strengths of both hands by street, and the deals. */
typedef struct {
    Cards cards;
    int32_t row;
    int64_t stacks[2];
    int streets, dealt, strong[STREETS];
    double share[STREETS], strengths[STREETS][2];
    Deal deals[STREETS];
} Luck;

/* These return 0 with an exception set if there is no memory. */
int add_bytes(Bytes *bytes, const void *more, size_t size);
int add_number(Bytes *bytes, double number);
/* All that was found, as molt_bench.luck.game_luck.GameLuck; appends the terms of decisions to those of cards. */
PyObject *game_found(Game *game);
void end_game(Game *game);

#endif
