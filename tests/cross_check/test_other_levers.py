"""Rounding of motions taken about the centre of mass is told apart from faults of the same size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from altered import run, verdicts_of

from cross_check.exchange.results import verdict_of
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, parse_urdf, write_urdf
from mechanisms.textbook import TEXTBOOK

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]

NAMES = ("velocities_aligned", "velocities_world", "jacobians_world", "accelerations_world", "drifts_world")
HEAVY = Inertia(3, (0.3, -0.2, 0.9), (0.1, 0.2, 0.15, 0, 0, 0))


def near_the_root(distance: float) -> Mechanism:
    """A ball joint at this distance from the root's origin; the centre of mass is a metre away."""
    first = Joint("ball", "spherical", placement=Placement(translation=(distance, 0, 0)))
    second = Joint("hinge", "revolute", axis=(0, 1, 0), placement=Placement(translation=(0, 0, 0.5)))
    return Mechanism("near", (Body("near", "world", first, HEAVY), Body("far", "near", second, HEAVY)))


NEAR = near_the_root(1e-6)
TINY = near_the_root(1e-15)


class About:
    """The reference; with ``takes_center`` its motions have the rounding of the lever to the centre of mass."""

    name, version = "mine", "1"

    def __init__(self, change: Change = lambda x: x, takes_center: bool = True, given: Mechanism | None = None) -> None:
        self._change, self._takes_center, self._given = change, takes_center, given

    def load(self, mechanism: Mechanism) -> Any:
        if self._given is not None:
            mechanism = self._given
        loaded = About(self._change, self._takes_center)
        loaded._dynamics = REFERENCE.load(mechanism)  # type: ignore[attr-defined]
        return loaded

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(name)

        def answer(*given: Array) -> Array:
            # State by state: a batch may be summed in another order, and these errors have no size to be measured by.
            return np.concatenate([one(*(x[k : k + 1] for x in given)) for k in range(len(given[0]))])

        def one(q: Array, *rest: Array) -> Array:
            x = np.asarray(getattr(self._dynamics, name)(q, *rest), dtype=np.float64)
            if self._takes_center:
                c = self._dynamics.center_of_mass(q)[:, None]
                c = c[..., None] if x.ndim == 4 else c
                shift = np.cross(x[:, :, :3], c, axis=2)
                x[:, :, 3:] = (x[:, :, 3:] - 3 * shift) + shift + shift + shift
            return self._change(x)

        return answer


def verdicts(mechanism: Mechanism, implementation: Any, *names: str) -> set[str]:
    return set(verdicts_of(run(implementation, mechanism, *(names or NAMES), states=12)).values())


@pytest.mark.slow
def test_code_that_takes_motions_about_the_centre_of_mass_loses_digits_and_says_why() -> None:
    done = run(About(), NEAR, "velocities_world", "jacobians_world", states=12)
    assert {cell.verdict for cell in done.cells} == {"lost digits"}
    assert all(cell.message.startswith("motions are taken about the centre of mass of their tree: ") for cell in done.cells)
    assert verdict_of(done).exit_code == 0
    assert verdicts(NEAR, About(takes_center=False)) == {"agrees"}


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
@pytest.mark.parametrize("takes_center", [False, True])
@pytest.mark.parametrize(
    ("mechanism", "fault"),
    [(NEAR, relative), (NEAR, placed), (NEAR, beyond_rounding), (TINY, sign)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_small_fault_is_no_lost_digit(mechanism: Mechanism, fault: Change, takes_center: bool) -> None:
    """Whether the code that has it takes motions about the centre of mass or not."""
    assert verdicts(mechanism, About(fault, takes_center), "velocities_world", "jacobians_world") == {"discrepancy"}


@pytest.mark.slow
def test_noise_that_does_not_follow_the_masses_is_no_lost_digit() -> None:
    rng = np.random.default_rng(0)
    assert verdicts(NEAR, About(lambda x: x + 1e-16 * rng.normal(size=x.shape), takes_center=False)) == {"discrepancy"}


class OneMechanism(About):
    """Code that has this mechanism alone."""

    def load(self, mechanism: Mechanism) -> Any:
        if mechanism.name != NEAR.name:
            raise Unsupported("another mechanism")
        return super().load(mechanism)


@pytest.mark.slow
@pytest.mark.parametrize("implementation", [About(given=NEAR), OneMechanism()], ids=["ignores it", "refuses it"])
def test_code_that_does_not_take_the_other_masses_is_not_explained(implementation: Any) -> None:
    assert verdicts(NEAR, implementation, "velocities_world") == {"discrepancy"}


@pytest.mark.slow
def test_code_that_reads_files_gets_a_file_of_the_moved_masses() -> None:
    class ReadsFiles(About):
        def load(self, mechanism: Mechanism) -> Any:
            if mechanism.source is None:
                raise Unsupported("the mechanism was not read from a file")
            return super().load(parse_urdf(mechanism.source.text))

    first, second = NEAR.bodies
    hinge = replace(first, joint=replace(first.joint, kind="revolute", axis=(1, 0, 0)))
    mechanism = parse_urdf(write_urdf(Mechanism("near", (hinge, second))))
    assert verdicts(mechanism, ReadsFiles(), "velocities_world") == {"lost digits"}
    assert verdicts(mechanism, ReadsFiles(lambda x: x * (1 + 1e-9)), "velocities_world") == {"discrepancy"}


@pytest.mark.slow
def test_rounding_is_no_other_convention(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames coincide in a ball joint on the root, and rounding looks like any of them."""
    monkeypatch.setattr("cross_check.part._with_lost_digits", lambda cell, *rest: cell)
    done = run(About(), TEXTBOOK["spherical-pendulum"](), "velocities_aligned", "velocities_world", explain=True, states=12)
    assert {cell.verdict for cell in done.cells} == {"discrepancy"}
    assert [cause.kind for cause in done.causes] == ["unknown"]


class World:
    """Velocities in the world's frame, called aligned."""

    name, version = "mine", "1"

    def load(self, mechanism: Mechanism) -> Any:
        reference: Any = REFERENCE.load(mechanism)

        class Loaded:
            velocities_aligned = staticmethod(reference.velocities_world)

        return Loaded()


@pytest.mark.slow
def test_a_convention_that_shows_elsewhere_is_named_where_its_effect_is_small() -> None:
    (cause,) = run(World(), near_the_root(1e-13), "velocities_aligned", explain=True, states=12).causes
    assert (cause.kind, cause.sentence) == (
        "convention",
        "In mine, motions of bodies are world where they are said to be aligned",
    )


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("fault", [None, lambda x: x * (1 + 1e-12) + 1e-15, lambda x: x + 1e-15], ids=["right", "entry", "tiny"])
def test_mujoco_loses_digits_where_bodies_sit_on_the_root(fault: Change | None) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    from implementations.engines.mujoco.adapter import MuJoCo

    class Faulty:
        name, version = "mine", "1"

        def load(self, mechanism: Mechanism) -> Any:
            engine = MuJoCo().load(mechanism)

            class Loaded:
                @staticmethod
                def velocities_world(q: Array, v: Array) -> Array:
                    x = engine.velocities_world(q, v)
                    return fault(x) if fault else x

            return Loaded()

    mechanism = TEXTBOOK["spherical-pendulum"]()
    assert verdicts(mechanism, Faulty(), "velocities_world") == {"discrepancy" if fault else "lost digits"}
