"""Arithmetic whose answers cannot be predicted is named where its removal makes them right, and hides no second fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from altered import Altered
from diagnosed import diagnosed, fault_called
from inexact_code import ARM, DQ, FD, ID, Array, M, Trigonometry, around, explained, single, trial_of
from wrong_codes import Code

from cross_check.explain.diagnosis.digits import explain_arithmetic
from cross_check.explain.diagnosis.digits.sines import described
from cross_check.explain.diagnosis.search import Search
from cross_check.explain.diagnosis.stages import Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import both
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.readings.mechanisms import misreadings
from cross_check.explain.faults.readings.rounded import SINGLE, representable
from implementations.algorithms import Algorithmic
from implementations.classical.newton_euler import ALGORITHMS, build
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism

SINES = "sines and cosines are rounded to float32"
NUMBERS = "the numbers of the mechanism are rounded to float32"


class Single(Real):
    """float64, with numbers of the mechanism that are float32."""

    def number(self, value: Any) -> Any:
        return np.float64(np.float32(float(value)))


def other_algorithm(field: Real) -> Any:
    """Newton and Euler's equations, not the reference's."""
    return Algorithmic("mine", build, ALGORITHMS, field)


def also(code: Any, second: Any) -> Altered:
    """The code, with ``second`` added to its inverse dynamics, a function of q, v and a."""
    return Altered((ID, "gravity"), of=code, inverse_dynamics=lambda tau, *given: tau + second(*given))


FLOAT32_SINES = other_algorithm(Trigonometry(lambda q: (single(np.cos(q)), single(np.sin(q)))))
FLOAT32_NUMBERS = other_algorithm(Single())

TURNED = Mechanism(
    "turned",
    tuple(
        Body(
            f"b{k}",
            f"b{k - 1}" if k else "world",
            Joint(f"j{k}", "revolute", (0, "0.6", "0.8"), Placement(Rotation(3, 1, k, 1), ("0.3", 0, "0.17"))),
            Inertia("0.3", ("0.1", 0, "0.17"), ("0.03", "0.03", "0.031", 0, 0, 0)),
        )
        for k in range(3)
    ),
)
"""None of its numbers is a float32 number."""


@pytest.mark.slow
@pytest.mark.parametrize("quantity", [ID, FD])
def test_sines_of_another_algorithm(quantity: str) -> None:
    found = explained(FLOAT32_SINES, quantity)
    assert found.sentence == SINES
    assert found.is_fault


def test_rounded_answers_of_the_same_algorithm_with_such_sines_are_predicted() -> None:
    own = Reference(Trigonometry(lambda q: (single(np.cos(q)), single(np.sin(q)))))
    found = explained(Altered((ID,), of=own, inverse_dynamics=lambda tau, *given: single(tau)))
    assert found.sentence == f"{SINES} and answers are rounded to float32"
    predicted, digits = found.observations[-2:]
    assert predicted.asked.endswith("compared with the reference with the cosines and sines measured there")
    assert predicted.seen == "within 0 ε-units"
    assert digits.seen == "answers are rounded to float32"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantity", "asked", "seen"),
    [
        (ID, "for a mechanism whose numbers have float32", "agrees"),
        ("gravity", "compared with code of which the numbers of the mechanism are rounded to float32", "within"),
    ],
)
def test_numbers_of_another_algorithm(quantity: str, asked: str, seen: str) -> None:
    """The observations say where the errors vanish."""
    found = explained(FLOAT32_NUMBERS, quantity, TURNED)
    assert found.sentence == NUMBERS
    assert asked in found.observations[-1].asked
    assert seen in found.observations[-1].seen


@pytest.mark.nightly
@pytest.mark.parametrize(
    "second",
    [
        lambda q, v, a: 1e-6 * v,
        lambda q, v, a: 1e-6 * a,
        lambda q, v, a: 1e-6 * v[:, :1] * v,
        lambda q, v, a: 1e-6 * np.cos(q),
        lambda q, v, a: 1e-3 * np.sin(2 * q),
    ],
    ids=["damping", "armature", "Coriolis", "gravity", "zero at quarter turns"],
)
@pytest.mark.parametrize(("code", "spec"), [(FLOAT32_SINES, ARM), (FLOAT32_NUMBERS, TURNED)], ids=["sines", "numbers"])
def test_a_second_fault_is_not_hidden(code: Any, spec: Any, second: Any) -> None:
    """Also where it is as small as the rounding, and where it vanishes at the angles whose sines are exact."""
    found = explain_arithmetic(trial_of(also(code, second), spec), ID, known=(SINES, NUMBERS))
    assert found is None or found.sentence not in (SINES, NUMBERS)


def test_a_representable_mechanism_is_left_as_it_is_by_rounding() -> None:
    for mechanism in (TURNED, find_mechanism("satellite")):
        arrays = representable(SINGLE.number, mechanism).arrays
        for name in ("screws", "rotations", "translations", "masses", "coms", "inertias", "gravity"):
            np.testing.assert_array_equal(getattr(arrays, name), single(getattr(arrays, name)))


# Other arithmetic


@pytest.mark.slow
def test_the_joint_of_which_numbers_are_rounded_is_named() -> None:
    def state(q: Array, *rest: Array) -> tuple[Array, ...]:
        return (np.column_stack([q[:, 0], single(q[:, 1]), q[:, 2]]), *rest)

    found = explained(around(state))
    joint = find_mechanism(ARM).bodies[1].joint.name
    assert found.sentence == f"q of {joint} is rounded to float32"
    assert found.faults[0].where == (joint,)


@pytest.mark.engines
@pytest.mark.parametrize(("count", "words"), [(3, "inputs are"), (2, "q and v are")])
def test_rounding_of_inputs_is_one_cause_and_says_which(count: int, words: str) -> None:
    code = around(lambda *given: (*map(single, given[:count]), *given[count:]))
    _, causes = diagnosed(code, "double-pendulum", quantities=(ID, M, FD, "gravity"))
    assert [cause.sentence for cause in causes] == [f"In code, {words} rounded to float32"]


def test_answers_that_are_zero_where_they_are_small() -> None:
    found = explained(around(answer=lambda x: np.where(np.abs(x) < 0.02, 0, x)))
    assert found.sentence == "answers below 0.02 are set to zero"


@pytest.mark.parametrize(("which", "words"), [(1, "the sine is computed"), (0, "the cosine is computed")])
def test_a_sine_that_is_a_root(which: int, words: str) -> None:
    def functions(q: Array) -> tuple[Array, Array]:
        pair = [np.cos(q), np.sin(q)]
        pair[which] = np.sign(pair[which]) * np.sqrt(1 - pair[1 - which] ** 2)
        return pair[0], pair[1]

    q = np.linspace(-3, 3, 40)
    assert described(functions, q, functions(q))[0].startswith(words)


@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-6])
def test_sines_that_are_nearly_right_are_no_table(size: float) -> None:
    def functions(q: Array) -> tuple[Array, Array]:
        return np.cos(q) + size * np.sin(3 * q) ** 2, np.sin(q)

    q = np.linspace(-3, 3, 40)
    assert described(functions, q, functions(q))[0] == "sines and cosines are approximate"


@pytest.mark.slow
@pytest.mark.parametrize(
    "rounded",
    [lambda q: np.remainder(q + np.pi, 2 * np.pi) - np.pi, lambda q: (q + 1.0) - 1.0],
    ids=["to one turn", "from another zero"],
)
def test_angles_that_are_rounded_once_are_right(rounded: Callable[[Array], Array]) -> None:
    """Also where an angle has many turns: no code that adds or wraps angles does better."""
    quantities = ("gravity", "placements", "inverse_dynamics", "mass_matrix", "potential_energy")

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        return {one: lambda q, *rest, one=one: getattr(right, one)(rounded(q), *rest) for one in quantities}

    results, _ = diagnosed(Code(make), "ur5", quantities=quantities)
    assert {cell.verdict for cell in results.cells} == {"agrees"}


def test_right_code_has_no_arithmetic_to_remove() -> None:
    for quantity in (ID, M, DQ):
        assert explain_arithmetic(trial_of(REFERENCE, TURNED), quantity, known=(SINES, NUMBERS)) is None


@pytest.mark.slow
def test_a_larger_mechanism_does_not_explain_what_is_left_beside_another_fault() -> None:
    """A joint that is farther along a vertical axis makes the sizes of roundings larger, and changes no acceleration."""
    armature = fault_called("armature is ignored")

    rounded = {FD: lambda a, *given: (1 + 4e-12 * np.sin(1e5 * given[0])) * a}
    trial = trial_of(Altered((M, FD), of=Mutant(armature), **rounded), "stanford-arm")
    far = [fault for fault in misreadings(trial.mechanism) if fault.name == "the origin of joint2 is a thousand times too far"]
    search = Search(Stages(trial.laboratory, trial.mechanism, [armature, *far]))
    found = search.run([Symptom(trial, M), Symptom(trial, FD)], [search.stages.from_list])
    assert not trial.explains(FD, armature)
    assert trial.explains(FD, both(armature, far[0]))
    assert {fault.name for one in found for e in one.explanations for fault in e.faults} == {armature.name}
