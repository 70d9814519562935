/* The trainer of the blueprint. `build.py` calls it; see research/blueprint.md. */
#include "solver.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOP_BINS = 16, FLOP_GROUPS = 4, FLOP_FEATURES = FLOP_BINS - 1 + FLOP_GROUPS };

static int threads = 1;
static uint8_t groups[HOLES];
static float (*features)[HOLES][FLOP_FEATURES];
static int next_flop;

static const char *option(int count, char **words, const char *name, const char *otherwise) {
    for (int at = 2; at + 1 < count; at++) if (!strcmp(words[at], name)) return words[at + 1];
    return otherwise;
}

static FILE *open_or_die(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) perror(path), exit(1);
    return file;
}

typedef struct { int16_t strength, hole; } Place;

/* Sort by strength, of which there are few. */
static void sort_places(const int16_t own[HOLES], Place *order) {
    uint16_t starts[STRENGTHS + 1] = {0};
    for (int hole = 0; hole < HOLES; hole++) if (own[hole] >= 0) starts[own[hole] + 1]++;
    for (int at = 0; at < STRENGTHS; at++) starts[at + 1] += starts[at];
    for (int hole = 0; hole < HOLES; hole++)
        if (own[hole] >= 0) order[starts[own[hole]]++] = (Place){own[hole], (int16_t)hole};
}

/* How much every hole beats on one board, of all holes and of each group of starting hands. */
static void add_runout(const int board[5], float (*sums)[FLOP_FEATURES], int *seen) {
    int16_t own[HOLES];
    Place order[HOLES];
    int live = 0, sizes[FLOP_GROUPS] = {0}, less[FLOP_GROUPS] = {0};
    all_strengths(board, own);
    for (int hole = 0; hole < HOLES; hole++) if (own[hole] >= 0) live++, sizes[groups[hole]]++;
    sort_places(own, order);
    for (int at = 0, end; at < live; at = end) {
        int ties[FLOP_GROUPS] = {0};
        for (end = at; end < live && order[end].strength == order[at].strength; end++) ties[groups[order[end].hole]]++;
        float share = (float)(at + end) / (float)(2 * live), in_group[FLOP_GROUPS];
        for (int group = 0; group < FLOP_GROUPS; group++) {
            in_group[group] = ((float)less[group] + 0.5f * (float)ties[group]) / (float)sizes[group];
            less[group] += ties[group];
        }
        for (int i = at; i < end; i++) {
            float *row = sums[order[i].hole];
            for (int bin = 1; bin < FLOP_BINS; bin++) row[bin - 1] += share * FLOP_BINS < (float)bin;
            for (int group = 0; group < FLOP_GROUPS; group++) row[FLOP_BINS - 1 + group] += in_group[group];
            seen[order[i].hole]++;
        }
    }
}

static void *flop_worker(void *unused) {
    (void)unused;
    for (int at; (at = __atomic_fetch_add(&next_flop, 1, __ATOMIC_RELAXED)) < FLOPS;) {
        int board[5] = {flop_cards[at][0], flop_cards[at][1], flop_cards[at][2]}, seen[HOLES] = {0};
        for (board[3] = 0; board[3] < 52; board[3]++) for (board[4] = 0; board[4] < board[3]; board[4]++) {
            int free = 1;
            for (int i = 0; i < 3; i++) free &= board[3] != board[i] && board[4] != board[i];
            if (free) add_runout(board, features[at], seen);
        }
        for (int hole = 0; hole < HOLES; hole++) for (int i = 0; i < FLOP_FEATURES; i++)
            features[at][hole][i] /= (float)(seen[hole] ? seen[hole] : 1);
        if (at % 100 == 0) printf("flop %d of %d\n", at, FLOPS), fflush(stdout);
    }
    return NULL;
}

static void *turn_worker(void *unused) {
    (void)unused;
    for (int at; (at = __atomic_fetch_add(&next_flop, 1, __ATOMIC_RELAXED)) < FLOPS;) {
        fill_turns(at);
        if (at % 200 == 0) printf("turns of flop %d of %d\n", at, FLOPS), fflush(stdout);
    }
    return NULL;
}

static void run_all(void *(*worker)(void *)) {
    pthread_t running[256];
    for (int at = 0; at < threads; at++) pthread_create(running + at, NULL, worker, NULL);
    for (int at = 0; at < threads; at++) pthread_join(running[at], NULL);
}

/* flops CARDS GROUPS OUT: the features of all holes on all canonical flops, as float32. */
static void flops(char **words) {
    load_cards(words[2]);
    FILE *file = open_or_die(words[3], "rb");
    if (fread(groups, 1, HOLES, file) != HOLES) exit(1);
    fclose(file);
    features = calloc(FLOPS, sizeof *features);
    run_all(flop_worker);
    file = open_or_die(words[4], "wb");
    fwrite(features, sizeof *features, FLOPS, file);
    fclose(file);
}

/* turns CARDS OUT: the turn buckets of all boards, 242 megabytes. */
static void turns(char **words) {
    load_cards(words[2]);
    run_all(turn_worker);
    save_turns(words[3]);
}

static void random_board(Random *random, int board[5]) {
    uint64_t used = 0;
    for (int at = 0; at < 5;) {
        int card = (int)below(random, 52);
        if (!(used >> card & 1)) used |= 1ULL << card, board[at++] = card;
    }
}

/* sample CARDS BOARDS SEED TURN_OUT RIVER_OUT: the features of holes on random boards, as 16-bit numbers. */
static void sample(char **words) {
    load_cards(words[2]);
    Random random = {(uint64_t)atoll(words[4])};
    FILE *turns = open_or_die(words[5], "wb"), *rivers = open_or_die(words[6], "wb");
    static int16_t found[HOLES][TURN_FEATURES];
    for (int at = 0; at < atoi(words[3]); at++) {
        int board[5];
        uint32_t renamings;
        int16_t own[HOLES], row[GROUPS];
        random_board(&random, board);
        all_strengths(board, own);
        for (int i = 0; i < 40; i++) {
            int hole = (int)below(&random, HOLES);
            if (own[hole] < 0) continue;
            river_features(board, hole, row);
            fwrite(row, sizeof row, 1, rivers);
        }
        if (at % 10) continue;
        name_anew(board, 4, &renamings);
        turn_features(board, found);
        for (int hole = 0; hole < HOLES; hole++) {
            int held = 0;
            for (int i = 0; i < 4; i++) held |= hole_cards[hole][0] == board[i] || hole_cards[hole][1] == board[i];
            if (!held && below(&random, 3) == 0) fwrite(found[hole], sizeof *found, 1, turns);
        }
    }
    fclose(turns), fclose(rivers);
}

/* buckets CARDS IN OUT: the buckets on all streets of deals of a hole and a board, seven bytes each. */
static void buckets(char **words) {
    load_cards(words[2]);
    FILE *in = open_or_die(words[3], "rb"), *out = open_or_die(words[4], "wb");
    uint8_t bytes[7];
    while (fread(bytes, 1, 7, in) == 7) {
        int cards[7], found[STREETS];
        for (int at = 0; at < 7; at++) cards[at] = bytes[at];
        buckets_of(cards, cards + 2, found);
        fwrite(found, sizeof(int), STREETS, out);
    }
    fclose(in), fclose(out);
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: trainer solve --tree FILE (--cards FILE | --deals FILE) [--seconds N | --iterations N] ...\n");
        return 1;
    }
    threads = atoi(option(count, words, "--threads", "1"));
    if (!strcmp(words[1], "flops")) flops(words);
    else if (!strcmp(words[1], "turns")) turns(words);
    else if (!strcmp(words[1], "sample")) sample(words);
    else if (!strcmp(words[1], "buckets")) buckets(words);
    else {
        Options options = {
            .tree = option(count, words, "--tree", NULL), .cards = option(count, words, "--cards", NULL),
            .deals = option(count, words, "--deals", NULL), .turns = option(count, words, "--turns", NULL),
            .checkpoint = option(count, words, "--checkpoint", NULL),
            .strategy = option(count, words, "--strategy", NULL), .average = option(count, words, "--average", NULL),
            .values = option(count, words, "--values", NULL), .threads = threads,
            .seconds = atof(option(count, words, "--seconds", "0")),
            .value_seconds = atof(option(count, words, "--value-seconds", "0")),
            .iterations = atoll(option(count, words, "--iterations", "0")),
            .value_iterations = atoll(option(count, words, "--value-iterations", "0")),
            .seed = (uint64_t)atoll(option(count, words, "--seed", "1")),
        };
        solve(&options);
    }
    return 0;
}
