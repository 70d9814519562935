/* Cards: see cards.h. */
#include "cards.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bucket_counts[STREETS];
uint8_t hole_cards[HOLES][2], preflop_bucket[HOLES], flop_cards[FLOPS][3];

/* The weaker half of all holes, the next quarter, and the last two eighths. */
enum { EIGHTHS = 8 };
static const int GROUP_STARTS[GROUPS + 1] = {0, 4, 6, 7, 8};
static const int GROUP_OF_EIGHTH[EIGHTHS] = {0, 0, 0, 0, 1, 1, 2, 3};

static int64_t card_keys[52], hole_keys[HOLES];
static uint64_t card_bits[52], hole_bits[HOLES];
static uint16_t *seven, flush[8192];
static int32_t *seven_offsets;
static uint8_t images[RENAMINGS][52];
static int16_t renamed[RENAMINGS][HOLES];
static int32_t flop_number[52 * 52 * 52];        /* of a raw flop in ascending order: its canonical number */
static uint32_t flop_renamings[52 * 52 * 52];    /* the renamings that give it, one bit each */
static uint8_t flop_buckets[FLOPS][HOLES];
static int32_t turn_centres[TURN_FEATURES][MOST_BUCKETS], river_centres[GROUPS][MOST_BUCKETS];
static uint16_t (*turn_table)[52][HOLES];
static uint8_t (*turn_ready)[52];

uint64_t next_random(Random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

int hole_number(int one, int two) {
    int high = one > two ? one : two, low = one > two ? two : one;
    return high * (high - 1) / 2 + low;
}

static inline int strength_of(int64_t key, uint64_t bits) {
    int flags = (int)(key & 0x8888);
    if (flags) {
        int suit = (flags > 0x8) + (flags > 0x80) + (flags > 0x800);
        return flush[(bits >> (13 * suit)) & 0x1FFF];
    }
    int64_t ranks = key >> 16;
    return seven[ranks + seven_offsets[ranks >> 10]];
}

int strength(const int cards[7]) {
    int64_t key = 0x3333;
    uint64_t bits = 0;
    for (int at = 0; at < 7; at++) key += card_keys[cards[at]], bits += card_bits[cards[at]];
    return strength_of(key, bits);
}

static void board_sum(const int *board, int size, int64_t *key, uint64_t *bits, uint64_t *mask) {
    *key = 0x3333, *bits = 0, *mask = 0;
    for (int at = 0; at < size; at++)
        *key += card_keys[board[at]], *bits += card_bits[board[at]], *mask |= 1ULL << board[at];
}

static inline int holds(int hole, uint64_t mask) {
    return (mask >> hole_cards[hole][0] & 1) | (mask >> hole_cards[hole][1] & 1);
}

void all_strengths(const int board[5], int16_t found[HOLES]) {
    int64_t key;
    uint64_t bits, mask;
    board_sum(board, 5, &key, &bits, &mask);
    for (int hole = 0; hole < HOLES; hole++)
        found[hole] = holds(hole, mask) ? -1 : (int16_t)strength_of(key + hole_keys[hole], bits + hole_bits[hole]);
}

static void sort3(int *cards) {
    int swap;
#define ORDER(a, b) if (cards[a] > cards[b]) swap = cards[a], cards[a] = cards[b], cards[b] = swap
    ORDER(0, 1); ORDER(1, 2); ORDER(0, 1);
#undef ORDER
}

static int flop_key(const int *flop) {
    return (flop[0] * 52 + flop[1]) * 52 + flop[2];
}

/* Name the suits of a board anew, the flop first; `renamings` gets a bit for each way that gives the result. */
void name_anew(int *board, int size, uint32_t *renamings) {
    int flop[3] = {board[0], board[1], board[2]};
    sort3(flop);
    int key = flop_key(flop);
    uint32_t left = flop_renamings[key];
    for (int at = 0; at < 3; at++) board[at] = flop_cards[flop_number[key]][at];
    for (int at = 3; at < size; at++) {
        int best = 52;
        uint32_t kept = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            int way = __builtin_ctz(rest), image = images[way][board[at]];
            if (image < best) best = image, kept = 0;
            if (image == best) kept |= 1u << way;
        }
        board[at] = best, left = kept;
    }
    *renamings = left;
}

static void number_flops(void) {
    static int32_t number_of[52 * 52 * 52];
    for (int at = 0; at < FLOPS; at++) {
        int flop[3] = {flop_cards[at][0], flop_cards[at][1], flop_cards[at][2]};
        number_of[flop_key(flop)] = at;
    }
    for (int a = 0; a < 52; a++) for (int b = a + 1; b < 52; b++) for (int c = b + 1; c < 52; c++) {
        int best = 1 << 30, raw[3] = {a, b, c};
        uint32_t kept = 0;
        for (int way = 0; way < RENAMINGS; way++) {
            int named[3] = {images[way][a], images[way][b], images[way][c]};
            sort3(named);
            if (flop_key(named) < best) best = flop_key(named), kept = 0;
            if (flop_key(named) == best) kept |= 1u << way;
        }
        flop_number[flop_key(raw)] = number_of[best];
        flop_renamings[flop_key(raw)] = kept;
    }
}

static void read_exactly(FILE *file, void *to, size_t size) {
    if (fread(to, 1, size, file) != size) fprintf(stderr, "the cards file is too short\n"), exit(1);
}

static void read_centres(FILE *file, int count, int width, int32_t (*centres)[MOST_BUCKETS]) {
    for (int at = 0; at < count; at++) for (int i = 0; i < width; i++) read_exactly(file, &centres[i][at], 4);
}

static void make_renamings(void) {
    int way = 0;
    for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) for (int c = 0; c < 4; c++) {
        if (a == b || a == c || b == c) continue;
        int suits[4] = {a, b, c, 6 - a - b - c};
        for (int card = 0; card < 52; card++) images[way][card] = (uint8_t)((card & ~3) | suits[card & 3]);
        for (int hole = 0; hole < HOLES; hole++)
            renamed[way][hole] = (int16_t)hole_number(images[way][hole_cards[hole][0]], images[way][hole_cards[hole][1]]);
        way++;
    }
}

/* The file, written by cards_file in files.py: sizes, then the evaluator's tables, flops, buckets and centres. */
void load_cards(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) perror(path), exit(1);
    int32_t head[6];
    read_exactly(file, head, sizeof head);
    seven_offsets = malloc(sizeof(int32_t) * (size_t)head[0]);
    seven = malloc(sizeof(uint16_t) * (size_t)head[1]);
    read_exactly(file, seven_offsets, sizeof(int32_t) * (size_t)head[0]);
    read_exactly(file, seven, sizeof(uint16_t) * (size_t)head[1]);
    read_exactly(file, flush, sizeof(uint16_t) * 8192);
    read_exactly(file, card_keys, sizeof card_keys);
    read_exactly(file, preflop_bucket, sizeof preflop_bucket);
    read_exactly(file, flop_cards, sizeof flop_cards);
    read_exactly(file, flop_buckets, sizeof flop_buckets);
    read_centres(file, head[4], TURN_FEATURES, turn_centres);
    read_centres(file, head[5], GROUPS, river_centres);
    fclose(file);
    for (int street = 0; street < STREETS; street++) bucket_counts[street] = head[2 + street];
    for (int card = 0; card < 52; card++) card_bits[card] = 1ULL << (13 * (card & 3) + (card >> 2));
    for (int high = 0, hole = 0; high < 52; high++) for (int low = 0; low < high; low++, hole++) {
        hole_cards[hole][0] = (uint8_t)high, hole_cards[hole][1] = (uint8_t)low;
        hole_keys[hole] = card_keys[high] + card_keys[low];
        hole_bits[hole] = card_bits[high] + card_bits[low];
    }
    make_renamings();
    number_flops();
    turn_table = calloc(FLOPS, sizeof *turn_table);
    turn_ready = calloc(FLOPS, sizeof *turn_ready);
}

/* The first of the nearest centres, which lie column by column, so that many are compared at once. */
static int nearest(const int16_t *features, int32_t (*centres)[MOST_BUCKETS], int count, int width) {
    int32_t distances[MOST_BUCKETS] = {0};
    for (int i = 0; i < width; i++) for (int at = 0; at < count; at++) {
        int32_t away = features[i] - centres[i][at];
        distances[at] += away * away;
    }
    int best = 0;
    for (int at = 1; at < count; at++) if (distances[at] < distances[best]) best = at;
    return best;
}

/* Every eighth live hole in the order of flop buckets, and the group of each. */
static int turn_sample(const uint8_t *of_flop, uint64_t mask, int16_t *sample) {
    int starts[257] = {0}, order[HOLES], live = 0;
    for (int hole = 0; hole < HOLES; hole++) if (!holds(hole, mask)) starts[of_flop[hole] + 1]++, live++;
    for (int at = 0; at < 256; at++) starts[at + 1] += starts[at];
    for (int hole = 0; hole < HOLES; hole++) if (!holds(hole, mask)) order[starts[of_flop[hole]]++] = hole;
    int count = 0;
    for (int at = TURN_STEP / 2; at < live; at += TURN_STEP) sample[count++] = (int16_t)order[at];
    return count;
}

void turn_features(const int board[4], int16_t (*found)[TURN_FEATURES]) {
    int64_t key;
    uint64_t bits, mask;
    int16_t sample[HOLES];
    static _Thread_local int32_t won[HOLES][GROUPS], met[HOLES][GROUPS];
    static _Thread_local uint64_t table[STRENGTHS + 1];   /* four sums of 16 bits, one for each group */
    board_sum(board, 4, &key, &bits, &mask);
    int flop[3] = {board[0], board[1], board[2]};
    int count = turn_sample(flop_buckets[flop_number[flop_key(flop)]], mask, sample);
    memset(won, 0, sizeof won), memset(met, 0, sizeof met);
    memset(found, 0, sizeof(int16_t) * HOLES * TURN_FEATURES);
    for (int river = 0; river < 52; river++) {
        if (mask >> river & 1) continue;
        int shown[GROUPS] = {0}, all = 0;
        memset(table, 0, sizeof table);
        for (int at = 0, group = 0; at < count; at++) {
            while (at >= count * GROUP_STARTS[group + 1] / EIGHTHS) group++;
            int hole = sample[at];
            if (holds(hole, 1ULL << river)) continue;
            int own = strength_of(key + card_keys[river] + hole_keys[hole], bits + card_bits[river] + hole_bits[hole]);
            table[own] += 1ULL << (16 * group);        /* a tie counts one, a win two */
            table[own + 1] += 1ULL << (16 * group);
            shown[group]++, all++;
        }
        for (int at = 1; at <= STRENGTHS; at++) table[at] += table[at - 1];
        for (int hole = 0; hole < HOLES; hole++) {
            if (holds(hole, mask | 1ULL << river)) continue;
            int own = strength_of(key + card_keys[river] + hole_keys[hole], bits + card_bits[river] + hole_bits[hole]);
            uint64_t wins = table[own];
            int total = 0;
            for (int group = 0; group < GROUPS; group++) {
                int part = (int)(wins >> (16 * group) & 0xFFFF);
                won[hole][group] += part, met[hole][group] += shown[group], total += part;
            }
            for (int bin = 1; bin < TURN_BINS; bin++) found[hole][bin - 1] += TURN_BINS * total < 2 * all * bin;
        }
    }
    for (int hole = 0; hole < HOLES; hole++) for (int group = 0; group < GROUPS; group++)
        if (met[hole][group])
            found[hole][TURN_BINS - 1 + group] = (int16_t)(TURN_SCALE * won[hole][group] / (2 * met[hole][group]));
}

/* The buckets of a canonical turn are computed when they are first needed; threads may do so at the same time. */
static const uint16_t *turn_row(const int board[4]) {
    int number = flop_number[flop_key(board)];
    uint16_t *row = turn_table[number][board[3]];
    if (!__atomic_load_n(&turn_ready[number][board[3]], __ATOMIC_ACQUIRE)) {
        static _Thread_local int16_t features[HOLES][TURN_FEATURES];
        turn_features(board, features);
        for (int hole = 0; hole < HOLES; hole++)
            row[hole] = (uint16_t)nearest(features[hole], turn_centres, bucket_counts[2], TURN_FEATURES);
        __atomic_store_n(&turn_ready[number][board[3]], 1, __ATOMIC_RELEASE);
    }
    return row;
}

/* Compute the buckets of every turn of a flop, so that none is left to do later. */
void fill_turns(int flop) {
    for (int card = 0; card < 52; card++) {
        int board[4] = {flop_cards[flop][0], flop_cards[flop][1], flop_cards[flop][2], card}, named[4];
        uint32_t renamings;
        memcpy(named, board, sizeof named);
        if (card == board[0] || card == board[1] || card == board[2]) continue;
        name_anew(named, 4, &renamings);
        if (named[3] == card) turn_row(board);
    }
}

/* Keep all turns in a file, or read them from it. */
void save_turns(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(turn_ready, sizeof *turn_ready, FLOPS, file) != FLOPS
        || fwrite(turn_table, sizeof *turn_table, FLOPS, file) != FLOPS || fclose(file)) perror(path), exit(1);
}

void load_turns(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) perror(path), exit(1);
    read_exactly(file, turn_ready, FLOPS * sizeof *turn_ready);
    read_exactly(file, turn_table, FLOPS * sizeof *turn_table);
    fclose(file);
}

static int smallest(int hole, uint32_t renamings) {
    int best = HOLES;
    for (; renamings; renamings &= renamings - 1) {
        int image = renamed[__builtin_ctz(renamings)][hole];
        if (image < best) best = image;
    }
    return best;
}

/* What the river buckets of all holes on a board share. */
typedef struct { int live; int16_t of[HOLES], strength[HOLES]; uint8_t group[HOLES]; int sizes[GROUPS]; } River;

static void read_river(const int board[5], River *river) {
    int64_t key;
    uint64_t bits, mask;
    board_sum(board, 5, &key, &bits, &mask);
    int flop[3] = {board[0], board[1], board[2]}, counts[256] = {0}, groups[256], before = 0;
    sort3(flop);
    const uint8_t *of_flop = flop_buckets[flop_number[flop_key(flop)]];
    const int16_t *names = renamed[__builtin_ctz(flop_renamings[flop_key(flop)])];
    uint8_t of_live[HOLES];
    int live = 0;
    for (int hole = 0; hole < HOLES; hole++) {
        if (holds(hole, mask)) continue;
        of_live[live] = of_flop[names[hole]];
        counts[of_live[live]]++;
        river->of[live] = (int16_t)hole;
        river->strength[live++] = (int16_t)strength_of(key + hole_keys[hole], bits + hole_bits[hole]);
    }
    river->live = live;
    for (int at = 0; at < 256; at++) {
        groups[at] = GROUP_OF_EIGHTH[EIGHTHS * (2 * before + counts[at]) / (2 * live)];
        before += counts[at];
    }
    memset(river->sizes, 0, sizeof river->sizes);
    for (int at = 0; at < live; at++) river->sizes[river->group[at] = (uint8_t)groups[of_live[at]]]++;
}

static void river_numbers(const River *river, int own, int16_t found[GROUPS]) {
    int wins[GROUPS] = {0}, all = 0;
    for (int at = 0; at < river->live; at++)
        wins[river->group[at]] += (river->strength[at] < own) + (river->strength[at] <= own);
    for (int group = 0; group < GROUPS; group++) all += wins[group];
    for (int group = 0; group < GROUPS; group++)
        found[group] = (int16_t)(river->sizes[group] ? RIVER_SCALE * wins[group] / (2 * river->sizes[group])
                                                     : RIVER_SCALE * all / (2 * river->live));
}

void river_features(const int board[5], int hole, int16_t found[GROUPS]) {
    static _Thread_local River river;
    static _Thread_local int last[5] = {-1};
    if (memcmp(last, board, sizeof last)) read_river(board, &river), memcpy(last, board, sizeof last);
    int cards[7] = {hole_cards[hole][0], hole_cards[hole][1], board[0], board[1], board[2], board[3], board[4]};
    river_numbers(&river, strength(cards), found);
}

static void postflop_buckets(int hole, const int board[5], int found[STREETS]) {
    int named[4] = {board[0], board[1], board[2], board[3]};
    int16_t features[GROUPS];
    uint32_t renamings;
    name_anew(named, 4, &renamings);
    int flop[3] = {named[0], named[1], named[2]};
    found[1] = flop_buckets[flop_number[flop_key(flop)]][renamed[__builtin_ctz(renamings)][hole]];
    found[2] = turn_row(named)[smallest(hole, renamings)];
    river_features(board, hole, features);
    found[3] = nearest(features, river_centres, bucket_counts[3], GROUPS);
}

void buckets_of(const int *hole, const int board[5], int found[STREETS]) {
    int number = hole_number(hole[0], hole[1]);
    found[0] = preflop_bucket[number];
    postflop_buckets(number, board, found);
}

static int fresh_card(Random *random, uint64_t *used) {
    int card;
    do card = (int)below(random, 52); while (*used >> card & 1);
    *used |= 1ULL << card;
    return card;
}

void deal_cards(Random *random, Table *table, Deal *deal) {
    if (!table->left) {
        table->left = PAIRS_ON_A_BOARD, table->used = 0;
        for (int at = 0; at < 5; at++) table->board[at] = fresh_card(random, &table->used);
    }
    table->left--;
    uint64_t used = table->used;
    const int *board = table->board;
    int shown[2];
    for (int player = 0; player < 2; player++) {
        int one = fresh_card(random, &used), two = fresh_card(random, &used);
        int cards[7] = {one, two, board[0], board[1], board[2], board[3], board[4]};
        shown[player] = strength(cards);
        buckets_of(cards, board, deal->bucket[player]);
    }
    deal->sign = (shown[0] > shown[1]) - (shown[0] < shown[1]);
}
