"""Single wrong entries of a matrix: what they are is solved for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cross_check.explain.faults.answers.kinematics_and_matrices import wrong_entries
from cross_check.memory import Array
from mechanisms import find_mechanism

RIGHT = np.random.default_rng(3).normal(size=(5, 4, 4))
UR5 = find_mechanism("ur5")


def with_entry(i: int, j: int, change: Callable[[Array], Array]) -> Array:
    M = RIGHT.copy()
    M[:, i, j] = change(M)
    return M


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (with_entry(2, 0, lambda M: 0 * M[:, 2, 0]), "entry (3, 1) of the mass matrix is zero"),
        (with_entry(2, 0, lambda M: -M[:, 2, 0]), "entry (3, 1) of the mass matrix has the wrong sign"),
        (with_entry(1, 3, lambda M: M[:, 0, 2]), "entry (2, 4) of the mass matrix is that of (1, 3)"),
        (with_entry(1, 3, lambda M: 1.25 * M[:, 1, 3]), "entry (2, 4) of the mass matrix is multiplied by 1.25"),
    ],
)
def test_an_entry_is_read(answer: Array, words: str) -> None:
    (fault,) = wrong_entries("mass_matrix", answer, RIGHT)
    assert fault.name == words
    assert fault.answer
    assert np.allclose(fault.answer(UR5, "mass_matrix", {}, RIGHT), answer, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "answer",
    [RIGHT, RIGHT + 1, with_entry(1, 1, lambda M: M[:, 1, 1] + M[:, 0, 1]), with_entry(1, 1, lambda M: np.nan * M[:, 1, 1])],
)
def test_what_cannot_be_read_is_not_named(answer: Array) -> None:
    assert [*wrong_entries("mass_matrix", answer, RIGHT)] == []
