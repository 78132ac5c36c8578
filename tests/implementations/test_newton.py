"""Newton against the reference: every kind of joint, links of its reader, and what it is not asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from implementations.engines import blocks
from implementations.engines.newton.adapter import Newton
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.library.extended import framed, on_free_base
from mechanisms.numbers.precision import precision_named
from mechanisms.quantities import INTEGRATION, QUANTITIES

pytestmark = pytest.mark.engines

FLOAT32 = precision_named("float32")
NAMES = [name for name in QUANTITIES if name not in INTEGRATION]
OF_PLACES = {"placements", "velocities_aligned", "jacobians_aligned"}
OFFERED = {"inverse_dynamics", "nonlinear_effects", "gravity", "mass_matrix", "forward_dynamics"} | OF_PLACES
OFFERED |= {f"frame_{name}" for name in OF_PLACES}


@pytest.fixture(scope="module")
def newton() -> Newton:
    """Warp compiles for seconds, once."""
    found = Newton()
    try:
        assert found.version.startswith("1.")
    except Missing as missing:
        pytest.skip(str(missing))
    return found


def right(newton: Newton, mechanism: Mechanism, batch: int = 3) -> set[str]:
    """The quantities that are offered, each of which agrees to the digits of float32."""
    dynamics = newton.load(mechanism.in_precision(FLOAT32))
    return agreeing(dynamics, mechanism, NAMES, batch=batch, tolerance=64 * FLOAT32.epsilon)


@pytest.mark.parametrize("kind", [kind for kind in MOVING if not JOINT_KINDS[kind].takes_pitch])
def test_every_kind_of_joint_at_the_root_and_on_a_body(newton: Newton, kind: Kind) -> None:
    """Free joints on moving bodies have no forward dynamics."""
    assert right(newton, framed(chain(kind, "revolute"))) == OFFERED
    assert right(newton, framed(chain("spherical", kind))) == OFFERED - ({"forward_dynamics"} if kind == "free" else set())


def test_trees_with_armature_and_damping_on_fixed_and_free_bases(newton: Newton) -> None:
    tree = random_mechanism(3, 7, ("revolute", "prismatic", "planar", "universal"), armature=True, tilted_gravity=True)
    assert any(body.joint.damping for body in tree.bodies)
    assert right(newton, tree) == right(newton, on_free_base(tree)) == {name for name in OFFERED if "frame" not in name}


def test_every_tree_is_an_articulation_of_its_own(newton: Newton) -> None:
    """Newton takes M about the first body of an articulation; that of another tree may be far away."""

    def tree(name: str, *kinds: Kind) -> list[Body]:
        found = chain(*kinds, seed=len(name)).bodies
        parents = ["world", *(name + body.name for body in found)]
        joints = [replace(body.joint, name=name + body.joint.name) for body in found]
        return [
            replace(body, name=name + body.name, parent=parent, joint=joint)
            for body, parent, joint in zip(found, parents, joints, strict=False)
        ]

    first, second = tree("a", "prismatic", "spherical"), tree("bb", "planar", "revolute", "free")
    inner, outer, *last = second
    both = Mechanism("both", (first[0], inner, first[1], outer, *last))
    assert right(newton, framed(both)) == OFFERED - {"forward_dynamics"}
    light = Body("light", "world", Joint("turn", "revolute"), Inertia(1, (0, 0, 0), (*3 * (1e-3,), 0, 0, 0)))
    far = Mechanism("far", (first[0], light)).in_precision(FLOAT32)
    M: Any = newton.load(far).mass_matrix(np.array([[-30, 1]]))
    assert M[0, 1, 1] == pytest.approx(1e-3, rel=1e-6)


def test_axes_of_a_universal_joint_that_are_not_at_right_angles(newton: Newton) -> None:
    mechanism = chain("universal", "revolute")
    first, *others = mechanism.bodies
    e1, _, e3 = first.joint.triad
    slanted = replace(first.joint, second_axis=[x * 3 / 5 + y * 4 / 5 for x, y in zip(e1, e3, strict=True)])
    assert len(right(newton, replace(mechanism, bodies=(replace(first, joint=slanted), *others)))) == 8


def test_inertias_that_newton_would_change(newton: Newton) -> None:
    """Moments that no body can have, and moments of a few gram square millimetres."""
    for moments in ((1, 1, 3, 0, 0, 0), (*3 * (1e-11,), 0, 0, 0)):
        body = Body("body", "world", Joint("joint", "spherical"), Inertia(2, (0, 0, 0), moments))
        assert len(right(newton, Mechanism("one", (body,), physical=False))) == 8


def test_forward_dynamics_with_a_free_joint_on_a_moving_body_is_not_asked(newton: Newton) -> None:
    """docs/findings/newton-free-joint-reaction.md"""
    mechanism = chain("revolute", "free").in_precision(FLOAT32)
    q, v, a = states(mechanism, batch=1)
    with pytest.raises(Unsupported, match="to one body each"):
        newton.load(mechanism).forward_dynamics(q, v, a)
    with pytest.raises(Unsupported, match="Newton has no helical joint"):
        newton.load(chain("helical"))


def test_earlier_answers_stay_and_do_not_matter(newton: Newton) -> None:
    mechanism = chain("free", "revolute").in_precision(FLOAT32)
    q, v, a = states(mechanism, batch=2)
    dynamics = newton.load(mechanism)
    first = dynamics.inverse_dynamics(q, v, a)
    kept = first.copy()
    dynamics.forward_dynamics(q[::-1], 2 * v, a)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(dynamics.inverse_dynamics(q, v, a), kept)


@pytest.mark.parametrize("count", [0, 1, blocks.BLOCK, blocks.BLOCK + 1])
def test_batches_of_any_length(newton: Newton, count: int) -> None:
    mechanism = chain("spherical", "revolute")
    q, v, _ = states(mechanism, batch=count)
    answer: Any = newton.load(mechanism.in_precision(FLOAT32)).nonlinear_effects(q, v)
    expected = REFERENCE.load(mechanism).nonlinear_effects(q, v)
    np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-5 * max(1, abs(expected).max(initial=0)))
