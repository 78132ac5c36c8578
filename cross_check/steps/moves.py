"""How a position moves with a velocity for a while, and along which axes velocities are added.

Angles and distances are added. What has the pose of a body moves along a screw, or turns and goes straight on, or takes the first
order of either: q + h q̇, with q̇ = G(q) v (:mod:`mechanisms.position_rates`). Velocities along turning axes and along fixed ones
add up to other motions, so a scheme has coordinates of its own (:mod:`implementations.conventions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from cross_check.memory import Array
from implementations.conventions import rates
from implementations.conventions.change import Change
from implementations.conventions.declared import VALUES, Conventions
from mechanisms import Mechanism
from mechanisms.position_rates import position_rate
from mechanisms.states import difference, integrate, of_length_one


def along_screws(mechanism: Mechanism, q: Array, d: Array) -> Array:
    """q ⊕ d."""
    return integrate(mechanism, q, d)


def straight(mechanism: Mechanism, q: Array, d: Array) -> Array:
    """Turns are those of q ⊕ d; distances go along the velocity that they have at q."""
    moved, first = integrate(mechanism, q, d), first_order(mechanism, q, d)
    for _, slot in mechanism.slots("distance"):
        moved[:, slot] = first[:, slot]
    return moved


def first_order(mechanism: Mechanism, q: Array, d: Array) -> Array:
    """q + G(q) d."""
    return q + np.array(position_rate(mechanism, q.T, d.T)).T


def normalised(mechanism: Mechanism, q: Array, d: Array) -> Array:
    """q + G(q) d, with quaternions of length one."""
    return of_length_one(mechanism, first_order(mechanism, q, d))


MOVES: dict[str, Callable[[Mechanism, Array, Array], Array]] = {
    "turns by the exponential, origins straight on": straight,
    "turns and origins by the exponential": along_screws,
    "quaternions to first order, then normalised": normalised,
    "quaternions to first order, not normalised": first_order,
}
"""By what they are called."""

Stages = Literal["", "corrected", "summed", "summed, normalised"]

STAGES: dict[Stages, str] = {
    "": "",
    "corrected": "rates of turns corrected by dexp⁻¹ (Munthe-Kaas)",
    "summed": "q̇ summed over the stages",
    "summed, normalised": "q̇ summed over the stages, whose quaternions are normalised",
}
"""How stages move positions, in words. "corrected" is for the turn that a stage has made already (Munthe-Kaas 1999):
r = dexp⁻¹(d) ω. "summed" takes q for one vector of numbers, q⁺ = q + h Σ bⱼ G(Qⱼ) Vⱼ. The others move once, by h Σ bⱼ Vⱼ."""


class Fault(NamedTuple):
    """What a known fault of an engine does to a position q ⊕ d: functions of q and d."""

    added: Callable[[Array, Array], Array]
    bound: Callable[[Array, Array], Array]
    """How far the position may be off besides."""


KINDS = ("free", "spherical", "planar")
"""The kinds of joints whose velocity has axes to choose."""

FREE, SPHERICAL, PLANAR = (VALUES[f"{kind}_velocity"] for kind in KINDS)

CHARTS = tuple(
    Conventions(free_velocity=free, spherical_velocity=spherical, planar_velocity=planar)
    for spherical, planar in (("body", "joint"), ("body", "body"), ("joint", "joint"))
    for free in reversed(FREE)
)
"""Along which axes velocities may be added. Those of fixed distances come first."""


@dataclass(frozen=True)
class Chart:
    """Where velocities are added, and how positions move."""

    conventions: Conventions
    move: str
    stages: Stages = ""
    fault: Fault | None = None

    def words(self, mechanism: Mechanism) -> str:
        """What it does on this mechanism, beside plain sums; empty where no joint turns freely."""
        if not _turns(mechanism):
            return ""
        added = [
            VALUES[f"{kind}_velocity"][getattr(self.conventions, f"{kind}_velocity")].partition(":")[0]
            for kind in KINDS
            if _has(mechanism, kind)
        ]
        move = self.move.replace("origins", "centres of mass") if self.is_of_mass else self.move
        return "; ".join(filter(None, (move, *(f"velocities added as {one}" for one in added), STAGES[self.stages])))

    @property
    def is_of_mass(self) -> bool:
        """Whether centres of mass move in the place of origins."""
        return self.conventions.free_velocity == "center of mass"

    @property
    def sums(self) -> bool:
        """Whether positions are summed as numbers."""
        return self.stages.startswith("summed")

    def rate(self, mechanism: Mechanism, d: Array, w: Array) -> Array:
        """The rate (batch, nv) of d at a stage that has the velocity w, and has moved by d."""
        if self.stages != "corrected":
            return w
        rate = w.copy()
        for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
            if body.joint.pose in ("free", "spherical"):
                turns = slice(own.start, own.start + 3)
                rate[:, turns] = inverse_dexp(d[:, turns], w[:, turns])
        return rate

    def moved(self, mechanism: Mechanism, q: Array, d: Array) -> Array:
        """The position after the step d (batch, nv), which has our coordinates at q."""
        if self.is_of_mass:
            d = (rates.inverse_of_mass(mechanism, q) @ d[..., None])[..., 0]
            moved = _from_origins(mechanism, MOVES[self.move](mechanism, _from_origins(mechanism, q, 1.0), d), -1.0)
        else:
            moved = MOVES[self.move](mechanism, q, d)
        return moved if self.fault is None else moved + self.fault.added(q, d)

    def suits(self, by_stages: bool) -> bool:
        """Whether the chart differs from others for a scheme that moves positions with the velocities of stages, or does not."""
        return by_stages or not self.stages

    def q_rate(self, mechanism: Mechanism, q: Array, v: Array) -> Array:
        """G(q) v (batch, nq) of a stage."""
        at = of_length_one(mechanism, q) if self.stages == "summed, normalised" else q
        return first_order(mechanism, at, v) - at

    def summed(self, mechanism: Mechanism, q: Array) -> Array:
        """q⁺ of the sum q."""
        return of_length_one(mechanism, q) if MOVES[self.move] is normalised else q


def charts_of(mechanism: Mechanism) -> Iterator[Chart]:
    """Those that differ on this mechanism, each once."""
    seen = set()
    for conventions in CHARTS:
        key = tuple(getattr(conventions, f"{kind}_velocity") for kind in KINDS if _has(mechanism, kind))
        if key in seen:
            continue
        seen.add(key)
        if "center of mass" in key and not any(body.joint.pose == "free" and any(body.inertia.com) for body in mechanism.bodies):
            continue
        for move in MOVES if _turns(mechanism) else ["turns and origins by the exponential"]:
            yield Chart(conventions, move)
        if mechanism.slots("quaternion") and not (_has(mechanism, "free") and "angular mixed" in conventions.free_velocity):
            yield Chart(conventions, next(iter(MOVES)), "corrected")
            for move, made in MOVES.items():
                if made in (normalised, first_order):
                    yield Chart(conventions, move, "summed")
                    yield Chart(conventions, move, "summed, normalised")


def inverse_dexp(d: Array, w: Array) -> Array:
    """dexp⁻¹(d) w = w + ½ d × w + g d × (d × w), with g = (1 − (θ/2) cot(θ/2)) / θ² and θ = |d|; vectors (batch, 3)."""
    once = np.cross(d, w)
    theta = np.linalg.norm(d, axis=1, keepdims=True)
    small = theta < 1e-3
    safe = np.where(small, 1.0, theta)
    g = np.where(small, 1 / 12 + theta**2 / 720, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    return w + once / 2 + g * np.cross(d, once)


def _from_origins(mechanism: Mechanism, q: Array, share: float) -> Array:
    """Positions whose free joints end so far towards the centres of mass: p + share R c."""
    moved = q.copy()
    for body, own, com in zip(mechanism.bodies, mechanism.q_slices, mechanism.arrays.coms, strict=True):
        if body.joint.pose == "free":
            moved[:, own][:, :3] += share * rates.rotation(q[:, own][:, 3:]) @ com
    return moved


def _turns(mechanism: Mechanism) -> bool:
    """Whether a joint's position is no sum."""
    return any(body.joint.velocity_is_body_twist or body.joint.nq > body.joint.nv for body in mechanism.bodies)


def _has(mechanism: Mechanism, kind: str) -> bool:
    return any(body.joint.pose == kind for body in mechanism.bodies)


@lru_cache(maxsize=64)
def change_of(mechanism: Mechanism, conventions: Conventions) -> Change:
    """The change of coordinates of a mechanism."""
    return Change(mechanism, conventions)


def between(mechanism: Mechanism, q: Array, to: Array, share: float, as_numbers: bool = False) -> Array:
    """The position that is a share of the way from q to another one: along a screw, or of numbers that are added."""
    if share == 1:
        return to
    return q + share * (to - q) if as_numbers else integrate(mechanism, q, share * difference(mechanism, q, to))
