"""What the diagnosis says about dynamics code that a stranger wrote: plain NumPy, one state at a time, with a usual mistake.

The code shares nothing with the derivations, and a mistake is a change of its own lines, not a fault of the list.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause
from cross_check.harness import check
from cross_check.judge.settings import Settings
from implementations.plugins.user_code import OneStateFunctions
from implementations.processes.subject import InProcess
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

Array = np.ndarray[Any, np.dtype[np.float64]]


def skew(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


class Recursion:
    """Newton–Euler in the bodies' frames, for turning, sliding and free joints. A mistake overrides a method."""

    def joint(self, m: Any, i: int, q: Array) -> tuple[Array, Array, Array]:
        """The pose of the body in the parent's frame, and the motion [turns; slides] of each coordinate in the body's frame."""
        axis, none, R, p = m.axes[i], np.zeros(3), np.eye(3), np.zeros(3)
        if m.kinds[i] == "revolute":
            R = self.rotation(axis, self.angle(i, q[0]))
            S = np.concatenate((axis, none))[:, None]
        elif m.kinds[i] == "prismatic":
            p, S = axis * self.distance(q[0]), np.concatenate((none, axis))[:, None]
        elif m.kinds[i] != "free":
            raise NotImplementedError(m.kinds[i])
        else:
            p, R, S = q[:3], self.attitude(*q[3:]), np.eye(6)
        return m.rotations[i] @ R, m.translations[i] + m.rotations[i] @ p, S

    def angle(self, i: int, q: float) -> float:
        return q

    def distance(self, q: float) -> float:
        return q

    def rotation(self, axis: Array, angle: float) -> Array:
        K = skew(axis)
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    def attitude(self, x: float, y: float, z: float, w: float) -> Array:
        K = skew(np.array([x, y, z]))
        return np.eye(3) + 2 * w * K + 2 * K @ K

    def base(self, v: Array, R: Array) -> Array:
        """The free base's velocity [ω; v] in its own axes."""
        return v

    def mass(self, m: Any, i: int) -> float:
        return float(m.masses[i])

    def com(self, m: Any, i: int) -> Array:
        return np.array(m.coms[i])

    def spin(self, m: Any, i: int, w: Array) -> Array:
        """ω × I ω."""
        return np.cross(w, m.inertias[i] @ w)

    def friction(self, m: Any, i: int, v: Array) -> Array:
        return m.damping[i] * v

    def rotor(self, m: Any, i: int) -> float:
        return float(m.armature[i])

    def recursion(self, mechanism: Mechanism, q: Array, v: Array, a: Array) -> Array:
        m = mechanism.arrays
        count = len(m.kinds)
        R, p, S, w, dw, acc, f, n = ([np.zeros(3)] * count for _ in range(8))
        tau = np.zeros(len(v))
        for i, (k, own) in enumerate(zip(m.parents, mechanism.v_slices, strict=True)):
            R[i], p[i], S[i] = self.joint(m, i, q[mechanism.q_slices[i]])
            w0, dw0, acc0 = (w[k], dw[k], acc[k]) if k >= 0 else (np.zeros(3), np.zeros(3), -m.gravity)
            rel, rate, w1 = S[i] @ v[own], S[i] @ a[own], R[i].T @ w0
            if m.kinds[i] == "free":
                rel = self.base(rel, R[i])
            w[i] = w1 + rel[:3]
            dw[i] = R[i].T @ dw0 + rate[:3] + np.cross(w1, rel[:3])
            acc[i] = R[i].T @ (acc0 + np.cross(dw0, p[i]) + np.cross(w0, np.cross(w0, p[i])))
            acc[i] = acc[i] + rate[3:] + 2 * np.cross(w1, rel[3:])
            if m.kinds[i] == "free":
                acc[i] = acc[i] + np.cross(rel[:3], rel[3:])
            c = self.com(m, i)
            f[i] = self.mass(m, i) * (acc[i] + np.cross(dw[i], c) + np.cross(w[i], np.cross(w[i], c)))
            n[i] = m.inertias[i] @ dw[i] + self.spin(m, i, w[i]) + np.cross(c, f[i])
        for i in reversed(range(count)):
            k, own = m.parents[i], mechanism.v_slices[i]
            tau[own] = S[i].T @ np.concatenate((n[i], f[i])) + self.rotor(m, i) * a[own] + self.friction(m, i, v[own])
            if k >= 0:
                f[k] = f[k] + R[i] @ f[i]
                n[k] = n[k] + R[i] @ n[i] + np.cross(p[i], R[i] @ f[i])
        return tau

    def inverse_dynamics(self, mechanism: Mechanism, q: Array, v: Array, a: Array) -> Array:
        return self.recursion(mechanism, q, v, a)

    def nonlinear_effects(self, mechanism: Mechanism, q: Array, v: Array) -> Array:
        return self.recursion(mechanism, q, v, np.zeros(len(v)))

    def gravity(self, mechanism: Mechanism, q: Array) -> Array:
        return self.recursion(mechanism, q, np.zeros(mechanism.nv), np.zeros(mechanism.nv))


def _body(name: str, parent: str, joint: Joint, mass: str) -> Body:
    return Body(name, parent, joint, Inertia(mass, ("0.1", "-0.05", "0.2"), ("0.4", "0.5", "0.6", "0.02", "-0.03", "0.05")))


def _at(roll: float, pitch: float, yaw: float) -> Placement:
    return Placement(Rotation.from_rpy(roll, pitch, yaw), ("0.3", "-0.1", "0.2"))


ARM = Mechanism(
    "arm",
    (
        _body("post", "world", Joint("yaw", "revolute", armature="0.03", damping="0.7"), "4"),
        _body("boom", "post", Joint("lift", "revolute", (0, 1, 0), _at(0.3, -0.5, 0.7), "0.02", "0.4"), "3"),
        _body("slider", "boom", Joint("slide", "prismatic", (1, 0, 0), _at(-0.2, 0.4, 1.1), "0.05", "0.9"), "1.5"),
    ),
)

SHORT = Mechanism("short", ARM.bodies[:2])

GLIDER = Mechanism(
    "glider",
    (
        _body("hull", "world", Joint("flight", "free"), "3"),
        _body("flap", "hull", Joint("hinge", "revolute", (0, 1, 0), _at(0.3, -0.5, 0.7), "0.02", "0.4"), "1"),
    ),
)


def causes(code: Recursion, mechanism: Mechanism, *quantities: str) -> tuple[Cause, ...]:
    asked = quantities or ("inverse_dynamics",)
    functions: dict[str, Callable[..., Any]] = {name: getattr(code, name) for name in asked}
    loaded = OneStateFunctions("stranger.py", functions)
    subject = SimpleNamespace(name="code", version="1", load=loaded.load)
    entry = Entry("code", "code", InProcess(subject))
    return check([(mechanism.name, mechanism)], [entry], Settings(invariants=False, quantities=asked)).causes


class OtherWay(Recursion):
    """Right: M q̈ by columns from the last to the first, and half angles."""

    def rotation(self, axis: Array, angle: float) -> Array:
        s, K = np.sin(angle / 2), skew(axis)
        return np.eye(3) + 2 * s * np.cos(angle / 2) * K + 2 * s * s * K @ K

    def spin(self, m: Any, i: int, w: Array) -> Array:
        return skew(w) @ m.inertias[i] @ w

    def inverse_dynamics(self, mechanism: Mechanism, q: Array, v: Array, a: Array) -> Array:
        z = np.zeros(mechanism.nv)
        columns = [self.recursion(mechanism, q, z, unit) for unit in np.eye(mechanism.nv)]
        at_rest = self.gravity(mechanism, q)
        return self.nonlinear_effects(mechanism, q, v) + np.array([c - at_rest for c in columns[::-1]]).T @ a[::-1]


class GravityTwice(Recursion):
    def nonlinear_effects(self, mechanism: Mechanism, q: Array, v: Array) -> Array:
        return super().nonlinear_effects(mechanism, q, v) + self.gravity(mechanism, q)


class Payload(Recursion):
    def mass(self, m: Any, i: int) -> float:
        return float(m.masses[i]) + 2.0 * (i == len(m.masses) - 1)


class Millimetres(Recursion):
    def distance(self, q: float) -> float:
        return q / 1000


class ShiftedZero(Recursion):
    def angle(self, i: int, q: float) -> float:
        return q - (np.pi / 2 if i == 1 else 0)


class SwappedDamping(Recursion):
    def friction(self, m: Any, i: int, v: Array) -> Array:
        return m.damping[{1: 2, 2: 1}.get(i, i)] * v


class Coulomb(Recursion):
    def friction(self, m: Any, i: int, v: Array) -> Array:
        return m.damping[i] * np.sign(v)


class WorldVelocity(Recursion):
    def base(self, v: Array, R: Array) -> Array:
        return np.concatenate((v[:3], R.T @ v[3:]))


class ScalarFirst(Recursion):
    def attitude(self, x: float, y: float, z: float, w: float) -> Array:
        return super().attitude(y, z, w, x)


@pytest.mark.slow
@pytest.mark.parametrize("code", [Recursion(), OtherWay()], ids=["plain", "other way"])
def test_right_code_in_unusual_form_has_no_cause(code: Recursion) -> None:
    assert causes(code, ARM, "inverse_dynamics", "nonlinear_effects", "gravity") == ()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("code", "mechanism", "quantities", "words", "where"),
    [
        (GravityTwice(), ARM, ("gravity", "nonlinear_effects"), ("gravity counts twice", "gravity is right"), ()),
        (Payload(), ARM, ("gravity",), ("mass of slider is 3.5 kg instead of 1.5 kg",), ("slider",)),
        (Millimetres(), ARM, ("inverse_dynamics",), ("millimetres",), ("slide",)),
        (ShiftedZero(), ARM, ("gravity",), ("zero of joint lift is shifted by -1.5708",), ("lift",)),
        (
            SwappedDamping(),
            ARM,
            ("nonlinear_effects",),
            ("damping of lift and slide is exchanged",),
            ("lift", "slide"),
        ),
        (WorldVelocity(), GLIDER, ("nonlinear_effects",), ("linear velocity", "parent's axes"), ()),
        (ScalarFirst(), GLIDER, ("gravity",), ("quaternions are read with w first",), ()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Recursion) else "",
)
def test_one_mistake_is_named(
    code: Recursion, mechanism: Mechanism, quantities: tuple[str, ...], words: tuple[str, ...], where: tuple[str, ...]
) -> None:
    (cause,) = causes(code, mechanism, *quantities)
    assert [word for word in words if word not in cause.sentence] == []
    assert cause.kind != "unknown"
    assert not where or cause.where == where


@pytest.mark.slow
def test_friction_that_does_not_grow_with_velocity_is_named() -> None:
    (cause,) = causes(Coulomb(), SHORT, "nonlinear_effects")
    assert "damping · sign(v) instead of damping · v" in cause.sentence
    seen = {observation.asked: observation.seen for observation in cause.evidence}
    assert seen["nothing moves"] == seen["without damping"] == "agrees"
    assert seen["bodies without mass"] != "agrees"
