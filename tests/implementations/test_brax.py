"""Brax, in the precision of JAX: what it computes, and what it is not asked because it is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from every_joint import agreeing, chain, states

from implementations.engines.brax.adapter import BALL, SLIDES, STACKS
from implementations.engines.declared import declared
from implementations.plugins.registry import find_implementation
from implementations.protocol import Missing, Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.joint import Kind
from mechanisms.numbers.precision import precision_named
from mechanisms.quantities import INTEGRATION, QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.slow]

CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))
NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
UNTURNED, QUARTER = Rotation(1, 0, 0, 0), Rotation(1, 1, 0, 0)


@pytest.fixture
def brax() -> Any:
    found: Any = find_implementation("brax")
    try:
        assert any(letter.isdigit() for letter in found.version)
    except Missing as missing:
        pytest.skip(str(missing))
    return found


def on_rails(*joints: Joint) -> Mechanism:
    parents = ["world", *(f"body{k}" for k in range(len(joints)))]
    bodies = [Body(f"body{k}", on, joint, CUBE) for k, (on, joint) in enumerate(zip(parents, joints, strict=False))]
    return Mechanism("rails", tuple(bodies))


def joint(kind: Kind, turn: Rotation = UNTURNED, name: str = "joint") -> Joint:
    return Joint(name, kind, (0, "0.6", "0.8"), Placement(turn, ("0.1", "0.2", "0.3")))


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (chain("revolute", "spherical"), BALL),
        (chain("free"), BALL),
        (on_rails(joint("prismatic", QUARTER)), SLIDES),
        (on_rails(joint("planar", QUARTER)), SLIDES),
        (on_rails(joint("revolute"), joint("prismatic", name="second")), SLIDES),
        (on_rails(joint("prismatic"), joint("translation", QUARTER, "second")), SLIDES),
        (chain("helical"), "MuJoCo has no helical joint"),
    ],
)
def test_what_it_lacks_or_has_wrong_is_said(brax: Any, mechanism: Mechanism, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        brax.load(mechanism)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("mechanism", "stacked"),
    [
        (chain("revolute", "revolute", "continuous", armature=True), False),
        (on_rails(joint("prismatic"), joint("planar", name="second"), joint("revolute", QUARTER, "third")), False),
        (on_rails(Joint("joint", "free"), joint("universal", name="second")), True),
    ],
    ids=["hinges", "slides whose frames are not turned", "a free base and two hinges on one body"],
)
def test_everything_else_agrees_to_the_digits_of_its_precision(brax: Any, mechanism: Mechanism, stacked: bool) -> None:
    precision = precision_named(brax.precision)
    dynamics = brax.load(mechanism.in_precision(precision))
    wrong = {"velocities_aligned"} if stacked else set()
    assert agreeing(dynamics, mechanism, NAMES, batch=3, tolerance=64 * precision.epsilon) == declared("brax").offers - wrong
    if stacked:
        with pytest.raises(Unsupported, match=STACKS):
            dynamics.velocities_aligned(*states(mechanism, batch=1)[:2])
