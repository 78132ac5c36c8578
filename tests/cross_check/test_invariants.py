"""What dynamics satisfies whatever the truth is: the right code does, and each planted violation is caught by its own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results import INFINITE, Invariant
from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import prepare
from cross_check.judge.relations.check import check_relations
from cross_check.judge.relations.invariants import INVARIANTS
from implementations.processes.subject import InProcess
from mechanisms import Body, Joint, Mechanism, find_mechanism

SYMMETRY, DEFINITE, INVERSE, POWER, PASSIVE = INVARIANTS


def found(implementation: Any, mechanism: Mechanism, count: int = 14) -> dict[str, Invariant]:
    case = prepare(mechanism, 0, count)
    subject = InProcess(implementation)
    checked, _ = check_relations(case, subject.load(mechanism), subject.load, "mine", BAR, tuple(INVARIANTS))
    return {invariant.name: invariant for invariant in checked}


@pytest.mark.parametrize("spec", ["pendulum", "puma560", "free-rigid-body", "free:random:5:4"])
def test_all_hold_for_the_reference(altered: Any, spec: str) -> None:
    errors = {name: (item.verdict, item.error) for name, item in found(altered(), find_mechanism(spec), 28).items()}
    assert errors.keys() == INVARIANTS.keys()
    assert {verdict for verdict, _ in errors.values()} == {"agrees"}
    assert max(error for _, error in errors.values()) < BAR / 4


def lopsided(M: Any, q: Any) -> Any:
    M[:, 0, 1] *= 1 + 1e-12
    return M


def indefinite(M: Any, q: Any) -> Any:
    eigenvalues, vectors = np.linalg.eigh(M)
    eigenvalues[:, 0] *= -1e-6
    M = np.einsum("bij,bj,bkj->bik", vectors, eigenvalues, vectors)
    return (M + M.swapaxes(1, 2)) / 2


@pytest.mark.parametrize(
    ("changes", "red"),
    [
        ({"mass_matrix": lopsided}, {SYMMETRY}),
        ({"mass_matrix": indefinite}, {DEFINITE, PASSIVE}),
        ({"forward_dynamics": lambda a, q, v, tau: a * (1 + 1e-10)}, {INVERSE}),
        ({"kinetic_energy": lambda T, q, v: T * (1 + 1e-8)}, {POWER}),
        ({"potential_energy": lambda V, q: -V}, {POWER}),
        ({"potential_energy": lambda V, q: V + 42}, set()),
        ({"inverse_dynamics": lambda t, q, v, a: t * (1 + 1e-8)}, {INVERSE, POWER}),
        ({"gravity": lambda g, q: g * (1 + 1e-6)}, {PASSIVE}),
    ],
    ids=["asymmetric", "indefinite", "FD", "T", "V", "V's zero", "ID", "gravity"],
)
def test_each_catches_its_own(altered: Any, changes: dict[str, Any], red: set[str]) -> None:
    items = found(altered(**changes), find_mechanism("floating-base-link"))
    assert {name for name, item in items.items() if item.verdict == "discrepancy"} == red
    assert {item.verdict for item in items.values()} <= {"agrees", "discrepancy"}


def test_a_sign_of_the_velocity_products(altered: Any) -> None:
    mechanism = find_mechanism("spatial-3r")
    right = altered().load(mechanism)
    damping = np.array([float(body.joint.damping) for body in mechanism.bodies])
    wrong = altered(nonlinear_effects=lambda h, q, v: 2 * (right.gravity(q) + damping * v) - h)
    assert {name for name, item in found(wrong, mechanism).items() if item.verdict != "agrees"} == {PASSIVE}


def test_a_mass_matrix_without_a_positive_diagonal(altered: Any) -> None:
    items = found(altered(mass_matrix=lambda M, q: -M), find_mechanism("scara"))
    assert (items[DEFINITE].verdict, items[DEFINITE].error) == ("discrepancy", INFINITE)
    assert items[SYMMETRY].verdict == "agrees"


@pytest.mark.parametrize("value", [1e-300, 1e300, 1.7e308])
def test_sizes_at_the_ends_of_the_range_are_judged_too(altered: Any, value: float) -> None:
    changes = {
        name: lambda right, *_: np.full_like(right, value) for name in ("mass_matrix", "forward_dynamics", "kinetic_energy")
    }
    items = found(altered(**changes), find_mechanism("spatial-3r"), 7)
    # The reference itself overflows where it is given the largest accelerations of all.
    assert items[INVERSE].verdict == ("failed" if value > 1e308 else "discrepancy")
    assert all(item.verdict == "failed" or item.error <= INFINITE for item in items.values())


def test_what_an_invariant_needs_and_is_not_there_or_fails(altered: Any) -> None:
    def broken(right: Any, *_: Any) -> Any:
        raise ValueError("no")

    items = found(
        altered(only=("mass_matrix", "inverse_dynamics", "forward_dynamics"), forward_dynamics=broken), find_mechanism("scara")
    )
    assert {name: item.verdict for name, item in items.items()} == {
        SYMMETRY: "agrees",
        DEFINITE: "agrees",
        INVERSE: "failed",
        POWER: "not offered",
        PASSIVE: "not offered",
    }
    assert re.fullmatch(r"forward_dynamics raised ValueError: no \(test_invariants\.py:\d+: .*\)", items[INVERSE].message)
    assert items[POWER].message == "mine has no kinetic_energy, potential_energy"


def test_without_inertia_the_mass_matrix_need_not_be_definite(altered: Any) -> None:
    arm = find_mechanism("cart-pole")
    empty = Body("sensor", "pole", Joint("twist", "revolute"))
    items = found(altered(), Mechanism("with-sensor", (*arm.bodies, empty)))
    assert (items[DEFINITE].verdict, items[INVERSE].verdict) == ("unsupported", "unsupported")
    assert "singular" in items[DEFINITE].message
    assert items[POWER].verdict == items[PASSIVE].verdict == "agrees"
