"""Matrices that are computed wrongly: blocks of M, and C.

Functions have the arguments of :mod:`cross_check.explain.faults.wrong_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.terms import has_damping
from cross_check.explain.faults.wrong_answers import wrong_answer
from cross_check.explain.faults.wrong_kinematics import has_several_coordinates


def blocks_transposed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The blocks of M of two joints with as many coordinates are transposed."""
    x = np.array(x)
    for rows in mechanism.v_slices:
        for columns in mechanism.v_slices:
            if rows.stop - rows.start == columns.stop - columns.start:
                x[..., rows, columns] = np.swapaxes(x[..., rows, columns], -1, -2).copy()
    return x


OF_MASS_MATRIX = "(joint.ds, joint.s / 2)"
RETURNED = f"return project_on_screws(model, joints, [{OF_MASS_MATRIX} for joint in joints])"
DAMPING = "np.eye(model.nv, dtype=int)[..., None] * np.concatenate([link.damping for link in model.links])"
BY_VELOCITY = "project_on_screws(model, joints, [(joint.dΨ + joint.ds, joint.s) for joint in joints])"
CORIOLIS = (
    ("C is halved", f"C = {RETURNED[7:]}\n    return C / 2"),
    ("C counts twice", f"C = {RETURNED[7:]}\n    return C * 2"),
    ("C has the wrong sign", f"return -{RETURNED[7:]}"),
    ("C is transposed", f"return {RETURNED[7:]}.swapaxes(0, 1)"),
    ("C is ∂h/∂v", f"return {BY_VELOCITY} + {DAMPING}"),
    ("C is ∂h/∂v without damping", f"return {BY_VELOCITY}"),
    ("C is half of ∂h/∂v, which contains damping", f"return {RETURNED[7:]} + {DAMPING} / 2"),
    ("C contains damping", f"return {RETURNED[7:]} + {DAMPING}"),
)


def _faults() -> Iterator[Fault]:
    words = "blocks of M are transposed"
    yield wrong_answer(
        words, "mass matrix", ("mass_matrix",), blocks_transposed, blocks_transposed, needs=has_several_coordinates
    )
    for words, text in CORIOLIS:
        yield Fault(words, "Coriolis matrix", (Edit("derivatives", RETURNED, text),), needs=_needed(words))


def _needed(words: str) -> Any:
    return has_damping if "damping" in words and "without" not in words else lambda m: True


OF_MATRICES: tuple[Fault, ...] = tuple(_faults())
