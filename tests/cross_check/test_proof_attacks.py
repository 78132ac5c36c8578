"""Wrong algorithms that use their numbers only through arithmetic, and that were called proven: none is any more."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cross_check.prove.proof import rounds
from cross_check.prove.proof.chances import Chance, drawn_prime
from cross_check.prove.proof.exact import on_tape, residues
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof.rounds import Recording
from cross_check.prove.proof.scalars import Number
from cross_check.prove.proof.statement import ProofError, Setting, Statement, Subject
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism, random_mechanism
from mechanisms.extended import framed
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES


def verdict(quantity: str, algorithm: Callable[..., Any], spec: str = "cart-pole", in_general: bool = True) -> str:
    certificate = prove(find_mechanism(spec), spec, in_general, algorithms={quantity: algorithm}, quantities=[quantity])
    return certificate.verdict


def almost_one(x: Any, one: Any) -> Any:
    """x^(p − 1) for p = 2⁶¹ − 1: one wherever x is not zero, with 61 doublings."""
    power = x
    for _ in range(61):
        power = power / one
        power = 1 / (1 / power - 1 / (power + one)) - power
    return power / (x * x)


@pytest.mark.parametrize("in_general", [True, False])
def test_writing_into_arguments_does_not_change_the_truth(in_general: bool) -> None:
    def nothing_moves(model: Any, q: Any, v: Any) -> Any:
        v *= 0
        return v[0]

    def without_velocities(model: Any, q: Any, v: Any, a: Any) -> Any:
        v *= 0
        return ALGORITHMS["inverse_dynamics"](model, q, v, a)

    assert verdict("kinetic_energy", nothing_moves, in_general=in_general) == "refuted"
    assert verdict("inverse_dynamics", without_velocities, in_general=in_general) == "refuted"


class Own:
    """A number class of the algorithm's own, whose arithmetic a degree would not see."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __radd__(self, other: Any) -> Any:
        return other + self.x

    def __rmul__(self, other: Any) -> Any:
        return other * self.x


class OwnFraction(Fraction):
    def __radd__(self, other: Any) -> Any:
        return other + OwnFraction.hidden  # type: ignore[attr-defined]


def test_arithmetic_of_other_classes_counts() -> None:
    def added(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + Own(10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1))

    def multiplied(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) * Own(almost_one(q[1, 0], model.field.number(1)))

    def as_fraction(model: Any, q: Any) -> Any:
        OwnFraction.hidden = 10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1)  # type: ignore[attr-defined]
        return ALGORITHMS["gravity"](model, q) + OwnFraction(1)

    for wrong in (added, multiplied, as_fraction):
        assert verdict("gravity", wrong) == "refuted", wrong.__name__


def test_an_angle_is_that_of_a_position() -> None:
    """The number that stands for an angle is a hash of its argument, which has no degree."""

    def wrong(model: Any, q: Any) -> Any:
        one = model.field.number(1)
        power = np.array([almost_one(q[1, 0], one)], dtype=object)
        hidden = model.field.angle(power) - model.field.angle(np.array([one], dtype=object))
        return ALGORITHMS["gravity"](model, q) + 10**6 * hidden

    def right_but_unknowable(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + model.field.angle(q[1]) + model.field.angle(-q[1])

    for algorithm in (wrong, right_but_unknowable):
        with pytest.raises(ProofError, match="takes the angle of a computed number"):
            verdict("gravity", algorithm)


def test_powers_are_arithmetic() -> None:
    def right(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) * (1 + q[0] ** 2) / (1 + np.power(q[0], 2))

    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + (q[0, 0] ** (2**61 - 2) - 1)

    assert verdict("gravity", right) == "proven"
    assert verdict("gravity", wrong) == "refuted"


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        (lambda model, q: ALGORITHMS["gravity"](model, q) / (0 * q), "divides by the function zero"),
        (lambda model, q: 0.5 * ALGORITHMS["gravity"](model, q), "computes with a float, which is no number of the field"),
        (lambda model, q: abs(q), "compares numbers that are drawn"),
        (lambda model, q: np.isnan(q), "does more with its numbers than"),
        (lambda model, q: q**2**40000, "takes a power that is too large for a proof"),
        (lambda model, q: q ** -(2**40000), "takes a power that is too large for a proof"),
        (lambda model, q: q ** (2**30000), "a degree of about 2.* is too large for a proof"),
        (lambda model, q: np.zeros((2, 1)), "computes with a float, which is no number of the field"),
    ],
)
def test_what_is_no_arithmetic_is_refused_in_a_sentence(algorithm: Any, said: str) -> None:
    with pytest.raises(ProofError, match=said):
        verdict("gravity", algorithm)


@pytest.mark.parametrize("modular", [True, False])
def test_a_degree_beyond_all_primes_is_refused(modular: bool) -> None:
    with pytest.raises(ProofError, match="too large for a proof"):
        Chance(2**30000, 0, modular).rounds()


def vanishing(points: list[int]) -> Callable[..., Any]:
    """Gravity, plus a polynomial that is zero where the pole's position is one of ``points``, and nowhere else."""

    def wrong(model: Any, q: Any) -> Any:
        difference = model.field.number(1)
        for x in points:
            difference = difference * (q[1, 0] - x)
        return ALGORITHMS["gravity"](model, q) + difference

    return wrong


def spied(draw: Callable[[], Any]) -> Any:
    """The pole's position at a point that ``draw`` gives."""
    seen: list[Any] = []

    def spy(model: Any, q: Any) -> Any:
        seen.append(q[1, 0])
        return ALGORITHMS["gravity"](model, q)

    Statement(Subject(find_mechanism("cart-pole"), build, True), "gravity", spy).sides(FIELD, draw)
    return seen[0]


FIELD = residues(2**61 - 1)


def test_an_algorithm_that_is_right_at_the_points_of_a_public_seed_is_refuted() -> None:
    """Points were drawn from the seed and the quantity's name, so that anybody could compute them, and this one was proven."""
    rng = random.Random("0 gravity")
    wrong = vanishing([int(spied(lambda: FIELD.element(rng.randrange(2**61 - 1)))) for _ in range(3)])
    rng = random.Random("0 gravity")
    for _ in range(3):
        statement = Statement(Subject(find_mechanism("cart-pole"), build, True), "gravity", wrong)
        got, expected = statement.sides(FIELD, lambda: FIELD.element(rng.randrange(2**61 - 1)))
        assert got == expected
    assert verdict("gravity", wrong) == "refuted"


def test_an_algorithm_cannot_be_fitted_to_the_points_of_its_last_proof() -> None:
    """Whoever changes the program changes the points."""
    count = iter(range(1000))
    index, points = int(spied(lambda: FIELD.element(next(count)))), list[int]()
    for _ in range(4):
        certificate = prove(find_mechanism("cart-pole"), "it", algorithms={"gravity": vanishing(points)})
        witness = certificate.quantities["gravity"].witness
        assert witness.round == 1
        points.append(int(witness.drawn[index]))
    assert len(set(points)) == 4


def test_the_position_of_an_angle_is_no_hash_of_its_residue() -> None:
    """x^(p − 1) and 1 have the same residue wherever x is not zero: their positions had the same number, and this was proven."""

    def wrong(model: Any, q: Any) -> Any:
        one = model.field.number(1)
        power = np.array([almost_one(q[1, 0], one)], dtype=object)
        return ALGORITHMS["gravity"](model, q) + model.field.position(power) - model.field.position(np.array([one], dtype=object))

    assert verdict("gravity", wrong) == "refuted"


P = 2**61 - 1


def test_a_prime_that_nobody_knows_decides_where_a_known_one_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: bounds that are far too small. Modulo 2⁶¹ − 1 the difference is zero everywhere."""

    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + 10**6 * (almost_one(q[1, 0], model.field.number(1)) - 1)

    monkeypatch.setattr(Recording, "degree", lambda recording, claim: 25)
    assert verdict("gravity", wrong) == "refuted"
    monkeypatch.setattr(rounds, "drawn_prime", lambda bits, rng: P)
    assert verdict("gravity", wrong) == "proven", "what drawn primes are for"


def multiple(primes: list[int], x: Any) -> Any:
    """A multiple of all ``primes`` that is a constant in disguise; x · multiple has a low degree and is zero modulo each."""
    for p in primes:
        x = (p + 1) * x - x
    return x


@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
def test_a_difference_that_is_a_multiple_of_known_primes_is_refuted(in_general: bool) -> None:
    """Primes were 2⁶¹ − 1 and 2¹²⁷ − 1, for everyone to know: an error of q times both was proven."""

    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + multiple([2**e - 1 for e in (61, 127, 521, 1279)], q)

    assert verdict("gravity", wrong, in_general=in_general) == "refuted"


def test_an_algorithm_cannot_be_fitted_to_the_primes_of_its_last_proof() -> None:
    primes: list[int] = []
    for _ in range(4):
        algorithm = lambda model, q: ALGORITHMS["gravity"](model, q) + multiple(primes, q)  # noqa: E731
        witness = prove(find_mechanism("cart-pole"), "it", algorithms={"gravity": algorithm}).quantities["gravity"].witness
        primes.append(int(witness.prime))
    assert len(set(primes)) == 4


def test_larger_coefficients_take_larger_primes() -> None:
    """A number of n bits may be a multiple of n/e primes of e bits."""

    def height(bits: int) -> tuple[int, int]:
        algorithm = lambda model, q: gravity(model, q) + multiple([2**bits], q) - multiple([2**bits], q)  # noqa: E731
        found = prove(find_mechanism("cart-pole"), "it", algorithms={"gravity": algorithm}).quantities["gravity"]
        assert found.verdict == "proven"
        return found.height, found.exponents[0]

    gravity = ALGORITHMS["gravity"]
    (low, small), (high, large) = height(10), height(10**6)
    assert high - low >= 10**6 - 100
    assert large > small + 10


@pytest.mark.parametrize("bits", [61, 110, 128, 300])
def test_drawn_primes_have_the_bits_that_were_asked_for(bits: int) -> None:
    primes = [drawn_prime(bits, random.Random(seed)) for seed in range(8)]
    assert all(p.bit_length() == bits and pow(3, p - 1, p) == 1 for p in primes)
    assert len(set(primes)) == 8
    assert len({p >> bits - 8 for p in primes}) > 3, "the leading bits are drawn, too"


@pytest.mark.parametrize("constant", [Fraction(1, P), Fraction(5, 3 * P**2), Fraction(P, 2), -2 * P, Fraction(1, 2**127 - 1)])
def test_constants_may_be_multiples_of_any_prime(constant: Fraction) -> None:
    def right(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) * (q[0] + constant) / (q[0] + model.field.number(constant)) / constant * constant

    def wrong(model: Any, q: Any) -> Any:
        return ALGORITHMS["gravity"](model, q) + constant

    assert verdict("gravity", right) == "proven"
    assert verdict("gravity", wrong) == "refuted"


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


@pytest.mark.parametrize("in_general", [True, False])
@pytest.mark.parametrize("how", NOWHERE)
def test_what_has_no_value_anywhere_is_refuted_whatever_it_is_multiplied_by(how: str, in_general: bool) -> None:
    def wrong(model: Any, q: Any) -> Any:
        return NOWHERE[how](ALGORITHMS["gravity"](model, q), q)

    mechanism, algorithms = find_mechanism("cart-pole"), ALGORITHMS | {"gravity": wrong}
    certificate = prove(mechanism, "it", in_general, algorithms=algorithms)
    assert certificate.quantities["gravity"].witness.got == "division by zero"
    assert {name for name, found in certificate.quantities.items() if found.witness} == {"gravity"}


def test_an_algorithm_that_writes_into_its_model_does_not_change_other_proofs() -> None:
    def without_weight(model: Any, *state: Any) -> Any:
        model.gravity[...] = model.gravity * 0
        return ALGORITHMS["inverse_dynamics"](model, *state)

    # Inverse dynamics is proven first.
    algorithms = ALGORITHMS | {"inverse_dynamics": without_weight}
    certificate = prove(find_mechanism("cart-pole"), "it", algorithms=algorithms, quantities=("inverse_dynamics", "gravity"))
    verdicts = [(name, found.verdict) for name, found in certificate.quantities.items()]
    assert verdicts == [("inverse_dynamics", "refuted"), ("gravity", "proven")]


def test_the_reference_writes_into_no_model() -> None:
    """Its algorithms share one when they are proven."""
    mechanism = framed(random_mechanism(3, 8, MOVING))
    field = on_tape()
    setting = Setting(Subject(mechanism, build, True), field, field.tape.input)
    before = written(setting.model("gravity", ALGORITHMS["gravity"]))
    other = build(setting.mechanism, field)
    assert written(other) == before
    other.links[0].XT.E[0, 0] = field.tape.one
    assert written(other) != before
    for name, algorithm in ALGORITHMS.items():
        state = setting.state(name)
        algorithm(setting.model(name, algorithm), *(np.moveaxis(state[x].copy(), 0, -1) for x in QUANTITIES[name].arguments))
    assert written(setting.model("gravity", ALGORITHMS["gravity"])) == before


def written(x: Any) -> str:
    """All numbers of a model, as text."""
    if isinstance(x, Number):
        return str(x.n)
    if isinstance(x, np.ndarray):
        return f"{x.shape} {' '.join(map(written, x.flat))}"
    if is_dataclass(x) and not isinstance(x, type):
        return written([getattr(x, part.name) for part in fields(x)])
    if isinstance(x, (list, tuple)):
        return " ".join(map(written, x))
    return repr(x) if isinstance(x, (int, str, slice, Fraction)) else type(x).__name__
