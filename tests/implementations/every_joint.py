"""Mechanisms with every kind of joint, and their states, to compare engines with the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, integrate, neutral, random_mechanism
from mechanisms.joint import Kind
from mechanisms.quantities import QUANTITIES, USUAL


def chain(*kinds: Kind, seed: int = 0, **options: Any) -> Mechanism:
    """Bodies drawn as random mechanisms are, one behind the other, with joints of these kinds."""
    bodies, parent = [], "world"
    for i, kind in enumerate(kinds):
        drawn = random_mechanism(100 * seed + i, 1, (kind,), **options).bodies[0]
        bodies.append(replace(drawn, name=f"body{i}", parent=parent, joint=replace(drawn.joint, name=f"joint{i}")))
        parent = f"body{i}"
    return Mechanism("-".join(kinds), tuple(bodies), gravity=(1, 2, -9))


def states(mechanism: Mechanism, batch: int = 4, seed: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and a; any orientation, any angle, but for the middle one of three, which is kept from where M is singular."""
    rng = np.random.default_rng(seed)
    step = rng.uniform(-3, 3, size=(batch, mechanism.nv))
    for body, at in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind.startswith("euler-"):
            step[:, at.start + 1] /= 3
    q = integrate(mechanism, np.tile(neutral(mechanism), (batch, 1)), step)
    return q, rng.normal(size=(batch, mechanism.nv)), rng.normal(size=(batch, mechanism.nv))


def calls_of(dynamics: Any) -> Any:
    """What an adapter asks at one state, behind its conversions."""
    while "_calls" not in vars(dynamics):
        dynamics = vars(dynamics)["_dynamics"]
    return vars(dynamics)["_calls"]


def mended(engine: Any, mechanism: Mechanism) -> Any:
    """The mechanism in an engine, with the known faults of its version undone."""
    return Prediction(findings_of(engine.name, engine.version), mechanism).without(engine.load(mechanism))


def agreeing(
    dynamics: Any, mechanism: Mechanism, names: Sequence[str] = USUAL, batch: int = 4, tolerance: float = 1e-12
) -> set[str]:
    """Each of the ``names`` that is offered agrees with the reference, relative to the largest component; those names.

    Answers that solve an equation with M are compared by what they need of it, and a Coriolis matrix by what all have in common.
    """
    reference: Any = REFERENCE.load(mechanism)
    q, v, a = states(mechanism, batch)
    f = np.random.default_rng(3).normal(size=(len(q), len(mechanism.bodies), 6))
    state = {"q": q, "v": v, "a": a, "f": f, "tau": reference.inverse_dynamics(q, v, a)}
    M, offered = reference.mass_matrix(q), set()
    for name in names:
        arguments = [state[argument] for argument in QUANTITIES[name].arguments]
        try:
            got = getattr(dynamics, name)(*arguments)
        except (AttributeError, Unsupported):
            continue
        expected = getattr(reference, name)(*arguments)
        size = abs(expected).max()
        if name == "forward_dynamics":
            got, expected = reference.inverse_dynamics(q, v, got), state["tau"]
            size = abs(expected).max()
        elif name.startswith("forward_dynamics"):
            got, expected, size = M @ got, M @ expected, (abs(M) @ abs(got)).max()
        elif name == "coriolis_matrix":
            got, expected = (np.dstack([C + C.swapaxes(1, 2), C @ v[..., None]]) for C in (got, expected))
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * max(1, size), err_msg=name)
        offered.add(name)
    return offered
