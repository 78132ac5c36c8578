"""Right answers without rounding: as fractions, and calculated by hand.

Fractions are exact where the numbers of the state are short fractions and angles are quarter turns. The calculation is for one
body on one joint that turns or slides:

    τ = J q̈ + armature · q̈ + damping · q̇ + friction · sign(q̇) + weight + lift − applied

J is the moment of inertia about the joint's axis, or the mass if the joint slides. It is constant, so there are no other terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from cross_check.memory import Array
from cross_check.prove.proof.exact import RATIONALS
from implementations.protocol import Unsupported
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism
from mechanisms.geometry import cross
from mechanisms.numbers.exact import Vector, dot
from mechanisms.quantities import QUANTITIES

MOST_COORDINATES = 12
"""Exact numbers of larger mechanisms are long and slow."""

LARGEST_DENOMINATOR, MOST_DIGITS = 1000, 10

QUARTERS = {0.0: Fraction(0), math.pi / 2: Fraction(1), -math.pi / 2: Fraction(-1)}
"""The tangent of half an angle, by which exact arithmetic takes it."""


def exact_values(mechanism: Mechanism, quantity: str, state: Mapping[str, Array]) -> tuple[Fraction, ...]:
    """The numbers of the answer, in the order of the flattened array; empty if they are not short fractions.

    ``state`` has the quantity's arguments, one state each. An angle next to a quarter turn counts as a quarter turn.
    """
    if mechanism.nv > MOST_COORDINATES or (not QUANTITIES[quantity].has_value and quantity != "forward_dynamics"):
        return ()
    try:
        values = _answer(mechanism, quantity, state)
    except (ZeroDivisionError, Unsupported):
        return ()
    return values if all(len(str(x.numerator)) + len(str(x.denominator)) <= MOST_DIGITS for x in values) else ()


def _answer(mechanism: Mechanism, quantity: str, state: Mapping[str, Array]) -> tuple[Fraction, ...]:
    """The numbers of the answer; none if some number of the state has no exact value."""
    columns = []
    for name in QUANTITIES[quantity].arguments:
        numbers = exact_position(mechanism, state["q"]) if name == "q" else [short(x) for x in state[name].ravel().tolist()]
        if any(x is None for x in numbers):
            return ()
        column = np.array([RATIONALS.number(x) for x in numbers], dtype=object)
        columns.append(column.reshape(*state[name].shape, 1))
    return tuple(Fraction(str(x)) for x in ALGORITHMS[quantity](build(mechanism, RATIONALS), *columns).ravel())


def exact_position(mechanism: Mechanism, q: Array) -> list[Fraction | None]:
    """q as exact arithmetic takes it: angles by the tangents of their halves. None for a number that has no exact value."""
    position: list[Fraction | None] = [None] * mechanism.nq
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        for slot in body.joint.slots:
            numbers = q[own][slot.q].tolist()
            if slot.form == "angle":
                # A helical joint advances in proportion to the angle itself, which has no exact value but zero.
                exact = [QUARTERS.get(x) if not (slot.advances and x) else None for x in numbers]
            else:
                exact = list(_of_length_one(numbers)) if slot.form != "distance" else [short(x) for x in numbers]
            for k, x in enumerate(exact):
                position[own.start + slot.q.start + k] = x
    return position


def short(x: float) -> Fraction | None:
    """The fraction with a small denominator whose nearest float64 is ``x``."""
    fraction = Fraction(x).limit_denominator(LARGEST_DENOMINATOR)
    return fraction if float(fraction) == x else None


def _of_length_one(numbers: list[float]) -> Iterator[Fraction | None]:
    exact = [short(x) for x in numbers]
    one = sum(x * x for x in exact if x is not None) == 1
    return (x if one else None for x in exact)


FORCES = ("inertia", "armature", "damping", "friction", "weight", "lift")

TERMS = {
    "inverse_dynamics": FORCES,
    "inverse_dynamics_with_forces": (*FORCES, "applied"),
    "nonlinear_effects": ("damping", "friction", "weight", "lift"),
    "gravity": ("weight", "lift"),
    "mass_matrix": ("M of inertia", "M of armature"),
    "kinetic_energy": ("T of inertia", "T of armature"),
}
"""The terms of every quantity that is calculated; their sum is the answer."""


def by_hand(mechanism: Mechanism, quantity: str, state: Mapping[str, Array], right: tuple[Fraction, ...]) -> str:
    """The calculation, on a few lines; empty if it would be long, or does not give ``right``, the exact answer."""
    body, joint = mechanism.bodies[0], mechanism.bodies[0].joint
    simple = len(mechanism.bodies) == 1 and joint.kind in ("revolute", "continuous", "prismatic")
    if not simple or quantity not in TERMS or len(right) != 1:
        return ""
    numbers = {name: [short(x) or Fraction(0) for x in column.ravel().tolist()] for name, column in state.items() if name != "q"}
    v, a = (numbers.get(name, [Fraction(0)])[0] for name in ("v", "a"))
    f = tuple(numbers.get("f", [Fraction(0)] * 6))
    axis, mass, com, lines = joint.axis, body.inertia.mass, body.inertia.com, []
    R = np.array(_answer(mechanism, "placements", state)).reshape(3, 4)[:, :3]
    gravity = tuple(R.T @ np.array(mechanism.gravity))
    if turns := joint.kind != "prismatic":
        arm, J, applied = cross(axis, com), "J", dot(axis, f[:3])
        lift = body.lifted.mass * dot(cross(axis, body.lifted.com), gravity)
        about_com = dot(axis, tuple(dot(row, axis) for row in body.inertia.matrix))
        inertia, weight = about_com + mass * dot(arm, arm), -mass * dot(arm, gravity)
    else:
        J, applied, inertia, weight = "mass", dot(axis, f[3:]), mass, -mass * dot(axis, gravity)
        lift = body.lifted.mass * dot(axis, gravity)
    half = Fraction(1, 2)
    terms: dict[str, tuple[str, tuple[Fraction, ...]]] = {
        "inertia": (f"{J} · q̈", (inertia, a)),
        "armature": ("armature · q̈", (joint.armature, a)),
        "damping": ("damping · q̇", (joint.damping, v)),
        "friction": ("friction · sign(q̇)", (joint.friction, Fraction((v > 0) - (v < 0)))),
        "weight": ("weight", (weight,)),
        "lift": ("lift", (lift,)),
        "applied": ("applied", (-applied,)),
        "M of inertia": (J, (inertia,)),
        "M of armature": ("armature", (joint.armature,)),
        "T of inertia": (f"½ · {J} · q̇²", (half, inertia, v * v)),
        "T of armature": ("½ · armature · q̇²", (half, joint.armature, v * v)),
    }
    present = {name: terms[name] for name in TERMS[quantity] if all(terms[name][1])}
    if turns and any(name.endswith("inertia") for name in present):
        parts = f"{_number(about_com)} + {_product((mass, dot(arm, arm)))} = {_number(inertia)}"
        lines.append(f"J = axis · I axis + mass · |axis × com|² = {parts}")
    if "weight" in present:
        how = "axis · (com × mass · gravity)" if turns else "axis · (mass · gravity)"
        lines.append(f"weight = −{how} = {_number(weight)}, with gravity = {_vector(gravity)} along the body's axes")
    if "lift" in present:
        lines.append(f"lift = {_number(lift)}: what is lifted has {_number(body.lifted.mass)} kg at {_vector(body.lifted.com)}")
    if "applied" in present:
        lines.append(f"applied = −axis · {'moment' if turns else 'force'} = {_number(-applied)}")
    products = [_product(factors) for _, factors in present.values()]
    total = sum((math.prod(factors, start=Fraction(1)) for _, factors in present.values()), Fraction(0))
    steps = (" + ".join(text for text, _ in present.values()), " + ".join(products), _number(total))
    lines.append(" = ".join(dict.fromkeys(steps)) if present else "every term is zero")
    return "\n".join(lines) if total == right[0] else ""


def _number(x: Fraction) -> str:
    """In decimals if they are few."""
    decimals = f"{float(x):g}"
    return decimals if Fraction(decimals) == x else str(x)


def _product(factors: tuple[Fraction, ...]) -> str:
    return " · ".join(f"({_number(x)})" if x < 0 else _number(x) for x in factors)


def _vector(x: Vector) -> str:
    return f"({', '.join(map(_number, x))})"
