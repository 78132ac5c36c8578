//! Dynamics of trees of revolute and prismatic joints, by the recursive Newton-Euler algorithm in the bodies' frames.
//! This is an example: replace it by your code.

pub type Vector = [f64; 3];
/// 3x3, row by row.
pub type Matrix = [f64; 9];

/// A body and the joint that carries it. The joint's frame sits in the parent's frame; the body's frame is the joint's at q = 0.
#[derive(Clone)]
pub struct Body {
    /// The parent's index; None for the root. Parents come first.
    pub parent: Option<usize>,
    /// Revolute or prismatic.
    pub turns: bool,
    pub axis: Vector,
    /// From the joint's frame to the parent's.
    pub rotation: Matrix,
    pub translation: Vector,
    pub mass: f64,
    pub com: Vector,
    /// About the centre of mass.
    pub inertia: Matrix,
    pub armature: f64,
    pub damping: f64,
}

#[derive(Clone)]
pub struct Tree {
    pub gravity: Vector,
    pub bodies: Vec<Body>,
}

/// What a body has: its pose in the parent's frame, its motion and the force on it along its own axes.
struct Moving {
    r: Matrix,
    p: Vector,
    /// Angular velocity.
    w: Vector,
    /// Its rate.
    dw: Vector,
    /// The acceleration of the origin less gravity.
    acc: Vector,
    /// Force.
    f: Vector,
    /// Moment about the origin.
    n: Vector,
}

/// The forces tau of the joints for positions q, velocities v and accelerations a.
pub fn inverse_dynamics(tree: &Tree, q: &[f64], v: &[f64], a: &[f64], tau: &mut [f64]) {
    let mut moving: Vec<Moving> = Vec::with_capacity(tree.bodies.len());
    for (i, body) in tree.bodies.iter().enumerate() {
        let turns = scaled(if body.turns { 1.0 } else { 0.0 }, body.axis);
        let slides = scaled(if body.turns { 0.0 } else { 1.0 }, body.axis);
        let r = if body.turns { product(&body.rotation, &rotation(body.axis, q[i])) } else { body.rotation };
        let p = sum(&[body.translation, times(&body.rotation, scaled(q[i], slides))]);
        let (w0, dw0, acc0) = match body.parent {
            Some(k) => (moving[k].w, moving[k].dw, moving[k].acc),
            None => ([0.0; 3], [0.0; 3], scaled(-1.0, tree.gravity)),
        };
        let w1 = transposed_times(&r, w0);
        let w = sum(&[w1, scaled(v[i], turns)]);
        let dw = sum(&[transposed_times(&r, dw0), scaled(a[i], turns), cross(w1, scaled(v[i], turns))]);
        let of_joint = sum(&[acc0, cross(dw0, p), cross(w0, cross(w0, p))]);
        let coriolis = scaled(2.0, cross(w1, scaled(v[i], slides)));
        let acc = sum(&[transposed_times(&r, of_joint), scaled(a[i], slides), coriolis]);
        let of_com = sum(&[acc, cross(dw, body.com), cross(w, cross(w, body.com))]);
        let f = scaled(body.mass, of_com);
        let n = sum(&[times(&body.inertia, dw), cross(w, times(&body.inertia, w)), cross(body.com, f)]);
        moving.push(Moving { r, p, w, dw, acc, f, n });
    }
    for (i, body) in tree.bodies.iter().enumerate().rev() {
        let m = &moving[i];
        let felt = if body.turns { m.n } else { m.f };
        tau[i] = dot(body.axis, felt) + body.armature * a[i] + body.damping * v[i];
        if let Some(k) = body.parent {
            let f = times(&m.r, m.f);
            let n = sum(&[times(&m.r, m.n), cross(m.p, f)]);
            moving[k].f = sum(&[moving[k].f, f]);
            moving[k].n = sum(&[moving[k].n, n]);
        }
    }
}

/// The mass matrix, row by row.
pub fn mass_matrix(tree: &Tree, q: &[f64], m: &mut [f64]) {
    let weightless = Tree { gravity: [0.0; 3], bodies: tree.bodies.clone() };
    let n = tree.bodies.len();
    let (zero, mut unit, mut column) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        unit[j] = 1.0;
        inverse_dynamics(&weightless, q, &zero, &unit, &mut column);
        unit[j] = 0.0;
        for i in 0..n {
            m[n * i + j] = column[i];
        }
    }
}

fn sum(vectors: &[Vector]) -> Vector {
    vectors.iter().fold([0.0; 3], |s, x| [s[0] + x[0], s[1] + x[1], s[2] + x[2]])
}

fn scaled(s: f64, x: Vector) -> Vector {
    [s * x[0], s * x[1], s * x[2]]
}

fn dot(x: Vector, y: Vector) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn cross(x: Vector, y: Vector) -> Vector {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

fn times(a: &Matrix, x: Vector) -> Vector {
    [0, 3, 6].map(|k| a[k] * x[0] + a[k + 1] * x[1] + a[k + 2] * x[2])
}

fn transposed_times(a: &Matrix, x: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] * x[0] + a[k + 3] * x[1] + a[k + 6] * x[2])
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|k| (0..3).map(|j| a[k / 3 * 3 + j] * b[3 * j + k % 3]).sum())
}

/// Rodrigues' formula for a unit axis.
fn rotation(u: Vector, angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    let d = 1.0 - c;
    [
        c + d * u[0] * u[0],
        d * u[0] * u[1] - s * u[2],
        d * u[0] * u[2] + s * u[1],
        d * u[0] * u[1] + s * u[2],
        c + d * u[1] * u[1],
        d * u[1] * u[2] - s * u[0],
        d * u[0] * u[2] - s * u[1],
        d * u[1] * u[2] + s * u[0],
        c + d * u[2] * u[2],
    ]
}
