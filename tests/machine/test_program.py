"""A program that would read or write where it must not is refused when it is made: the compiled code does not check."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from machine import Op, Program
from machine.program import words_of

GOOD: dict[str, Any] = {
    "inputs": 2,
    "code": [[Op.ADD, 0, 2, 3], [Op.SIN, 3, 0, 1]],
    "constants": (Fraction(1, 3),),
    "outputs": [1, 3],
    "registers": 4,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"registers": 2}, "2 registers are too few for 2 inputs and 1 constants"),
        ({"code": [[9, 0, 0, 3]]}, "instruction 0 has an unknown operation: 9"),
        ({"code": [[Op.ADD, 0, 4, 3]]}, "instruction 0 reads register 4 of 4"),
        ({"code": [[Op.ADD, 0, 0, 2]]}, "instruction 0 writes into a constant"),
        ({"code": [[Op.ADD, 0, 3, 3]]}, "instruction 0 reads a register that has no value yet"),
        ({"code": [[Op.ADD, -1, 0, 3]]}, "code has a number that is negative"),
        ({"code": [[Op.ADD, 0, 2**40, 3]]}, "does not fit into 32 bits"),
        ({"code": [[0.0, 0.0, 0.0, 3.0]]}, "code must be whole numbers, and has float64"),
        ({"code": [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]}, r"code has the shape \(4, 3\), not \(4, 4\)"),
        ({"outputs": [[1]]}, r"outputs has the shape \(1, 1\), not \(1,\)"),
        ({"code": [], "outputs": [3]}, "an output is a register that has no value"),
        ({"outputs": [4]}, "an output is register 4 of 4"),
        ({"constants": (Fraction(10**400),)}, "a constant of about 2\\^1328 is too large for float64"),
        ({"inputs": -1}, "too few"),
    ],
)
def test_a_bad_program_is_refused(change: dict[str, Any], message: str) -> None:
    Program(**GOOD)
    with pytest.raises(ValueError, match=message):
        Program(**{**GOOD, **change})


def test_its_arrays_cannot_be_changed() -> None:
    code = np.array(GOOD["code"], np.int32)
    program = Program(**{**GOOD, "code": code})
    code[:] = 99
    assert program.code.max() == 7
    with pytest.raises(ValueError, match="read-only"):
        program.code[0, 0] = 1


def test_a_pickled_program_is_checked_again() -> None:
    program = Program(**GOOD)
    copy = pickle.loads(pickle.dumps(program))
    assert copy.fingerprint() == program.fingerprint()
    assert not copy.code.flags.writeable
    changed = pickle.dumps(program).replace(program.code.tobytes(), np.full((2, 4), 99, np.int32).tobytes())
    with pytest.raises(ValueError, match="unknown operation: 99"):
        pickle.loads(changed)


def test_the_fingerprint_tells_programs_apart() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"code": [[Op.SUB, 0, 2, 3], [Op.SIN, 3, 0, 1]]},
        {"constants": (Fraction(1, 7),)},
        {"outputs": [3, 1]},
        {"registers": 5},
        {"code": GOOD["code"] + GOOD["code"]},
    ]
    assert len({Program(**{**GOOD, **change}).fingerprint() for change in changes}) == len(changes)


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 3), Fraction(-22, 7), Fraction(2**53 + 1), Fraction(10**300, 7), Fraction(1, 10**300)]
)
def test_constants_are_the_nearest_double_doubles(x: Fraction) -> None:
    high, low = words_of(x)
    assert high == float(x)
    assert low == float(x - Fraction(high))
