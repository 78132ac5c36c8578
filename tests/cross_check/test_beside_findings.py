"""For every finding: the engine shows it, it is known, and another fault in the same cell is found.

Faults are planted in what the registered adapter answers, at several sizes and places. A finding without a row in :data:`SHOWN`
fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from cross_check.explain.findings.finding import Finding, Repaired
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.explain.known_faults import Suspect, known_cells
from cross_check.judge.comparison.case import Case, Model, prepare
from cross_check.judge.comparison.kinds import kinds_of
from cross_check.judge.comparison.measure import Measured, measure
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.settings import Settings
from cross_check.part import satisfying
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.protocol import Missing
from mechanisms import WELD, Constraint, Mechanism, Placement, find_mechanism, random_mechanism
from mechanisms.files.by_form import source_of
from mechanisms.files.urdf.read import parse_urdf
from mechanisms.library.extended import framed
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.slow]

STATES = 490

SHOWN: dict[tuple[str, str], tuple[str, str]] = {
    ("pinocchio-kinetic-energy-unaligned-armature", "pinocchio"): ("screws", "kinetic_energy"),
    ("pinocchio-jacobian-time-variation-subspace", "pinocchio"): ("every-joint", "drifts_local"),
    ("pinocchio-kinematic-hessian-order", "pinocchio"): ("ur5", "jacobians_dq_aligned"),
    ("pinocchio-derivatives-subspace", "pinocchio"): ("every-joint", "inverse_dynamics_dq"),
    ("pinocchio-constraint-derivatives-first-column", "pinocchio"): ("four-bar", "constrained_acceleration_dx"),
    ("pinocchio-impulse-second-joint", "pinocchio"): ("slider-crank", "impact_velocity_plastic"),
    ("rbdl-loop-constraint-rows", "rbdl"): ("turnless", "constrained_acceleration"),
    ("pinocchio-acceleration-derivatives-world", "pinocchio"): ("balls", "accelerations_dq_world"),
    ("pinocchio-motion-derivatives-aligned", "pinocchio"): ("ur5", "velocities_dq_aligned"),
    ("pinocchio-kinematic-hessian-local", "pinocchio"): ("balls", "jacobians_dq_local"),
    ("pinocchio-centroidal-map-rate", "pinocchio"): ("stanford-arm", "centroidal_momentum_matrix_rate"),
    ("pinocchio-jexp3-sign", "pinocchio"): ("balls", "integrate_dv"),
    ("pinocchio-jexp6-small-angles", "pinocchio"): ("free-rigid-body", "integrate_dv"),
    ("pinocchio-planar-small-turns", "pinocchio"): ("planar", "integrate"),
    ("pinocchio-angles-from-cosines", "pinocchio"): ("wheels", "difference"),
    ("pinocchio-jexp6-whole-turns", "pinocchio"): ("planar", "integrate_dv"),
    ("rbdl-nonlinear-effects-euler-at-root", "rbdl"): ("gimbal", "nonlinear_effects"),
    ("biorbd-inverse-dynamics-damping", "rbdl"): ("cart-pole", "inverse_dynamics"),
    ("drake-nearly-coordinate-axes", "drake"): ("drawn:0:numbers", "inverse_dynamics"),
    ("drake-nearly-coordinate-axes", "drake-urdf"): ("leaning.urdf", "inverse_dynamics"),
    ("mujoco-nearly-the-same-frame", "mujoco"): ("talos", "frame_placements"),
    ("dart-small-rotation-vectors", "dart"): ("floating-base-link", "mass_matrix"),
    ("dart-small-screws", "dart"): ("screw", "placements"),
    ("dart-small-rotation-vectors", "dart-urdf"): ("anymal-c", "placements"),
    ("dart-inverse-mass-matrix-welds", "dart-urdf"): ("welded.urdf", "forward_dynamics_dtau"),
    ("idyntree-coriolis-matrix-free-base", "idyntree"): ("floating-base-link", "coriolis_matrix"),
    ("idyntree-com-jacobian-digits", "idyntree"): ("stanford-arm", "center_of_mass_jacobian"),
    ("idyntree-com-jacobian-digits", "idyntree-urdf"): ("stanford-arm.urdf", "center_of_mass_jacobian"),
    ("idyntree-coriolis-matrix-free-base", "idyntree-urdf"): ("borinot", "coriolis_matrix"),
    ("jaxsim-potential-energy-sign", "jaxsim"): ("planar-pendulum:2", "potential_energy"),
}
"""By finding and implementation: a mechanism and a quantity that show it."""


def larger(answer: Any, first: Measured) -> Any:
    return answer * (1 + 1e-9)


def without_small_numbers(answer: Any, first: Measured) -> Any:
    """The smaller ones of the numbers that are not roundings, set to zero: those below a thousandth, if there are any."""
    seen = visible(answer, first)
    small = seen & (abs(answer) < 1e-3)
    return np.where(small if small.any() else seen & (abs(answer) <= np.median(abs(answer[seen]))), 0, answer)


def negated(answer: Any, first: Measured) -> Any:
    """The largest number has the other sign."""
    wrong = answer.copy()
    wrong.flat[abs(wrong).argmax()] *= -1
    return wrong


def elsewhere(answer: Any, first: Measured) -> Any:
    """One number is a little larger, in the state that is most right; not in those far away, where little can be seen."""
    seen = visible(answer, first)
    is_far = np.array([kind == "far" for kind in kinds_of(0, len(answer))])
    errors = np.where(seen.reshape(len(answer), -1).any(axis=1) & ~is_far, first.cell.errors, np.inf)
    k = int(errors.argmin())
    wrong = answer.copy()
    one = slice(k, k + 1)
    wrong[one].flat[np.where(seen[one], abs(wrong[one]), 0).argmax()] *= 1 + 1e-9
    return wrong


def visible(answer: Any, first: Measured) -> Any:
    """Which numbers are so large that a billionth of them is more than the bar."""
    assert first.compared is not None
    size = first.compared.magnitude
    return abs(answer) * 1e-9 > 100 * EPSILON * (size if size.shape == answer.shape else abs(answer).max())


PLANTED = {
    "a billionth": larger,
    "small numbers are zero": without_small_numbers,
    "a sign": negated,
    "another component and state": elsewhere,
}
EACH = pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: f"{finding.name}, {finding.implementation}")


def test_every_finding_is_here() -> None:
    assert set(SHOWN) == {(finding.name, finding.implementation) for finding in FINDINGS}


def urdf(middle: str, axis: str = "0 0 1") -> Mechanism:
    """An arm, a fixed or sliding link in the middle, and a tool."""
    moments = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    body = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>{moments}</inertial>'
    links = "".join(f'<link name="{name}">{body}</link>' for name in ("arm", "middle", "tool"))
    limit = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'

    def joint(name: str, kind: str, parent: str, child: str, axis: str) -> str:
        place = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0.5 0 0.2"/><axis xyz="{axis}"/>'
        return f'<joint name="{name}" type="{kind}">{place}{limit}</joint>'

    joints = joint("turn", "revolute", "ground", "arm", axis) + joint("reach", middle, "arm", "middle", "1 0 0")
    return parse_urdf(
        f'<robot name="r"><link name="ground"/>{links}{joints}{joint("hinge", "revolute", "middle", "tool", axis)}</robot>'
    )


def turnless() -> Mechanism:
    """A chain whose ends cannot turn against each other."""
    kinds: Any = ("revolute", "prismatic", "spherical", "universal")
    chain = random_mechanism(0, 6, kinds, shape="chain", tilted_gravity=True, armature=False)
    loop = Constraint("gimbals", "body6", "body1", WELD[:3], Placement(), Placement())
    return replace(chain, constraints=(loop,))


def with_joint(mechanism: Mechanism, name: str) -> Mechanism:
    """The mechanism of one body with another name of the joint, and so with other states: a turn is just below 10⁻⁶."""
    (body,) = mechanism.bodies
    return replace(mechanism, bodies=(replace(body, joint=replace(body.joint, name=name)),))


DRAWN: dict[str, Callable[[], Mechanism]] = {
    "balls": lambda: random_mechanism(5, 2, ("spherical",), shape="chain"),
    "planar": lambda: random_mechanism(5, 2, ("planar",), shape="chain"),
    "wheels": lambda: random_mechanism(5, 2, ("continuous",), shape="chain"),
    "gimbal": lambda: random_mechanism(5, 2, ("euler-zyx",), shape="chain"),
    "screws": lambda: random_mechanism(5, 3, ("revolute", "helical"), shape="chain"),
    "screw": lambda: with_joint(find_mechanism("lead-screw"), "joint1"),
    "turnless": turnless,
    "stanford-arm.urdf": lambda: parse_urdf(source_of(find_mechanism("stanford-arm")).text),
    "leaning.urdf": lambda: parse_urdf(source_of(find_mechanism("drawn:0:numbers")).text),
    "welded.urdf": lambda: urdf("fixed"),
}


def mechanism_of(word: str, quantity: str) -> Mechanism:
    mechanism = DRAWN[word]() if word in DRAWN else find_mechanism(word)
    return framed(mechanism) if quantity.startswith("frame_") and not mechanism.frames else mechanism


@cache
def shown(name: str, implementation: str) -> tuple[Suspect, Any, Measured]:
    """The suspect, the engine's dynamics, and what it answers."""
    word, quantity = SHOWN[name, implementation]
    mechanism, settings = mechanism_of(word, quantity), Settings(states=STATES)
    case: Any = prepare(mechanism.tree, 0, STATES)
    if quantity in CONSTRAINT_QUANTITIES:
        case = satisfying(Model(mechanism), case.states, 0, settings)
        assert isinstance(case, Case)
    else:
        mechanism = mechanism.tree
    dynamics = engine_of(implementation).load(mechanism)
    suspect = Suspect(case, LoadedInProcess(dynamics, mechanism), InProcess(engine_of(implementation)).load, "e", settings)
    return suspect, dynamics, measure(case, suspect.loaded, "e", ALL_QUANTITIES[quantity], settings.bar)


@cache
def engine_of(implementation: str) -> Any:
    return find_implementation(implementation)


def verdict(finding: Finding, alter: Callable[[Any, Measured], Any] | None = None, without: Finding | None = None) -> str:
    """The verdict about the engine's answer, altered, if all its findings are there but one."""
    suspect, dynamics, first = shown(finding.name, finding.implementation)
    _, quantity = SHOWN[finding.name, finding.implementation]
    mechanism, loaded = suspect.case.mechanism, suspect.loaded
    if alter is not None:
        assert first.answer is not None
        wrong = alter(first.answer.copy(), first)
        assert (wrong != first.answer).any(), "nothing was planted"
        loaded = LoadedInProcess(Repaired(dynamics, **{quantity: lambda *state: wrong.copy()}), mechanism)
        first = measure(suspect.case, loaded, "e", ALL_QUANTITIES[quantity], suspect.settings.bar)
    findings = findings_of(finding.implementation, str(engine_of(finding.implementation).version))
    findings = tuple(one for one in findings if one is not without)
    (cell,) = known_cells(replace(suspect, loaded=loaded, findings=findings), [first.cell], [first])
    return cell.verdict


@pytest.fixture
def present(finding: Finding) -> Finding:
    try:
        version = str(engine_of(finding.implementation).version)
    except Missing as missing:
        pytest.skip(str(missing))
    if not re.fullmatch(finding.versions, version):
        pytest.skip(f"the finding is about other versions than {version}")
    return finding


@pytest.mark.nightly
@EACH
def test_it_is_known_and_not_without_it_nor_with_another_fault_beside_it(present: Finding) -> None:
    assert verdict(present) == "known"
    assert verdict(present, without=present) == "discrepancy"
    hidden = [planted for planted, alter in PLANTED.items() if verdict(present, alter) != "discrepancy"]
    assert not hidden
