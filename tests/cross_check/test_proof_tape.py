"""Recorded programs of proofs: what is recorded, the bounds on degrees, and faults planted in both."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy, deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpz_poly, nmod
from ratios import line, ratio

from cross_check.prove.proof.degrees import Degrees, difference
from cross_check.prove.proof.exact import on_tape
from cross_check.prove.proof.exact import residues as residue_field
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.instructions import ONE, ZERO
from cross_check.prove.proof.rounds import Recording
from cross_check.prove.proof.scalars import RuleError
from cross_check.prove.proof.statement import Statement, Subject
from cross_check.prove.proof.tape import Tape
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism, find_mechanism
from mechanisms.joint import MOVING
from mechanisms.numbers import stand_in
from mechanisms.quantities import GROUPS, USUAL


def unbounded(tape: Tape, degrees: Degrees, seed: int = 1) -> list[int]:
    """The values whose true degrees exceed their bounds.

    Every value is computed along a line, where what has degree d has it too, unless by a chance of d in p.
    """
    draw = line(seed)
    lines = [draw() for _ in tape.inputs]
    true = tape.values(ratio, lines)
    return [
        n
        for n, function in enumerate(true)
        if function.top.degree() > degrees.top[n] or function.bottom.degree() > degrees.degree[degrees.bottom[n]]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
@pytest.mark.parametrize("name", USUAL)
@pytest.mark.parametrize("mechanism", [find_mechanism("pendulum"), find_mechanism("cart-pole")], ids=lambda m: m.name)
def test_degrees_bound_the_true_ones(mechanism: Mechanism, name: str, in_general: bool) -> None:
    """Of every value that either side computes, and of the difference from something else."""
    recording = Recording([Statement(Subject(mechanism, build, in_general), name, lambda *x: 2 * ALGORITHMS[name](*x))])
    (claim,), tape, draw = recording.claims, recording.tape, line(2)
    assert unbounded(tape, recording.degrees) == []
    true = tape.values(ratio, [draw() for _ in tape.inputs])
    differences = [(true[left] - true[right]).top.degree() for left, right in zip(claim.left, claim.right, strict=True)]
    assert max(differences) <= recording.degree(claim)
    assert max(differences) >= 0 or name.startswith(("drifts", "coriolis")), "the pendulum has none of these"


def random_program(seed: int, length: int = 30) -> Tape:
    """Random arithmetic on three inputs; a value may be used again and again, and computed twice."""
    rng, tape = random.Random(seed), Tape()
    values = [tape.input() for _ in range(3)] + [tape.lift(5), tape.lift(Fraction(1, 3))]
    for _ in range(length):
        a, b = rng.choice(values), rng.choice([*values[-3:], *values])
        kind = rng.choice("+-*/")
        if kind == "/" and tape.kind[b.n] > 1:
            # Of sums that may be zero in disguise, a product is added.
            b = b * b + values[0]
        try:
            values.append(a + b if kind == "+" else a - b if kind == "-" else a * b if kind == "*" else a / b)
        except ZeroDivisionError:
            continue
    return tape


@pytest.mark.parametrize("seed", range(60))
def test_degrees_bound_random_programs(seed: int) -> None:
    tape = random_program(seed)
    assert unbounded(tape, Degrees(tape)) == []


FUNCTIONS: list[tuple[Callable[[Any, Any], Any], int, int]] = [
    (lambda x, y: x * x + y, 2, 0),
    (lambda x, y: x / y, 1, 1),
    (lambda x, y: x / y + 1 / y, 1, 1),
    (lambda x, y: x / y + y / x, 2, 2),
    (lambda x, y: 1 / (1 + x * x), 0, 2),
    (lambda x, y: x / (1 + x * x) + y / (x * x + 1), 1, 2),
    (lambda x, y: (1 / x) / (y / x), 0, 1),
    (lambda x, y: x / (1 / y + 1 / y / y), 3, 1),
    (lambda x, y: x / y / y, 1, 2),
    (lambda x, y: x / 2 - Fraction(1, 3), 1, 0),
    (lambda x, y: 0 * x + y, 1, 0),
    (lambda x, y: x + y * 0 / x, 1, 0),
    (lambda x, y: 3 - x * (-y), 2, 0),
    (lambda x, y: 1 / x - 1 / (x + 1), 1, 2),
    (lambda x, y: 1 / (x + y) + 1 / (y + x), 0, 1),
    (lambda x, y: x**5 / y**-3, 8, 0),
    (lambda x, y: 2 / (x - x + y), 0, 1),
]


@pytest.mark.parametrize(("function", "top", "below"), FUNCTIONS)
def test_degrees_of_functions_that_one_sees(function: Any, top: int, below: int) -> None:
    tape = Tape()
    found = function(tape.input(), tape.input())
    degrees = Degrees(tape)
    assert (degrees.top[found.n], degrees.degree[degrees.bottom[found.n]]) == (top, below)
    assert unbounded(tape, degrees) == []


def test_no_two_functions_share_a_denominator_unless_they_are_one() -> None:
    def below(other: Callable[[Any], Any]) -> int:
        tape = Tape()
        x = tape.input()
        n, degrees = (1 / x + 1 / other(x)).n, Degrees(tape)
        return degrees.degree[degrees.bottom[n]]

    assert {below(other) for other in (lambda x: x + 1, lambda x: 1 + x, lambda x: x - 1, lambda x: x + x, lambda x: -x)} == {2}
    assert {below(same) for same in (lambda x: x, lambda x: x + 0, lambda x: x - 0, lambda x: x / 1, lambda x: x * 1)} == {1}


class Reduced:
    """A rational function of one variable with integer coefficients, in lowest terms."""

    def __init__(self, top: fmpz_poly, below: fmpz_poly) -> None:
        common = top.gcd(below)
        self.top, self.below = top // common, below // common

    def __add__(self, other: Reduced) -> Reduced:
        return Reduced(self.top * other.below + other.top * self.below, self.below * other.below)

    def __sub__(self, other: Reduced) -> Reduced:
        return Reduced(self.top * other.below - other.top * self.below, self.below * other.below)

    def __mul__(self, other: Reduced) -> Reduced:
        return Reduced(self.top * other.top, self.below * other.below)

    def __truediv__(self, other: Reduced) -> Reduced:
        if not other.top:
            raise ZeroDivisionError
        return Reduced(self.top * other.below, self.below * other.top)

    def __eq__(self, other: object) -> bool:
        return other == 0 and not self.top

    __hash__ = None  # type: ignore[assignment]


def too_low(tape: Tape, degrees: Degrees) -> bool:
    """Whether a bound on coefficients is exceeded. The first coefficient in lowest terms divides that of the numerator.

    The inputs are powers of one variable, which makes no sum of coefficients larger.
    """
    powers = [fmpz_poly([0] * k + [1]) for k in (1, 3, 7)]
    try:
        true = tape.values(lambda x: Reduced(x if isinstance(x, fmpz_poly) else fmpz_poly([x]), fmpz_poly([1])), powers)  # type: ignore[arg-type]
    except ZeroDivisionError:
        return False
    return any(
        (function.top and abs(int(function.top.leading_coefficient())) > 2 ** degrees.height[n])
        or abs(int(function.below.leading_coefficient())) > 2 ** degrees.heights[degrees.bottom[n]]
        for n, function in enumerate(true)
    )


def small_programs() -> list[Tape]:
    return [random_program(seed, 14) for seed in range(60)]


def test_coefficients_are_bounded() -> None:
    assert not any(too_low(tape, Degrees(tape)) for tape in small_programs())


HEIGHTS: list[tuple[Callable[[Any], Any], int]] = [
    (lambda x: x * x, 0),
    (lambda x: x + x + x, 2),
    (lambda x: 5 * x, 3),
    (lambda x: 8 * x * x, 3),
    (lambda x: 2**127 * x - x, 128),
    (lambda x: x / 7 * 4, 2),
    (lambda x: x / 7 + Fraction(1, 3), 4),
    (lambda x: (3 * x) / Fraction(2, 5), 5),
    (lambda x: 1 / (1 / (4 * x)), 2),
    (lambda x: 0 * x, 0),
]


@pytest.mark.parametrize(("function", "height"), HEIGHTS)
def test_heights_of_functions_that_one_sees(function: Any, height: int) -> None:
    tape = Tape()
    found = function(tape.input())
    assert Degrees(tape).height[found.n] == height


def test_equal_instructions_are_one_value_and_nothing_else_is() -> None:
    tape = Tape()
    x, y = tape.input(), tape.input()
    assert (x + y).n == (y + x).n
    assert (x * y).n == (y * x).n
    assert (x - y).n != (y - x).n
    assert (x / y).n != (y / x).n
    assert (x + y).n != (x * y).n
    assert len({(x - x).n, (y - y).n, ZERO, ONE, (x / x).n}) == 5, "what is equal in a subtler way stays an instruction"


def test_identities_that_are_used() -> None:
    tape = Tape()
    x = tape.input()
    for same in (x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1, +x, x**1, x + Fraction(0), x * np.int64(1), x * True):
        assert same.n == x.n
    for zero in (x * 0, 0 * x, 0 / x, tape.lift(2) - 2, x * False):
        assert zero.n == ZERO
    assert (x**0).n == ONE
    one = (tape.lift(1) / 3 - Fraction(1, 12)) * 4
    assert one.n == ONE


@pytest.mark.parametrize("seed", range(20))
def test_a_tape_computes_what_was_recorded(seed: int) -> None:
    """The same random operations on fractions, and on a tape that is evaluated afterwards."""
    rng, tape, drawn = random.Random(seed), Tape(), [random.Random(seed + k).randrange(1, 9) for k in range(3)]
    pairs: list[tuple[Any, Any]] = [(tape.input(), Fraction(x)) for x in drawn]
    pairs += [(x, Fraction(x)) for x in (0, 1, 2, Fraction(-2, 3))]
    for _ in range(60):
        (a, x), (b, y) = rng.choice(pairs[:3] + pairs[-4:]), rng.choice(pairs)
        operation = rng.choice(
            ["__add__", "__sub__", "__mul__", "__truediv__", "__radd__", "__rsub__", "__rmul__", "__rtruediv__"]
        )
        if (operation == "__truediv__" and not y) or (operation == "__rtruediv__" and not x):
            continue
        pairs.append((getattr(tape.lift(a), operation)(b), getattr(Fraction(x), operation)(y)))
    numbers = [tape.lift(a).n for a, _ in pairs]
    found = tape.values(fmpq, drawn)
    assert [str(found[n]) for n in numbers] == [str(x) for _, x in pairs]


@pytest.mark.parametrize("exponent", [61, 127])
@pytest.mark.parametrize("seed", range(10))
def test_residues_are_those_of_fractions(seed: int, exponent: int) -> None:
    """Modulo a prime in integers, and in FLINT's fractions, which are then taken modulo the prime."""
    p, tape = 2**exponent - 1, random_program(seed)
    drawn = [random.Random(seed).randrange(p) for _ in tape.inputs]
    exact = tape.values(fmpq, drawn)
    assert [x % p for x in tape.residues(p, drawn)] == [int(x.p) * pow(int(x.q), -1, p) % p for x in exact]


def test_numbers_of_two_tapes_do_not_mix() -> None:
    x, other = Tape().input(), Tape().input()
    for operation in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__"):
        with pytest.raises(RuleError, match="a number of another proof"):
            getattr(x, operation)(other)


def test_an_array_beside_a_number_is_not_taken_for_a_number() -> None:
    tape = Tape()
    x, one = tape.input(), np.array([tape.input()], dtype=object)
    for left, right in ((x + one, one + x), (x * one, one * x)):
        assert left.shape == right.shape == (1,)
        assert left[0].n == right[0].n
    assert (x - one).shape == (one - x).shape == (x / one).shape == (1,)


def test_a_copy_of_a_number_is_the_number() -> None:
    x = Tape().input()
    numbers = np.array([x], dtype=object)
    assert copy(x) is deepcopy(x) is deepcopy(numbers)[0] is x


def test_a_division_that_no_result_needs_is_evaluated() -> None:
    for divide in (lambda x, z: 0 * (1 / z) + x, lambda x, z: 0 / z + x, lambda x, z: x + (1 / z - 1 / z) * 0):
        tape = Tape()
        x = tape.input()
        divide(x, (x + 1) * (x - 1) - x * x + 1)
        with pytest.raises(ZeroDivisionError):
            tape.values(fmpq, [7])


def test_the_difference_of_a_value_from_itself_has_no_degree() -> None:
    tape = Tape()
    x = tape.input()
    y = x * x
    degrees = Degrees(tape)
    assert difference(degrees, y.n, y.n) == -1
    assert difference(degrees, y.n, x.n) == 2
    assert difference(degrees, ZERO, x.n) == difference(degrees, x.n, ZERO) == 1


def test_a_digest_names_the_program_and_its_outputs() -> None:
    def digest(function: Callable[[Any, Any], Any], swapped: bool = False) -> str:
        tape = Tape()
        x, y = tape.input(), tape.input()
        outputs = [x.n, function(x, y).n]
        return tape.digest(outputs[::-1] if swapped else outputs)

    functions: list[Callable[[Any, Any], Any]] = [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * 3,
        lambda x, y: x * 2,
        lambda x, y: (x + y, y)[1],
        lambda x, y: (0 / (x + y), y)[1],
    ]
    digests = [digest(function, swapped) for function in functions for swapped in (False, True)]
    assert len(set(digests)) == len(digests)
    assert digests == [digest(function, swapped) for function in functions for swapped in (False, True)]


@pytest.mark.slow
@pytest.mark.parametrize("name", (*GROUPS["dynamics"], *GROUPS["kinematics"], "coriolis_matrix"))
def test_what_is_recorded_is_what_the_algorithms_compute(name: str) -> None:
    """Both sides on a tape, and in FLINT's residues without one, on a tree with every kind of joint, helical ones too."""
    field = on_tape()
    p, rng = 2**61 - 1, random.Random(name)
    mechanism = tree([-1, *[0] * 5, *range(1, len(MOVING) - 5)], MOVING)
    statement = Statement(Subject(mechanism, build, True), name, ALGORITHMS[name])
    got = statement.sides(field, field.tape.input)
    drawn = {n: rng.randrange(p) for n in field.tape.inputs}
    given = {key: number for key, number in field.made.items() if isinstance(key, tuple)}
    for (_, t), angle in given.items():
        drawn[angle.n] = stand_in(nmod(drawn[t], p)) % p
    found = field.tape.residues(p, list(drawn.values()))
    direct = residue_field(p)
    stand_ins = {angle.n for angle in given.values()}
    numbers = iter([direct.element(x) for n, x in drawn.items() if n not in stand_ins])
    for side, expected in zip(got, statement.sides(direct, lambda: next(numbers)), strict=True):
        assert [found[field.tape.lift(x).n] % p for x in side] == [int(direct.number(x)) for x in expected]
        assert any(direct.number(x) != 0 for x in expected)
    assert next(numbers, None) is None
