"""Terms of the equations, multiplied by a factor: at every joint, or at some.

A factor of 0 leaves the term out, −1 gives it the wrong sign, 2 counts it twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from cross_check.explain.faults.changes.joint_traits import Trait, in_words, joints_with
from cross_check.explain.faults.fault import JOINTS, Edit, Fault
from cross_check.explain.slips.formulas import multiplied
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind


@dataclass(frozen=True)
class Term:
    """A term that code can get wrong. ``name`` is the subject of a sentence."""

    name: str
    group: str
    places: tuple[Edit, ...]
    """Where it stands; K is its factor in the wrong text."""
    kinds: tuple[Kind, ...] = ()
    """The kinds of joints that have it; all if none are named."""
    is_inner: bool = False
    """Whether joints on the root lack it."""
    is_affine: bool = True
    """Whether answers are affine in the factor, so that one that has no name can be fitted."""
    in_mass_matrix: bool = False
    """Whether it contributes to M, if M is computed from inverse dynamics."""
    is_whole: bool = False
    """Whether it is all of a quantity, so that a factor everywhere is one of the quantity, and says less than other faults."""
    is_of_joint: bool = True
    """Whether its factor may depend on the joint."""
    link: str = "link"
    """What the code calls the joint's link there."""


def scaled(term: Term, factor: float, joints: tuple[str, ...] = (), trait: Trait = "") -> Fault:
    """The term multiplied by ``factor``: at the joints with these names, or at the joints of any mechanism with a trait
    (:mod:`cross_check.explain.faults.changes.joint_traits`); at all joints if neither is given."""
    # A name is text from a file: only its literal gets into code.
    names = repr(joints) if joints else JOINTS if trait else ""
    k = f"({factor!r} if {term.link}.joint.name in {names} else 1)" if names else f"({factor!r})"
    places = tuple(replace(place, wrong=place.wrong.replace("K", k, 1), trait=trait) for place in term.places)
    at = in_words(trait) if trait else f"joint{'s' * (len(joints) > 1)} {', '.join(joints)}"
    said = f"{term.name} {multiplied(factor)}{f' at {at}' * bool(names)}"
    fault = Fault(said, term.group, places, kinds=term.kinds, where=joints)
    # Classes were found joint by joint. Another trait is only one of those that these joints have in common.
    return replace(fault, needs=partial(_has, trait), has_trait=isinstance(trait, str)) if trait else fault


def _has(trait: Trait, m: Mechanism) -> bool:
    return bool(joints_with(trait, m))


def joints_of(term: Term, mechanism: Mechanism) -> tuple[str, ...]:
    """The names of the joints that have the term."""
    return tuple(
        body.joint.name
        for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True)
        if term.is_of_joint and (not term.kinds or body.joint.kind in term.kinds) and (parent >= 0 or not term.is_inner)
    )
