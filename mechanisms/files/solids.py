"""Volume, or area, and inertia of the primitive shapes of all formats, about their centres of mass and along their axes.

Inertias of homogeneous solids and shells are known in closed form. π is rounded to 256 bits; everything else is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from mechanisms.errors import MechanismError
from mechanisms.inertia import Inertia
from mechanisms.numbers.exact import Scalar
from mechanisms.numbers.rounded import pi

Sizes = tuple[Fraction, ...]


class Shape(NamedTuple):
    """A homogeneous solid or shell of density one."""

    content: Fraction
    """The volume (m³) of a solid, the area (m²) of a shell."""
    moments: tuple[Fraction, Fraction, Fraction]
    """The moments of inertia about the centre of mass per mass (m²): along the axes of the shape."""
    height: Fraction = Fraction(0)
    """Where the centre of mass is on the third axis (m)."""

    def of_mass(self, mass: Scalar) -> Inertia:
        """The inertia, if it has this mass."""
        return Inertia(mass, (0, 0, self.height), (*(mass * x for x in self.moments), 0, 0, 0))


class Known(NamedTuple):
    """A kind of primitive."""

    sizes: int
    """How many numbers its size has."""
    solid: Callable[[Sizes], Shape]
    shell: Callable[[Sizes], Shape] | None
    lengths: tuple[str, ...]
    """What URDF and SDF call its sizes; see :data:`WHOLE`."""
    half: Callable[[Sequence[Any]], Sequence[Any]]
    """Half the sides of the box around it."""
    ends: bool = True
    """Whether two ends may be given: the last size then is half their distance, and those before it are the radius."""


def _sphere(size: Sizes, per_mass: Fraction, content: Fraction) -> Shape:
    r = size[0]
    return Shape(content * pi(), (per_mass * r * r,) * 3)


def _ellipsoid(size: Sizes) -> Shape:
    a, b, c = (x * x for x in size)
    volume = Fraction(4, 3) * pi() * size[0] * size[1] * size[2]
    return Shape(volume, ((b + c) / 5, (a + c) / 5, (a + b) / 5))


def _box(size: Sizes) -> Shape:
    a, b, c = (x * x for x in size)
    return Shape(8 * size[0] * size[1] * size[2], ((b + c) / 3, (a + c) / 3, (a + b) / 3))


def _box_shell(size: Sizes) -> Shape:
    x, y, z = size
    # Two sides across each axis, by their areas.
    areas = (y * z, x * z, x * y)
    total = 2 * sum(areas, Fraction(0))
    moments = []
    for axis in range(3):
        square = Fraction(0)
        for k, area in enumerate(areas):
            for direction in {0, 1, 2} - {axis}:
                square += 2 * area * size[direction] ** 2 * (1 if direction == k else Fraction(1, 3))
        moments.append(square / total if total else square)
    return Shape(4 * total, (moments[0], moments[1], moments[2]))


def _round(content: Fraction, across: Fraction, along: Fraction) -> Shape:
    return Shape(content * pi(), (across / content, across / content, along / content) if content else (content,) * 3)


def _cylinder(size: Sizes) -> Shape:
    r, h = size
    volume = 2 * r * r * h
    return _round(volume, volume * (r * r / 4 + h * h / 3), volume * r * r / 2)


def _cylinder_shell(size: Sizes) -> Shape:
    r, h = size
    side, discs = 4 * r * h, 2 * r * r
    across = side * (r * r / 2 + h * h / 3) + discs * (r * r / 4 + h * h)
    return _round(side + discs, across, side * r * r + discs * r * r / 2)


def _cone(size: Sizes) -> Shape:
    r, h = size
    across = 3 * (r * r + h * h) / Fraction(20)
    return Shape(2 * r * r * h / 3 * pi(), (across, across, 3 * r * r / Fraction(10)), -h / 2)


def _capsule(size: Sizes) -> Shape:
    r, h = size
    ball, rod = Fraction(4, 3) * r**3, 2 * r * r * h
    # The centre of a half ball is 3 r/8 from its plane.
    across = rod * (r * r / 4 + h * h / 3) + ball * (Fraction(2, 5) * r * r + h * h + Fraction(3, 4) * r * h)
    return _round(ball + rod, across, rod * r * r / 2 + ball * Fraction(2, 5) * r * r)


def _capsule_shell(size: Sizes) -> Shape:
    r, h = size
    ball, side = 4 * r * r, 4 * r * h
    # The centre of a half shell is r/2 from its plane.
    across = side * (r * r / 2 + h * h / 3) + ball * (Fraction(2, 3) * r * r + h * h + r * h)
    return _round(ball + side, across, side * r * r + ball * Fraction(2, 3) * r * r)


LONG = ("radius", "length")

WHOLE = {"size": 2, "length": 2}
"""URDF and SDF have whole sides and lengths."""

SHAPES: dict[str, Known] = {
    "sphere": Known(
        1,
        lambda size: _sphere(size, Fraction(2, 5), Fraction(4, 3) * size[0] ** 3),
        lambda size: _sphere(size, Fraction(2, 3), 4 * size[0] ** 2),
        ("radius",),
        lambda size: (size[0],) * 3,
        ends=False,
    ),
    "capsule": Known(2, _capsule, _capsule_shell, LONG, lambda size: (size[0], size[0], size[0] + size[1])),
    "cylinder": Known(2, _cylinder, _cylinder_shell, LONG, lambda size: (size[0], size[0], size[1])),
    "cone": Known(2, _cone, None, LONG, lambda size: (size[0], size[0], size[1]), ends=False),
    "ellipsoid": Known(3, _ellipsoid, None, ("radii",), lambda size: size[:3]),
    "box": Known(3, _box, _box_shell, ("size",), lambda size: size[:3]),
}
"""By kind. Sizes are radius and half length, or half sides. A capsule's length is that of its cylinder. The origin of a cone is
half way between its tip and its base."""


def size_of(kind: str, given: Callable[[str], Iterable[Any]]) -> tuple[Any, ...]:
    """The size of a primitive of URDF or SDF; ``given`` has the numbers that the file calls so."""
    return tuple(x / WHOLE.get(name, 1) for name in SHAPES[kind].lengths for x in given(name))


def shape_of(kind: str, size: Sizes, shell: bool = False) -> Shape:
    """The shape of a primitive of this ``size``. Raises :class:`MechanismError` for a size that is not positive."""
    if min(size) <= 0:
        raise MechanismError(f"its size is {' '.join(f'{float(x):g}' for x in size)}; give positive numbers")
    known = SHAPES[kind]
    made = known.shell if shell else known.solid
    if made is None:
        raise MechanismError(f"the inertia of the shell of an {kind} has no closed form; give the body an <inertial>")
    return made(size)
