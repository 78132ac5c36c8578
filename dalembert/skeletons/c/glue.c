/* Lets dalembert ask my_dynamics. Replace what stands between the two marks by calls of your code. */
#include <string.h>

#include "dalembert.h"
#include "my_dynamics.h"

/* glue begins */
DALEMBERT_LIBRARY("my_dynamics", "1.0")
const char *dalembert_joints(void) { return "revolute prismatic"; }
int dalembert_load(const struct dalembert_mechanism *m, void **model) {
    struct tree *tree = *model = tree_new((int)m->bodies, m->gravity);
    for (size_t i = 0; tree && i < m->bodies; ++i)
        tree_add(tree, m->parents[i], !strcmp(m->kinds[i], "revolute"), m->axes + 3 * i, m->rotations + 9 * i,
                 m->translations + 3 * i, m->masses[i], m->coms + 3 * i, m->inertias + 9 * i, m->armature[i], m->damping[i]);
    return tree ? DALEMBERT_OK : -1;
}
void dalembert_forget(void *model) { tree_free(model); }
int dalembert_inverse_dynamics(void *model, const double *q, const double *v, const double *a, double *tau) {
    return inverse_dynamics(model, q, v, a, tau), DALEMBERT_OK;
}
int dalembert_mass_matrix(void *model, const double *q, double *M) { return mass_matrix(model, q, M), DALEMBERT_OK; }
/* glue ends */
