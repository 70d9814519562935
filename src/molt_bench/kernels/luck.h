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

/* An attribute as a new reference; NULL with an exception set if there is none. */
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

#endif
