#include "dalembert.h"
#include <stdlib.h>
DALEMBERT_LIBRARY("probe", "1")

static double summed(const size_t *starts, size_t bodies, size_t length, const double *x) {
    double sum = 1000.0 * (double)length;
    for (size_t i = 0; i < bodies; ++i)
        for (size_t k = starts[i]; k < (i + 1 < bodies ? starts[i + 1] : length); ++k)
            sum += (double)((i + 1) * (k - starts[i] + 1)) * x[k];
    return sum;
}

static size_t bodies, nq, nv, q_start[64], v_start[64];
const char *dalembert_conventions(void) { return getenv("PROBE_CONVENTIONS"); }
const char *dalembert_precision(void) { return getenv("PROBE_PRECISION"); }
int dalembert_load(const struct dalembert_mechanism *m, void **model) {
    bodies = m->bodies, nq = m->nq, nv = m->nv, *model = &bodies;
    for (size_t i = 0; i < bodies; ++i) q_start[i] = m->q_start[i], v_start[i] = m->v_start[i];
    return DALEMBERT_OK;
}
void dalembert_forget(void *model) { (void)model; }
int dalembert_potential_energy(void *model, const double *q, double *answer) {
    (void)model, *answer = summed(q_start, bodies, nq, q);
    return DALEMBERT_OK;
}
int dalembert_kinetic_energy(void *model, const double *q, const double *v, double *answer) {
    (void)model, (void)q, *answer = summed(v_start, bodies, nv, v);
    return DALEMBERT_OK;
}
