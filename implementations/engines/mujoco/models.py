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

MuJoCo takes principal moments and a quaternion of their axes, and nothing else.
MuJoCo computes them itself from a full matrix, and loses fifty roundings. NumPy loses five. One further step in extended
precision, where the platform has it, loses none but those of the four numbers: in A = Rᵀ I R, the entries off the diagonal are
roundings, and the axes turn about axis k by A_ij / (A_ii − A_jj). The moments are then the diagonal of Rᵀ I R for the rounded
quaternion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.segments import floats, motions, quaternion_of
from implementations.protocol import Array, Unsupported
from mechanisms import Body, Constraint, Joint, Mechanism, Placement
from mechanisms.plain_text import one_line

EQUAL = 1e-9
"""Moments that differ by less, relative to the largest entry, count as equal: their axes are not determined."""

ROUNDING = 8 * np.finfo(float).eps
"""So far, relative to the sum of the others, rounding may make the largest moment too large."""

ANGULAR = "MuJoCo has angular constraints, as in {!r}, in other units, and only all at once"

STIFF = 1e18
"""The damping of the constraint that is Coulomb friction (1/s)."""

LOST = 2.0**-80
"""This part of a mass is lost in the rounding of the mass."""

NEGLIGIBLE_STEP = 1e-12
"""The time step (s) of the integrator that computes ∂τ/∂v: it has to factor M − step · ∂τ/∂v, which we do not need."""


def model_of(mj: Any, mechanism: Mechanism) -> tuple[Any, list[int]]:
    """The ``MjModel`` of ``mechanism``, and the number of every body in it. Raises :class:`Unsupported`."""
    spec = mj.MjSpec()
    spec.compiler.degree = False
    leave_as_given(mj, spec)
    use_equations_alone(mj, spec.option)
    spec.option.gravity = mechanism.arrays.gravity
    made = [spec.worldbody]
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        place = body.joint.placement
        # The number keeps a body called "world" apart from MuJoCo's own.
        added = made[parent + 1].add_body(name=f"{i} {body.name}", pos=floats(place.translation), quat=quaternion_of(place))
        _add_joints(mj, added, body.joint, is_on_root=parent < 0)
        added.explicitinertial = True
        added.mass = float(body.inertia.mass)
        added.ipos = mechanism.arrays.coms[i]
        added.inertia, added.iquat = principal(mj, mechanism.arrays.inertias[i])
        _lift(added, body)
        made.append(added)
    for k, frame in enumerate(mechanism.frames):
        place = frame.placement
        made[frame.body + 1].add_site(name=f"frame{k}", pos=floats(place.translation), quat=quaternion_of(place))
    if mechanism.constraints:
        _add_constraints(mj, mechanism, spec, made)
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


def let_joints_slide(mj: Any, model: Any) -> None:
    """Let Coulomb friction act as it does on joints that slide.

    To MuJoCo friction is a constraint, whose force is friction · sign(q̈ + damping · q̇) where this is not small (MuJoCo's manual,
    "Constraint model", frictionloss). The damping of the constraint is made so large that q̇ alone decides.
    """
    bits = mj.mjtDisableBit
    model.opt.disableflags |= int(bits.mjDSBL_CONTACT | bits.mjDSBL_LIMIT | bits.mjDSBL_EQUALITY)
    model.opt.disableflags &= ~int(bits.mjDSBL_CONSTRAINT)
    model.dof_solref[:] = -1, -STIFF
    model.opt.tolerance = 0


def _lift(made: Any, body: Body) -> None:
    """Gravity compensation. Where it does not act at the centre of mass, another body of a mass that rounding loses has it."""
    part = body.lifted_part()
    if part is None:
        made = made.add_body(pos=np.zeros(3))
        made.explicitinertial = True
        made.mass, made.ipos, made.inertia = LOST * float(body.lifted.mass), floats(body.lifted.com), np.zeros(3)
        part = 1 / LOST
    made.gravcomp = float(part)


def _add_joints(mj: Any, body: Any, joint: Joint, is_on_root: bool) -> None:
    kinds = mj.mjtJoint
    if joint.kind == "free" and is_on_root and joint.placement == Placement():
        body.add_freejoint()
        return
    for screw in motions(joint, without_helix="MuJoCo"):
        if screw is None:
            body.add_joint(type=kinds.mjJNT_BALL)
            continue
        kind = kinds.mjJNT_HINGE if screw.turns else kinds.mjJNT_SLIDE
        # Damping is a polynomial of the velocity.
        damping = [float(joint.damping), 0, 0]
        made = body.add_joint(type=kind, axis=floats(screw.axis), armature=float(joint.armature), damping=damping)
        made.frictionloss = float(joint.friction)
        if joint.stiffness != 0:
            # A polynomial of the elongation, as damping is one of the velocity.
            made.stiffness, made.springref = [float(joint.stiffness), 0, 0], float(joint.rest)


def _add_constraints(mj: Any, mechanism: Mechanism, spec: Any, bodies: list[Any]) -> None:
    """Add the constraints of ``mechanism`` to a specification; ``bodies`` are the root and our bodies in it."""
    number = {mechanism.root: 0, **{body.name: i for i, body in enumerate(mechanism.bodies, 1)}}
    for k, one in enumerate(mechanism.constraints):
        _require_linear(one)
        for end, (name, place) in enumerate(((one.first, one.first_placement), (one.second, one.second_placement)), 1):
            position = np.array(place.translation, dtype=float)
            bodies[number[name]].add_site(name=site_of(k, end), pos=position, quat=quaternion_of(place))
        names = {"name1": site_of(k, 1), "name2": site_of(k, 2)}
        spec.add_equality(type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_SITE, **names)
    spec.option.disableflags &= ~int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    spec.option.jacobian = mj.mjtJacobian.mjJAC_DENSE


def site_of(constraint: int, end: int) -> str:
    return f"constraint {constraint} end {end}"


def _require_linear(constraint: Constraint) -> None:
    if min(constraint.rows) < 3:
        raise Unsupported(ANGULAR.format(constraint.name))


def principal(mj: Any, inertia: Array) -> tuple[Array, Array]:
    """The moments (3,), and the unit quaternion w x y z (4,) that takes their axes to those of ``inertia`` (3, 3)."""
    quaternion = np.array([1.0, 0, 0, 0])
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return _possible(np.diag(inertia)), quaternion
    _, axes = np.linalg.eigh(inertia)
    axes[:, 0] *= np.linalg.det(axes)
    mj.mju_mat2Quat(quaternion, axes.ravel())
    w, xyz = _turned(quaternion.astype(np.longdouble), _step(_along(quaternion, inertia)))
    longer = np.array([w, *xyz])
    quaternion = (longer / np.sqrt(longer @ longer)).astype(float)
    return _possible(np.diag(_along(quaternion, inertia)).astype(float)), quaternion


def _along(quaternion: Array, inertia: Array) -> Any:
    """Rᵀ I R in extended precision."""
    w, x, y, z = e = quaternion.astype(np.longdouble)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    R = np.array(rows) / (e @ e)
    return R.T @ inertia.astype(np.longdouble) @ R


def _step(A: Any) -> Any:
    """The small rotation (3,) after which the axes are principal."""
    angles = np.zeros(3, A.dtype)
    for k, i, j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        if abs(difference := A[i, i] - A[j, j]) > EQUAL * abs(A).max():
            angles[k] = A[i, j] / difference
    return angles


def _turned(e: Any, angles: Any) -> tuple[Any, Any]:
    """The quaternion e times [1; angles / 2], as w and x y z."""
    half = angles / 2
    return e[0] - e[1:] @ half, e[0] * half + e[1:] + np.cross(e[1:], half)


def _possible(moments: Array) -> Array:
    """The moments, with the largest lowered to the sum of the others where rounding alone made it larger."""
    possible, k = np.array(moments), int(np.argmax(moments))
    others = np.delete(possible, k).sum()
    if others < possible[k] <= others * (1 + ROUNDING):
        possible[k] = others
    return possible
