"""The Euler–Lagrange equations of a mechanism, exactly.

    τ = d/dt ∂L/∂q̇ − ∂L/∂q + D q̇,        L = T − V                                    (text 001)

As Ṫᵦ = Σᵢ ∂ᵢTᵦ q̇ᵢ, the kinetic energy is the quadratic form T = ½ Σᵢⱼ Mᵢⱼ q̇ᵢ q̇ⱼ with

    Mᵢⱼ = Σᵦ tr(∂ᵢTᵦ Jᵦ ∂ⱼTᵦᵀ) + armatureᵢ [i = j].

Then d/dt ∂L/∂q̇ᵢ = Σⱼ Mᵢⱼ q̈ⱼ + Σⱼₖ ∂ₖMᵢⱼ q̇ₖ q̇ⱼ and ∂L/∂qᵢ = ½ Σⱼₖ ∂ᵢMⱼₖ q̇ⱼ q̇ₖ − ∂ᵢV: once M, its derivatives and V are
known, the rest is bookkeeping (:mod:`oracle.symbolic.equations_of_motion`). q is each joint's coordinate, and δ for a free joint.

Two facts spare the polynomials all joints that do not matter, so that 6R takes a fraction of a second. Let joint i lie
beyond joint j (or be it), ∂ₖ belong to j and ∂ₗ to i, and let Tⱼᵢ lead from just before Dⱼ to body i.

- Both ∂ₖTᵦ and ∂ₗTᵦ start with the rigid transform of everything before Dⱼ, and end in a zero last row. So only that
  transform's rotation acts, and tr(R X Rᵀ) = tr X: it may be left out.
- The bodies beyond i enter through one matrix, their composite pseudo-inertia 𝒥ᵢ = Σᵦ Tᵢᵦ Jᵦ Tᵢᵦᵀ in i's frame.

Hence Mₗₖ = tr(∂ₗTⱼᵢ 𝒥ᵢ ∂ₖTⱼᵢᵀ) = tr(𝒥ᵢ ∂ₖTⱼᵢᵀ ∂ₗTⱼᵢ), and K = ∂ₖTⱼᵢᵀ Tⱼᵢ is carried outwards from joint to joint.
"""

from __future__ import annotations

from collections.abc import Callable

from mechanisms import Mechanism
from oracle.symbolic import energies
from oracle.symbolic.energies import add, product, trace, transpose
from oracle.symbolic.equations_of_motion import Equations
from oracle.symbolic.ring import Matrix, Poly, Ring


def derive(mechanism: Mechanism) -> Equations:
    """The equations of motion of ``mechanism``, as polynomials in the ring of :mod:`oracle.symbolic.ring`.

    Any tree of any joints is accepted; the work grows with the number of terms, of which :func:`oracle.is_small` has an
    estimate. Raises :class:`OracleError` for symbols that enter other than polynomially.
    """
    ring = Ring(mechanism)
    bodies, parents, n = mechanism.bodies, mechanism.parents, mechanism.nv
    slices = list(zip((body.joint for body in bodies), mechanism.q_slices, mechanism.v_slices, strict=True))
    B = [energies.fixed_part(ring, joint, q) for joint, q, _ in slices]
    D = [energies.moving_part(ring, joint, q, v) for joint, q, v in slices]
    dD = {k: energies.diff(ring, D[i], k) for i, (_, _, v) in enumerate(slices) for k in range(v.start, v.stop)}
    A = [product(ring, fixed, moving) for fixed, moving in zip(B, D, strict=True)]
    zero = ring.number(0)

    J = [energies.pseudo_inertia(ring, body.inertia) for body in bodies]
    moment: Matrix = ((zero,),) * 4
    for i in reversed(range(len(bodies))):
        if parents[i] < 0:
            moment = add(moment, product(ring, A[i], tuple(row[3:] for row in J[i])))
        else:
            J[parents[i]] = add(J[parents[i]], product(ring, A[i], J[i], transpose(A[i])))
    V = ring.normal(-sum((ring.number(g) * row[0] for g, row in zip(mechanism.gravity, moment, strict=False)), zero))

    M = [[zero] * n for _ in range(n)]
    for j, (_, _, rows) in enumerate(slices):
        for k in range(rows.start, rows.stop):
            for l in range(rows.start, k + 1):
                M[k][l] = trace(ring, J[j], product(ring, transpose(dD[k]), dD[l]))
            K = {j: product(ring, transpose(dD[k]), D[j])}
            for i in range(j + 1, len(bodies)):
                if parents[i] not in K:
                    continue
                left = product(ring, transpose(A[i]), K[parents[i]])
                for l in range(slices[i][2].start, slices[i][2].stop):
                    M[l][k] = trace(ring, J[i], product(ring, left, B[i], dD[l]))
                K[i] = product(ring, left, A[i])
    for joint, _, v in slices:
        for k in range(v.start, v.stop):
            M[k][k] += ring.number(joint.armature)

    return Equations(
        mechanism=mechanism,
        ring=ring,
        M=_symmetric(n, lambda i, j: ring.present(M[i][j])),
        dM=tuple(_symmetric(n, lambda i, j, k=k: ring.present(ring.diff(M[i][j], k))) for k in range(n)),  # type: ignore[misc]
        g=tuple(ring.present(ring.diff(V, k)) for k in range(n)),
        V=ring.present(V),
        damping=tuple(ring.number(joint.damping) for joint, _, v in slices for _ in range(v.start, v.stop)),
    )


def _symmetric(n: int, entry: Callable[[int, int], Poly]) -> Matrix:
    """The symmetric matrix of ``entry``, which is asked only for its lower triangle."""
    lower = [[entry(i, j) for j in range(i + 1)] for i in range(n)]
    return tuple(tuple(lower[max(i, j)][min(i, j)] for j in range(n)) for i in range(n))
