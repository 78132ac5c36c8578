"""Lemma 1: the joint. It is the only lemma in which a kind of joint has equations of its own.

    A = [Eᵀ r],   E = E_J E_T,   E_J and E_T are rotations
    ∂ₖA = A [Sₖ],   Ȧ = A [v_J],   Ä = A [S q̈ + c_J] + Ȧ [v_J] = A ([S q̈ + c_J] + [v_J]²)

A, Ȧ, Ä and ∂ₖA are what the oracle computes from D, ∂D and ∂∂D; E, r, S and c_J are the reference's. Ȧ and Ä are also the rates
of A and Ȧ: the oracle computes A and Ȧ with dual numbers, where the position moves at the rate q̇ and the velocity at the rate q̈.
"""

from __future__ import annotations

import numpy as np

from cross_check.prove.proof.generic import generic_state
from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import Position, bracket, times, transposed
from implementations.spatial_algebra.jcalc import jcalc, joint_transform, velocity_product
from implementations.spatial_algebra.model import build as build_model
from implementations.spatial_algebra.spatial import cross, mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets.differentiation import Derivatives
from oracle.by_jets.joint_jets import following
from oracle.by_jets.system import build as build_system
from oracle.by_jets.transforms import joint_acceleration, joint_position, joint_velocity


def joint(kind: Kind, p: Position) -> Equations:
    """One joint of this kind, with a free axis, placement, pitch, position, velocity and acceleration."""
    mechanism = p.mechanism((-1,), (kind,))
    drawn = generic_state(mechanism, p.field.tape.input)
    q, v, a = (np.array(drawn[name], object)[:, None] for name in "qva")

    link = build_model(mechanism, p.field).links[0]
    X, S = joint_transform(link, q, p.field)
    vJ, aJ = mul(S, v), mul(S, a)
    if link.compound:
        aJ = aJ + velocity_product(S, v)

    of_oracle = build_system(mechanism, p.field).links[0]
    B, part = following(of_oracle.joint, of_oracle.mimic, q, p.field)
    A, dA = joint_position(B, part)
    A1, _, rate = joint_velocity(B, part, v)
    A2 = joint_acceleration(B, part, rate, v, a)

    XJ, _ = jcalc(link, q, p.field)
    yield "A = [Eᵀ r]", A, np.concatenate([transposed(X.E), X.r[:, None]], 1)
    yield "E = E_J E_T", X.E, times(XJ.E, link.XT.E)
    for name, E in (("E_J", XJ.E), ("E_T", link.XT.E)):
        yield f"{name} {name}ᵀ = 1", times(E, transposed(E)), np.eye(3, dtype=int)[..., None]
        yield f"the rows of {name} are right-handed", cross(E[0], E[1]), E[2]
    yield "∂ₖA = A [Sₖ]", dA, times(A, bracket(S))
    yield "Ȧ = A [v_J]", A1, times(A, bracket(vJ))
    yield "Ä = A [S q̈ + c_J] + Ȧ [v_J]", 2 * A2, times(A, bracket(aJ)) + times(A1, bracket(vJ))

    moving = Derivatives(mechanism, p.field)
    q_moving, v_moving = moving.moving(q, v[:, None]), moving.duals.with_rates(v, a[:, None])
    of_oracle = moving.system.links[0]
    B, part = following(of_oracle.joint, of_oracle.mimic, q_moving, moving.duals)
    yield "the rate of A is Ȧ", moving.duals.rates(joint_position(B, part)[0], 1)[..., 0, :], A1
    yield "the rate of Ȧ is Ä", moving.duals.rates(joint_velocity(B, part, v_moving)[0], 1)[..., 0, :], 2 * A2
