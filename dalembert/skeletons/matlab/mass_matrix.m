function M = mass_matrix(tree, q)
%MASS_MATRIX  Its columns are the forces for unit accelerations, without gravity.

n = numel(q);
tree.gravity = zeros(3, 1);
unit = eye(n);
M = zeros(n);
for j = 1:n
    M(:, j) = inverse_dynamics(tree, q, zeros(n, 1), unit(:, j));
end
end
