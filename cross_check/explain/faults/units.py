"""Parameters in other units: factors of what all bodies and joints have, and orders of the six moments of inertia."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.changes.wrappers import Mend
from cross_check.explain.faults.fault import Fault
from mechanisms.quantities import USUAL


def rescaled(
    mechanism: Any,
    gravity: str = "1",
    mass: str = "1",
    com: str = "1",
    origins: str = "1",
    moments: tuple[str, ...] = ("1",) * 6,
    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5),
    damping: str = "1",
) -> Any:
    """The mechanism in other units: every parameter is multiplied by a factor; the six moments may come in another order."""

    def inertia(I: Any) -> Any:
        about_com = tuple(Fraction(k) * I.about_com[i] for k, i in zip(moments, order))  # noqa: B905
        return replace(I, mass=Fraction(mass) * I.mass, com=tuple(Fraction(com) * x for x in I.com), about_com=about_com)

    def joint(joint: Any) -> Any:
        p = joint.placement
        p = replace(p, translation=tuple(Fraction(origins) * x for x in p.translation))
        return replace(joint, placement=p, damping=Fraction(damping) * joint.damping)

    changed = tuple(replace(body, joint=joint(body.joint), inertia=inertia(body.inertia)) for body in mechanism.bodies)
    g = tuple(Fraction(gravity) * x for x in mechanism.gravity)
    return replace(mechanism, bodies=changed, gravity=g, physical=False)


def in_units(clause: str, group: str, **factors: Any) -> Fault:
    """Parameters of all bodies and joints are multiplied by ``factors``, which are those of :func:`rescaled`."""
    order = factors.get("order", tuple(range(6)))
    back = tuple(map(int, np.argsort(order)))
    inverse = {name: str(1 / Fraction(factor)) for name, factor in factors.items() if isinstance(factor, str)} | {
        "moments": tuple(str(1 / Fraction(factors.get("moments", ("1",) * 6)[k])) for k in back),
        "order": back,
    }
    mend = Mend(USUAL, partial(in_our_units, tuple(inverse.items())))
    return Fault(clause, group, mechanism=partial(rescaled, **factors), mends=(mend,))


def in_our_units(factors: Any, name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    """What code answers about a mechanism whose parameters are multiplied by these factors."""
    return ask(name, state, rescaled(mechanism, **dict(factors)))
