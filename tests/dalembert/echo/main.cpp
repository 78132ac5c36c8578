#include "dalembert.hpp"
#include <cstdio>
using Names = std::vector<std::string>;
int main() {
    dalembert::Program<Names> program("echo", "1");
    program.load = [](const dalembert::Mechanism &m) {
        std::puts("noise");
        if (m.name == "refused") dalembert::unsupported("not " + m.joints[0]);
        if (m.name == "failed") throw std::runtime_error("bytes \xff\xc3(");
        if (m.name == "thrown") throw 7;
        for (const dalembert::Constraint &one : m.constraints)
            if (one.first != 0 || one.second != -1 || one.directions != Names{"wx", "wz", "vy"}
                || m.second_translation(0) != dalembert::Vector{1, 2, 3}) throw std::logic_error("a wrong constraint");
        return Names(m.joints.rbegin(), m.joints.rend());
    };
    program.joint_order = [](Names &names) { return names; };
    program.quantities["inverse_dynamics"] = [](Names &, const dalembert::State &s, double *tau) {
        for (std::size_t k = 0; k < s.nv; ++k) tau[k] = s.a[k] * static_cast<double>(k + 1);
    };
    program.quantities["gravity"] = [](Names &names, const dalembert::State &s, double *g) {
        if (s.nv != names.size() || s.bodies != names.size() || s.v) throw std::logic_error("wrong sizes");
        g[s.nv - 1] = s.q[0];
        if (names[0] == "past the end") g[s.nv] = 0;
    };
    program.quantities["impact_velocity_plastic"] = [](Names &, const dalembert::State &s, double *v) {
        std::copy_n(s.v_minus, s.nv, v);
    };
    return program.serve();
}
