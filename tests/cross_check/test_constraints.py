"""Constrained motion: the oracle and the reference agree, planted faults are caught, and redundant constraints are no trouble."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from constrained import arguments, case_of, compared, named, units

from cross_check.entry import Entry
from cross_check.explain.diagnosis.causes.usual_faults import constraint_example
from cross_check.explain.faults.edits import CONSTRAINT_FAULTS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.constrained_states import SATISFIED, Search
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from cross_check.part import satisfying, summary_of_constraints
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import (
    POINT,
    Body,
    Constraint,
    Inertia,
    Joint,
    Mechanism,
    Placement,
    find_mechanism,
    on_free_base,
    random_mechanism,
)
from mechanisms.errors import Unsupported
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import CONSTRAINT_QUANTITIES
from mechanisms.states import integrate
from oracle import EulerLagrange

pytestmark = pytest.mark.slow

BAR = 16.0

ALL = tuple(CONSTRAINT_QUANTITIES)

DERIVATIVES = tuple(name for name in ALL if name.endswith(("_dx", "_dv")))

NO_DERIVATIVES = tuple(name for name in ALL if name not in DERIVATIVES)


def at(x: object, y: object = 0, z: object = 0) -> Placement:
    return Placement(translation=(x, y, z))


def closed(m: Mechanism, *constraints: Constraint) -> Mechanism:
    return replace(m, constraints=constraints)


LEGGED = closed(
    on_free_base(find_mechanism("spatial-3r")), Constraint("foot", "world", "link3", POINT, at("0.1"), at("0.2", 0, "0.1"))
)
"""A free base with a quaternion, whose foot stands on the ground."""


FOLLOWING = closed(random_mechanism(5, 6, ("revolute", "helical"), mimics=True), Constraint("c", "body6", "world", ("vx",)))
"""A tree with mimic joints. A plane on the last body goes through a point of the ground; angles do not repeat."""

HINGED = closed(
    find_mechanism("puma560"),
    Constraint("hinge", "link6", "world", ("wx", "wz", *POINT), at(0, 0, "0.1"), at("0.4", "0.1", "0.3")),
)
"""An arm whose hand is hinged to the ground, by three directions and two angles."""

FOUR_BAR = LOOPS["four-bar"]()

THREE_D = replace(FOUR_BAR, constraints=(replace(FOUR_BAR.constraints[0], directions=POINT),))
"""A planar loop that is closed in three directions: the third row of J is zero."""


SLOTTED = replace(FOUR_BAR, constraints=(replace(FOUR_BAR.constraints[0], directions=("vx",)),))
"""A planar loop that is closed in one direction: the frames' origins are apart."""

ROD, CUBE = (
    Inertia(1, ("0.1", 0, 0), ("0.001", "0.02", "0.02", 0, 0, 0)),
    Inertia(3, (0, "0.1", 0), ("0.2", "0.1", "0.3", 0, 0, 0)),
)


RSSR = Mechanism(
    "rssr",
    (
        Body("crank", "world", Joint("drive", "revolute", (0, 0, 1)), ROD),
        Body("coupler", "crank", Joint("ball", "spherical", placement=at("0.2")), ROD),
        Body("rocker", "world", Joint("pivot", "revolute", (1, 0, 0), at("0.5", "0.4")), CUBE),
    ),
    constraints=(Constraint("other ball", "coupler", "rocker", POINT, at("0.7"), at(0, "0.5")),),
)
"""The spatial four-bar linkage: a crank and a rocker, whose axes are skew, with a ball at each end of the coupler."""

CIRCLES = replace(FOUR_BAR, bodies=tuple(replace(body, joint=replace(body.joint, kind="continuous")) for body in FOUR_BAR.bodies))
"""Hinges without limits, whose coordinates are cosines and sines."""

MUST_TURN = {"rssr": RSSR, "circles": CIRCLES}
"""Their loops close only if quaternions, or cosines and sines, move."""

OTHERS = {"free base": LEGGED, "mimic": FOLLOWING, "hinge": HINGED, "redundant": THREE_D, **MUST_TURN}


@cache
def case_named(name: str) -> Case:
    return named(name) if name in LOOPS else case_of(OTHERS[name])


@pytest.mark.parametrize("name", [*LOOPS, *OTHERS])
def test_the_reference_agrees_with_the_oracle_in_every_quantity(name: str) -> None:
    """Also with quaternions, mimic joints, hinges and redundant rows."""
    case = case_named(name)
    reference = REFERENCE.load(case.mechanism)
    errors = {
        quantity: units(case, quantity, getattr(reference, quantity)(*arguments(case, quantity))) for quantity in compared(case)
    }
    assert max(errors.values()) < (BAR / 4 if name in LOOPS else BAR), errors


@pytest.mark.parametrize("name", ["slider-crank", "bricard"])
def test_an_example_expects_what_the_reference_answers_and_nothing_where_several_answers_are_right(name: str) -> None:
    case, reference, entry = named(name), REFERENCE.load(LOOPS[name]()), Entry("mine", "mine.py", InProcess(REFERENCE))
    shown = {}
    for quantity in ALL:
        right = getattr(reference, quantity)(*arguments(case, quantity))
        if found := constraint_example(entry, case, quantity, -right, "it is wrong"):
            assert np.allclose(found.expected, np.negative(found.got), rtol=1e-6, atol=1e-6 * np.abs(found.got).max()), quantity
            assert len(found.components) == len(found.expected) and found.script
            shown[quantity] = found
        assert constraint_example(entry, case, quantity, right * np.nan, "it is wrong") is None
    assert len(shown) >= 12
    assert ("constraint_multipliers" in shown) == (name != "bricard")


@pytest.mark.parametrize("fault", CONSTRAINT_FAULTS, ids=lambda fault: fault.name)
def test_every_planted_fault_is_caught(fault: Fault) -> None:
    if fault.name.endswith("free and spherical joints"):
        case = case_named("free base")
    else:
        case = case_of(SLOTTED) if fault.name.endswith("the second frame's") else named("four-bar")
    errors, wrong = {}, MutantDynamics(fault, case.mechanism)
    for quantity in DERIVATIVES if "derivatives" in fault.name else NO_DERIVATIVES:
        with np.errstate(all="ignore"):
            errors[quantity] = units(case, quantity, getattr(wrong, quantity)(*arguments(case, quantity)))
    # An answer that is no number would be caught for every fault.
    assert np.isfinite(list(errors.values())).all() and max(errors.values()) > 1e8, errors


(OF_SECOND,) = (fault for fault in CONSTRAINT_FAULTS if fault.name == "the first body's motion is left out")


class ByElimination:
    """Another way to solve the equations: elimination in [[M, Jᵀ], [J, 0]], with its own faults."""

    def __init__(self, mechanism: Mechanism, on_both: bool = True, softness: float = 0) -> None:
        self.mechanism, self.on_both, self.softness = mechanism, on_both, softness
        self.reference = REFERENCE.load(mechanism)

    def solved(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        J, M = self.reference.constraint_jacobian(q), self.reference.mass_matrix(q)
        pulls = J if self.on_both else MutantDynamics(OF_SECOND, self.mechanism).constraint_jacobian(q)
        soft = np.broadcast_to(self.softness * np.eye(J.shape[1]), (len(q), J.shape[1], J.shape[1]))
        K = np.concatenate([np.concatenate([M, -pulls.swapaxes(1, 2)], 2), np.concatenate([J, soft], 2)], 1)
        b = np.concatenate([tau - self.reference.nonlinear_effects(q, v), -self.reference.constraint_drift(q, v)], 1)
        x = np.linalg.solve(K, b[..., None])[..., 0]
        return x[:, : M.shape[1]], x[:, M.shape[1] :], np.einsum("bij,bi->bj", pulls, x[:, M.shape[1] :])


@pytest.mark.parametrize("name", ["slider-crank", "flyball-governor", "squeezing-mechanism"])
def test_another_stable_algorithm_agrees_too(name: str) -> None:
    case = named(name)
    a, λ, f = ByElimination(case.mechanism).solved(*arguments(case, "constrained_acceleration"))
    assert units(case, "constrained_acceleration", a) < BAR
    assert units(case, "constraint_multipliers", λ) < BAR
    assert units(case, "constraint_forces", f) < BAR


def test_forces_on_one_body_only_and_soft_constraints_are_caught() -> None:
    case = named("slider-crank")
    given = arguments(case, "constrained_acceleration")
    a, _, _ = ByElimination(case.mechanism, on_both=False).solved(*given)
    assert units(case, "constrained_acceleration", a) > 1e8
    a, λ, _ = ByElimination(case.mechanism, softness=1e-6).solved(*given)
    assert units(case, "constrained_acceleration", a) > 1e5
    assert units(case, "constraint_multipliers", λ) > 1e5


def test_multipliers_are_judged_by_what_they_do_where_they_are_not_unique() -> None:
    case = named("bricard")
    λ = REFERENCE.load(case.mechanism).constraint_multipliers(*arguments(case, "constraint_multipliers"))
    J = case.constrained.jacobian.high
    idle = np.linalg.svd(J)[0][:, :, -1]
    assert np.abs(np.einsum("bij,bi->bj", J, idle)).max() < 1e-14
    assert units(case, "constraint_multipliers", λ + 1e3 * idle) < BAR
    strained = np.linalg.svd(J)[0][:, :, 0]
    assert units(case, "constraint_multipliers", λ + 1e-3 * strained) > 1e4


def test_what_is_redundant_is_told() -> None:
    follows = "degrees of freedom; 1 follows from the others, so λ is not unique and Jᵀλ is"
    assert summary_of_constraints(named("four-bar")) == "2 constrained directions leave 1 of 3 degrees of freedom"
    assert summary_of_constraints(named("bricard")) == f"6 constrained directions leave 1 of 6 {follows}"
    assert summary_of_constraints(case_named("redundant")) == f"3 constrained directions leave 1 of 3 {follows}"


@pytest.mark.parametrize("name", ["four-bar", "bricard", "squeezing-mechanism", *MUST_TURN])
def test_states_satisfy_the_constraints_and_are_many(name: str) -> None:
    search = Search(LOOPS[name]() if name in LOOPS else MUST_TURN[name])
    states = search.satisfying(sample(search.mechanism, 3, 36))
    oracle = EulerLagrange(search.mechanism)
    J = oracle.constraint_jacobian(states.q)
    ε = np.finfo(float).eps
    # The float64 state is the nearest to one that satisfies them to 2⁻⁸⁰.
    assert np.abs(oracle.constraint_residual(states.q)).max() < 8 * ε * np.abs(states.q).max() * np.abs(J).sum(axis=2).max()
    assert np.abs(np.einsum("bij,bj->bi", J, states.v)).max() < 16 * ε * (np.abs(J) @ np.abs(states.v)[..., None]).max()
    assert len(np.unique(states.q.round(9), axis=0)) > 28
    assert np.abs(np.einsum("bij,bj->bi", J, states.v_minus)).max() > 1e-3
    for _, slot in (*search.mechanism.slots("quaternion"), *search.mechanism.slots("circle")):
        assert np.abs(np.linalg.norm(states.q[:, slot], axis=1) - 1).max() < 2 * ε
    few = states.pick(np.array([3, 5]))
    assert few.v_minus.tolist() == states.v_minus[[3, 5]].tolist() and len(few.rows) == len(few) == 2
    assert SATISFIED == 2.0**-80


def test_constraints_that_contradict_each_other_are_told_in_one_sentence() -> None:
    too_far = replace(FOUR_BAR, constraints=(Constraint("pin", "coupler", "rocker", ("vx", "vz"), at(1), at(9)),))
    with pytest.raises(Unsupported) as refusal:
        case_of(too_far)
    said = "no position was found that satisfies the constraints 'pin'; they may contradict each other"
    assert str(refusal.value) == said


def test_an_ill_conditioned_jacobian_is_not_blamed_on_the_code() -> None:
    """A chain that is stretched but for 10⁻¹⁰ m: a singular value of J is 10⁻⁵ of the other."""
    tip = Constraint("tip", "link2", "world", ("vx", "vz"), at(0, 0, "-0.5"), at(0, 0, "-0.9999999999"))
    m = closed(find_mechanism("planar-pendulum"), tip)
    case, reference = case_of(m), REFERENCE.load(m)
    assert np.linalg.cond(case.constrained.jacobian.high).min() > 1e4
    errors = {quantity: units(case, quantity, getattr(reference, quantity)(*arguments(case, quantity))) for quantity in ALL}
    assert max(errors.values()) < BAR, errors
    a, _, f = ByElimination(m).solved(*arguments(case, "constrained_acceleration"))
    assert units(case, "constrained_acceleration", a) < BAR
    assert units(case, "constraint_forces", f) < BAR


def test_constraints_that_are_singular_are_told_in_one_sentence() -> None:
    """A stretched chain: its end cannot move along it, and J says that it may move across."""
    tip = Constraint("tip", "link2", "world", ("vx", "vz"), at(0, 0, "-0.5"), at(0, 0, -1))
    stretched = closed(find_mechanism("planar-pendulum"), tip)
    case = satisfying(Model(stretched), sample(stretched, 0, 6), 0, Settings())
    singular = "the constraints are singular: rows that follow from others contradict them in acceleration"
    assert summary_of_constraints(case) == singular


def test_an_axis_that_points_the_wrong_way_does_not_count_as_closed() -> None:
    """φ is zero where a hinge is closed with its axis reversed, too."""
    search = Search(HINGED)
    q = search.satisfying(sample(HINGED, 0, 36)).q
    assert (EulerLagrange(HINGED).constraint_alignment(q) > 0.999).all()


@pytest.mark.parametrize("m", [LOOPS["bricard"](), LEGGED, HINGED, CIRCLES], ids=lambda m: m.name)
def test_the_jacobian_is_the_derivative_of_the_residual_and_the_drift_its_rate(m: Mechanism) -> None:
    h = 1e-6
    oracle, states = EulerLagrange(m), Search(m).satisfying(sample(m, 0, 4)).pick(np.array([1, 2]))
    q, w = states.q, np.random.default_rng(0).normal(size=states.v.shape)
    v = states.v / np.abs(states.v).max()
    moved = [oracle.constraint_residual(integrate(m, q, sign * h * w)) for sign in (1, -1)]
    J = oracle.constraint_jacobian(q)
    assert np.abs((moved[0] - moved[1]) / (2 * h) - np.einsum("bij,bj->bi", J, w)).max() < 1e-8
    there = [oracle.constraint_jacobian(integrate(m, q, sign * h * v)) for sign in (1, -1)]
    rate = np.einsum("bij,bj->bi", (there[0] - there[1]) / (2 * h), v)
    assert np.abs(rate - oracle.constraint_drift(q, v)).max() < 1e-8


def test_an_impact_keeps_the_energy_if_it_is_elastic_and_loses_most_if_it_is_plastic() -> None:
    case, reference = named("flyball-governor"), REFERENCE.load(LOOPS["flyball-governor"]())
    q, v = arguments(case, "impact_velocity_elastic")
    M = reference.mass_matrix(q)

    def energy(v: Array) -> Array:
        return np.einsum("bi,bij,bj->b", v, M, v)

    after = {word: energy(getattr(reference, f"impact_velocity_{word}")(q, v)) for word in ("plastic", "half", "elastic")}
    before = energy(v)
    assert np.allclose(after["elastic"], before, rtol=1e-9)
    # What is lost is (1 − r²) of what a plastic impact loses.
    assert np.allclose(before - after["half"], 0.75 * (before - after["plastic"]), rtol=1e-6, atol=1e-9 * before.max())
