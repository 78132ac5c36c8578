"""Kinematics compared with the truth: correct code in any frame agrees, and what is commonly got wrong is caught."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.harness import Entry, check
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from cross_check.prove.proof.prove import prove
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import Body, Joint, Mechanism, find_mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import MOMENTUM, MOTION, QUANTITIES, USUAL, expand_groups

Array = np.ndarray[Any, Any]

KINEMATICS = tuple(name for name, quantity in QUANTITIES.items() if quantity.group == "kinematics")
EVERY = random_mechanism(5, 8, MOVING, tilted_gravity=True)


def verdicts(implementation: Any, mechanism: Mechanism, states: int = 28) -> dict[str, str]:
    """Of everything that is compared."""
    settings = Settings(states=states, quantities=KINEMATICS, invariants=False)
    document = check([("one", mechanism)], [Entry("mine", "mine", InProcess(implementation))], settings, explain=False).document()
    return {cell["quantity"]: cell["verdict"] for cell in document["cells"] if cell["verdict"] != "not offered"}


def wrong(implementation: Any, mechanism: Mechanism = EVERY) -> set[str]:
    return {name for name, verdict in verdicts(implementation, mechanism).items() if verdict == "discrepancy"}


# States


def test_forces_are_drawn_beside_the_states_and_not_from_them() -> None:
    """q, v and a are what they were before there were forces."""
    mechanism = find_mechanism("planar-pendulum:2")
    states = sample(mechanism, 3, 28)
    rng = np.random.default_rng([3, zlib.crc32("\n".join(mechanism.coordinates).encode())])
    np.testing.assert_array_equal(np.stack([states.q[1], states.v[1], states.a[1]]), rng.normal(size=(3, 2)))
    assert states.f.shape == (28, 2, 6)
    np.testing.assert_array_equal(states.f, sample(mechanism, 3, 28).f)
    assert (states.f[1] != sample(mechanism, 4, 28).f[1]).all()
    sizes = {kind: np.abs(states.f[np.array(states.kinds) == kind]).max() for kind in states.kinds}
    assert sizes["zero"] == 0 < sizes["tiny"] < 1e-2 < sizes["random"] < sizes["large"]
    np.testing.assert_array_equal(states.pick(np.array([5, 2])).f, states.f[[5, 2]])


# Correct code


class InTheRootFrame:
    """3-vectors in the root's frame, for joints about and along axes: textbook code that knows no spatial vector."""

    def load(self, mechanism: Mechanism) -> InTheRootFrame:
        self.m = mechanism
        return self

    def placements(self, q: Array) -> Array:
        return np.array([self._all(x, 0 * x, 0 * x)[0] for x in q])

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._turned(self.placements(q), self.velocities_aligned(q, v))

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return np.array([self._all(x, dx, 0 * x)[1] for x, dx in zip(q, v, strict=True)])

    def velocities_world(self, q: Array, v: Array) -> Array:
        return _to_world(self.placements(q), self.velocities_aligned(q, v))

    def jacobians_aligned(self, q: Array) -> Array:
        return np.stack([self.velocities_aligned(q, np.broadcast_to(e, q.shape)) for e in np.eye(self.m.nv)], axis=-1)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return np.array([self._all(*state)[2] for state in zip(q, v, a, strict=True)])

    def accelerations_aligned(self, q: Array, v: Array, a: Array) -> Array:
        V = self.velocities_aligned(q, v)
        spatial = self.classical_accelerations(q, v, a)
        spatial[..., 3:] -= np.cross(V[..., :3], V[..., 3:])
        return spatial

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        return self._turned(self.placements(q), self.accelerations_aligned(q, v, a))

    def accelerations_world(self, q: Array, v: Array, a: Array) -> Array:
        return _to_world(self.placements(q), self.accelerations_aligned(q, v, a))

    def center_of_mass(self, q: Array) -> Array:
        return self._centres(q)[1]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        (T, V), (centres, c) = (self.placements(q), self.velocities_aligned(q, v)), self._centres(q)
        total = np.zeros((len(q), 6))
        for i, body in enumerate(self.m.bodies):
            R, w = T[:, i, :, :3], V[:, i, :3]
            l = float(body.inertia.mass) * (V[:, i, 3:] + np.cross(w, centres[:, i] - T[:, i, :, 3]))
            I = R @ np.array(body.inertia.matrix, float) @ R.swapaxes(1, 2)
            # About the root's origin first, the worst place for it.
            total[:, :3] += np.einsum("bij,bj->bi", I, w) + np.cross(centres[:, i], l)
            total[:, 3:] += l
        total[:, :3] -= np.cross(c, total[:, 3:])
        return total

    def _centres(self, q: Array) -> tuple[Array, Array]:
        T, masses = self.placements(q), np.array([float(body.inertia.mass) for body in self.m.bodies])
        com = np.array([body.inertia.com for body in self.m.bodies], float)
        centres = np.einsum("bnij,nj->bni", T[..., :3], com) + T[..., 3]
        return centres, np.einsum("n,bni->bi", masses, centres) / masses.sum()

    def _turned(self, T: Array, motions: Array) -> Array:
        return np.concatenate([np.einsum("bnji,bnj->bni", T[..., :3], x) for x in np.split(motions, 2, axis=2)], axis=2)

    def _all(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        m = self.m
        T, V, A = np.zeros((len(m.bodies), 3, 4)), np.zeros((len(m.bodies), 6)), np.zeros((len(m.bodies), 6))
        for i, (body, λ) in enumerate(zip(m.bodies, m.parents, strict=True)):
            joint, x, dx, ddx = body.joint, q[i], v[i], a[i]
            before = (np.eye(3, 4), np.zeros(6), np.zeros(6)) if λ < 0 else (T[λ], V[λ], A[λ])
            (R0, p0), (w0, v0), (dw0, a0) = np.split(before[0], [3], axis=1), *(np.split(part, 2) for part in before[1:])
            R = R0 @ np.array(joint.placement.rotation.matrix, float)
            u = R @ np.array(joint.axis, float)
            r = R0 @ np.array(joint.placement.translation, float)
            if turns := joint.kind == "revolute":
                K = np.cross(np.eye(3), np.array(joint.axis, float))
                R = R @ (np.eye(3) + np.sin(x) * K + (1 - np.cos(x)) * K @ K)
            else:
                r = r + u * x
            T[i] = np.column_stack([R, p0[:, 0] + r])
            V[i] = np.concatenate([w0 + u * dx * turns, v0 + np.cross(w0, r) + u * dx * (not turns)])
            slid = (not turns) * (u * ddx + 2 * np.cross(w0, u * dx))
            turned = turns * (u * ddx + np.cross(w0, u * dx))
            A[i] = np.concatenate([dw0 + turned, a0 + np.cross(dw0, r) + np.cross(w0, np.cross(w0, r)) + slid])
        return T, V, A


def _to_world(T: Array, motions: Array) -> Array:
    return np.concatenate([motions[..., :3], motions[..., 3:] + np.cross(T[..., 3], motions[..., :3])], axis=2)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["pendulum", "planar-pendulum:3", "scara", "stanford-arm", "puma560", "random:7:12"])
def test_correct_code_in_the_root_s_frame_agrees(spec: str) -> None:
    """At rest, at quarter turns, at tiny and at large positions, and fast."""
    judged = verdicts(InTheRootFrame(), find_mechanism(spec))
    assert set(judged) == {name for name in vars(InTheRootFrame) if name in QUANTITIES}
    assert set(judged.values()) == {"agrees"}, judged


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_reference_agrees_on_every_joint(seed: int) -> None:
    judged = verdicts(REFERENCE, random_mechanism(seed, 9, MOVING, free_base=seed == 2), states=49)
    assert judged == dict.fromkeys(KINEMATICS, "agrees")


# Wrong code


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("half", [slice(0, 3), slice(3, 6)], ids=["angular", "linear"])
@pytest.mark.parametrize("quantity", KINEMATICS)
def test_the_twelfth_digit_is_noticed(altered: Any, quantity: str, half: slice) -> None:
    """Sizes are no larger than what they are the sizes of."""
    six = [k for k, axis in enumerate(QUANTITIES[quantity].axes, 1) if axis in (MOTION, MOMENTUM)]

    def off(right: Array, *state: Array) -> Array:
        part = right[(slice(None),) * six[0] + (half,)] if six else right
        part *= 1 + 1e-12
        return right

    assert wrong(altered(**{quantity: off})) == {quantity}


def _other(name: str) -> Callable[..., Array]:
    """The answer to another question of the same arguments."""
    return lambda right, *state: getattr(REFERENCE.load(EVERY), name)(*state)


def _without_centripetal(right: Array, q: Array, v: Array, a: Array) -> Array:
    return REFERENCE.load(EVERY).accelerations_aligned(q, v, a)


def _about_the_root(right: Array, q: Array, v: Array, a: Array, f: Array) -> Array:
    """Takes f to act at the root's origin, along the body's axes."""
    T = REFERENCE.load(EVERY).placements(q)
    arm = np.einsum("bnji,bnj->bni", T[..., :3], -T[..., 3])
    moved = np.concatenate([f[..., :3] + np.cross(arm, f[..., 3:]), f[..., 3:]], axis=2)
    return REFERENCE.load(EVERY).inverse_dynamics_with_forces(q, v, a, moved)


def _along_the_root_s_axes(right: Array, q: Array, v: Array, a: Array, f: Array) -> Array:
    R = REFERENCE.load(EVERY).placements(q)[..., :3]
    turned = np.concatenate([np.einsum("bnji,bnj->bni", R, x) for x in np.split(f, 2, axis=2)], axis=2)
    return REFERENCE.load(EVERY).inverse_dynamics_with_forces(q, v, a, turned)


def _with_gravity(right: Array, q: Array, v: Array, a: Array) -> Array:
    """What an accelerometer says."""
    T = REFERENCE.load(EVERY).placements(q)
    felt = right.copy()
    felt[..., 3:] -= np.einsum("bnji,j->bni", T[..., :3], np.array(EVERY.gravity, float))
    return felt


def _about_the_root_s_origin(right: Array, q: Array, v: Array) -> Array:
    c = REFERENCE.load(EVERY).center_of_mass(q)
    return np.concatenate([right[:, :3] + np.cross(c, right[:, 3:]), right[:, 3:]], axis=1)


FAULTS: dict[str, tuple[str, Callable[..., Array]]] = {
    "a placement the wrong way round": ("placements", lambda right, q: _inverse(right)),
    "linear first": ("velocities_local", lambda right, *state: np.roll(right, 3, axis=2)),
    "the twist for the velocity of the origin": ("velocities_aligned", _other("velocities_world")),
    "the velocity of the origin for the twist": ("velocities_world", _other("velocities_aligned")),
    "the body's axes for the root's": ("velocities_aligned", _other("velocities_local")),
    "a Jacobian in the wrong frame": ("jacobians_local", _other("jacobians_aligned")),
    "no ω × v in the classical acceleration": ("classical_accelerations", _without_centripetal),
    "the classical acceleration for the spatial": ("accelerations_aligned", _other("classical_accelerations")),
    "gravity in an acceleration": ("accelerations_local", _with_gravity),
    "the spatial drift of the aligned frame": (
        "drifts_aligned",
        lambda right, q, v: REFERENCE.load(EVERY).accelerations_aligned(q, v, 0 * v),
    ),
    "momentum about the root's origin": ("centroidal_momentum", _about_the_root_s_origin),
    "a wrench about the wrong point": ("inverse_dynamics_with_forces", _about_the_root),
    "a wrench along the wrong axes": ("inverse_dynamics_with_forces", _along_the_root_s_axes),
    "forces that push the other way": (
        "inverse_dynamics_with_forces",
        lambda right, q, v, a, f: 2 * REFERENCE.load(EVERY).inverse_dynamics(q, v, a) - right,
    ),
    "forces forgotten": (
        "inverse_dynamics_with_forces",
        lambda right, q, v, a, f: REFERENCE.load(EVERY).inverse_dynamics(q, v, a),
    ),
}


def _inverse(T: Array) -> Array:
    back = T[..., :3].swapaxes(2, 3)
    return np.concatenate([back, -back @ T[..., 3:]], axis=3)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_commonly_got_wrong_is_caught(altered: Any, fault: str) -> None:
    quantity, change = FAULTS[fault]
    assert wrong(altered(**{quantity: change})) == {quantity}


def test_a_cell_names_body_and_component(altered: Any) -> None:
    def off(right: Array, q: Array, v: Array) -> Array:
        right[:, 2, 4] += 1
        return right

    settings = Settings(states=7, quantities=("velocities_local", "jacobians_world"), invariants=False)
    columns = {"velocities_local": off, "jacobians_world": lambda right, q: right * (np.arange(EVERY.nv) != 3)}
    document = check([("one", EVERY)], [Entry("mine", "mine", InProcess(altered(**columns)))], settings, explain=False).document()
    velocity, jacobian = (cell["worst"]["coordinate"] for cell in document["cells"])
    assert velocity == "body3, vy"
    assert jacobian.endswith(f", {EVERY.coordinates[3]}")


def test_a_group_s_name_stands_for_its_quantities() -> None:
    assert expand_groups(["gravity", "kinematics", "placements", "nonsense"]) == ("gravity", *KINEMATICS, "nonsense")
    assert expand_groups(["dynamics", "kinematics", "derivatives", "regressors"]) == expand_groups(["usual"]) == USUAL


def test_a_user_offers_what_there_is() -> None:
    """Functions of one state; f comes as (bodies, 6)."""

    def velocities_world(mechanism: Mechanism, q: Array, v: Array) -> Array:
        return REFERENCE.load(mechanism).velocities_world(q[None], v[None])[0]

    def inverse_dynamics_with_forces(mechanism: Mechanism, q: Array, v: Array, a: Array, f: Array) -> Array:
        assert f.shape == (len(mechanism.bodies), 6)
        return REFERENCE.load(mechanism).inverse_dynamics_with_forces(q[None], v[None], a[None], f[None])[0]

    functions = (velocities_world, inverse_dynamics_with_forces)
    mine = as_implementation(SimpleNamespace(**{function.__name__: function for function in functions}), "mine", "mine")
    assert verdicts(mine, EVERY, states=7) == {function.__name__: "agrees" for function in functions}


def test_what_has_no_mass_is_compared_in_everything_else() -> None:
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute", armature=1)),))
    judged = verdicts(REFERENCE, rotor, states=7)
    assert judged == {name: "unsupported" if "cent" in name else "agrees" for name in KINEMATICS}
    settings = Settings(states=7, quantities=KINEMATICS, invariants=False)
    (mechanism,) = check([("one", rotor)], [], settings).document()["mechanisms"]
    assert mechanism["bridge"].keys() == {name for name in KINEMATICS if "cent" not in name}


# Certificates


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_the_reference_is_proven_for_every_joint(kind: Any) -> None:
    certificate = prove(random_mechanism(6, 3, (kind,)), kind, quantities=KINEMATICS)
    assert certificate.verdict == "proven"
    assert list(certificate.quantities) == list(KINEMATICS)


def test_a_certificate_refutes_what_is_wrong() -> None:
    """The classical acceleration without ω × v, and a force that acts on its body's parent."""
    spatial = ALGORITHMS["accelerations_aligned"]

    def shifted(model: Any, q: Array, v: Array, a: Array, f: Array) -> Array:
        return ALGORITHMS["inverse_dynamics_with_forces"](model, q, v, a, np.roll(f, -1, axis=0))

    faulty = {"classical_accelerations": spatial, "inverse_dynamics_with_forces": shifted}
    proofs = prove(random_mechanism(6, 3, ("revolute",)), "mine", algorithms=faulty, quantities=KINEMATICS).quantities
    assert {name: proof.verdict for name, proof in proofs.items()} == dict.fromkeys(faulty, "refuted")
    # The first body turns about its own origin, which stands still.
    assert proofs["classical_accelerations"].witness.component == (1, 3)
