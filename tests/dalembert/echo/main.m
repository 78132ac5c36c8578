program.name = 'echo';
program.version = '1';
program.load = @loaded_by_test;
program.joint_order = @(names) names;
program.quantities.inverse_dynamics = @(names, s) s.a .* (1:numel(s.a))';
dalembert_serve(program);
