"""The polynomial ring of a mechanism's energies: its generators, its normal form and its derivatives.

The ring is over ℚ, or over ℚ[parameters] if the mechanism has SymPy symbols. Its generators and their relations are

    an angle            sᵢ, cᵢ              sᵢ² = 1 − cᵢ²                ∂/∂qᵢ = cᵢ ∂/∂sᵢ − sᵢ ∂/∂cᵢ
    a distance          qᵢ                                               ∂/∂qᵢ
    a helical joint, or
    an angle's spring   sᵢ, cᵢ, qᵢ          sᵢ² = 1 − cᵢ²                the sum of both
    a quaternion        w x y z             w² = 1 − x² − y² − z²
    a displacement      δ₁ … δ₆             monomials of degree 2 are 0  ∂/∂δₖ
    a mimic joint's     s, c of             s² = 1 − c²                  k (c ∂/∂s − s ∂/∂c)
    angle k qᵢ + c      k qᵢ + c

Two polynomials are the same function of the joint positions if and only if their normal forms are equal. The reason: by
s² = 1 − c², every element of ℚ[c, s] becomes a(c) + s b(c), and sine and cosine satisfy no other relation, not even with their
angle. The same holds for a unit quaternion. So identities are decided, without any simplification rules. The arithmetic is
that of FLINT's multivariate polynomials over ℚ. Sines of one coordinate times different multipliers may satisfy other relations,
such as sin 2q = 2 sin q cos q, which this normal form does not know.

The δ displace a joint whose velocity is the body's own from its present pose; docs/notes/energies.md says why degree 1 suffices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from mechanisms import Joint, Mechanism
from oracle.errors import OracleError

Poly = fmpq_mpoly
Matrix = tuple[tuple[Poly, ...], ...]


@dataclass(frozen=True)
class Generator:
    """One generator; ``index`` counts in q for sin, cos and position, in v for displacement, in the ring's parameters.

    The argument of a sine or a cosine is ``multiplier`` · q + ``offset``.
    """

    kind: Literal["sin", "cos", "position", "displacement", "parameter"]
    index: int
    multiplier: Any = Fraction(1)
    offset: Any = Fraction(0)

    @property
    def of_mimic(self) -> bool:
        """Whether it is the sine or the cosine of a mimic joint's angle that is not its leader's."""
        return (self.multiplier, self.offset) != (1, 0)

    @property
    def mirrored(self) -> Generator:
        """The same function of the opposite angle, if the multiplier is negative: that of the positive one is in the ring."""
        negative = isinstance(self.multiplier, Fraction) and self.multiplier < 0
        return Generator(self.kind, self.index, -self.multiplier, -self.offset) if negative else self


class Ring:
    """The ring of one mechanism.

    Raises :class:`OracleError` for scalars that are neither numbers nor SymPy expressions.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.parameters = _parameters(mechanism)
        joints = list(zip((body.joint for body in mechanism.bodies), mechanism.q_slices, mechanism.v_slices, strict=True))
        generators = list(dict.fromkeys(generator for joint, q, v in joints for generator in _generators(joint, q, v)))
        generators += [Generator("parameter", k) for k in range(len(self.parameters))]
        self.generators = tuple(generators)
        self._index = {generator: k for k, generator in enumerate(generators)}
        # FLINT gets generated names, never a joint's. The order is lexicographic, so that s² and w² lead their relations.
        self._context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(generators))], "lex")
        self._displacements = [k for k, generator in enumerate(generators) if generator.kind == "displacement"]
        self._relations: list[tuple[int, Poly]] = []
        self._rates: list[list[tuple[int, Poly]]] = [[] for _ in range(mechanism.nv)]
        self._rated: set[Generator] = set()
        for joint, q, v in joints:
            self._relate(joint, q, v)

    def _relate(self, joint: Joint, q: slice, v: slice) -> None:
        """Add the relations of a joint's generators, and their derivatives along each of its coordinates."""
        for x, y, z, w in _quaternions(joint, q):
            unit = sum((self.position(k) ** 2 for k in (w, x, y, z)), self.number(-1))
            self._relations.append((self._index[Generator("position", w)], unit))
        if joint.velocity_is_body_twist:
            # The angle of a pose is part of what is fixed, and only the displacement has a rate.
            for sine, cosine in angles(joint, q).values():
                self._relations.append((self._index[sine], self.gen(sine) ** 2 + self.gen(cosine) ** 2 - 1))
            for k in range(v.start, v.stop):
                self._rates[k].append((self._index[Generator("displacement", k)], self.number(1)))
            return
        # Joints that follow one leader share generators.
        for k, pair in angles(joint, q).items():
            sine, cosine = (generator.mirrored for generator in pair)
            if sine not in self._rated:
                s, c, rate = self.gen(sine), self.gen(cosine), self.number(sine.multiplier)
                self._relations.append((self._index[sine], s**2 + c**2 - 1))
                self._rates[v.start + k] += [(self._index[sine], rate * c), (self._index[cosine], -rate * s)]
                self._rated.add(sine)
        for k, position in _lengths(joint, q).items():
            if position not in self._rated:
                self._rates[v.start + k].append((self._index[position], self.number(1)))
                self._rated.add(position)

    def gen(self, generator: Generator) -> Poly:
        if generator.mirrored is not generator:
            opposite = self.gen(generator.mirrored)
            return -opposite if generator.kind == "sin" else opposite
        return self._context.gen(self._index[generator])

    def position(self, q: int) -> Poly:
        return self.gen(Generator("position", q))

    def displacement(self, v: int) -> Poly:
        return self.gen(Generator("displacement", v))

    def number(self, value: Any) -> Poly:
        """``value``, a number or a SymPy expression polynomial in the parameters, as an element of the ring."""
        if isinstance(value, (int, Fraction)):
            return self._context.constant(fmpq(value.numerator, value.denominator))
        import sympy

        try:
            terms = sympy.Poly(sympy.cancel(value), *self.parameters, domain=sympy.QQ).terms()
        except sympy.polys.polyerrors.BasePolynomialError:
            raise OracleError(f"{value} is no polynomial in the mechanism's symbols; choose symbols for which it is") from None
        padding = (0,) * (len(self.generators) - len(self.parameters))
        return self._context.from_dict({padding + m: fmpq(int(c.p), int(c.q)) for m, c in terms})

    def normal(self, p: Poly) -> Poly:
        """The normal form of ``p``."""
        degrees = p.degrees()
        for k, relation in self._relations:
            if degrees[k] > 1:
                p = p % relation
        if sum(degrees[k] for k in self._displacements) < 2:
            return p
        # Taylor to first order in δ.
        tangents = ((k, self.present(p.derivative(k))) for k in self._displacements if degrees[k])
        return sum((self._context.gen(k) * tangent for k, tangent in tangents), self.present(p))

    def diff(self, p: Poly, v: int) -> Poly:
        """∂p/∂q along coordinate ``v`` (for a free joint ∂p/∂δ), in normal form."""
        if not p:
            return p
        total = self.number(0)
        for k, rate in self._rates[v]:
            total += rate * p.derivative(k)
        return self.normal(total)

    def present(self, p: Poly) -> Poly:
        """``p`` at δ = 0."""
        degrees = p.degrees()
        for k in self._displacements:
            if degrees[k] > 0:  # Those of zero are −1.
                p = p.subs({k: 0})
        return p

    def terms(self, p: Poly) -> Iterator[tuple[Fraction, tuple[tuple[Generator, int], ...]]]:
        """Every term of ``p``: its coefficient and the powers of its generators, constants first."""
        for powers, c in sorted(p.to_dict().items(), key=lambda term: sum(term[0])):
            yield Fraction(int(c.p), int(c.q)), tuple((g, int(e)) for g, e in zip(self.generators, powers, strict=True) if e)


def angles(joint: Joint, q: slice) -> dict[int, tuple[Generator, Generator]]:
    """Sine and cosine of every angle in a joint's position, by the component of its velocity that is the angle's rate."""
    generators = {}
    for slot in joint.slots:
        start = q.start + slot.q.start
        if slot.form == "angle":
            shift = (joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else ()
            generators[slot.v.start] = (Generator("sin", start, *shift), Generator("cos", start, *shift))
        if slot.form == "circle":
            generators[slot.v.start] = (Generator("position", start + 1), Generator("position", start))
    return generators


def _lengths(joint: Joint, q: slice) -> dict[int, Generator]:
    """Every distance, and every angle with an advance or a spring, in a joint's position, by the component of its velocity."""
    needed = joint.stiffness != 0
    return {slot.v.start: Generator("position", q.start + slot.q.start) for slot in joint.slots if slot.advances or needed}


def spring_position(q: slice) -> Generator:
    """The position of a joint that has a spring, or the one that it follows."""
    return Generator("position", q.start)


def _quaternions(joint: Joint, q: slice) -> Iterator[range]:
    """The indices in q of x, y, z, w, for every quaternion in a joint's position."""
    return (range(q.start + slot.q.start, q.start + slot.q.stop) for slot in joint.slots if slot.form == "quaternion")


def _generators(joint: Joint, q: slice, v: slice) -> Iterator[Generator]:
    """A joint's generators: sines before cosines, and a quaternion's w before x y z, as their relations need it."""
    for sine, cosine in angles(joint, q).values():
        yield from (sine.mirrored, cosine.mirrored)
    for x, y, z, w in _quaternions(joint, q):
        yield from (Generator("position", k) for k in (w, x, y, z))
    yield from _lengths(joint, q).values()
    if joint.velocity_is_body_twist:
        yield from (Generator("displacement", k) for k in range(v.start, v.stop))


def _parameters(mechanism: Mechanism) -> tuple[Any, ...]:
    symbols: set[Any] = set()
    for scalar in _scalars(mechanism):
        if not isinstance(scalar, Fraction):
            if not hasattr(scalar, "free_symbols"):
                raise OracleError(f"the scalar {scalar!r} is neither a number nor a SymPy expression; give one of these")
            symbols |= scalar.free_symbols
    names = sorted(map(str, symbols))
    for name in names:
        if names.count(name) > 1 or not re.fullmatch(r"\S+", name) or re.fullmatch(r"[qva]\d+", name):
            raise OracleError(
                f"the symbol name {name!r} is ambiguous; use one symbol per name, without spaces, none of q1, v1, a1"
            )
    return tuple(sorted(symbols, key=str))


def _scalars(mechanism: Mechanism) -> Iterator[Any]:
    yield from mechanism.gravity
    for body in mechanism.bodies:
        joint, inertia = body.joint, body.inertia
        yield from (*joint.placement.rotation.quaternion, *joint.placement.translation, *joint.dynamics.values())
        if joint.mimic:
            yield from (joint.mimic.multiplier, joint.mimic.offset)
        yield from (*joint.axis, joint.pitch, *(joint.second_axis or ()), inertia.mass, *inertia.com, *inertia.about_com)
        yield from (body.lifted.mass, *body.lifted.com)
