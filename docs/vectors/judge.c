/* Judges inverse_dynamics() by files of test vectors: cc judge.c inverse_dynamics.c -lm && ./a.out ur5/inverse_dynamics.json */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

/* Reads the numbers of the first field of this name after `at`, however nested. Returns how many, or -1. */
static int numbers(const char *at, const char *field, double *x, int most) {
    char key[64], *end;
    int n = 0, depth = 0;
    snprintf(key, sizeof key, "\"%s\": ", field);
    if (!at || !(at = strstr(at, key))) return -1;
    for (at += strlen(key); *at; at++) {
        depth += (*at == '[') - (*at == ']');
        if (strchr("-0123456789", *at)) {
            if (n == most) return -1;
            x[n++] = strtod(at, &end); /* C99 reads hexadecimal floating point. */
            at = end - 1;
        }
        if (depth == 0 && strchr("],\n", *at)) return n;
    }
    return -1;
}

#define READ(field, each) (numbers(at, #field, (double *)m.field, each * MOST) == each * m.n)
static int judge(const char *file) {
    static char text[1 << 24];
    static struct model m;
    double nq, nv, q[MOST], v[MOST], a[MOST], tau[MOST], expected[MOST], size[MOST];
    FILE *in = fopen(file, "rb");
    size_t length = in ? fread(text, 1, sizeof text - 1, in) : 0;
    int vectors = 0, failed = 0;
    if (in) fclose(in);
    text[length] = 0;
    const char *at = strstr(text, "\"mechanism\": {");
    m.n = numbers(at, "parents", m.parents, MOST);
    if (!strstr(text, "\"dalembert-vectors-1\"") || !strstr(text, "\"name\": \"inverse_dynamics\"") ||
        numbers(at, "nq", &nq, 1) != 1 || numbers(at, "nv", &nv, 1) != 1 || nq != m.n || nv != m.n ||
        !READ(screws, 6) || !READ(rotations, 9) || !READ(translations, 3) || !READ(masses, 1) || !READ(coms, 3) ||
        !READ(inertias, 9) || !READ(armature, 1) || !READ(damping, 1) || numbers(at, "gravity", m.gravity, 3) != 3)
        return printf("%s: not for this judge\n", file), 1;
    for (at = strstr(at, "\"vectors\": ["); at && (at = strstr(at, "\"id\": ")); at++, vectors++) {
        if (numbers(at, "q", q, m.n) != m.n || numbers(at, "v", v, m.n) != m.n || numbers(at, "a", a, m.n) != m.n ||
            numbers(at, "expected", expected, m.n) != m.n || numbers(at, "size", size, m.n) != m.n)
            return printf("%s: damaged\n", file), 1;
        int passes = 1;
        inverse_dynamics(&m, q, v, a, tau);
        for (int i = 0; i < m.n; i++) passes &= fabs(tau[i] - expected[i]) <= 16 * 0x1p-52 * size[i];
        if (!passes && !failed++) printf("%s: vector %d fails\n", file, vectors + 1);
    }
    printf("%s: %d of %d vectors pass\n", file, vectors - failed, vectors);
    return failed > 0 || vectors == 0;
}

int main(int count, char **files) {
    int bad = count < 2;
    while (count-- > 1) bad |= judge(*++files);
    return bad;
}
