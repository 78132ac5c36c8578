"""Drawn mechanisms exceed every limit that they are drawn for, whatever the seed."""

from __future__ import annotations

import math

import pytest

from mechanisms import Mechanism, MechanismError, find_mechanism
from mechanisms.drawn import IN_WORDS, TRAITS, default_drawn

SEEDS = range(3)


def drawn(trait: str) -> list[Mechanism]:
    return [find_mechanism(f"drawn:{seed}:{trait}") for seed in SEEDS]


def depth(mechanism: Mechanism) -> int:
    depths: list[int] = []
    for parent in mechanism.parents:
        depths.append(1 + (depths[parent] if parent >= 0 else 0))
    return max(depths)


def test_a_chain_is_deep_and_its_names_differ_behind_the_longest_limit() -> None:
    for mechanism in drawn("deep"):
        assert len(mechanism.bodies) > depth(mechanism) > 32
        for names in ([body.name for body in mechanism.bodies], [body.joint.name for body in mechanism.bodies]):
            assert len({name[:128] for name in names}) == 1


def test_a_bush_has_many_bodies_roots_and_children_and_names_of_two_cases() -> None:
    for mechanism in drawn("broad"):
        names = [body.name for body in mechanism.bodies]
        assert len(names) > 64
        assert mechanism.parents.count(-1) > 16
        assert max(mechanism.parents.count(i) for i in range(len(names))) > 16
        assert len({name.lower() for name in names}) < len(set(names))
        assert depth(mechanism) > 2


def test_numbers_are_tiny_beside_huge_ones_and_axes_are_beside_principal_ones() -> None:
    for mechanism in drawn("numbers"):
        masses = [float(body.inertia.mass) for body in mechanism.bodies]
        assert min(masses) <= 1e-7 and max(masses) >= 1e3
        angles = [math.degrees(math.hypot(*sorted(map(float, map(abs, body.joint.axis)))[:2])) for body in mechanism.bodies]
        assert all(0 < angle < 2 for angle in angles)
        assert min(angles) < 1e-8 and max(angles) > 0.1


def test_the_seed_decides() -> None:
    assert len({mechanism.fingerprint for trait in TRAITS for mechanism in drawn(trait)}) == len(TRAITS) * len(SEEDS)
    assert [find_mechanism(name).name for name in default_drawn(7)] == [*default_drawn(7)]
    assert find_mechanism("free:drawn:0:numbers").nv == find_mechanism("drawn:0:numbers").nv + 6
    assert IN_WORDS.keys() == TRAITS.keys()


def test_an_unknown_trait_is_refused_with_those_that_exist() -> None:
    with pytest.raises(MechanismError, match="use deep, broad, numbers"):
        find_mechanism("drawn:0:tall")
