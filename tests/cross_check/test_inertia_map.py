"""How code computes inertial parameters is solved for: right code, wrong code, and code without free joints."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.diagnosis.numbers.bodies import misread_bodies
from cross_check.explain.diagnosis.numbers.determined import RIGHT, TERMS, _read, inertia_maps
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Mechanism, find_mechanism


class Misread:
    """The reference, which changes every body; it has these kinds of joints alone."""

    name = "code"

    def __init__(self, change: Any, kinds: tuple[str, ...]) -> None:
        self._change, self._kinds = change, kinds
        self.refused = 0

    def load(self, mechanism: Mechanism) -> Any:
        if any(body.joint.kind not in self._kinds for body in mechanism.bodies):
            self.refused += 1
            raise Unsupported("this code has no such joints")
        return REFERENCE.load(replace(mechanism, bodies=tuple(map(self._change, mechanism.bodies)), physical=False))


def moments(change: Any) -> Any:
    def changed(body: Body) -> Body:
        return replace(body, inertia=replace(body.inertia, about_com=change(*body.inertia.about_com)))

    return changed


def said(change: Any, *kinds: str) -> list[str]:
    laboratory = Laboratory(InProcess(Misread(change, kinds)), "code")
    return [fault.name for fault in inertia_maps(laboratory, find_mechanism("puma560"))]


@pytest.mark.parametrize("kinds", [("free", "revolute"), ("revolute", "prismatic")])
def test_a_combination_of_moments_is_read(kinds: tuple[str, ...]) -> None:
    half = Fraction(1, 2)
    wrong = moments(lambda xx, yy, zz, xy, xz, yz: (xx + half * zz, yy, zz, -xy, xz, yz))
    assert said(wrong, *kinds) == [
        "Ixx about the origin is computed as 0.5 Izz + Ixx + m z² + m y² instead of Ixx + m z² + m y²; "
        "Ixy about the origin is computed as −Ixy − m x y instead of Ixy − m x y"
    ]


def test_right_code_has_no_other_map_and_is_asked_about_free_joints_once() -> None:
    """Some code ends at joints that it does not know, and code that ends often is not asked any more."""
    code = Misread(lambda body: body, ("revolute", "prismatic"))
    assert [*inertia_maps(Laboratory(InProcess(code), "code"), find_mechanism("puma560"))] == []
    assert code.refused == 1


def test_code_that_knows_neither_has_no_answer() -> None:
    with pytest.raises(NoAnswer):
        said(lambda body: body, "revolute")


def test_a_first_moment_without_the_mass_is_read() -> None:
    factors = RIGHT.copy()
    factors[TERMS.index("m x"), 1], factors[TERMS.index("x"), 1] = 0, 1
    wrong = lambda body: replace(body, inertia=_read(body.inertia, factors))  # noqa: E731
    assert said(wrong, "free", "revolute") == ["m x is computed as x instead of m x"]


@pytest.mark.parametrize("kinds", [("free", "revolute"), ("revolute", "prismatic")])
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (
            lambda I: replace(I, mass=I.mass * Fraction("1.001234")),
            "the mass of link2 is 17.4215 kg instead of 17.4 kg (+0.123 %)",
        ),
        (lambda I: replace(I, com=I.com[::-1]), "x and z of the centre of mass of link2 are exchanged"),
        (lambda I: replace(I, com=(-I.com[0], *I.com[1:])), "x of the centre of mass of link2 has the opposite sign"),
        (lambda I: replace(I, about_com=(*I.about_com[:2], 0, *I.about_com[3:])), "Izz of link2 is ignored"),
        (lambda I: replace(I, about_com=(*I.about_com[:3], 1, 0, 0)), "Ixy of link2 is 1 kg m² instead of 0 kg m²"),
    ],
)
def test_numbers_of_one_body_are_read(wrong: Any, expected: str, kinds: tuple[str, ...]) -> None:
    change = lambda body: replace(body, inertia=wrong(body.inertia)) if body.name == "link2" else body  # noqa: E731
    laboratory = Laboratory(InProcess(Misread(change, kinds)), "code")
    (fault,) = misread_bodies(laboratory, find_mechanism("puma560"))
    assert fault.name == expected
    assert fault.where == ("link2",)
