/* Correctly rounded sums, as math.fsum returns them. */
#include "kernels.h"
#include <math.h>

static double slow_exact_sum(const double *numbers, int count) {
    /* Doubles span 2,098 bits, so that no more than 40 can be apart. */
    double partials[64], hi = 0.0, lo = 0.0;
    int kept = 0;
    for (int at = 0; at < count; at++) {
        double x = numbers[at];
        int left = 0;
        for (int each = 0; each < kept; each++) {
            double y = partials[each], more = fabs(x) < fabs(y) ? y : x, less = fabs(x) < fabs(y) ? x : y;
            hi = more + less;
            lo = less - (hi - more);
            if (lo != 0.0)
                partials[left++] = lo;
            x = hi;
        }
        kept = left;
        if (x != 0.0)
            partials[kept++] = x;
    }
    if (!kept)
        return 0.0;
    hi = partials[--kept];
    lo = 0.0;
    while (kept > 0) {
        double x = hi, y = partials[--kept];
        hi = x + y;
        lo = y - (hi - x);
        if (lo != 0.0)
            break;
    }
    /* Half-way cases are rounded by what is left. */
    if (kept > 0 && ((lo < 0.0 && partials[kept - 1] < 0.0) || (lo > 0.0 && partials[kept - 1] > 0.0))) {
        double y = lo * 2.0, x = hi + y;
        if (y == x - hi)
            hi = x;
    }
    return hi;
}

double exact_sum(const double *numbers, int count) {
    double sum = 0.0, rest = 0.0, size = 0.0;
    for (int at = 0; at < count; at++) {
        double x = numbers[at], next = sum + x, back = next - sum, lost = (sum - (next - back)) + (x - back);
        sum = next;
        rest += lost;
        size += fabs(lost);
    }
    /* What was lost is exact, its sum nearly: if that cannot matter, the rounded sum is known. */
    double off = size * count * 4 * 0x1p-52, low = sum + (rest - off), high = sum + (rest + off);
    if (low == high)
        return low == 0.0 ? 0.0 : low;
    return slow_exact_sum(numbers, count);
}
