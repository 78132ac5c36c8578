"""Known faults of RBDL and of biorbd: exactly they are known, in the versions that have them, and they hide no other fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from constrained import named, units
from test_findings import verdicts

from cross_check.explain.findings.constraints import of_rbdl
from cross_check.explain.findings.finding import Prediction, Repaired
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.judge.error_scale.sizes import EPSILON
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism

OFFICIAL, BIORBD = "3.3.1", "3.3.1 (biorbd 1.12.4)"
PAGE = {finding.name: finding for finding in FINDINGS}
EULER = ("euler-xyz", "euler-yxz", "euler-zyx")
"""The joints that the adapter gives RBDL as one joint whose axes move in the body. It makes a chain of euler-zxy."""

CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


def tree(kind: Any) -> Mechanism:
    """A body on a joint of this kind at the root, an arm on it, and another body at the root."""
    hinges = Joint("hinge", "revolute", (0, 1, 0)), Joint("rail", "prismatic", (1, 0, 0), damping=1)
    arm, block = Body("arm", "base", hinges[0], CUBE), Body("block", "world", hinges[1], CUBE)
    return Mechanism("tree", (Body("base", "world", Joint("ball", kind), CUBE), arm, block), gravity=(1, 2, -9))


class Faulty:
    """The reference with the fault of the version, and ``scale`` times as large. It may claim to be another version."""

    name = "rbdl"

    def __init__(self, version: str, scale: float = 1.0, claims: str = "") -> None:
        self.version, self.scale, self._is_biorbd = claims or version, scale, "biorbd" in version

    def load(self, mechanism: Mechanism) -> Any:
        right = REFERENCE.load(mechanism)
        D = mechanism.arrays.per_coordinate(mechanism.arrays.damping)

        def nonlinear_effects(q: Any, v: Any) -> Any:
            h = right.nonlinear_effects(q, v)
            if mechanism.bodies[0].joint.kind in EULER:
                # The axes span all rotations, so c_J is what some acceleration of the joint would cause: h lacks M times that.
                S, c = right.jacobians_local(q)[:, 0, :3, :3], right.drifts_local(q, v)[:, 0, :3]
                h = h - np.einsum("bij,bj->bi", right.mass_matrix(q)[:, :, :3], np.linalg.solve(S, c[..., None])[..., 0])
            return self.scale * h

        def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
            return self.scale * (right.inverse_dynamics(q, v, a) - 2 * D * v)

        if self._is_biorbd:
            return Repaired(right, inverse_dynamics=inverse_dynamics)
        return Repaired(right, nonlinear_effects=nonlinear_effects)


FAULTS = [
    (OFFICIAL, "nonlinear_effects", "rbdl-nonlinear-effects-euler-at-root"),
    (BIORBD, "inverse_dynamics", "biorbd-inverse-dynamics-damping"),
]


@pytest.mark.parametrize(("version", "quantity", "page"), FAULTS)
@pytest.mark.parametrize("kind", ["euler-xyz", "euler-zyx"])
def test_exactly_the_fault_is_known(version: str, quantity: str, page: str, kind: str) -> None:
    quantities = ("inverse_dynamics", "nonlinear_effects")
    assert verdicts(Faulty(version), tree(kind), "rbdl", PAGE[page], quantities, invariants=False) == {quantity: "known"}


@pytest.mark.parametrize(("version", "quantity", "page"), FAULTS)
@pytest.mark.parametrize(
    ("others", "engine"),
    [({"scale": 1.001}, "rbdl"), ({"claims": "3.3.1 (biorbd 1.12.5)"}, "rbdl"), ({}, "")],
    ids=["another fault in the same cell", "another version", "other code"],
)
def test_nothing_else_is_excused(version: str, quantity: str, page: str, others: Any, engine: str) -> None:
    judged = verdicts(Faulty(version, **others), tree("euler-zyx"), engine, PAGE[page], (quantity,), invariants=False)
    assert judged == {quantity: "discrepancy"}


def test_other_versions_have_other_faults() -> None:
    assert not any(findings_of("rbdl", version) for version in ("3.3.2", "3.3.1.1", "3.3.1 (biorbd 1.12.5)", "unknown"))


def test_the_missing_terms_are_those_of_the_page_by_hand() -> None:
    """Of a ball with moments of inertia of 1 kg m², h = (0, 0, −q̇₁ q̇₂ cos q₂) where q̇₃ = 0; RBDL answers zero."""
    ball = Body("ball", "world", Joint("gimbal", "euler-zyx"), Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    mechanism = Mechanism("ball", (ball,), gravity=(0, 0, 0))
    right = REFERENCE.load(mechanism)
    wrong = PAGE["rbdl-nonlinear-effects-euler-at-root"].predict(mechanism, right)["nonlinear_effects"]
    q, v = np.array([[0.3, 0.5, 0.7]]), np.array([[1.0, 2.0, 0.0]])
    np.testing.assert_allclose(right.nonlinear_effects(q, v), [[0, 0, -2 * np.cos(0.5)]], atol=1e-15)
    np.testing.assert_allclose(wrong(q, v), [[0, 0, 0]], atol=1e-15)


@pytest.mark.parametrize(("scale", "is_known"), [(0.0, True), (8.0, True), (30.0, False), (1e9, False)])
def test_rows_of_loops_are_mended_up_to_the_bar(scale: float, is_known: bool) -> None:
    """RBDL's rows with an error of so many ε-units: the zeros of right rows have to be exact, other errors stay."""
    case = named("bricard")
    mechanism, q = case.mechanism, case.states.q
    wrong = of_rbdl(mechanism, q, np.zeros((len(q), mechanism.nv)))
    spoilt = wrong.J + scale * EPSILON * wrong.size
    code = Repaired(REFERENCE.load(mechanism), constraint_jacobian=lambda q: spoilt)
    rows = Prediction([PAGE["rbdl-loop-constraint-rows"]], mechanism).without(code)
    assert (units(case, "constraint_jacobian", rows.constraint_jacobian(q)) <= 16) == is_known
