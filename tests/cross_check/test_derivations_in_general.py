"""The derivations, each by itself against the oracle: for every mechanism of a tree, modulo a prime."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.prove import prove
from implementations.classical import newton_euler
from implementations.screws import product_of_exponentials
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
def test_a_tree_with_every_kind_of_joint(derivation: ModuleType) -> None:
    subject = tree(random_mechanism(0, len(MOVING)).parents, MOVING)
    chosen = {name: derivation.ALGORITHMS[name] for name in ("inverse_dynamics", "kinetic_energy", "potential_energy")}
    assert prove(subject, "tree", algorithms=chosen, build=derivation.build).verdict == "proven"
