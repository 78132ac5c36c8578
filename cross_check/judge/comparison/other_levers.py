"""Longer levers than those of the error scale: what they cost in digits, and whether the code has them.

The error scale measures distances R from where the tree of a body stands. Code may take moments about other points, and sum terms
with longer levers. A right answer of it may be off by any number of ε-units. A :class:`Lever` declares one such way to compute:

- **about the centre of mass**: the motions or moments of a whole tree, about its centre of mass. Every distance is longer by
  that of the centre of mass, at most C = Σ m (R + c) / Σ m over the tree (docs/notes/error-scale.md, eq. 37);
- **about the world's origin**: everything. R then has all placements on the path, also those that no joint turns (eq. 65).

A cell is explained by a lever only if all of these hold:

1. With the lever, no error is above the bar, but for what follows from lengths of rotations
   (:mod:`cross_check.judge.comparison.rotation_lengths`).
2. The code loads a mechanism that has not this lever, and answers again: with the mass of every tree at the origin of its first
   body, with heavy first bodies, or standing at the world's origin. There no error is above the bar. If the true values are
   others there, no component that is explained is larger.
3. Errors that come from a far place are scattered (:mod:`cross_check.judge.comparison.scatter`): the code loads mechanisms that
stand
   farther away, and answers at neighbours of the states. There distances are rounded in another way, and a wrong term, in units
   of the lever, is nearly the same.

So a wrong term, a wrong placement or a wrong entry stays what it is in the second experiment, and now is far above the bar of the
shorter lever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compared_at
from cross_check.judge.comparison.rotation_lengths import without_lengths
from cross_check.judge.comparison.scatter import ROUND, ROUNDINGS, at_random_neighbours, is_scattered
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.judge.error_scale.standing import From, is_carried, measured_from, standing
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Inertia, Mechanism, Placement
from mechanisms.errors import MechanismError
from mechanisms.files.by_form import source_of
from mechanisms.numbers.exact import Scalar, Vector
from mechanisms.quantities import QUANTITIES, Quantity

OF_BODIES = ("jacobians", "velocities", "accelerations", "classical_accelerations", "drifts")

FAMILIES = (*OF_BODIES, *(f"frame_{family}" for family in OF_BODIES))
"""Motions of bodies and of frames: they do not depend on masses."""

SMALL = 2.0**-40
"""The mass of other bodies than the first, in kg. Engines refuse bodies without mass."""

HEAVY = 2**20
"""First bodies are so many times as heavy as all others together, where the inertia matters: every other body keeps its own."""

LARGER = 1.5
"""Where first bodies are heavy, the size of a component that is above the bar may be so many times as large: what is wrong in it
is seen there, too. The first bodies' own components are larger."""

FARTHEST = 2.5
"""Mechanisms stand up to so many times as far away, to see whether errors are scattered: there is another spacing of numbers."""

LARGEST_STEP = 2.0**-10
"""The largest step to neighbours at such places, relative to numbers above one."""


class AboutTheCenterOfMass(MotionMagnitudes):
    """The bounds of code that takes motions about the centre of mass of their tree."""

    def distances(self, q: Array) -> Array:
        """R + C; R alone in derivatives of bounds, so that their sizes are no larger than they were shown to be needed."""
        R, first = super().distances(q), list[int]()
        if np.iscomplexobj(R):
            return R
        for body, λ in enumerate(self.mechanism.parents):
            first.append(first[λ] if λ >= 0 else body)
        # C of a tree is zero if it has no mass.
        mass, moment = (self.outboard(x)[..., first, :] for x in (self.masses, self.masses * (R + self.c)))
        return R + moment / np.where(mass > 0, mass, 1.0)


class AboutTheWorldsOrigin(MotionMagnitudes):
    """The bounds of code that takes all moments about the world's origin."""

    def __init__(self, mechanism: Mechanism, lever: float = 0.0) -> None:
        super().__init__(mechanism, lever)
        self.standing = super().measured_from("world").standing

    def measured_from(self, origin: From) -> AboutTheWorldsOrigin:
        return super().measured_from("world")


class AboutBoth(AboutTheWorldsOrigin, AboutTheCenterOfMass):
    """The bounds of code that takes motions about a centre of mass that it computes from places in the world."""


@dataclass(frozen=True)
class Lever:
    """One way to compute with longer levers."""

    words: str
    bounds: type[MotionMagnitudes]
    """The sizes with the lever."""
    moved: Callable[[Mechanism, Quantity], Mechanism]
    """The mechanism without the lever."""
    bounds_there: type[MotionMagnitudes]
    """The sizes of the answers about that mechanism."""
    explains: Callable[[Mechanism, Quantity], bool]
    has_other_values: bool = False
    """Whether the true values about that mechanism are others."""
    is_far: bool = False
    """Whether it is the distance to the world's origin that is long: then errors must be scattered."""


def explained_by_levers(
    case: Case, loaded: Loaded, load: Callable[[Mechanism], Loaded], quantity: Quantity, bar: float
) -> str | None:
    """Why an answer above the bar is right, in words that quote the experiments; None if it is not so explained.

    ``load`` loads another mechanism in the same implementation. Code that cannot load it, or does not answer, is not explained.
    """
    for lever in LEVERS:
        with suppress(Unsupported, Failure, MechanismError):
            if lever.explains(case.mechanism, quantity) and (why := _explained(lever, case, loaded, load, quantity, bar)):
                return why
    return None


def _explained(
    lever: Lever, case: Case, loaded: Loaded, load: Callable[[Mechanism], Loaded], quantity: Quantity, bar: float
) -> str | None:
    there = case.sized(lever.bounds(case.mechanism))
    with_lever = _beside_lengths(there, loaded, quantity, bar)
    if not with_lever <= bar:
        return None
    moved = lever.moved(case.mechanism, quantity)
    elsewhere, answering = _case_there(lever, case, moved), load(moved)
    without = _beside_lengths(elsewhere, answering, quantity, bar)
    if not without <= bar or (lever.has_other_values and _is_larger(case, loaded, elsewhere, answering, quantity, bar)):
        return None
    if lever.is_far:
        wrong = _units(case, loaded, quantity) > bar
        if not is_scattered(_units(there, loaded, quantity), wrong, _farther(lever, there, load, quantity)):
            return None
    return lever.words.format(f"{with_lever:.2g}", f"{without:.2g}")


def contradiction_by_levers(
    mechanism: Mechanism, quantities: Sequence[Quantity], error: Callable[[Mechanism, type[MotionMagnitudes]], float], bar: float
) -> str | None:
    """Why code that contradicts itself above the bar is right, in words that quote the experiments; None if they do not show it.

    ``error`` gives the largest contradiction between answers about a mechanism, in ε-units of the sizes of some bounds. It may
    raise what loading and asking raise. Whether errors are scattered is not asked: only the truth says what one answer is off by.
    A contradiction that is gone when the code is asked again is no rounding. A lever whose second mechanism has other true values
    explains none: there a contradiction may be too small to be seen, and no single component shows it.
    """
    with suppress(Unsupported, Failure, MechanismError):
        if error(mechanism, MotionMagnitudes) <= bar:
            return None
    for lever in (one for one in LEVERS if not one.has_other_values):
        concerned = [quantity for quantity in quantities if lever.explains(mechanism, quantity)]
        with suppress(Unsupported, Failure, MechanismError):
            if concerned and (units := error(mechanism, lever.bounds)) <= bar:
                without = error(lever.moved(mechanism, concerned[0]), lever.bounds_there)
                if without <= bar:
                    return lever.words.format(f"{units:.2g}", f"{without:.2g}")
    return None


def with_mass_at_first_bodies(mechanism: Mechanism, quantity: Quantity) -> Mechanism:
    """The mechanism with the mass of every tree at the origin of its first body; all others have hardly any."""
    return _with_inertias(mechanism, "with its mass at the first body", lambda first, own: _ball(1.0 if first else SMALL))


def with_heavy_first_bodies(mechanism: Mechanism, quantity: Quantity) -> Mechanism:
    """The mechanism, in which the first body of every tree has :data:`HEAVY` times the mass of all others, at its origin."""
    heavy = _ball(HEAVY * (sum(body.inertia.mass for body in mechanism.bodies) or 1))
    return _with_inertias(mechanism, "with heavy first bodies", lambda first, own: heavy if first else own)


def _ball(mass: Scalar) -> Inertia:
    return Inertia(mass, about_com=(mass, mass, mass, 0, 0, 0))


def _with_inertias(mechanism: Mechanism, where: str, inertia: Callable[[bool, Inertia], Inertia]) -> Mechanism:
    """The mechanism with other inertias, given whether a body is the first of its tree, and its own."""
    pairs = zip(mechanism.bodies, mechanism.parents, strict=True)
    return _named(mechanism, where, bodies=tuple(replace(body, inertia=inertia(λ < 0, body.inertia)) for body, λ in pairs))


def at_the_worlds_origin(mechanism: Mechanism, quantity: Quantity) -> Mechanism:
    """The mechanism with its trees at the world's origin."""
    return standing_at(mechanism, quantity, 0.0)


def standing_at(mechanism: Mechanism, quantity: Quantity, factor: float) -> Mechanism:
    """The mechanism, whose trees are ``factor`` times as far from the world's origin. What lies on the root moves with it.

    Trees keep their places relative to each other if the quantity, or a constraint, depends on them.
    """
    first = mechanism.bodies[0].joint.placement.translation
    together = measured_from(quantity) == "mechanism" or bool(mechanism.constraints)

    def moved(placement: Placement, place: Vector) -> Placement:
        there = (x + Fraction(float(y) * factor) - y for x, y in zip(placement.translation, place, strict=True))
        return replace(placement, translation=tuple(there))

    def of_body(i: int, placement: Placement) -> Placement:
        if together:
            return moved(placement, first) if mechanism.parents[i] < 0 else placement
        return moved(placement, placement.translation) if carried[i] else placement

    carried = is_carried(mechanism)
    bodies = (
        replace(body, joint=replace(body.joint, placement=of_body(i, body.joint.placement)))
        for i, body in enumerate(mechanism.bodies)
    )
    names = {body.name for body in mechanism.bodies}
    constraints = (
        one.placed(lambda name, placement: placement if name in names else moved(placement, first))
        for one in mechanism.constraints
    )
    where = f"standing {factor:.6g} times as far away"
    return _named(mechanism, where, bodies=tuple(bodies), constraints=tuple(constraints))


def _named(mechanism: Mechanism, where: str, **changed: Any) -> Mechanism:
    """The changed mechanism under a name of its own, with a file of its own if the other was read from one."""
    moved = replace(mechanism, name=f"{mechanism.name} {where}", read_from=None, **changed)
    return replace(moved, read_from=source_of(moved)) if mechanism.source else moved


def _farther(lever: Lever, case: Case, load: Callable[[Mechanism], Loaded], quantity: Quantity) -> Callable[[Array], Array]:
    """Asks at neighbours, of mechanisms that stand up to :data:`FARTHEST` times as far away."""
    rng = np.random.default_rng(0)
    moved = [standing_at(case.mechanism, quantity, float(rng.uniform(1, FARTHEST))) for _ in range(ROUND)]
    there = [(load(one), lever.bounds(one)) for one in moved]
    # Even where a coordinate is at a minimum, its rounding at this distance differs.
    nearest = ROUNDINGS * case.mechanism.precision.epsilon
    step = min(np.sqrt(nearest * (1 + max(standing(case.mechanism, "world")))), LARGEST_STEP)

    def ask(states: Array) -> Array:
        asked = (
            compared_at(at_random_neighbours(case.pick(states), rng, step).sized(bounds), loaded, quantity).signed
            for loaded, bounds in there
        )
        return np.stack([one.reshape(len(states), -1) for one in asked])

    return ask


def _is_far(mechanism: Mechanism, quantity: Quantity) -> bool:
    """Whether code that takes moments about the world's origin has longer levers than the scale counts."""
    origin = measured_from(quantity)
    return origin != "world" and standing(mechanism, "world") != standing(mechanism, origin)


LEVERS = (
    Lever(
        "motions are taken about a centre of mass, their tree's or a body's: with the lever to the tree's they are off by {} "
        "ε-units; where the mass is moved to the origin of the first body, by {}",
        AboutTheCenterOfMass,
        with_mass_at_first_bodies,
        AboutTheCenterOfMass,
        lambda mechanism, quantity: quantity.family in FAMILIES,
    ),
    Lever(
        "moments are taken about the centre of mass of their tree: with the lever to it they are off by {} ε-units; where the "
        "first body is heavy, by {}",
        AboutTheCenterOfMass,
        with_heavy_first_bodies,
        MotionMagnitudes,
        # A sum over all bodies would be that of the heavy one.
        lambda mechanism, quantity: quantity.name in QUANTITIES and quantity.family not in FAMILIES and "nv" in quantity.axes,
        has_other_values=True,
    ),
    Lever(
        "moments are taken about the world's origin: with the lever to it they are off by {} ε-units; where the mechanism "
        "stands at the origin, by {}",
        AboutTheWorldsOrigin,
        at_the_worlds_origin,
        MotionMagnitudes,
        _is_far,
        is_far=True,
    ),
    Lever(
        "motions are taken about the centre of mass of their tree, in the world's coordinates: with the lever to it they are off "
        "by {} ε-units; where the mechanism stands at the origin, with its mass at the first body, by {}",
        AboutBoth,
        lambda mechanism, quantity: at_the_worlds_origin(with_mass_at_first_bodies(mechanism, quantity), quantity),
        AboutTheCenterOfMass,
        lambda mechanism, quantity: quantity.family in FAMILIES and _is_far(mechanism, quantity),
        is_far=True,
    ),
)
"""Every way to compute that is known."""


def _case_there(lever: Lever, case: Case, moved: Mechanism) -> Case:
    """The case of the mechanism without the lever, at the same states."""
    bounds = lever.bounds_there(moved)
    if not lever.has_other_values:
        return case.sized(bounds)
    truth, states = Truth(moved), case.states
    forces, _ = truth.high_low("inverse_dynamics", states.q, states.v, states.a)
    return Case.of(moved, truth, ErrorScale(bounds), states.with_forces(forces))


def _is_larger(case: Case, loaded: Loaded, there: Case, answering: Loaded, quantity: Quantity, bar: float) -> bool:
    """Whether a component that is above the bar is much larger there: then what is wrong in it may be too small to be seen."""
    here, other = compared_at(case, loaded, quantity), compared_at(there, answering, quantity)
    wrong = ~(here.units <= bar)
    return bool((other.magnitude[wrong] > LARGER * here.magnitude[wrong]).any())


def _beside_lengths(case: Case, loaded: Loaded, quantity: Quantity, bar: float) -> float:
    """The largest error in ε-units of the case's scale; one above the bar without what follows from lengths of rotations."""
    largest = float(_units(case, loaded, quantity).max(initial=0.0))
    found = without_lengths(case, loaded, quantity, bar) if largest > bar else None
    return found.left if found else largest


def _units(case: Case, loaded: Loaded, quantity: Quantity) -> Array:
    """The errors of the answers in ε-units of the case's scale."""
    return np.nan_to_num(compared_at(case, loaded, quantity).units, nan=np.inf)
