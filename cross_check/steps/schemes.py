"""Schemes of time steps. A scheme is an equation: a tableau of numbers (Hairer, Nørsett & Wanner, "Solving ODEs I", II.14).

With the acceleration kᵢ = q̈(Qᵢ, Vᵢ, τ) of stage i, a step of length h is

    Qᵢ = q ⊕ h (cᵢ v + h Σ āᵢⱼ kⱼ)        Vᵢ = v + h Σ aᵢⱼ kⱼ
    q⁺ = q ⊕ h (v + h Σ b̄ⱼ kⱼ)            v⁺ = v + h Σ bⱼ kⱼ

A stage that contains itself or later ones is implicit. Then it has to be a share λ of the whole step and a sum of earlier stages,
so that the answer itself gives it: Vᵢ = v + λ (v⁺ − v) + h Σⱼ (aᵢⱼ − λ bⱼ) kⱼ, and Qᵢ alike. So the residual of an implicit
scheme needs no iteration. Where it helps, the stages are not in the order of time: the first of Radau's is at the answer.

A linearly implicit scheme solves (M + h W) kᵢ = τ − h(Qᵢ, Vᵢ), where W is the damping, or the whole ∂τ/∂v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

Row = tuple[Fraction, ...]

Implicit = Literal["", "damping", "velocity"]

IMPLICIT: dict[Implicit, str] = {
    "": "",
    "damping": "damping implicit",
    "velocity": "all forces of velocity implicit",
}
"""What W is, in words."""


@dataclass(frozen=True)
class Scheme:
    """One scheme: its tableau, and what it treats implicitly."""

    name: str
    nodes: Row
    """c"""
    moved: tuple[Row, ...]
    """Ā"""
    gained: tuple[Row, ...]
    """A"""
    moves: Row
    """b̄"""
    gains: Row
    """b"""
    implicit: Implicit = ""
    parts: int = 1
    """In how many equal steps a step is divided."""
    goes_on: bool = False
    """Whether q⁺ goes on from the last stage's position, Qₛ ⊕ (the rest of the way); else it starts at q. Sums do not differ."""
    by_stages: bool = False
    """Whether positions move with the velocities of the stages, so that Ā = A A and b̄ = bᵀ A."""

    @property
    def words(self) -> str:
        """The name, and what differs from the plain scheme."""
        steps = f"in {self.parts} equal steps" if self.parts > 1 else ""
        return ", ".join(filter(None, (self.name, IMPLICIT[self.implicit], steps)))

    @property
    def moves_with_the_answer(self) -> bool:
        """Whether the position moves with v⁺, which the answer has."""
        return self.moves == self.gains

    @property
    def needs_answer(self) -> bool:
        """Whether a stage is a share of the whole step."""
        return any(self.share(k, row) is not None for k in range(len(self.nodes)) for row in ("moved", "gained"))

    def share(self, stage: int, row: Literal["moved", "gained"]) -> tuple[Fraction, Row] | None:
        """λ of an implicit row, and the row of what is not a share; None for an explicit one."""
        row = "gained" if self.by_stages else row
        own: Row = getattr(self, row)[stage]
        if not any(own[stage:]):
            return None
        whole = self.moves if row == "moved" else self.gains
        share = next(a / b for a, b in list(zip(own, whole, strict=True))[stage:] if b)
        return share, tuple(a - share * b for a, b in zip(own, whole, strict=True))


def _row(numbers: Sequence[float | str | Fraction], length: int) -> Row:
    given = tuple(Fraction(x) for x in numbers)
    return given + (Fraction(0),) * (length - len(given))


def _scheme(
    name: str,
    stages: Sequence[tuple[float | str, Sequence[float | str], Sequence[float | str]]],
    moves: Sequence[float | str],
    gains: Sequence[float | str],
) -> Scheme:
    """A scheme of stages (c, ā, a)."""
    n = len(stages)
    nodes, moved, gained = zip(*stages, strict=True)
    rows = [tuple(_row(row, n) for row in rows) for rows in (moved, gained)]
    return Scheme(name, _row(nodes, n), rows[0], rows[1], _row(moves, n), _row(gains, n))


def _runge_kutta(name: str, A: Sequence[Sequence[float | str]], b: Sequence[float | str]) -> Scheme:
    """Positions and velocities by one tableau of Butcher's: c = A 1, Ā = A A, b̄ = bᵀ A."""
    n = len(b)
    rows, weights = [_row(row, n) for row in A], _row(b, n)

    def times(row: Row) -> Row:
        return tuple(sum((row[k] * rows[k][j] for k in range(n)), Fraction(0)) for j in range(n))

    nodes = tuple(sum(row, Fraction(0)) for row in rows)
    moved = tuple(times(row) for row in rows)
    return Scheme(name, nodes, moved, tuple(rows), times(weights), weights, by_stages=True)


HERE = (0, (), ())
"""The stage at q and v."""

EULER = (
    _scheme("semi-implicit Euler (v⁺, then q⁺ with v⁺)", [HERE], [1], [1]),
    _scheme("explicit Euler (q⁺ with v)", [HERE], [0], [1]),
    _scheme("Euler with q⁺ by the mean of v and v⁺", [HERE], ["1/2"], [1]),
)
"""Schemes that evaluate q̈ once, at q and v."""

VERLET = _scheme("velocity Verlet (second kick at v + h q̈)", [HERE, (1, ("1/2",), (1,))], ["1/2"], ["1/2", "1/2"])

RUNGE_KUTTA = _runge_kutta("Runge–Kutta of fourth order", [[], ["1/2"], [0, "1/2"], [0, 0, 1]], ["1/6", "1/3", "1/3", "1/6"])

IMPLICIT_SCHEMES = (
    _scheme("implicit Euler", [(1, (1,), (1,))], [1], [1]),
    _scheme("implicit midpoint", [("1/2", ("1/4",), ("1/2",))], ["1/2"], [1]),
    _scheme("trapezoidal rule", [HERE, (1, ("1/4", "1/4"), ("1/2", "1/2"))], ["1/4", "1/4"], ["1/2", "1/2"]),
)
"""Schemes whose equations people solve, or iterate a few times."""

MOST_ITERATIONS = 6


def _iterated(scheme: Scheme, count: int) -> Scheme:
    """The explicit scheme of an implicit one that is iterated ``count`` times: V from the forces before, then Q with this V.

    The first forces are those at q and v. Each iteration is a stage, and takes the place of the last stage of the scheme.
    """
    last = len(scheme.nodes) - 1
    n = last + count

    def with_stage(row: Row, stage: int) -> Row:
        """The row with the weight of the last stage at another one."""
        weights = [*row[:last], *[Fraction(0)] * count]
        weights[stage] += row[last]
        return tuple(weights)

    none = (Fraction(0),) * n
    before = range(n - count, n - 1)
    moved, gained = (
        (none,) * (last + 1) + tuple(with_stage(rows[last], k) for k in before) for rows in (scheme.moved, scheme.gained)
    )
    nodes = (Fraction(0),) * (last + 1) + (scheme.nodes[last],) * (count - 1)
    name = f"{scheme.name}, {count} iterations"
    return Scheme(name, nodes, moved, gained, with_stage(scheme.moves, n - 1), with_stage(scheme.gains, n - 1))


DORMAND_PRINCE = (
    (),
    ("1/5",),
    ("3/40", "9/40"),
    ("44/45", "-56/15", "32/9"),
    ("19372/6561", "-25360/2187", "64448/6561", "-212/729"),
    ("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"),
    ("35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"),
)
"""The rows of A, then the weights of fifth order (J. Dormand, P. Prince, J. Comput. Appl. Math. 6, 1980)."""

SCHEMES = (
    *EULER,
    _scheme("semi-implicit Euler (q⁺ with v, then v⁺ at q⁺)", [(1, (), ())], [0], [1]),
    _scheme("semi-implicit Euler (q⁺ with v, then v⁺ at q⁺ and v⁺)", [(1, (), (1,))], [0], [1]),
    *IMPLICIT_SCHEMES,
    replace(_scheme("leapfrog (drift, kick, drift)", [("1/2", (), ())], ["1/2"], [1]), goes_on=True),
    replace(_scheme("leapfrog (drift, kick at the mean velocity, drift)", [("1/2", (), ("1/2",))], ["1/2"], [1]), goes_on=True),
    _scheme("velocity Verlet (second kick at v)", [HERE, (1, ("1/2",), ())], ["1/2"], ["1/2", "1/2"]),
    _scheme("velocity Verlet (second kick at the half step's v)", [HERE, (1, ("1/2",), ("1/2",))], ["1/2"], ["1/2", "1/2"]),
    VERLET,
    _scheme("velocity Verlet (second kick at v⁺)", [HERE, (1, ("1/2",), ("1/2", "1/2"))], ["1/2"], ["1/2", "1/2"]),
    _scheme("Newmark, linear acceleration", [HERE, (1, ("1/3", "1/6"), ("1/2", "1/2"))], ["1/3", "1/6"], ["1/2", "1/2"]),
    _runge_kutta("midpoint", [[], ["1/2"]], [0, 1]),
    _runge_kutta("Heun", [[], [1]], ["1/2", "1/2"]),
    _runge_kutta("Ralston", [[], ["2/3"]], ["1/4", "3/4"]),
    _runge_kutta("Kutta's third order", [[], ["1/2"], [-1, 2]], ["1/6", "2/3", "1/6"]),
    _runge_kutta("Heun's third order", [[], ["1/3"], [0, "2/3"]], ["1/4", 0, "3/4"]),
    _runge_kutta("strongly stable Runge–Kutta of third order", [[], [1], ["1/4", "1/4"]], ["1/6", "1/6", "2/3"]),
    RUNGE_KUTTA,
    _runge_kutta("Kutta's 3/8 rule", [[], ["1/3"], ["-1/3", 1], [1, -1, 1]], ["1/8", "3/8", "3/8", "1/8"]),
    _runge_kutta("implicit Euler, in halves", [["1/2", "1/2"], [0, "1/2"]], ["1/2", "1/2"]),
    _runge_kutta("Radau IIA, third order", [["1/4", "3/4"], ["-1/12", "5/12"]], ["1/4", "3/4"]),
    _runge_kutta("Bogacki–Shampine, third order", [[], ["1/2"], [0, "3/4"]], ["2/9", "1/3", "4/9"]),
    _runge_kutta("Dormand–Prince, fifth order", DORMAND_PRINCE[:-1], DORMAND_PRINCE[-1]),
)
"""Every scheme that evaluates forces at full strength, the simplest first."""

MOST_PARTS = 10


def whole_steps() -> Iterator[Scheme]:
    """The schemes, then those that are linearly implicit."""
    yield from SCHEMES
    for scheme in EULER:
        for implicit in ("damping", "velocity"):
            yield replace(scheme, implicit=implicit)


def rarer_steps() -> Iterator[Scheme]:
    """Schemes that divide the step, or iterate a few times."""
    for parts in range(2, MOST_PARTS + 1):
        for scheme in (*EULER, *(replace(one, implicit="damping") for one in EULER), VERLET, RUNGE_KUTTA):
            yield replace(scheme, parts=parts)
    for count in range(2, MOST_ITERATIONS + 1):
        for scheme in IMPLICIT_SCHEMES:
            yield _iterated(scheme, count)
