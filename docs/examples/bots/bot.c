/* A poker bot in C99: `cc -O2 -o bot docs/examples/bots/bot.c`, then it plays as `exec:./bot`.
   It finds the fields it needs by name, which is enough for this protocol's messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 16];

/* Return what follows the first `"name":` in `text`, or an empty string if there is none. */
static const char *field(const char *text, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(text, key);
    return found ? found + strlen(key) : "";
}

static long number(const char *text, const char *name) { return strtol(field(text, name), NULL, 10); }

static int is_type(const char *type) {
    const char *found = field(line, "type");
    return *found == '"' && strncmp(found + 1, type, strlen(type)) == 0;
}

static int rank_of(char card) {
    const char *ranks = "23456789TJQKA", *found = strchr(ranks, card);
    return found ? (int)(found - ranks) : 0;
}

/* Rough hand strength from 0 to 1: pairs and better count, high cards a little. */
static double strength(void) {
    const char *cards = field(line, "cards"), *board = field(line, "board"); /* ["Ah","Kd"] and [...] */
    int first = rank_of(cards[2]), second = rank_of(cards[7]);
    double score = (first + second) / 40.0 + (first == second ? 0.4 : 0.0);
    for (const char *at = board; *at && *at != ']'; at++)
        if (*at == '"' && at[3] == '"') { /* the quote before a card */
            int rank = rank_of(at[1]);
            score += 0.35 * ((rank == first) + (rank == second && first != second));
            at += 3;
        }
    return score > 1.0 ? 1.0 : score;
}

/* Raise good hands, call at the right price, check when it is free, fold otherwise. */
static void act(void) {
    const char *legal = field(line, "legal");
    long least = number(legal, "min"), most = number(legal, "max");
    long pot = number(line, "pot"), to_call = number(line, "toCall");
    double good = strength();
    printf("{\"type\":\"action\",\"id\":%ld,", number(line, "id"));
    if (good > 0.75 && most > 0) {
        long wanted = least + pot / 2;
        printf("\"kind\":\"raiseTo\",\"amount\":%ld}\n", wanted > most ? most : wanted);
    } else if (to_call == 0) {
        printf("\"kind\":\"check\"}\n");
    } else {
        printf("\"kind\":\"%s\"}\n", good > (double)to_call / (pot + to_call) + 0.1 ? "call" : "fold");
    }
}

int main(void) {
    while (fgets(line, sizeof line, stdin) && !is_type("bye")) {
        if (is_type("hello"))
            printf("{\"type\":\"hello\",\"protocol\":1,\"name\":\"example in C\"}\n");
        else if (is_type("observation"))
            act();
        fflush(stdout);
    }
    return 0;
}
