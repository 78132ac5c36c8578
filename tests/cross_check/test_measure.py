"""One cell: how an error is measured, and the messages about invalid answers."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results import INFINITE, Cell
from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.measure import by_kind, measure
from cross_check.judge.error_scale.sizes import EPSILON, in_epsilons
from implementations.processes.subject import LoadedInProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, find_mechanism
from mechanisms.quantities import QUANTITIES, USUAL

MECHANISM = find_mechanism("spatial-3r")
CASE = prepare(MECHANISM, 0, 14)
STATES = CASE.states


def cell_of(implementation: Any, quantity: str) -> Cell:
    return measure(CASE, LoadedInProcess(implementation.load(MECHANISM), MECHANISM), "mine", QUANTITIES[quantity], BAR)[0]


def raiser(error: BaseException):
    def change(*_: Any) -> None:
        raise error

    return change


def spoil(right: Any, q: Any) -> Any:
    q += 1
    return right


def test_units_are_the_error_over_epsilon_times_magnitude() -> None:
    error, size = np.array([0, 0, 3e-16, -2.0, np.inf, 1.0]), np.array([0, 1, 1, 4, 1, np.inf])
    np.testing.assert_allclose(in_epsilons(error, size), [0, 0, 3e-16 / EPSILON, 0.5 / EPSILON, np.inf, np.inf])
    assert in_epsilons(np.array([1e-300]), np.array([0.0])) == [np.inf], "an error where nothing is summed has no excuse"


@pytest.mark.parametrize("quantity", [name for name in USUAL if QUANTITIES[name].has_value])
def test_an_error_of_known_size_is_reported_where_it_is(altered: Any, quantity: str) -> None:
    arguments = STATES.arguments(QUANTITIES[quantity].arguments)
    size = CASE.scale.size(quantity, *arguments)
    # The last of the largest: where nothing is summed there is no error of a thousand.
    component = size[8].size - 1 - int(size[8].ravel()[::-1].argmax())
    at = (8, *map(int, np.unravel_index(component, size[8].shape)))

    def off(right: Any, *_: Any) -> Any:
        right[at] += 1000 * EPSILON * size[at]
        return right

    found = cell_of(altered(**{quantity: off}), quantity)
    assert found.verdict == "discrepancy"
    assert found.error == pytest.approx(1000, rel=0.01)
    assert (found.worst.state, found.worst.kind) == (8, CASE.states.kinds[8])
    assert found.worst.coordinate == QUANTITIES[quantity].component(MECHANISM, at[1:])
    assert np.argmax(found.errors) == 8
    assert [error > BAR for error in found.errors].count(True) == 1
    by_entry = QUANTITIES[quantity].axes[:1] in (("nv",), ("bodies",))
    wrong = [(kind, k) for kind, errors in found.by_kind.items() for k, error in enumerate(errors) if error > BAR]
    assert wrong == ([(CASE.states.kinds[8], at[1])] if by_entry else [])
    assert not by_entry or list(found.by_kind) == list(dict.fromkeys(CASE.states.kinds))
    by_coordinate = QUANTITIES[quantity].axes[:1] == ("nv",)
    assert [error > BAR for error in found.coordinates] == ([k == at[1] for k in range(MECHANISM.nv)] if by_coordinate else [])


JUDGED = ("inverse_dynamics", "placements", "kinetic_energy", "forward_dynamics", "forward_dynamics_dq", "coriolis_matrix")
"""Quantities of every shape that are judged in every way."""


@pytest.mark.parametrize("quantity", JUDGED)
def test_worst_state_is_the_worst_and_reproduces(quantity: str) -> None:
    chosen = find_mechanism("floating-base-link")
    case, dynamics = prepare(chosen, 0, 14), REFERENCE.load(chosen)
    found = measure(case, LoadedInProcess(dynamics, chosen), "mine", QUANTITIES[quantity], BAR).cell
    worst = found.worst
    assert found.verdict == "agrees"
    assert found.error == max(found.errors) == found.errors[worst.state] == max(found.coordinates, default=found.error)
    arguments = [np.array([worst.inputs[name]]) for name in QUANTITIES[quantity].arguments]
    got = getattr(dynamics, quantity)(*arguments)[0]
    if quantity == "forward_dynamics":
        # What is compared is the force that the returned acceleration takes.
        got = case.truth.values("inverse_dynamics", *arguments[:2], got[None])[0].astype(float)
    at = next(at for at in np.ndindex(got.shape) if QUANTITIES[quantity].component(chosen, at) == worst.coordinate)
    # The truth is summed in another order for one state than for many; what is under test is not.
    assert got[at] == pytest.approx(worst.got, rel=1e-13, abs=8 * EPSILON * worst.magnitude)
    assert abs(worst.got - worst.expected) <= (found.error + 1) * EPSILON * worst.magnitude


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (raiser(ZeroDivisionError("no\nway")), "gravity raised ZeroDivisionError: no way"),
        (raiser(SystemExit(0)), "gravity raised SystemExit: 0"),
        (lambda g, q: g[:, :2], r"gravity returned shape \(14, 2\), not \(14, 3\)"),
        (lambda g, q: g[0], r"gravity returned shape \(3,\), not \(14, 3\)"),
        (lambda g, q: np.where(np.arange(14)[:, None] == 5, np.nan, g), "gravity returned nan in state 5"),
        (lambda g, q: np.where(np.arange(14)[:, None] == 13, -np.inf, g), "gravity returned -inf in state 13"),
        (lambda g, q: g.astype(np.longdouble) * np.longdouble(2) ** 1100, "gravity returned -?inf in state"),
        (lambda g, q: [[10**400] * 3] * 14, "gravity returned list, not an array of real numbers"),
        (lambda g, q: g * (1 + 0j), r"gravity returned ndarray, not an array of real numbers \(complex128\)"),
        (lambda g, q: g.astype(str), "gravity returned ndarray, not an array of real numbers"),
        (lambda g, q: [[1], [2, 3]], "gravity returned list, not an array of real numbers"),
        (lambda g, q: g.astype("M8[s]"), "gravity returned ndarray, not an array of real numbers"),
        (lambda g, q: {"g": g}, "gravity returned dict, not an array of real numbers"),
        (spoil, "gravity writes into its input q; let it work on a copy"),
    ],
)
def test_answers_that_break_the_protocol_fail_in_one_line(altered: Any, change: Any, says: str) -> None:
    found = cell_of(altered(gravity=change), "gravity")
    assert (found.verdict, found.error, found.worst) == ("failed", None, None)
    assert re.match(says, found.message)
    assert "\n" not in found.message


@pytest.mark.skipif(np.finfo(np.longdouble).nmant == 52, reason="there is no wider float here")
def test_wider_floats_and_whole_numbers_are_welcome(altered: Any) -> None:
    assert cell_of(altered(gravity=lambda g, q: g.astype(np.longdouble)), "gravity").verdict == "agrees"
    assert cell_of(altered(gravity=lambda g, q: g.tolist()), "gravity").verdict == "agrees"
    assert cell_of(altered(gravity=lambda g, q: np.ones((14, 3), int)), "gravity").verdict == "discrepancy"


def test_interrupting_is_not_a_failure_of_the_implementation(altered: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        cell_of(altered(gravity=raiser(KeyboardInterrupt())), "gravity")


def test_what_is_not_there_or_cannot_be_done(altered: Any) -> None:
    found = cell_of(altered(only=("mass_matrix",)), "gravity")
    assert (found.verdict, found.message) == ("not offered", "mine has no gravity")
    for refusal in (Unsupported("no field here"), NotImplementedError("no field here")):
        found = cell_of(altered(gravity=raiser(refusal)), "gravity")
        assert (found.verdict, found.message) == ("unsupported", "no field here")


@pytest.mark.parametrize("quantity", JUDGED)
def test_huge_answers_are_wrong_and_stay_numbers(quantity: str, altered: Any) -> None:
    for value in (1e150, 1e300, sys.float_info.max):
        found = cell_of(altered(**{quantity: lambda right, *_, value=value: np.full_like(right, value)}), quantity)
        assert found.verdict == "discrepancy"
        numbers = [found.error, *found.errors, *found.coordinates, found.worst.got, found.worst.expected, found.worst.magnitude]
        assert np.isfinite(numbers).all()
        assert BAR < found.error <= INFINITE


def test_code_that_answers_where_the_mass_matrix_is_singular_is_not_asked() -> None:
    """Two hinges: without mass at the first, M is singular in the states in which the arm is straight, and only there."""
    bob, along_y, end = Inertia(0, (1, 0, 0)), (0, 1, 0), Placement(translation=(1, 0, 0))
    one = Body("upper", "world", Joint("shoulder", "revolute", axis=along_y), bob)
    two = Body("lower", "upper", Joint("elbow", "revolute", axis=along_y, placement=end), Inertia(1, (2, 0, 0)))
    mechanism = Mechanism("arm", (one, two))
    loaded = LoadedInProcess(SimpleNamespace(forward_dynamics=lambda q, v, tau: pytest.fail("asked")), mechanism)
    cell = measure(prepare(mechanism, 0, 14), loaded, "mine", QUANTITIES["forward_dynamics"], BAR).cell
    assert (cell.verdict, cell.message) == ("unsupported", "M is singular, in state 0, so q̈ is undefined")


def test_errors_by_kind_are_the_largest_of_the_kind_and_of_every_entry() -> None:
    units = np.array([[[1.0, 2.0], [0.0, 0.5]], [[9.0, 0.0], [7.0, 0.0]], [[0.0, 0.0], [3.0, 4.0]]])
    assert by_kind(["slow", "fast", "slow"], units) == {"slow": [2.0, 4.0], "fast": [9.0, 7.0]}
