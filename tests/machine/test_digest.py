"""The bits are those of every other computer: their digest stands here, and was computed on x86-64.

It was the same with AVX-512, with AVX2, without FMA, without AVX and on NumPy, and for ARM64 and RISC-V in an emulator.
"""

from __future__ import annotations

import hashlib
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from machine import Op, Program, allocate, run
from machine.elementary import cos_sin, power_of_ten
from machine.run import Backend, backend

MEASURED = tuple(op for op in Op if op != Op.SIGN)
"""Without signs, which came later and are exact: :mod:`test_recording` has them."""

DIGEST = "9d93313ed20315292a710f5eabc7a0a040fe383acb6bcf49fea8867d9e2cef18"

NUMBERS = [2.0**n * m for n in (-1074, -1022, -969, -540, -401, -60, 0, 400, 1023) for m in (1, -1.75)]
NUMBERS += [0.0, -0.0, float("inf"), float("nan"), 3.141592653589793, 2.0**30]


def cases() -> Any:
    """Programs and inputs from Python's generator, which gives the same numbers in all versions and on all systems."""
    for seed, ops in ((1, MEASURED), (2, (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG)), (3, (Op.MUL, Op.SUB, Op.COS, Op.SIN))):
        rng = random.Random(seed)
        code = [[rng.choice(ops), *(int(rng.random() * (7 + n)) for _ in "ab")] for n in range(150)]
        program = allocate(5, code, [Fraction(1, 3), Fraction(-22, 7)], range(7, 157, 3))
        yield program, [[rng.uniform(-2, 2) * 2.0 ** rng.randrange(-9, 10) for _ in range(100)] for _ in range(5)]
    for op in MEASURED:
        yield (
            Program(2, [[op, 0, 1, 2]], (), [2], 3),
            [[a for a in NUMBERS for _ in NUMBERS], [b for _ in NUMBERS for b in NUMBERS]],
        )


@pytest.mark.parametrize("by", sorted({"numpy", backend()}))
def test_the_bits_are_those_of_every_computer(by: Backend) -> None:
    digest = hashlib.sha256()
    for program, inputs in cases():
        high = np.array(inputs)
        with np.errstate(invalid="ignore"):
            low = np.where(np.isfinite(high), high * 2.0**-54, 0.0)
        for words in (*run(program, (high, low), by=by), run(program, high, "float64", by=by)[0]):
            digest.update(words.astype("<f8").tobytes())
    assert digest.hexdigest() == DIGEST


# Elementary functions with the same bits everywhere


def test_cosine_and_sine_are_those_of_the_system_to_an_ulp() -> None:
    angle = np.random.default_rng(0).normal(size=2000) * 10
    for got, function in zip(cos_sin(angle), (math.cos, math.sin), strict=True):
        expected = np.array([function(x) for x in angle])
        assert (np.abs(got - expected) <= np.spacing(np.abs(expected))).all()


def test_powers_of_ten_have_nearly_all_digits() -> None:
    x = np.random.default_rng(0).uniform(-16, 16, 2000)
    assert max(abs(power_of_ten(y) / 10**y - 1) for y in x.tolist()) < 1e-13
    assert power_of_ten(0.0) == 1


def test_the_bits_are_the_same_on_every_machine() -> None:
    x = np.linspace(-8, 8, 1001)
    numbers = np.concatenate([*cos_sin(x), [power_of_ten(y) for y in x.tolist()]]).astype("<f8")
    assert hashlib.sha256(numbers.tobytes()).hexdigest()[:16] == "95625b63f07c1e43"
