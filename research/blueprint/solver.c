/* The solver: see solver.h. */
#include "solver.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A chance below this is dropped when the average strategy is rounded to fifteenths. */
#define SMALLEST_CHANCE 0.04f
#define LEVELS 15
/* While values are estimated, every action is also taken at random this often, so that all points are seen. */
#define TREMBLE 0.01f

static Tree tree;
static Deals deals;
static float *regrets, *sums;      /* one for each bucket and action of each node */
static uint8_t *rounded;           /* the average strategy that is shipped */
static float *value_sums, *value_counts;   /* by point, player and bucket */
static int64_t *value_start;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static FILE *open_or_die(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) perror(path), exit(1);
    return file;
}

static void read_or_die(FILE *file, void *to, size_t size, const char *path) {
    if (fread(to, 1, size, file) != size) fprintf(stderr, "%s is too short\n", path), exit(1);
}

static void write_file(const char *path, const void *from, size_t size) {
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = open_or_die(fresh, "wb");
    if (fwrite(from, 1, size, file) != size || fclose(file) || rename(fresh, path)) perror(path), exit(1);
}

static void *zeros(int64_t count, size_t size) {
    void *found = calloc((size_t)count, size);
    if (!found) fprintf(stderr, "out of memory\n"), exit(1);
    return found;
}

/* The file is written by tree_to_bytes in tree.py. */
static void load_tree(const char *path) {
    FILE *file = open_or_die(path, "rb");
    int32_t head[2];
    read_or_die(file, head, sizeof head, path);
    int nodes = tree.nodes = head[0];
    tree.columns = head[1];
    size_t column = sizeof(int32_t) * (size_t)nodes;
    int32_t **fields[] = {&tree.street, &tree.actor, &tree.closing, &tree.paid, &tree.children};
    for (int at = 0; at < 5; at++) {
        size_t size = column * (size_t)(at < 3 ? 1 : at == 3 ? 2 : tree.columns);
        *fields[at] = malloc(size);
        read_or_die(file, *fields[at], size, path);
    }
    fclose(file);
    tree.actions = zeros(nodes, sizeof(int)), tree.next = zeros(nodes, sizeof *tree.next);
    tree.start = zeros(nodes, sizeof(int64_t));
    tree.points = nodes;
    for (int node = 0; node < nodes; node++) {
        for (int at = 0; at < tree.columns; at++) {
            int child = tree.children[node * tree.columns + at];
            if (child != NONE) tree.next[node][tree.actions[node]++] = child;
        }
        tree.start[node] = tree.size;
        tree.size += (int64_t)tree.actions[node] * bucket_counts[tree.street[node]];
        tree.points += tree.closing[node] >= 0;
    }
}

/* The file is written by deals_file in files.py: a head, then for each deal all buckets and who wins. */
static void load_deals(const char *path) {
    FILE *file = open_or_die(path, "rb");
    int32_t head[1 + STREETS], row[2 * STREETS + 1];
    read_or_die(file, head, sizeof head, path);
    deals.count = head[0];
    deals.list = zeros(deals.count, sizeof(Deal));
    memcpy(bucket_counts, head + 1, sizeof bucket_counts);
    for (int at = 0; at < deals.count; at++) {
        read_or_die(file, row, sizeof row, path);
        for (int i = 0; i < 2 * STREETS; i++) deals.list[at].bucket[i / STREETS][i % STREETS] = row[i];
        deals.list[at].sign = row[2 * STREETS];
    }
    fclose(file);
}

/* One thread's view of the deal it walks through. */
typedef struct { Random random; Table table; Deal deal; int player; float weight; } Walk;

static inline void deal_any(Walk *walk) {
    if (deals.count) walk->deal = deals.list[below(&walk->random, (uint32_t)deals.count)];
    else deal_cards(&walk->random, &walk->table, &walk->deal);
}

/* What `player` wins if `child` ends the hand, in big blinds. */
static inline float ending(const Walk *walk, int node, int child) {
    int actor = tree.actor[node];
    if (child == FOLDED) {
        float lost = 0.01f * (float)tree.paid[2 * node + actor];
        return actor == walk->player ? -lost : lost;
    }
    float won = 0.01f * (float)(tree.paid[2 * node + 1 - actor] * walk->deal.sign);
    return walk->player == 0 ? won : -won;
}

static inline void match_regrets(const float *own, int actions, float *chances) {
    float total = 0;
    for (int at = 0; at < actions; at++) total += chances[at] = own[at] > 0 ? own[at] : 0;
    for (int at = 0; at < actions; at++) chances[at] = total > 0 ? chances[at] / total : 1.0f / (float)actions;
}

static inline int draw(Random *random, const float *chances, int actions) {
    float left = (float)(next_random(random) >> 40) * 0x1p-24f;
    for (int at = 0; at < actions - 1; at++) if ((left -= chances[at]) < 0) return at;
    return actions - 1;
}

static float train(Walk *walk, int node) {
    int actor = tree.actor[node], actions = tree.actions[node];
    int64_t at = tree.start[node] + (int64_t)walk->deal.bucket[actor][tree.street[node]] * actions;
    const int32_t *next = tree.next[node];
    float chances[MOST_ACTIONS], worth[MOST_ACTIONS], mean = 0;
    match_regrets(regrets + at, actions, chances);
    if (actor != walk->player) {
        for (int i = 0; i < actions; i++) sums[at + i] += walk->weight * chances[i];
        int child = next[draw(&walk->random, chances, actions)];
        return child < 0 ? ending(walk, node, child) : train(walk, child);
    }
    for (int i = 0; i < actions; i++) {
        worth[i] = next[i] < 0 ? ending(walk, node, next[i]) : train(walk, next[i]);
        mean += chances[i] * worth[i];
    }
    for (int i = 0; i < actions; i++) regrets[at + i] += walk->weight * (worth[i] - mean);
    return mean;
}

static inline void note_value(const Walk *walk, int point, int street, float value) {
    int64_t at = value_start[2 * point + walk->player] + walk->deal.bucket[walk->player][street];
    value_sums[at] += value, value_counts[at] += 1;
}

static float evaluate(Walk *walk, int node) {
    int actor = tree.actor[node], actions = tree.actions[node], street = tree.street[node];
    const uint8_t *own = rounded + tree.start[node] + (int64_t)walk->deal.bucket[actor][street] * actions;
    float chances[MOST_ACTIONS], mean = 0;
    int total = 0, only = -1;
    for (int i = 0; i < actions; i++) total += own[i];
    for (int i = 0; i < actions; i++)
        chances[i] = (1 - TREMBLE) * (float)own[i] / (float)total + TREMBLE / (float)actions;
    if (actor != walk->player) only = draw(&walk->random, chances, actions);
    for (int i = 0; i < actions; i++) {
        if (only >= 0 && i != only) continue;
        int child = tree.next[node][i];
        float worth = child < 0 ? ending(walk, node, child) : evaluate(walk, child);
        int closes = tree.closing[node] >= 0 && i == (tree.children[node * tree.columns] != NONE);
        if (closes) note_value(walk, tree.nodes + tree.closing[node], street, worth);
        mean += only >= 0 ? worth : (float)own[i] / (float)total * worth;
    }
    note_value(walk, node, street, mean);
    return mean;
}

typedef struct {
    pthread_t thread;
    Walk walk;
    int64_t done, limit;
    double until, won;
    int training, over;
} Worker;

static void *work(void *argument) {
    Worker *worker = argument;
    Walk *walk = &worker->walk;
    while (worker->limit ? worker->done < worker->limit : now() < worker->until) {
        int64_t round = worker->limit && worker->limit - worker->done < 100 ? worker->limit - worker->done : 100;
        for (int64_t at = 0; at < round; at++) {
            deal_any(walk);
            walk->weight = 1e-6f * (float)(worker->done + at + 1);
            for (walk->player = 0; walk->player < 2; walk->player++) {
                float value = worker->training ? train(walk, 0) : evaluate(walk, 0);
                if (walk->player == 0) worker->won += (double)value;
            }
        }
        worker->done += round;
    }
    __atomic_store_n(&worker->over, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Checkpoints hold how many deals each thread has done, then regrets and sums. */
static int64_t load_checkpoint(const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    int64_t head[2];
    if (!file) return 0;
    read_or_die(file, head, sizeof head, path);
    if (head[1] != tree.size) fprintf(stderr, "%s belongs to another tree\n", path), exit(1);
    read_or_die(file, regrets, sizeof(float) * (size_t)tree.size, path);
    read_or_die(file, sums, sizeof(float) * (size_t)tree.size, path);
    fclose(file);
    printf("%s: continued after %lld deals of each thread\n", path, (long long)head[0]);
    return head[0];
}

static void save_checkpoint(const char *path, int64_t done) {
    int64_t head[2] = {done, tree.size};
    char fresh[4096];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = open_or_die(fresh, "wb");
    size_t size = (size_t)tree.size;
    if (fwrite(head, sizeof head, 1, file) != 1 || fwrite(regrets, sizeof(float), size, file) != size
        || fwrite(sums, sizeof(float), size, file) != size || fclose(file) || rename(fresh, path)) perror(path), exit(1);
}

/* While the threads work, say how far they are, and save what was learnt once a minute. */
static void watch(const Options *options, const Worker *workers, int training, double begun) {
    for (int tick = 1; !__atomic_load_n(&workers[0].over, __ATOMIC_ACQUIRE); tick++) {
        struct timespec pause = {0, 50000000};
        nanosleep(&pause, NULL);
        if (tick % 200) continue;
        printf("%.0f s: %lld deals of each thread\n", now() - begun, (long long)workers[0].done);
        fflush(stdout);
        if (training && options->checkpoint && tick % 1200 == 0) save_checkpoint(options->checkpoint, workers[0].done);
    }
}

/* Run all threads to the end; returns how many deals each has done, the earlier ones included. */
static int64_t run(const Options *options, int training, int64_t before) {
    int threads = options->threads;
    int64_t iterations = training ? options->iterations : options->value_iterations;
    double seconds = training ? options->seconds : options->value_seconds, begun = now(), won = 0;
    Worker *workers = zeros(threads, sizeof(Worker));
    for (int at = 0; at < threads; at++) {
        Worker *own = workers + at;
        own->walk.random.state = options->seed * 1000003 + (uint64_t)(at * 2 + training) * 7919 + (uint64_t)before * 104729;
        next_random(&own->walk.random);
        own->done = before, own->limit = iterations ? before + iterations : 0, own->until = begun + seconds;
        own->training = training;
        pthread_create(&own->thread, NULL, work, own);
    }
    watch(options, workers, training, begun);
    int64_t done = 0, least = INT64_MAX;
    for (int at = 0; at < threads; at++) {
        pthread_join(workers[at].thread, NULL);
        done += workers[at].done - before, won += workers[at].won;
        if (workers[at].done < least) least = workers[at].done;
    }
    double spent = now() - begun;
    printf("%s: %lld deals in %.1f s, %.0f a second, player 0 wins %.4f\n", training ? "trained" : "valued",
           (long long)done, spent, (double)done / spent, won / (double)done);
    fflush(stdout);
    free(workers);
    return least;
}

/* A node's strategy for a bucket that was never seen is that of the nearest bucket that was. */
static int seen_bucket(int node, int bucket, int count) {
    for (int away = 0; away < count; away++) for (int side = -1; side <= 1; side += 2) {
        int other = bucket + side * away;
        if (other < 0 || other >= count) continue;
        const float *own = sums + tree.start[node] + (int64_t)other * tree.actions[node];
        for (int i = 0; i < tree.actions[node]; i++) if (own[i] > 0) return other;
    }
    return -1;
}

static void average_of(int node, int bucket, float *chances) {
    int actions = tree.actions[node], seen = seen_bucket(node, bucket, bucket_counts[tree.street[node]]);
    float total = 0;
    const float *own = sums + tree.start[node] + (int64_t)(seen < 0 ? 0 : seen) * actions;
    for (int i = 0; i < actions; i++) total += own[i];
    int call = tree.children[node * tree.columns] != NONE;
    for (int i = 0; i < actions; i++) chances[i] = seen < 0 ? (float)(i == call) : own[i] / total;
}

/* Round chances to whole numbers that add up to LEVELS, the small ones to zero: the largest remainders go up. */
static void round_chances(const float *chances, int actions, uint8_t *found) {
    float kept = 0, rest[MOST_ACTIONS];
    int left = LEVELS;
    for (int i = 0; i < actions; i++) if (chances[i] >= SMALLEST_CHANCE) kept += chances[i];
    for (int i = 0; i < actions; i++) {
        float exact = chances[i] >= SMALLEST_CHANCE ? LEVELS * chances[i] / kept : 0;
        left -= found[i] = (uint8_t)exact;
        rest[i] = exact - (float)found[i];
    }
    for (; left > 0; left--) {
        int best = 0;
        for (int i = 1; i < actions; i++) if (rest[i] > rest[best]) best = i;
        found[best]++, rest[best] -= 1;
    }
}

/* Round the average strategy, and keep it also as it is if `average` is given. */
static void round_average(float *average) {
    for (int node = 0; node < tree.nodes; node++) {
        int actions = tree.actions[node];
        for (int bucket = 0; bucket < bucket_counts[tree.street[node]]; bucket++) {
            int64_t at = tree.start[node] + (int64_t)bucket * actions;
            float chances[MOST_ACTIONS];
            average_of(node, bucket, chances);
            if (average) memcpy(average + at, chances, sizeof(float) * (size_t)actions);
            round_chances(chances, actions, rounded + at);
        }
    }
}

/* For each point, player and bucket: the mean in 1/128 big blinds, then how often it was seen, as a power of two. */
static void save_values(const Options *options) {
    int64_t size = 0;
    value_start = zeros(2 * tree.points, sizeof(int64_t));
    int *street_of = zeros(tree.points, sizeof(int));
    for (int node = 0; node < tree.nodes; node++) {
        street_of[node] = tree.street[node];
        if (tree.closing[node] >= 0) street_of[tree.nodes + tree.closing[node]] = tree.street[node];
    }
    for (int at = 0; at < 2 * tree.points; at++) value_start[at] = size, size += bucket_counts[street_of[at / 2]];
    value_sums = zeros(size, sizeof(float)), value_counts = zeros(size, sizeof(float));
    run(options, 0, 0);
    uint8_t *bytes = zeros(size, 3);
    for (int64_t at = 0; at < size; at++) {
        float mean = value_counts[at] > 0 ? 128 * value_sums[at] / value_counts[at] : 0;
        int16_t whole = (int16_t)lrintf(mean > 32767 ? 32767 : mean < -32767 ? -32767 : mean);
        memcpy(bytes + 2 * at, &whole, 2);
        bytes[2 * size + at] = (uint8_t)(value_counts[at] > 0 ? 1 + (int)log2f(value_counts[at]) : 0);
    }
    write_file(options->values, bytes, (size_t)size * 3);
}

void solve(const Options *options) {
    if (options->deals) load_deals(options->deals);
    else load_cards(options->cards);
    if (options->turns) load_turns(options->turns);
    load_tree(options->tree);
    regrets = zeros(tree.size, sizeof(float)), sums = zeros(tree.size, sizeof(float)), rounded = zeros(tree.size, 1);
    int64_t done = load_checkpoint(options->checkpoint);
    printf("%d nodes, %lld numbers, %d threads\n", tree.nodes, (long long)tree.size, options->threads);
    fflush(stdout);
    if (options->seconds > 0 || options->iterations > 0) done = run(options, 1, done);
    if (options->checkpoint) save_checkpoint(options->checkpoint, done);
    float *average = options->average ? zeros(tree.size, sizeof(float)) : NULL;
    round_average(average);
    if (average) write_file(options->average, average, sizeof(float) * (size_t)tree.size);
    if (options->strategy) write_file(options->strategy, rounded, (size_t)tree.size);
    if (options->values) save_values(options);
}
