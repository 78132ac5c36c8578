"""A mechanism in the objects of ``sympy.physics.mechanics``: frames, points and rigid bodies, in order of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from implementations.protocol import Unsupported
from mechanisms import Body, Joint, Mechanism
from mechanisms.joint import Screw

MOST = 3
"""The most velocities. SymPy takes seconds for two skew joints, and minutes for four."""


DIGITS = 34
"""Of the numbers in SymPy's expressions; they are rounded to float64 where these are compiled."""


@dataclass
class Tree:
    """The objects of one mechanism. Coordinates and speeds are dynamic symbols; those of a joint are its rates, in order."""

    inertial: Any
    origin: Any
    coordinates: list[Any]
    """In our order of v: of a planar joint the angle, then the distances."""
    speeds: list[Any]
    bodies: list[Any]
    frames: list[Any]
    points: list[Any]
    """The origins of the bodies' frames."""
    loads: list[Any]
    """Forces of joints, as pairs of a frame or a point and a torque or a force, with the reaction on the parent. Springs are
    among them unless their energies are enough."""
    springs: list[Any]
    """Their energies, zero where a joint has none."""
    lifted: list[tuple[Any, Any]]
    """The point and the mass that gravity compensation lifts, of every body."""


def tree_of(me: Any, mechanism: Mechanism, speeds_are_rates: bool) -> Tree:
    """``me`` is the module ``sympy.physics.mechanics``. Where ``speeds_are_rates``, there are no symbols but the coordinates and
    their rates. Raises :class:`Unsupported`."""
    _require(mechanism)
    t = me.dynamicsymbols._t
    q = [me.dynamicsymbols(f"q{k}") for k in range(mechanism.nv)]
    u = [x.diff(t) for x in q] if speeds_are_rates else [me.dynamicsymbols(f"u{k}") for k in range(mechanism.nv)]
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    tree = Tree(N, O, q, u, [], [], [], [], [], [])
    for i, (body, parent, own) in enumerate(zip(mechanism.bodies, mechanism.parents, mechanism.v_slices, strict=True)):
        before = (N, O) if parent < 0 else (tree.frames[parent], tree.points[parent])
        k, stretch = float(body.joint.stiffness), q[own.start] - float(body.joint.rest)
        tree.springs.append(k * stretch**2 / 2)
        _add(me, tree, i, body, *before, q[own], u[own], 0 if speeds_are_rates else k * stretch)
    return tree


def _require(mechanism: Mechanism) -> None:
    if mechanism.nv > MOST:
        raise Unsupported(f"SymPy's methods take minutes for more than {MOST} velocities, and the mechanism has {mechanism.nv}")
    for body in mechanism.bodies:
        if body.joint.kind in ("spherical", "free"):
            raise Unsupported(
                f"SymPy's methods need as many coordinates as speeds, and joint {body.joint.name!r} has a quaternion"
            )


def _add(
    me: Any, tree: Tree, i: int, body: Body, frame: Any, point: Any, q: Sequence[Any], u: Sequence[Any], spring: Any
) -> None:
    N, joint = tree.inertial, body.joint
    A = frame.orientnew(f"J{i}", "DCM", _matrix(joint.placement.rotation.matrix))
    A.set_ang_vel(frame, 0)
    P = point.locatenew(f"O{i}", _along(frame, joint.placement.translation))
    P.v2pt_theory(point, N, frame)
    motions = list(zip(joint.screws, q, u, strict=True))
    if joint.velocity_is_body_twist:
        # A planar joint slides along the joint's axes, and turns then.
        motions = [*motions[1:], motions[0]]
    for k, (screw, x, rate) in enumerate(motions):
        A, P = _moved(me, tree, f"{i}_{k}", A, P, screw, x, rate, _resistance(joint, rate) + spring)
    G = P.locatenew(f"G{i}", _along(A, body.inertia.com))
    G.v2pt_theory(P, N, A)
    m, I = float(body.inertia.mass), [float(x) for x in body.inertia.about_com]
    # SymPy's order is xx, yy, zz, xy, yz, zx.
    tensor = me.inertia(A, I[0], I[1], I[2], I[3], I[5], I[4])
    rigid = me.RigidBody(f"B{i}", G, A, _number(m), (tensor, G))
    tree.bodies.append(rigid)
    L = P.locatenew(f"L{i}", _along(A, body.lifted.com))
    L.v2pt_theory(P, N, A)
    tree.lifted.append((L, _number(body.lifted.mass)))
    tree.frames.append(A)
    tree.points.append(P)


def _moved(me: Any, tree: Tree, name: str, A: Any, P: Any, screw: Screw, x: Any, rate: Any, resistance: Any) -> tuple[Any, Any]:
    """The frame and the point after one motion, about or along an axis of the frame before."""
    axis, N = _along(A, screw.axis), tree.inertial
    B = A
    if screw.turns:
        B = A.orientnew(f"A{name}", "Axis", [x, axis])
        B.set_ang_vel(A, rate * axis)
        if resistance != 0:
            tree.loads += [(B, -resistance * axis), (A, resistance * axis)]
    if screw.advance == 0:
        return B, P
    advance = _number(screw.advance)
    moved = P.locatenew(f"P{name}", advance * x * axis)
    moved.set_vel(A, advance * rate * axis)
    # The old point is fixed in A.
    moved.v1pt_theory(P, N, A)
    if resistance != 0 and not screw.turns:
        at_parent = P.locatenew(f"R{name}", advance * x * axis)
        at_parent.v2pt_theory(P, N, A)
        tree.loads += [(moved, -resistance * axis), (at_parent, resistance * axis)]
    return B, moved


def _resistance(joint: Joint, rate: Any) -> Any:
    """What damping and friction take from the force of a joint."""
    import sympy

    return float(joint.damping) * rate + float(joint.friction) * sympy.sign(rate)


def _number(x: Any) -> Any:
    import sympy

    value = float(x)
    # Whole numbers stay exact: a zero then removes its term. SymPy multiplies numbers while it derives, and rounds each time.
    return sympy.Integer(int(value)) if value.is_integer() else sympy.Float(value, DIGITS)


def _matrix(rows: Any) -> Any:
    import sympy

    return sympy.Matrix([[_number(x) for x in row] for row in rows])


def _along(frame: Any, vector: Any) -> Any:
    x, y, z = map(_number, vector)
    return x * frame.x + y * frame.y + z * frame.z
