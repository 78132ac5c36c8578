"""Too few digits: float32, finite differences, approximate functions, loose solvers, rounding and thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from score.changes import answer, ask, ask_at, everything, sliding
from score.entry import CART, DYNAMICS, STANFORD, TREE, fault
from score.library.model import Array
from score.library.root_frame import ArticulatedBodies, RootFrame
from score.library.three_vectors import JacobianSums
from score.words import DIFFERENCE, FLOAT32, Topic

DIGITS = Topic("arithmetic", FLOAT32)
DIFFERENCES = Topic("arithmetic", DIFFERENCE)
FORWARD = ("forward_dynamics", "mass_matrix", "nonlinear_effects")


def single(x: Array) -> Array:
    return x.astype(np.float32).astype(np.float64)


def numbers(code: Any, change: Callable[[Array], Array]) -> None:
    """Every number of the model is changed."""
    code.model.gravity = change(code.model.gravity)
    for link in code.model.links:
        for name in ("R", "p", "com", "inertia", "turn", "slide"):
            setattr(link, name, change(getattr(link, name)))
        for name in ("mass", "armature", "damping"):
            setattr(link, name, float(change(np.array(getattr(link, name)))))


@fault(DIGITS)
def float32_inputs(code: Any) -> None:
    """The inputs are rounded to float32."""
    ask(code, "qvatf", single)


@fault(DIGITS, on=STANFORD)
def float32_outputs(code: Any) -> None:
    """The answers are rounded to float32."""
    everything(code, single)


@fault(DIGITS, on=TREE)
def float32_model(code: Any) -> None:
    """The numbers of the model are float32."""
    numbers(code, single)


@fault(DIGITS, on=STANFORD, of=RootFrame)
def float32_inputs_and_outputs(code: Any) -> None:
    """Inputs, numbers and answers are float32."""
    for change in (float32_model, float32_inputs, float32_outputs):
        change(code)


@fault(DIGITS)
def float32_sines(code: Any) -> None:
    """Sines and cosines are computed in float32."""
    code.sine, code.cosine = (lambda x: single(np.sin(x))), (lambda x: single(np.cos(x)))


@fault(DIGITS, offers=("mass_matrix", "inverse_dynamics", "gravity"), on=TREE, of=JacobianSums)
def float32_mass_matrix(code: Any) -> None:
    """The mass matrix alone is float32."""
    answer(code, "mass_matrix", lambda M, q: single(M))


@fault(DIGITS, offers=DYNAMICS, on=CART)
def half_precision(code: Any) -> None:
    """Positions are float16."""
    ask(code, "q", lambda x: x.astype(np.float16).astype(np.float64))


@fault(Topic("arithmetic", "sine|sin|trigonometr"), r"approx|Taylor|series|polynomial|small|order", offers=DYNAMICS)
def taylor_sine(code: Any) -> None:
    """The sine and cosine are Taylor polynomials of the ninth and eighth order in the reduced angle."""

    def reduced(x: Array) -> Array:
        return np.remainder(x + np.pi, 2 * np.pi) - np.pi

    def sine(x: Array) -> Array:
        y = reduced(x)
        return y * (1 - y**2 / 6 * (1 - y**2 / 20 * (1 - y**2 / 42 * (1 - y**2 / 72))))

    def cosine(x: Array) -> Array:
        y = reduced(x)
        return 1 - y**2 / 2 * (1 - y**2 / 12 * (1 - y**2 / 30 * (1 - y**2 / 56)))

    code.sine, code.cosine = sine, cosine


@fault(Topic("arithmetic", "sine|sin|trigonometr|table"), r"approx|table|interpol|look", on=STANFORD, offers=DYNAMICS)
def table_of_sines(code: Any) -> None:
    """Sines are interpolated in a table of 4096 entries."""
    x = np.linspace(0, 2 * np.pi, 4097)
    table = np.sin(x)
    code.sine = lambda q: np.interp(np.mod(q, 2 * np.pi), x, table)
    code.cosine = lambda q: np.interp(np.mod(q + np.pi / 2, 2 * np.pi), x, table)


@fault(Topic("arithmetic convention", r"π|pi|3\.14"), offers=DYNAMICS)
def short_pi(code: Any) -> None:
    """Angles are wrapped with 3.14159 for π."""
    pi = 3.14159
    ask(code, "q", lambda x: np.remainder(x + pi, 2 * pi) - pi)


@fault(DIFFERENCES, "forward", offers=("gravity", "potential_energy", "mass_matrix"), on=CART)
def gravity_by_differences(code: Any) -> None:
    """Gravity is a forward difference of the potential energy, of step 1e-6."""
    V, h = code.potential_energy, 1e-6
    code.gravity = lambda q: np.stack([(V(q + h * unit) - V(q)) / h for unit in np.eye(code.model.nq)], axis=1)


@fault(DIFFERENCES, "forward", offers=("inverse_dynamics", "inverse_dynamics_dv"))
def velocity_derivative_by_differences(code: Any) -> None:
    """∂τ/∂v is a forward difference of step 1e-5."""
    right, h = code.inverse_dynamics, 1e-5

    def by_v(q: Array, v: Array) -> Array:
        return np.stack([(right(q, v + h * unit, 0 * v) - right(q, v, 0 * v)) / h for unit in np.eye(code.model.nv)], axis=-1)

    code.inverse_dynamics_dv = by_v


@fault(DIFFERENCES, "central|symmetric", offers=("inverse_dynamics", "inverse_dynamics_dq"), on=STANFORD)
def position_derivative_by_differences(code: Any) -> None:
    """∂τ/∂q is a central difference of step 1e-3."""
    right, h = code.inverse_dynamics, 1e-3

    def by_q(q: Array, v: Array, a: Array) -> Array:
        steps = np.eye(code.model.nq) * h
        return np.stack([(right(q + step, v, a) - right(q - step, v, a)) / (2 * h) for step in steps], axis=-1)

    code.inverse_dynamics_dq = by_q


@fault(DIFFERENCES, offers=("jacobians_aligned", "drifts_aligned", "velocities_aligned"))
def drift_by_differences(code: Any) -> None:
    """J̇ v is a central difference of J v along the motion, of step 1e-4."""
    J, h = code.jacobians_aligned, 1e-4
    code.drifts_aligned = lambda q, v: ((J(q + h * v) - J(q - h * v)) / (2 * h) @ v[:, None, :, None])[..., 0]


@fault(Topic("arithmetic", r"solv|iterat|converg|toleranc|loose|residual"), offers=FORWARD, on=STANFORD)
def loose_solver(code: Any) -> None:
    """Forward dynamics stops conjugate gradients at a relative residual of 1e-6."""

    def conjugate_gradients(M: Array, b: Array) -> Array:
        x, r = np.zeros_like(b), b.copy()
        p, least = r.copy(), 1e-6 * np.linalg.norm(b)
        for _ in range(50):
            if np.linalg.norm(r) <= least:
                break
            step = (r @ r) / (p @ M @ p)
            x, new = x + step * p, r - step * M @ p
            p, r = new + (new @ new) / (r @ r) * p, new
        return x

    code.solve = lambda M, x: np.array([conjugate_gradients(*each) for each in zip(M, x, strict=True)])


@fault(Topic("arithmetic term", r"solv|iterat|converg|toleranc|loose|regulari|residual|diagonal|1e-|10⁻"), offers=FORWARD)
def regularised_solver(code: Any) -> None:
    """Forward dynamics adds 1e-6 to the diagonal of M."""
    right = code.solve
    code.solve = lambda M, x: right(M + 1e-6 * np.eye(M.shape[-1]), x)


@fault(Topic("arithmetic", r"round|digit|decimal"), offers=("placements", "jacobians_local"), on=TREE)
def rounded_placements(code: Any) -> None:
    """Placements are printed with six decimals."""
    answer(code, "placements", lambda P, q: np.round(P, 6))


@fault(Topic("arithmetic model", r"round|digit|decimal"), on=STANFORD, unnamed=".")
def rounded_model(code: Any) -> None:
    """The numbers of the model have three decimals."""
    numbers(code, lambda x: np.round(x, 3))


@fault(Topic("arithmetic condition", r"small|tiny|threshold|below|zero|1e-|10⁻"), offers=DYNAMICS)
def small_answers_are_zero(code: Any) -> None:
    """Answers below 1e-4 are set to zero."""
    everything(code, lambda x: np.where(abs(x) < 1e-4, 0.0, x))


SINES = Topic("arithmetic", r"sine|cosine|root|cancel|sign|sin|cos")


@fault(SINES, on="scara", offers=DYNAMICS, where=lambda link: not sliding(link))
def cosine_from_sine(code: Any) -> None:
    """The sine is the root of 1 − cos², with the right sign."""
    code.sine = lambda x: np.sign(np.sin(x)) * np.sqrt(1 - np.cos(x) ** 2)


@fault(DIGITS, offers=("forward_dynamics", "mass_matrix", "inverse_dynamics"), on=STANFORD, of=ArticulatedBodies)
def float32_forces(code: Any) -> None:
    """Only the force τ goes in as float32."""
    ask(code, "t", single)


@fault(Topic("arithmetic condition", rf"{FLOAT32}|one joint|joint"), where="elbow_joint", unnamed=".")
def float32_of_one_joint(code: Any) -> None:
    """The position of the elbow is float32."""
    ask_at(code, "q", ("elbow_joint",), single)
