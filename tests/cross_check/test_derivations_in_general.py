"""The derivations, each by itself against the oracle: for every mechanism of a tree, modulo a prime."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cross_check.prove.proof.exact import residues
from cross_check.prove.proof.generic import generic, generic_state, tree
from cross_check.prove.proof.prove import prove
from implementations.classical import newton_euler
from implementations.screws import product_of_exponentials
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.rnea import rnea
from mechanisms import random_mechanism
from mechanisms.joint import MOVING

P = 2**61 - 1
EACH = pytest.mark.parametrize("derivation", [newton_euler, product_of_exponentials], ids=["newton-euler", "screws"])


@pytest.mark.nightly
@pytest.mark.slow
@EACH
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_on_the_root_and_on_its_like(derivation: ModuleType, kind: Any) -> None:
    certificate = prove(tree([-1, 0], [kind, kind]), kind, algorithms=derivation.ALGORITHMS, build=derivation.build)
    assert certificate.verdict == "proven"
    assert set(certificate.quantities) == set(derivation.ALGORITHMS)


@pytest.mark.slow
@EACH
def test_a_tree_with_two_joints_of_every_kind(derivation: ModuleType) -> None:
    kinds = [*MOVING, *reversed(MOVING)]
    subject = tree(random_mechanism(0, len(kinds)).parents, kinds)
    chosen = {name: derivation.ALGORITHMS[name] for name in ("inverse_dynamics", "kinetic_energy", "potential_energy")}
    assert prove(subject, "tree", algorithms=chosen, build=derivation.build).verdict == "proven"


@pytest.mark.parametrize("seed", range(5))
def test_three_derivations_of_thirty_bodies_are_one_function(seed: int) -> None:
    rng, field = random.Random(seed), residues(P)
    mechanism = random_mechanism(seed, 30, MOVING)

    def draw() -> Any:
        return field.element(rng.randrange(P))

    drawn = generic(mechanism, draw)
    q, v, a = (np.array(x, dtype=object)[:, None] for x in generic_state(mechanism, draw).values())
    τ = rnea(build(drawn, field), q, v, a)
    for derivation in (newton_euler, product_of_exponentials):
        assert (derivation.inverse_dynamics(derivation.build(drawn, field), q, v, a) == τ).all(), derivation.__name__
