/* A bot in C that plays over JSON lines: it samples how often its hand wins, and compares that with the price.
   Nothing but the C library is needed. See README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 400 };
static char line[1 << 16];

/* ---- Messages: each is one line of JSON, whose fields are found by their names. ---- */

static const char *field(const char *text, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(text, key);
    return found ? found + strlen(key) : "";
}

static long long number(const char *text, const char *name) { return strtoll(field(text, name), NULL, 10); }

static int is_type(const char *type) {
    const char *found = field(line, "type");
    return *found == '"' && strncmp(found + 1, type, strlen(type)) == 0;
}

/* Read a list such as ["Ah","Kd"] into cards from 0 to 51; return how many there are. */
static int read_cards(const char *list, int *cards) {
    const char *ranks = "23456789TJQKA", *suits = "cdhs";
    int count = 0;
    for (const char *at = list; *at && *at != ']' && count < 7; at++)
        if (*at == '"' && at[1] && at[2] && at[3] == '"') {
            const char *rank = strchr(ranks, at[1]), *suit = strchr(suits, at[2]);
            if (rank && suit) cards[count++] = (int)(rank - ranks) * 4 + (int)(suit - suits);
            at += 3;
        }
    return count;
}

/* ---- Hands: a larger number is a better hand. ---- */

/* Return the highest rank of five in a row among the ranks in `seen`, or -1; an ace is also low. */
static int straight(unsigned seen) {
    unsigned with_low_ace = seen << 1 | (seen >> 12 & 1);
    for (int top = 12; top >= 3; top--)
        if ((with_low_ace >> (top - 3) & 31u) == 31u) return top;
    return -1;
}

static int value(const int *cards, int count) {
    unsigned of_suit[4] = {0}, seen = 0;
    int times[13] = {0}, four = -1, three = -1, pair = -1, second = -1, kickers = 0, left = 5, flush = -1;
    for (int at = 0; at < count; at++) {
        of_suit[cards[at] % 4] |= 1u << cards[at] / 4;
        seen |= 1u << cards[at] / 4;
        times[cards[at] / 4]++;
    }
    for (int suit = 0; suit < 4; suit++)
        if (__builtin_popcount(of_suit[suit]) >= 5) flush = suit;
    if (flush >= 0 && straight(of_suit[flush]) >= 0) return 8 << 24 | straight(of_suit[flush]);
    for (int rank = 12; rank >= 0; rank--) {
        if (times[rank] == 4 && four < 0) four = rank;
        else if (times[rank] == 3 && three < 0) three = rank;
        else if (times[rank] >= 2 && pair < 0) pair = rank;
        else if (times[rank] == 2 && second < 0) second = rank;
    }
    if (four < 0 && !(three >= 0 && pair >= 0) && (flush >= 0 || straight(seen) >= 0)) {
        if (flush < 0) return 4 << 24 | straight(seen);
        unsigned high = of_suit[flush];
        while (__builtin_popcount(high) > 5) high &= high - 1; /* without the lowest */
        return 5 << 24 | (int)high;
    }
    /* Four and full house do without a pair below; the best other cards fill up to five. */
    int first = four >= 0 ? four : three >= 0 ? three : pair;
    int next = four >= 0 ? -1 : three >= 0 ? pair : second;
    left -= four >= 0 ? 4 : three >= 0 ? 3 + 2 * (pair >= 0) : 2 * (pair >= 0) + 2 * (second >= 0);
    for (int rank = 12; rank >= 0 && left > 0; rank--)
        if (times[rank] && rank != first && rank != next) kickers |= 1 << rank, left--;
    int kind = four >= 0 ? 7 : three >= 0 ? (pair >= 0 ? 6 : 3) : (pair >= 0) + (second >= 0);
    /* Kickers as bits compare like the sorted list of their ranks. */
    return kind << 24 | (first + 1) << 17 | (next + 1) << 13 | kickers;
}

/* ---- Play. ---- */

static unsigned long long state;

/* The random numbers come from the one of the decision, so that every run plays alike (splitmix64). */
static unsigned drawn(unsigned below) {
    unsigned long long z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (unsigned)((z ^ z >> 31) % below);
}

/* Return how often our hand wins against any other, over sampled cards; a tie counts half. */
static double chance(const int *own, const int *board, int open) {
    int deck[52], count = 0, half_wins = 0;
    for (int card = 0; card < 52; card++) {
        int known = card == own[0] || card == own[1];
        for (int at = 0; at < open; at++) known |= card == board[at];
        if (!known) deck[count++] = card;
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        int ours[7] = {own[0], own[1]}, theirs[7];
        for (int at = 0; at < 7 - open; at++) { /* their two cards, and the rest of the board */
            int other = at + (int)drawn((unsigned)(count - at)), kept = deck[at];
            deck[at] = deck[other], deck[other] = kept;
        }
        theirs[0] = deck[0], theirs[1] = deck[1];
        for (int at = 0; at < 5; at++) ours[2 + at] = theirs[2 + at] = at < open ? board[at] : deck[2 + at - open];
        int difference = value(ours, 7) - value(theirs, 7);
        half_wins += difference > 0 ? 2 : difference == 0;
    }
    return half_wins / (2.0 * SAMPLES);
}

static void act(void) {
    int own[7], board[7];
    const char *legal = field(line, "legal");
    long long least = number(legal, "min"), most = number(legal, "max");
    long long pot = number(line, "pot"), to_call = number(line, "toCall");
    read_cards(field(line, "cards"), own);
    state = (unsigned long long)number(line, "id") << 16 | (unsigned)(own[0] << 8 | own[1]);
    double wins = chance(own, board, read_cards(field(line, "board"), board));
    printf("{\"type\":\"action\",\"id\":%lld,", number(line, "id"));
    if (wins > (to_call ? 0.8 : 0.6) && most > 0) {
        long long wanted = least + pot / 2;
        /* one time in four it hides a good hand: the bench draws */
        printf("\"mix\":[{\"kind\":\"raiseTo\",\"low\":%lld,\"high\":%lld,\"weight\":3},", least, wanted > most ? most : wanted);
        printf("{\"kind\":\"%s\",\"weight\":1}]}\n", to_call ? "call" : "check");
    } else if (to_call == 0)
        printf("\"kind\":\"check\"}\n");
    else /* who bets has more than any hand, so we want a better price than we seem to need */
        printf("\"kind\":\"%s\"}\n", wins > (double)to_call / (double)(pot + to_call) + 0.1 ? "call" : "fold");
}

int main(void) {
    while (fgets(line, sizeof line, stdin) && !is_type("bye")) {
        if (is_type("hello")) printf("{\"type\":\"hello\",\"protocol\":1,\"name\":\"sampler in C\"}\n");
        else if (is_type("observation")) act();
        fflush(stdout);
    }
    return 0;
}
