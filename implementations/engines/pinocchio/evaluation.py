"""One quantity at one state as a program for Pinocchio alone, with the calls of the adapter, in Pinocchio's own conventions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from implementations.engines.left_out import INVERSE
from implementations.engines.pinocchio.calls import CALLS, OF_EVERY_PLACE, REFERENCES
from implementations.engines.pinocchio.coordinates import PinocchioCoordinates
from implementations.engines.pinocchio.joint_models import depth_first, model_of, turns
from implementations.protocol import Array, Evaluation, Unsupported
from implementations.source import Source, written
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


def evaluation(mechanism: Mechanism, name: str, state: Mapping[str, Array], expected: Array, version: str) -> Evaluation:
    """The program for the quantity ``name``; ``state`` has its arguments, one state each, and ``expected`` is the right answer.

    Damping, which Pinocchio leaves out, is left out of the forces. For the Coriolis matrix, ``got`` and ``expected`` are the two
    sides [C + Cᵀ, C v] (nv, nv + 1). Raises :class:`Unsupported` where the adapter converts more than a program can show.
    """
    quantity = QUANTITIES[name]
    if name not in CALLS and quantity.family not in OF_EVERY_PLACE:
        raise Unsupported(f"a program for Pinocchio alone that asks for {quantity.title} is not written")
    if mechanism.has_mimics:
        raise Unsupported("a program for Pinocchio alone with mimic joints is not written")
    order = depth_first(mechanism)
    coordinates = PinocchioCoordinates(mechanism, order, turns(mechanism))
    damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)
    source = Source(
        "# Inputs and the expected answer are in Pinocchio's own conventions.",
        "import numpy as np",
        "import pinocchio as pin",
        "",
    )
    model_of(source.module("pin"), mechanism, order)
    source.add("data = model.createData()")
    for argument in quantity.arguments:
        value = state[argument]
        if argument == "tau":
            value = value - damping * state["v"]
        if argument == "f":
            _forces(source, mechanism, order, value)
        else:
            converted = coordinates.position(value[None]) if argument == "q" else coordinates.rates(value[None])
            source.add(f"{argument} = {written(converted[0] + 0.0)}")
    if name in (*INVERSE, "nonlinear_effects"):
        expected = expected - damping * state["v"]
    elif name == "inverse_dynamics_dv":
        expected = expected - np.diag(damping)
    elif name == "forward_dynamics_dv" and damping.any():
        raise Unsupported("Pinocchio's ∂q̈/∂v has no damping, which cannot be taken out of the right answer")
    if name in CALLS:
        source.add(f"got = {CALLS[name]}")
    else:
        _of_every_joint(source, mechanism, order, quantity.family, quantity.frame)
    if name == "coriolis_matrix":
        source.add("got = np.column_stack([got + got.T, got @ v])")
        edge = coordinates.rates(expected[:, -1][None])[0]
        expected = expected[:, :-1]
    for axis, entries in enumerate(quantity.axes):
        expected = coordinates.to_pinocchio(expected, axis, entries)
    return Evaluation(source.lines, np.column_stack([expected, edge]) if name == "coriolis_matrix" else expected)


def _joints(mechanism: Mechanism, order: list[int]) -> list[int]:
    """Pinocchio's number of every body's joint, whose frame has to be the body's."""
    for body, R in zip(mechanism.bodies, turns(mechanism), strict=True):
        if not np.array_equal(R, np.eye(3)):
            raise Unsupported(f"in Pinocchio the frame of joint {body.joint.name!r} is rotated")
    return [1 + order.index(i) for i in range(len(order))]


def _of_every_joint(source: Source, mechanism: Mechanism, order: list[int], family: str, frame: str | None) -> None:
    reference = f"pin.ReferenceFrame.{REFERENCES[frame]}"
    at_state, of_joints = OF_EVERY_PLACE[family].of_joints(str(_joints(mechanism, order)), reference)
    source.add(at_state)
    source.add(f"got = np.array({of_joints})")


def _forces(source: Source, mechanism: Mechanism, order: list[int], f: Array) -> None:
    source.add("forces = pin.StdVec_Force([pin.Force.Zero()] * model.njoints)")
    for joint, force in zip(_joints(mechanism, order), f, strict=True):
        source.add(f"forces[{joint}] = pin.Force({written(np.roll(force, 3) + 0.0)})")
