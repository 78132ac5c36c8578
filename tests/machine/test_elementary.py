"""Elementary functions with the same bits everywhere."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from machine.elementary import cos_sin, power_of_ten


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
