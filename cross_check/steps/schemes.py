"""Schemes of time steps. A scheme is an equation: a tableau of numbers (Hairer, Nørsett & Wanner, "Solving ODEs I", II.14).

With the acceleration kᵢ = q̈(Qᵢ, Vᵢ, τ) of stage i, a step of length h is

    Qᵢ = q ⊕ h (cᵢ v + h Σ āᵢⱼ kⱼ)        Vᵢ = v + h Σ aᵢⱼ kⱼ
    q⁺ = q ⊕ h (c v + h Σ b̄ⱼ kⱼ)          v⁺ = v + h Σ bⱼ kⱼ        with c = 1

Positions may move with the velocities of the stages instead: Qᵢ = q ⊕ h Σ āᵢⱼ Vⱼ, with Ā = A for methods of Runge and Kutta.

A stage that contains itself or later ones is implicit. Then it has to be a share λ of the whole step and a sum of earlier stages,
so that the answer itself gives it: Vᵢ = v + λ (v⁺ − v) + h Σⱼ (aᵢⱼ − λ bⱼ) kⱼ, and Qᵢ alike. So the residual of an implicit
scheme needs no iteration. Where it helps, the stages are not in the order of time: the first of Radau's is at the answer.

A linearly implicit scheme solves (M + h W + h² K) kᵢ = τ − h(Qᵢ, Vᵢ) − h K Vᵢ. W is the damping, or the whole ∂τ/∂v. K is zero,
or ∂τ/∂q, as D. Baraff and A. Witkin had it (SIGGRAPH 1998).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

Number = Fraction | float
Row = tuple[Number, ...]

Implicit = Literal["", "damping", "free", "velocity", "state"]

IMPLICIT: dict[Implicit, str] = {
    "": "",
    "damping": "damping implicit",
    "free": "damping implicit, and all forces of velocity of standalone free bodies",
    "velocity": "all forces of velocity implicit",
    "state": "all forces of position and velocity implicit, linearized",
}
"""What W and K are, in words."""


@dataclass(frozen=True)
class Stage:
    """Where forces are evaluated, or the answer: one row of the tableau, over the stages before it."""

    node: Number
    """c, or c − λ; zero where positions move with the velocities of the stages."""
    moved: Row
    """āⱼ, or āⱼ − λ b̄ⱼ"""
    gained: Row
    """aⱼ, or aⱼ − λ bⱼ"""
    along: Number = 0
    """λ of the position: Q begins at q ⊕ λ (q⁺ ⊖ q)."""
    gaining: Number = 0
    """λ of the velocity."""


@dataclass(frozen=True)
class Scheme:
    """One scheme: its tableau, and what it treats implicitly."""

    name: str
    stages: tuple[Stage, ...]
    answer: Stage
    implicit: Implicit = ""
    parts: int = 1
    """In how many equal steps a step is divided."""
    goes_on: bool = False
    """Whether q⁺ goes on from the last stage's position, Qₛ ⊕ (the rest of the way); else it starts at q. Sums do not differ."""
    by_stages: bool = False
    """Whether positions move with the velocities of the stages."""

    @property
    def words(self) -> str:
        """The name, and what differs from the plain scheme."""
        steps = f"in {self.parts} equal steps" if self.parts > 1 else ""
        return ", ".join(filter(None, (self.name, IMPLICIT[self.implicit], steps)))

    @property
    def moves_with_the_answer(self) -> bool:
        """Whether the position moves with v⁺, which the answer has."""
        return not self.by_stages and self.answer.moved == self.answer.gained

    @property
    def needs_answer(self) -> bool:
        """Whether a stage is a share of the whole step."""
        return any(stage.along or stage.gaining for stage in self.stages)

    def with_row(self, number: int, row: Stage) -> Scheme:
        """The scheme with another row; the last one is the answer."""
        rows = [*self.stages, self.answer]
        rows[number] = row
        return replace(self, stages=tuple(rows[:-1]), answer=rows[-1])


Written = float | str | Number


def _row(numbers: Sequence[Written], length: int) -> Row:
    given = tuple(Fraction(x) for x in numbers)
    return given + (Fraction(0),) * (length - len(given))


def _shared(own: Row, whole: Row, stage: int) -> tuple[Number, Row]:
    """λ of a row, zero of an explicit one, and the row of what is not a share."""
    share = next((a / b for a, b in list(zip(own, whole, strict=True))[stage:] if a), Fraction(0))
    return share, tuple(a - share * b for a, b in zip(own, whole, strict=True))


def _scheme(
    name: str,
    stages: Sequence[tuple[Written, Sequence[Written], Sequence[Written]]],
    moves: Sequence[Written],
    gains: Sequence[Written],
) -> Scheme:
    """A scheme of stages (c, ā, a), and b̄ and b."""
    n, rows = len(stages), []
    answer = Stage(Fraction(1), _row(moves, n), _row(gains, n))
    for i, (node, moved, gained) in enumerate(stages):
        along, rest = _shared(_row(moved, n), answer.moved, i)
        gaining, more = _shared(_row(gained, n), answer.gained, i)
        rows.append(Stage(Fraction(node) - along, rest, more, along, gaining))
    return Scheme(name, tuple(rows), answer)


def runge_kutta(name: str, A: Sequence[Sequence[Written]], b: Sequence[Written]) -> Scheme:
    """Positions and velocities by one tableau of Butcher's."""
    return moving_by_stages(_scheme(name, [(0, (), row) for row in A], (), b))


def moving_by_stages(scheme: Scheme) -> Scheme:
    """The scheme, where positions move with the velocities of the stages by the rows that velocities have."""
    rows = (Stage(Fraction(0), row.gained, row.gained, row.gaining, row.gaining) for row in (*scheme.stages, scheme.answer))
    *stages, answer = rows
    return replace(scheme, stages=tuple(stages), answer=answer, by_stages=True)


HERE = (0, (), ())
"""The stage at q and v."""

EULER = (
    _scheme("semi-implicit Euler (v⁺, then q⁺ with v⁺)", [HERE], [1], [1]),
    _scheme("explicit Euler (q⁺ with v)", [HERE], [0], [1]),
    _scheme("Euler with q⁺ by the mean of v and v⁺", [HERE], ["1/2"], [1]),
)
"""Schemes that evaluate q̈ once, at q and v."""

VERLET = _scheme("velocity Verlet (second kick at v + h q̈)", [HERE, (1, ("1/2",), (1,))], ["1/2"], ["1/2", "1/2"])

RUNGE_KUTTA = runge_kutta("Runge–Kutta of fourth order", [[], ["1/2"], [0, "1/2"], [0, 0, 1]], ["1/6", "1/3", "1/3", "1/6"])

TRAPEZOIDAL = _scheme("trapezoidal rule", [HERE, (1, ("1/4", "1/4"), ("1/2", "1/2"))], ["1/4", "1/4"], ["1/2", "1/2"])

IMPLICIT_SCHEMES = (
    _scheme("implicit Euler", [(1, (1,), (1,))], [1], [1]),
    _scheme("implicit midpoint", [("1/2", ("1/4",), ("1/2",))], ["1/2"], [1]),
    TRAPEZOIDAL,
)
"""Schemes whose equations people solve, or iterate a few times."""

MOST_ITERATIONS = 6


def _iterated(scheme: Scheme, count: int) -> Scheme:
    """The explicit scheme of an implicit one that is iterated ``count`` times: V from the forces before, then Q with this V.

    The first forces are those at q and v. Each iteration is a stage, and takes the place of the last stage of the scheme.
    """
    last, share = scheme.stages[-1], scheme.stages[-1].gaining
    n = len(scheme.stages) - 1 + count

    def with_stage(row: Row, weight: Number, stage: int) -> Row:
        """The row with the weight of the last stage at another one."""
        weights = [*row[:-1], *[Fraction(0)] * count]
        weights[stage] += weight
        return tuple(weights)

    whole = scheme.answer
    none = (Fraction(0),) * n
    stages = [Stage(Fraction(0), none, none)] * len(scheme.stages)
    for before in range(n - count, n - 1):
        moved, gained = (
            with_stage(tuple(a + share * b for a, b in zip(rest, row, strict=True)), share * row[-1], before)
            for rest, row in ((last.moved, whole.moved), (last.gained, whole.gained))
        )
        stages.append(Stage(last.node + share, moved, gained))
    answer = Stage(whole.node, with_stage(whole.moved, whole.moved[-1], n - 1), with_stage(whole.gained, whole.gained[-1], n - 1))
    return Scheme(f"{scheme.name}, {count} iterations", tuple(stages), answer)


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
    _scheme("semi-implicit Euler (v⁺ at q and v⁺, then q⁺ with v⁺)", [(0, (), (1,))], [1], [1]),
    *map(moving_by_stages, IMPLICIT_SCHEMES),
    replace(_scheme("leapfrog (drift, kick, drift)", [("1/2", (), ())], ["1/2"], [1]), goes_on=True),
    replace(_scheme("leapfrog (drift, kick at the mean velocity, drift)", [("1/2", (), ("1/2",))], ["1/2"], [1]), goes_on=True),
    _scheme("velocity Verlet (second kick at v)", [HERE, (1, ("1/2",), ())], ["1/2"], ["1/2", "1/2"]),
    _scheme("velocity Verlet (second kick at the half step's v)", [HERE, (1, ("1/2",), ("1/2",))], ["1/2"], ["1/2", "1/2"]),
    VERLET,
    _scheme("velocity Verlet (second kick at v⁺)", [HERE, (1, ("1/2",), ("1/2", "1/2"))], ["1/2"], ["1/2", "1/2"]),
    _scheme("Newmark, linear acceleration", [HERE, (1, ("1/3", "1/6"), ("1/2", "1/2"))], ["1/3", "1/6"], ["1/2", "1/2"]),
    runge_kutta("midpoint", [[], ["1/2"]], [0, 1]),
    runge_kutta("Heun", [[], [1]], ["1/2", "1/2"]),
    runge_kutta("Ralston", [[], ["2/3"]], ["1/4", "3/4"]),
    runge_kutta("Kutta's third order", [[], ["1/2"], [-1, 2]], ["1/6", "2/3", "1/6"]),
    runge_kutta("Heun's third order", [[], ["1/3"], [0, "2/3"]], ["1/4", 0, "3/4"]),
    runge_kutta("strongly stable Runge–Kutta of third order", [[], [1], ["1/4", "1/4"]], ["1/6", "1/6", "2/3"]),
    RUNGE_KUTTA,
    runge_kutta("Kutta's 3/8 rule", [[], ["1/3"], ["-1/3", 1], [1, -1, 1]], ["1/8", "3/8", "3/8", "1/8"]),
    runge_kutta("implicit Euler, in halves", [["1/2", "1/2"], [0, "1/2"]], ["1/2", "1/2"]),
    runge_kutta("Radau IIA, third order", [["1/4", "3/4"], ["-1/12", "5/12"]], ["1/4", "3/4"]),
    runge_kutta("Bogacki–Shampine, third order", [[], ["1/2"], [0, "3/4"]], ["2/9", "1/3", "4/9"]),
    runge_kutta("Dormand–Prince, fifth order", DORMAND_PRINCE[:-1], DORMAND_PRINCE[-1]),
)
"""Every scheme that evaluates forces at full strength, the simplest first."""


def whole_steps() -> Iterator[Scheme]:
    """The schemes, then those that are linearly implicit."""
    yield from SCHEMES
    for scheme in EULER:
        for implicit in IMPLICIT:
            if implicit:
                yield replace(scheme, implicit=implicit)


def divisible_steps() -> Iterator[Scheme]:
    """Schemes that people take several times in a step."""
    yield from (*EULER, *(replace(one, implicit="damping") for one in EULER), VERLET, RUNGE_KUTTA)


def iterated_steps() -> Iterator[Scheme]:
    """Implicit schemes that are iterated a few times."""
    for count in range(2, MOST_ITERATIONS + 1):
        for scheme in IMPLICIT_SCHEMES:
            yield _iterated(scheme, count)
