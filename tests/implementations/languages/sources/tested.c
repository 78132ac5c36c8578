char *strdup(const char *);
DALEMBERT_LIBRARY("tested", "2.0")
static char said[200];
const char *dalembert_error(void) { return said; }
const char *dalembert_joints(void) { return " revolute  prismatic free "; }
const char *dalembert_conventions(void) { return "quaternion = wxyz; free_velocity=angular body, linear mixed;"; }
int dalembert_wants_urdf(void) { return 1; }
static int described(const struct dalembert_mechanism *m, void **model) {
    if (!strcmp(m->name, "refused")) { strcpy(said, "not this \xff one"); return DALEMBERT_UNSUPPORTED; }
    if (!strcmp(m->name, "failed")) { strcpy(said, "no memory"); return 12; }
    struct dalembert_mechanism *copy = *model = malloc(sizeof *copy);
    *copy = *m;
    copy->urdf = strdup(m->urdf ? m->urdf : "");
    return 0;
}
int dalembert_load(const struct dalembert_mechanism *m, void **model) { return described(m, model); }
void dalembert_forget(void *model) { (void)model; }

int dalembert_joint_order(void *model, size_t *order) {
    const struct dalembert_mechanism *m = model;
    for (size_t k = 0; k < m->bodies; ++k) order[k] = m->bodies - 1 - k;
    return 0;
}
int dalembert_gravity(void *model, const double *q, double *g) {
    const struct dalembert_mechanism *m = model;
    if (q[0] < -5) { strcpy(said, "too far"); return 3; }
    for (size_t k = 0; k < m->nv; ++k) g[k] = q[k] * (double)(k + 1);
    return 0;
}
int dalembert_kinetic_energy(void *model, const double *q, const double *v, double *T) {
    const struct dalembert_mechanism *m = model;
    (void)q, (void)v;
    *T = (double)strlen(m->urdf) + m->urdf_is_original + 2 * m->urdf_free_base;
    return 0;
}
