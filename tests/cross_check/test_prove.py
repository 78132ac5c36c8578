"""Certificates, tried on what is right, on what is wrong, and on degrees that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import oracle
from cross_check.prove.proof.chances import GOAL, MARGIN, Chance
from cross_check.prove.proof.exact import residues
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.objects import Certificate
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof.statement import ProofError, Statement, Subject
from implementations.classical import newton_euler
from implementations.field import Rational
from implementations.screws import product_of_exponentials
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Inertia, Placement, find_mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import GROUPS, QUANTITIES, USUAL

P = 2**61 - 1


def proven(certificate: Certificate) -> bool:
    quantities = certificate.quantities.values()
    assert all((found.verdict == "refuted") == bool(found.witness) for found in quantities)
    assert all(int(found.error.removeprefix("2^-")) >= GOAL for found in quantities if not found.witness)
    return certificate.verdict == "proven" and all(found.verdict == "proven" for found in quantities)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_alone(kind: Any) -> None:
    certificate = prove(tree([-1], [kind]), kind, quantities=USUAL)
    assert proven(certificate)
    assert list(certificate.quantities) == list(USUAL)


FORCES = ("inverse_dynamics", "kinetic_energy", "potential_energy")

DERIVATIONS: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "the reference": (ALGORITHMS, build, GROUPS["dynamics"] + GROUPS["kinematics"]),
    "Newton–Euler": (newton_euler.ALGORITHMS, newton_euler.build, FORCES),
    "screws": (product_of_exponentials.ALGORITHMS, product_of_exponentials.build, FORCES),
}


@pytest.mark.slow
@pytest.mark.parametrize("derivation", DERIVATIONS)
def test_a_tree_with_every_joint(derivation: str) -> None:
    algorithms, model, asked = DERIVATIONS[derivation]
    mechanism = tree(random_mechanism(1, len(MOVING)).parents, MOVING)
    certificate = prove(mechanism, "tree", algorithms=algorithms, build=model, quantities=asked)
    assert proven(certificate)
    assert set(certificate.quantities) == set(asked)


def test_degrees_that_outgrow_the_prime_get_a_larger_one() -> None:
    algorithms = {"forward_dynamics": ALGORITHMS["forward_dynamics"]}
    certificate = prove(tree(range(-1, 9), ["free"] * 10), "free bodies", algorithms=algorithms)
    assert proven(certificate)
    assert certificate.quantities["forward_dynamics"].exponents[0] > 2 * 61
    assert certificate.quantities["forward_dynamics"].degree > P


@pytest.mark.parametrize("modular", [True, False], ids=["in general", "given"])
@pytest.mark.parametrize("d", [1, 10**6, 2**50, 2**60, 2**2000])
def test_rounds_reach_the_goal_and_no_further(d: int, modular: bool) -> None:
    chance = Chance(d, 2 * d, modular)
    exponents = chance.rounds()
    values = [2 ** (e - 1) if modular else 2**e - 1 for e in exponents]
    assert np.prod([Fraction(chance.bad, n) for n in values]) <= Fraction(1, 2**GOAL)
    assert chance.bad == (14 * d if modular else 2 * d), "two points, and for each the degree and three times the height"
    if modular:
        assert [chance.bits(exponents[0]), chance.bits(exponents[0] - 1)] == [GOAL, GOAL - 1]
    else:
        assert sum(map(chance.bits, exponents[:-1])) < GOAL
        assert chance.bits(exponents[0]) >= MARGIN
    assert chance.error(exponents) == f"2^-{sum(map(chance.bits, exponents))}"
    with pytest.raises(ProofError, match="too large for a proof"):
        Chance(2**30000, 0, modular).rounds()


def test_the_same_seed_gives_the_same_certificate_and_another_another() -> None:
    mechanism = find_mechanism("cart-pole")
    assert prove(mechanism, "it", seed=3) == prove(mechanism, "it", seed=3)
    first, second = (prove(mechanism, "it", seed=seed).quantities["gravity"] for seed in (3, 4))
    assert first.values != second.values
    assert replace(first, values=second.values) == second


def test_progress_names_each_quantity_once_whatever_shares_a_program() -> None:
    said: list[tuple[str, int, int]] = []
    asked = ["gravity", "inverse_dynamics_dv", "kinetic_energy", "placements"]
    certificate = prove(find_mechanism("pendulum"), "it", quantities=asked, progress=lambda *step: said.append(step))
    names = [name for name in QUANTITIES if name in asked]
    assert {text for text, _, _ in said} == {f"it: {QUANTITIES[name].title}" for name in names}
    assert [(done, steps) for _, done, steps in said] == [(k, 4) for k in range(4)]
    assert list(certificate.quantities) == names


NAMES: dict[str, dict[str, Any]] = {
    "no quantity 'mass_matrx'; did you mean 'mass_matrix'?": {"algorithms": {"mass_matrx": None}},
    "no quantity 'gravty'; did you mean 'gravity'?": {"quantities": ["gravity", "gravty"]},
    "no quantity 'everything'; use all, ": {"quantities": ["everything"]},
    "given as the text 'inverse_dynamics_dq'; give a list of names": {"quantities": "inverse_dynamics_dq"},
}


@pytest.mark.parametrize("said", NAMES)
def test_a_name_that_is_no_quantity_is_refused(said: str) -> None:
    """Each of these was proven, as far as the names were known."""
    with pytest.raises(ValueError, match=re.escape(said)):
        prove(find_mechanism("pendulum"), "it", **NAMES[said])


def test_in_general_numbers_and_names_are_of_no_account() -> None:
    assert prove(find_mechanism("spatial-3r"), "it") == prove(tree([-1, 0, 1], ["revolute"] * 3), "it")


def altered(name: str, change: Callable[..., Any]) -> dict[str, Any]:
    """The reference's algorithm for one quantity, its result changed."""
    return {name: lambda model, *arguments: change(ALGORITHMS[name](model, *arguments), *arguments)}


def test_a_witness_shows_the_difference_to_anyone() -> None:
    """Both sides in their own fractions, at the state that the witness names."""
    mechanism = find_mechanism("cart-pole")
    algorithms = altered("mass_matrix", lambda M, q: M + q[0] * np.array([[0, 0], [0, 1]])[..., None])
    found = prove(mechanism, "it", in_general=False, algorithms=algorithms).quantities["mass_matrix"]
    assert (found.verdict, found.error, found.witness.round, found.witness.component) == ("refuted", None, 1, (1, 1))
    q, _, _ = np.array([Fraction(x) for x in found.witness.drawn], dtype=object).reshape(3, 2, 1)
    got = algorithms["mass_matrix"](build(mechanism, Rational()), q)[1, 1, 0]
    expected = oracle.EulerLagrange(mechanism, oracle.Rational()).mass_matrix(q.T)[0, 1, 1]
    assert (Fraction(found.witness.got), Fraction(found.witness.expected)) == (got, expected)
    assert got != expected


def test_what_drawn_gives_back_is_the_witness_in_general_too() -> None:
    """Of what is false by little."""
    wrong = altered("gravity", lambda g, q: g + q[:6] / 10**30)
    found = prove(tree([-1], ["free"]), "it", algorithms=wrong).quantities["gravity"]
    field, numbers = residues(int(found.witness.prime)), iter(found.witness.drawn)
    statement = Statement(Subject(tree([-1], ["free"]), build, True), "gravity", ALGORITHMS["gravity"])
    right, expected = statement.sides(field, lambda: field.element(int(next(numbers))))
    assert next(numbers, None) is None
    assert right == expected
    assert str(expected[found.witness.component[0]]) == found.witness.expected


def test_a_mass_matrix_that_is_singular_for_another_reason_than_missing_mass() -> None:
    """The last mass lies on its hinge's axis; or the first of two coaxial hinges carries no mass: M is [[I, I], [I, I]]."""
    pendulum = find_mechanism("double-pendulum")
    first, last = pendulum.bodies
    massless = replace(first, inertia=Inertia.massless())
    coaxial = replace(last, joint=replace(last.joint, placement=Placement()))
    for bodies in ((first, replace(last, inertia=Inertia(1))), (massless, coaxial)):
        mechanism = replace(pendulum, bodies=bodies)
        assert not mechanism.subtrees_without_inertia
        certificate = prove(mechanism, "singular", in_general=False)
        assert proven(certificate)
        assert set(GROUPS["dynamics"]) - set(certificate.quantities) == {"forward_dynamics"}
