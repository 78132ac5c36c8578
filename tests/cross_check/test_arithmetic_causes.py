"""Arithmetic that makes answers inexact is named with its numbers, and correct code is never accused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from altered import Altered
from inexact_code import ARM, DQ, FD, ID, Array, M, Trigonometry, around, explained, single, trial_of
from wrong_codes import Code

from cross_check.explain.diagnosis.digits import Arithmetic, explain_arithmetic
from cross_check.explain.diagnosis.digits.deviation import Deviation
from cross_check.explain.diagnosis.digits.differences import Differences
from cross_check.explain.diagnosis.digits.rounding import roundings
from cross_check.explain.diagnosis.laboratory import Laboratory, try_states
from cross_check.explain.diagnosis.words import kind_of
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.comparison.sampling import sample
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Real
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Body, Frame, Inertia, Joint, Mechanism, Placement, find_mechanism
from mechanisms.quantities import INTEGRATION, QUANTITIES, base_of
from mechanisms.states import integrate

# Rounding

ROUNDED = [
    ("a is rounded to float16", around(lambda q, v, a: (q, v, a.astype(np.float16).astype(float)))),
    ("v is rounded to float32 and answers are rounded to float32", around(lambda q, v, a: (q, single(v), a), single)),
    ("answers are rounded to 4 decimals", around(answer=lambda x: np.round(x, 4))),
    ("q is rounded to 6 decimals", around(lambda q, *x: (np.round(q, 6), *x))),
    ("π is 3.1416 where angles are converted from degrees", around(lambda q, *x: (q / np.pi * 180 / 180 * 3.1416, *x))),
    ("π is 3.1416 where angles are wrapped to one turn", around(lambda q, *x: (q - 6.2832 * np.round(q / 6.2832), *x))),
    (
        "gravity is 9.8 m/s² instead of 9.81 m/s²",
        Code(lambda m, right: {ID: REFERENCE.load(dataclasses.replace(m, gravity=("0", "0", "-9.8"))).inverse_dynamics}),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sentence", "code"), ROUNDED)
def test_what_is_rounded_is_named_and_predicts_every_answer(sentence: str, code: Code) -> None:
    found = explained(code)
    assert found.sentence == sentence
    assert found.is_fault
    assert found.tried == 18 * 3
    assert all(kind_of(fault) == "arithmetic" for fault in found.faults)
    for fault in found.faults[:1]:
        assert trial_of(code).errors(ID, fault).max() < 16


def test_what_rounds_the_mechanism() -> None:
    def rounded(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        bodies = tuple(
            dataclasses.replace(b, inertia=Inertia(*(round_all(x) for x in (b.inertia.mass, b.inertia.com, b.inertia.about_com))))
            for b in mechanism.bodies
        )
        return {ID: REFERENCE.load(dataclasses.replace(mechanism, bodies=bodies, physical=False)).inverse_dynamics}

    def round_all(x: Any) -> Any:
        return tuple(map(round_all, x)) if isinstance(x, tuple) else float(f"{float(x):.4g}")

    # The arm's numbers with digits that are lost.
    arm = find_mechanism(ARM)
    longer = tuple(
        dataclasses.replace(b, inertia=Inertia(b.inertia.mass / 3, b.inertia.com, tuple(x / 3 for x in b.inertia.about_com)))
        for b in arm.bodies
    )
    found = explained(Code(rounded), ID, dataclasses.replace(arm, bodies=longer))
    assert found.sentence == "masses, centres of mass and inertias are rounded to 4 significant digits"


@pytest.mark.slow
@pytest.mark.parametrize("quantity", [ID, M])
def test_float32_inside(quantity: str) -> None:
    assert explained(Reference(Real(np.float32)), quantity).sentence == f"{quantity} is computed in float32 somewhere"


# Sines


def table(entries: int, linear: bool) -> Callable[[Array], tuple[Array, Array]]:
    angles = np.arange(entries + 1) * 2 * np.pi / entries

    def functions(q: Array) -> tuple[Array, Array]:
        x = np.remainder(q, 2 * np.pi)
        if linear:
            return np.interp(x, angles, np.cos(angles)), np.interp(x, angles, np.sin(angles))
        k = np.rint(x / (2 * np.pi) * entries).astype(int)
        return np.cos(angles)[k], np.sin(angles)[k]

    return functions


def small_angles(limit: float) -> Callable[[Array], tuple[Array, Array]]:
    return lambda q: (
        np.where(np.abs(q) < limit, 1 - q * q / 2, np.cos(q)),
        np.where(np.abs(q) < limit, q, np.sin(q)),
    )


SINES = [
    ("sin q is taken as q, cos q as 1", lambda q: (1 + 0 * q, q)),
    ("sin q is taken as q − q³/6, cos q as 1 − q²/2", lambda q: (1 - q * q / 2, q - q**3 / 6)),
    ("sin q is taken as q, cos q as 1 − q²/2 where |q| < 0.01", small_angles(0.01)),
    ("sines and cosines come from a table of 360 entries a turn, to the nearest", table(360, False)),
    ("sines and cosines come from a table of 4096 entries a turn, by linear interpolation", table(4096, True)),
    ("sines and cosines are approximate", lambda q: (np.cos(q) + 1e-6 * np.sin(q) ** 2, np.sin(q))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sentence", "functions"), SINES)
def test_approximate_sines(sentence: str, functions: Any) -> None:
    assert explained(Reference(Trigonometry(functions))).sentence == sentence


# Finite differences


def _displaced(mechanism: Mechanism, f: Callable[..., Array], q: Array, *rest: Array, step: float, central: bool) -> Array:
    """The difference of f by q, one column per coordinate."""
    columns = []
    for unit in np.eye(mechanism.nv) * step:
        ahead, behind = (integrate(mechanism, q, np.broadcast_to(s * unit, (len(q), mechanism.nv))) for s in (1, -1))
        low, distance = (behind, 2 * step) if central else (q, step)
        columns.append((f(ahead, *rest) - f(low, *rest)) / distance)
    return np.stack(columns, axis=-1)


def difference(base: str, step: float, central: bool) -> Code:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        return {f"{base}_dq": partial(_displaced, mechanism, getattr(right, base), step=step, central=central)}

    return Code(make)


def step_of(found: Arithmetic) -> float:
    return float(found.sentence.partition(" with the step ")[2])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "step", "kind", "tolerance"),
    [(ID, 1e-6, "forward", 1e-2), (FD, 1e-3, "central", 1e-2), (ID, 1e-7, "forward", 1e-6), (ID, 1e-6, "central", 1e-6)],
)
def test_finite_differences(base: str, step: float, kind: str, tolerance: float) -> None:
    """Steps that rounding hides show in the digits, which are those of the step itself."""
    found = explained(difference(base, step, kind == "central"), f"{base}_dq")
    assert step_of(found) == pytest.approx(step, rel=tolerance)
    assert f"is a {kind} difference of the {base.replace('_', ' ')} by q" in found.sentence


def differences(step: float, central: bool) -> Code:
    """Quantities whose differences are no whole multiples of anything: sums of several, and those of zeros."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        by_q = partial(_displaced, mechanism, step=step, central=central)

        def coriolis_matrix(q: Array, v: Array) -> Array:
            dM = by_q(right.mass_matrix, q)
            sums = (np.einsum(indices, dM, v) for indices in ("bijk,bk->bij", "bikj,bk->bij", "bjki,bk->bij"))
            return (next(sums) + next(sums) - next(sums)) / 2

        def drifts_aligned(q: Array, v: Array) -> Array:
            ahead, behind = (right.jacobians_aligned(integrate(mechanism, q, s * step * v)) for s in (1, -1 if central else 0))
            return np.einsum("bijk,bk->bij", ahead - behind, v) / (2 * step if central else step)

        return {
            "coriolis_matrix": coriolis_matrix,
            "drifts_aligned": drifts_aligned,
            "gravity": lambda q: by_q(right.potential_energy, q),
            "velocities_dq_local": lambda q, v: by_q(right.velocities_local, q, v),
            "forward_dynamics_dq": lambda q, v, tau: by_q(right.forward_dynamics, q, v, tau),
        }

    return Code(make)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("quantity", "of_what", "step", "central"),
    [
        ("coriolis_matrix", "the mass matrix by q", 1e-5, True),
        ("drifts_aligned", "the aligned velocities by time", 1e-6, True),
        ("gravity", "the potential energy by q", 1e-8, False),
        ("velocities_dq_local", "the local velocities by q", 1e-6, True),
        ("forward_dynamics_dq", "the forward dynamics by q", 1e-7, False),
    ],
)
def test_steps_show_where_they_vanish(quantity: str, of_what: str, step: float, central: bool) -> None:
    found = explained(differences(step, central), quantity)
    assert found.is_fault
    assert step_of(found) == pytest.approx(step, rel=0.03)
    assert f" difference of {of_what} with the step " in found.sentence
    assert f"a {'forward' if central else 'central'} difference" not in found.sentence


@pytest.mark.slow
def test_a_fault_beside_a_difference_is_not_hidden() -> None:
    """It is larger than what rounding does to the difference."""
    own = differences(1e-6, True)
    code = Altered(("coriolis_matrix",), of=own, coriolis_matrix=lambda C, q, v: C + 1e-5 * v[:, :1, None] * np.eye(v.shape[1]))
    found = explain_arithmetic(trial_of(code), "coriolis_matrix")
    assert found is None or "difference" not in found.sentence


def test_a_difference_of_a_linear_function_has_no_truncation_error() -> None:
    """Then nothing says which difference it is."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def by_velocity(q: Array, v: Array) -> Array:
            f = partial(right.inverse_dynamics, q)
            return np.stack([(f(v + unit, 0 * v) - f(v, 0 * v)) / 1e-4 for unit in 1e-4 * np.eye(mechanism.nv)], axis=-1)

        return {"inverse_dynamics_dv": by_velocity}

    def slide(k: int) -> Body:
        joint = Joint(f"slide {k}", "prismatic", axis=tuple(int(i == k) for i in range(3)), damping=(3, 5, 7)[k])
        return Body(f"body {k}", f"body {k - 1}" if k else "world", joint, Inertia(k + 1))

    gantry = Mechanism("gantry", tuple(map(slide, range(3))))
    states = sample(gantry, 0, 720)
    ordinary = states.pick(np.array([k for k, kind in enumerate(states.kinds) if kind == "random"][:40]))
    trial = try_states(Laboratory(InProcess(Code(make)), "mine"), gantry, ordinary)
    found = explain_arithmetic(trial, "inverse_dynamics_dv")
    assert found is not None
    assert found.sentence.endswith("is a difference of the inverse dynamics by v at points that are 0.0001 apart")


def test_answers_that_are_zero_far_away_are_no_difference() -> None:
    """Code that takes every angle beyond a limit for zero has zeros there, too."""
    code = Altered(("gravity",), gravity=lambda g, q: np.where(np.abs(q).max(axis=1, keepdims=True) < 1e4, g, 0))
    found = explain_arithmetic(trial_of(code), "gravity")
    assert found is None or "difference" not in found.sentence


def test_code_that_fails_far_away_is_asked_there_once() -> None:
    """Code that wraps angles turn by turn does not end there."""
    asked = []

    def answer(name: str, exact: Array, q: Array, *rest: Array) -> Array:
        if np.abs(q).max() > 1e9:
            asked.append(name)
            raise ArithmeticError("too many turns")
        return exact * (1 + 1e-9 * np.sin(q).sum())

    quantities = ("gravity", "gravity_dq")
    trial = trial_of(Altered(quantities, **{name: partial(answer, name) for name in quantities}))
    for quantity in quantities:
        found = explain_arithmetic(trial, quantity)
        assert found is None or "difference" not in found.sentence
    assert asked == ["gravity"]


@pytest.mark.parametrize("quantity", [name for name, one in QUANTITIES.items() if base_of(one) and name not in INTEGRATION])
def test_what_is_differenced_has_this_derivative(quantity: str) -> None:
    """Aligned accelerations have ω × v besides."""
    mechanism = find_mechanism(ARM)
    with_frame = dataclasses.replace(mechanism, frames=(Frame("tool", "weld", 2, Placement(translation=("0.1", "0.2", 0))),))
    off = Deviation(trial_of(REFERENCE, with_frame, 8), quantity)
    answers = Differences.of(off)
    assert answers
    tame = [1, 2, 6, 7]
    seen = answers.predicted(1e-5, "central")
    true = seen if quantity == "coriolis_matrix" else off.true
    is_derivative = np.abs(seen - true)[tame].max() < 1e-5 * np.abs(true)[tame].max()
    assert answers.sizes.shape == off.answer.shape
    assert is_derivative == (not quantity.endswith("accelerations_aligned"))


def test_gravity_as_a_difference_of_the_potential_energy() -> None:
    assert "central difference of the potential energy" in explained(differences(1e-4, True), "gravity").sentence


# Solvers


def solved(solve: Callable[[Array, Array], Array]) -> Code:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
            pairs = zip(right.mass_matrix(q), tau - right.nonlinear_effects(q, v), strict=True)
            return np.array([solve(A, b) for A, b in pairs])

        return {FD: forward_dynamics, M: right.mass_matrix}

    return Code(make)


def conjugate_gradients(tolerance: float, most: int) -> Callable[[Array, Array], Array]:
    def solve(A: Array, b: Array) -> Array:
        x, r = np.zeros_like(b), b.copy()
        p = r.copy()
        for _ in range(most):
            if np.linalg.norm(r) <= tolerance * np.linalg.norm(b):
                break
            α = r @ r / (p @ A @ p)
            x, new = x + α * p, r - α * (A @ p)
            p, r = new + (new @ new) / (r @ r) * p, new
        return x

    return solve


def gauss_seidel(A: Array, b: Array) -> Array:
    x = np.zeros_like(b)
    for _ in range(6):
        for i in range(len(b)):
            x[i] += (b[i] - A[i] @ x) / A[i, i]
    return x


def to_an_absolute_residual(A: Array, b: Array) -> Array:
    return conjugate_gradients(2e-5 / np.linalg.norm(b), 99)(A, b) if b.any() else b


BY_CONJUGATE_GRADIENTS = "forward_dynamics is solved by conjugate gradients, which stops"
SOLVERS = [
    (f"{BY_CONJUGATE_GRADIENTS} after 2 iterations", conjugate_gradients(0, 2), ARM),
    (f"{BY_CONJUGATE_GRADIENTS} at a relative residual of 1e-06", conjugate_gradients(1e-6, 99), "stanford-arm"),
    (f"{BY_CONJUGATE_GRADIENTS} at an absolute residual of 2e-05", to_an_absolute_residual, "stanford-arm"),
    ("forward_dynamics is solved by Gauss–Seidel iterations, which stops after 6 iterations", gauss_seidel, ARM),
    (
        "1e-06 is added to the diagonal elements of M before forward_dynamics is solved",
        lambda A, b: np.linalg.solve(A + 1e-6 * np.eye(len(b)), b),
        ARM,
    ),
    (
        "forward_dynamics is computed in float32 somewhere",
        lambda A, b: np.linalg.solve(A.astype(np.float32), b.astype(np.float32)),
        ARM,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sentence", "solve", "spec"), SOLVERS)
def test_loose_solvers(sentence: str, solve: Callable[[Array, Array], Array], spec: str) -> None:
    assert explained(solved(solve), FD, spec).sentence == sentence


def test_cancellation() -> None:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def mass_matrix(q: Array) -> Array:
            columns = (right.inverse_dynamics(q, 0 * q, 0 * q + unit) - right.gravity(q) for unit in np.eye(mechanism.nv))
            return np.stack(list(columns), axis=-1)

        return {M: mass_matrix}

    heavy = dataclasses.replace(find_mechanism(ARM), gravity=(0, 0, -9810))
    assert "by cancellation" in explained(Code(make), M, heavy).sentence


# Correct code

ILL = Mechanism(
    "ill-conditioned",
    tuple(
        Body(
            f"b{k}",
            f"b{k - 1}" if k else "world",
            Joint(f"j{k}", "revolute", (0, 1, 0)),
            Inertia(100**k, (1, 0, 0), (1,) * 3 + (0,) * 3),
        )
        for k in range(5)
    ),
)
"""Every body is a hundred times as heavy as the one that carries it."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "mechanism"),
    [(REFERENCE, ILL), (NEWTON_EULER, ILL), (SCREWS, ARM), pytest.param("pinocchio", ILL, marks=pytest.mark.engines)],
    ids=["reference", "Newton and Euler", "screws", "Pinocchio"],
)
def test_correct_code_is_not_accused(code: Any, mechanism: Any) -> None:
    if isinstance(code, str):
        code = find_implementation(code)
    trial = trial_of(code, mechanism, 18)
    for quantity in (ID, M, FD, "gravity", DQ, "forward_dynamics_dq", "forward_dynamics_dtau"):
        found = explain_arithmetic(trial, quantity)
        assert found is None or not found.is_fault, found


def test_an_explicit_inverse_is_no_fault() -> None:
    found = explained(solved(lambda A, b: np.linalg.inv(A) @ b), FD, ILL)
    assert "an explicit inverse of M" in found.sentence
    assert not found.is_fault
    assert found.observations[-1].asked.startswith("the condition of M")
    assert float(found.observations[-1].seen) > 1e6


def test_one_rounding_of_an_angle_is_no_fault() -> None:
    """Degrees and back, and one turn. On this arm the rounding is too small to show, so the prediction itself is compared."""
    trial = trial_of(around(lambda q, *x: (np.radians(np.degrees(q)), *x)))
    off = Deviation(trial, ID)
    words = {rounding.words for rounding in roundings(off) if not rounding.is_fault}
    assert words == {
        "angles are rounded once: they are converted to degrees and back",
        "angles are rounded once: they are wrapped to one turn",
    }
    back = next(rounding for rounding in roundings(off) if "degrees and back" in rounding.words)
    np.testing.assert_array_equal(back.predict(off.mechanism, ID, off.arguments), off.answer)
    found = explain_arithmetic(trial, ID)
    assert found is None or not found.is_fault


@pytest.mark.nightly
def test_faults_of_mechanics_are_no_arithmetic() -> None:
    mechanism = find_mechanism(ARM)
    tried = 0
    for fault in FAULTS[::6]:
        if fault.group in ("precision", "thresholds", "limits") or not fault.changes(mechanism):
            continue
        trial = trial_of(Mutant(fault), mechanism, 18)
        if trial.errors(ID).max() > 16:
            tried += 1
            assert explain_arithmetic(trial, ID) is None, fault.name
    assert tried > 5


def test_answers_that_agree_and_quantities_that_are_not_offered_have_no_arithmetic() -> None:
    assert explain_arithmetic(trial_of(REFERENCE), ID) is None
    assert explain_arithmetic(trial_of(Altered((M,))), ID) is None
