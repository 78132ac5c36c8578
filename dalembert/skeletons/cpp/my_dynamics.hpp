// Dynamics of trees of revolute and prismatic joints. This is an example: replace it by your code.
#pragma once

#include <array>
#include <vector>

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  // 3x3, row by row

/// A body and the joint that carries it. The joint's frame sits in the parent's frame; the body's frame is the joint's at q = 0.
struct Body {
    int parent;  // its index, -1 for the root; parents come first
    bool turns;  // revolute or prismatic
    Vector axis;
    Matrix rotation;  // from the joint's frame to the parent's
    Vector translation;
    double mass;
    Vector com;
    Matrix inertia;  // about the centre of mass
    double armature, damping;
};

struct Tree {
    Vector gravity;
    std::vector<Body> bodies;
};

/// The forces tau of the joints for positions q, velocities v and accelerations a.
void inverse_dynamics(const Tree &tree, const double *q, const double *v, const double *a, double *tau);

/// The mass matrix M, row by row.
void mass_matrix(const Tree &tree, const double *q, double *M);
