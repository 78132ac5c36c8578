program.name = 'probe';
program.version = '1';
program.conventions = struct(getenv('PROBE_NAME'), getenv('PROBE_VALUE'));
program.precision = getenv('PROBE_PRECISION');
program.load = @(m) m;
program.quantities.potential_energy = @(m, s) summed(m.q_start, m.nq, s.q);
program.quantities.kinetic_energy = @(m, s) summed(m.v_start, m.nv, s.v);
dalembert_serve(program);
