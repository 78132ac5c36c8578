"""The centre of mass and the momentum about it, from the transforms and pseudo-inertias of the bodies alone, over any field.

With T of :mod:`oracle.by_jets.transforms` and the pseudo-inertia J = ∫ x xᵀ dm of :mod:`oracle.symbolic.energies`,

    m c = Σ T J e₄,      ∫ ẋ (x − c)ᵀ dm = Σ Ṫ J Tᵀ − l cᵀ,      l = ∫ ẋ dm = Σ Ṫ J e₄,

and the angular momentum k about c is twice the axial vector of the second. Rates are read from the series of T in time.
Derivatives by q and v are in :mod:`oracle.by_jets.differentiation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from oracle.by_jets.jets import Jet, mul
from oracle.by_jets.motions import axial
from oracle.by_jets.system import System
from oracle.by_jets.transforms import along_coordinates, in_time
from oracle.fields import Array


def center_of_mass(system: System, q: Array) -> Array:
    """c (3, batch) of all bodies, in the root's frame."""
    return center(system, in_time(system, q)).now[:, 0]


def center_of_mass_velocity(system: System, q: Array, v: Array) -> Array:
    """ċ (3, batch)."""
    return center(system, in_time(system, q, v)).rate.now[:, 0]


def center_of_mass_acceleration(system: System, q: Array, v: Array, a: Array) -> Array:
    """c̈ (3, batch)."""
    return center(system, in_time(system, q, v, a)).rate.rate.now[:, 0]


def center_of_mass_jacobian(system: System, q: Array) -> Array:
    """J with ċ = J v (3, nv, batch)."""
    return center(system, [T.rate for T in along_coordinates(system, q)]).now[:, 0]


def centroidal_momentum(system: System, q: Array, v: Array) -> Array:
    """Angular momentum about the centre of mass, and momentum (6, batch), along the root's axes. Rotors are left out."""
    return momentum(system, in_time(system, q, v)).now


def centroidal_momentum_rate(system: System, q: Array, v: Array, a: Array) -> Array:
    """The rate of :func:`centroidal_momentum` (6, batch)."""
    return momentum(system, in_time(system, q, v, a)).rate.now


def centroidal_momentum_matrix(system: System, q: Array) -> Array:
    """The matrix A with A v = :func:`centroidal_momentum` (6, nv, batch)."""
    return momentum(system, along_coordinates(system, q)).now


def center(system: System, T: Sequence[Jet]) -> Jet:
    """c (3, 1, …, batch), or its derivatives, from the transforms of all bodies, or from theirs."""
    first = reduce(add, (x.each(partial(mul, b=link.J[:, 3:])) for x, link in zip(T, system.links, strict=True)))
    mass: Any = sum(link.J[3, 3] for link in system.links)
    return first.each(lambda x: x / mass)


def momentum(system: System, T: Sequence[Jet]) -> Jet:
    """The momentum (6, …, batch) of bodies with the transforms T (3, 4, …, batch), of one order less."""
    weighted = [x.rate.each(partial(mul, b=link.J)) for x, link in zip(T, system.links, strict=True)]
    whole = reduce(add, (x @ place.each(_transposed) for x, place in zip(weighted, T, strict=True)))
    l = reduce(add, (x.each(lambda x: x[:, 3:]) for x in weighted))
    about_origin = l @ center(system, [x.shorter for x in T]).each(_transposed)
    N = whole + about_origin.each(np.negative)
    return Jet(*(np.concatenate([axial(turning), x[:, 0]]) for turning, x in zip(N.terms, l.terms, strict=False)))


def _transposed(x: Array) -> Array:
    return x.swapaxes(0, 1)
