/* check_claims FILE: are the functions equal that FILE claims to be equal?
   FILE has a program of +, -, * and / over inputs and integers, and pairs of its values that are claimed to be one function.
   docs/claims.md has the format and the mathematics. Nothing in FILE is trusted. The program is evaluated modulo random primes
   at random points. All random numbers are made from the SHA-256 of FILE, so that nobody can choose them.

   Build:       cc -O2 -o check_claims check_claims.c        (C11 and unsigned __int128: gcc or clang, 64 bits)
   Exit codes:  0 everything is proven; 1 something is refuted; 2 wrong usage or a bad file;
                5 nothing is refuted, but something is not decided, or nothing is compared                                   */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef uint32_t u32; typedef unsigned long long u64;
typedef unsigned __int128 u128;
enum { PROVEN = 0, REFUTED = 1, BAD = 2, UNDECIDED = 5 };
enum { GOAL = 100 }; /* a false claim is called proven with a probability of at most 2^-GOAL */
enum { LEAST = 4 };  /* every round must reduce this probability by LEAST bits, or nothing is decided */
enum { TRIES = 2 };  /* where a divisor is zero, another prime and point are drawn: TRIES in a round */
enum { LONGEST_NAME = 200, MOST_CLAIMS = 1000, LARGEST_FILE = 1 << 30 };

/* ---------------------------------------------------------------------------------------------- 1. The file, as bytes ---- */
static const char *path;
static unsigned char *text; /* a zero byte follows the last one */
static size_t length, at, line = 1;

static _Noreturn void bad(const char *why) {
    fprintf(stderr, "%s, line %zu: %s\n", path, line, why);
    exit(BAD);
}

static void *memory(void *before, size_t bytes) {
    void *found = realloc(before, bytes);
    if (!found) bad("there is not enough memory for this file");
    return found;
}

static void read_file(void) {
    FILE *file = fopen(path, "rb");
    if (!file) bad("the file cannot be opened");
    for (size_t room = 0; length == room;) {
        if (room > LARGEST_FILE) bad("the file is too large");
        room = 2 * room + 65536;
        text = memory(text, room + 1);
        length += fread(text + length, 1, room - length, file);
    }
    if (ferror(file) || fclose(file)) bad("the file cannot be read");
    text[length] = 0;
}

/* ------------------------------------------------------------------------------------------- 2. SHA-256 (FIPS 180-4) ---- */
static u32 turned(u32 x, int n) { return x >> n | x << (32 - n); }

static void add_block(u32 hash[8], const unsigned char *block) {
    static const u32 K[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
        0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
        0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
        0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    u32 w[64], v[8];
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (u32)block[0] << 24 | (u32)block[1] << 16 | (u32)block[2] << 8 | block[3];
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + (turned(w[t - 15], 7) ^ turned(w[t - 15], 18) ^ w[t - 15] >> 3)
             + w[t - 7] + (turned(w[t - 2], 17) ^ turned(w[t - 2], 19) ^ w[t - 2] >> 10);
    memcpy(v, hash, sizeof v);
    for (int t = 0; t < 64; t++) {
        u32 choice = (v[4] & v[5]) ^ (~v[4] & v[6]), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        u32 first = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + choice + K[t] + w[t];
        u32 second = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first, v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) hash[i] += v[i];
}

static void sha256(u32 hash[8], const unsigned char *data, size_t n) {
    static const u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char end[128] = {0};
    size_t rest = n % 64, last = rest < 56 ? 64 : 128;
    memcpy(hash, start, sizeof start);
    for (size_t i = 0; i < n - rest; i += 64) add_block(hash, data + i);
    memcpy(end, data + n - rest, rest), end[rest] = 0x80;
    for (int i = 0; i < 8; i++) end[last - 1 - (size_t)i] = (unsigned char)((u64)n * 8 >> 8 * i);
    for (size_t i = 0; i < last; i += 64) add_block(hash, end + i);
}

/* ------------------------------------------------------------------------- 3. Random numbers, and arithmetic modulo p ---- */
static u32 digest[8]; /* the SHA-256 of the file */
static u64 p;         /* the prime of this round, between 2^61 and 2^62 */

/* The next 62 random bits. Four times 62 bits are taken from the SHA-256 of the digest and a number of 8 bytes that counts. */
static u64 draw(void) {
    static u32 block[8];
    static u64 drawn; /* how many numbers have been drawn */
    if (drawn % 4 == 0) {
        unsigned char seed[40];
        for (int i = 0; i < 32; i++) seed[i] = (unsigned char)(digest[i / 4] >> (24 - i % 4 * 8));
        for (int i = 0; i < 8; i++) seed[32 + i] = (unsigned char)(drawn / 4 >> (56 - 8 * i));
        sha256(block, seed, sizeof seed);
    }
    u64 k = drawn++ % 4 * 2;
    return ((u64)block[k] << 32 | block[k + 1]) >> 2;
}

static u64 times(u64 x, u64 y) { return (u64)((u128)x * y % p); }
static u64 power(u64 x, u64 n) {
    u64 result = 1;
    for (; n; n >>= 1, x = times(x, x))
        if (n & 1) result = times(result, x);
    return result;
}

/* The test of Miller and Rabin; with these bases it is a proof for every p below 2^64 (Sorenson and Webster 2015). */
static int p_is_prime(void) {
    static const u64 bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        u64 odd = (p - 1) >> __builtin_ctzll(p - 1), x = power(bases[i], odd);
        int passes = x == 1 || x == p - 1;
        for (; !passes && odd < (p - 1) / 2; odd *= 2) passes = (x = times(x, x)) == p - 1;
        if (!passes) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ 4. The grammar ---- */
/* kind[v] says how value v is made: 'n' an integer, the b[v] digits at text[a[v]]; 'x' an input; '+', '-', '*' or '/' of the
   values a[v] and b[v]. After the values of the file come the differences of the pairs that are claimed to be equal. */
static unsigned char *kind, *divides;
static u32 *a, *b, *nonzero;
static int64_t *size, *exponent; /* see 5 */
static u64 *residue;             /* modulo p */
static size_t values, nonzeros, claim_count, about[2];
static struct { size_t name, first, count, same, at; u64 left, right, prime; int64_t size; } claims[MOST_CLAIMS];

static int is_digit(unsigned char c) { return '0' <= c && c <= '9'; }
static void show(size_t start) { while (text[start] != '\n') putchar(text[start++]); }

static void literal(const char *word) {
    for (; *word; word++, at++) {
        if (text[at] != (unsigned char)*word) bad("this line does not follow the grammar of docs/claims.md");
        line += *word == '\n';
    }
}

/* A number below limit, without a sign or leading zeros, and the text that must follow. */
static size_t number(size_t limit, const char *next) {
    size_t start = at, n = 0;
    for (; is_digit(text[at]) && n < limit; at++) n = 10 * n + text[at] - '0';
    if (at == start || (text[start] == '0' && at > start + 1)) bad("a number without sign and leading zeros is missing");
    if (n >= limit) bad("a number is too large: a value must come before its use, and a count must fit the file");
    literal(next);
    return n;
}

/* Printable ASCII to the end of the line; returns where it starts. */
static size_t name(void) {
    size_t start = at;
    while (' ' <= text[at] && text[at] <= '~') at++;
    if (at == start || at > start + LONGEST_NAME) bad("a name must have 1 to 200 printable ASCII characters");
    literal("\n");
    return start;
}

static void read_value(size_t v) {
    if (number(values, " ") != v) bad("the values must be numbered 0, 1, 2 and so on");
    kind[v] = text[at];
    if (!kind[v] || !strchr("nx+-*/", kind[v])) bad("a value is one of n x + - * /");
    at++, literal(kind[v] == 'x' ? "\n" : " "), a[v] = (u32)at;
    if (kind[v] == 'n') {
        while (is_digit(text[at])) at++;
        b[v] = (u32)at - a[v];
        if (!b[v] || (b[v] > 1 && text[a[v]] == '0')) bad("an integer without sign and leading zeros is missing");
        literal("\n");
    } else if (kind[v] != 'x')
        a[v] = (u32)number(v, " "), b[v] = (u32)number(v, "\n");
}

static void read_claims(void) {
    size_t room = length / 4 + 1; /* a value and a pair take a line of at least four bytes each */
    kind = memory(0, room), a = memory(0, 4 * room), b = memory(0, 4 * room), nonzero = memory(0, 4 * room);
    size = memory(0, 8 * room), exponent = memory(0, 8 * room), residue = memory(0, 8 * room), divides = memory(0, room);
    literal("dalembert-claims 1\nmechanism "), about[0] = name(), literal("about "), about[1] = name();
    literal("values "), values = number(room, "\n");
    literal("nonzero "), nonzeros = number(room, "\n"), literal("claims "), claim_count = number(MOST_CLAIMS + 1, "\n");
    for (size_t v = 0; v < values; v++) read_value(v);
    for (size_t i = 0; i < nonzeros; i++) literal("nonzero "), nonzero[i] = (u32)number(values, "\n");
    size_t next = values;
    for (size_t c = 0; c < claim_count; c++) {
        literal("claim "), claims[c].first = next, claims[c].count = number(room, " "), claims[c].name = name();
        for (size_t i = 0; i < claims[c].count; i++, next++) {
            kind[next] = '-', a[next] = (u32)number(values, " "), b[next] = (u32)number(values, "\n");
            claims[c].same += a[next] == b[next];
        }
    }
    literal("end\n");
    if (at < length) bad("something follows the end");
    values = next;
}

/* --------------------------------------------------------------------------------------------------------- 5. The sizes ---- */
/* Every value is N/B for polynomials N and B with integer coefficients. size[v] is at least log2 of the sum of |c| 2^d over the
   terms of N, where c is the coefficient and d the degree of a term. B is a product of powers of numerators of divisors. The
   first loop computes size[v] less the size of B. The second one finds every divisor's exponent in B, and adds its part. */
static const int64_t UNKNOWN = (int64_t)1 << 60; /* stands for this and all larger numbers; what is computed from it is unknown */

static int64_t plus(int64_t x, int64_t y) {
    return x == UNKNOWN || y == UNKNOWN || x + y >= UNKNOWN || x + y <= -UNKNOWN ? UNKNOWN : x + y;
}
static int64_t minus(int64_t x, int64_t y) { return y == UNKNOWN ? UNKNOWN : plus(x, -y); }
static int64_t product(int64_t x, int64_t y) { return (__int128)x * y >= UNKNOWN ? UNKNOWN : x * y; }
static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

static void find_sizes(void) {
    memset(divides, 0, values);
    for (size_t v = 0; v < values; v++)
        if (kind[v] == 'n') size[v] = b[v] == 1 && text[a[v]] <= '1' ? 0 : (10 * (int64_t)b[v] + 2) / 3; /* 10 < 2^(10/3) */
        else if (kind[v] == 'x') size[v] = 1;
        else if (kind[v] == '*') size[v] = plus(size[a[v]], size[b[v]]);
        else if (kind[v] == '/') size[v] = minus(size[a[v]], size[b[v]]), divides[b[v]] = 1;
        else size[v] = plus(larger(size[a[v]], size[b[v]]), 1);
    for (size_t g = 0; g < values; g++) {
        if (divides[g]) memset(exponent, 0, values * sizeof *exponent);
        for (size_t v = g + 1; v < values && divides[g]; v++) {
            if (kind[v] == 'n' || kind[v] == 'x') continue;
            int64_t x = exponent[a[v]], y = exponent[b[v]];
            exponent[v] = kind[v] == '*' ? plus(x, y) : kind[v] == '/' ? plus(larger(minus(x, y), 0), b[v] == g) : larger(x, y);
            if (exponent[v]) size[v] = plus(size[v], product(exponent[v], size[g]));
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- 6. A round ---- */
/* Every value modulo a new prime at a new point. Returns a value that is zero and must not be, or the number of values. */
static size_t evaluate(void) {
    do p = draw() | (u64)1 << 61 | 1; while (!p_is_prime());
    for (size_t v = 0; v < values; v++) {
        residue[v] = 0;
        if (kind[v] == 'n') for (u32 i = 0; i < b[v]; i++) residue[v] = (times(residue[v], 10) + text[a[v] + i] - '0') % p;
        else if (kind[v] == 'x') do residue[v] = draw(); while (residue[v] >= p);
        else {
            u64 x = residue[a[v]], y = residue[b[v]];
            if (kind[v] == '/' && !y) return b[v];
            if (kind[v] == '/') y = power(y, p - 2);
            residue[v] = kind[v] == '+' ? (x + y) % p : kind[v] == '-' ? (x + p - y) % p : times(x, y);
        }
    }
    for (size_t i = 0; i < nonzeros; i++)
        if (!residue[nonzero[i]]) return nonzero[i];
    return values;
}

/* --------------------------------------------------------------------------------------------------------- 7. Verdicts ---- */
/* The probability that a round does not notice an error is at most 3 TRIES size / 2^61, which is at most 2^-bits. */
static int bits_of_a_round(int64_t size_of_claim) {
    int bits = 61;
    for (u128 n = 1; n < (u128)(3 * TRIES) * (u64)size_of_claim; n *= 2) bits--;
    return bits;
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: check_claims FILE\n"), BAD;
    path = argv[1];
    read_file(), read_claims(), sha256(digest, text, length), find_sizes();
    int rounds = 2, verdict = claim_count ? PROVEN : UNDECIDED;
    for (size_t c = 0; c < claim_count; c++) {
        for (size_t i = 0; i < claims[c].count; i++) claims[c].size = larger(claims[c].size, size[claims[c].first + i]);
        int bits = bits_of_a_round(claims[c].size);
        if (bits >= LEAST && rounds * bits < GOAL) rounds = (GOAL + bits - 1) / bits;
    }
    show(about[0]), printf(", "), show(about[1]), printf("\nSHA-256 ");
    for (int i = 0; i < 8; i++) printf("%08x", digest[i]);
    printf("\nprimes");
    size_t zero = values;
    for (int round = 0; round < rounds && zero == values; round++) {
        for (int tries = 0; tries < TRIES && (!tries || zero < values); tries++) zero = evaluate(), printf(" %llu", p);
        for (size_t c = 0; c < claim_count && zero == values; c++)
            for (size_t i = 0, v = claims[c].first; i < claims[c].count && !claims[c].prime; i++, v++)
                if (residue[v])
                    claims[c].prime = p, claims[c].at = i, claims[c].left = residue[a[v]], claims[c].right = residue[b[v]];
    }
    for (size_t c = 0; c < claim_count; c++) {
        int bits = bits_of_a_round(claims[c].size), refuted = zero < values || claims[c].prime;
        putchar('\n'), show(claims[c].name);
        if (zero < values) printf(": refuted; value %zu is zero at every point that was tried, but must not be", zero);
        else if (refuted) printf(": refuted; component %zu is %llu on the left and %llu on the right, modulo %llu",
                                 claims[c].at, claims[c].left, claims[c].right, claims[c].prime);
        else if (!claims[c].count) printf(": nothing compared; there are no components");
        else if (bits < LEAST) printf(": not decided; no difference was found, but the functions may be too large (size %lld%s)",
                                      (long long)claims[c].size, claims[c].size == UNKNOWN ? " or more" : "");
        else printf(": proven with an error of 2^-%d at most; components %zu, the same value on both sides %zu, size %lld",
                    rounds * bits, claims[c].count, claims[c].same, (long long)claims[c].size);
        verdict = refuted || verdict == REFUTED ? REFUTED : !claims[c].count || bits < LEAST ? UNDECIDED : verdict;
    }
    printf("\nverdict: %s\n", verdict == PROVEN ? "proven" : verdict == REFUTED ? "refuted" : "not decided");
    if (fflush(stdout)) bad("the verdict cannot be written");
    return verdict;
}
