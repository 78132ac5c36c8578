/* The recursive Newton-Euler algorithm in the bodies' frames. */
#include "my_dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct body {
    int parent, turns;
    double axis[3], rotation[9], translation[3], mass, com[3], inertia[9], armature, damping;
};

/* What a body has: its pose in the parent's frame, its motion and the force on it along its own axes. */
struct moving {
    double R[9], p[3];
    double w[3], dw[3], acc[3]; /* angular velocity, its rate, the acceleration of the origin less gravity */
    double f[3], n[3];          /* force, and moment about the origin */
};

struct tree {
    int bodies;
    double gravity[3];
    struct body *body;
    struct moving *moving;
    double *zero, *unit, *column;
};

struct tree *tree_new(int bodies, const double gravity[3]) {
    const size_t most = bodies > 0 ? (size_t)bodies : 1;
    struct tree *tree = calloc(1, sizeof *tree);
    if (!tree) return NULL;
    memcpy(tree->gravity, gravity, sizeof tree->gravity);
    tree->body = calloc(most, sizeof *tree->body);
    tree->moving = calloc(most, sizeof *tree->moving);
    tree->zero = calloc(most, sizeof *tree->zero);
    tree->unit = calloc(most, sizeof *tree->unit);
    tree->column = calloc(most, sizeof *tree->column);
    if (tree->body && tree->moving && tree->zero && tree->unit && tree->column) return tree;
    tree_free(tree);
    return NULL;
}

void tree_add(struct tree *tree, int parent, int turns, const double axis[3], const double rotation[9],
              const double translation[3], double mass, const double com[3], const double inertia[9], double armature,
              double damping) {
    struct body *body = &tree->body[tree->bodies++];
    body->parent = parent, body->turns = turns, body->mass = mass, body->armature = armature, body->damping = damping;
    memcpy(body->axis, axis, sizeof body->axis);
    memcpy(body->rotation, rotation, sizeof body->rotation);
    memcpy(body->translation, translation, sizeof body->translation);
    memcpy(body->com, com, sizeof body->com);
    memcpy(body->inertia, inertia, sizeof body->inertia);
}

void tree_free(struct tree *tree) {
    if (!tree) return;
    free(tree->body), free(tree->moving), free(tree->zero), free(tree->unit), free(tree->column);
    free(tree);
}

static double dot(const double x[3], const double y[3]) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/* z += s x */
static void add(double z[3], double s, const double x[3]) {
    for (int k = 0; k < 3; ++k) z[k] += s * x[k];
}

/* z += x cross y */
static void add_cross(double z[3], const double x[3], const double y[3]) {
    z[0] += x[1] * y[2] - x[2] * y[1];
    z[1] += x[2] * y[0] - x[0] * y[2];
    z[2] += x[0] * y[1] - x[1] * y[0];
}

/* z += A x */
static void add_times(double z[3], const double A[9], const double x[3]) {
    for (int k = 0; k < 3; ++k) z[k] += dot(A + 3 * k, x);
}

/* z += transpose(A) x */
static void add_transposed_times(double z[3], const double A[9], const double x[3]) {
    for (int k = 0; k < 3; ++k) z[k] += A[k] * x[0] + A[3 + k] * x[1] + A[6 + k] * x[2];
}

/* R = A times the rotation about the unit vector u, by Rodrigues' formula. */
static void turned(const double A[9], const double u[3], double angle, double R[9]) {
    const double s = sin(angle), c = cos(angle), d = 1 - c;
    const double B[9] = {c + d * u[0] * u[0],        d * u[0] * u[1] - s * u[2], d * u[0] * u[2] + s * u[1],
                         d * u[0] * u[1] + s * u[2], c + d * u[1] * u[1],        d * u[1] * u[2] - s * u[0],
                         d * u[0] * u[2] - s * u[1], d * u[1] * u[2] + s * u[0], c + d * u[2] * u[2]};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* The pose and the motion of a body in its parent; gravity is an acceleration of the root upwards. */
static void move(const struct tree *tree, int i, double q, double v, double a) {
    const struct body *body = &tree->body[i];
    struct moving *m = &tree->moving[i];
    const double resting[3] = {0, 0, 0}, upwards[3] = {-tree->gravity[0], -tree->gravity[1], -tree->gravity[2]};
    const struct moving *parent = body->parent >= 0 ? &tree->moving[body->parent] : NULL;
    const double *w0 = parent ? parent->w : resting, *dw0 = parent ? parent->dw : resting, *acc0 = parent ? parent->acc : upwards;
    double rate[3] = {0}, w1[3] = {0}, turning[3] = {0}, acc[3];

    memset(m, 0, sizeof *m);
    memcpy(m->R, body->rotation, sizeof m->R);
    memcpy(m->p, body->translation, sizeof m->p);
    if (body->turns) {
        turned(body->rotation, body->axis, q, m->R);
    } else {
        double slide[3] = {0};
        add(slide, q, body->axis);
        add_times(m->p, body->rotation, slide);
    }
    add(rate, v, body->axis);
    add_transposed_times(w1, m->R, w0);
    add_transposed_times(m->w, m->R, w0);
    add_transposed_times(m->dw, m->R, dw0);
    memcpy(acc, acc0, sizeof acc);
    add_cross(acc, dw0, m->p);
    add_cross(turning, w0, m->p);
    add_cross(acc, w0, turning);
    add_transposed_times(m->acc, m->R, acc);
    if (body->turns) {
        add(m->w, v, body->axis);
        add(m->dw, a, body->axis);
        add_cross(m->dw, w1, rate);
    } else {
        double coriolis[3] = {0};
        add_cross(coriolis, w1, rate);
        add(m->acc, a, body->axis);
        add(m->acc, 2, coriolis);
    }
}

/* The force that this motion needs. */
static void force(const struct body *body, struct moving *m) {
    double acc[3], turning[3] = {0}, momentum[3] = {0};
    memcpy(acc, m->acc, sizeof acc);
    add_cross(acc, m->dw, body->com);
    add_cross(turning, m->w, body->com);
    add_cross(acc, m->w, turning);
    add(m->f, body->mass, acc);
    add_times(momentum, body->inertia, m->w);
    add_times(m->n, body->inertia, m->dw);
    add_cross(m->n, m->w, momentum);
    add_cross(m->n, body->com, m->f);
}

void inverse_dynamics(struct tree *tree, const double *q, const double *v, const double *a, double *tau) {
    for (int i = 0; i < tree->bodies; ++i) {
        move(tree, i, q[i], v[i], a[i]);
        force(&tree->body[i], &tree->moving[i]);
    }
    for (int i = tree->bodies - 1; i >= 0; --i) {
        const struct body *body = &tree->body[i];
        const struct moving *m = &tree->moving[i];
        tau[i] = dot(body->axis, body->turns ? m->n : m->f) + body->armature * a[i] + body->damping * v[i];
        if (body->parent >= 0) {
            struct moving *parent = &tree->moving[body->parent];
            double f[3] = {0};
            add_times(f, m->R, m->f);
            add(parent->f, 1, f);
            add_times(parent->n, m->R, m->n);
            add_cross(parent->n, m->p, f);
        }
    }
}

void mass_matrix(struct tree *tree, const double *q, double *M) {
    const int n = tree->bodies;
    double gravity[3];
    memcpy(gravity, tree->gravity, sizeof gravity);
    memset(tree->gravity, 0, sizeof gravity);
    for (int j = 0; j < n; ++j) {
        tree->unit[j] = 1;
        inverse_dynamics(tree, q, tree->zero, tree->unit, tree->column);
        tree->unit[j] = 0;
        for (int i = 0; i < n; ++i) M[n * i + j] = tree->column[i];
    }
    memcpy(tree->gravity, gravity, sizeof gravity);
}
