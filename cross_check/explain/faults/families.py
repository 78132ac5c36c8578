"""Families of faults: a number of the mechanism or a factor of a term that takes any value, to be fitted to the answers.

A family has the right value of its number, at which nothing is wrong. ``at(x)`` is the fault in which the number is x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import (
    ARMATURE,
    DAMPING,
    FRICTION,
    LIFTED,
    MASS,
    MOMENTS,
    OF_INERTIA,
    ORIGIN,
    PITCH,
    PLACEMENT,
    Numbers,
    changed,
    other_value,
    times,
)
from cross_check.explain.faults.changes.mechanisms import has_damping
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.coordinates.special_states import at_joint
from cross_check.explain.faults.fault import Edit, Fault, Term, both, joints_of, only, scaled
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.terms.factors import FITTED, damped_sign, smoothed, terms
from cross_check.explain.slips.formulas import factor_words
from cross_check.memory import Array
from mechanisms import Body, Mechanism
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.quantities import QUANTITIES

SAME = 1e-9
"""Fitted numbers that differ by less, relative to their size, are the same."""

IMPLICIT = (
    "inverse_dynamics",
    "inverse_dynamics_with_forces",
    *("forward_dynamics", "forward_dynamics_dq", "forward_dynamics_dv", "forward_dynamics_dtau"),
)
"""The quantities that know an acceleration which damping may use."""


@dataclass(frozen=True)
class Family:
    """Faults that differ in one number."""

    group: str
    right: float
    at: Callable[[float], Fault]
    where: tuple[str, ...] = ()
    step: float = 1.0
    """How far from the right value the answers are tried first."""
    term: Term | None = None
    """The term of which the number is the factor, at the joints ``where`` or everywhere."""


def everywhere() -> Iterator[Family]:
    """Numbers that concern the whole mechanism."""
    for term in terms():
        if not term.is_whole:
            yield Family(term.group, 1, partial(scaled, term), term=term)
    yield Family("gravity", 1, _gravity)
    yield from of_gravity()
    for numbers in (MASS, MOMENTS, LIFTED):
        yield Family(numbers.group, 1, partial(_of_every_body, numbers))
    for numbers in (ARMATURE, DAMPING, FRICTION):
        yield Family(numbers.group, 1, partial(_of_every_joint, numbers))
    yield Family("damping", 0, damping_ahead, step=1e-3)
    yield Family("damping", 0, damped_sign)
    yield Family("friction", 0, smoothed, step=0.02)
    for group, force in FITTED:
        yield Family(group, 0, partial(force, ""))


def of_gravity() -> tuple[Family, ...]:
    """The components of gravity, to be fitted together."""
    return tuple(Family("gravity", 0, partial(_gravity_along, k)) for k in range(3))


def other_gravity(mechanism: Mechanism, added: Sequence[float]) -> Fault:
    """Gravity is off by a vector (m/s²)."""
    right = [float(x) for x in mechanism.gravity]
    wrong = [g + x for g, x in zip(right, added, strict=True)]
    k = max(range(3), key=lambda i: abs(right[i]))
    factor = wrong[k] / right[k] if right[k] else 0.0
    if right[k] and all(abs(w - factor * r) <= 1e-9 * abs(right[k]) for w, r in zip(wrong, right, strict=True)):
        return _gravity(float(f"{factor:.12g}"))
    off = [i for i in range(3) if added[i]]
    if all(abs(wrong[i] + right[i]) <= 1e-9 * abs(right[k]) for i in off):
        said = f"gravity along {' and '.join('xyz'[i] for i in off)} has the wrong sign"
    else:
        is_, meant = (f"({', '.join(f'{x:.6g}' for x in vector)}) m/s²" for vector in (wrong, right))
        said = f"gravity is {is_} instead of {meant}"
    return Fault(said, "gravity", mechanism=_with_gravity(added))


def of_number(numbers: Numbers, body: Body, k: int = 0) -> Family:
    """The number with the index k of the numbers of one body or of its joint."""
    where = body.joint.name if numbers.is_of_joint else body.name
    size = float(abs(body.inertia.mass)) or 1.0
    step = numbers.step * (size if numbers in (MASS, MOMENTS) else 1)
    return Family(numbers.group_of(k), float(numbers.read(body)[k]), partial(_other_number, numbers, body, k), (where,), step)


def of_bodies(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """For every body its ten inertial parameters, the ones that most often are wrong first."""
    for body in mechanism.bodies:
        yield tuple(of_number(numbers, body, k) for numbers in OF_INERTIA for k in range(len(numbers.parts)))


def of_placements(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """For every joint the three components of its origin, and three small turns of its frame."""
    for body in mechanism.bodies:
        turns = (Family("placements", 0, partial(_turned, body, k), (body.joint.name,), 1e-3) for k in range(3))
        yield (*(of_number(ORIGIN, body, k) for k in range(3)), *turns)


def of_joint(body: Body) -> tuple[Family, ...]:
    """Armature and damping of a joint, and numbers of forces that it does not have."""
    name = body.joint.name
    forces = (Family(group, 0, partial(force, name), (name,)) for group, force in FITTED)
    return (of_number(ARMATURE, body), of_number(DAMPING, body), *forces)


def of_all_joints(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """For each of these numbers that of all joints with one velocity, to be fitted together."""
    return zip(*(of_joint(body) for body in mechanism.bodies if body.joint.nv == 1), strict=True)


def of_joint_numbers(group: Sequence[Family], numbers: Sequence[float], fault: Fault) -> Fault:
    """The fault in which joints have these armatures, dampings or forces, in simpler words where there are any."""
    what = group[0].group
    if what not in ("armature", "damping"):
        return fault
    if len(set(numbers)) == 1:
        x = numbers[0]
        edit = _edit(what, f"{x!r} if joint.nv == 1 else joint.{what}")
        return Fault(f"the {what} of every joint is {x:.6g}", what, (edit,))
    wrong = [(one, x) for one, x in zip(group, numbers, strict=True) if x != one.right]
    if len(wrong) == 2:
        (one, x), (other, y) = wrong
        if abs(x - other.right) <= SAME * abs(x) and abs(y - one.right) <= SAME * abs(y):
            said = f"{what} of {one.where[0]} and {other.where[0]} is exchanged"
            return replace(both(one.at(other.right), other.at(one.right)), name=said)
    return fault


def of_joints(mechanism: Mechanism) -> Iterator[Family]:
    """Numbers of one joint: factors of its terms, armature, damping, forces, pitch, and where its position is zero."""
    for term in terms():
        yield from of_term(term, mechanism)
    for body in mechanism.bodies:
        joint, name = body.joint, body.joint.name
        if joint.nv != 1:
            continue
        yield from of_joint(body)
        if joint.friction != 0:
            yield of_number(FRICTION, body)
        if joint.description.takes_pitch:
            yield of_number(PITCH, body)
        if joint.nq == 1:
            yield Family("zero position", 0, partial(_shifted, name), (name,), 1e-3)


def of_answers(quantity: str) -> tuple[Family, ...]:
    """Factors of all answers of a quantity, for want of another explanation."""
    title = QUANTITIES[quantity].title
    if QUANTITIES[quantity].group == "derivatives" and " by " in title:
        title = f"the derivative of {title}"

    def multiplied(k: float) -> Fault:
        said = "has the wrong sign" if k == -1 else "counts twice" if k == 2 else f"is multiplied by {factor_words(k)}"
        return Fault(f"{title} {said}", title, answer=only(quantity, lambda x: k * x), quantities=(quantity,))

    def shifted(c: float) -> Fault:
        said = f"{title} is off by the constant {c:.6g}"
        return Fault(said, title, answer=only(quantity, lambda x: x + c), quantities=(quantity,))

    return Family(title, 1, multiplied), Family(title, 0, shifted)


def of_term(term: Term, mechanism: Mechanism) -> tuple[Family, ...]:
    """The factors of a term at the joints, to be fitted together."""
    return tuple(
        Family(term.group, 1, partial(scaled, term, joints=(name,)), (name,), term=term) for name in joints_of(term, mechanism)
    )


def _other_number(numbers: Numbers, body: Body, k: int, x: float) -> Fault:
    right, joint = float(numbers.read(body)[k]), body.joint
    name = joint.name if numbers.is_of_joint else body.name
    named = f"joint {name}" if numbers.is_of_joint else name
    value = other_value(right, x, numbers.unit_at(joint))
    if numbers == MOMENTS and x == -right and right:
        value = "has the opposite sign"
    said, group = f"{numbers.part(k)} of {named} {value}", numbers.group_of(k)
    if numbers in (ARMATURE, DAMPING, FRICTION):
        # The text stays in the wrong one, so that numbers of several joints can be wrong.
        return Fault(said, group, (_edit(group, f"{x!r} if joint.name == {name!r} else joint.{group}"),), where=(name,))
    is_at = (lambda b: b.joint.name == name) if numbers.is_of_joint else lambda b: b.name == name
    return Fault(said, group, mechanism=wm.every(lambda b: numbers.with_one(b, k, Fraction(x)), is_at), where=(name,))


def _turned(body: Body, k: int, angle: float) -> Fault:
    name = body.joint.name
    turn = Placement(Rotation.about(basis()[k], angle))
    change = wm.every(changed(lambda placement: placement @ turn, PLACEMENT), lambda b: b.joint.name == name)
    said = f"the frame of joint {name} is turned by {angle:.6g} rad about its {'xyz'[k]} axis"
    return Fault(said, "placements", mechanism=change, where=(name,))


def _edit(what: str, wrong: str) -> Edit:
    """Where a model is made, this stands for the armature, damping or friction of a joint."""
    return Edit("model", f"joint.{what}]", f"{wrong}]")


def _shifted(name: str, offset: float) -> Fault:
    return at_joint(f"the zero of joint {name} is shifted by {offset:.6g}", "zero position", name, "q", lambda q: q + offset)


def _gravity(k: float) -> Fault:
    return Fault(f"gravity is multiplied by {factor_words(k)}", "gravity", mechanism=wm.gravity((k, k, k)))


def _gravity_along(k: int, added: float) -> Fault:
    along = tuple(added * x for x in np.eye(3)[k].tolist())
    return Fault(f"gravity along {'xyz'[k]} is off by {added:.6g} m/s²", "gravity", mechanism=_with_gravity(along))


def _with_gravity(added: Sequence[float]) -> wm.Wrong:
    return lambda m: replace(m, gravity=tuple(g + Fraction(x) for g, x in zip(m.gravity, added, strict=True)))


def _of_every_body(numbers: Numbers, k: float) -> Fault:
    said = f"{numbers.name} of every body is multiplied by {factor_words(k)}"
    return Fault(said, numbers.group, mechanism=wm.every(times(numbers, Fraction(k))))


def _of_every_joint(numbers: Numbers, k: float) -> Fault:
    what = numbers.group
    return Fault(f"{what} is multiplied by {factor_words(k)}", what, (_edit(what, f"({k!r}) * float(joint.{what})"),))


def damping_ahead(dt: float) -> Fault:
    """Damping is D (v + dt a), with a time step ``dt`` (s), as integrators have it."""

    def answer(m: Mechanism, name: str, state: State, x: Array) -> Array:
        if name.startswith("inverse_dynamics"):
            added: Array = dt * m.arrays.per_coordinate(m.arrays.damping) * state["a"]
            return x + added
        heavier = wm.joint(lambda one: replace(one, armature=one.armature + Fraction(dt) * one.damping))(m)
        value: Array = getattr(loaded((), heavier), name)(*(state[column] for column in QUANTITIES[name].arguments))
        return value

    said = f"damping acts on v + dt · a with dt = {dt:.6g} s"
    return Fault(said, "damping", answer=answer, quantities=IMPLICIT, needs=has_damping)
