"""Proofs about constraints: of the reference, of a user's code with 3-vectors, and of code that solves for the motion.

The user's slips are refuted here, and by the checker of exported claims.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from claims_model import compile_checker, run
from users_constraints import BOTH, SLIPS, Slip, algorithms

from cross_check.prove.proof.chances import drawn_prime
from cross_check.prove.proof.claims import export
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.objects import Certificate, Constrained, constrained
from cross_check.prove.proof.prove import EXAMPLE_BITS, prove
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import POINT, WELD, Constraint, Mechanism, MechanismError, Placement, find_mechanism
from mechanisms.joint import MOVING
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import CONSTRAINT_QUANTITIES, RESTITUTIONS

Algorithms = dict[str, Callable[..., Any]]

MODES = pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])

BRANCHED = tree(
    [-1, 0, -1],
    ["revolute", "prismatic", "revolute"],
    constraints=[Constrained(1, 2, WELD), Constrained(-1, 1, ("vx", "vz"))],
)
"""Constraints between two bodies and with the root, in six directions and in two."""


def proof(mechanism: Mechanism, made: Algorithms = PROVABLE, in_general: bool = True, only: Any = BOTH) -> Certificate:
    return prove(mechanism, "it", in_general, algorithms=made, quantities=sorted(only))


def refuted(certificate: Certificate) -> set[str]:
    return {name for name, found in certificate.quantities.items() if found.witness}


@MODES
def test_the_textbook_loops_by_the_reference_and_by_a_user(in_general: bool, tmp_path: Path) -> None:
    for made in (PROVABLE, algorithms(tmp_path)) if in_general else (PROVABLE,):
        for make in LOOPS.values():
            certificate = proof(make(), made, in_general)
            assert (certificate.verdict, set(certificate.quantities)) == ("proven", BOTH)


@pytest.mark.slow
def test_every_kind_of_joint_and_mimic_joints(tmp_path: Path) -> None:
    ends = range(1, len(MOVING) - 1, 2)
    ties = [Constrained(1, 0, WELD), Constrained(2, -1, POINT), *(Constrained(i, i + 1, ("vy", "vz")) for i in ends)]
    assert proof(tree([-1, *[0] * (len(MOVING) - 1)], MOVING, constraints=ties)).verdict == "proven"
    m = find_mechanism("random:3:6:revolute,mimic")
    names = [m.root, *(body.name for body in m.bodies)]
    m = replace(m, constraints=(Constraint("a", names[3], names[0], WELD), Constraint("b", names[6], names[2], POINT)))
    assert {proof(m, made, False).verdict for made in (PROVABLE, algorithms(tmp_path))} == {"proven"}


def test_constraints_change_no_proof_of_the_tree() -> None:
    mechanism = find_mechanism("four-bar")
    closed, alone = (prove(m, "it", quantities=["mass_matrix"]) for m in (mechanism, mechanism.tree))
    assert closed.quantities == alone.quantities
    assert (closed.constraints, alone.constraints) == ((Constrained(1, 2, ("vx", "vz")),), ())
    assert closed.about.endswith("these kinds of joints and these constrained directions")


def test_numbers_and_names_of_constraints_are_of_no_account_in_general() -> None:
    mechanism = find_mechanism("flyball-governor")
    kinds = [body.joint.kind for body in mechanism.bodies]
    assert proof(mechanism) == proof(tree(mechanism.parents, kinds, constraints=constrained(mechanism)))


@pytest.mark.slow
@pytest.mark.parametrize("slip", [None, *SLIPS], ids=lambda slip: slip.name if slip else "right")
def test_a_users_slips_are_refuted(slip: Slip | None, tmp_path: Path) -> None:
    certificate = proof(BRANCHED, algorithms(tmp_path, slip))
    assert refuted(certificate) == (slip.wrong if slip else set())
    assert set(certificate.quantities) == BOTH


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_checker_of_claims_decides_alike(tmp_path: Path) -> None:
    checker = compile_checker(tmp_path)
    for slip in (None, *(next(slip for slip in SLIPS if slip.wrong == {name}) for name in BOTH)):
        for claims in export(BRANCHED, "it", algorithms=algorithms(tmp_path, slip), quantities=slip.wrong if slip else BOTH):
            assert run(checker, claims.text, tmp_path).code == (1 if slip else 0), slip


def eliminated(A: Any) -> Any:
    """X with K X = B, from A = [K B] (n, n + columns, batch)."""
    for k in range(len(A)):
        row = A[k] / A[k, k]
        A = A - A[:, k, None] * row
        A[k] = row
    return A[:, len(A) :]


UNIT = ("constrained_acceleration_dtau", "constraint_multipliers_dtau")


def by_elimination(sign: int = 1, drift: int = 1) -> Algorithms:
    """All quantities of constrained motion by +, −, × and ÷; ``sign`` is that of μ, and ``drift`` a factor of the drift."""

    def of(model: Any, *given: Any) -> list[Any]:
        return [PROVABLE[name](model, given[0]) for name in ("mass_matrix", "constraint_jacobian")]

    def solved(model: Any, q: Any, b: Any, c: Any) -> tuple[Any, Any, Any]:
        M, J = of(model, q)
        K = np.concatenate([np.concatenate([M, J.swapaxes(0, 1)], 1), np.concatenate([J, np.zeros((len(J), len(J), 1), int)], 1)])
        X = eliminated(np.concatenate([K, np.concatenate([b, c])], 1))
        μ = -sign * X[len(M) :]
        return X[: len(M)], μ, np.einsum("ij...,ik...->jk...", J, μ)

    def accelerated(model: Any, q: Any, v: Any, tau: Any) -> tuple[Any, ...]:
        b = tau - PROVABLE["nonlinear_effects"](model, q, v)
        x, μ, forces = solved(model, q, b[:, None], -drift * PROVABLE["constraint_drift"](model, q, v)[:, None])
        return x[:, 0], μ[:, 0], forces[:, 0]

    def unit(model: Any, q: Any) -> tuple[Any, ...]:
        one = np.eye(model.nv, dtype=int)[..., None]
        return solved(model, q, one, 0 * of(model, q)[1])

    def delassus(model: Any, q: Any) -> Any:
        M, J = of(model, q)
        return np.einsum("ij...,jk...->ik...", J, eliminated(np.concatenate([M, J.swapaxes(0, 1)], 1)))

    def after(model: Any, q: Any, v: Any, r: Fraction) -> tuple[Any, Any]:
        Mv, Jv = (np.einsum("ij...,j...->i...", A, v)[:, None] for A in of(model, q))
        x, _, forces = solved(model, q, Mv, -r * Jv)
        return x[:, 0], forces[:, 0]

    names = ("constrained_acceleration", "constraint_multipliers", "constraint_forces")
    made: Algorithms = {name: lambda *given, k=k: accelerated(*given)[k] for k, name in enumerate(names)}
    for word, r in RESTITUTIONS.items():
        made[f"impact_velocity_{word}"] = lambda *given, r=r: after(*given, r)[0]
        made[f"impact_forces_{word}"] = lambda *given, r=r: after(*given, r)[1]
    made |= {name: lambda *given, k=k: unit(*given)[k] for k, name in enumerate(UNIT)}
    return made | {"delassus_matrix": delassus}


SOLVED = {name for name, quantity in CONSTRAINT_QUANTITIES.items() if not quantity.is_along_constraints} - BOTH


ACCELERATED = {"constrained_acceleration", "constraint_forces"}

MOTIONS = [("four-bar", True, SOLVED), ("four-bar", False, ACCELERATED), ("bricard", True, ACCELERATED)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "in_general", "only"), MOTIONS)
def test_motion_by_elimination_is_proven(name: str, in_general: bool, only: set[str]) -> None:
    certificate = proof(find_mechanism(name), by_elimination(), in_general, only)
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", only)


def test_a_wrong_sign_of_multipliers_and_a_drift_that_is_left_out_are_refuted() -> None:
    loop = find_mechanism("four-bar")
    assert refuted(proof(loop, by_elimination(sign=-1), only=ACCELERATED)) == {"constraint_forces"}
    assert refuted(proof(loop, by_elimination(drift=0), only=ACCELERATED)) == ACCELERATED


@MODES
def test_where_rows_always_depend_on_others_only_their_own_quantities_are_proven(in_general: bool) -> None:
    """A rod on one hinge is welded to the ground: J has six rows, and one column."""
    rod = find_mechanism("pendulum")
    rod = replace(rod, constraints=(Constraint("weld", rod.root, rod.bodies[0].name, WELD),))
    certificate = proof(rod, PROVABLE | by_elimination(), in_general, CONSTRAINT_QUANTITIES)
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", BOTH | {"delassus_matrix"})


def test_a_prime_that_divides_a_denominator_gives_way_to_another_one() -> None:
    slider = find_mechanism("cart-pole")
    place = Placement(translation=(Fraction(1, drawn_prime(EXAMPLE_BITS, random.Random(0))), 0, 0))
    slider = replace(slider, constraints=(Constraint("stop", slider.root, slider.bodies[0].name, ("vx",), place),))
    certificate = proof(slider, by_elimination(), False, ["constrained_acceleration"])
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", {"constrained_acceleration"})


def test_a_constraint_jacobian_that_is_too_large_is_refused() -> None:
    m = find_mechanism("planar-pendulum:100")
    pins = tuple(Constraint(f"pin{k}", m.root, m.bodies[k % 100].name, POINT) for k in range(100))
    with pytest.raises(MechanismError, match=r"for it takes too much memory, because its constraint Jacobian has 30000 entries"):
        proof(replace(m, constraints=pins))


def test_derivatives_by_the_state_are_not_proven() -> None:
    """They are one function only where the constraints are satisfied; algorithms for them are left out."""
    derivative = {"constrained_acceleration_dv": lambda model, q, v: 0}
    certificate = proof(
        find_mechanism("four-bar"), PROVABLE | derivative, only=["constraint_drift", "constrained_acceleration_dv"]
    )
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", {"constraint_drift"})
