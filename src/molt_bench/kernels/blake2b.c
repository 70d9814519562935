/* BLAKE2b of one block without a key, 64 bytes long (RFC 7693): the random bytes of molt_bench.poker.deck. */
#include "kernels.h"
#include <string.h>

#define BLOCK 128
#define DIGEST 64
#define USED 36 /* bytes that nine cards take */

static const uint64_t START[8] = {
    0x6A09E667F3BCC908ULL, 0xBB67AE8584CAA73BULL, 0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL,
    0x510E527FADE682D1ULL, 0x9B05688C2B3E6C1FULL, 0x1F83D9ABFB41BD6BULL, 0x5BE0CD19137E2179ULL,
};

static const unsigned char ORDER[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

static inline uint64_t turned(uint64_t word, int bits) {
    return word >> bits | word << (64 - bits);
}

static inline void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x;
    v[d] = turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 63);
}

static void hash_block(const unsigned char block[BLOCK], uint64_t length, unsigned char digest[DIGEST]) {
    uint64_t message[16], state[8], v[16];
    for (int at = 0; at < 16; at++) {
        message[at] = 0;
        for (int byte = 7; byte >= 0; byte--)
            message[at] = message[at] << 8 | block[8 * at + byte];
    }
    memcpy(state, START, sizeof state);
    state[0] ^= 0x01010000 ^ DIGEST;
    memcpy(v, state, sizeof state);
    memcpy(v + 8, START, sizeof START);
    v[12] ^= length;
    v[14] = ~v[14];
#pragma GCC unroll 12 /* so that the order is known where it is used: twice as fast */
    for (int round = 0; round < 12; round++) {
        const unsigned char *order = ORDER[round];
        for (int at = 0; at < 4; at++)
            mix(v, at, 4 + at, 8 + at, 12 + at, message[order[2 * at]], message[order[2 * at + 1]]);
        for (int at = 0; at < 4; at++)
            mix(v, at, 4 + (at + 1) % 4, 8 + (at + 2) % 4, 12 + (at + 3) % 4, message[order[8 + 2 * at]], message[order[9 + 2 * at]]);
    }
    for (int at = 0; at < 8; at++) {
        uint64_t word = state[at] ^ v[at] ^ v[at + 8];
        for (int byte = 0; byte < 8; byte++)
            digest[8 * at + byte] = (unsigned char)(word >> 8 * byte);
    }
}

/* Write the number of a hand behind what precedes it, as eight bytes, and hash both. */
static void hash_hand(unsigned char block[BLOCK], Py_ssize_t size, uint64_t number, unsigned char digest[DIGEST]) {
    for (int byte = 0; byte < 8; byte++)
        block[size + byte] = (unsigned char)(number >> 8 * (7 - byte));
    hash_block(block, (uint64_t)size + 8, digest);
}

/* Read what precedes the number of a hand, and the number, and find its random bytes; 0 if one of them is odd. */
static int hashed(PyObject *const *args, Py_ssize_t count, unsigned char digest[DIGEST]) {
    unsigned char block[BLOCK] = {0};
    char *prefix;
    Py_ssize_t size;
    if (count != 2 || !PyBytes_Check(args[0]) || !PyLong_CheckExact(args[1]))
        return 0;
    long long number = PyLong_AsLongLong(args[1]);
    if (number < 0 || PyBytes_AsStringAndSize(args[0], &prefix, &size) < 0 || size + 8 > BLOCK) {
        PyErr_Clear();
        return 0;
    }
    memcpy(block, prefix, size);
    hash_hand(block, size, (uint64_t)number, digest);
    return 1;
}

/* The cards of a hand. Arguments: what precedes its number; the number. */
PyObject *shoe_deal(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    unsigned char digest[DIGEST];
    if (!hashed(args, count, digest))
        Py_RETURN_NONE;
    return deal_from(digest);
}

/* The cards of a hand, and the random numbers that they leave over. */
PyObject *shoe_hand(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    unsigned char digest[DIGEST];
    if (!hashed(args, count, digest))
        Py_RETURN_NONE;
    PyObject *left = PyTuple_New((DIGEST - USED) / 4);
    for (int at = 0; left && at < (DIGEST - USED) / 4; at++) {
        PyObject *number = PyLong_FromUnsignedLong(number_at(digest + USED + 4 * at));
        if (!number)
            Py_CLEAR(left);
        else
            PyTuple_SetItem(left, at, number);
    }
    return taken_pair(left ? deal_from(digest) : NULL, left);
}

/* The random bytes of the hands from 0 on, one after another. Arguments: what precedes the number; how many. */
PyObject *entropies(PyObject *self, PyObject *args) {
    unsigned char block[BLOCK] = {0};
    const char *prefix;
    Py_ssize_t size, count;
    if (!PyArg_ParseTuple(args, "y#n", &prefix, &size, &count))
        return NULL;
    if (size + 8 > BLOCK || count < 0 || count > 1 << 16)
        Py_RETURN_NONE;
    PyObject *result = PyBytes_FromStringAndSize(NULL, count * DIGEST);
    unsigned char *found = result ? (unsigned char *)PyBytes_AsString(result) : NULL;
    memcpy(block, prefix, size);
    for (Py_ssize_t number = 0; found && number < count; number++)
        hash_hand(block, size, (uint64_t)number, found + DIGEST * number);
    return result;
}
