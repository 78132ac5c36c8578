"""Which columns of recorded answers are the right answers, times what, and how many rows late: solved for by least squares.

A column y of the file is c times a right column t if y · t = |y| |t|. Then t = (y · t / y · y) y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cross_check.exchange.recorded_data.units import choices
from cross_check.explain.diagnosis.recordings.column_map import Source, factor_of
from cross_check.memory import Array

SAME = 1e-12
"""1 − cos² of columns that are equal but for rounding."""

SNAP = 1e-9
"""A factor that is so near to another one, in relation to it, is that one."""

DIGITS = 6
"""A factor is said with so many digits, if it is such a number."""


def unlike(right: Array, given: Array, is_any: bool) -> Array:
    """How unlike the right columns (maps, rows, n) and the file's are: (maps, n). It is 1 − cos² of the nearest column.

    ``given`` (shifts, rows, n) are the file's columns, shifted by rows. With ``is_any`` each column may be any one, else its own.
    """
    return 1 - _alike(right, given, is_any).max(axis=(1, 3))


def _alike(right: Array, given: Array, is_any: bool) -> Array:
    """cos² of right columns i and columns j of the file: (maps, shifts, i, j); j is one column, i itself, without ``is_any``."""
    if is_any:
        products = np.einsum("cmi,smj->csij", right, given, optimize=True)
    else:
        products = np.einsum("cmi,smi->csi", right, given)[..., None]
    one, other = np.einsum("cmi,cmi->ci", right, right)[:, None, :, None], np.einsum("smj,smj->sj", given, given)
    other = other[None, :, None, :] if is_any else other[None, :, :, None]
    with np.errstate(all="ignore"):
        cos = products**2 / (one * other)
    # Zeros are like zeros, and like nothing else.
    return np.nan_to_num(np.where((one == 0) & (other == 0), 1.0, cos), nan=0.0, posinf=0.0)


def sources_of(
    name: str, right: Array, given: Array, shifts: Sequence[int], si: Sequence[str], is_any: bool
) -> tuple[Source, ...]:
    """The sources of the right answers (rows, n) in the file's columns (shifts, rows, n); none if two have one source.

    Of columns that are equally alike, that of the right place, of the right row, of the right size comes first.
    """
    alike = _alike(right[None], given, is_any)[0]
    found = []
    for i in range(right.shape[1]):
        off = 1 - alike[:, i]
        near = np.argwhere(off <= max(SAME, 4 * off.min()))
        s, j = min(near.tolist(), key=lambda at: ((at[1] != i) * is_any + (shifts[at[0]] != 0), abs(shifts[at[0]])))
        j = j if is_any else i
        y, t = given[s, :, j], right[:, i]
        factor, unit = _read(float(y @ t / (y @ y)) if y.any() else 1.0, max(0.0, float(off.min())) ** 0.5, si[j])
        found.append(Source(name, j, factor, unit, shifts[s]))
    return tuple(found) if len({source.column for source in found}) == len(found) else ()


def _read(factor: float, noise: float, si: str) -> tuple[float, str]:
    """The factor, and the unit that has it: one, that of a unit, or a number of few digits, if it is as near as the noise."""
    room = SNAP + 4 * noise
    for known, unit in ((1.0, ""), *((factor_of(unit, si), unit) for unit in choices(si)[1:])):
        if abs(factor / known - 1) <= room:
            return known, unit
    return short(factor, room), ""


def short(factor: float, room: float = SNAP) -> float:
    """The factor, or its inverse, as a number of few digits, if there is one nearby."""
    for number, inverse in ((factor, False), (1 / factor, True)):
        rounded = float(f"{number:.{DIGITS}g}")
        if abs(number / rounded - 1) <= room:
            return 1 / rounded if inverse else rounded
    return factor
