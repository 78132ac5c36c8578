mod dalembert;
fn main() -> std::process::ExitCode {
    let mut program = dalembert::Program::new("echo", "1", |m| {
        println!("noise");
        if m.name == "refused" { return dalembert::unsupported(format!("not {}", m.joints[0])); }
        if m.name == "failed" { String::from_utf8(vec![255])?; }
        if m.name == "thrown" { panic!("no number"); }
        for one in &m.constraints {
            assert_eq!((one.first, one.second, one.directions.join(" ").as_str()), (0, -1, "wx wz vy"));
            assert_eq!(m.arrays["second_translations"], [1.0, 2.0, 3.0]);
        }
        Ok(m.joints.iter().rev().cloned().collect::<Vec<_>>())
    });
    program.joint_order = Some(Box::new(|names| names.clone()));
    program.quantity("inverse_dynamics", |_, s, tau| {
        for k in 0..tau.len() { tau[k] = s.a[k] * (k + 1) as f64; }
    });
    program.quantity("impact_velocity_plastic", |_, s, v| v.copy_from_slice(s.v_minus));
    program.serve()
}
