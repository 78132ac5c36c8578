"""Bugs that are written into independent code, in plain NumPy, are named: terms, Jacobians, M, C, regressors, conventions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from wrong_codes import Changed

import dalembert
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.causes.evidence import observations
from cross_check.explain.diagnosis.formulated import slips_like
from cross_check.explain.diagnosis.laboratory import LOOSE, Laboratory, try_sampled
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.coordinates.joints import along_the_joint, of_angles
from cross_check.explain.faults.fault import NO_FAULT
from cross_check.explain.faults.mutants import MutantDynamics, with_forces
from cross_check.explain.faults.terms.factors import OTHERWISE, usual
from cross_check.judge.comparison.sampling import sample
from implementations.plugins.user_code import OneStateFunctions
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

EXAMPLE = (Path(__file__).parents[3] / "docs" / "example.py").read_text("utf-8")


ARM = find_mechanism("random:38:4:prismatic,revolute")
TWO = find_mechanism("random:38:2:revolute")


def code_of(quantity: str, function: Callable[..., Any]) -> Any:
    """Code that answers one quantity by a function of a mechanism and one state."""
    return SimpleNamespace(name="code", load=OneStateFunctions("code.py", {quantity: function}).load)


def assert_explained(code: Any, mechanism: Mechanism, quantity: str, words: str, with_slips: bool = True) -> None:
    """Right code does not explain the answers. A fault with ``words`` in its name does, and at most two others: equal ones.

    Slips of formulations are looked up in tables, which take half a minute for inverse dynamics.
    """
    trial = try_sampled(Laboratory(InProcess(code), "code"), mechanism, 0, 6)
    assert trial.errors(quantity).max() > 1e6
    few = trial.pick(np.argsort(-trial.errors(quantity))[:2])
    slips = slips_like(Symptom(trial, quantity, ""), NO_FAULT) if with_slips else ()
    candidates = [*usual(mechanism), *of_angles(), *along_the_joint(), *slips]
    tried = [fault for fault in candidates if few.errors(quantity, fault).max() <= LOOSE * BAR]
    found = [fault.name for fault in tried if trial.errors(quantity, fault).max() <= LOOSE * BAR]
    assert [name for name in found if words in name]
    assert len(set(found)) <= 3, found


@pytest.mark.slow
def test_every_fault_of_the_list_changes_an_answer() -> None:
    """All quantities that it names, or one of some; on a chain or on a mechanism with every kind of joint."""
    usual_ones = (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "coriolis_matrix",
        "joint_torque_regressor",
        "placements",
    )
    unchanged = {fault.name: {*fault.quantities} for fault in OTHERWISE}
    for spec in ("random:5:6:all", "every-joint"):
        mechanism = find_mechanism(spec)
        states = with_forces(mechanism, sample(mechanism, 0, 20).pick(np.array([9, 12, 14])))
        right = MutantDynamics(NO_FAULT, mechanism)
        for fault in (one for one in OTHERWISE if one.name in unchanged):
            wrong, differ = MutantDynamics(fault, mechanism), set()
            for name in (fault.quantities or usual_ones) if fault.changes(mechanism) else ():
                x = states.arguments(QUANTITIES[name].arguments)
                if differ >= {*fault.quantities} and differ:
                    break
                if not np.allclose(getattr(right, name)(*x), getattr(wrong, name)(*x), rtol=1e-9):
                    differ.add(name)
            if differ >= {*fault.quantities} and differ:
                unchanged.pop(fault.name, None)
    assert unchanged == {}


def example(*changes: tuple[str, str]) -> Callable[..., Any]:
    """The inverse dynamics of docs/example.py with changes of its text."""
    text = EXAMPLE
    for right, wrong in changes:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    scope: dict[str, Any] = {}
    exec(text, scope)
    function: Callable[..., Any] = scope["inverse_dynamics"]
    return function


FRICTION = "m.damping[i] * v[i]"
GYROSCOPIC = "np.cross(w[i], m.inertias[i] @ w[i])"
OF_JOINT, OF_CENTER = "np.cross(w0, np.cross(w0, p[i]))", "np.cross(w[i], np.cross(w[i], m.coms[i]))"
EULER_OF_JOINT, EULER_OF_CENTER = "np.cross(dw0, p[i])", "np.cross(dw[i], m.coms[i])"
TURNING = ("        w[i] = w1", "        W = [np.eye(3)] if i == 0 else W\n        W.append(W[k + 1] @ R[i])\n        w[i] = w1")
MOMENT = "m.inertias[i] @ dw[i] + np.cross(w[i], m.inertias[i] @ w[i])"


def with_inertia(inertia: str) -> tuple[tuple[str, str], ...]:
    return TURNING, (MOMENT, f"{inertia} @ dw[i] + np.cross(w[i], {inertia} @ w[i])")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((GYROSCOPIC, "np.cross(w1, m.inertias[i] @ w[i])"), "as Rᵀ ω_parent × I ω instead"),
        ((GYROSCOPIC, "np.cross(w[i], m.inertias[i - 1] @ w[i])"), "as ω × I_before ω"),
        ((GYROSCOPIC, "np.cross(w[i], (m.inertias[k] if k >= 0 else 0 * R[i]) @ w[i])"), "as ω × I_parent ω"),
        ((OF_JOINT, "np.cross(R[i] @ w[i], np.cross(R[i] @ w[i], p[i]))"), "as moved(α_parent, ω, r) instead"),
        ((EULER_OF_CENTER, "np.cross(R[i].T @ dw0, m.coms[i])"), "as moved(α_parent, ω, c_0) instead"),
        ((EULER_OF_CENTER, f"2 * {EULER_OF_CENTER}"), "the tangential acceleration of the centre of mass, counts twice"),
        (("dw[i] = R[i].T @ dw0 + ", "dw[i] = "), "the angular acceleration of the parent, is left out"),
        ((' if m.kinds[i] == "revolute" else f[i]', ""), "the force of a prismatic joint is the moment about its axis"),
    ],
)
def test_a_wrong_term_of_inverse_dynamics_is_explained(change: tuple[str, str], words: str) -> None:
    assert_explained(code_of("inverse_dynamics", example(change)), ARM, "inverse_dynamics", words)


@pytest.mark.parametrize(
    ("factor", "words"), [("np.abs(v[i]) * v[i]", "damping · |v| v instead"), ("np.sign(v[i])", "damping · sign(v) instead")]
)
def test_friction_that_is_not_proportional_to_speed_is_explained(factor: str, words: str) -> None:
    code = code_of("inverse_dynamics", example((FRICTION, f"m.damping[i] * {factor}")))
    assert_explained(code, ARM, "inverse_dynamics", words, with_slips=False)


@pytest.mark.parametrize(
    ("change", "agrees", "growth"),
    [
        ((FRICTION, f"2 * {FRICTION}"), {"without damping"}, "2 times"),
        ((GYROSCOPIC, f"2 * {GYROSCOPIC}"), {"point masses", "masses at the origins", "bodies without mass"}, "4 times"),
    ],
    ids=["damping", "ω × I ω"],
)
def test_experiments_show_on_what_a_wrong_term_depends(change: tuple[str, str], agrees: set[str], growth: str) -> None:
    trial = try_sampled(Laboratory(InProcess(code_of("inverse_dynamics", example(change))), "code"), ARM, 0, 18)
    seen = {one.asked: one.seen for one in observations(trial, "inverse_dynamics")}
    assert {asked for asked, said in seen.items() if said == "agrees"} == {"nothing moves", "accelerations alone", *agrees}
    assert seen["velocities twice as large"] == f"{growth} as far off"
    assert {"everything as it is", "velocities alone", "without gravity"} <= seen.keys()


SPRING = (FRICTION, f"{FRICTION} + 7 * q[i] * (i == 1)")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([SPRING], f"joint {TWO.coordinates[1]} has a spring: 7 · q"),
        (with_inertia("(W[-1].T @ W[-1].T @ m.inertias[i] @ W[-1] @ W[-1])"), "Rᵀ I R instead of R I Rᵀ"),
    ],
)
def test_a_check_names_it(changes: Any, words: str) -> None:
    code = code_of("inverse_dynamics", example(*changes))
    (cause,) = dalembert.check(TWO, [code], in_process=True, quantities=("inverse_dynamics",)).causes
    assert words in cause.sentence


# Kinematics and matrices


def kinematics(mechanism: Mechanism, q: Any) -> tuple[Any, Any, Any]:
    """R (n, 3, 3), p (n, 3) and the aligned Jacobians (n, 6, nv) of revolute and prismatic joints."""
    m = mechanism.arrays
    R, p, J = np.zeros((len(q), 3, 3)), np.zeros((len(q), 3)), np.zeros((len(q), 6, len(q)))
    for i, (kind, axis) in enumerate(zip(m.kinds, m.axes, strict=True)):
        k = m.parents[i]
        R0, p0 = (R[k], p[k]) if k >= 0 else (np.eye(3), np.zeros(3))
        frame, x, y, z = R0 @ m.rotations[i], *axis
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turns = kind == "revolute"
        R[i] = frame @ (np.eye(3) + np.sin(q[i]) * K + (1 - np.cos(q[i])) * K @ K) if turns else frame
        p[i] = p0 + R0 @ m.translations[i] + (0 if turns else frame @ axis * q[i])
        if k >= 0:
            J[i] = J[k]
            J[i, 3:] += np.cross(J[k, :3], p[i] - p0, axis=0)
        J[i, :, i] = np.concatenate([frame @ axis, 0 * axis] if turns else [0 * axis, frame @ axis])
    return R, p, J


def bodywise(change: Callable[..., Any]) -> Callable[..., Any]:
    return lambda mechanism, q, *rest: change(mechanism.arrays, *kinematics(mechanism, q), *rest)


def mass_matrix(
    inertia: Callable[[Any, Any], Any] = lambda R, I: R @ I @ R.T, parallel: float = 1, mass: float = 1, lever: float = 1
) -> Any:
    """M as a sum over bodies, with wrong parts."""

    def answer(mechanism: Mechanism, q: Any) -> Any:
        m, (R, _, J) = mechanism.arrays, kinematics(mechanism, q)
        M = np.diag(m.armature)
        for i, w in enumerate(J[:, :3]):
            c = R[i] @ m.coms[i]
            v = J[i, 3:] + lever * np.cross(w, c, axis=0)
            M = M + mass * m.masses[i] * v.T @ v + w.T @ inertia(R[i], m.inertias[i]) @ w
            # The parallel-axis term is that of the angular velocity alone.
            M = M + (parallel - 1) * m.masses[i] * np.cross(w, c, axis=0).T @ np.cross(w, c, axis=0)
        return M

    return answer


def test_the_kinematics_of_this_file_are_right() -> None:
    for name, function in {
        "placements": lambda m, q: np.concatenate([kinematics(m, q)[0], kinematics(m, q)[1][..., None]], -1),
        "jacobians_aligned": lambda m, q: kinematics(m, q)[2],
        "mass_matrix": mass_matrix(),
    }.items():
        assert try_sampled(Laboratory(InProcess(code_of(name, function)), "code"), ARM, 0, 6).errors(name).max() < BAR, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (mass_matrix(inertia=lambda R, I: R @ I), "as R I instead of R I Rᵀ"),
        (mass_matrix(inertia=lambda R, I: I), "as I instead of R I Rᵀ"),
        (mass_matrix(inertia=lambda R, I: R.T @ I @ R), "Rᵀ I R instead of R I Rᵀ"),
        (mass_matrix(mass=0), "m J_cᵀ J_c, translational inertia, in M, is left out"),
        (mass_matrix(lever=0), "the lever of the centre of mass in the Jacobian, is left out"),
        (mass_matrix(parallel=0), "parallel-axis term in M is left out"),
        (
            lambda m, q: -mass_matrix()(m, q) + 2 * np.diag(np.diag(mass_matrix()(m, q))),
            "M off the diagonal of the joints has the wrong sign",
        ),
    ],
)
def test_a_wrong_mass_matrix_is_explained(function: Any, words: str) -> None:
    assert_explained(code_of("mass_matrix", function), ARM, "mass_matrix", words)


def lever(m: Any, R: Any) -> Any:
    """The centres of mass from the origins (n, 3), along the root's axes."""
    return np.einsum("nij,nj->ni", R, m.coms)


def of_centers(m: Any, R: Any, p: Any, J: Any) -> Any:
    return np.stack([np.concatenate([x[:3], x[3:] + np.cross(x[:3], c, axis=0)]) for x, c in zip(J, lever(m, R), strict=True)])


AT_CENTERS = "placements are those of the centres"


def placed_at_centers(m: Any, R: Any, p: Any, J: Any) -> Any:
    return np.concatenate([R, (p + lever(m, R))[..., None]], -1)


def without_own(m: Any, R: Any, p: Any, J: Any) -> Any:
    return J * (1 - np.eye(len(J)))[:, None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantity", "change", "words"),
    [
        ("jacobians_aligned", of_centers, "of bodies are those of their centres of mass"),
        ("jacobians_aligned", without_own, "lack the columns of the body's own joint"),
        ("velocities_world", lambda m, R, p, J, v: J @ v, "aligned"),
        ("velocities_aligned", lambda m, R, p, J, v: of_centers(m, R, p, J) @ v, "of bodies are those of their centres of mass"),
        ("drifts_aligned", lambda m, R, p, J, v: 0 * (J @ v), "J̇ v is zero"),
        ("placements", placed_at_centers, AT_CENTERS),
        ("center_of_mass", lambda m, R, p, J: (p + lever(m, R)).mean(axis=0), "without"),
        ("center_of_mass", lambda m, R, p, J: p.mean(axis=0), "the mean of the bodies' origins"),
        ("center_of_mass", lambda m, R, p, J: m.masses @ p / m.masses.sum(), "origins, with their masses"),
    ],
)
def test_wrong_kinematics_are_explained(quantity: str, change: Callable[..., Any], words: str) -> None:
    assert_explained(code_of(quantity, bodywise(change)), ARM, quantity, words, with_slips=False)


@pytest.mark.nightly
def test_no_slip_of_a_formulation_has_its_placements_at_the_centers() -> None:
    assert_explained(code_of("placements", bodywise(placed_at_centers)), ARM, "placements", AT_CENTERS)


def test_absolute_angles_are_explained() -> None:
    """Code whose angles are those to the ground, in a chain of two revolute joints."""
    right, A = example(), np.array([[1.0, 0], [1, 1]])
    back = np.linalg.inv(A)

    def absolute(m: Mechanism, q: Any, v: Any, a: Any) -> Any:
        return back.T @ right(m, back @ q, back @ v, back @ a)

    assert_explained(code_of("inverse_dynamics", absolute), TWO, "inverse_dynamics", "angles are absolute", with_slips=False)


def about_centers(m: Mechanism, Y: Any, *state: Any) -> Any:
    """Columns of a frame at the centre of mass, by the parameters (about the origin) that a unit of each stands for."""
    columns = []
    for i, c in enumerate(m.arrays.coms):
        for k in range(10):
            unit = np.eye(10)[k]
            mass, s, (xx, yy, zz, xy, xz, yz) = unit[0], unit[1:4], unit[4:]
            moved = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            moved = (
                moved + mass * (c @ c * np.eye(3) - np.outer(c, c)) + 2 * (c @ s) * np.eye(3) - np.outer(c, s) - np.outer(s, c)
            )
            there = [mass, *(mass * c + s), *np.diag(moved), moved[0, 1], moved[0, 2], moved[1, 2]]
            columns.append(Y[..., 10 * i : 10 * i + 10] @ there)
    return np.stack(columns, -1)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("quantity", "change", "words"),
    [
        ("joint_torque_regressor", about_centers, "about the centres of mass"),
        ("coriolis_matrix", lambda m, C, q, v: REFERENCE.load(m).inverse_dynamics_dv(q, v), "C is ∂h/∂v"),
        (
            "coriolis_matrix",
            lambda m, C, q, v: REFERENCE.load(m).inverse_dynamics_dv(q, v) / 2,
            "C is half of ∂h/∂v, which contains damping",
        ),
        ("coriolis_matrix", lambda m, C, q, v: C + np.diag(m.arrays.damping), "C contains damping"),
    ],
)
def test_wrong_regressors_and_coriolis_matrices_are_explained(quantity: str, change: Callable[..., Any], words: str) -> None:
    assert_explained(Changed(lambda m, name, x, given: change(m, x, *given)), ARM, quantity, words)
