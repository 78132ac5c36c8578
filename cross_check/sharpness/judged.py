"""Cells whose errors are within the bar, judged by all of their errors together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cross_check.comparison.judgements import Comparison
from cross_check.comparison.measure import Measured
from cross_check.results.objects import Cell
from cross_check.sharpness.columns import SOURCES, Problems
from cross_check.sharpness.fit import Fit
from cross_check.sharpness.naming import wrong_number


def sharpened(cells: Sequence[Cell], measured: Sequence[Measured], problems: Problems | None, bar: float) -> list[Cell]:
    """The cells, which were ``measured``, with their sharpness; those whose errors are systematic are discrepancies.

    Errors above the bar are fitted, too: one number may explain them. Answers that do not belong to all states are not fitted;
    without ``problems`` none are.
    """
    if problems is None:
        return list(cells)
    return [_sharpened(cell, one.compared, problems, bar) for cell, one in zip(cells, measured, strict=True)]


def _sharpened(cell: Cell, compared: Comparison | None, problems: Problems, bar: float) -> Cell:
    is_judged = cell.verdict in ("agrees", "discrepancy") and cell.quantity in SOURCES
    if not is_judged or compared is None or len(compared.error) != problems.given:
        return cell
    residual = problems.residual(cell.quantity, compared.error)
    if not np.isfinite(residual).all():
        return cell
    fit = Fit.of(problems.rows(cell.quantity), residual)
    sharpness = fit.sharpness(bar)
    if sharpness is None or (cell.verdict == "agrees" and not sharpness.is_systematic(bar)):
        return replace(cell, sharpness=sharpness)
    wrong = wrong_number(fit, bar)
    if cell.verdict == "discrepancy":
        return replace(cell, sharpness=replace(sharpness, **wrong._asdict())) if wrong else cell
    sharpness = replace(sharpness, **wrong._asdict()) if wrong else sharpness
    said = f"every error is within the bar, but they are systematic: {sharpness.sentence}"
    return replace(cell, sharpness=sharpness, verdict="discrepancy", message=said)
