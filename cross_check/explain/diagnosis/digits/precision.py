"""Rounding errors inside: errors that jump from state to state, as large as those of a format with few digits or a cancellation.

An error of mechanics is a smooth function of the state; rounding errors jump between states 10⁻³ apart. Their size tells the
format. Where it grows with gravity, on which the quantity does not depend, large terms that should cancel have been subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, right_answer
from cross_check.explain.diagnosis.digits.responses import is_stepped, response
from cross_check.explain.diagnosis.digits.scatter import scatter
from cross_check.explain.diagnosis.digits.solvers import right_side
from cross_check.explain.diagnosis.digits.written import written
from cross_check.explain.diagnosis.laboratory import NoAnswer, try_states
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.reference import Reference
from mechanisms.quantities import ByForces
from mechanisms.states import integrate

NEAR = 1e-3
"""The distance (rad, m, or parts of a rate) of neighbouring states."""

NEIGHBOURS = 24
ALIKE = 8.0
"""How many times as large as those of a correct algorithm in the format errors may be that are known by their size alone."""

ROUGH = 0.5
"""The second differences of errors that jump are √6 times the errors; those of smooth errors vanish."""

ANY_FORMAT: dict[type[np.floating[Any]], float] = {np.float32: 32.0, np.float16: 32.0}
"""Formats, and how many times as large errors may be that jump."""

WITHOUT_GRAVITY = ("mass_matrix", "forward_dynamics_dtau", "inverse_dynamics_dv", "coriolis_matrix", "kinetic_energy")


def neighbours(states: States, mechanism_step: Array, off: Deviation, index: int) -> States:
    """States in a line through one state: all of it changes, in proportion to NEAR."""
    steps = NEAR * np.arange(NEIGHBOURS)
    one = states.pick(np.full(NEIGHBOURS, index))
    q = integrate(off.mechanism, one.q, steps[:, None] * mechanism_step)
    factor = 1 + steps[:, None]
    return replace(one, q=q, v=one.v * factor, a=one.a * factor, f=one.f * factor[..., None])


def roughness(off: Deviation) -> float:
    """How much the error jumps between neighbouring states: about 2.4 for rounding, less than 0.01 for what is smooth.

    It is the median of the worst states'. NaN if nothing tells.
    """
    direction = np.random.default_rng(0).normal(size=off.mechanism.nv)
    moving = np.flatnonzero(off.units > BAR)
    # Errors of the worst states may be special; those in the middle are typical.
    chosen = moving[np.argsort(off.units[moving])][len(moving) // 2 :: max(1, len(moving) // 6)][:4]
    found = []
    for index in chosen:
        line = neighbours(off.states, direction, off, int(index))
        try:
            there = Deviation(try_states(off.trial.laboratory, off.mechanism, line), off.name)
        except NoAnswer:
            continue
        error = np.asarray((there.answer - there.true) / np.where(there.unit > 0, there.unit, 1), dtype=np.float64).reshape(
            NEIGHBOURS, -1
        )
        # Without what is constant along the line, so that a small jump on a large smooth error counts as smooth.
        size = np.sqrt((error**2).mean(axis=0))
        second = np.sqrt((np.diff(error, 2, axis=0) ** 2).mean(axis=0))
        if size.max() > BAR / 8:
            found.append(float(second[size > size.max() / 8].max() / size.max()))
    return float(np.median(found)) if found else float("nan")


def explain_precision(off: Deviation) -> Arithmetic | None:
    """Errors that jump, with the format or the cancellation that makes them, or None."""
    rough = roughness(off)
    if math.isnan(rough):
        return _without_neighbours(off)
    if not rough > ROUGH:
        return None
    jumps = Observation(
        f"states {NEAR:g} apart", f"the error jumps: its second difference is {rough:.1f} times the error, as for rounding"
    )
    return _cancelled(off, jumps) or _low_precision(off, jumps)


def _without_neighbours(off: Deviation) -> Arithmetic | None:
    """Code that gives no answers at neighbouring states, as recorded data: its answers are numbers of the format, or scatter."""
    form = written(off.answer)
    if form and form.made:
        return _low_precision(off, Observation(f"the digits of {off.answer.size} answers", form.words), {form.made: ALIKE})
    seen = scatter(off)
    return _low_precision(off, seen, dict.fromkeys(ANY_FORMAT, ALIKE)) if seen else None


def _low_precision(
    off: Deviation, jumps: Observation, formats: Mapping[type[np.floating[Any]], float] = ANY_FORMAT
) -> Arithmetic | None:
    """The format in which a correct algorithm has errors of this size. ``formats`` has how many times as large they may be."""
    if off.quantity.needs_regular_mass_matrix and not (written(off.answer) or is_stepped(off)):
        found = response(off)
        if found is None or not found.is_linear:
            return None  # Iterations that stop early jump, too.
    for made, largest in formats.items():
        name = made.__name__
        ratio = float(np.finfo(made).eps / np.finfo(np.float64).eps)
        for simulated in _simulated(off, made):
            # In the middle of the states, and at the worst.
            quotients = [
                float(np.quantile(off.units, part) / max(np.quantile(simulated, part), 1e-300)) for part in (0.5, 0.75, 1)
            ]
            if max(quotients) > largest or quotients[-1] < 1 / 64 or quotients[1] < 1 / 1000:
                continue
            size = f"times {name}'s spacing of the size"
            seen = (
                jumps,
                Observation(f"{off.name} at {len(off.units)} states", f"off by up to {off.units.max() / ratio:.2g} {size}"),
                Observation(
                    f"a correct algorithm in {name} at the same states", f"off by up to {simulated.max() / ratio:.2g} {size}"
                ),
            )
            sentence = f"{off.name} is computed in {name} somewhere"
            return Arithmetic(sentence, seen, {"bits": float(np.finfo(made).nmant + 1)}, tried=off.answer.size, is_exact=False)
    return None


def _simulated(off: Deviation, made: type[np.floating[Any]]) -> list[Array]:
    """The errors (batch,) of the reference in this format and of a direct solution, in ε-units."""
    try:
        loaded: Any = Reference(Real(made)).load(off.mechanism)
        answers = [getattr(loaded, off.name)(*off.arguments)]
        if (B := right_side(off)) is not None and made is np.float32:
            M = off.mass_matrix.astype(made)
            answers.append(np.linalg.solve(M, B.astype(made)).reshape(off.answer.shape))
    except (ArithmeticError, ValueError):
        return []
    right = [answer.astype(np.float64) for answer in answers if np.isfinite(answer).all()]
    return [off.answered(answer).distance(off.true) for answer in right]


def _cancelled(off: Deviation, jumps: Observation) -> Arithmetic | None:
    """Errors that grow with gravity, on which the quantity does not depend."""
    if off.name not in WITHOUT_GRAVITY or off.quantity.group == "kinematics" or isinstance(off.quantity.judged, ByForces):
        return None
    sizes = {}
    for factor in (0, 1024):
        mechanism = replace(off.mechanism, gravity=tuple(factor * g for g in off.mechanism.gravity))
        answer = off.ask(off.name, *off.arguments, mechanism=mechanism)
        if answer is None:
            return None
        error = np.abs(answer - right_answer(off.mechanism, off.name, *off.arguments)) / np.where(off.unit > 0, off.unit, np.inf)
        sizes[factor] = float(error.max())
    if sizes[0] <= BAR and sizes[1024] >= 64 * off.units.max():
        seen = (
            jumps,
            Observation("without gravity", f"within {sizes[0]:.2g} ε-units"),
            Observation("with gravity", f"off by {off.units.max():.2g} ε-units"),
            Observation(
                "with 1024 times the gravity", f"off by {sizes[1024]:.2g} ε-units, although {off.name} does not depend on gravity"
            ),
        )
        sentence = f"{off.name} loses digits by cancellation: it is a difference of forces that contain gravity"
        return Arithmetic(sentence, seen, {"without gravity": sizes[0], "with": float(off.units.max())}, is_exact=False)
    return None
