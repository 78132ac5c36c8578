"""The catalogue: complete, proven, refuted where it has to be, and broken by every fault in what it exercises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from cross_check.prove.catalogue.contents import CATALOGUE, CHAPTERS, CatalogueError, prove_catalogue, select
from cross_check.prove.catalogue.identity import Chapter, Identity
from cross_check.prove.catalogue.notation import one, pose, skew, vector
from cross_check.prove.catalogue.point import Point
from cross_check.prove.catalogue.series import Series, constant, now, rate
from cross_check.prove.catalogue.texts import text_003_01_rotations, text_003_22_arms
from cross_check.prove.proof.chances import GOAL
from cross_check.prove.proof.exact import RATIONALS
from cross_check.prove.proof.statement import ProofError

IDENTITIES = [entry for entry in CATALOGUE if isinstance(entry, Identity)]


@pytest.fixture(scope="module")
def entries() -> dict[str, Any]:
    return {entry.id: entry for entry in prove_catalogue(CATALOGUE).entries}


@pytest.mark.slow
def test_every_entry_comes_out_as_stated(entries: dict[str, Any]) -> None:
    """What is right stands beside every slip."""
    assert [name for name, entry in entries.items() if not entry.as_stated] == []
    assert len(entries) == len(CATALOGUE)
    verdicts = {"identity": "proven", "slip": "false", "warning": "false", "computed": "computed"}
    for entry in entries.values():
        assert entry.verdict == verdicts[entry.kind]
        assert bool(getattr(entry, "corrected", "")) == (entry.kind == "slip")
        if entry.kind == "identity":
            assert int(entry.error.removeprefix("2^-")) >= GOAL
            assert entry.witness is None
        if entry.kind == "slip":
            assert entry.note
            assert entries[entry.corrected].verdict == "proven"
    assert sum(entry.kind == "identity" for entry in entries.values()) > 200
    assert sum(entry.kind == "slip" for entry in entries.values()) == 18


def test_entries_are_told_apart_and_say_what_they_are() -> None:
    assert len({entry.id for entry in CATALOGUE}) == len(CATALOGUE)
    for entry in CATALOGUE:
        assert re.fullmatch(r"00[0-4]\.[\w.-]+", entry.id)
        assert entry.title and entry.statement and entry.citation.startswith(f"text {entry.text}, ")
    assert all(chapter.entries for chapter in CHAPTERS)


def cited(text: str, sign: str) -> set[int]:
    """The numbers of equations (or of sections) that entries cite: "eqs. 3, 5–8" are six."""
    equations: set[int] = set()
    for entry in CATALOGUE:
        for numbers in re.findall(rf"{sign} ?([\d ,–]+)", entry.citation if entry.text == text else ""):
            for first, last in re.findall(r"(\d+)(?:–(\d+))?", numbers):
                equations |= set(range(int(first), int(last or first) + 1))
    return equations


def test_every_numbered_equation_of_the_texts_is_there() -> None:
    assert cited("000", r"eqs?\.") == set(range(1, 52))
    assert cited("002", r"eqs?\.") == set(range(1, 45))
    # 27 is a definition, 32 advice.
    assert cited("003", "§+") == set(range(1, 36)) - {27, 32}


@pytest.mark.slow
def test_a_witness_shows_the_difference_to_anyone(entries: dict[str, Any]) -> None:
    """Put back into both sides, the numbers drawn give the two values."""
    for identity in IDENTITIES:
        if identity.kind != "identity":
            witness = entries[identity.id].witness
            drawn = iter(witness.drawn)
            pairs = identity._pairs(RATIONALS, lambda drawn=drawn: fmpq(int(next(drawn))))
            equation, *at = witness.component
            left, right = (str(RATIONALS.number(now(side[tuple(at)]))) for side in pairs[equation])
            assert (left, right) == (witness.left, witness.right), identity.id
            assert left != right, identity.id
            assert next(drawn, None) is None, identity.id


def chapter(equations: Any, **details: Any) -> Any:
    """What comes of an identity made up for the occasion."""
    made_up = Chapter("000", "made up")
    made_up.identity("x", "nowhere", **details)(equations)
    (entry,) = prove_catalogue(made_up.entries).entries
    return entry


def test_a_sign_in_an_identity_makes_it_false() -> None:
    def wrong(p: Point) -> Iterator[Any]:
        """Cross product: a × b = b × a"""
        a, b = p.vector(), p.vector()
        yield one(3), one(3)
        yield skew(a) @ b, skew(b) @ a

    entry = chapter(wrong)
    assert (entry.title, entry.statement) == ("Cross product", "a × b = b × a")
    assert (entry.verdict, entry.as_stated, entry.error) == ("false", False, None)
    assert Fraction(entry.witness.left) == -Fraction(entry.witness.right)
    assert entry.witness.component[0] == 1


def test_a_slip_that_holds_does_not_come_out_as_stated() -> None:
    def right(p: Point) -> Iterator[Any]:
        """Sum: x + y = y + x"""
        x, y = p.number(), p.number()
        yield x + y, y + x

    assert chapter(right, kind="slip").as_stated is False
    assert chapter(right).as_stated is True


@pytest.mark.parametrize("kind", ["identity", "slip"])
def test_what_has_no_value_anywhere_is_neither_proven_nor_refuted(kind: str) -> None:
    def nowhere(p: Point) -> Iterator[Any]:
        """Quotient: x/0 = 1"""
        x = p.number()
        yield (x * x - x + 1) / (x - x), x

    entry = chapter(nowhere, kind=kind)
    assert (entry.verdict, entry.as_stated, entry.witness.left) == ("false", False, "division by zero")


@pytest.mark.parametrize("sides", [[], [(one(3), one(2))], [(one(3)[:0], one(3)[:0])]], ids=["none", "shapes", "empty"])
def test_what_states_no_equation_is_no_identity(sides: Any) -> None:
    def nothing(p: Point) -> Iterator[Any]:
        """Nothing: nothing"""
        yield from sides

    with pytest.raises(ValueError, match="states no equation"):
        chapter(nothing)


def test_numbers_that_are_not_borne_out_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a Jacobian that is off by a little, Newton–Raphson still converges, but not quadratically."""
    right = text_003_22_arms.tool
    monkeypatch.setattr(text_003_22_arms, "tool", lambda *x: (right(*x)[0], right(*x)[1] * 1.01))
    (entry,) = prove_catalogue(select(["003.28"])).entries
    assert (entry.verdict, entry.as_stated) == ("false", False)
    exponents = [int(e) for e in re.findall(r"2\^(-\d+)", entry.evidence)]
    assert exponents[-1] < exponents[1] < 0


def test_words() -> None:
    assert [entry.id for entry in select(["000.36"])] == ["000.36", "000.36-printed"]
    assert {entry.text for entry in select(["004", "002.1"])} == {"002", "004"}
    assert [entry.id for entry in select(["002.1", "002.1"])] == ["002.1"]
    assert select() == list(CATALOGUE)
    with pytest.raises(CatalogueError, match=r"000\.99"):
        select(["000.9", "000.99"])


def test_an_exponential_must_begin_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A differential equation alone has many solutions."""
    monkeypatch.setattr(text_003_01_rotations, "exp_slide", lambda ξ, distance: pose(one(3), ξ[3:] * (distance + 1)))
    (entry,) = prove_catalogue(select(["003.8-slide"])).entries
    assert entry.verdict == "false"


def moving(*terms: int) -> Series:
    return Series(*map(Fraction, terms))


def test_series_are_derivatives() -> None:
    x, y = moving(2, 3, 5), moving(7, -1, 4)
    assert (x * y).terms == (14, -2 + 21, 8 - 3 + 35)
    assert (x / y * y).terms == x.terms
    assert ((1 / y) * y).terms == (1, 0, 0)
    assert (x - 2 * y + 1).terms == (2 - 14 + 1, 3 + 2, 5 - 8)
    assert (3 - x).terms == (1, -3, -5)
    first = rate(vector(x))
    assert first[0].terms == (3, 10)
    assert (x * first[0]).terms == (6, 20 + 9), "known to the lower order"
    assert rate(vector(constant(Fraction(4), 2), 5))[0].terms == (0, 0)
    assert now(x) == 2 and now(5) == 5
    for product in (x * np.array([1, 2], object), np.array([1, 2], object) * x):
        assert [s.terms for s in product] == [(2, 3, 5), (4, 6, 10)], "NumPy applies series elementwise"


def test_code_that_compares_is_not_proven() -> None:
    def branching(p: Point) -> Iterator[Any]:
        """Branch: x = x"""
        x = p.vector()
        yield x, np.where(x == 0, x, x)

    with pytest.raises(ProofError, match=r"^000\.x cannot be proven: the algorithm compares numbers that are drawn"):
        chapter(branching, order=1)
