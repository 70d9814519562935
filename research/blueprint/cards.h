/* Cards: the strength of seven of them, and the bucket of a hole on a board, exactly as in buckets.py. */
#ifndef CARDS_H
#define CARDS_H
#include <stdint.h>

enum {
    HOLES = 1326, FLOPS = 1755, RENAMINGS = 24, STRENGTHS = 7463, STREETS = 4,
    GROUPS = 4,                               /* of an eighth or more of all holes, by flop bucket */
    TURN_STEP = 8, TURN_BINS = 8, TURN_FEATURES = TURN_BINS - 1 + GROUPS, TURN_SCALE = 92,
    RIVER_SCALE = 128,
    MOST_BUCKETS = 1024
};

extern int bucket_counts[STREETS];            /* set by load_cards */
extern uint8_t hole_cards[HOLES][2];          /* the higher card first */
extern uint8_t preflop_bucket[HOLES];
extern uint8_t flop_cards[FLOPS][3];

/* A random number generator of its own for each thread: splitmix64. */
typedef struct { uint64_t state; } Random;
uint64_t next_random(Random *random);
static inline uint32_t below(Random *random, uint32_t limit) {
    return (uint32_t)(((next_random(random) >> 32) * limit) >> 32);
}

void load_cards(const char *path);
int hole_number(int one, int two);
int strength(const int cards[7]);
void all_strengths(const int board[5], int16_t found[HOLES]);   /* -1 for holes that share a card */

/* Buckets of both holes on all streets, and who wins: 1 the first, -1 the second, 0 nobody. */
typedef struct { int bucket[2][STREETS]; int sign; } Deal;
/* The board stays for several deals, since it takes longest to read. */
enum { PAIRS_ON_A_BOARD = 4 };
typedef struct { int left, board[5]; uint64_t used; } Table;
void deal_cards(Random *random, Table *table, Deal *deal);
void buckets_of(const int *hole, const int board[5], int found[STREETS]);

/* The numbers by which holes fall into buckets; turn boards must be canonical, rows of other holes are not set. */
void turn_features(const int board[4], int16_t (*found)[TURN_FEATURES]);
void river_features(const int board[5], int hole, int16_t found[GROUPS]);
void fill_turns(int flop);
void save_turns(const char *path);
void load_turns(const char *path);
void name_anew(int *board, int size, uint32_t *renamings);
#endif
