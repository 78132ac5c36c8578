"""What a program is tried on: mechanisms with its kinds of joints, and states, which satisfy the constraints if there are any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.protocol import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, Constraint, Mechanism, Placement, integrate, neutral, random_mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import Quantity

POINT_OF_LAST = ("-0.2", "0.1", "0.3")
"""The point of the last body that is tied, in its frame (m)."""

FEWEST = 5
"""Bodies that a loop has at least: a point takes three degrees of freedom, and the first body moves too."""

STEPS = 8
"""Newton's method doubles the digits from a position that is near."""


def tried_mechanism(seed: int, kinds: Sequence[Kind], is_closed: bool) -> Mechanism:
    """A random tree with two joints of every kind on average, or a chain whose last body is tied to the first one by a point."""
    bodies = 2 * len(kinds) + 1
    if not is_closed:
        return random_mechanism(seed, bodies, kinds)
    chain = random_mechanism(seed, max(bodies, FEWEST), kinds, shape="chain")
    R, p = np.split(REFERENCE.load(chain).placements(_start(chain))[0], [3], axis=-1)
    there = R[-1] @ np.array(POINT_OF_LAST, float) + p[-1, :, 0]
    here = R[0].T @ (there - p[0, :, 0])
    first, second = (Placement(translation=tuple(map(Fraction, x))) for x in (here.tolist(), POINT_OF_LAST))
    names = chain.bodies[0].name, chain.bodies[-1].name
    return replace(chain, constraints=(Constraint("loop", *names, POINT, first, second),))


def tried_states(mechanism: Mechanism, quantity: Quantity, count: int) -> dict[str, Array]:
    """The quantity's arguments at states that are the same whenever they are asked for."""
    rng = np.random.default_rng(7)
    draw = {name: rng.normal(size=(count, mechanism.nv)) for name in ("dv", "v", "a", "tau")}
    draw["f"] = rng.normal(size=(count, len(mechanism.bodies), 6))
    if mechanism.constraints:
        draw["v_minus"] = draw["v"]
        draw["q"] = _closed(mechanism, integrate(mechanism, np.tile(_start(mechanism), (count, 1)), draw["dv"] / 4))
        J = REFERENCE.load(mechanism).constraint_jacobian(draw["q"])
        draw["v"] = draw["v"] - (np.linalg.pinv(J) @ (J @ draw["v"][..., None]))[..., 0]
    else:
        draw["q"] = integrate(mechanism, np.tile(neutral(mechanism), (count, 1)), draw["dv"])
    draw["to"] = integrate(mechanism, draw["q"], draw["v"])
    return {name: draw[name] for name in quantity.arguments}


def _start(mechanism: Mechanism) -> Array:
    """The position (1, nq) where the loop is closed."""
    return integrate(mechanism, neutral(mechanism)[None], np.linspace(-0.7, 0.9, mechanism.nv)[None])


def _closed(mechanism: Mechanism, q: Array) -> Array:
    """The positions moved until the second frame's origin is at the first one's, by Newton's method in the tangent space."""
    dynamics: Any = REFERENCE.load(mechanism)
    arrays, (one,) = mechanism.arrays, mechanism.constraints
    for _ in range(STEPS):
        places = dynamics.placements(q)
        first, second = (places[:, ends[0]] for ends in (arrays.firsts, arrays.seconds))
        ends = zip((first, second), (one.first_placement, one.second_placement), strict=True)
        x1, x2 = (at[..., :3] @ np.array(frame.translation, float) + at[..., 3] for at, frame in ends)
        missed = first[..., :3].swapaxes(1, 2) @ (x2 - x1)[..., None]
        q = integrate(mechanism, q, -(np.linalg.pinv(dynamics.constraint_jacobian(q)) @ missed)[..., 0])
    return q
