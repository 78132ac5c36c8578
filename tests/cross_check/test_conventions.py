"""Hypotheses on conventions: each is visible, is told from all others, and is undone by its wrapper."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from rich_mechanism import CHAINED, JOINTED, RICH

from cross_check.explain.diagnosis.laboratory import Laboratory, try_states
from cross_check.explain.faults.fault import NO_FAULT, Fault, both
from cross_check.explain.faults.mutants import Mutant, MutantDynamics, with_forces
from cross_check.explain.faults.readings.joints import sign
from cross_check.explain.faults.readings.mechanisms import TAKEN_OF_OTHERS
from cross_check.explain.faults.terms.factors import OTHERWISE
from cross_check.explain.faults.typical import CONVENTIONS, FAULTS
from cross_check.judge.comparison.sampling import States, sample
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.quantities import GROUPS, QUANTITIES, USUAL

BY_NAME = {fault.name: fault for fault in CONVENTIONS}

MIXED = "the velocity of a free joint is that of the body's origin along the joint's axes (mixed representation)"

CLASSICAL = f"{MIXED}, the acceleration is classical"

WORLD = "the velocity of a free joint is the spatial twist in the joint's frame (world representation)"

TOLD = (
    *GROUPS["dynamics"],
    "placements",
    "jacobians_local",
    "velocities_world",
    "accelerations_local",
    "accelerations_aligned",
    "classical_accelerations",
    "drifts_aligned",
    "centroidal_momentum",
    "inverse_dynamics_with_forces",
    "inverse_dynamics_dq",
    "forward_dynamics_dtau",
)
"""Quantities that tell all conventions apart; others are left out for speed."""

NOT_MENDED = ("drifts_local", "drifts_world", "drifts_aligned")
"""Drifts that came in another frame where one of the two is the aligned one: undoing that needs a velocity that may be wrong."""


def states_of(mechanism: Mechanism, *chosen: int) -> States:
    return with_forces(mechanism, sample(mechanism, 0, 20).pick(np.array(chosen)))


@cache
def right(mechanism: Mechanism, *chosen: int) -> dict[str, Any]:
    return predicted(mechanism, NO_FAULT, states_of(mechanism, *chosen), TOLD)


def predicted(mechanism: Mechanism, fault: Fault, states: States, quantities: Iterable[str]) -> dict[str, Any]:
    """The answers of code with the fault; without those that it does not predict."""
    dynamics, answers = MutantDynamics(fault, mechanism), {}
    for name in quantities:
        try:
            with np.errstate(all="ignore"):
                answers[name] = getattr(dynamics, name)(*states.arguments(QUANTITIES[name].arguments))
        except Unsupported:
            continue
    return answers


def differ(first: Any, second: Any) -> bool:
    """Whether two predictions differ in what both predict. A singular mass matrix makes accelerations NaN."""
    return any(
        not np.allclose(first[name], second[name], rtol=1e-9, atol=1e-9 * (1 + largest(first[name])), equal_nan=True)
        for name in sorted(first.keys() & second.keys())
    )


def largest(x: Any) -> float:
    """The largest magnitude among the numbers of x that are finite."""
    return float(np.abs(x)[np.isfinite(x)].max(initial=0.0))


def test_every_hypothesis_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(CONVENTIONS) > 120
    assert not BY_NAME.keys() & {fault.name for fault in FAULTS}
    mimicking = find_mechanism("random:6:7:mimic")
    assert {fault.changes(mimicking) for fault in CONVENTIONS} == {False, True}, "it says of mimic joints whether it acts"


@pytest.mark.nightly
@pytest.mark.slow
def test_every_convention_is_seen_and_told_from_every_other() -> None:
    """On a mechanism without symmetry. What is the same on simpler ones is in the docstring of ``conventions``."""
    answers = answers_by_name(RICH, CONVENTIONS)
    assert alike(answers) == []
    others = [fault for fault in CONVENTIONS if fault.name not in answers]
    jointed = [fault for fault in others if "planar" in fault.name or "three angles" in fault.name]
    assert len(jointed) == 11
    assert alike(answers_by_name(JOINTED, jointed)) == []
    assert {fault.name for fault in others if fault not in jointed} == {name for name in BY_NAME if "breadth first" in name}
    assert all(fault.changes(CHAINED) for fault in others if fault not in jointed)


def answers_by_name(mechanism: Mechanism, faults: Iterable[Fault]) -> dict[str, dict[str, Any]]:
    """What code with each fault that changes the mechanism answers, and right code."""
    states, truth = states_of(mechanism, 1, 9, 10), right(mechanism, 1, 9, 10)
    answers = {"nothing": truth}
    for fault in faults:
        if fault.changes(mechanism):
            only_answers = fault.answer and not (fault.state or fault.mechanism or fault.edits)
            changed = [name for name in TOLD if fault.answers(name)] if only_answers else TOLD
            same = {name: x for name, x in truth.items() if name not in changed}
            answers[fault.name] = same | predicted(mechanism, fault, states, changed)
    return answers


def alike(answers: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    return [(a, b) for (a, x), (b, y) in combinations(answers.items(), 2) if not differ(x, y)]


def wrapped(fault: Fault) -> dict[str, Callable[..., Any]]:
    """Code with the fault as a user's module has it, functions of a mechanism and one state, inside the fault's wrapper."""
    load = cache(Mutant(fault).load)

    def function(name: str) -> Callable[..., Any]:
        return lambda mechanism, *state: getattr(load(mechanism), name)(*(x[None] for x in state))[0]

    scope: dict[str, Any] = {}
    exec(fault.inverse, scope)
    mended: dict[str, Callable[..., Any]] = scope["wrap"]({name: function(name) for name in USUAL})
    return mended


def answer_of(functions: dict[str, Callable[..., Any]], mechanism: Mechanism, name: str, states: States) -> Any:
    """The answers (batch, …) of functions of one state."""
    arguments = states.arguments(QUANTITIES[name].arguments)
    return np.array([functions[name](mechanism, *(x[k] for x in arguments)) for k in range(len(states))])


def test_what_has_no_wrapper_loses_data_or_changes_geometry() -> None:
    others = [fault for fault in CONVENTIONS if not fault.inverse and fault not in TAKEN_OF_OTHERS]
    assert len(others) == 35
    numbers = "armature|damping|spring|friction|gravity compensation|without inertia|roll, pitch and yaw"
    read = re.compile(f"{numbers}|(inertia|centre of mass|origin|term) of every body")
    assert not [fault.name for fault in others if not read.search(fault.name)]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [RICH, CHAINED, JOINTED], ids=lambda m: m.name)
def test_a_wrapper_undoes_its_convention(mechanism: Mechanism) -> None:
    states, truth, tried = states_of(mechanism, 9), right(mechanism, 9), 0
    for fault in CONVENTIONS:
        if not fault.inverse or not fault.changes(mechanism) or (mechanism is not RICH and fault.changes(RICH)):
            continue
        names = [name for name in TOLD if fault.answers(name)] if not (fault.state or fault.mechanism) else TOLD
        wrong, functions = predicted(mechanism, fault, states, names), wrapped(fault)
        for name in (name for name in wrong if differ({name: wrong[name]}, {name: truth[name]})):
            if name not in functions:
                assert name in NOT_MENDED, (fault.name, name)
                continue
            answer, scale = answer_of(functions, mechanism, name, states), np.abs(truth[name]).max()
            assert np.allclose(answer, truth[name], rtol=1e-7, atol=1e-9 * scale), (fault.name, name)
            tried += 1
    assert tried > (500 if mechanism is RICH else 20)


def test_functions_of_a_module_may_call_each_other() -> None:
    """They call each other as they are, for the wrapper leaves what it is given alone."""
    mechanism = find_mechanism("floating-base-link")
    fault = BY_NAME["the velocity of a free joint is along the body's axes, linear part first"]
    code, scope = Mutant(fault).load(mechanism), dict[str, Any]()
    module: dict[str, Any] = {"__name__": "my_dynamics", "np": np}
    module["mass_matrix"] = lambda mechanism, q: code.mass_matrix(q[None])[0]
    module["nonlinear_effects"] = lambda mechanism, q, v: code.nonlinear_effects(q[None], v[None])[0]
    module["inverse_dynamics"] = lambda m, q, v, a: module["mass_matrix"](m, q) @ a + module["nonlinear_effects"](m, q, v)
    given = dict(module)
    exec(fault.inverse, scope)
    functions = scope["wrap"](module)
    assert module == given and set(functions) == {"mass_matrix", "nonlinear_effects", "inverse_dynamics"}
    answer = answer_of(functions, mechanism, "inverse_dynamics", states_of(mechanism, 9))
    assert np.allclose(answer, right(mechanism, 9)["inverse_dynamics"], rtol=1e-9)


def test_what_wrappers_contain_has_names_of_its_own() -> None:
    """Two wrappers become one with the functions of both, so that one name has one meaning in all of them."""
    seen: dict[str, str] = {}
    for fault in (*CONVENTIONS, *FAULTS, *OTHERWISE):
        (wrap,) = ast.parse(fault.inverse).body or [None]
        for one in (one for one in getattr(wrap, "body", ()) if isinstance(one, ast.FunctionDef)):
            assert seen.setdefault(one.name, ast.unparse(one)) == ast.unparse(one), (fault.name, one.name)
    assert len(seen) > 40


@pytest.mark.parametrize("inner", ["h is without gravity", "coordinates come in alphabetical order"])
def test_two_wrappers_undo_two_conventions(inner: str) -> None:
    pair = both(BY_NAME["the velocity of a free joint is along the body's axes, linear part first"], BY_NAME[inner])
    mechanism = find_mechanism("floating-base-link")
    states, truth, functions = states_of(mechanism, 9), right(mechanism, 9), wrapped(pair)
    for name in ("inverse_dynamics", "nonlinear_effects", "mass_matrix"):
        answer = answer_of({**wrapped(pair), **functions}, mechanism, name, states)
        assert differ({name: truth[name]}, predicted(mechanism, pair, states, (name,))), name
        assert np.allclose(answer, truth[name], rtol=1e-9, atol=1e-9), name


# What the velocities of a free joint mean


def test_the_velocities_of_a_free_joint_are_what_their_names_say() -> None:
    """The joint's frame is the root's. So the kinematics of the reference have each of these velocities."""
    states, reference = states_of(RICH, 1, 9), MutantDynamics(NO_FAULT, RICH)
    local = reference.velocities_local(states.q, states.v)[:, 0]
    world, aligned = (getattr(reference, f"velocities_{x}")(states.q, states.v)[:, 0] for x in ("world", "aligned"))
    lever = reference.placements(states.q)[:, 0, :, :3] @ RICH.arrays.coms[0]
    of_mass = aligned[:, 3:] + np.cross(aligned[:, :3], lever)
    for words, twist in (
        ("the spatial twist in the joint's frame (world representation)", world),
        ("that of the body's origin along the joint's axes (mixed representation)", aligned),
        ("ω along the body's axes and ṗ along the joint's", np.hstack([local[:, :3], aligned[:, 3:]])),
        ("ω along the joint's axes and v along the body's", np.hstack([aligned[:, :3], local[:, 3:]])),
        ("that of the centre of mass along the joint's axes", np.hstack([aligned[:, :3], of_mass])),
    ):
        for order, given in (("", twist), (", linear part first", np.roll(twist, 3, axis=1))):
            fault = BY_NAME[f"the velocity of a free joint is {words}{order}"]
            read = fault.state(RICH, {"q": states.q, "v": np.hstack([given, states.v[:, 6:]])}) if fault.state else {}
            assert np.allclose(read["v"], states.v, atol=1e-12), fault.name


def test_a_classical_acceleration_is_that_of_the_origin() -> None:
    states, reference = states_of(RICH, 1, 9), MutantDynamics(NO_FAULT, RICH)
    classical = reference.classical_accelerations(states.q, states.v, states.a)[:, 0]
    aligned = reference.velocities_aligned(states.q, states.v)[:, 0]
    fault = BY_NAME[CLASSICAL]
    assert fault.state
    rest_v, rest_a = states.v[:, 6:], states.a[:, 6:]
    given = {"q": states.q, "v": np.hstack([aligned, rest_v]), "a": np.hstack([classical, rest_a])}
    assert np.allclose(fault.state(RICH, given)["a"], states.a, atol=1e-11)


def test_a_kept_convention_agrees_with_itself() -> None:
    """M' a' + h' = τ', q̈' is the inverse of that, and ½ v'ᵀ M' v' is the kinetic energy."""
    states = states_of(RICH, 1, 9)
    kept = [f for f in CONVENTIONS if "free joint is" in f.name and f.state and f.answer and "free fall" not in f.name]
    assert len(kept) > 14
    for fault in kept:
        dynamics = MutantDynamics(fault, RICH)
        M, h = dynamics.mass_matrix(states.q), dynamics.nonlinear_effects(states.q, states.v)
        tau = dynamics.inverse_dynamics(states.q, states.v, states.a)
        assert np.allclose(tau, np.einsum("bij,bj->bi", M, states.a) + h, rtol=1e-10, atol=1e-9), fault.name
        assert np.allclose(dynamics.forward_dynamics(states.q, states.v, tau), states.a, rtol=1e-8, atol=1e-8), fault.name
        energy = np.einsum("bi,bij,bj->b", states.v, M, states.v) / 2
        assert np.allclose(energy, dynamics.kinetic_energy(states.q, states.v)), fault.name
        drift = dynamics.drifts_world(states.q, states.v) + np.einsum(
            "bnij,bj->bni", dynamics.jacobians_world(states.q), states.a
        )
        assert np.allclose(drift, dynamics.accelerations_world(states.q, states.v, states.a), atol=1e-9), fault.name


@pytest.mark.parametrize(
    "name", ["the velocity of a free joint is along the body's axes, linear part first", "q, v and a are in degrees"]
)
def test_derivatives_are_taken_along_the_velocity_of_the_code(name: str) -> None:
    """∂τ'/∂v' by a difference of τ', for T that does not depend on q; ∂τ/∂v is exact in v but for the second order."""
    states, dynamics = states_of(RICH, 1), MutantDynamics(BY_NAME[name], RICH)
    q, v, zero = states.q, states.v, np.zeros_like(states.v)
    for k in range(RICH.nv):
        step = np.eye(RICH.nv)[k : k + 1]
        difference = (dynamics.inverse_dynamics(q, v + step, zero) - dynamics.inverse_dynamics(q, v - step, zero)) / 2
        assert np.allclose(dynamics.inverse_dynamics_dv(q, v)[..., k], difference, rtol=1e-8, atol=1e-7), k


def test_derivatives_of_varying_coordinates_are_not_predicted() -> None:
    fault = BY_NAME[WORLD]
    states = states_of(RICH, 1)
    assert not predicted(RICH, fault, states, ("inverse_dynamics_dq",))
    assert predicted(RICH, fault, states, ("inverse_dynamics_dv",))


# Explanations


def errors_of(code: Fault, supposed: Fault, mechanism: Mechanism, quantities: Iterable[str]) -> float:
    trial = try_states(Laboratory(InProcess(Mutant(code)), "code"), mechanism, states_of(mechanism, 1, 9))
    return max(float(trial.errors(name, supposed).max()) for name in quantities)


@pytest.mark.parametrize(
    "name",
    [
        CLASSICAL,
        "coordinates come depth first",
        "Ixz and Iyz are exchanged",
        f"{WORLD}, linear part first, but only in what is read",
        f"{CLASSICAL}, but only in the answers",
        "forces of inverse dynamics have the opposite sign",
    ],
)
def test_a_convention_explains_itself_in_the_laboratory_and_no_other(name: str) -> None:
    quantities = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "nonlinear_effects", "jacobians_world", "kinetic_energy")
    assert errors_of(BY_NAME[name], BY_NAME[name], RICH, quantities) < 16
    for other in (NO_FAULT, BY_NAME[MIXED]):
        assert errors_of(BY_NAME[name], other, RICH, quantities) > 1e6


# Pairs


def test_the_first_of_two_conventions_is_around_the_second() -> None:
    """Code that takes degrees, and hands radians in another order on, answers through both, the other way round."""
    outer, inner = BY_NAME["v and a are in degrees"], BY_NAME["coordinates come depth first"]
    states = states_of(RICH, 1)
    code = MutantDynamics(inner, RICH)
    assert outer.state
    assert outer.answer
    given = {"q": states.q, "v": states.v, "tau": states.tau}
    expected = outer.answer(RICH, "forward_dynamics", given, code.forward_dynamics(*outer.state(RICH, given).values()))
    pair = MutantDynamics(both(outer, inner), RICH)
    np.testing.assert_array_equal(pair.forward_dynamics(states.q, states.v, states.tau), expected)


def test_the_second_of_two_conventions_sees_the_state_that_the_first_hands_on() -> None:
    """T(q) is that of the rotation that the code sees."""
    conjugated, mixed = BY_NAME["quaternions are those of the inverse rotation"], BY_NAME[CLASSICAL]
    states = states_of(RICH, 1)
    assert conjugated.state
    expected = MutantDynamics(mixed, RICH).mass_matrix(conjugated.state(RICH, {"q": states.q})["q"])
    np.testing.assert_array_equal(MutantDynamics(both(conjugated, mixed), RICH).mass_matrix(states.q), expected)


def test_a_convention_sees_the_mechanism_that_the_code_has() -> None:
    """h' = Tᵀ (h + M b) has the M of a body that is too heavy, in whichever order the pair is made."""
    heavy = BY_NAME["masses are read in grams"]
    mixed = BY_NAME[CLASSICAL]
    states = states_of(RICH, 1)
    assert heavy.mechanism
    expected = MutantDynamics(mixed, heavy.mechanism(RICH)).nonlinear_effects(states.q, states.v)
    for pair in (both(heavy, mixed), both(mixed, heavy)):
        np.testing.assert_array_equal(MutantDynamics(pair, RICH).nonlinear_effects(states.q, states.v), expected)


def test_a_name_from_a_file_is_no_code_in_a_wrapper() -> None:
    evil = Joint('x")\nraise SystemExit("evil")\n"""', "revolute")
    mechanism = Mechanism("evil", (Body("b", "world", evil, Inertia(1, ("1", 0, 0))),))
    for fault in sign(mechanism.bodies[0]):
        assert wrapped(fault), fault.name


@pytest.mark.engines
def test_what_ur5_does_not_show() -> None:
    """As the docstring of ``conventions`` says: ur5 has no damping, springs, friction, moments Ixy; placements have one angle."""
    ur5 = find_mechanism("ur5")
    states, names = states_of(ur5, 1, 9), ("inverse_dynamics", "placements")
    truth = predicted(ur5, NO_FAULT, states, names)
    read = [fault for fault in CONVENTIONS if fault.changes(ur5) and fault.mechanism]
    hidden = [fault.name for fault in read if not differ(truth, predicted(ur5, fault, states, names))]
    assert len(hidden) == 20
    unseen = "damping|spring|friction|armature|product|I.. and I.. are|roll, pitch and yaw"
    assert not [name for name in hidden if not re.search(unseen, name)]
