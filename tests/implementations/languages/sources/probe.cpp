#include "dalembert.hpp"
#include <cstdlib>

static double summed(const size_t *starts, size_t bodies, size_t length, const double *x) {
    double sum = 1000.0 * (double)length;
    for (size_t i = 0; i < bodies; ++i)
        for (size_t k = starts[i]; k < (i + 1 < bodies ? starts[i + 1] : length); ++k)
            sum += (double)((i + 1) * (k - starts[i] + 1)) * x[k];
    return sum;
}

int main(int, char **words) {
    dalembert::Program<dalembert::Mechanism> program("probe", "1");
    program.conventions[words[1]] = words[2];
    program.precision = std::getenv("PROBE_PRECISION");
    program.load = [](const dalembert::Mechanism &m) { return m; };
    program.quantities["potential_energy"] = [](auto &m, auto &s, double *x) {
        *x = summed(m.q_start.data(), m.size(), m.nq, s.q);
    };
    program.quantities["kinetic_energy"] = [](auto &m, auto &s, double *x) {
        *x = summed(m.v_start.data(), m.size(), m.nv, s.v);
    };
    return program.serve();
}
