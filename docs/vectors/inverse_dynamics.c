/* Inverse dynamics by the recursive Newton-Euler algorithm with 3-vectors, for revolute, prismatic and helical joints. */
#include <math.h>
#include "model.h"

#ifndef SIGN
#define SIGN 1 /* of the gyroscopic moment w x I w; -1 plants a fault */
#endif

typedef struct { double x, y, z; } vec;
typedef struct { double e[9]; } mat; /* row by row */

static vec of(const double *x) { return (vec){x[0], x[1], x[2]}; }
static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec times(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec mul(const double *R, vec a) { return (vec){dot(of(R), a), dot(of(R + 3), a), dot(of(R + 6), a)}; }
static vec back(const double *R, vec a) { return add(times(a.x, of(R)), add(times(a.y, of(R + 3)), times(a.z, of(R + 6)))); }

/* P times the rotation by an angle about a unit vector, column by column (Rodrigues' formula). */
static mat turned(const double *P, vec axis, double angle) {
    mat R;
    for (int k = 0; k < 3; k++) {
        vec e = {k == 0, k == 1, k == 2}, s = cross(axis, e);
        vec column = mul(P, add(e, add(times(sin(angle), s), times(1 - cos(angle), cross(axis, s)))));
        R.e[k] = column.x, R.e[3 + k] = column.y, R.e[6 + k] = column.z;
    }
    return R;
}

void inverse_dynamics(const struct model *m, const double *q, const double *v, const double *a, double *tau) {
    vec w[MOST], dw[MOST], acc[MOST], f[MOST], n[MOST], p[MOST], zero = {0, 0, 0};
    mat R[MOST];
    for (int i = 0; i < m->n; i++) {
        int k = (int)m->parents[i];
        vec turn = of(m->screws[i]), slide = of(m->screws[i] + 3), c = of(m->coms[i]);
        vec w0 = k < 0 ? zero : w[k], dw0 = k < 0 ? zero : dw[k], acc0 = k < 0 ? times(-1, of(m->gravity)) : acc[k];
        R[i] = turned(m->rotations[i], turn, q[i]);
        p[i] = add(of(m->translations[i]), mul(m->rotations[i], times(q[i], slide)));
        vec w1 = back(R[i].e, w0);
        w[i] = add(w1, times(v[i], turn));
        dw[i] = add(back(R[i].e, dw0), add(times(a[i], turn), cross(w1, times(v[i], turn))));
        acc[i] = back(R[i].e, add(acc0, add(cross(dw0, p[i]), cross(w0, cross(w0, p[i])))));
        acc[i] = add(acc[i], add(times(a[i], slide), times(2 * v[i], cross(w1, slide))));
        f[i] = times(m->masses[i], add(acc[i], add(cross(dw[i], c), cross(w[i], cross(w[i], c)))));
        vec L = mul(m->inertias[i], w[i]);
        n[i] = add(mul(m->inertias[i], dw[i]), add(times(SIGN, cross(w[i], L)), cross(c, f[i])));
    }
    for (int i = m->n - 1; i >= 0; i--) {
        int k = (int)m->parents[i];
        tau[i] = dot(of(m->screws[i]), n[i]) + dot(of(m->screws[i] + 3), f[i]) + m->armature[i] * a[i] + m->damping[i] * v[i];
        if (k < 0) continue;
        vec force = mul(R[i].e, f[i]);
        f[k] = add(f[k], force);
        n[k] = add(n[k], add(mul(R[i].e, n[i]), cross(p[i], force)));
    }
}
