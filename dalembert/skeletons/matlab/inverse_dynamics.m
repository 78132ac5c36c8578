function tau = inverse_dynamics(tree, q, v, a)
%INVERSE_DYNAMICS  The joints' forces, by the recursive Newton-Euler algorithm in the bodies' frames.
%   The tree has revolute and prismatic joints; column k of axes, coms, ... and rotations(:, :, k) belong to body k. The joint's
%   frame sits in the parent's frame; the body's frame is the joint's at q = 0. This is an example: replace it by your code.

n = numel(q);
R = zeros(3, 3, n);
p = zeros(3, n);
w = zeros(3, n);    % angular velocities
dw = zeros(3, n);   % their rates
acc = zeros(3, n);  % accelerations of the origins less gravity
f = zeros(3, n);    % forces
m = zeros(3, n);    % moments about the origins
tau = zeros(n, 1);

for i = 1:n
    turns = tree.axes(:, i) * tree.turns(i);
    slides = tree.axes(:, i) * ~tree.turns(i);
    R(:, :, i) = tree.rotations(:, :, i) * rotation(turns, q(i));
    p(:, i) = tree.translations(:, i) + tree.rotations(:, :, i) * slides * q(i);
    k = tree.parents(i);
    if k > 0
        w0 = w(:, k);
        dw0 = dw(:, k);
        acc0 = acc(:, k);
    else
        w0 = zeros(3, 1);
        dw0 = zeros(3, 1);
        acc0 = -tree.gravity;
    end
    w1 = R(:, :, i)' * w0;
    w(:, i) = w1 + turns * v(i);
    dw(:, i) = R(:, :, i)' * dw0 + turns * a(i) + times(w1, turns * v(i));
    acc(:, i) = R(:, :, i)' * (acc0 + times(dw0, p(:, i)) + times(w0, times(w0, p(:, i))));
    acc(:, i) = acc(:, i) + slides * a(i) + 2 * times(w1, slides * v(i));
    com = tree.coms(:, i);
    inertia = tree.inertias(:, :, i);
    f(:, i) = tree.masses(i) * (acc(:, i) + times(dw(:, i), com) + times(w(:, i), times(w(:, i), com)));
    m(:, i) = inertia * dw(:, i) + times(w(:, i), inertia * w(:, i)) + times(com, f(:, i));
end

for i = n:-1:1
    if tree.turns(i)
        felt = m(:, i);
    else
        felt = f(:, i);
    end
    tau(i) = tree.axes(:, i)' * felt + tree.armature(i) * a(i) + tree.damping(i) * v(i);
    k = tree.parents(i);
    if k > 0
        f(:, k) = f(:, k) + R(:, :, i) * f(:, i);
        m(:, k) = m(:, k) + R(:, :, i) * m(:, i) + times(p(:, i), R(:, :, i) * f(:, i));
    end
end
end

function R = rotation(u, angle)
% Rodrigues' formula.
K = [0, -u(3), u(2); u(3), 0, -u(1); -u(2), u(1), 0];
R = eye(3) + sin(angle) * K + (1 - cos(angle)) * K * K;
end

function z = times(x, y)
% The cross product.
z = [x(2) * y(3) - x(3) * y(2); x(3) * y(1) - x(1) * y(3); x(1) * y(2) - x(2) * y(1)];
end
