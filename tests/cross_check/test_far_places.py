"""Where a mechanism stands hides no fault, and accuses no code that takes moments about the world's origin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from altered import Altered, run, verdicts_of

from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.judge.error_scale.standing import measured_from
from cross_check.judge.relations.other_numbers import moved_base
from cross_check.judge.relations.table import USUAL
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.plugins.user_code import load_user
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, find_mechanism
from mechanisms.quantities import INTEGRATION, QUANTITIES

Array = np.ndarray[Any, Any]
DYNAMICS = ("inverse_dynamics", "nonlinear_effects", "mass_matrix", "kinetic_energy", "forward_dynamics")
LINK = Inertia(2, (0.25, 0.1, 0), (0.03, 0.04, 0.05, 0, 0, 0))


def arm(place: int, name: str = "arm") -> Mechanism:
    first = Joint("shoulder", "revolute", axis=(0, 0, 1), placement=Placement(translation=(place, 0, place)))
    second = Joint("elbow", "revolute", axis=(0, 1, 0), placement=Placement(translation=(0.5, 0, 0)))
    return Mechanism(name, (Body("upper", "world", first, LINK), Body("lower", "upper", second, LINK)))


OFFERED = (*DYNAMICS, "jacobians_local")


def with_inertia(factor: Fraction) -> Altered:
    inertia = replace(LINK, about_com=tuple(factor * x for x in LINK.about_com))

    def scaled(mechanism: Mechanism) -> Mechanism:
        return replace(mechanism, bodies=tuple(replace(body, inertia=inertia) for body in mechanism.bodies))

    return Altered(OFFERED, reads=scaled)


def without_coriolis(mechanism: Mechanism) -> SimpleNamespace:
    right: Any = REFERENCE.load(mechanism)
    return SimpleNamespace(
        inverse_dynamics=lambda q, v, a: right.inverse_dynamics(q, 0 * v, a),
        nonlinear_effects=lambda q, v: right.nonlinear_effects(q, 0 * v),
        forward_dynamics=lambda q, v, tau: right.forward_dynamics(q, 0 * v, tau),
    )


def verdicts(mechanism: Mechanism, code: Any, *quantities: str) -> set[str]:
    return set(verdicts_of(run(code, mechanism, *(quantities or DYNAMICS), states=14)).values())


@pytest.mark.slow
@pytest.mark.parametrize("place", [10**4, 5 * 10**6])
@pytest.mark.parametrize(
    "code",
    [with_inertia(1 + Fraction(1, 10**6)), with_inertia(Fraction(0)), SimpleNamespace(load=without_coriolis)],
    ids=["inertia 1 ppm too large", "no inertia", "no Coriolis terms"],
)
def test_no_place_hides_a_wrong_term(place: int, code: Any) -> None:
    assert verdicts(arm(place), code) == {"discrepancy"}


@pytest.mark.nightly
def test_code_in_the_bodies_frames_agrees_everywhere() -> None:
    for code in (load_user("docs/example.py"), NEWTON_EULER, REFERENCE):
        assert verdicts(arm(5 * 10**6), code) == {"agrees"}


@pytest.mark.parametrize("quantity", [name for name in QUANTITIES if name not in INTEGRATION and "frame" not in name])
def test_sizes_change_only_where_the_place_occurs(quantity: str) -> None:
    """Motions have a lever of the arm's own reach; from there on, nothing changes."""
    one, other = arm(100), arm(5 * 10**6)
    if QUANTITIES[quantity].needs_regular_mass_matrix:
        return
    arguments = sample(one, 0, 7).arguments(QUANTITIES[quantity].arguments)
    sizes = [ErrorScale(mechanism).size(quantity, *arguments) for mechanism in (one, other)]
    assert np.array_equal(*sizes) == (measured_from(QUANTITIES[quantity]) != "world")
    if measured_from(QUANTITIES[quantity]) in ("tree", "mechanism"):
        assert np.array_equal(ErrorScale(arm(0)).size(quantity, *arguments), sizes[0])


def test_trees_have_sizes_of_their_own() -> None:
    """A second arm far away changes no size of the first one's, but those of the momentum about the common centre of mass."""
    alone = arm(0)
    far = Joint("far", "revolute", axis=(0, 1, 0), placement=Placement(translation=(10**6, 0, 0)))
    both = replace(alone, name="both", bodies=(*alone.bodies, Body("other", "world", far, LINK)))
    states = sample(both, 0, 7)
    for quantity in ("inverse_dynamics", "mass_matrix", "jacobians_local"):
        of_both = states.arguments(QUANTITIES[quantity].arguments)
        own = ErrorScale(alone).size(quantity, *(x[:, :2] for x in of_both))
        among = ErrorScale(both).size(quantity, *of_both)
        assert np.array_equal(own, among[tuple(slice(n) for n in own.shape)])
    momentum = [ErrorScale(m).size("centroidal_momentum", states.q[:, : m.nv], states.v[:, : m.nv]) for m in (alone, both)]
    assert (momentum[1][:, 0] > 1e5 * momentum[0][:, 0]).any()


@pytest.mark.slow
def test_moments_about_the_worlds_origin_lose_digits_and_a_message_says_so() -> None:
    """The reference's derivatives and momenta are computed in the root's frame."""
    names = ("inverse_dynamics_dq", "coriolis_matrix", "jacobians_aligned", "centroidal_momentum")
    assert verdicts(arm(0), REFERENCE, *names) == {"agrees"}
    cells = run(REFERENCE, arm(5 * 10**6), *names, states=14).cells
    assert {cell.verdict for cell in cells} == {"lost digits"}
    assert all(cell.message.startswith("moments are taken about the world's origin: with the lever to it") for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize(
    "term",
    [
        lambda x, place, q: x * (1 + 1e-9),
        lambda x, place, q: x + 1e-16 * place,
        lambda x, place, q: x + 1e-15 * place * np.cos(q)[:, :, None],
    ],
    ids=["everywhere", "grows with the place", "depends on the state"],
)
def test_a_wrong_term_is_no_rounding_of_the_place(term: Callable[..., Array]) -> None:
    """Where there is no place, two of them vanish."""

    def load(mechanism: Mechanism) -> Any:
        place = float(mechanism.bodies[0].joint.placement.translation[0])
        return Altered(OFFERED, mass_matrix=lambda M, q: term(M, place, q)).load(mechanism)

    assert verdicts(arm(5 * 10**6), SimpleNamespace(load=load), "mass_matrix") == {"discrepancy"}


def small_arm() -> Mechanism:
    """The arm, a thousand times smaller, at the world's origin."""

    def shrunk(body: Body) -> Body:
        com, about = (tuple(x / factor for x in of) for of, factor in ((LINK.com, 1000), (LINK.about_com, 10**6)))
        placement = Placement(translation=tuple(x / 1000 for x in body.joint.placement.translation))
        return replace(body, joint=replace(body.joint, placement=placement), inertia=Inertia(LINK.mass, com, about))

    large = arm(0)
    return replace(large, name="small arm", bodies=tuple(map(shrunk, large.bodies)))


def contradictions(mechanism: Mechanism, code: Any, settings: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """By name of a relation or an invariant its verdict and message, if it is not kept."""
    kept = ("agrees", "not offered", "unsupported")
    found = run(code, mechanism, **settings).invariants
    return {item.name: (item.verdict, item.message) for item in found if item.verdict not in kept}


RELATIONS = {"states": 7, "quantities": (), "invariants": False, "relations": tuple(USUAL)}
INVARIANTS = {"states": 14, "quantities": ("mass_matrix",)}
FROM_THE_ORIGIN = "moments are taken about the world's origin: with the lever to it"


@pytest.mark.slow
def test_a_relation_that_moves_a_small_mechanism_brings_a_lever() -> None:
    assert contradictions(small_arm(), REFERENCE, RELATIONS) == {}
    # The lever hides no wrong number.
    found = contradictions(small_arm(), wrong_if(lambda m: m.bodies[0].joint.placement.translation != (0, 0, 0)), RELATIONS)
    assert {name: verdict for name, (verdict, _) in found.items()} == {"translated_base": "discrepancy"}


@pytest.mark.slow
def test_relations_lose_digits_far_away() -> None:
    found = contradictions(arm(10**6), REFERENCE, RELATIONS)
    assert found.keys() == {"rotated_base", "translated_base", "split_bodies", "superposed_accelerations"}
    assert all(verdict == "lost digits" and message.startswith(FROM_THE_ORIGIN) for verdict, message in found.values())


@pytest.mark.slow
def test_no_place_hides_a_broken_relation_or_invariant() -> None:
    found = contradictions(arm(10**6), wrong_if(lambda m: m.gravity[0] != 0), RELATIONS)
    assert found.keys() == {"rotated_base"} and found["rotated_base"][0] == "discrepancy"
    # With the lever, this would be rounding.
    assert 16 * np.finfo(float).eps * 1e12 > 1e-6
    assert contradictions(arm(10**6), wrong_if(lambda m: True), INVARIANTS)["M = Mᵀ"][0] == "discrepancy"


def wrong_if(is_wrong: Callable[[Mechanism], bool]) -> Any:
    """The reference, whose mass matrix is 1e-6 too large and not symmetric for some mechanisms."""
    error = 1e-6 * np.triu(np.ones((2, 2)))

    def load(mechanism: Mechanism) -> Any:
        return Altered(("mass_matrix",), mass_matrix=lambda M, q: M * (1 + error if is_wrong(mechanism) else 1)).load(mechanism)

    return SimpleNamespace(load=load)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("engine", ["pinocchio", "rbdl", "mujoco", "drake"])
def test_engines_on_small_and_far_arms_are_not_accused(engine: str) -> None:
    from implementations.plugins.registry import find_implementation

    pytest.importorskip({"rbdl": "biorbd", "drake": "pydrake"}.get(engine, engine), reason="has no wheel for this platform")
    code = find_implementation(engine)
    questions = ((small_arm(), RELATIONS), (arm(10**6), RELATIONS), (arm(10**6), {**INVARIANTS, "quantities": DYNAMICS}))
    for mechanism, settings in questions:
        found = contradictions(mechanism, code, settings)
        assert {verdict for verdict, _ in found.values()} <= {"lost digits"}, found
        assert all("are taken about" in message for _, message in found.values())
    quantities = (*DYNAMICS, "gravity", "jacobians_local", "velocities_aligned", "centroidal_momentum")
    assert verdicts(arm(10**6), code, *quantities) <= {"agrees", "lost digits"}


@pytest.mark.slow
@pytest.mark.nightly
def test_loops_far_away_lose_digits_too() -> None:
    """The equations of constraints have sizes of their own, which get the lever as well."""
    far = moved_base(find_mechanism("four-bar"), Placement(translation=(10**5, 0, 0)))
    assert verdicts(far, REFERENCE, "constrained_acceleration", "constraint_forces") == {"lost digits"}
