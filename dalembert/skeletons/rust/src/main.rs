//! Lets dalembert ask my_dynamics. Replace what stands between the two marks by calls of your code.
mod dalembert;
mod my_dynamics;

use my_dynamics::{inverse_dynamics, mass_matrix, Body, Tree};

// glue begins
fn main() -> std::process::ExitCode {
    let mut program = dalembert::Program::new("my_dynamics", "1.0", |m| {
        let body = |i: usize| Body {
            parent: m.parent(i), turns: m.kinds[i] == "revolute", axis: m.axis(i), rotation: m.rotation(i),
            translation: m.translation(i), mass: m.mass(i), com: m.com(i), inertia: m.inertia(i), armature: m.armature(i),
            damping: m.damping(i),
        };
        Ok(Tree { gravity: m.gravity(), bodies: (0..m.bodies.len()).map(body).collect() })
    });
    program.joints = vec!["revolute", "prismatic"];
    program.quantity("inverse_dynamics", |tree, s, tau| inverse_dynamics(tree, s.q, s.v, s.a, tau));
    program.quantity("mass_matrix", |tree, s, m| mass_matrix(tree, s.q, m));
    program.serve()
}
// glue ends
