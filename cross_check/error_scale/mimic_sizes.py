"""The sizes of quantities of a mechanism with mimic joints, from those of the same tree with every joint moving on its own.

    τ = Gᵀ τ_tree, M = Gᵀ M_tree G, …        so the size of a sum is the sum of sizes, with |G| in the place of G           eq. 35

A mimic joint's position k q + c is computed, and so it is rounded: its terms have the size |k q| + |c|. An angle with an error of
that size turns everything behind it, as so many more rotations on the path would do                                     eq. 36
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.error_scale.dynamics_sizes import subtree_inertias as inertias_of_tree
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, beyond_half_a_turn
from cross_check.error_scale.standing import measured_from
from mechanisms.quantities import Quantity
from mechanisms.states import tree_matrix, tree_position


def reduced(size: Callable[..., Array], quantity: Quantity, bounds: MotionMagnitudes, *arguments: Array) -> Array:
    """The size of ``quantity`` from ``size``, which gives that of the tree."""
    mechanism = bounds.mechanism
    G = np.abs(tree_matrix(mechanism))
    q = tree_position(mechanism, arguments[0], magnitudes=True)
    state = (x if kind == "f" else np.abs(x) @ G.T for kind, x in zip(quantity.inputs[1:], arguments[1:], strict=True))
    answer = size(_of_tree(bounds, q).measured_from(measured_from(quantity)), q, *state)
    for axis, of in enumerate(quantity.axes, 1):
        if of == "nv":
            answer = np.moveaxis(np.moveaxis(answer, axis, -1) @ G, -1, axis)
    return answer


def subtree_inertias(bounds: MotionMagnitudes, q: Array) -> Array:
    """J (batch, nv), the inertia that every coordinate moves: the sum of k² J_tree over the joints that it moves."""
    q = tree_position(bounds.mechanism, q, magnitudes=True)
    return inertias_of_tree(_of_tree(bounds, q), q) @ tree_matrix(bounds.mechanism) ** 2


def _of_tree(bounds: MotionMagnitudes, q: Array) -> MotionMagnitudes:
    tree = bounds.of_tree()
    angles = []
    for body, own in zip(bounds.mechanism.bodies, tree.mechanism.q_slices, strict=True):
        is_computed = body.joint.mimic and body.joint.slots[0].form == "angle"
        angles.append(np.abs(q[:, own.start]) if is_computed else beyond_half_a_turn(body.joint, q[:, own]))
    return tree.turned(angles)
