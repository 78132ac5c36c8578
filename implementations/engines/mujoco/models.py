"""Builds MuJoCo's model of a mechanism with ``MjSpec``.

=========== =======================================================================================
ours        joints of one body in MuJoCo, in this order; each moves those after it
=========== =======================================================================================
revolute    hinge
continuous  hinge
prismatic   slide
cylindrical hinge, slide
universal   two hinges
translation three slides
euler-…     three hinges
spherical   ball
planar      two slides, hinge
free        free if its frame is the root's, else three slides and a ball, with the same coordinates
helical     none
=========== =======================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.mujoco.constraints import add_constraints
from implementations.engines.mujoco.principal_axes import principal
from implementations.protocol import Array, Unsupported
from mechanisms import Joint, Mechanism, Placement
from mechanisms.plain_text import one_line

NEGLIGIBLE_STEP = 1e-12
"""The time step (s) of the integrator that computes ∂τ/∂v: it has to factor M − step · ∂τ/∂v, which we do not need."""


def model_of(mj: Any, mechanism: Mechanism) -> tuple[Any, list[int]]:
    """The ``MjModel`` of ``mechanism``, and the number of every body in it. Raises :class:`Unsupported`."""
    spec = mj.MjSpec()
    leave_as_given(mj, spec)
    use_equations_alone(mj, spec.option)
    spec.option.gravity = mechanism.arrays.gravity
    made = [spec.worldbody]
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        place = body.joint.placement
        # The number keeps a body called "world" apart from MuJoCo's own.
        added = made[parent + 1].add_body(name=f"{i} {body.name}", pos=_floats(place.translation), quat=_quaternion(place))
        _add_joints(mj, added, body.joint, is_on_root=parent < 0)
        added.explicitinertial = True
        added.mass = float(body.inertia.mass)
        added.ipos = mechanism.arrays.coms[i]
        added.inertia, added.iquat = principal(mj, mechanism.arrays.inertias[i])
        made.append(added)
    for k, frame in enumerate(mechanism.frames):
        place = frame.placement
        made[frame.body + 1].add_site(name=f"frame{k}", pos=_floats(place.translation), quat=_quaternion(place))
    if mechanism.constraints:
        add_constraints(mj, mechanism, spec, made, _quaternion)
    return compiled(spec, "the mechanism"), [body.id for body in made[1:]]


def compiled(spec: Any, what: str) -> Any:
    """The ``MjModel`` of a specification. Raises :class:`Unsupported` with MuJoCo's words if it refuses ``what``."""
    try:
        return spec.compile()
    except ValueError as error:
        raise Unsupported(f"MuJoCo refuses {what}: {words(error)}") from error


def words(error: Exception) -> str:
    """What MuJoCo says in an error, in one line."""
    return one_line(str(error).removeprefix("Error: "), 300)


def leave_as_given(mj: Any, spec: Any) -> None:
    """Let the compiler change no mass, no inertia and no body."""
    spec.compiler.balanceinertia = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0
    spec.compiler.inertiafromgeom = mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.compiler.fusestatic = False
    spec.compiler.alignfree = False


def use_equations_alone(mj: Any, option: Any) -> None:
    """No contacts, limits, friction or other constraints; the integrator that computes ∂τ/∂v."""
    option.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    option.integrator = mj.mjtIntegrator.mjINT_IMPLICIT
    option.timestep = NEGLIGIBLE_STEP


def _add_joints(mj: Any, body: Any, joint: Joint, is_on_root: bool) -> None:
    kinds = mj.mjtJoint
    if joint.kind == "free" and is_on_root and joint.placement == Placement():
        body.add_freejoint()
        return
    screws = sorted(joint.screws, key=lambda screw: screw.turns) if joint.velocity_is_body_twist else joint.screws
    has_quaternion = joint.slots[-1].form == "quaternion"
    for screw in screws:
        if screw.turns and screw.advance != 0:
            raise Unsupported(f"MuJoCo has no helical joint, which joint {joint.name!r} is")
        if not (screw.turns and has_quaternion):
            kind = kinds.mjJNT_HINGE if screw.turns else kinds.mjJNT_SLIDE
            # Damping is a polynomial of the velocity.
            damping = [float(joint.damping), 0, 0]
            body.add_joint(type=kind, axis=_floats(screw.axis), armature=float(joint.armature), damping=damping)
    if has_quaternion:
        body.add_joint(type=kinds.mjJNT_BALL)


def _quaternion(placement: Placement) -> Array:
    """w x y z of any length, its largest number ±1. MuJoCo normalises it."""
    quaternion = placement.rotation.quaternion
    largest = max(map(abs, quaternion))
    return _floats([x / largest for x in quaternion])


def _floats(numbers: Any) -> Array:
    return np.array(numbers, dtype=float)
