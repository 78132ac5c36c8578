"""Terms of the equations, multiplied by a factor: at every joint, or at some.

A factor of 0 leaves the term out, −1 gives it the wrong sign, 2 counts it twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cross_check.explain.faults.fault import JOINTS, Edit, Fault
from cross_check.explain.faults.joint_traits import in_words, joints_with
from cross_check.explain.formulations.formulas import multiplied
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind


@dataclass(frozen=True)
class Place:
    """Where a term stands: a module of the reference or a formulation, the right text, and the wrong text; K is the factor in it.

    ``link`` is what the code calls the joint's link there. The right text begins at the byte ``at``, or occurs once.
    """

    module: str
    right: str
    wrong: str
    link: str = "link"
    at: int | None = None

    def edit(self, factor: str, trait: str = "") -> Edit:
        """The wrong text with this ``factor``, which may depend on ``link``."""
        k = re.sub(r"\blink\b", lambda match: self.link, factor)
        return Edit(self.module, self.right, self.wrong.replace("K", k, 1), trait, self.at)


@dataclass(frozen=True)
class Term:
    """A term that code can get wrong. ``name`` is the subject of a sentence."""

    name: str
    group: str
    places: tuple[Place, ...]
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


def scaled(term: Term, factor: float, joints: tuple[str, ...] = (), trait: str = "") -> Fault:
    """The term multiplied by ``factor``: at the joints with these names, or at the joints of any mechanism with a trait
    (:mod:`cross_check.explain.faults.joint_traits`); at all joints if neither is given."""
    # A name is text from a file: only its literal gets into code.
    names = repr(joints) if joints else JOINTS if trait else ""
    k = f"({factor!r} if link.joint.name in {names} else 1)" if names else f"({factor!r})"
    edits = tuple(place.edit(k, trait) for place in term.places)
    said = f"{sentence(term, factor, joints)}{f' at {in_words(trait)}' if trait else ''}"
    needs = lambda m: not trait or bool(joints_with(trait, m))  # noqa: E731
    return Fault(said, term.group, edits, kinds=term.kinds, needs=needs, where=joints, has_trait=bool(trait))


def sentence(term: Term, factor: float, joints: tuple[str, ...]) -> str:
    """What is wrong, as the end of a sentence that begins with "The code is wrong in this:"."""
    at = f" at joint {joints[0]}" if len(joints) == 1 else f" at joints {', '.join(joints)}" if joints else ""
    return f"{term.name} {multiplied(factor)}{at}"


def joints_of(term: Term, mechanism: Mechanism) -> tuple[str, ...]:
    """The names of the joints that have the term."""
    return tuple(
        body.joint.name
        for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True)
        if term.is_of_joint and (not term.kinds or body.joint.kind in term.kinds) and (parent >= 0 or not term.is_inner)
    )
