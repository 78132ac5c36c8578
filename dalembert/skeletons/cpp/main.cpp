// Lets dalembert ask my_dynamics. Replace what stands between the two marks by calls of your code.
#include "dalembert.hpp"
#include "my_dynamics.hpp"

// glue begins
int main() {
    dalembert::Program<Tree> program("my_dynamics", "1.0");
    program.joints = {"revolute", "prismatic"};
    program.load = [](const dalembert::Mechanism &m) {
        Tree tree{m.gravity(), {}};
        for (std::size_t i = 0; i < m.size(); ++i)
            tree.bodies.push_back({m.parents[i], m.kinds[i] == "revolute", m.axis(i), m.rotation(i), m.translation(i), m.mass(i),
                                   m.com(i), m.inertia(i), m.armature(i), m.damping(i)});
        return tree;
    };
    program.quantities["inverse_dynamics"] = [](Tree &tree, auto &s, double *tau) { inverse_dynamics(tree, s.q, s.v, s.a, tau); };
    program.quantities["mass_matrix"] = [](Tree &tree, auto &s, double *M) { mass_matrix(tree, s.q, M); };
    return program.serve();
}
// glue ends
