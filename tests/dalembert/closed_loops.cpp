// A program with quantities of constraints, for trees of revolute and prismatic joints. With the argument "wrong", the drift has
// the opposite sign.
#include <cstring>
#include <string>

#include "dalembert.hpp"
#include "my_dynamics.cpp"  // its operators, too

namespace {

double sign = 1;  // of the drift

Vector operator-(const Vector &x, const Vector &y) { return x + -1.0 * y; }
Vector column(const Matrix &A, std::size_t k) { return {A[k], A[3 + k], A[6 + k]}; }

/// A body in the root's frame: its pose, its joint's axis, its motion, and its acceleration where a is zero.
struct Placed {
    Matrix R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    Vector p{}, axis{}, w{}, v{}, dw{}, dv{};

    Vector velocity(const Vector &r) const { return v + cross(w, r); }
    Vector acceleration(const Vector &r) const { return dv + cross(dw, r) + cross(w, cross(w, r)); }
};

/// A constraint: the axes of its first frame and the origins of both, in the frames of their bodies.
struct Closure {
    int first, second;
    Matrix axes;
    Vector p1, p2;
    std::vector<std::string> directions;
};

struct Model {
    Tree tree;
    std::vector<Closure> closures;
    std::size_t rows = 0;
};

Model load(const dalembert::Mechanism &m) {
    Model model{{m.gravity(), {}}, {}, 0};
    for (std::size_t i = 0; i < m.size(); ++i)
        model.tree.bodies.push_back({m.parents[i], m.kinds[i] == "revolute", m.axis(i), m.rotation(i), m.translation(i), m.mass(i),
                                     m.com(i), m.inertia(i), m.armature(i), m.damping(i)});
    for (std::size_t i = 0; i < m.constraints.size(); ++i) {
        const dalembert::Constraint &one = m.constraints[i];
        model.closures.push_back({one.first, one.second, m.first_rotation(i), m.first_translation(i), m.second_translation(i),
                                  one.directions});
        model.rows += one.directions.size();
    }
    return model;
}

Placed of(const std::vector<Placed> &all, int body) { return body < 0 ? Placed{} : all[static_cast<std::size_t>(body)]; }

std::vector<Placed> placed(const Tree &tree, const double *q, const double *v) {
    std::vector<Placed> all;
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const Body &body = tree.bodies[i];
        const Placed parent = of(all, body.parent);
        Placed m;
        m.R = times(parent.R, body.rotation), m.axis = times(m.R, body.axis);
        const Vector turn = (body.turns ? v[i] : 0.0) * m.axis, slide = (body.turns ? 0.0 : v[i]) * m.axis;
        const Vector r = times(parent.R, body.translation) + (body.turns ? 0.0 : q[i]) * m.axis;
        if (body.turns) m.R = times(m.R, rotation(body.axis, q[i]));
        m.p = parent.p + r, m.w = parent.w + turn, m.v = parent.velocity(r) + slide;
        m.dw = parent.dw + cross(parent.w, turn), m.dv = parent.acceleration(r) + 2.0 * cross(parent.w, slide);
        all.push_back(m);
    }
    return all;
}

/// The component of a motion along a direction of the frame with the axes C.
double along(const std::string &direction, const Matrix &C, const Vector &angular, const Vector &linear) {
    return dot(column(C, static_cast<std::size_t>(direction[1] - 'x')), direction[0] == 'w' ? angular : linear);
}

/// J, with as many columns as the tree has bodies, and the drift; either may be null.
void rows(const Model &model, const double *q, const double *v, double *J, double *drift) {
    const std::vector<Body> &bodies = model.tree.bodies;
    const std::vector<double> still(bodies.size());
    const std::vector<Placed> all = placed(model.tree, q, v ? v : still.data());
    std::size_t row = 0;
    for (const Closure &one : model.closures) {
        const Placed a = of(all, one.first), b = of(all, one.second);
        const Vector ra = times(a.R, one.p1), rb = times(b.R, one.p2), x = b.p + rb, d = x - a.p - ra;
        const Matrix C = times(a.R, one.axes);
        // The motion relative to the first frame, which turns with a.w, is b.w - a.w and rate - a.w x d.
        const Vector rate = b.velocity(rb) - a.velocity(ra), dw = b.dw - a.dw - cross(a.w, b.w);
        const Vector dv = b.acceleration(rb) - a.acceleration(ra) - cross(a.dw, d) -
                          2.0 * cross(a.w, rate) + cross(a.w, cross(a.w, d));
        for (const std::string &direction : one.directions) {
            if (drift) drift[row] = sign * along(direction, C, dw, dv);
            for (const bool is_second : {false, true})
                for (int k = is_second ? one.second : one.first; k >= 0 && J; k = bodies[static_cast<std::size_t>(k)].parent) {
                    // What the joint moves at x, the second frame's origin.
                    const std::size_t j = static_cast<std::size_t>(k);
                    const Vector &axis = all[j].axis, turn = bodies[j].turns ? axis : Vector{};
                    const double own = along(direction, C, turn, bodies[j].turns ? cross(axis, x - all[j].p) : axis);
                    J[bodies.size() * row + j] += is_second ? own : -own;
                }
            ++row;
        }
    }
}

/// a and lambda with [[M, -J^T], [J, 0]] [a; lambda] = [tau - h; -drift], by elimination with pivots.
std::vector<double> solved(const Model &model, const dalembert::State &s) {
    const std::size_t n = s.nv, m = model.rows, size = n + m, width = size + 1;
    std::vector<double> J(m * n), drift(m), M(n * n), h(n), zero(n), A(size * width), x(size);
    rows(model, s.q, s.v, J.data(), drift.data());
    mass_matrix(model.tree, s.q, M.data());
    inverse_dynamics(model.tree, s.q, s.v, zero.data(), h.data());
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[width * i + j] = M[n * i + j];
        for (std::size_t j = 0; j < m; ++j) A[width * i + n + j] = -J[n * j + i], A[width * (n + j) + i] = J[n * j + i];
        A[width * i + size] = s.tau[i] - h[i];
    }
    for (std::size_t j = 0; j < m; ++j) A[width * (n + j) + size] = -drift[j];
    for (std::size_t k = 0; k < size; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k; i < size; ++i)
            if (std::abs(A[width * i + k]) > std::abs(A[width * pivot + k])) pivot = i;
        for (std::size_t j = 0; j < width; ++j) std::swap(A[width * k + j], A[width * pivot + j]);
        for (std::size_t i = 0; i < size; ++i)
            if (const double factor = A[width * i + k] / A[width * k + k]; i != k)
                for (std::size_t j = k; j < width; ++j) A[width * i + j] -= factor * A[width * k + j];
    }
    for (std::size_t k = 0; k < size; ++k) x[k] = A[width * k + size] / A[width * k + k];
    return x;
}

}  // namespace

int main(int count, char **words) {
    if (count > 1 && std::strcmp(words[1], "wrong") == 0) sign = -1;
    dalembert::Program<Model> program("closed_loops", "1.0");
    program.joints = {"revolute", "prismatic"};
    program.load = load;
    program.quantities["constraint_jacobian"] = [](Model &m, auto &s, double *J) { rows(m, s.q, nullptr, J, nullptr); };
    program.quantities["constraint_drift"] = [](Model &m, auto &s, double *drift) { rows(m, s.q, s.v, nullptr, drift); };
    program.quantities["constrained_acceleration"] = [](Model &m, auto &s, double *a) {
        const std::vector<double> x = solved(m, s);
        std::copy_n(x.begin(), s.nv, a);
    };
    program.quantities["constraint_multipliers"] = [](Model &m, auto &s, double *lambda) {
        const std::vector<double> x = solved(m, s);
        std::copy_n(x.end() - static_cast<std::ptrdiff_t>(m.rows), m.rows, lambda);
    };
    return program.serve();
}
