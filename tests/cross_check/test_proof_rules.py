"""What an algorithm under proof may not do. Each of these was called proven once, or nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cross_check.prove.proof.prove import prove
from cross_check.prove.proof.statement import ProofError
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism


def verdict(algorithms: dict[str, Callable[..., Any]], spec: str = "cart-pole", in_general: bool = True) -> str:
    certificate = prove(find_mechanism(spec), spec, in_general, algorithms=algorithms, quantities=list(algorithms))
    return certificate.verdict


def gravity(model: Any, q: Any) -> Any:
    return ALGORITHMS["gravity"](model, q)


def _as_zero(x: Any) -> None:
    x.n = 0


def _as_no_number(x: Any) -> None:
    del x.n


def _as_zero_by_force(x: Any) -> None:
    object.__setattr__(x, "n", 0)


@pytest.mark.parametrize("change", [_as_zero, _as_no_number, _as_zero_by_force])
@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
def test_numbers_cannot_be_changed(change: Callable[[Any], None], in_general: bool) -> None:
    """The truth shares them: with every velocity made zero, the kinetic energy zero was proven."""

    def still(model: Any, q: Any, v: Any) -> Any:
        for x in v.flat:
            change(x)
        return v[0] * 0

    with pytest.raises(ProofError, match="kinetic_energy cannot be proven: the algorithm writes into a number"):
        verdict({"kinetic_energy": still}, in_general=in_general)


COMPARES, COMPUTES = "(compares|rounds or converts) numbers that are drawn", "which is no number of the field"
DIVIDES, MORE = "divides by the function zero", "does more with its numbers than"

CAUGHT: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "abs": (lambda model, x: abs(x[0, 0]) < 1, COMPARES),
    "array of abs": (lambda model, x: np.abs(x) < 1, COMPARES),
    "float": (lambda model, x: float(x[0, 0]) < 0, COMPARES),
    "array of floats": (lambda model, x: x.astype(float) < 0, COMPARES),
    "complex": (lambda model, x: complex(x[0, 0]), COMPARES),
    "int": (lambda model, x: int(x[0, 0]) < 0, COMPARES),
    "index": (lambda model, x: range(5)[x[0, 0]], COMPARES),
    "round": (lambda model, x: round(x[0, 0]) == 0, COMPARES),
    "floor": (lambda model, x: math.floor(x[0, 0]), COMPARES),
    "ceil": (lambda model, x: math.ceil(x[0, 0]), COMPARES),
    "trunc": (lambda model, x: math.trunc(x[0, 0]), COMPARES),
    "//": (lambda model, x: x // 1, COMPARES),
    "1 //": (lambda model, x: 1 // x, COMPARES),
    "%": (lambda model, x: x % 2, COMPARES),
    "2 %": (lambda model, x: 2 % x, COMPARES),
    "divmod": (lambda model, x: divmod(x[0, 0], 2), COMPARES),
    "isclose of math": (lambda model, x: math.isclose(x[0, 0], 0), COMPARES),
    "times a float": (lambda model, x: 1.5 * x, COMPUTES),
    "plus a float": (lambda model, x: x[0, 0] + 1.5, COMPUTES),
    "minus a float of NumPy": (lambda model, x: x - np.float32(1.5), COMPUTES),
    "a float minus": (lambda model, x: 0.5 - x[0, 0], COMPUTES),
    "over a float": (lambda model, x: x[0, 0] / 1.5, COMPUTES),
    "a float over": (lambda model, x: 1.5 / x, COMPUTES),
    "times a decimal": (lambda model, x: x[0, 0] * Decimal(2), COMPUTES),
    "square root as a power": (lambda model, x: x**0.5, COMPUTES),
    "square root": (lambda model, x: np.sqrt(x), MORE),
    "norm": (lambda model, x: np.linalg.norm(x) < 1, MORE),
    "cosine": (lambda model, x: np.cos(x), MORE),
    "1/0": (lambda model, x: 1 / (0 * x), DIVIDES),
    "angle of a computed number": (lambda model, x: model.field.angle(2 * x), "takes the angle of a computed number"),
    "a power that is too large": (lambda model, x: x**2**40000, "a power that is too large"),
}


@pytest.mark.parametrize("what", CAUGHT)
def test_what_breaks_a_rule_counts_even_if_the_error_is_caught(what: str) -> None:
    """In float64 there is no error: the algorithm would be another one, and this one was proven."""
    breaks, said = CAUGHT[what]

    def wrong(model: Any, q: Any) -> Any:
        try:
            breaks(model, q)
        except (TypeError, ZeroDivisionError):
            return gravity(model, q)
        return 0 * q

    with pytest.raises(ProofError, match=f"gravity cannot be proven: .*{said}"):
        verdict({"gravity": wrong})
    assert verdict({"gravity": gravity}) == "proven", "the next proof does not suffer"


def test_a_proof_inside_an_algorithm_forgets_nothing() -> None:
    def wrong(model: Any, q: Any) -> Any:
        try:
            small = bool(q[0, 0] < 1)
        except TypeError:
            small = verdict({"gravity": gravity}) == "refuted"
        return gravity(model, q) * (7 if small else 1)

    with pytest.raises(ProofError, match="compares numbers that are drawn"):
        verdict({"gravity": wrong})


def test_exact_constants_of_every_class_are_arithmetic() -> None:
    def right(model: Any, q: Any) -> Any:
        g = gravity(model, q)
        for x in (2, Fraction(2, 3), np.int8(3), np.uint64(7), True):
            g = (x * (g * x + x - x + q - q) / x) / x
        return g ** np.int64(1)

    assert verdict({"gravity": right}) == "proven"


def test_an_algorithm_gets_no_numbers_from_another_one() -> None:
    """The acceleration that inverse dynamics was given was proven to be the forward dynamics."""
    kept: list[Any] = []

    def inverse(model: Any, q: Any, v: Any, a: Any) -> Any:
        kept[:] = [a]
        return ALGORITHMS["inverse_dynamics"](model, q, v, a)

    with pytest.raises(ProofError, match=r"forward_dynamics cannot be proven: .* a number of another proof"):
        verdict({"inverse_dynamics": inverse, "forward_dynamics": lambda model, q, v, tau: kept[0]})


def test_an_algorithm_that_is_right_at_its_first_call_only_is_refused() -> None:
    calls: list[int] = []

    def wrong(model: Any, q: Any) -> Any:
        calls.append(1)
        return gravity(model, q) * (1 if len(calls) == 1 else 7)

    with pytest.raises(ProofError, match="gravity cannot be proven: the algorithm has another answer when it is called again"):
        verdict({"gravity": wrong})


@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
@pytest.mark.parametrize("kept", ["the answer", "the state", "the model"])
def test_an_algorithm_that_keeps_its_first_state_is_refused(kept: str, in_general: bool) -> None:
    """Both calls had the same numbers. What was computed for the first state, and returned for every other one, was proven."""
    first: list[Any] = []

    def wrong(model: Any, q: Any) -> Any:
        first[:] = first or [{"the answer": gravity(model, q), "the state": q, "the model": model}[kept]]
        if kept == "the answer":
            return first[0]
        return gravity(model, first[0]) if kept == "the state" else gravity(first[0], q)

    with pytest.raises(ProofError, match=r"computes with a number of another proof|has another answer when it is called again"):
        verdict({"gravity": wrong}, in_general=in_general)


def test_an_algorithm_that_counts_its_operations_is_refused() -> None:
    """The answer is the same, and so is its value, but one of the two programs has an instruction that the other lacks."""
    calls: list[int] = []

    def wrong(model: Any, q: Any) -> Any:
        calls.append(1)
        return gravity(model, q) + 0 * (q[0] * q[0] if len(calls) == 1 else q[0])

    with pytest.raises(ProofError, match="has another answer when it is called again"):
        verdict({"gravity": wrong})


def test_a_division_by_zero_in_the_first_call_is_not_forgotten() -> None:
    """A claim that divided by zero was recorded again without the others, so that the second call was proven."""
    calls: list[int] = []

    def wrong(model: Any, q: Any) -> Any:
        calls.append(1)
        zero = (q + 1) * (q - 1) - q * q + 1
        return gravity(model, q) * (1 + (1 / zero if len(calls) == 1 else 0 * q))

    with pytest.raises(ProofError, match="has another answer when it is called again"):
        verdict({"gravity": wrong, "potential_energy": ALGORITHMS["potential_energy"]})


class Absorbing:
    """A number of the algorithm's own, whose sums and products are zero."""

    def __add__(self, other: Any) -> int:
        return 0

    __radd__ = __mul__ = __rmul__ = __add__


def _absorbing(model: Any, q: Any, v: Any) -> Any:
    answer = np.empty((model.nv, model.nv, 1), object)
    answer.fill(Absorbing())
    return answer


ANSWERS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "a masked array": (
        "forward_dynamics_dtau",
        lambda model, q: np.ma.masked_array(ALGORITHMS["forward_dynamics_dtau"](model, q), mask=True),
        "returns a MaskedArray, not an array of NumPy",
    ),
    "elements of its own": ("coriolis_matrix", _absorbing, "computes with a Absorbing, which is no number of the field"),
    "a list": ("gravity", lambda model, q: gravity(model, q).tolist(), "returns a list, not an array of NumPy"),
    "arrays in an array": (
        "gravity",
        lambda model, q: np.frompyfunc(lambda x: np.array(x, object), 1, 1)(gravity(model, q)),
        "computes with a ndarray, which is no number of the field",
    ),
    "nothing": ("gravity", lambda model, q: None, "returns a NoneType, not an array of NumPy"),
    "times": ("gravity", lambda model, q: np.zeros((model.nv, 1), "m8[s]"), "computes with a .*, which is no number"),
    "floats": ("gravity", lambda model, q: np.zeros((model.nv, 1)), "computes with a float, which is no number of the field"),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_is_an_array_of_numbers(what: str) -> None:
    quantity, algorithm, said = ANSWERS[what]
    with pytest.raises(ProofError, match=f"{quantity} cannot be proven: the algorithm {said}"):
        verdict({quantity: algorithm})


def test_whole_numbers_are_an_answer() -> None:
    ones = verdict({"coriolis_matrix": lambda model, q, v: np.ones((model.nv, model.nv, 1), bool)})
    assert ones == "refuted"
    zeros = verdict({"coriolis_matrix": lambda model, q, v: np.zeros((model.nv, model.nv, 1), np.int8)}, "pendulum")
    assert zeros == "proven", "the velocities of a pendulum have no effect"
