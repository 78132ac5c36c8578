"""Terms of the equations, multiplied by a factor: at every joint, or at some.

A factor of 0 leaves the term out, −1 gives it the wrong sign, 2 counts it twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cross_check.explain.faults.changes.joint_traits import in_words, joints_with
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


def scaled(term: Term, factor: float, joints: tuple[str, ...] = (), trait: str = "") -> Fault:
    """The term multiplied by ``factor``: at the joints with these names, or at the joints of any mechanism with a trait
    (:mod:`cross_check.explain.faults.changes.joint_traits`); at all joints if neither is given."""
    # A name is text from a file: only its literal gets into code.
    names = repr(joints) if joints else JOINTS if trait else ""
    condition = (lambda link: f"{link}.joint.name in {names}") if names else None
    at = f" at joint {joints[0]}" if len(joints) == 1 else f" at joints {', '.join(joints)}" if joints else ""
    fault = scaled_where(term, factor, condition, at, kinds=term.kinds, where=joints)
    if not trait:
        return fault

    def needs(m: Mechanism) -> bool:
        return bool(joints_with(trait, m))

    edits = tuple(replace(edit, trait=trait) for edit in fault.edits)
    return replace(fault, name=f"{fault.name} at {in_words(trait)}", edits=edits, needs=needs, has_trait=True)


def scaled_where(term: Term, factor: float, condition: Callable[[str], str] | None, at: str, **traits: Any) -> Fault:
    """The term multiplied by ``factor`` where a condition holds, or everywhere if it is None.

    ``condition`` makes the condition in the code from what the code calls the link. ``at`` says in words where it holds, and
    ``traits`` are further fields of the fault.
    """
    k = f"({factor!r} if {condition(term.link)} else 1)" if condition else f"({factor!r})"
    edits = tuple(replace(place, wrong=place.wrong.replace("K", k, 1)) for place in term.places)
    return Fault(f"{term.name} {multiplied(factor)}{at}", term.group, edits, **traits)


def joints_of(term: Term, mechanism: Mechanism) -> tuple[str, ...]:
    """The names of the joints that have the term."""
    return tuple(
        body.joint.name
        for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True)
        if term.is_of_joint and (not term.kinds or body.joint.kind in term.kinds) and (parent >= 0 or not term.is_inner)
    )
