"""Errors as large as those of correct algorithms: in float64 at a bad condition, in a format with few digits, or by cancellation.

In float64 they are no fault. In other formats they jump: an error of mechanics is a smooth function of the state, and rounding
errors jump between states 10⁻³ apart. Their size tells the format. Where it grows with gravity, on which the quantity does not
depend, large terms that should cancel have been subtracted.

Data cannot be asked at neighbouring states. But forces are linear in the inertial parameters π: τ = Y(q, v, a) π. Errors δτ of
a wrong number lie in the span of Y, and least squares leave nothing of them. Of errors e with any signs they leave, on average,
Σ e² (1 − h) / Σ e², where h is the diagonal of the projection on that span. Code in a lower precision has rounded parameters,
too: of its errors they leave less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.solvers import response, right_side
from cross_check.explain.diagnosis.laboratory import NoAnswer, try_states
from cross_check.explain.faults.readings.rounded import Format, coarser, written
from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.truth import condition
from cross_check.memory import Array
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms.states import integrate

INVERSE = "an explicit inverse of M times the right side"

HOPELESS = 1e12
"""Larger errors, in ε-units, are not those of correct algorithms: M would be singular to working precision."""

NEAR = 1e-3
"""The distance (rad, m, or parts of a rate) of neighbouring states."""

NEIGHBOURS = 24
ALIKE = 8.0
"""How many times as large as those of a correct algorithm in the format errors may be that are known by their size alone."""

ROUGH = 0.5
"""The second differences of errors that jump are √6 times the errors; those of smooth errors vanish."""

ALIKE_IF_JUMPING = 32.0
"""The same for errors that are seen to jump."""

FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")

HALF = 0.5
"""There are enough answers if least squares leave this part of errors with any signs, in squares."""

EIGHTH = 0.125
"""Errors scatter if least squares leave this part of that."""

WITHOUT_GRAVITY = ("mass_matrix", "forward_dynamics_dtau", "inverse_dynamics_dv", "coriolis_matrix", "kinetic_energy")


def neighbours(off: Deviation, index: int) -> States:
    """States in a line through one state: all of it changes, in proportion to NEAR."""
    direction, steps = np.random.default_rng(0).normal(size=off.mechanism.nv), NEAR * np.arange(NEIGHBOURS)[:, None]
    one = off.states.pick(np.full(NEIGHBOURS, index))
    q = integrate(off.mechanism, one.q, steps * direction)
    return replace(one, q=q, v=one.v * (1 + steps), a=one.a * (1 + steps), f=one.f * (1 + steps)[..., None])


def roughness(off: Deviation) -> float:
    """How much the error jumps between neighbouring states: about 2.4 for rounding, less than 0.01 for what is smooth.

    It is the median of the worst states'. NaN if nothing tells.
    """
    moving = np.flatnonzero(off.units > BAR)
    # Errors of the worst states may be special; those in the middle are typical.
    chosen = moving[np.argsort(off.units[moving])][len(moving) // 2 :: max(1, len(moving) // 6)][:4]
    found = []
    for index in chosen:
        try:
            there = Deviation(try_states(off.trial.laboratory, off.mechanism, neighbours(off, int(index))), off.name)
        except NoAnswer:
            continue
        error = ((there.answer - there.true) / np.where(there.unit > 0, there.unit, 1)).reshape(NEIGHBOURS, -1)
        # Without what is constant along the line, so that a small jump on a large smooth error counts as smooth.
        size = np.sqrt((error**2).mean(axis=0))
        second = np.sqrt((np.diff(error, 2, axis=0) ** 2).mean(axis=0))
        if size.max() > BAR / 8:
            found.append(float(second[size > size.max() / 8].max() / size.max()))
    return float(np.median(found)) if found else float("nan")


def explain_conditioning(off: Deviation) -> Arithmetic | None:
    """Whether correct algorithms in float64 are as far off at the same states: then the answers are as good as they can be."""
    if off.units.max() > HOPELESS:
        return None
    by_name = simulated(off, np.float64)
    by_inverse = by_name.pop(INVERSE, None)
    spread, worst = np.max([*by_name.values()], axis=0), int(off.units.argmax())
    κ = {"the condition of M, scaled to a unit diagonal, at that state": f"{condition(off.mass_matrix)[worst]:.2g}"}
    own = {f"{off.name} at state {worst}": f"off by {off.units[worst]:.2g} ε-units"}
    if _as_far(off.units, spread):
        sentence = f"{off.name} is ill-conditioned there, and correct algorithms are off by as much"
        others = {f"the same by {name}": f"off by {units[worst]:.2g} ε-units" for name, units in by_name.items()}
    elif by_inverse is not None and _as_far(off.units, by_inverse):
        sentence = f"{off.name} has the errors of an explicit inverse of M, which loses more digits than solving the equation"
        others = {
            INVERSE: f"off by {by_inverse[worst]:.2g} ε-units",
            "algorithms that solve the equation": f"off by at most {spread[worst]:.2g} ε-units",
        }
    else:
        return None
    seen = tuple(Observation(*one) for one in {**own, **others, **κ}.items())
    return Arithmetic(sentence, seen, is_fault=False)


def _as_far(units: Array, others: Array) -> bool:
    """Whether errors are as large as those of other algorithms: 16 times as large at most, and 64 times at a single state."""
    within = (units <= np.maximum(BAR, 64 * others)).all()
    return bool(within and units.max() <= 16 * others.max())


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
    return _cancelled(off, jumps) or _low_precision(off, jumps, coarser(off.mechanism.precision))


def _without_neighbours(off: Deviation) -> Arithmetic | None:
    """Code that gives no answers at neighbouring states, as recorded data: its answers are numbers of the format, or scatter."""
    form = written(off.answer, off.mechanism.precision)
    if form and form.precision:
        return _low_precision(off, form.seen(off.answer), [form], ALIKE)
    seen = scatter(off)
    return _low_precision(off, seen, coarser(off.mechanism.precision), ALIKE) if seen else None


def _low_precision(
    off: Deviation, shown: Observation, formats: Iterable[Format], largest: float = ALIKE_IF_JUMPING
) -> Arithmetic | None:
    """The format in which a correct algorithm has errors of this size. They may be ``largest`` times as large."""
    if off.quantity.needs_regular_mass_matrix and not (written(off.answer, off.mechanism.precision) or off.is_stepped):
        found = response(off)
        if found is None or not found.is_linear:
            return None  # Iterations that stop early jump, too.
    # NumPy computes in no other format.
    own = [form.precision for form in formats if form.precision and form.precision.dtype != np.float64]
    for one, errors in ((made, errors) for made in own for errors in simulated(off, made.dtype.type).values()):
        # In the middle of the states, and at the worst.
        parts = (0.5, 0.75, 1)
        quotients = [float(np.quantile(off.units, part) / max(np.quantile(errors, part), 1e-300)) for part in parts]
        if max(quotients) > largest or quotients[-1] < 1 / 64 or quotients[1] < 1 / 1000:
            continue
        seen = [shown]
        for what, units in (
            (f"{off.name} at {len(off.units)} states", off.units),
            (f"a correct algorithm in {one.name} at the same states", errors),
        ):
            size = units.max() * off.mechanism.precision.epsilon / one.epsilon
            seen.append(Observation(what, f"off by up to {size:.2g} times {one.name}'s spacing of the size"))
        sentence = f"{off.name} is computed in {one.name} somewhere"
        return Arithmetic(sentence, tuple(seen), tried=off.answer.size, is_exact=False)
    return None


def simulated(off: Deviation, made: Any) -> dict[str, Array]:
    """The errors (batch,) of correct algorithms in this floating-point format, by their names, in ε-units.

    Those of an explicit inverse of M are there, too, in float64.
    """
    answers: dict[str, Array] = {}
    for one in (REFERENCE, NEWTON_EULER, SCREWS) if made is np.float64 else (Reference(Real(made)),):
        loaded: Any = one.load(off.mechanism)
        if hasattr(loaded, off.name):
            with suppress(ArithmeticError, ValueError, Unsupported):
                answers[one.name] = getattr(loaded, off.name)(*off.arguments)
    # float16 has no direct solutions.
    if made is not np.float16 and (B := right_side(off, REFERENCE)) is not None:
        M, B = REFERENCE.load(off.mechanism).mass_matrix(off.states.q).astype(made), B.astype(made)
        with suppress(np.linalg.LinAlgError):
            answers["Gaussian elimination"] = np.linalg.solve(M, B)
            if made is np.float64:
                answers[INVERSE] = np.linalg.inv(M) @ B
                L = np.linalg.cholesky(M)
                answers["Cholesky's factors"] = np.linalg.solve(L.swapaxes(1, 2), np.linalg.solve(L, B))
    known = {"unit": off.unit, "mass_matrix": off.mass_matrix}
    given = {name: answer.reshape(off.answer.shape).astype(np.float64) for name, answer in answers.items()}
    return {name: Deviation(off.trial, off.name, answer, **known).distance(off.true) for name, answer in given.items()}


def _cancelled(off: Deviation, jumps: Observation) -> Arithmetic | None:
    """Errors that grow with gravity, on which the quantity does not depend."""
    if off.name not in WITHOUT_GRAVITY:
        return None
    sizes = {}
    for factor in (0, 1024):
        mechanism = replace(off.mechanism, gravity=tuple(factor * g for g in off.mechanism.gravity))
        if (answer := off.ask(off.name, *off.arguments, mechanism=mechanism)) is None:
            return None
        sizes[factor] = float((np.abs(answer - off.true) / np.where(off.unit > 0, off.unit, np.inf)).max())
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
        return Arithmetic(sentence, seen, is_exact=False)
    return None


def scatter(off: Deviation) -> Observation | None:
    """What shows that the errors scatter; None if they do not, or if there are too few answers to tell."""
    if off.name not in FORCES:
        return None
    q, *rates = off.arguments
    v, a = (*rates, *[np.zeros_like(off.states.v)] * 2)[:2]
    Y = REFERENCE.load(off.mechanism).joint_torque_regressor(q, v, a).reshape(off.answer.size, -1)
    error = off.in_units(off.answer - off.true).ravel()
    known = (off.unit.ravel() > 0) & np.isfinite(error)
    Y, error = Y[known] / off.unit.ravel()[known, None], error[known]
    Y /= np.maximum(np.linalg.norm(Y, axis=0), np.finfo(float).tiny)
    U, singular, _ = np.linalg.svd(Y, full_matrices=False)
    U = U[:, singular > 1e-10 * singular.max(initial=0.0)]
    squares = error**2 / (error @ error)
    expected = float(squares @ (1 - (U**2).sum(axis=1)))
    left = float(((error - U @ (U.T @ error)) ** 2).sum() / (error @ error))
    if expected < HALF or left < EIGHTH * expected:
        return None
    return Observation(
        f"other inertial parameters, fitted to the errors of {len(error)} answers",
        f"leave {100 * left:.0f} % of the errors, in squares, as of roundings",
    )
