/* What the files on the luck of cards and dice share. */
#ifndef MOLT_LUCK_H
#define MOLT_LUCK_H

#include "kernels.h"

#define BINS 3
#define PASSIVE 6
#define RAISED 9
#define STREETS 4
#define KINDS 4
#define FIRST_RAISED (STREETS + 4 * PASSIVE)
#define FEATURES (FIRST_RAISED + 2 * BINS * RAISED)
/* Chips up to here are exact as doubles, also times a percentage. */
#define MOST_CHIPS (1LL << 44)

/* Attributes that are read of Python's objects. */
enum { SEAT, POT, STACKS, BETS, TO_CALL, LEAST, MOST, LOG, STREET, KIND, AMOUNT, LOW, HIGH, FACING, LEAST_SIZE, MOST_SIZE,
       PERCENTS, CHANCES, HOLES, BOARD, PAYOFFS, AT_STAKE, RULES, SMALL, BIG, ANTE, BETTING, START, NAMES };

/* What a decision depends on. */
typedef struct {
    int64_t seat, pot, stacks[2], bets[2], starting[2], to_call, least, most, limits[2], staked, begins[2];
    int street, opened;
} Seen;

/* The probabilities of a policy, in the order of molt_bench.luck.dice._chances; then, minus what was done, the chips at
   stake in raises, and whether anything is left. */
typedef struct {
    double fold, passive, raised[BINS], sizes[BINS], taken, matched[BINS];
    int left;
} Chances;

/* The features of a decision. */
typedef struct {
    int count;
    Term term[FEATURES];
} Features;

/* What the value of a decision depends on besides: seat 0's equity, how often both hands beat a third one, and how
   often the other seat folds to raises. */
typedef struct {
    double share, rates[2], folds;
} Setting;

/* Make the names of attributes; 0 with an exception set if there is no memory. */
int know_names(void);
/* An attribute as a new reference; NULL with no exception set if there is none. */
PyObject *attribute(PyObject *object, int name);
/* These return 0 with no exception set if something is odd. */
int read_chips(PyObject *item, int64_t *found);
int chips_of(PyObject *object, int name, int64_t *found);
int pair_of(PyObject *object, int name, int64_t found[2]);
/* 'f' for a fold, 'h' for a check, 'a' for a call, 'r' for a raise, 0 for anything else. */
char kind_of(PyObject *object);
/* 0 to 3, -1 for anything else. */
int street_of(PyObject *object);
/* What was seen, but for seat, street and the stacks at the start of the hand. */
int read_seen(PyObject *object, Seen *seen);
/* The chances of a decision's policy, minus what was done, which has the attributes of an action. */
int decision_surplus(PyObject *policy, const Seen *seen, PyObject *done, Chances *found);
/* The features of that; it needs no setting if nothing is left. */
void add_features(const Seen *seen, const Chances *surplus, const Setting *setting, Features *found);

#define MOST_SETS 8

/* Weights of deals as doubles: the depths at which buckets begin, and the weights of all deals by bucket. */
typedef struct {
    const double *depths, *weights;
    int cuts;
} ChanceWeights;

/* A deal of cards, as ChanceTerm in molt_bench/luck/cards/card_luck.py. */
typedef struct {
    int64_t pot, behind;
    int raised;
    double change;
} Deal;

/* The hole cards of a hand, as molt_bench.luck.cards.hole_cards packs them. */
typedef struct {
    int64_t cell;
    double behind, edge;
} Holes;

/* Bytes that grow. */
typedef struct {
    char *start;
    size_t size, room;
} Bytes;

/* The decisions of a seat: its policy, NULL if it is not known; the rows of those found, their values by set
   of weights, and their terms. */
typedef struct {
    PyObject *policy;
    int sign;
    Bytes rows, values[MOST_SETS], terms;
} Dice;

/* What is given, and what was found so far: by hand, what was won with the run-out replaced by its mean, and minus the luck
   of the cards by set of weights; the terms of the cards; the hole cards; and the decisions of both seats. */
typedef struct {
    ChanceWeights by[MOST_SETS], places;
    int sets, value_sets, cuts;
    int64_t sign, first, raw, faced[2], folded[2], blinds, ante;
    const double *values, *starting, *cut;
    PyObject *samples;
    Bytes all_in, chance[MOST_SETS], cards, holes;
    Dice dice[2];
} Game;

/* A hand: the cards up to the last decision, seat 0's equities, how often both hands beat a third one by street, and the deals. */
typedef struct {
    Cards cards;
    int32_t row;
    int64_t stacks[2];
    int streets, dealt, rated[STREETS];
    double share[STREETS], rates[STREETS][2];
    Deal deals[STREETS];
} Luck;

/* These return 0 with an exception set if there is no memory. */
int add_bytes(Bytes *bytes, const void *more, size_t size);
int add_number(Bytes *bytes, double number);
/* All that was found, as molt_bench.luck.game_luck.GameLuck; appends the terms of decisions to those of cards. */
PyObject *game_found(Game *game);
void end_game(Game *game);

#endif
