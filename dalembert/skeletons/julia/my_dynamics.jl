# Dynamics of trees of revolute and prismatic joints, by the recursive Newton-Euler algorithm in the bodies' frames.
# This is an example: replace it by your code.

"A body and the joint that carries it. The joint's frame sits in the parent's frame; the body's frame is the joint's at q = 0."
struct Body
    parent::Int                # its index, 0 for the root; parents come first
    turns::Bool                # revolute or prismatic
    axis::Vector{Float64}
    rotation::Matrix{Float64}  # from the joint's frame to the parent's
    translation::Vector{Float64}
    mass::Float64
    com::Vector{Float64}
    inertia::Matrix{Float64}   # about the centre of mass
    armature::Float64
    damping::Float64
end

struct Tree
    gravity::Vector{Float64}
    bodies::Vector{Body}
end

"The cross product."
times(x, y) = [x[2] * y[3] - x[3] * y[2], x[3] * y[1] - x[1] * y[3], x[1] * y[2] - x[2] * y[1]]

"Rodrigues' formula."
function rotation(u, angle)
    K = [0.0 -u[3] u[2]; u[3] 0.0 -u[1]; -u[2] u[1] 0.0]
    one = [1.0 0.0 0.0; 0.0 1.0 0.0; 0.0 0.0 1.0]
    return one + sin(angle) * K + (1 - cos(angle)) * K * K
end

"The joints' forces. w, dw, acc are a body's angular velocity, its rate, and its origin's acceleration less gravity."
function inverse_dynamics(tree, q, v, a)
    n = length(tree.bodies)
    R = [zeros(3, 3) for _ in 1:n]
    p, w, dw, acc, f, m = ([zeros(3) for _ in 1:n] for _ in 1:6)
    tau = zeros(n)
    for (i, body) in enumerate(tree.bodies)
        turns, slides = body.turns ? (body.axis, zeros(3)) : (zeros(3), body.axis)
        R[i] = body.rotation * rotation(turns, q[i])
        p[i] = body.translation + body.rotation * slides * q[i]
        k = body.parent
        w0, dw0, acc0 = k > 0 ? (w[k], dw[k], acc[k]) : (zeros(3), zeros(3), -tree.gravity)
        w1 = R[i]' * w0
        w[i] = w1 + turns * v[i]
        dw[i] = R[i]' * dw0 + turns * a[i] + times(w1, turns * v[i])
        acc[i] = R[i]' * (acc0 + times(dw0, p[i]) + times(w0, times(w0, p[i])))
        acc[i] += slides * a[i] + 2 * times(w1, slides * v[i])
        f[i] = body.mass * (acc[i] + times(dw[i], body.com) + times(w[i], times(w[i], body.com)))
        m[i] = body.inertia * dw[i] + times(w[i], body.inertia * w[i]) + times(body.com, f[i])
    end
    for i in n:-1:1
        body = tree.bodies[i]
        felt = body.turns ? m[i] : f[i]
        tau[i] = sum(body.axis .* felt) + body.armature * a[i] + body.damping * v[i]
        k = body.parent
        if k > 0
            f[k] += R[i] * f[i]
            m[k] += R[i] * m[i] + times(p[i], R[i] * f[i])
        end
    end
    return tau
end

"The mass matrix. Its columns are the forces for unit accelerations, without gravity."
function mass_matrix(tree, q)
    n = length(tree.bodies)
    weightless = Tree(zeros(3), tree.bodies)
    M = zeros(n, n)
    for j in 1:n
        unit = zeros(n)
        unit[j] = 1.0
        M[:, j] = inverse_dynamics(weightless, q, zeros(n), unit)
    end
    return M
end
