#[path = "dalembert.rs"]
mod dalembert;

fn summed(starts: &[usize], length: usize, x: &[f64]) -> f64 {
    let mut sum = 1000.0 * length as f64;
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(length);
        for k in start..end {
            sum += ((i + 1) * (k - start + 1)) as f64 * x[k];
        }
    }
    sum
}

fn main() -> std::process::ExitCode {
    let words: Vec<&'static str> = std::env::args().map(|word| &*word.leak()).collect();
    let mut program = dalembert::Program::new("probe", "1", |m| Ok((m.q_start.clone(), m.nq, m.v_start.clone(), m.nv)));
    program.conventions = vec![(words[1], words[2])];
    program.precision = std::env::var("PROBE_PRECISION").ok().map(|text| &*text.leak());
    program.quantity("potential_energy", |m, s, x| x[0] = summed(&m.0, m.1, s.q));
    program.quantity("kinetic_energy", |m, s, x| x[0] = summed(&m.2, m.3, s.v));
    program.serve()
}
