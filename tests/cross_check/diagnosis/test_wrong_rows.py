"""Terms that only some components of a force lack are named, and velocities along other axes than the forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from diagnosed import diagnosed
from wrong_codes import Code

from mechanisms import Mechanism

Array = Any
FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")


def by_forces(change: Callable[[Mechanism, Any, Array, Array, Array], Array]) -> Code:
    """Inverse dynamics τ(q, v, a) of the mechanism, made of the right one; M, h and g are computed from it."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
            return change(mechanism, right, q, v, a)

        def nonlinear_effects(q: Array, v: Array) -> Array:
            return inverse_dynamics(q, v, 0 * v)

        def gravity(q: Array) -> Array:
            return nonlinear_effects(q, np.zeros((len(q), mechanism.nv)))

        def mass_matrix(q: Array) -> Array:
            still, units = np.zeros((len(q), mechanism.nv)), np.eye(mechanism.nv)
            return np.stack([inverse_dynamics(q, still, still + unit) - gravity(q) for unit in units], axis=2)

        functions = (inverse_dynamics, mass_matrix, nonlinear_effects, gravity)
        return {function.__name__: function for function in functions}

    return Code(make)


def without_gravity(name: str) -> Any:
    """The forces of the joints with this name, or of this kind, contain no gravity."""

    def change(m: Mechanism, right: Any, q: Array, v: Array, a: Array) -> Array:
        tau, g = right.inverse_dynamics(q, v, a), right.gravity(q)
        for body, rows in zip(m.bodies, m.v_slices, strict=True):
            if name in (body.joint.name, body.joint.kind):
                tau[:, rows] -= g[:, rows]
        return tau

    return change


def one_component_of_the_gyroscopic_moment(m: Mechanism, right: Any, q: Array, v: Array, a: Array) -> Array:
    tau = right.inverse_dynamics(q, v, a)
    if m.bodies[0].joint.kind != "free" or len(m.bodies) > 1:
        return tau
    xx, yy, zz, xy, xz, yz = map(float, m.bodies[0].inertia.about_com)
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    tau[:, :2] -= np.cross(v[:, :3], v[:, :3] @ I)[:, :2]
    return tau


def turned(m: Mechanism, right: Any, q: Array, v: Array, a: Array) -> Array:
    """The velocities of planar joints are taken along the parent's axes, and forces are not."""
    v, a = v.copy(), a.copy()
    for body, own_q, own_v in zip(m.bodies, m.q_slices, m.v_slices, strict=True):
        if body.joint.kind == "planar":
            c, s = np.cos(q[:, own_q.start + 2]), np.sin(q[:, own_q.start + 2])
            for x in (v, a):
                one, two = x[:, own_v.start + 1].copy(), x[:, own_v.start + 2].copy()
                x[:, own_v.start + 1], x[:, own_v.start + 2] = c * one + s * two, c * two - s * one
    return right.inverse_dynamics(q, v, a)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "spec", "kind", "words"),
    [
        (without_gravity("free"), "free:cart-pole", "term", "the forces of free joints contain no gravity"),
        (without_gravity("joint2"), "spatial-3r", "term", "the force of joint joint2 contains no gravity"),
        (one_component_of_the_gyroscopic_moment, "free-rigid-body", "term", "of ω × I ω only the z component is kept"),
        (
            turned,
            "puck",
            "convention",
            "the velocity of a planar joint is along the axes of the joint's frame, forces are along the body's",
        ),
    ],
)
def test_it_is_named(change: Any, spec: str, kind: str, words: str) -> None:
    # M is a difference, which loses digits: it is asked where it has a fault of its own.
    _, causes = diagnosed(by_forces(change), spec, quantities=FORCES if change is not turned else (*FORCES, "mass_matrix"))
    assert [cause.kind for cause in causes] == [kind]
    assert causes[0].sentence.removeprefix("In code, ").partition(" (only")[0] == words
