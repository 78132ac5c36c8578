"""Free joints: Euler's equations, and Pinocchio for what is tied to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, textbook
from mechanisms.generate import random_mechanism


def test_a_rigid_body_obeys_euler_and_newton() -> None:
    """n = I ω̇ + ω × I ω and f = m (v̇ + ω × v − Rᵀ g), in the body's frame, for every inertia and every pose."""
    m, A, B, C, D, E, F, g = sympy.symbols("m A B C D E F g")
    body = Body("body", "world", Joint("free", "free"), Inertia(m, (0, 0, 0), (A, B, C, D, E, F)))
    e = oracle.derive(Mechanism("body", (body,), gravity=(0, 0, -g))).symbolic()
    I, w, v = sympy.Matrix([[A, D, E], [D, B, F], [E, F, C]]), e.v[:3, 0], e.v[3:, 0]
    n = I * e.a[:3, 0] + w.cross(I * w)
    x, y, z, s = e.q[3:]
    third_row = sympy.Matrix([2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x**2 + y**2)])
    f = m * (e.a[3:, 0] + w.cross(v) + g * third_row)
    assert (e.tau - sympy.Matrix([*n, *f])).expand() == sympy.zeros(6, 1)
    assert e.T.expand() == ((w.T * I * w)[0] / 2 + m * v.dot(v) / 2).expand()


CASES = {
    "body": textbook.free_rigid_body,
    "with a link": textbook.floating_base_link,
    "with a tree": lambda: random_mechanism(8, 5, free_base=True),
    "inside": lambda: random_mechanism(0, 3, kinds=("free", "revolute"), shape="chain", tilted_gravity=True),
    "twice": lambda: random_mechanism(0, 2, kinds=("free",), shape="chain"),
}


@pytest.mark.engines
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_pinocchio(case: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    mechanism = CASES[case]()
    model, order = _pinocchio(pin, mechanism)
    data, draw = model.createData(), np.random.default_rng(5)
    q = draw.normal(size=(4, mechanism.nq))
    v, a = draw.normal(size=(2, 4, mechanism.nv))
    e = oracle.Evaluator(oracle.derive(mechanism))
    tau, M, T, V = e.inverse_dynamics(q, v, a), e.mass_matrix(q), e.kinetic_energy(q, v), e.potential_energy(q)
    damping = np.array([float(body.joint.damping) for body in mechanism.bodies for _ in range(body.joint.nv)])
    for b in range(4):
        unit = pin.normalize(model, q[b])
        theirs = pin.rnea(model, data, unit, v[b][order], a[b][order])
        np.testing.assert_allclose((tau[b] - damping * v[b])[order], theirs, rtol=1e-11, atol=1e-11)
        their_M = pin.crba(model, data, unit)
        np.testing.assert_allclose(M[b][np.ix_(order, order)], their_M, rtol=1e-11, atol=1e-11)
        assert T[b] == pytest.approx(v[b][order] @ their_M @ v[b][order] / 2, rel=1e-11)
        assert V[b] == pytest.approx(pin.computePotentialEnergy(model, data, unit), rel=1e-11)


def _pinocchio(pin: Any, mechanism: Mechanism) -> tuple[Any, list[int]]:
    """The model, and for every velocity of Pinocchio's (linear first) the index of ours (angular first)."""
    model, ids, order = pin.Model(), {mechanism.root: 0}, []
    model.gravity.linear = np.array(mechanism.gravity, float)
    for body, v in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        joint, axis = body.joint, np.array(body.joint.axis, float)
        made = {
            "free": lambda: pin.JointModelFreeFlyer(),
            "revolute": lambda axis=axis: pin.JointModelRevoluteUnaligned(axis),
            "prismatic": lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
        }[joint.kind]()
        placement = pin.SE3(np.array(joint.placement.rotation.matrix, float), np.array(joint.placement.translation, float))
        i = ids[body.name] = model.addJoint(ids[body.parent], made, placement, joint.name)
        inertia = pin.Inertia(float(body.inertia.mass), np.array(body.inertia.com, float), np.array(body.inertia.matrix, float))
        model.appendBodyToJoint(i, inertia, pin.SE3.Identity())
        mine = list(range(v.start, v.stop))
        order += mine[3:] + mine[:3] if joint.kind == "free" else mine
        assert model.joints[i].idx_v == v.start
        if joint.nv == 1:
            model.armature[v.start] = float(joint.armature)
    return model, order
