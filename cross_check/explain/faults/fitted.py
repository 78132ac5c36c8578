"""Hypotheses with numbers of their own: a time step of damping, and bodies that are fixed to the root."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.terms import has_damping
from cross_check.explain.faults.wrong_states import State
from cross_check.memory import Array
from mechanisms import Body, Mechanism
from mechanisms.quantities import QUANTITIES

IMPLICIT = (
    "inverse_dynamics",
    "inverse_dynamics_with_forces",
    *("forward_dynamics", "forward_dynamics_dq", "forward_dynamics_dv", "forward_dynamics_dtau"),
)
"""The quantities that know an acceleration which damping may use."""


def damping_with_step(dt: float, in_mass_matrix: bool = False) -> Fault:
    """Damping is D (v + dt a), with a time step ``dt`` (s), as integrators have it.

    With ``in_mass_matrix``, M and what is made of it contain dt D, too, and the kinetic energy as well.
    """

    def heavier(m: Mechanism) -> Mechanism:
        def change(i: int, body: Body) -> Body:
            joint = body.joint
            return replace(body, joint=replace(joint, armature=joint.armature + Fraction(dt) * joint.damping))

        return wm.with_bodies(m, change)

    def answer(m: Mechanism, name: str, state: State, x: Array) -> Array:
        if name.startswith("inverse_dynamics"):
            added: Array = dt * m.arrays.per_coordinate(m.arrays.damping) * state["a"]
            return x + added
        value: Array = getattr(loaded((), heavier(m)), name)(*(state[column] for column in QUANTITIES[name].arguments))
        return value

    name = f"damping is D (v + dt a) with dt = {dt:.6g} s"
    if in_mass_matrix:
        return Fault(f"{name}, in M as well", "damping", mechanism=heavier, needs=has_damping)
    return Fault(name, "damping", answer=answer, quantities=IMPLICIT, needs=has_damping)


def fixed_to_root(mass: float, moment: tuple[float, float, float]) -> Fault:
    """Bodies that are fixed to the root count: their ``mass`` (kg), and mass times centre of mass (kg m) in the root's frame."""

    def center(m: Mechanism, c: Array) -> Array:
        total = m.arrays.masses.sum()
        moved: Array = (total * c + np.array(moment)) / (total + mass)
        return moved

    def answer(m: Mechanism, name: str, state: State, x: Array) -> Array:
        if name == "potential_energy":
            return x - m.arrays.gravity @ np.array(moment)
        if name == "center_of_mass":
            return center(m, x)
        c = loaded((), m).center_of_mass(state["q"])
        lever = c - center(m, c)
        if name == "centroidal_momentum":
            return np.concatenate((x[:, :3] + np.cross(lever, x[:, 3:]), x[:, 3:]), 1)
        return np.concatenate((x[:, :3] + np.cross(lever[:, :, None], x[:, 3:], axis=1), x[:, 3:]), 1)

    return Fault(
        f"bodies that are fixed to the root count, {mass:.6g} kg in all",
        "centre of mass",
        answer=answer,
        quantities=("potential_energy", "center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix"),
        needs=lambda m: any(frame.body < 0 for frame in m.frames),
    )
