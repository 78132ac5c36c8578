% Lets dalembert ask inverse_dynamics and mass_matrix. Replace what stands between the two marks by calls of your code.

% glue begins
program.name = 'my_dynamics';
program.version = '1.0';
program.joints = {'revolute', 'prismatic'};
program.load = @(m) struct('parents', m.parents, 'turns', strcmp(m.kinds, 'revolute'), 'axes', m.axes, ...
    'rotations', m.rotations, 'translations', m.translations, 'masses', m.masses, 'coms', m.coms, ...
    'inertias', m.inertias, 'armature', m.armature, 'damping', m.damping, 'gravity', m.gravity);
program.quantities.inverse_dynamics = @(tree, s) inverse_dynamics(tree, s.q, s.v, s.a);
program.quantities.mass_matrix = @(tree, s) mass_matrix(tree, s.q);
dalembert_serve(program);
% glue ends
