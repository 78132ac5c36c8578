"""Faults of code that solves for constraints: in J, in the drift, in the forces, in the restitution and in derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.fault import Fault, WrongAnswer
from cross_check.explain.faults.terms.edits import faults_of
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import build
from mechanisms import Constraint, Mechanism, Placement
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

GROUP = "constraints"


def _placed(name: str, change: Callable[[Constraint], Constraint]) -> Fault:
    """Every constraint is changed."""
    return Fault(name, GROUP, mechanism=lambda m: replace(m, constraints=tuple(map(change, m.constraints))))


def _turned(name: str, *beginnings: str) -> Fault:
    """The quantities whose names begin so have the opposite sign."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if one.startswith(beginnings))
    return Fault(name, GROUP, answer=lambda m, quantity, state, answer: -answer, quantities=quantities)


def _by_state(name: str, answer: WrongAnswer) -> Fault:
    """The derivatives by the state, which have a block by q and one by v, are changed."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if ALL_QUANTITIES[one].by == "x")
    return Fault(name, GROUP, answer=answer, quantities=quantities)


def _exchanged(one: Constraint) -> Constraint:
    return Constraint(one.name, one.second, one.first, one.directions, one.second_placement, one.first_placement)


def _exchanged_blocks(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    return np.roll(answer, m.nv, axis=2)


def _transposed(block: int) -> WrongAnswer:
    """One of the two blocks is transposed, if it is square."""

    def transposed(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
        blocks = np.split(answer, 2, axis=2)
        if answer.shape[1] == m.nv:
            blocks[block] = blocks[block].swapaxes(1, 2)
        return np.concatenate(blocks, axis=2)

    return transposed


def _in_parents(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    """Free and spherical joints are turned and moved along the axes of their parents, not of their own bodies."""
    X, _ = transforms(build(m, Real()), np.moveaxis(state["q"], 0, -1))
    answer = answer.copy()
    for Xi, body, own in zip(X, m.bodies, m.v_slices, strict=True):
        if body.joint.kind in ("free", "spherical"):
            size = own.stop - own.start
            turn = np.moveaxis(Xi @ np.broadcast_to(np.eye(6)[..., None], (6, 6, len(answer))), -1, 0)[:, :size, :size]
            answer[:, :, own] = answer[:, :, own] @ turn
    return answer


OTHERS = (
    _turned("the multipliers have the opposite sign", "constraint_multipliers"),
    _turned("the constraint forces have the opposite sign", "constraint_forces", "impact_forces"),
    _placed("first and second frame are exchanged", _exchanged),
    _placed("the second frame is taken at its body's origin", lambda one: replace(one, second_placement=Placement())),
    Fault("damping is left out", GROUP, mechanism=wm.scaled("damping", 0)),
    Fault("armature is left out", GROUP, mechanism=wm.scaled("armature", 0)),
    Fault("gravity is left out", GROUP, mechanism=wm.gravity((0, 0, 0))),
    Fault("gravity has the opposite sign", GROUP, mechanism=wm.gravity((-1, -1, -1))),
    _by_state("the derivatives by q and v are exchanged", _exchanged_blocks),
    _by_state("the derivatives by q are transposed", _transposed(0)),
    _by_state("the derivatives by v are transposed", _transposed(1)),
    _by_state("the derivatives by q are along the axes of the parents of free and spherical joints", _in_parents),
)
"""Those that are no edits."""

CONSTRAINT_FAULTS = faults_of(GROUP, "constraints", {fault.name: fault for fault in OTHERS})
"""The likely ones first, in the order of ``edits.toml``."""
