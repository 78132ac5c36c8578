"""The numbers of a body and its joint: what they are called, and ways to change them.

Code that misreads a mechanism is right for another one, in which some of these numbers are others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from mechanisms import Body, Joint, Placement
from mechanisms.numbers.exact import Scalar, exact
from mechanisms.plain_text import listing

Change = Callable[[Body], Body]

UNCHECKED = ("mass", "armature", "damping", "friction")
"""Numbers that code may have with a sign that no mechanism has."""


def changed_at(record: Any, path: str, value: Any) -> Any:
    """A body, or what a body has, with another value at a path such as "inertia.mass"."""
    name, _, rest = path.partition(".")
    inner = changed_at(getattr(record, name), rest, value) if rest else value
    if name not in UNCHECKED:
        return replace(record, **{name: inner})
    made = replace(record)
    object.__setattr__(made, name, exact(inner))
    return made


@dataclass(frozen=True)
class Numbers:
    """Numbers that every body, or its joint, has at a ``path``; there are as many as ``parts``. Each has the ``unit``.

    The subject of a sentence on all of them is their ``name``. On some of them it is these parts, followed by ``of``.
    """

    path: str
    name: str
    group: str
    parts: tuple[str, ...] = ("",)
    of: str = ""
    unit: str = ""
    step: float = 1.0
    """By how much one of them is wrong where it is tried first, to be fitted."""

    @property
    def is_of_joint(self) -> bool:
        return self.path.startswith("joint")

    def part(self, *indices: int) -> str:
        """Some of them, as the subject of a sentence."""
        return listing([self.parts[k] for k in indices]) + self.of

    def group_of(self, index: int) -> str:
        """The term of the equations that one of them concerns."""
        return "products of inertia" if self == MOMENTS and index > 2 else self.group

    def unit_at(self, joint: Joint) -> str:
        """The unit, which for a slide is another one."""
        slides = self.is_of_joint and joint.kind == "prismatic"
        of_slides = {"kg m²": "kg", "N m s": "N s/m", "N m/rad": "N/m", "N m": "N", "rad": "m"}
        return of_slides.get(self.unit, self.unit) if slides else self.unit

    def read(self, body: Body) -> tuple[Any, ...]:
        value = attrgetter(self.path)(body)
        return value if isinstance(value, tuple) else (value,)

    def put(self, body: Body, values: Iterable[Any]) -> Body:
        """The body with other numbers, which no body need have."""
        values = tuple(values)
        return changed_at(body, self.path, values if len(self.parts) > 1 else values[0])

    def with_one(self, body: Body, k: int, x: Scalar) -> Body:
        """The body with another number with the index k."""
        values = self.read(body)
        return self.put(body, (*values[:k], x, *values[k + 1 :]))


XYZ = ("x", "y", "z")

MASS = Numbers("inertia.mass", "the mass", "mass", ("the mass",), unit="kg")
COM = Numbers("inertia.com", "the centre of mass", "centre of mass", XYZ, " of the centre of mass", "m", 0.1)
MOMENTS = Numbers(
    "inertia.about_com",
    "the rotational inertia",
    "rotational inertia",
    ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"),
    unit="kg m²",
    step=0.1,
)
LIFTED = Numbers("lifted.mass", "gravity compensation", "gravity compensation", ("the lifted mass",), unit="kg")
LIFTED_AT = Numbers("lifted.com", "the point of gravity compensation", "gravity compensation", XYZ, " of its point", "m", 0.1)
INERTIA = Numbers("inertia", "the inertia", "inertia")
ORIGIN = Numbers("joint.placement.translation", "the origin", "placements", XYZ, " of the origin", "m", 0.1)
PLACEMENT = Numbers("joint.placement", "the placement", "placements")
JOINT = Numbers("joint", "the joint", "joints")
ARMATURE = Numbers("joint.armature", "the armature", "armature", ("armature",), unit="kg m²")
DAMPING = Numbers("joint.damping", "the damping", "damping", ("damping",), unit="N m s")
PITCH = Numbers("joint.pitch", "the pitch", "pitch", ("pitch",), unit="m/rad")

OF_INERTIA = (MASS, COM, MOMENTS)
OF_BODY = (*OF_INERTIA, LIFTED, LIFTED_AT)
STIFFNESS = Numbers("joint.stiffness", "the stiffness of the spring", "springs", ("stiffness of the spring",), unit="N m/rad")
REST = Numbers("joint.rest", "the rest position of the spring", "rest of springs", ("rest position of the spring",), unit="rad")
FRICTION = Numbers("joint.friction", "the Coulomb friction", "friction", ("Coulomb friction",), unit="N m")

OF_JOINT = (ARMATURE, DAMPING, PITCH, STIFFNESS, REST, FRICTION)


def other_value(right: float, wrong: float, unit: str) -> str:
    """The predicate of a sentence on a number that is another one."""
    percent = f" ({100 * (wrong / right - 1):+.3g} %)" if right and 0 < abs(wrong / right - 1) < 1 else ""
    return f"is {wrong:.6g} {unit} instead of {right:.6g} {unit}{percent}"


def changed(change: Callable[[Any], Any], *numbers: Numbers) -> Change:
    """All of these numbers are changed, one by one. A body without inertia keeps its own."""
    return together(lambda values: map(change, values), *numbers)


def times(numbers: Numbers, *factors: Scalar, order: Iterable[int] = ()) -> Change:
    """The numbers are multiplied by ``factors``, or all by a single one; they may come in another ``order`` before that."""
    many = factors if len(factors) > 1 else factors * len(numbers.parts)
    return together(lambda x: (k * y for k, y in zip(many, [x[i] for i in order] or x, strict=True)), numbers)


def together(operation: Callable[[tuple[Any, ...]], Iterable[Any]], *numbers: Numbers) -> Change:
    """An operation on the vectors of these numbers. A body without inertia keeps its own."""

    def change(body: Body) -> Body:
        is_massless = body.inertia.is_massless
        for one in numbers:
            body = body if is_massless and not one.is_of_joint else one.put(body, operation(one.read(body)))
        return body

    return change


def taken(numbers: Numbers, body: Body, other: Body) -> Body:
    """The body with these numbers of another one."""
    return numbers.put(body, numbers.read(other))


def turned(numbers: Numbers, back: bool) -> Change:
    """These numbers of the inertia are turned by the rotation of the joint's placement, or ``back`` by its inverse."""

    def change(body: Body) -> Body:
        rotation = body.joint.placement.rotation
        placed = body.inertia.placed(Placement(rotation.inverse() if back else rotation))
        return taken(numbers, body, replace(body, inertia=placed))

    return change
