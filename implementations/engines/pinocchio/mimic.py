"""Mimic joints in Pinocchio, by its own ``JointModelMimic``.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
q, v                 a mimic joint has no part of its own       none
order of joints      a leader comes before its mimic joints     children are ordered so that it does; a leader behind its
                                                                mimic joint is refused
armature             one number for every component of v        k² times the mimic joint's is added to its leader's
algorithms           some refuse models with mimic joints       :data:`NOT_OFFERED`; the others answer
``crba``             adds to what its last call left, behind a  every call gets new data
                     mimic joint
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from implementations.protocol import Unsupported
from mechanisms import Mechanism

REFUSED = "Pinocchio's algorithm refuses models with mimic joints"

NOT_OFFERED = {
    "forward_dynamics": REFUSED,
    "kinetic_energy": REFUSED,
    "potential_energy": REFUSED,
    "inverse_dynamics_dq": REFUSED,
    "inverse_dynamics_dv": REFUSED,
    "forward_dynamics_dq": REFUSED,
    "forward_dynamics_dv": REFUSED,
    "forward_dynamics_dtau": REFUSED,
    "joint_torque_regressor": REFUSED,
    "gravity_dq": REFUSED,
    "static_forces_dq": REFUSED,
    "kinetic_energy_regressor": REFUSED,
    "potential_energy_regressor": REFUSED,
    "centroidal_momentum_matrix_rate": REFUSED,
    "centroidal_momentum_dq": REFUSED,
    "centroidal_momentum_rate_dq": REFUSED,
    "centroidal_momentum_rate_dv": REFUSED,
    "coriolis_matrix": "with mimic joints Pinocchio's computeCoriolisMatrix answers, but wrongly",
    "drifts_local": "with mimic joints Pinocchio's getFrameJacobianTimeVariation answers, but wrongly",
    "drifts_aligned": "with mimic joints Pinocchio's getFrameJacobianTimeVariation answers, but wrongly",
}
"""The quantities that Pinocchio 4.1 does not have for mimic joints, and why (docs/findings/pinocchio-mimic-joints.md)."""


def depth_first(mechanism: Mechanism) -> list[int]:
    """The bodies in depth-first order, every leader before the joints that follow it.

    Raises :class:`Unsupported` where there is no such order.
    """
    paths: list[tuple[int, ...]] = []
    for i, parent in enumerate(mechanism.parents):
        paths.append((*(paths[parent] if parent >= 0 else ()), i))
    children: dict[int, list[int]] = defaultdict(list)
    for i, parent in enumerate(mechanism.parents):
        children[parent].append(i)
    # Where the paths to a follower and to its leader part, the leader's branch comes first.
    earlier: dict[int, set[int]] = defaultdict(set)
    for follower, leader in enumerate(mechanism.leaders):
        parted = next(((a, b) for a, b in zip(paths[follower], paths[leader], strict=False) if a != b), None)
        if parted:
            earlier[parted[0]].add(parted[1])
        elif len(paths[follower]) < len(paths[leader]):
            raise _no_order(mechanism, follower)
    order: list[int] = []
    waiting = [-1]
    while waiting:
        i = waiting.pop()
        order += [i] if i >= 0 else []
        placed: list[int] = []
        while left := [child for child in children[i] if child not in placed]:
            ready = [child for child in left if earlier[child] <= set(placed)]
            if not ready:
                behind = (k for k, leader in enumerate(mechanism.leaders) if leader != k and left[0] in paths[k])
                raise _no_order(mechanism, next(behind))
            placed.append(ready[0])
        waiting += reversed(placed)
    return order


def following(pin: Any, model: Any, mechanism: Mechanism, order: list[int]) -> Any:
    """The model in which the joints that follow others are mimic joints; ``model`` has all joints, in this ``order``."""
    for i in order:
        if mimic := mechanism.bodies[i].joint.mimic:
            numbers = 1 + order.index(mechanism.leaders[i]), 1 + order.index(i)
            model = pin.transformJointIntoMimic(model, *numbers, float(mimic.multiplier), float(mimic.offset))
    return model


def _no_order(mechanism: Mechanism, follower: int) -> Unsupported:
    joint = mechanism.bodies[follower].joint
    leader = mechanism.bodies[mechanism.leaders[follower]].joint
    return Unsupported(f"Pinocchio needs a leader before its mimic joint, and {leader.name!r} cannot come before {joint.name!r}")
