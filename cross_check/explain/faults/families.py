"""Families of faults: a number of the mechanism or a factor of a term that takes any value, to be fitted to the answers.

A family has the right value of its number, at which nothing is wrong. ``at(x)`` is the fault in which the number is x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from cross_check.explain.faults import joint_forces
from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Edit, Fault, WrongAnswer, both
from cross_check.explain.faults.scaled import Term, joints_of, scaled
from cross_check.explain.faults.wrong_terms import terms
from cross_check.explain.formulations.formulas import factor_words
from cross_check.memory import Array
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.quantities import QUANTITIES

SAME = 1e-9
"""Fitted numbers that differ by less, relative to their size, are the same."""

MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


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
    for k in range(3):
        yield Family("gravity", 0, partial(_gravity_along, k))
    for group, change in (("mass", _scaled_mass), ("rotational inertia", _scaled_moments)):
        yield Family(group, 1, partial(_of_every_body, group, change))
    for what in ("armature", "damping"):
        yield Family(what, 1, partial(_of_every_joint, what))
    yield Family("damping", 0, _ahead, step=1e-3)
    yield Family("damping", 0, joint_forces.damped_sign)
    for group, force in joint_forces.FITTED:
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
        said = (
            f"gravity is ({', '.join(f'{x:.6g}' for x in wrong)}) m/s² instead of ({', '.join(f'{x:.6g}' for x in right)}) m/s²"
        )

    def misread(m: Mechanism) -> Mechanism:
        return replace(m, gravity=tuple(Fraction(g) + Fraction(x) for g, x in zip(m.gravity, added, strict=True)))

    return Fault(said, "gravity", mechanism=misread)


def of_bodies(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """For every body its ten inertial parameters, the ones that most often are wrong first."""
    for body in mechanism.bodies:
        size = float(abs(body.inertia.mass)) or 1.0
        yield (
            Family("mass", float(body.inertia.mass), partial(_mass, body), (body.name,), size),
            *(
                Family("centre of mass", float(c), partial(_com, body, k), (body.name,), 0.1)
                for k, c in enumerate(body.inertia.com)
            ),
            *(
                Family(
                    "rotational inertia" if k < 3 else "products of inertia",
                    float(x),
                    partial(_moment, body, k),
                    (body.name,),
                    0.1 * size,
                )
                for k, x in enumerate(body.inertia.about_com)
            ),
        )


def of_placements(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """For every joint the three components of its origin, and three small turns of its frame."""
    for body in mechanism.bodies:
        origin = tuple(
            Family("placements", float(x), partial(_origin, body, k), (body.joint.name,), 0.1)
            for k, x in enumerate(body.joint.placement.translation)
        )
        yield (*origin, *(Family("placements", 0, partial(_turned, body, k), (body.joint.name,), 1e-3) for k in range(3)))


def of_all_joints(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """The armature of all joints, to be fitted together, and their damping."""
    joints = [body.joint for body in mechanism.bodies if body.joint.nv == 1]
    for what, unit in (("armature", "kg m²"), ("damping", "N m s")):
        yield tuple(
            Family(what, float(getattr(joint, what)), partial(_joint_number, joint, what, unit), (joint.name,))
            for joint in joints
        )


def of_all_forces(mechanism: Mechanism) -> Iterator[tuple[Family, ...]]:
    """Springs, constant forces and dry friction of all joints, to be fitted together."""
    joints = [body.joint for body in mechanism.bodies if body.joint.nv == 1]
    for group, force in joint_forces.FITTED:
        yield tuple(Family(group, 0, partial(force, joint.name), (joint.name,)) for joint in joints)


def of_joint_numbers(group: Sequence[Family], numbers: Sequence[float], fault: Fault) -> Fault:
    """The fault in which joints have these armatures, dampings or forces, in simpler words where there are any."""
    what = group[0].group
    if what not in ("armature", "damping"):
        return fault
    if len(set(numbers)) == 1:
        return _same_everywhere(what, numbers[0])
    wrong = [(one, x) for one, x in zip(group, numbers, strict=True) if x != one.right]
    if len(wrong) == 2:
        (one, x), (other, y) = wrong
        if abs(x - other.right) <= SAME * abs(x) and abs(y - one.right) <= SAME * abs(y):
            said = f"{what} of {one.where[0]} and {other.where[0]} is exchanged"
            return replace(both(one.at(other.right), other.at(one.right)), name=said)
    return fault


def _same_everywhere(what: str, x: float) -> Fault:
    """Every joint with one velocity has the same armature or damping, whichever the mechanism says."""
    edit = Edit("model", f"constant(field, [joint.{what}]", f"constant(field, [{x!r} if joint.nv == 1 else joint.{what}]")
    return Fault(f"the {what} of every joint is {x:.6g}", what, (edit,))


def of_joints(mechanism: Mechanism) -> Iterator[Family]:
    """Numbers of one joint: factors of its terms, armature, damping, pitch, and where its position is zero."""
    for term in terms():
        yield from of_term(term, mechanism)
    for body in mechanism.bodies:
        joint, name = body.joint, body.joint.name
        if joint.nv != 1:
            continue
        yield from (Family(group, 0, partial(change, name), (name,)) for group, change in joint_forces.FITTED)
        for what, unit in (("armature", "kg m²"), ("damping", "N m s"), ("pitch", "m/rad")):
            if what != "pitch" or joint.description.takes_pitch:
                right = float(getattr(joint, what))
                yield Family(what, right, partial(_joint_number, joint, what, unit), (name,), 1.0)
        if joint.nq == 1:
            yield Family("zero position", 0, partial(_shifted, name), (name,), 1e-3)


def of_answers(quantity: str) -> tuple[Family, ...]:
    """Factors of all answers of a quantity, for want of another explanation."""
    title = QUANTITIES[quantity].title
    if QUANTITIES[quantity].group == "derivatives" and " by " in title:
        title = f"the derivative of {title}"

    def multiplied(k: float) -> Fault:
        said = "has the wrong sign" if k == -1 else "counts twice" if k == 2 else f"is multiplied by {factor_words(k)}"
        change: WrongAnswer = lambda mechanism, name, state, answer: k * answer  # noqa: E731
        return Fault(f"{title} {said}", title, answer=change, quantities=(quantity,))

    def shifted(c: float) -> Fault:
        change: WrongAnswer = lambda mechanism, name, state, answer: answer + c  # noqa: E731
        return Fault(f"{title} is off by the constant {c:.6g}", title, answer=change, quantities=(quantity,))

    return Family(title, 1, multiplied), Family(title, 0, shifted)


def of_term(term: Term, mechanism: Mechanism) -> tuple[Family, ...]:
    """The factors of a term at the joints, to be fitted together."""
    return tuple(
        Family(term.group, 1, partial(scaled, term, joints=(name,)), (name,), term=term) for name in joints_of(term, mechanism)
    )


def with_numbers(inertia: Inertia, **changes: Any) -> Inertia:
    """The inertia with other numbers, which may be impossible: a negative mass is set without the check that refuses it."""
    changed = replace(inertia, **{name: value for name, value in changes.items() if name != "mass"})
    if "mass" in changes:
        object.__setattr__(changed, "mass", changes["mass"])
    return changed


def _changed_body(name: str, change: Callable[[Body], Body]) -> wm.Wrong:
    return lambda m: wm.with_bodies(m, lambda i, body: change(body) if body.name == name else body)


def _changed_joint(name: str, change: Callable[[Joint], Joint]) -> wm.Wrong:
    return lambda m: wm.with_bodies(m, lambda i, b: replace(b, joint=change(b.joint)) if b.joint.name == name else b)


def _percent(wrong: float, right: float) -> str:
    return f" ({100 * (wrong / right - 1):+.3g} %)" if right and 0 < abs(wrong / right - 1) < 1 else ""


def _mass(body: Body, mass: float) -> Fault:
    right = float(body.inertia.mass)
    said = f"the mass of {body.name} is {mass:.6g} kg instead of {right:.6g} kg{_percent(mass, right)}"
    change = _changed_body(body.name, lambda b: replace(b, inertia=with_numbers(b.inertia, mass=Fraction(mass))))
    return Fault(said, "mass", mechanism=change, where=(body.name,))


def _com(body: Body, k: int, x: float) -> Fault:
    right = float(body.inertia.com[k])
    said = f"{'xyz'[k]} of the centre of mass of {body.name} is {x:.6g} m instead of {right:.6g} m{_percent(x, right)}"
    change = _changed_body(body.name, lambda b: replace(b, inertia=with_numbers(b.inertia, com=_put(b.inertia.com, k, x))))
    return Fault(said, "centre of mass", mechanism=change, where=(body.name,))


def _moment(body: Body, k: int, x: float) -> Fault:
    right = float(body.inertia.about_com[k])
    value = f"is {x:.6g} kg m² instead of {right:.6g} kg m²{_percent(x, right)}"
    said = f"{MOMENTS[k]} of {body.name} {'has the opposite sign' if x == -right and right else value}"

    def change(b: Body) -> Body:
        return replace(b, inertia=with_numbers(b.inertia, about_com=_put(b.inertia.about_com, k, x)))

    group = "rotational inertia" if k < 3 else "products of inertia"
    return Fault(said, group, mechanism=_changed_body(body.name, change), where=(body.name,))


def _origin(body: Body, k: int, x: float) -> Fault:
    name, right = body.joint.name, float(body.joint.placement.translation[k])
    said = f"{'xyz'[k]} of the origin of joint {name} is {x:.6g} m instead of {right:.6g} m{_percent(x, right)}"

    def change(joint: Joint) -> Joint:
        placement = joint.placement
        return replace(joint, placement=Placement(placement.rotation, _put(placement.translation, k, x)))

    return Fault(said, "placements", mechanism=_changed_joint(name, change), where=(name,))


def _turned(body: Body, k: int, angle: float) -> Fault:
    name = body.joint.name

    def change(joint: Joint) -> Joint:
        turn = Rotation.about(basis()[k], angle)
        return replace(joint, placement=Placement(joint.placement.rotation @ turn, joint.placement.translation))

    said = f"the frame of joint {name} is turned by {angle:.6g} rad about its {'xyz'[k]} axis"
    return Fault(said, "placements", mechanism=_changed_joint(name, change), where=(name,))


def _joint_number(joint: Joint, what: str, unit: str, x: float) -> Fault:
    name, right = joint.name, float(getattr(joint, what))
    if joint.kind == "prismatic":
        unit = {"armature": "kg", "damping": "N s/m"}.get(what, unit)
    said = f"{what} of joint {name} is {x:.6g} {unit} instead of {right:.6g} {unit}{_percent(x, right)}"
    if what == "pitch":
        change = _changed_joint(name, lambda j: replace(j, pitch=Fraction(x)))
        return Fault(said, what, mechanism=change, where=(name,))
    # The text stays in the wrong one, so that numbers of several joints can be wrong.
    edit = Edit("model", f"joint.{what}]", f"{x!r} if joint.name == {name!r} else joint.{what}]")
    return Fault(said, what, (edit,), where=(name,))


def _shifted(name: str, offset: float) -> Fault:
    def state(m: Mechanism, given: ws.State) -> ws.State:
        q: Array = given["q"].copy()
        for body, own in zip(m.bodies, m.q_slices, strict=True):
            if body.joint.name == name and body.joint.nq == 1:
                q[:, own] += offset
        return {**given, "q": q}

    return Fault(f"the zero of joint {name} is shifted by {offset:.6g}", "zero position", state=state, where=(name,))


def _gravity(k: float) -> Fault:
    return Fault(f"gravity is multiplied by {factor_words(k)}", "gravity", mechanism=wm.gravity((k, k, k)))


def _gravity_along(k: int, added: float) -> Fault:
    def mechanism(m: Mechanism) -> Mechanism:
        return replace(m, gravity=_put(m.gravity, k, Fraction(m.gravity[k]) + Fraction(added)))

    return Fault(f"gravity along {'xyz'[k]} is off by {added:.6g} m/s²", "gravity", mechanism=mechanism)


def _of_every_body(group: str, change: Callable[[Inertia, Fraction], Inertia], k: float) -> Fault:
    said = f"the {group} of every body is multiplied by {factor_words(k)}"
    return Fault(said, group, mechanism=wm.inertia(lambda I: change(I, Fraction(k))))


def _scaled_mass(inertia: Inertia, k: Fraction) -> Inertia:
    return with_numbers(inertia, mass=inertia.mass * k)


def _scaled_moments(inertia: Inertia, k: Fraction) -> Inertia:
    return with_numbers(inertia, about_com=tuple(k * x for x in inertia.about_com))


def _of_every_joint(what: str, k: float) -> Fault:
    edit = Edit("model", f"constant(field, [joint.{what}]", f"constant(field, [({k!r}) * float(joint.{what})]")
    return Fault(f"{what} is multiplied by {factor_words(k)}", what, (edit,))


def _ahead(dt: float) -> Fault:
    edit = Edit("rnea", "link.damping * qd[link.v]", f"link.damping * (qd[link.v] + ({dt!r}) * qdd[link.v])")
    return Fault(f"damping acts on v + dt · a with dt = {dt:.6g} s", "damping", (edit,))


def _put(vector: tuple[Any, ...], k: int, x: Any) -> tuple[Any, ...]:
    return (*vector[:k], Fraction(x), *vector[k + 1 :])
