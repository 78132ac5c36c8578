"""frax (Morton, 2026): kinematics and dynamics in JAX, of trees that its own reader makes of URDF, on the CPU.

==================== ========================================== ======================================================
what                 frax                                       conversion
==================== ========================================== ======================================================
models               from files of URDF alone                   we write one, with moments of zero where a link has none
joints               revolute and prismatic                     continuous ones by their angle
free joint           the base, in MuJoCo's coordinates:         a free joint alone on the root, at the root's origin, is
                     x y z and w x y z; [ṗ; ω], ṗ along the     the base
                     root's axes and ω along the body's
spatial vectors      linear part first                          declared
states               of one state                               ``vmap``, over blocks of states
                                                                (:mod:`implementations.engines.blocks`)
gravity              9.81 m/s² along −z in ``gravity_vector``   another one is given to ``rnea``; no forward dynamics
                     and ``forward_dynamics``                   with another one
external forces      at the root's origin, along its axes       from the body's
Jacobians, drifts    of a frame on the last joint of a chain    the functions behind them, for every body
==================== ========================================== ======================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from implementations.engines.blocks import BlockByBlock, InJAX
from implementations.engines.declared import Adapter, engine_of, imported
from implementations.engines.files import as_file
from implementations.engines.left_out import in_our_coordinates
from implementations.engines.segments import pose_of, require_hinges_and_slides
from implementations.protocol import Array, Dynamics
from implementations.state_by_state import OfState
from mechanisms import EARTH, Mechanism
from mechanisms.files.urdf.write import write_urdf

NOTHING = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
BASE = 6
"""The bodies that frax makes of a free base, of which the last one is the link."""


class Frax(InJAX, Adapter):
    """The implementation "frax". Raises :class:`implementations.protocol.Missing` if frax is not installed."""

    name = "frax"

    def load(self, mechanism: Mechanism) -> Dynamics:
        engine()
        floats = mechanism.has_free_base
        joints = require_hinges_and_slides("frax", mechanism)
        text = write_urdf(replace(mechanism, frames=()), floats)
        return dynamics_of(robot_of(text, floats, joints), mechanism, range(len(mechanism.bodies)))


def robot_of(text: str, floats: bool, joints: list[str] | None = None) -> Any:
    """frax's robot of a URDF, on a free base or on the root; its joints in the order of ``joints``, if that is given.

    frax fails at a root and at moving links without inertia, so links of which the text has the name alone get zeros.
    """
    _, frax = engine()
    with as_file(re.sub(r"<link\b([^<>]*?)(/>|>\s*</link>)", rf"<link\1>{NOTHING}</link>", text), "robot.urdf") as path:
        return frax.Robot(path, joint_ordering=joints, floating_base="quaternion" if floats else None)


def dynamics_of(robot: Any, mechanism: Mechanism, order: Any) -> Dynamics:
    """What frax answers about a robot, in our coordinates; ``order`` has the index of its body for every joint of the robot."""
    return in_our_coordinates("frax", mechanism, BlockByBlock(mechanism, FraxCalls(robot, mechanism, order)), order)


class FraxCalls:
    """One robot's quantities of a block of states, in frax's coordinates, by their names."""

    def __init__(self, robot: Any, mechanism: Mechanism, order: Any) -> None:
        jax, _ = engine()
        vars(self).update({name: jax.jit(jax.vmap(of_state)) for name, of_state in _offered(robot, mechanism, order).items()})


def _offered(robot: Any, mechanism: Mechanism, order: Any) -> Mapping[str, OfState]:
    jp = import_module("jax.numpy")
    up = np.array([*-mechanism.arrays.gravity, 0, 0, 0])
    virtual = BASE - 1 if robot.is_quaternion_base else 0
    bodies = range(virtual, robot.nv)
    """The numbers of our bodies in frax."""
    number = {ours: bodies[k] for k, ours in enumerate(order)}
    chains = [np.flatnonzero(mask) for mask in robot.ancestor_mask]
    """The numbers of the joints that move each body."""
    in_body = [(k, np.eye(4)) for k in bodies]
    on_bodies = [(number[frame.body], pose_of(frame.placement)) for frame in mechanism.frames if frame.body >= 0]

    def of_places(ask: OfState, places: list[tuple[int, Array]]) -> OfState:
        def of_state(q: Any, *v: Any) -> Any:
            poses = robot.joint_to_world_transforms(q)
            return jp.stack([ask(poses, offset, k, *v) for k, offset in places])

        return of_state

    def placement(poses: Any, offset: Array, k: int) -> Any:
        return robot._frame_transform(poses, offset, k)[:3]

    def jacobian(poses: Any, offset: Array, k: int) -> Any:
        return robot._frame_jacobian(poses, offset, chains[k])

    def drift(poses: Any, offset: Array, k: int, v: Any) -> Any:
        return robot._frame_jacobian_and_derivative(v, poses, offset, chains[k])[1] @ v

    def inverse_dynamics_with_forces(q: Any, v: Any, a: Any, f: Any) -> Any:
        poses = robot.joint_to_world_transforms(q)[virtual:]
        force, moment = (jp.einsum("kij,kj->ki", poses[:, :3, :3], part) for part in (f[:, :3], f[:, 3:]))
        own = jp.concatenate([force, moment + jp.cross(poses[:, :3, 3], force)], axis=1)
        return robot.rnea(q, v, a, up, jp.concatenate([jp.zeros((virtual, 6)), own]))

    offered: dict[str, OfState] = {
        "inverse_dynamics": lambda q, v, a: robot.rnea(q, v, a, up, None),
        "inverse_dynamics_with_forces": inverse_dynamics_with_forces,
        "nonlinear_effects": lambda q, v: robot.rnea(q, v, None, up, None),
        "gravity": lambda q: robot.rnea(q, None, None, up, None),
        "mass_matrix": robot.mass_matrix,
        "forward_dynamics_dtau": lambda q: robot.mass_matrix_inverse(robot.mass_matrix(q)),
        "placements": of_places(placement, in_body),
        "jacobians_aligned": of_places(jacobian, in_body),
        "drifts_aligned": of_places(drift, in_body),
        "center_of_mass": robot.center_of_mass,
        "center_of_mass_jacobian": robot.center_of_mass_jacobian,
        "integrate": lambda q, dv: robot.integrate(q, dv, 1.0),
        "difference": robot.difference,
    }
    if mechanism.frames and len(on_bodies) == len(mechanism.frames):
        offered["frame_placements"] = of_places(placement, on_bodies)
        offered["frame_jacobians_aligned"] = of_places(jacobian, on_bodies)
    if mechanism.gravity == EARTH:
        offered |= {"gravity": robot.gravity_vector, "nonlinear_effects": robot.nonlinear_bias}
        offered["forward_dynamics"] = lambda q, v, tau: robot.forward_dynamics(q, v, tau, None)
    return offered


def engine() -> tuple[Any, Any]:
    """JAX, and frax. Raises :class:`implementations.protocol.Missing`."""
    return imported("JAX", "frax", "jax", "jit"), engine_of("frax")
