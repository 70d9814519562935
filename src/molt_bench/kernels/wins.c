/* Hands against others: sampled ones, as in molt_bench.poker.equity_vs_random, and a range, as in .starting_hands. */
#include "kernels.h"

void sampled(const int *card, int count, const unsigned char *samples, double rates[2]) {
    Held own[2] = {held_in(card, 2), held_in(card + 2, 2)}, board = both(evaluator.none, held_in(card + 4, count - 4));
    Held live[CARDS] = {{0, 0}};
    int alive = 0;
    for (int each = 0; each < CARDS; each++)
        if (!((own[0].bits | own[1].bits | board.bits) & evaluator.card[each].bits))
            live[alive++] = evaluator.card[each];
    rates[0] = rates[1] = 0.0;
    for (int sample = 0; sample < SAMPLES; sample++, samples += 11 - count) {
        Held open = board;
        for (int drawn = 2; drawn < 11 - count; drawn++)
            open = both(open, live[samples[drawn]]);
        int third = strength(both(open, both(live[samples[0]], live[samples[1]])));
        for (int hand = 0; hand < 2; hand++)
            rates[hand] += compared(strength(both(open, own[hand])), third) / (2.0 * SAMPLES);
    }
}

/* Draw the cards to come from 64 random bytes, as molt_bench.poker.deck.deal does; known ones are left out. */
static Held run_out(const unsigned char *entropy, Held board, uint64_t known, int missing) {
    unsigned char deck[CARDS];
    for (int card = 0; card < CARDS; card++)
        deck[card] = (unsigned char)card;
    for (int at = 0; at < 9 && missing; at++, entropy += 4) {
        uint32_t number = entropy[0] | (uint32_t)entropy[1] << 8 | (uint32_t)entropy[2] << 16 | (uint32_t)entropy[3] << 24;
        int place = (int)(number % (uint32_t)(CARDS - at)), card = deck[place];
        deck[place] = deck[CARDS - 1 - at];
        if (!(known & evaluator.card[card].bits)) {
            board = with(board, card);
            missing--;
        }
    }
    return board;
}

/* A range, as molt_bench.poker.starting_hands packs it: which two cards are in it, how many hands have which ranks, and how
   many have a card and a rank beside it. */
typedef struct {
    unsigned char has[CARDS][CARDS], count[RANKS][RANKS], beside[CARDS][RANKS];
} Range;

/* A hand against a range on one board: twice the wins plus ties; adds the showdowns to `ways`. */
static int64_t board_wins(Held board, Held own, const Range *range, int64_t *ways) {
    uint16_t ranks[RANKS][RANKS];
    uint64_t dead = board.bits | own.bits;
    int64_t won = 0;
    int mine = strength(both(board, own)), score[RANKS][RANKS], known[7], count = 0;
    by_ranks(board, ranks);
    for (int one = 0; one < RANKS; one++)
        for (int two = 0; two < RANKS; two++) {
            score[one][two] = compared(mine, ranks[one][two]);
            won += range->count[one][two] * score[one][two];
            *ways += range->count[one][two];
        }
    /* Those with a card that is known are taken off again, and those with two of them once only. */
    for (int card = 0; card < CARDS; card++) {
        if (!(dead & evaluator.card[card].bits))
            continue;
        for (int rank = 0; rank < RANKS; rank++) {
            won -= range->beside[card][rank] * score[card >> 2][rank];
            *ways -= range->beside[card][rank];
        }
        for (int at = 0; at < count; at++) {
            won += range->has[card][known[at]] * score[card >> 2][known[at] >> 2];
            *ways += range->has[card][known[at]];
        }
        known[count++] = card;
    }
    /* The counter of a suit starts at three: with three of it on the board, two more are a flush, with five any two. */
    for (int suit = 0; suit < 4; suit++) {
        int counter = board.key >> 4 * suit & 0xF, some = counter < 8, both_of_it = counter == 6;
        for (int first = some ? suit : 0; counter >= 6 && first < CARDS; first += some ? 4 : 1)
            for (int second = both_of_it ? suit : 0; second < CARDS; second += both_of_it ? 4 : 1) {
                Held other = with(evaluator.card[first], second);
                int once = second < first || (some && (second & 3) != suit);
                if (once && range->has[first][second] && !(dead & other.bits))
                    won += compared(mine, strength(both(board, other))) - score[first >> 2][second >> 2];
            }
    }
    return won;
}

/* A hand against a range on the run-outs of 64 random bytes each: (twice the wins plus ties, showdowns). Arguments: a
   byte for each card of the hand and of the board; the random bytes; the range. */
PyObject *range_wins(PyObject *self, PyObject *args) {
    Cards cards = {.count = 0};
    const char *given, *entropy, *range;
    Py_ssize_t known, drawn, size;
    int64_t won = 0, ways = 0;
    if (!PyArg_ParseTuple(args, "y#y#y#", &given, &known, &entropy, &drawn, &range, &size))
        return NULL;
    if (size != sizeof(Range) || !add_cards(&cards, given, known) || known < 2 || known > 7)
        Py_RETURN_NONE;
    Held own = held_in(cards.card, 2), open = both(evaluator.none, held_in(cards.card + 2, cards.count - 2));
    for (const char *from = entropy; from + 64 <= entropy + drawn; from += 64) {
        Held whole = run_out((const unsigned char *)from, open, cards.bits, 7 - cards.count);
        won += board_wins(whole, own, (const Range *)range, &ways);
    }
    return Py_BuildValue("LL", (long long)won, (long long)ways);
}
