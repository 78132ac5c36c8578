"""Rounding of motions taken about the centre of mass is told apart from faults of the same size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from altered import Altered, run, verdicts_of

from cross_check.exchange.results import verdict_of
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, parse_urdf, write_urdf
from mechanisms.library.textbook import TEXTBOOK

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]

NAMES = ("velocities_aligned", "velocities_world", "jacobians_world")
MOTIONS = ("velocities_world", "jacobians_world")
HEAVY = Inertia(3, (0.3, -0.2, 0.9), (0.1, 0.2, 0.15, 0, 0, 0))


def near_the_root(distance: float) -> Mechanism:
    """A ball joint at this distance from the root's origin; the centre of mass is a metre away."""
    first = Joint("ball", "spherical", placement=Placement(translation=(distance, 0, 0)))
    second = Joint("hinge", "revolute", axis=(0, 1, 0), placement=Placement(translation=(0, 0, 0.5)))
    return Mechanism("near", (Body("near", "world", first, HEAVY), Body("far", "near", second, HEAVY)))


NEAR = near_the_root(1e-6)
TINY = near_the_root(1e-15)


def about(change: Change = lambda x: x, takes_center: bool = True) -> Any:
    """The reference; with ``takes_center`` its motions have the rounding of the lever to the centre of mass."""

    def load(mechanism: Mechanism) -> SimpleNamespace:
        right: Any = REFERENCE.load(mechanism)

        def one(name: str, q: Array, *rest: Array) -> Array:
            x = np.asarray(getattr(right, name)(q, *rest), dtype=np.float64)
            if takes_center:
                c = right.center_of_mass(q)[:, None]
                c = c[..., None] if x.ndim == 4 else c
                shift = np.cross(x[:, :, :3], c, axis=2)
                x[:, :, 3:] = (x[:, :, 3:] - 3 * shift) + shift + shift + shift
            return change(x)

        def answer(name: str, *given: Array) -> Array:
            # State by state: a batch may be summed in another order, and these errors have no size to be measured by.
            return np.concatenate([one(name, *(x[k : k + 1] for x in given)) for k in range(len(given[0]))])

        return SimpleNamespace(**{name: partial(answer, name) for name in NAMES})

    return SimpleNamespace(load=load)


def verdicts(mechanism: Mechanism, implementation: Any, *names: str) -> set[str]:
    return set(verdicts_of(run(implementation, mechanism, *(names or MOTIONS), states=7)).values())


@pytest.mark.slow
def test_code_that_takes_motions_about_the_centre_of_mass_loses_digits_and_says_why() -> None:
    done = run(about(), NEAR, *MOTIONS, states=7)
    assert {cell.verdict for cell in done.cells} == {"lost digits"}
    assert all(cell.message.startswith("motions are taken about a centre of mass, their tree's ") for cell in done.cells)
    assert verdict_of(done).exit_code == 0
    assert verdicts(NEAR, about(takes_center=False)) == {"agrees"}


def relative(x: Array) -> Array:
    """The body that is nearly at the root's origin moves with a part in 10¹² too much."""
    return x * np.where(np.arange(6).reshape(6, *[1] * (x.ndim - 3)) == 4, 1 + 1e-12, 1)


def placed(x: Array) -> Array:
    """The first body is placed wrongly by 10⁻¹² m, along z."""
    y = x.copy()
    y[:, 0, 3] += 1e-12 * x[:, 0, 1]
    return y


def beyond_rounding(x: Array) -> Array:
    """Less than the rounding of the long lever."""
    y = x.copy()
    y[:, 0, 3] += 1e-15 * x[:, 0, 1]
    return y


def sign(x: Array) -> Array:
    """The linear motion of a body at 10⁻¹⁵ m from the root's origin has the wrong sign."""
    y = x.copy()
    y[:, 0, 3:] *= -1
    return y


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "fault", "takes_center"),
    [(NEAR, relative, False), (NEAR, placed, True), (NEAR, beyond_rounding, True), (TINY, sign, True), (TINY, sign, False)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_small_fault_is_no_lost_digit(mechanism: Mechanism, fault: Change, takes_center: bool) -> None:
    """Whether the code that has it takes motions about the centre of mass or not."""
    assert verdicts(mechanism, about(fault, takes_center)) == {"discrepancy"}


@pytest.mark.slow
def test_noise_that_does_not_follow_the_masses_is_no_lost_digit() -> None:
    rng = np.random.default_rng(0)
    assert verdicts(NEAR, about(lambda x: x + 1e-16 * rng.normal(size=x.shape), takes_center=False)) == {"discrepancy"}


def refusing(mechanism: Mechanism) -> Any:
    if mechanism.name != NEAR.name:
        raise Unsupported("another mechanism")
    return about().load(mechanism)


@pytest.mark.slow
@pytest.mark.parametrize("load", [lambda mechanism: about().load(NEAR), refusing], ids=["ignores it", "refuses it"])
def test_code_that_does_not_take_the_other_masses_is_not_explained(load: Callable[[Mechanism], Any]) -> None:
    assert verdicts(NEAR, SimpleNamespace(load=load), "velocities_world") == {"discrepancy"}


@pytest.mark.slow
def test_code_that_reads_files_gets_a_file_of_the_moved_masses() -> None:
    def reading(change: Change = lambda x: x) -> Any:
        def load(mechanism: Mechanism) -> Any:
            if mechanism.source is None:
                raise Unsupported("the mechanism was not read from a file")
            return about(change).load(parse_urdf(mechanism.source.text))

        return SimpleNamespace(load=load)

    first, second = NEAR.bodies
    hinge = replace(first, joint=replace(first.joint, kind="revolute", axis=(1, 0, 0)))
    mechanism = parse_urdf(write_urdf(Mechanism("near", (hinge, second))))
    assert verdicts(mechanism, reading(), "velocities_world") == {"lost digits"}
    assert verdicts(mechanism, reading(lambda x: x * (1 + 1e-9)), "velocities_world") == {"discrepancy"}


@pytest.mark.slow
def test_rounding_is_no_other_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames coincide in a ball joint on the root, and rounding looks like any of them."""
    monkeypatch.setattr("cross_check.part.cell_with_lost_digits", lambda cell, *rest: cell)
    done = run(about(), TEXTBOOK["spherical-pendulum"](), "velocities_aligned", "velocities_world", explain=True, states=12)
    assert {cell.verdict for cell in done.cells} == {"discrepancy"}
    assert [cause.kind for cause in done.causes] == ["unknown"]


@pytest.mark.slow
def test_a_convention_that_shows_elsewhere_is_named_where_its_effect_is_small() -> None:
    """Velocities in the world's frame, called aligned."""
    code = SimpleNamespace(load=lambda m: SimpleNamespace(velocities_aligned=REFERENCE.load(m).velocities_world))
    (cause,) = run(code, near_the_root(1e-13), "velocities_aligned", explain=True, states=12).causes
    said = "In mine, motions of bodies are world where they are said to be aligned"
    assert (cause.kind, cause.sentence) == ("convention", said)


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize(("fault", "verdict"), [(0, "lost digits"), (1e-15, "discrepancy")], ids=["right", "tiny"])
def test_mujoco_loses_digits_where_bodies_sit_on_the_root(fault: float, verdict: str) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    from implementations.engines.mujoco.adapter import MuJoCo

    faulty = Altered(("velocities_world",), of=MuJoCo(), velocities_world=lambda x, q, v: x + fault)
    assert verdicts(TEXTBOOK["spherical-pendulum"](), faulty, "velocities_world") == {verdict}
