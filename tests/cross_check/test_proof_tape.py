"""Recorded programs of proofs: what is recorded, the bounds on degrees, and faults planted in both."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from copy import copy, deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from ratios import line, ratio

from cross_check.prove.proof.degrees import Degrees, difference
from cross_check.prove.proof.exact import on_tape
from cross_check.prove.proof.instructions import ONE, ZERO
from cross_check.prove.proof.scalars import RuleError
from cross_check.prove.proof.tape import Tape

P = 2**61 - 1


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


def test_degrees_bound_random_programs() -> None:
    tapes = [random_program(seed) for seed in range(60)]
    assert {seed: found for seed, tape in enumerate(tapes) if (found := unbounded(tape, Degrees(tape)))} == {}


def test_heights_bound_the_coefficients_of_random_programs() -> None:
    """Where every input is 1 or −1, a polynomial is at most as large as the sum of the magnitudes of its coefficients."""
    found = set()
    for seed in range(200):
        tape = random_program(seed, 14)
        degrees = Degrees(tape)
        with suppress(ZeroDivisionError):
            for n, value in enumerate(tape.values(fmpq, random.Random(seed).choices((1, -1), k=3))):
                assert abs(int(value.p)) <= 2 ** degrees.height[n], (seed, n)
                assert int(value.q) <= 2 ** degrees.heights[degrees.bottom[n]], (seed, n)
            found.add(seed)
    assert len(found) > 50


FUNCTIONS: list[tuple[Callable[[Any, Any], Any], int, int, int]] = [
    (lambda x, y: x * x + y, 2, 0, 1),
    (lambda x, y: x / y + 1 / y, 1, 1, 1),
    (lambda x, y: x / y + y / x, 2, 2, 1),
    (lambda x, y: x / (1 + x * x) + y / (x * x + 1), 1, 2, 1),
    (lambda x, y: (1 / x) / (y / x), 0, 1, 0),
    (lambda x, y: x / (1 / y + 1 / y / y), 3, 1, 0),
    (lambda x, y: x / 2 - Fraction(1, 3), 1, 0, 3),
    (lambda x, y: 0 * x + y, 1, 0, 0),
    (lambda x, y: x + y * 0 / x, 1, 0, 0),
    (lambda x, y: 3 - x * (-y), 2, 0, 3),
    (lambda x, y: 1 / x - 1 / (x + 1), 1, 2, 2),
    (lambda x, y: x**5 / y**-3, 8, 0, 0),
    (lambda x, y: 2 / (x - x + y), 0, 1, 1),
    (lambda x, y: x + x + x, 1, 0, 2),
    (lambda x, y: 8 * x * x, 2, 0, 3),
    (lambda x, y: 2**127 * x - x, 1, 0, 128),
    (lambda x, y: x / 7 * 4, 1, 0, 2),
    (lambda x, y: (3 * x) / Fraction(2, 5), 1, 0, 5),
    (lambda x, y: 1 / (1 / (4 * x)), 1, 0, 2),
    (lambda x, y: 0 * x, -1, 0, 0),
]
"""Functions, the degrees of numerator and denominator, and the height of the numerator, as docs/certificates.md has the rules."""


@pytest.mark.parametrize(("function", "top", "below", "height"), FUNCTIONS)
def test_degrees_and_heights_of_functions_that_one_sees(function: Any, top: int, below: int, height: int) -> None:
    tape = Tape()
    found = function(tape.input(), tape.input())
    degrees = Degrees(tape)
    assert (degrees.top[found.n], degrees.degree[degrees.bottom[found.n]], degrees.height[found.n]) == (top, below, height)
    assert unbounded(tape, degrees) == []


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


def test_a_tape_computes_what_was_recorded() -> None:
    """The same random operations on fractions, and on a tape that is evaluated afterwards, in fractions and modulo a prime."""
    for seed in range(20):
        rng, tape = random.Random(seed), Tape()
        drawn = [rng.randrange(1, 9) for _ in range(3)]
        pairs: list[tuple[Any, Any]] = [(tape.input(), Fraction(x)) for x in drawn]
        pairs += [(x, Fraction(x)) for x in (0, 1, 2, Fraction(-2, 3))]
        for _ in range(60):
            (a, x), (b, y) = rng.choice(pairs[:3] + pairs[-4:]), rng.choice(pairs)
            name = rng.choice(["add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv"])
            if (name == "truediv" and not y) or (name == "rtruediv" and not x):
                continue
            pairs.append((getattr(tape.lift(a), f"__{name}__")(b), getattr(Fraction(x), f"__{name}__")(y)))
        numbers = [tape.lift(a).n for a, _ in pairs]
        found, modular = tape.values(fmpq, drawn), tape.residues(P, drawn)
        assert [str(found[n]) for n in numbers] == [str(x) for _, x in pairs], seed
        assert [modular[n] % P for n in numbers] == [x.numerator * pow(x.denominator, -1, P) % P for _, x in pairs], seed


def test_numbers_of_two_tapes_do_not_mix() -> None:
    x, other = Tape().input(), Tape().input()
    for operation in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__"):
        with pytest.raises(RuleError, match="a number of another proof"):
            getattr(x, operation)(other)


def test_arrays_and_copies_of_numbers() -> None:
    x, one = (tape := Tape()).input(), np.array([tape.input()], dtype=object)
    for left, right in ((x + one, one + x), (x * one, one * x)):
        assert left.shape == right.shape == (1,)
        assert left[0].n == right[0].n
    assert (x - one).shape == (one - x).shape == (x / one).shape == (1,)
    assert copy(x) is deepcopy(x) is x and deepcopy(one)[0] is one[0]


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

    # The last two have the same output, but not the same divisors.
    functions = [lambda x, y: x + y, lambda x, y: x * 3, lambda x, y: (x + y, y)[1], lambda x, y: (0 / (x + y), y)[1]]
    digests = [digest(function, swapped) for function in functions for swapped in (False, True)]
    assert len(set(digests)) == len(digests)
    assert digests[0] == digest(functions[0])


def test_numbers_that_stand_for_angles_and_positions_are_inputs_of_their_own() -> None:
    field = on_tape()
    x, y = field.tape.input(), field.tape.input()
    first, other, again = field.angle(np.array([x, y, x], dtype=object))
    assert first is again
    assert len({x.n, y.n, first.n, other.n}) == 4
    first, other, again, zero = field.position(np.array([x * y, x + y, y * x, x * 0], dtype=object))
    assert first is again
    assert len({*field.tape.inputs} | {first.n, other.n}) == 6
    assert zero.n == ZERO
