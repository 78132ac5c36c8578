"""The Euler–Lagrange equations of a mechanism, exactly.

    τ = d/dt ∂L/∂q̇ − ∂L/∂q + D q̇ + F sign q̇,        L = E_kin − V,        E_kin = ½ Σᵢⱼ Mᵢⱼ q̇ᵢ q̇ⱼ        (text 001)

V has ½ stiffness (q − rest)² of every spring. M, its derivatives and V give the equations (docs/notes/mass-matrix.md, eqs. 1–4);
:mod:`oracle.symbolic.equations_of_motion` puts them together. q is δ for a joint whose velocity is the body's own. The entries of
M for coordinate k of joint j, and coordinate l of a joint i in the subtree of j, are (eqs. 5–9)

    Mₗₖ = tr(𝒥ᵢ Aᵢᵀ K_λ(i) Bᵢ ∂ₗDᵢ),        Mₗₖ = tr(𝒥ⱼ ∂ₖDⱼᵀ ∂ₗDⱼ) for i = j
    Kⱼ = ∂ₖDⱼᵀ Dⱼ,        Kᵢ = Aᵢᵀ K_λ(i) Aᵢ,        A = B D
    𝒥ᵢ = Jᵢ + Σ A 𝒥 Aᵀ over the children of i, the composite pseudo-inertia

So no entry contains the joints between the root and j, and polynomials stay small. A coordinate that moves mimic joints too has
the sum of the entries of all its joints. :func:`is_small` says which mechanisms are small enough for this.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mechanisms import Joint, Mechanism
from oracle.symbolic import energies
from oracle.symbolic.energies import add, product, trace, transpose
from oracle.symbolic.equations_of_motion import Equations
from oracle.symbolic.ring import Matrix, Poly, Ring, spring_position

LIMIT = 5000
"""A generic 6R arm has an estimate of 3906 and takes a tenth of a second; each further joint takes five times as long."""

ENTRIES = 20
"""So many entries of the derivatives of M that are zero take the time of one monomial."""

ROTATIONS = {"angle": 5, "quaternion": 25}
TRANSLATIONS = {0: 1, 2: 6, 3: 4}
"""Factors for the pose of a joint whose velocity is the body's own, by its rotation and its number of distances, which give
the order of size."""


def derive(mechanism: Mechanism) -> Equations:
    """The equations of motion of ``mechanism``, as polynomials in the ring of :mod:`oracle.symbolic.ring`.

    Any tree of any joints is accepted. The work grows with the number of terms; :func:`oracle.is_small` estimates it.
    Raises :class:`oracle.errors.OracleError` if the equations are not polynomial in a symbol.
    """
    ring = Ring(mechanism)
    bodies, parents, n = mechanism.bodies, mechanism.parents, mechanism.nv
    joints = list(zip((body.joint for body in bodies), mechanism.q_slices, mechanism.v_slices, strict=True))
    B = [energies.fixed_part(ring, joint, q) for joint, q, _ in joints]
    D = [energies.moving_part(ring, joint, q, v) for joint, q, v in joints]
    dD = {(i, k): energies.diff(ring, D[i], k) for i, (_, _, v) in enumerate(joints) for k in range(v.start, v.stop)}
    A = [product(ring, fixed, moving) for fixed, moving in zip(B, D, strict=True)]
    zero = ring.number(0)

    J = [energies.pseudo_inertia(ring, body.inertia) for body in bodies]
    W = [energies.weighed(ring, body) for body in bodies]
    moment: Matrix = ((zero,),) * 4
    for i in reversed(range(len(bodies))):
        outboard = product(ring, A[i], W[i])
        if parents[i] < 0:
            moment = add(moment, outboard)
        else:
            J[parents[i]] = add(J[parents[i]], product(ring, A[i], J[i], transpose(A[i])))
            W[parents[i]] = add(W[parents[i]], outboard)
    V = ring.normal(-sum((ring.number(g) * row[0] for g, row in zip(mechanism.gravity, moment, strict=False)), zero))

    M = [[zero] * n for _ in range(n)]
    for j, (_, _, rows) in enumerate(joints):
        for k in range(rows.start, rows.stop):
            for l in range(rows.start, k + 1):
                M[k][l] += trace(ring, J[j], product(ring, transpose(dD[j, k]), dD[j, l]))
            K = {j: product(ring, transpose(dD[j, k]), D[j])}
            for i in range(j + 1, len(bodies)):
                if parents[i] not in K:
                    continue
                left = product(ring, transpose(A[i]), K[parents[i]])
                for l in range(joints[i][2].start, joints[i][2].stop):
                    entry = trace(ring, J[i], product(ring, left, B[i], dD[i, l]))
                    # A mimic joint may carry or follow its leader; then both entries are those of one coordinate.
                    M[max(k, l)][min(k, l)] += 2 * entry if k == l else entry
                K[i] = product(ring, left, A[i])
    for joint, q, _ in joints:
        if joint.stiffness != 0:
            k, c = (joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else (1, 0)
            stretch = ring.number(k) * ring.gen(spring_position(q)) + ring.number(c - joint.rest)
            V += ring.number(joint.stiffness / 2) * stretch**2
    damping, friction = [zero] * n, [zero] * n
    for joint, _, v in joints:
        square = ring.number(joint.mimic.multiplier**2) if joint.mimic else ring.number(1)
        for k in range(v.start, v.stop):
            M[k][k] += square * ring.number(joint.armature)
            damping[k] += square * ring.number(joint.damping)
            if joint.friction != 0:
                friction[k] += ring.number(joint.friction * abs(joint.mimic.multiplier if joint.mimic else 1))

    return Equations(
        mechanism=mechanism,
        ring=ring,
        M=_symmetric(n, lambda i, j: ring.present(M[i][j])),
        dM=tuple(_symmetric(n, lambda i, j, k=k: ring.present(ring.diff(M[i][j], k))) for k in range(n)),  # type: ignore[misc]
        g=tuple(ring.present(ring.diff(V, k)) for k in range(n)),
        V=ring.present(V),
        damping=tuple(damping),
        friction=tuple(friction),
    )


def _symmetric(n: int, entry: Callable[[int, int], Poly]) -> Matrix:
    """The symmetric matrix whose lower triangle is given by ``entry``."""
    lower = [[entry(i, j) for j in range(i + 1)] for i in range(n)]
    return tuple(tuple(lower[max(i, j)][min(i, j)] for j in range(n)) for i in range(n))


def monomials(joint: Joint) -> int:
    """How many monomials of degree two one joint's generators have."""
    if joint.velocity_is_body_twist:
        return ROTATIONS[joint.slots[-1].form] * TRANSLATIONS[joint.description.distances]
    # An angle: 1 c s c² cs; a distance: 1 x x²; an angle that advances: 1 c s x c² cs cx sx x².
    return math.prod(3 if slot.form == "distance" else 9 if slot.advances else 5 for slot in joint.slots)


def estimated_size(mechanism: Mechanism) -> int:
    """The order of the number of monomials of the largest polynomials, from the tree alone.

    Every joint of a subtree enters the subtree's composite pseudo-inertia with degree two. Along a chain the numbers of
    monomials multiply, and where branches meet they add.
    """
    parents = mechanism.parents
    subtree = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            subtree[parents[i]] += monomials(mechanism.bodies[i].joint) * subtree[i]
    return sum(size for size, parent in zip(subtree, parents, strict=True) if parent < 0)


def is_small(mechanism: Mechanism) -> bool:
    """Whether the symbolic derivation of ``mechanism`` takes seconds at most, also with exact floats from a URDF.

    The derivatives of M are nv³ polynomials, and making them takes time although most are zero.
    """
    return estimated_size(mechanism) + mechanism.nv**3 // ENTRIES <= LIMIT
