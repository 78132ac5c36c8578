// The recursive Newton-Euler algorithm in the bodies' frames.
#include "my_dynamics.hpp"

#include <cmath>
#include <cstddef>

namespace {

Vector operator+(const Vector &x, const Vector &y) { return {x[0] + y[0], x[1] + y[1], x[2] + y[2]}; }
Vector operator*(double s, const Vector &x) { return {s * x[0], s * x[1], s * x[2]}; }
double dot(const Vector &x, const Vector &y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
Vector cross(const Vector &x, const Vector &y) {
    return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
Vector times(const Matrix &A, const Vector &x) {
    return {A[0] * x[0] + A[1] * x[1] + A[2] * x[2], A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
            A[6] * x[0] + A[7] * x[1] + A[8] * x[2]};
}
Vector transposed_times(const Matrix &A, const Vector &x) {
    return {A[0] * x[0] + A[3] * x[1] + A[6] * x[2], A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
            A[2] * x[0] + A[5] * x[1] + A[8] * x[2]};
}
Matrix times(const Matrix &A, const Matrix &B) {
    Matrix C;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    return C;
}

/// Rodrigues' formula for a unit axis.
Matrix rotation(const Vector &u, double angle) {
    const double s = std::sin(angle), c = std::cos(angle), d = 1 - c;
    return {c + d * u[0] * u[0],        d * u[0] * u[1] - s * u[2], d * u[0] * u[2] + s * u[1],
            d * u[0] * u[1] + s * u[2], c + d * u[1] * u[1],        d * u[1] * u[2] - s * u[0],
            d * u[0] * u[2] - s * u[1], d * u[1] * u[2] + s * u[0], c + d * u[2] * u[2]};
}

/// What a body has: its pose in the parent's frame, its motion and the force on it along its own axes.
struct Moving {
    Matrix R;
    Vector p;
    Vector w, dw, acc;  // angular velocity, its rate, the acceleration of the origin less gravity
    Vector f, n;        // force, and moment about the origin
};

}  // namespace

void inverse_dynamics(const Tree &tree, const double *q, const double *v, const double *a, double *tau) {
    std::vector<Moving> moving(tree.bodies.size());
    for (std::size_t i = 0; i < moving.size(); ++i) {
        const Body &body = tree.bodies[i];
        const Vector turns = (body.turns ? 1.0 : 0.0) * body.axis, slides = (body.turns ? 0.0 : 1.0) * body.axis;
        Moving &m = moving[i];
        m.R = body.turns ? times(body.rotation, rotation(body.axis, q[i])) : body.rotation;
        m.p = body.translation + times(body.rotation, q[i] * slides);
        Vector w0{}, dw0{}, acc0 = -1.0 * tree.gravity;
        if (body.parent >= 0) {
            const Moving &parent = moving[static_cast<std::size_t>(body.parent)];
            w0 = parent.w, dw0 = parent.dw, acc0 = parent.acc;
        }
        const Vector w1 = transposed_times(m.R, w0);
        m.w = w1 + v[i] * turns;
        m.dw = transposed_times(m.R, dw0) + a[i] * turns + cross(w1, v[i] * turns);
        m.acc = transposed_times(m.R, acc0 + cross(dw0, m.p) + cross(w0, cross(w0, m.p)));
        m.acc = m.acc + a[i] * slides + 2.0 * cross(w1, v[i] * slides);
        m.f = body.mass * (m.acc + cross(m.dw, body.com) + cross(m.w, cross(m.w, body.com)));
        m.n = times(body.inertia, m.dw) + cross(m.w, times(body.inertia, m.w)) + cross(body.com, m.f);
    }
    for (std::size_t i = moving.size(); i-- > 0;) {
        const Body &body = tree.bodies[i];
        const Moving &m = moving[i];
        tau[i] = dot(body.axis, body.turns ? m.n : m.f) + body.armature * a[i] + body.damping * v[i];
        if (body.parent >= 0) {
            Moving &parent = moving[static_cast<std::size_t>(body.parent)];
            const Vector f = times(m.R, m.f);
            parent.f = parent.f + f;
            parent.n = parent.n + times(m.R, m.n) + cross(m.p, f);
        }
    }
}

void mass_matrix(const Tree &tree, const double *q, double *M) {
    const Tree weightless{{}, tree.bodies};
    const std::size_t n = tree.bodies.size();
    std::vector<double> zero(n), unit(n), column(n);
    for (std::size_t j = 0; j < n; ++j) {
        unit[j] = 1;
        inverse_dynamics(weightless, q, zero.data(), unit.data(), column.data());
        unit[j] = 0;
        for (std::size_t i = 0; i < n; ++i) M[n * i + j] = column[i];
    }
}
