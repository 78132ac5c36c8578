"""Terms that the forces of one joint, or of the joints of one kind, lack, while the forces of all others have them."""

from __future__ import annotations

from collections.abc import Iterator

from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.wrong_states import State
from cross_check.memory import Array
from mechanisms import Mechanism

FORCES = ("inverse_dynamics", "inverse_dynamics_with_forces", "nonlinear_effects")


def wrong_rows(m: Mechanism) -> Iterator[Fault]:
    """Gravity, or the terms of velocities, missing in the forces of joints."""
    if len(m.bodies) < 2:
        return
    joints = [body.joint for body in m.bodies]
    for kind in dict.fromkeys(joint.kind for joint in joints):
        names = tuple(joint.name for joint in joints if joint.kind == kind)
        if len(names) < len(joints):
            yield from _without(f"the forces of {kind} joints", kind, ())
    for joint in joints:
        yield from _without(f"the force of joint {joint.name}", "", (joint.name,))


def _without(forces: str, kind: str, names: tuple[str, ...]) -> Iterator[Fault]:
    def concerns(m: Mechanism) -> list[slice]:
        slices = zip(m.bodies, m.v_slices, strict=True)
        return [v for body, v in slices if body.joint.kind == kind or body.joint.name in names]

    def without_gravity(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
        return _less(answer, loaded((), m).gravity(state["q"]), concerns(m))

    def without_velocities(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
        right = loaded((), m)
        return _less(answer, right.nonlinear_effects(state["q"], state["v"]) - right.gravity(state["q"]), concerns(m))

    for words, term, change, quantities in (
        ("gravity", "gravity", without_gravity, (*FORCES, "gravity")),
        ("terms of velocities", "Coriolis and centrifugal", without_velocities, FORCES),
    ):
        said = f"{forces} contain{'' if kind else 's'} no {words}"
        yield Fault(said, term, answer=change, quantities=quantities, needs=lambda m: bool(concerns(m)), where=names)


def _less(answer: Array, part: Array, rows: list[slice]) -> Array:
    answer = answer.copy()
    for row in rows:
        answer[:, row] -= part[:, row]
    return answer
