/* External-sampling Monte Carlo CFR on a betting tree, with regrets and averages weighted linearly. */
#ifndef SOLVER_H
#define SOLVER_H
#include "cards.h"

enum { FOLDED = -2, SHOWDOWN = -3, NONE = -1, MOST_ACTIONS = 8 };

typedef struct {
    int nodes, columns, points;
    int32_t *street, *actor, *closing, *paid, *children;
    int *actions;                       /* how many actions a node offers */
    int32_t (*next)[MOST_ACTIONS];      /* their children */
    int64_t *start;                     /* where its numbers start: one for each bucket and action */
    int64_t size;
} Tree;

/* Cards dealt at random, or from a list in which every deal is equally likely. */
typedef struct { Deal *list; int count; } Deals;

typedef struct {
    const char *tree, *cards, *deals, *turns, *checkpoint, *strategy, *average, *values;
    int threads;
    double seconds, value_seconds;
    int64_t iterations, value_iterations;
    uint64_t seed;
} Options;

void solve(const Options *options);
#endif
