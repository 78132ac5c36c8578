"""What an algorithm under proof may not do. Each of these was called proven once, or nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cross_check.proof.prove import prove
from cross_check.proof.statement import ProofError
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


@pytest.mark.parametrize("change", [_as_zero, _as_no_number])
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
