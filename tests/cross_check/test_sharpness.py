"""Errors within the bar that are systematic are discrepancies, with the wrong number named; rounding is not accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from wrong_codes import Code, Misread

import dalembert
from cross_check.exchange.results.objects import BAR, Cell
from cross_check.exchange.results.shown import sharpness_sentences
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.measure import measure
from cross_check.judge.sharpness.columns import SOURCES, Problems
from cross_check.judge.sharpness.judged import sharpened
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Mechanism
from mechanisms.quantities import QUANTITIES


def cells_of(case: Case, implementation: object, names: tuple[str, ...] = tuple(SOURCES)) -> dict[str, Cell]:
    loaded = InProcess(implementation).load(case.mechanism)  # type: ignore[arg-type]
    measured = [
        measure(case, loaded, "code", QUANTITIES[name], BAR) for name in names if QUANTITIES[name].is_compared(case.mechanism)
    ]
    cells = sharpened([one.cell for one in measured], measured, Problems(case), BAR)
    return {cell.quantity: cell for cell in cells}


def with_body(mechanism: Mechanism, b: int, change: Callable[[Body], Body]) -> Mechanism:
    bodies = list(mechanism.bodies)
    bodies[b] = change(bodies[b])
    return replace(mechanism, bodies=tuple(bodies), physical=False)


def heavier(factor: float) -> Callable[[Body], Body]:
    return lambda body: replace(body, inertia=replace(body.inertia, mass=body.inertia.mass * (1 + Fraction(factor))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "implementation"),
    [("puma560", NEWTON_EULER), ("branched-tree", REFERENCE), ("gyroscope", NEWTON_EULER), ("puck", REFERENCE)],
)
def test_rounding_is_not_systematic(name: str, implementation: object) -> None:
    case = prepare(dalembert.find_mechanism(name), 0, 98)
    for cell in cells_of(case, implementation).values():
        assert cell.verdict in ("agrees", "not offered"), cell.message
        assert cell.sharpness is None or cell.sharpness.needed < BAR / 4


def stronger(mechanism: Mechanism) -> Mechanism:
    x, y, z = mechanism.gravity
    return replace(mechanism, gravity=(x, y, z * (1 + Fraction(1e-13))))


def stiffer(mechanism: Mechanism) -> Mechanism:
    return with_body(
        mechanism, 0, lambda body: replace(body, joint=replace(body.joint, damping=body.joint.damping * (1 + Fraction(1e-13))))
    )


@pytest.mark.parametrize(
    ("spec", "quantity", "change", "number", "size"),
    [
        ("spatial-3r", "inverse_dynamics", lambda mechanism: with_body(mechanism, 2, heavier(1.8e-14)), "", 0.0),
        ("spatial-3r", "gravity", lambda mechanism: with_body(mechanism, 2, heavier(1.8e-14)), "the mass of link3", 1.8e-14),
        ("puma560", "inverse_dynamics", stronger, "gravity along z", -1e-13),
        ("puma560", "inverse_dynamics", stiffer, "the damping of joint1", 1e-13),
        ("puma560", "inverse_dynamics", lambda mechanism: with_body(mechanism, 1, heavier(1e-9)), "the mass of link2", 1e-9),
    ],
)
def test_a_number_that_is_a_little_wrong_is_named_although_no_state_may_show_it(
    spec: str, quantity: str, change: Callable[[Mechanism], Mechanism], number: str, size: float
) -> None:
    cell = cells_of(prepare(dalembert.find_mechanism(spec), 0, 98), Misread(change), (quantity,))[quantity]
    assert cell.verdict == "discrepancy"
    assert cell.error is not None and (cell.error < BAR) == ("systematic" in cell.message) == (spec == "spatial-3r")
    assert cell.sharpness
    if number:
        assert (cell.sharpness.number, cell.sharpness.change) == (number, pytest.approx(size, rel=0.1))


def test_scattered_errors_are_not_systematic() -> None:
    case = prepare(dalembert.find_mechanism("puma560"), 0, 98)
    size = case.scale.size("inverse_dynamics", case.states.q, case.states.v, case.states.a)
    noise = np.random.default_rng(0).normal(size=size.shape) * size * 2.0**-52

    noisy = Code(lambda m, right: {"inverse_dynamics": lambda *state: right.inverse_dynamics(*state) + noise})
    assert cells_of(case, noisy, ("inverse_dynamics",))["inverse_dynamics"].verdict == "agrees"


def test_the_results_say_how_sharp_they_are() -> None:
    results = dalembert.check(["planar-pendulum"], ["reference"], quantities=["inverse_dynamics"], states=20)
    (sentence,) = sharpness_sentences(results)
    assert sentence.startswith("Every number of a mechanism on which τ depends is right, to this part of its size: ")
    assert sentence.endswith("in reference")
    coarse = [replace(entry, precision="q15.16") for entry in results.implementations]
    (sentence,) = sharpness_sentences(replace(results, implementations=coarse))
    assert sentence.endswith("in reference; in fixed point, numbers below one count as one")
