"""Kinematics from transforms: against derivatives taken otherwise, formulas written out by hand, and in every field."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from small_numbers import Small, Varied, state

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, Rotation, random_mechanism, textbook
from mechanisms.extended import framed
from mechanisms.joint import MOVING
from mechanisms.quantities import FRAMES
from oracle.by_jets.constraints import OF_CONSTRAINTS
from oracle.by_jets.euler_lagrange import OF_STATES, EulerLagrange

Array = np.ndarray[Any, Any]

ALONG = {
    "placements": "q",
    "center_of_mass": "q",
    "inverse_dynamics": "qva",
    "nonlinear_effects": "qv",
    "gravity": "q",
    "mass_matrix": "q",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "centroidal_momentum_matrix": "q",
    "classical_accelerations": "qva",
    "centroidal_momentum": "qv",
    "inverse_dynamics_with_forces": "qvaf",
    "joint_torque_regressor": "qva",
    "kinetic_energy_regressor": "qv",
    "potential_energy_regressor": "q",
    "center_of_mass_velocity": "qv",
    "center_of_mass_acceleration": "qva",
    "center_of_mass_jacobian": "q",
    "centroidal_momentum_rate": "qva",
    **{f"jacobians_{frame}": "q" for frame in FRAMES},
    **{f"velocities_{frame}": "qv" for frame in FRAMES},
    **{f"accelerations_{frame}": "qva" for frame in FRAMES},
    **{f"drifts_{frame}": "qv" for frame in FRAMES},
    "frame_placements": "q",
    "frame_classical_accelerations": "qva",
    **{f"frame_jacobians_{frame}": "q" for frame in FRAMES},
    **{f"frame_velocities_{frame}": "qv" for frame in FRAMES},
    **{f"frame_accelerations_{frame}": "qva" for frame in FRAMES},
}
"""The arguments of every quantity."""


def forces(mechanism: Mechanism) -> Array:
    """Fractions (1, bodies, 6)."""
    n = 6 * len(mechanism.bodies)
    return np.array([Fraction(k * k - 40, k + 1) for k in range(n)], dtype=object).reshape(1, -1, 6)


def test_everything_here_is_a_method() -> None:
    assert ALONG.keys() == OF_STATES.keys() - OF_CONSTRAINTS.keys()
    with pytest.raises(AttributeError, match="no attribute 'velocity'"):
        EulerLagrange(textbook.pendulum()).velocity  # noqa: B018


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_velocities_are_read_off_the_rates_of_placements(seed: int) -> None:
    """Along q + v t, in numbers a + b t with t² = 0 that know nothing of jets: Ṫ is T [V], [V] T, and [ω; ṗ]."""
    kinds = [kind for kind in MOVING if kind not in ("continuous", "spherical", "planar", "free", "helical")]
    mechanism = random_mechanism(seed, 4, kinds)
    (q,), (v,), _ = state(mechanism)
    path = [Small(x, dx) for x, dx in zip(q, v, strict=True)]
    T = EulerLagrange(mechanism, Varied()).placements([path])[0]
    now, rate = (np.array([x.c[k] for x in T.flat], dtype=object).reshape(T.shape) for k in (0, 1))
    local, world, aligned = (getattr(EulerLagrange(mechanism, oracle.Rational()), f"velocities_{f}")([q], [v])[0] for f in FRAMES)
    for i in range(len(mechanism.bodies)):
        R, p, dR, dp = now[i, :, :3], now[i, :, 3], rate[i, :, :3], rate[i, :, 3]
        assert ((R @ hat(local[i, :3]) == dR) & (hat(world[i, :3]) @ R == dR) & (hat(aligned[i, :3]) @ R == dR)).all()
        assert ((R @ local[i, 3:] == dp) & (world[i, 3:] + hat(world[i, :3]) @ p == dp) & (aligned[i, 3:] == dp)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("frame", FRAMES)
def test_jacobians_and_drifts_make_velocities_and_accelerations(frame: str, seed: int) -> None:
    """V = J v, and J a + J̇ v is the spatial acceleration, but in the aligned frame the classical one."""
    mechanism = random_mechanism(seed, 6, MOVING)
    q, v, a = state(mechanism)
    e = EulerLagrange(mechanism, oracle.Rational())
    J, drift = getattr(e, f"jacobians_{frame}")(q), getattr(e, f"drifts_{frame}")(q, v)
    assert (J @ v[0] == getattr(e, f"velocities_{frame}")(q, v)).all()
    acceleration = e.classical_accelerations if frame == "aligned" else getattr(e, f"accelerations_{frame}")
    assert (J @ a[0] + drift == acceleration(q, v, a)).all()


def hat(w: Array) -> Array:
    x, y, z = w
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]], dtype=object)


def test_a_free_body_s_own_motion_is_its_velocity() -> None:
    """v and a are local velocity and acceleration, J is the identity, and J̇ nothing; [k; l] = [R I ω; R m ċ]."""
    body = Body("body", "world", Joint("joint", "free"), Inertia(2, ("0.1", "0.2", "0.3"), (3, 4, 5, "0.1", "0.2", "0.3")))
    mechanism = Mechanism("body", (body,))
    (q,), (v,), (a,) = state(mechanism)
    e = EulerLagrange(mechanism, oracle.Rational())
    x, y, z, w = q[3:]
    R = np.array(Rotation(w, x, y, z).matrix, dtype=object)
    assert (e.placements([q])[0, 0] == np.column_stack([R, q[:3]])).all()
    assert (e.jacobians_local([q])[0, 0] == np.eye(6, dtype=int)).all()
    assert (e.velocities_local([q], [v])[0, 0] == v).all()
    assert (e.accelerations_local([q], [v], [a])[0, 0] == a).all()
    assert not e.drifts_local([q], [v]).any()
    com, I = np.array(body.inertia.com, dtype=object), np.array(body.inertia.matrix, dtype=object)
    moved = 2 * R @ (v[3:] + np.cross(v[:3], com))
    assert (e.center_of_mass([q])[0] == q[:3] + R @ com).all()
    assert (e.centroidal_momentum([q], [v])[0] == np.concatenate([R @ I @ v[:3], moved])).all()
    assert (e.centroidal_momentum_matrix([q])[0] @ v == e.centroidal_momentum([q], [v])[0]).all()
    f = np.array([Fraction(k) for k in range(1, 7)])
    with_force = e.inverse_dynamics_with_forces([q], [v], [a], [[f]])[0]
    assert (e.inverse_dynamics([q], [v], [a])[0] - with_force == f).all()


@pytest.mark.parametrize("quantity", ALONG)
def test_every_field_gives_the_same(quantity: str) -> None:
    """Fractions at t = tan(q/2), floats at q, and balls around them."""
    mechanism = framed(random_mechanism(4, 4, [kind for kind in MOVING if kind != "helical"]))
    given = dict(zip("qva", state(mechanism), strict=True)) | {"f": forces(mechanism)}
    exact = getattr(EulerLagrange(mechanism, oracle.Rational()), quantity)(*(given[name] for name in ALONG[quantity]))
    at = given | {"q": given["q"].astype(float)}
    for body, to in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        turns = [screw.turns for screw in body.joint.screws]
        if body.joint.kind == "planar":
            turns = [False, False, True]
        if body.joint.kind not in ("continuous", "free", "spherical"):
            at["q"][0, to] = np.where(turns, 2 * np.arctan(at["q"][0, to]), at["q"][0, to])
    floats = [np.array(at[name], dtype=float) for name in ALONG[quantity]]
    got = getattr(EulerLagrange(mechanism), quantity)(*floats)
    np.testing.assert_allclose(got, exact.astype(float), rtol=0, atol=1e-12 * max(1, abs(exact).max()))
    balls = [np.array([flint.arb(x) for x in given.flat], object).reshape(given.shape) for given in floats]
    enclosed = getattr(EulerLagrange(mechanism, oracle.Balls()), quantity)(*balls)
    assert all(abs(float(ball.mid()) - x) <= 1e-12 * max(1, abs(x)) for ball, x in zip(enclosed.flat, got.flat, strict=True))


@pytest.mark.parametrize("shape", [(1, 6), (1, 2, 3), (2, 2, 6), (1, 3, 6)])
def test_forces_of_the_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    e, at = EulerLagrange(random_mechanism(0, 2)), np.zeros((1, 2))
    with pytest.raises(oracle.OracleError, match=r"f has shape .*; give \(1, 2, 6\)"):
        e.inverse_dynamics_with_forces(at, at, at, np.zeros(shape))
