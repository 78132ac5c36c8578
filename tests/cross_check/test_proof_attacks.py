"""What an algorithm under proof may not do, and wrong ones by arithmetic alone. Each was called proven once, or nearly so."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cross_check.prove.proof.chances import drawn_prime
from cross_check.prove.proof.exact import on_tape
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof.statement import ProofError, Setting, Subject
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism, random_mechanism
from mechanisms.library.extended import framed
from mechanisms.quantities import QUANTITIES

MODES = pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
P = 2**61 - 1


def proofs(in_general: bool = True, spec: str = "cart-pole", **algorithms: Callable[..., Any]) -> Any:
    return prove(find_mechanism(spec), spec, in_general, algorithms=algorithms, quantities=list(algorithms)).quantities


def verdict(in_general: bool = True, spec: str = "cart-pole", **algorithms: Callable[..., Any]) -> str:
    (found,) = proofs(in_general, spec, **algorithms).values()
    return found.verdict


def gravity(model: Any, q: Any) -> Any:
    return ALGORITHMS["gravity"](model, q)


def almost_one(x: Any, one: Any) -> Any:
    """x^(p − 1) for p = 2⁶¹ − 1: one modulo p wherever x is not zero, with 61 doublings x² = 1/(1/x − 1/(x + 1)) − x."""
    power = x
    for _ in range(61):
        power = power / one
        power = 1 / (1 / power - 1 / (power + one)) - power
    return power / (x * x)


def multiple(primes: list[int], x: Any) -> Any:
    """A multiple of all ``primes`` that is a constant in disguise; x · multiple has a low degree and is zero modulo each."""
    for p in primes:
        x = (p + 1) * x - x
    return x


class Own:
    """A number class of the algorithm's own, whose arithmetic a degree would not see."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __radd__(self, other: Any) -> Any:
        return other + self.x

    def __rmul__(self, other: Any) -> Any:
        return other * self.x


class OwnFraction(Fraction):
    hidden: Any

    def __radd__(self, other: Any) -> Any:
        return other + OwnFraction.hidden


def hidden(model: Any, q: Any) -> Any:
    """Zero modulo 2⁶¹ − 1."""
    return 10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1)


def as_fraction(model: Any, q: Any) -> Any:
    OwnFraction.hidden = hidden(model, q)
    return gravity(model, q) + OwnFraction(1)


def by_positions(model: Any, q: Any) -> Any:
    """The numbers that stand for positions were hashes of residues, so that both were one."""
    one = model.field.number(1)
    power, alone = (np.array([x], dtype=object) for x in (almost_one(q[1, 0], one), one))
    return gravity(model, q) + model.field.position(power) - model.field.position(alone)


HIDDEN: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda model, q: gravity(model, q) + hidden(model, q),
    "a sum of another class": lambda model, q: gravity(model, q) + Own(hidden(model, q)),
    "a product of another class": lambda model, q: gravity(model, q) * Own(almost_one(q[1, 0], model.field.number(1))),
    "a subclass of Fraction": as_fraction,
    "a power": lambda model, q: gravity(model, q) + (q[0, 0] ** (P - 1) - 1),
    "the position of an angle": by_positions,
}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_is_zero_modulo_a_known_prime_is_refuted(how: str) -> None:
    assert verdict(gravity=HIDDEN[how]) == "refuted"


@MODES
def test_a_difference_that_is_a_multiple_of_known_primes_is_refuted(in_general: bool) -> None:
    """Primes were 2⁶¹ − 1 and 2¹²⁷ − 1, for everyone to know: an error of q times both was proven."""
    primes = [2**e - 1 for e in (61, 127, 521, 1279)]
    assert verdict(in_general, gravity=lambda model, q: gravity(model, q) + multiple(primes, q)) == "refuted"


def test_in_general_gravity_is_along_no_axis() -> None:
    in_general, given = (verdict(mode, gravity=lambda model, q: gravity(model, q) + model.gravity[3]) for mode in (True, False))
    assert (in_general, given) == ("refuted", "proven")


def without_velocities(model: Any, q: Any, v: Any, a: Any) -> Any:
    v *= 0
    return ALGORITHMS["inverse_dynamics"](model, q, v, a)


@MODES
def test_writing_into_arguments_does_not_change_the_truth(in_general: bool) -> None:
    assert verdict(in_general, inverse_dynamics=without_velocities) == "refuted"


@pytest.mark.parametrize("how", ["points", "primes"])
def test_an_algorithm_cannot_be_fitted_to_the_points_and_primes_of_its_last_proof(how: str) -> None:
    """Whoever changes the program changes the points. They were drawn from the seed and the quantity's name."""
    known: list[int] = []

    def vanishing(model: Any, q: Any) -> Any:
        """Gravity, plus a polynomial that is zero where the pole's position is one of those known, and nowhere else."""
        difference = model.field.number(1)
        for x in known:
            difference = difference * (q[1, 0] - x)
        return gravity(model, q) + difference

    for _ in range(4):
        if how == "points":
            witness = proofs(False, gravity=vanishing)["gravity"].witness
            known.append(int(witness.drawn[1]))
        else:
            witness = proofs(gravity=lambda model, q: gravity(model, q) + multiple(known, q))["gravity"].witness
            known.append(int(witness.prime))
        assert witness.round == 1
    assert len(set(known)) == 4


def test_larger_coefficients_take_larger_primes() -> None:
    """A number of n bits may be a multiple of n/e primes of e bits."""

    def height(bits: int) -> tuple[int, int]:
        found = proofs(gravity=lambda model, q: gravity(model, q) + multiple([2**bits], q) - multiple([2**bits], q))["gravity"]
        assert found.verdict == "proven"
        return found.height, found.exponents[0]

    (low, small), (high, large) = height(10), height(10**6)
    assert high - low >= 10**6 - 100
    assert large > small + 10


@pytest.mark.parametrize("bits", [61, 128])
def test_drawn_primes_have_the_bits_that_were_asked_for(bits: int) -> None:
    primes = [drawn_prime(bits, random.Random(seed)) for seed in range(8)]
    assert all(p.bit_length() == bits and pow(3, p - 1, p) == 1 for p in primes)
    assert len(set(primes)) == 8
    assert len({p >> bits - 8 for p in primes}) > 3, "the leading bits are drawn, too"


@pytest.mark.parametrize("constant", [Fraction(5, 3 * P**2), Fraction(P, 2), Fraction(1, 2**127 - 1)])
def test_constants_may_be_multiples_of_any_prime(constant: Fraction) -> None:
    def right(model: Any, q: Any) -> Any:
        return gravity(model, q) * (q[0] + constant) / (q[0] + model.field.number(constant)) / constant * constant

    assert verdict(gravity=right) == "proven"
    assert verdict(gravity=lambda model, q: gravity(model, q) + constant) == "refuted"


def zero(q: Any) -> Any:
    """The function zero, which no simplification sees."""
    return (q[0] + 1) * (q[0] - 1) - q[0] * q[0] + 1


NOWHERE: dict[str, Callable[[Any, Any], Any]] = {
    "1 / 0": lambda g, q: g + 1 / zero(q),
    "0 / 0": lambda g, q: g + 0 / zero(q),
    "0 · (1 / 0)": lambda g, q: g + 0 * (1 / zero(q)),
    "1/0 − 1/0": lambda g, q: g + 1 / zero(q) - 1 / zero(q),
    "0/0 · 0": lambda g, q: g + zero(q) / zero(q) * 0,
    "(x − x)/(x − x)": lambda g, q: g + (q[0] - q[0]) / (q[0] - q[0]),
    "not used": lambda g, q: (1 / zero(q), g)[1],
    "0 / 0 not used": lambda g, q: (0 / zero(q), g)[1],
}


@MODES
@pytest.mark.parametrize("how", NOWHERE)
def test_what_has_no_value_anywhere_is_refuted_whatever_it_is_multiplied_by(how: str, in_general: bool) -> None:
    others = {name: ALGORITHMS[name] for name in ("potential_energy", "mass_matrix")}
    found = proofs(in_general, gravity=lambda model, q: NOWHERE[how](gravity(model, q), q), **others)
    assert found["gravity"].witness.got == "division by zero"
    assert {name: proof.verdict for name, proof in found.items() if name in others} == dict.fromkeys(others, "proven")


def test_an_algorithm_that_writes_into_its_model_does_not_change_other_proofs() -> None:
    def without_weight(model: Any, *state: Any) -> Any:
        model.gravity[...] = model.gravity * 0
        return ALGORITHMS["inverse_dynamics"](model, *state)

    # Inverse dynamics is proven first.
    found = proofs(inverse_dynamics=without_weight, gravity=ALGORITHMS["gravity"])
    verdicts = [(name, proof.verdict) for name, proof in found.items()]
    assert verdicts == [("inverse_dynamics", "refuted"), ("gravity", "proven")]


def test_the_reference_writes_into_no_model() -> None:
    """Its algorithms share one when they are proven."""
    field = on_tape()
    mechanism = framed(random_mechanism(3, 3, ("helical", "universal", "free")))
    setting = Setting(Subject(mechanism, build, True), field, field.tape.input)
    model = setting.model("gravity", ALGORITHMS["gravity"])
    before = written(model)
    for name, algorithm in ALGORITHMS.items():
        state = setting.state(name)
        algorithm(setting.model(name, algorithm), *(np.moveaxis(state[x].copy(), 0, -1) for x in QUANTITIES[name].arguments))
    assert written(model) == before
    model.links[0].XT.E[0, 0] = field.tape.one
    assert written(model) != before


def written(model: Any) -> int:
    """A hash of all numbers of a model, each by its address."""
    with np.printoptions(threshold=sys.maxsize):
        return hash(repr([getattr(model, part.name) for part in fields(model) if part.name != "field"]))


def _as_zero(x: Any) -> None:
    x.n = 0


def _as_no_number(x: Any) -> None:
    del x.n


def _as_zero_by_force(x: Any) -> None:
    object.__setattr__(x, "n", 0)


@pytest.mark.parametrize("change", [_as_zero, _as_no_number, _as_zero_by_force])
def test_numbers_cannot_be_changed(change: Callable[[Any], None]) -> None:
    """The truth shares them: with every velocity made zero, the kinetic energy zero was proven."""

    def still(model: Any, q: Any, v: Any) -> Any:
        for x in v.flat:
            change(x)
        return v[0] * 0

    with pytest.raises(ProofError, match="kinetic_energy cannot be proven: the algorithm writes into a number"):
        verdict(kinetic_energy=still)


COMPARES, COMPUTES = "(compares|rounds or converts) numbers that are drawn", "which is no number of the field"
DIVIDES, MORE = "divides by the function zero", "does more with its numbers than"

CAUGHT: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "==": (lambda model, x: x[0, 0] == 0, COMPARES),
    "!=": (lambda model, x: x[0, 0] != 0, COMPARES),
    "<": (lambda model, x: x[0, 0] < 1, COMPARES),
    "<=": (lambda model, x: x[0, 0] <= 1, COMPARES),
    ">": (lambda model, x: x[0, 0] > x[0, 0], COMPARES),
    ">=": (lambda model, x: x[0, 0] >= 1, COMPARES),
    "if": (lambda model, x: 1 if x[0, 0] else 0, COMPARES),
    "hash": (lambda model, x: {x[0, 0]: 1}, COMPARES),
    "where": (lambda model, x: np.where(x == 0, 1, 0), COMPARES),
    "sign": (lambda model, x: np.sign(x), COMPARES),
    "abs": (lambda model, x: abs(x[0, 0]), COMPARES),
    "float": (lambda model, x: float(x[0, 0]), COMPARES),
    "array of floats": (lambda model, x: x.astype(float), COMPARES),
    "complex": (lambda model, x: complex(x[0, 0]), COMPARES),
    "int": (lambda model, x: int(x[0, 0]), COMPARES),
    "index": (lambda model, x: range(5)[x[0, 0]], COMPARES),
    "round": (lambda model, x: round(x[0, 0]), COMPARES),
    "floor": (lambda model, x: math.floor(x[0, 0]), COMPARES),
    "ceil": (lambda model, x: math.ceil(x[0, 0]), COMPARES),
    "trunc": (lambda model, x: math.trunc(x[0, 0]), COMPARES),
    "//": (lambda model, x: x // 1, COMPARES),
    "1 //": (lambda model, x: 1 // x, COMPARES),
    "%": (lambda model, x: x % 2, COMPARES),
    "2 %": (lambda model, x: 2 % x, COMPARES),
    "divmod": (lambda model, x: divmod(x[0, 0], 2), COMPARES),
    "times a float": (lambda model, x: 1.5 * x, COMPUTES),
    "plus a float": (lambda model, x: x[0, 0] + 1.5, COMPUTES),
    "minus a float of NumPy": (lambda model, x: x - np.float32(1.5), COMPUTES),
    "a float minus": (lambda model, x: 0.5 - x[0, 0], COMPUTES),
    "over a float": (lambda model, x: x[0, 0] / 1.5, COMPUTES),
    "a float over": (lambda model, x: 1.5 / x, COMPUTES),
    "times a decimal": (lambda model, x: x[0, 0] * Decimal(2), COMPUTES),
    "square root as a power": (lambda model, x: x**0.5, COMPUTES),
    "square root": (lambda model, x: np.sqrt(x), MORE),
    "cosine": (lambda model, x: np.cos(x), MORE),
    "1/0": (lambda model, x: 1 / (0 * x), DIVIDES),
    "angle of a computed number": (lambda model, x: model.field.angle(2 * x), "takes the angle of a computed number"),
    "a power that is too large": (lambda model, x: x**2**40000, "a power that is too large"),
    "a negative power": (lambda model, x: x ** -(2**40000), "a power that is too large"),
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

    with pytest.raises(ProofError, match=f"^gravity cannot be proven: .*{said}"):
        verdict(gravity=wrong)
    assert verdict(gravity=gravity) == "proven", "the next proof does not suffer"


class Absorbing:
    """A number of the algorithm's own, whose sums and products are zero."""

    def __add__(self, other: Any) -> int:
        return 0

    __radd__ = __mul__ = __rmul__ = __add__


def _of_its_own(model: Any, q: Any) -> Any:
    answer = np.empty((model.nv, 1), object)
    answer.fill(Absorbing())
    return answer


ANSWERS: dict[str, tuple[Callable[..., Any], str]] = {
    "a comparison": (lambda model, q: abs(q), "compares numbers that are drawn; a proof holds only for algorithms that"),
    "not a number": (lambda model, q: np.isnan(q), "does more with its numbers than"),
    "division by zero": (lambda model, q: gravity(model, q) / (0 * q), DIVIDES),
    "a masked array": (lambda model, q: np.ma.masked_array(gravity(model, q), mask=True), "returns a MaskedArray, not an array"),
    "elements of its own": (_of_its_own, "computes with a Absorbing, which is no number of the field"),
    "a list": (lambda model, q: gravity(model, q).tolist(), "returns a list, not an array of NumPy"),
    "arrays in an array": (
        lambda model, q: np.frompyfunc(lambda x: np.array(x, object), 1, 1)(gravity(model, q)),
        "computes with a ndarray, which is no number of the field",
    ),
    "nothing": (lambda model, q: None, "returns a NoneType, not an array of NumPy"),
    "times": (lambda model, q: np.zeros((model.nv, 1), "m8[s]"), "computes with a .*, which is no number"),
    "a row": (lambda model, q: gravity(model, q).T, r"returns an array of the shape \(1, 2\), but an answer for one"),
    "floats": (lambda model, q: np.zeros((model.nv, 1)), "computes with a float, which is no number of the field"),
}


@MODES
@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_is_an_array_of_numbers(what: str, in_general: bool) -> None:
    algorithm, said = ANSWERS[what]
    with pytest.raises(ProofError, match=f"^gravity cannot be proven: (the algorithm|it) {said}"):
        verdict(in_general, gravity=algorithm)


def test_whole_numbers_are_an_answer() -> None:
    assert verdict(coriolis_matrix=lambda model, q, v: np.ones((model.nv, model.nv, 1), bool)) == "refuted"
    zeros = verdict(spec="pendulum", coriolis_matrix=lambda model, q, v: np.zeros((model.nv, model.nv, 1), np.int8))
    assert zeros == "proven", "the velocities of a pendulum have no effect"


def test_exact_constants_of_every_class_and_powers_are_arithmetic() -> None:
    def right(model: Any, q: Any) -> Any:
        g = gravity(model, q)
        for x in (2, Fraction(2, 3), np.int8(3), np.uint64(7), True):
            g = (x * (g * x + x - x + q - q) / x) / x
        return g ** np.int64(1) * (1 + q[0] ** 2) / (1 + np.power(q[0], 2))

    assert verdict(gravity=right) == "proven"


AGAIN: dict[str, Callable[[Any, Any, Any, bool], Any]] = {
    "the answer is kept": lambda kept, model, q, is_first: kept[0],
    "the model is kept": lambda kept, model, q, is_first: gravity(kept[1], q),
    "the state is kept": lambda kept, model, q, is_first: gravity(model, kept[2]),
    "right at its first call only": lambda kept, model, q, is_first: gravity(model, q) * (1 if is_first else 7),
    # The answer is the same, and so is its value, but one of the two programs has an instruction that the other lacks.
    "counts its operations": lambda kept, model, q, is_first: gravity(model, q) + 0 * (q[0] * q[0] if is_first else q[0]),
    # It was recorded again without the other claims, so that the second call was proven.
    "divides by zero once": lambda kept, model, q, is_first: gravity(model, q) * (1 + (1 / zero(q) if is_first else 0 * q)),
}


@pytest.mark.parametrize("what", AGAIN)
def test_an_algorithm_that_does_something_else_when_it_is_called_again_is_refused(what: str) -> None:
    """Both calls had the same numbers. What was computed for the first state, and returned for every other one, was proven."""
    kept: list[Any] = []

    def wrong(model: Any, q: Any) -> Any:
        is_first = not kept
        kept[:] = kept or [gravity(model, q), model, q]
        return AGAIN[what](kept, model, q, is_first)

    with pytest.raises(ProofError, match=r"computes with a number of another proof|has another answer when it is called again"):
        proofs(gravity=wrong, potential_energy=ALGORITHMS["potential_energy"])


def test_an_algorithm_gets_no_numbers_from_another_one() -> None:
    """The acceleration that inverse dynamics was given was proven to be the forward dynamics."""
    kept: list[Any] = []

    def inverse(model: Any, q: Any, v: Any, a: Any) -> Any:
        kept[:] = [a]
        return ALGORITHMS["inverse_dynamics"](model, q, v, a)

    with pytest.raises(ProofError, match=r"forward_dynamics cannot be proven: .* a number of another proof"):
        proofs(inverse_dynamics=inverse, forward_dynamics=lambda model, q, v, tau: kept[0])


def test_a_proof_inside_an_algorithm_forgets_nothing() -> None:
    def wrong(model: Any, q: Any) -> Any:
        try:
            small = bool(q[0, 0] < 1)
        except TypeError:
            small = verdict(gravity=gravity) == "refuted"
        return gravity(model, q) * (7 if small else 1)

    with pytest.raises(ProofError, match="compares numbers that are drawn"):
        verdict(gravity=wrong)
