"""Arithmetic that makes answers inexact is named with its numbers, and correct code is never accused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from inexact_code import ARM, DQ, FD, ID, Array, Code, M, Trigonometry, around, explained, single, trial_of

from cross_check.diagnosis.arithmetic import explain_arithmetic
from cross_check.diagnosis.digits.deviation import Deviation
from cross_check.diagnosis.digits.roundings import roundings
from cross_check.faults.mutants import Mutant
from cross_check.faults.typical import FAULTS
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Real
from implementations.plugins.registry import find_implementation
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.states import integrate

# Rounding

ROUNDED = [
    ("q is rounded to float32", around(lambda q, *x: (single(q), *x))),
    ("q, v and a are rounded to float32", around(lambda *x: tuple(map(single, x)))),
    ("a is rounded to float16", around(lambda q, v, a: (q, v, a.astype(np.float16).astype(float)))),
    ("answers are rounded to float32", around(answer=single)),
    ("v is rounded to float32 and answers are rounded to float32", around(lambda q, v, a: (q, single(v), a), single)),
    ("answers are rounded to 4 decimals", around(answer=lambda x: np.round(x, 4))),
    ("q is rounded to 6 decimals", around(lambda q, *x: (np.round(q, 6), *x))),
    ("π is 3.14159 where angles are converted from degrees", around(lambda q, *x: (np.degrees(q) * 3.14159 / 180, *x))),
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
    if found.fault:
        assert trial_of(code).errors(ID, found.fault).max() < 16


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
@pytest.mark.parametrize("quantity", [ID, M, FD])
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
    ("sines and cosines are rounded to float32", lambda q: (single(np.cos(q)), single(np.sin(q)))),
    ("sines and cosines are approximate", lambda q: (np.cos(q) + 1e-6 * np.sin(q) ** 2, np.sin(q))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sentence", "functions"), SINES)
def test_approximate_sines(sentence: str, functions: Any) -> None:
    assert explained(Reference(Trigonometry(functions))).sentence == sentence


# Finite differences


def difference(base: str, step: float, central: bool) -> Code:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def by_position(q: Array, *rest: Array) -> Array:
            columns = []
            for unit in np.eye(mechanism.nv) * step:
                ahead = getattr(right, base)(integrate(mechanism, q, np.broadcast_to(unit, rest[0].shape)), *rest)
                behind = getattr(right, base)(
                    integrate(mechanism, q, np.broadcast_to(-unit, rest[0].shape)) if central else q, *rest
                )
                columns.append((ahead - behind) / (2 * step if central else step))
            return np.stack(columns, axis=-1)

        return {f"{base}_dq": by_position}

    return Code(make)


@pytest.mark.slow
@pytest.mark.parametrize(("base", "step", "central"), [(ID, 1e-3, False), (ID, 1e-6, False), (ID, 1e-4, True), (FD, 1e-3, True)])
def test_finite_differences(base: str, step: float, central: bool) -> None:
    found = explained(difference(base, step, central), f"{base}_dq")
    assert found.numbers["step"] == pytest.approx(step, rel=1e-2)
    assert f"is a {'central' if central else 'forward'} difference of the {base.replace('_', ' ')} by q" in found.sentence


@pytest.mark.slow
@pytest.mark.parametrize(("step", "central"), [(1e-7, False), (1e-6, True)])
def test_steps_that_rounding_hides_show_in_the_digits(step: float, central: bool) -> None:
    found = explained(difference(ID, step, central), DQ)
    assert found.numbers["step"] == pytest.approx(step)
    assert ("central" in found.sentence) == central


def test_gravity_as_a_difference_of_the_potential_energy() -> None:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def gravity(q: Array) -> Array:
            steps = 1e-4 * np.eye(mechanism.nv)
            return np.stack([(right.potential_energy(q + h) - right.potential_energy(q - h)) / 2e-4 for h in steps], axis=1)

        return {"gravity": gravity}

    assert "central difference of the potential energy" in explained(Code(make), "gravity").sentence


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


SOLVERS = [
    ("forward_dynamics is solved by conjugate gradients, which stops after 2 iterations", conjugate_gradients(0, 2)),
    ("forward_dynamics is solved by Gauss–Seidel iterations, which stops after 6 iterations", gauss_seidel),
    (
        "1e-06 is added to the diagonal elements of M before forward_dynamics is solved",
        lambda A, b: np.linalg.solve(A + 1e-6 * np.eye(len(b)), b),
    ),
    (
        "forward_dynamics is computed in float32 somewhere",
        lambda A, b: np.linalg.solve(A.astype(np.float32), b.astype(np.float32)),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sentence", "solve"), SOLVERS)
def test_loose_solvers(sentence: str, solve: Callable[[Array, Array], Array]) -> None:
    assert explained(solved(solve), FD).sentence == sentence


@pytest.mark.slow
def test_a_solver_that_stops_at_a_residual() -> None:
    found = explained(solved(conjugate_gradients(1e-6, 99)), FD, "stanford-arm")
    assert found.sentence == "forward_dynamics is solved by conjugate gradients, which stops at a relative residual of 1e-06"


@pytest.mark.slow
def test_a_solver_that_stops_at_an_absolute_residual() -> None:
    def solve(A: Array, b: Array) -> Array:
        return conjugate_gradients(2e-5 / np.linalg.norm(b), 99)(A, b) if b.any() else b

    assert explained(solved(solve), FD, "stanford-arm").sentence.endswith("which stops at an absolute residual of 2e-05")


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
@pytest.mark.parametrize("code", [REFERENCE, NEWTON_EULER, SCREWS, pytest.param("pinocchio", marks=pytest.mark.engines)])
@pytest.mark.parametrize("mechanism", [ILL, ARM], ids=["ill-conditioned", ARM])
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
    assert found.numbers["condition"] > 1e6


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


@pytest.mark.slow
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
    assert explain_arithmetic(trial_of(Code(lambda m, right: {M: right.mass_matrix})), ID) is None
