"""SymPy's Lagrange's and Kane's methods, through their adapters."""

from __future__ import annotations

import numpy as np
import pytest

from implementations.engines.sympy_mechanics.adapter import Kane, Lagrange
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, random_mechanism
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.quantities import QUANTITIES

pytestmark = pytest.mark.slow

DYNAMICS = ("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "kinetic_energy", "potential_energy")
KINEMATICS = ("placements", "velocities_local", "velocities_aligned", "center_of_mass", "centroidal_momentum")


def require_agreement(method: type, mechanism: Mechanism, quantities: tuple[str, ...]) -> None:
    rng = np.random.default_rng(1)
    state = {name: rng.normal(size=(3, mechanism.nv)) for name in ("v", "a")}
    state["q"] = rng.normal(size=(3, mechanism.nq))
    for _, slot in mechanism.slots("circle"):
        state["q"][:, slot] /= np.linalg.norm(state["q"][:, slot], axis=1, keepdims=True)
    ours, theirs = REFERENCE.load(mechanism), method().load(mechanism)
    for name in quantities:
        arguments = [state[argument] for argument in QUANTITIES[name].arguments]
        right, got = (getattr(dynamics, name)(*arguments) for dynamics in (ours, theirs))
        assert np.abs(right - got).max() < 1e-11 * (1 + np.abs(right).max()), name


@pytest.mark.parametrize("method", [Kane, Lagrange])
@pytest.mark.parametrize("name", ["cart-pole", "lead-screw"])
def test_textbook_mechanisms(method: type, name: str) -> None:
    require_agreement(method, TEXTBOOK[name](), DYNAMICS + KINEMATICS)


@pytest.mark.parametrize("kind", ["planar", "cylindrical", "continuous", "helical"])
def test_kinds_of_joints(kind) -> None:
    require_agreement(Lagrange, random_mechanism(2, 1, (kind,)), DYNAMICS)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_quaternions_are_unsupported(kind) -> None:
    mechanism = random_mechanism(2, 1, (kind,))
    with pytest.raises(Unsupported, match="quaternion" if kind == "spherical" else "more than 3 velocities"):
        Kane().load(mechanism)


def test_large_mechanisms_are_unsupported() -> None:
    with pytest.raises(Unsupported, match="more than 3 velocities, and the mechanism has 4"):
        Lagrange().load(TEXTBOOK["scara"]())
