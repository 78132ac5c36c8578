"""Rotations and inertias for the right readings, written down once more: this shares no code with the reader that it judges."""

from __future__ import annotations

from mechanisms.reading import Mass, Numbers

Rows = tuple[Numbers, Numbers, Numbers]

ONE: Rows = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def about_x(cosine: float, sine: float) -> Rows:
    """The rotation about x by the angle with this cosine and sine: y goes towards z."""
    return ((1, 0, 0), (0, cosine, -sine), (0, sine, cosine))


def about_y(cosine: float, sine: float) -> Rows:
    """About y: z goes towards x."""
    return ((cosine, 0, sine), (0, 1, 0), (-sine, 0, cosine))


def about_z(cosine: float, sine: float) -> Rows:
    """About z: x goes towards y."""
    return ((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1))


def turned(R: Rows, v: Numbers) -> Numbers:
    """R v."""
    return tuple(sum(R[i][j] * v[j] for j in range(3)) for i in range(3))


def times(*factors: Rows) -> Rows:
    """The product of rotations: the last is made first."""
    product = ONE
    for factor in factors:
        product = tuple(tuple(sum(row[k] * factor[k][j] for k in range(3)) for j in range(3)) for row in product)  # type: ignore[assignment]
    return product


def seen(mass: Mass, R: Rows, p: Numbers = (0, 0, 0)) -> Mass:
    """A body whose frame is turned by R and moved by p."""
    xx, yy, zz, xy, xz, yz = mass.inertia
    full: Rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    transposed: Rows = tuple(zip(*R, strict=True))  # type: ignore[assignment]
    m = times(R, full, transposed)
    com = tuple(c + o for c, o in zip(turned(R, mass.com), p, strict=True))
    return Mass(mass.mass, com, (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]))


def welded(*bodies: Mass) -> Mass:
    """Bodies joined to one: masses and first moments add, and inertias about the common centre of mass (Steiner)."""
    total = sum(body.mass for body in bodies)
    com = tuple(sum(body.mass * body.com[k] for body in bodies) / total for k in range(3))
    moments = [0.0] * 6
    for body in bodies:
        x, y, z = (body.com[k] - com[k] for k in range(3))
        steiner = (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
        moments = [m + own + body.mass * s for m, own, s in zip(moments, body.inertia, steiner, strict=True)]
    return Mass(total, com, tuple(moments))
