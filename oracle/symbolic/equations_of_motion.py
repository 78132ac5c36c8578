"""The equations of motion, frozen: τ = M q̈ + C q̇ + g + D q̇ + F sign q̇.

C consists of Christoffel symbols of the first kind, Γᵢⱼₖ = ½ (∂ₖMᵢⱼ + ∂ⱼMᵢₖ − ∂ᵢMⱼₖ), Cᵢⱼ = Σₖ Γᵢⱼₖ q̇ₖ. This choice makes Ṁ −
2C skew-symmetric (B. Siciliano et al., "Robotics", 2009, eq. 7.44), unless a joint's velocity is the body's own: its M is given
in the body's moving frame, so that Ṁ is not Σₖ ∂ₖM q̇ₖ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from mechanisms import Mechanism
from oracle.symbolic.ring import Generator, Matrix, Poly, Ring

Term = tuple[Fraction, dict[str, int]]
"""A coefficient and the powers of its generators: "q1", "cos q2", "v1" or the name of a parameter."""


@dataclass(frozen=True)
class Symbolic:
    """The equations as SymPy expressions in q1, q2, …, v1, …, a1, … and the mechanism's own symbols."""

    q: Any
    v: Any
    a: Any
    M: Any
    C: Any
    g: Any
    T: Any
    V: Any
    tau: Any


@dataclass(frozen=True, repr=False)
class Equations:
    """One mechanism's equations of motion as polynomials in normal form; SI units, the conventions of :mod:`mechanisms.joint`.

    ``M[i][j]`` has armature on its diagonal; ``dM[k][i][j]`` is ∂ₖMᵢⱼ; ``g[i]`` is ∂ᵢV; ``V`` is zero at the root's origin;
    ``damping[i]`` and ``friction[i]`` are the diagonals of D and F. A free joint's coordinates are the displacements δ of
    :mod:`oracle.symbolic.energies`, so its rows are a moment and a force in the body's frame.
    """

    mechanism: Mechanism
    ring: Ring
    M: Matrix
    dM: tuple[Matrix, ...]
    g: tuple[Poly, ...]
    V: Poly
    damping: tuple[Poly, ...]
    friction: tuple[Poly, ...]

    def __repr__(self) -> str:
        return f"<Equations of {self.mechanism.name!r}: nv {self.nv}, {self.size} terms>"

    @property
    def nv(self) -> int:
        return len(self.g)

    @cached_property
    def size(self) -> int:
        """How many terms M, its derivatives, g and V have, symmetric entries once."""
        lower = [(i, j) for i in range(self.nv) for j in range(i + 1)]
        return sum(len(A[i][j]) for A in (self.M, *self.dM) for i, j in lower) + sum(map(len, (*self.g, self.V)))

    @cached_property
    def christoffel(self) -> tuple[Matrix, ...]:
        """``christoffel[i][j][k]`` = Γᵢⱼₖ."""
        dM, half, n = self.dM, self.ring.number(Fraction(1, 2)), range(self.nv)
        return tuple(tuple(tuple(half * (dM[k][i][j] + dM[j][i][k] - dM[i][j][k]) for k in n) for j in n) for i in n)

    def mass_matrix_terms(self, i: int, j: int) -> list[Term]:
        return list(self._terms(self.M[i][j]))

    def coriolis_matrix_terms(self, i: int, j: int) -> list[Term]:
        return [term for k in range(self.nv) for term in self._terms(self.christoffel[i][j][k], [k])]

    def gravity_terms(self, i: int) -> list[Term]:
        return list(self._terms(self.g[i]))

    def resistances(self) -> dict[str, list[list[Term]]]:
        """The diagonals of D and F, those left out that are zero."""
        diagonals = {name: [list(self._terms(entry)) for entry in x] for name, x in (("D", self.damping), ("F", self.friction))}
        return {name: entries for name, entries in diagonals.items() if any(entries)}

    def matrices(self, entry: Callable[[list[Term]], Any]) -> dict[str, Any]:
        """The ``entry`` that is made of the terms of every entry: of M and C (nv, nv), g and the :meth:`resistances` (nv,)."""
        n = range(self.nv)
        return {
            "M": [[entry(self.mass_matrix_terms(i, j)) for j in n] for i in n],
            "C": [[entry(self.coriolis_matrix_terms(i, j)) for j in n] for i in n],
            "g": [entry(self.gravity_terms(i)) for i in n],
            **{name: [entry(terms) for terms in diagonal] for name, diagonal in self.resistances().items()},
        }

    def potential_energy_terms(self) -> list[Term]:
        return list(self._terms(self.V))

    def kinetic_energy_terms(self) -> list[Term]:
        """T = ½ Σ Mᵢⱼ vᵢ vⱼ, with the two equal terms of i ≠ j as one."""
        half = self.ring.number(Fraction(1, 2))
        entries = ((self.M[i][j] * (half if i == j else 1), [i, j]) for i in range(self.nv) for j in range(i, self.nv))
        return [term for p, velocities in entries for term in self._terms(p, velocities)]

    def _terms(self, p: Poly, velocities: Iterable[int] = ()) -> Iterator[Term]:
        for coefficient, powers in self.ring.terms(p):
            # Parameters come first, as in m g cos q.
            ordered = sorted(powers, key=lambda factor: factor[0].kind != "parameter")
            named = {self.generator_name(generator): power for generator, power in ordered}
            for k in velocities:
                named[f"v{k + 1}"] = named.get(f"v{k + 1}", 0) + 1
            yield coefficient, named

    def generator_name(self, generator: Generator) -> str:
        """ "cos q2", "sin q2", "q1", counted from 1 in q, or the name of a parameter.

        The sine of a mimic joint's angle is "sin (2·q1-0.5)".
        """
        if generator.kind == "parameter":
            return str(self.ring.parameters[generator.index])
        argument = f"q{generator.index + 1}"
        if generator.of_mimic:
            factor = "" if generator.multiplier == 1 else f"{_written(generator.multiplier)}·"
            added = f"{_written(generator.offset)}" if generator.offset != 0 else ""
            argument = f"({factor}{argument}{'+' if added and added[0] != '-' else ''}{added})"
        return {"sin": "sin ", "cos": "cos ", "position": ""}[generator.kind] + argument

    def terms(self) -> dict[str, Any]:
        """The equations as plain data, for JSON and for typesetting; use it for equations of small :attr:`size`.

        ``M``, ``C`` are matrices, ``g``, ``damping``, ``friction`` vectors, ``T``, ``V`` scalars, each of whose entries is a list
        of ``[coefficient, {generator: power}]``; see :func:`short` for the coefficients and :data:`Term` for the generators.
        ``q`` and ``v`` name the joint that every q1, … and v1, … belongs to.
        """
        matrices = self.matrices(_plain)
        return {
            "q": [body.joint.name for body in self.mechanism.driven for _ in range(body.joint.nq)],
            "v": list(self.mechanism.coordinates),
            **{name: matrices[name] for name in ("M", "C", "g")},
            "damping": matrices.get("D", [[] for _ in range(self.nv)]),
            "friction": matrices.get("F", []),
            "T": _plain(self.kinetic_energy_terms()),
            "V": _plain(self.potential_energy_terms()),
        }

    def symbolic(self) -> Symbolic:
        """SymPy matrices and expressions: M and C (nv, nv); g, τ, v and a (nv, 1); q (nq, 1); T and V scalars."""
        import sympy

        q, v, a = (
            sympy.Matrix([sympy.Symbol(f"{name}{k + 1}", real=True) for k in range(size)])
            for name, size in (("q", self.mechanism.nq), ("v", self.nv), ("a", self.nv))
        )
        value: dict[str, Any] = {f"v{k + 1}": v[k] for k in range(self.nv)}
        value |= {str(symbol): symbol for symbol in self.ring.parameters}
        value |= {f"q{k + 1}": symbol for k, symbol in enumerate(q)}
        for generator in self.ring.generators:
            if generator.kind in ("sin", "cos"):
                argument = sympy.nsimplify(generator.multiplier) * q[generator.index] + sympy.nsimplify(generator.offset)
                value[self.generator_name(generator)] = getattr(sympy, generator.kind)(argument)

        def expression(terms: list[Term]) -> Any:
            factors = ((sympy.Rational(c.numerator, c.denominator), *(value[g] ** e for g, e in m.items())) for c, m in terms)
            return sympy.Add(*(sympy.Mul(*product) for product in factors))

        entries = self.matrices(expression)
        M, C, g = (sympy.Matrix(entries[name]) for name in ("M", "C", "g"))
        D, F = (sympy.diag(*entries.get(name, [0] * self.nv)) for name in ("D", "F"))
        T, V = expression(self.kinetic_energy_terms()), expression(self.potential_energy_terms())
        return Symbolic(q, v, a, M, C, g, T, V, tau=M * a + C * v + g + D * v + F * v.applyfunc(sympy.sign))


def _written(value: Any) -> str:
    """A number or a symbol without spaces, in parentheses if it is a sum or a quotient."""
    text = full(value) if isinstance(value, Fraction) else str(value).replace(" ", "")
    return f"({text})" if re.search(r"[-+*/]", text[1:]) and "e" not in text else text


def short(c: Fraction) -> str:
    """``c`` in at most a dozen digits: an exact decimal, else an exact fraction, else six digits marked by a leading "≈"."""
    return _brief(c) or f"≈{float(c):.6g}"


def full(c: Fraction) -> str:
    """``c`` as an exact decimal or fraction of at most a dozen digits, else the nearest float64 in full precision."""
    return _brief(c) or repr(float(c))


def _brief(c: Fraction) -> str | None:
    twos_and_fives = 10**12 % c.denominator == 0
    if twos_and_fives and len(digits := f"{abs(c.numerator) * (10**12 // c.denominator):013d}".strip("0")) <= 12:
        text = f"{abs(c.numerator) * (10**12 // c.denominator):013d}"
        return ("-" if c < 0 else "") + (text[:-12] + "." + text[-12:]).rstrip("0").rstrip(".") if digits else "0"
    return fraction if len(fraction := str(c)) <= 13 else None


def _plain(terms: list[Term]) -> list[Any]:
    return [[short(coefficient), powers] for coefficient, powers in terms]
