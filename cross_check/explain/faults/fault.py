"""A fault: one way in which dynamics code is wrong, as changes of the reference; and terms, whose factors are faults.

It is an :class:`Edit` of the reference's own text, or a function that changes the mechanism, the state or the answer. What code
with this fault answers to q, v, … about the mechanism m is therefore

    answer(m, quantity, state, reference with the edits, of mechanism(m), at state(m, [q, v, …]))

A term is multiplied by a factor at every joint, or at some: 0 leaves it out, −1 gives it the wrong sign, 2 counts it twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wrong_mechanisms
from cross_check.explain.faults.changes import states as wrong_states
from cross_check.explain.faults.changes.joint_traits import Trait, in_words, joints_with
from cross_check.explain.faults.changes.wrappers import Mend, wrapper
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.slips.formulas import multiplied
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import USUAL

WrongAnswer = Callable[[Mechanism, str, wrong_states.State, Array], Array]
"""What becomes of an answer (batch, …): a function of the mechanism, the quantity's name, the state that was asked for, and the
answer that is right up to here."""


JOINTS = "JOINTS"


@dataclass(frozen=True)
class Edit:
    """In a module of the reference, or of a formulation, the text ``right`` becomes ``wrong``.

    ``right`` begins at the byte ``at``, or occurs once. In ``wrong``, :data:`JOINTS` stands for the names of the mechanism's
    joints with this ``trait``.
    """

    module: str
    right: str
    wrong: str
    trait: Trait = ""
    at: int | None = None

    @property
    def changed(self) -> str:
        """The module of the reference that changes: that in whose place the formulation stands."""
        return FORMULATIONS[self.module].stands_for if self.module in FORMULATIONS else self.module

    def on(self, mechanism: Mechanism) -> Edit:
        """The edit of code that has loaded this mechanism."""
        if not self.trait:
            return self
        # A name is text from a file: only its literal gets into code.
        return replace(self, wrong=self.wrong.replace(JOINTS, repr(joints_with(self.trait, mechanism))), trait="")


BY_UNIT_ACCELERATIONS = (
    Edit(
        "reference",
        "from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics",
        "from implementations.algorithms import Algorithm, Algorithmic, AlgorithmicDynamics, from_inverse_dynamics",
    ),
    Edit("reference", '"mass_matrix": crba', '"mass_matrix": from_inverse_dynamics(rnea)["mass_matrix"]'),
)
"""M is computed from inverse dynamics, so that it has the faults of it."""

WHOLE = Edit("reference", "", "", at=0)
"""All that a formulation has is computed from it: placements, Jacobians, M, C, energies, and q̈ by M and τ."""


@dataclass(frozen=True)
class Fault:
    """One way to be wrong. ``name`` completes the sentence "The code is wrong in this: …"; ``group`` is the term of the
    equations that it concerns.

    ``kinds`` names the kinds of joints, and ``needs`` another trait of the mechanism, without which the fault changes nothing.
    """

    name: str
    group: str
    edits: tuple[Edit, ...] = ()
    mechanism: wrong_mechanisms.Wrong | None = None
    state: wrong_states.Wrong | None = None
    answer: WrongAnswer | None = None
    quantities: tuple[str, ...] = ()
    """The quantities whose answers ``answer`` changes; all if none are named."""
    kinds: tuple[Kind, ...] = ()
    needs: Callable[[Mechanism], bool] = lambda mechanism: True
    where: tuple[str, ...] = ()
    """The names of the bodies and joints that it concerns, if it does not concern all."""
    has_trait: bool = False
    """Whether it concerns the joints with a trait (:mod:`cross_check.explain.faults.changes.joint_traits`)."""
    is_fitted: bool = False
    """Whether a number of it was fitted to answers."""
    condition: Callable[[Mechanism, wrong_states.State], Array] | None = None
    """In which states (batch,) the code has the fault; in all if none is given."""
    mends: tuple[Mend, ...] = ()
    """What undoes the fault around the code under test, one after the other, if that is possible."""

    def changes(self, mechanism: Mechanism) -> bool:
        """Whether it can change anything on ``mechanism``, as far as one can know without computing."""
        has_kind = not self.kinds or any(body.joint.kind in self.kinds for body in mechanism.bodies)
        return has_kind and self.needs(mechanism)

    @property
    def inverse(self) -> str:
        """Python source of a function that undoes the fault around the code under test; empty if there is none."""
        return wrapper(self.name, self.mends) if self.mends else ""

    def answers(self, quantity: str) -> bool:
        """Whether ``answer`` changes the answers of this quantity."""
        return self.answer is not None and (not self.quantities or quantity in self.quantities)

    def mechanism_read(self, m: Mechanism) -> Mechanism:
        """The mechanism that code with this fault has."""
        return self.mechanism(m) if self.mechanism and self.changes(m) else m

    def state_read(self, m: Mechanism, given: wrong_states.State) -> wrong_states.State:
        """The state at which code with this fault computes."""
        return self.state(m, given) if self.state and self.changes(m) else given

    def answered(self, m: Mechanism, quantity: str, given: wrong_states.State, value: Array) -> Array:
        """What code with this fault answers, if it computed this value for the mechanism and the state that it has read."""
        return self.answer(m, quantity, given, value) if self.answer and self.answers(quantity) and self.changes(m) else value


NO_FAULT = Fault("nothing", "nothing", needs=lambda mechanism: False)
"""The reference itself."""


def everywhere(right: str, wrong: str, *modules: str) -> tuple[Edit, ...]:
    """The same edit in several modules."""
    return tuple(Edit(module, right, wrong) for module in modules)


def slip(name: str, group: str, right: str, wrong: str, *modules: str, **traits: Any) -> Fault:
    """The fault of one edit, in one module or in several; ``traits`` are further fields of :class:`Fault`."""
    return Fault(name, group, everywhere(right, wrong, *modules), **traits)


def only(quantity: str, change: Callable[[Array], Array]) -> WrongAnswer:
    """The answers of one quantity are changed."""
    return lambda mechanism, name, state, answer: change(answer) if name == quantity else answer


def both(first: Fault, second: Fault) -> Fault:
    """Code with two faults, the first around the second: it changes the mechanism and the state before the second does, and the
    answer after.

    A fault of the mechanism alone is always the outer one, so that a convention sees the mechanism that the code has.
    """
    if NO_FAULT in (first, second):
        return second if first is NO_FAULT else first
    if first.condition or second.condition:
        raise ValueError("faults that depend on a condition cannot be combined")
    if second.mechanism and not (first.mechanism or second.state or second.answer):
        first, second = second, first

    inner = lru_cache(2)(first.mechanism_read)

    def mechanism(m: Mechanism) -> Mechanism:
        return second.mechanism_read(inner(m))

    def state(m: Mechanism, given: wrong_states.State) -> wrong_states.State:
        return second.state_read(inner(m), first.state_read(m, given))

    def answer(m: Mechanism, quantity: str, given: wrong_states.State, value: Array) -> Array:
        value = second.answered(inner(m), quantity, first.state_read(m, given), value)
        return first.answered(m, quantity, given, value)

    answering = [fault for fault in (first, second) if fault.answer]
    return Fault(
        f"{first.name}; {second.name}",
        first.group if first.group == second.group else f"{first.group}; {second.group}",
        tuple(dict.fromkeys((*first.edits, *second.edits))),
        mechanism if first.mechanism or second.mechanism else None,
        state if first.state or second.state else None,
        answer if answering else None,
        # None are named if one of the faults changes all.
        tuple(name for fault in answering for name in fault.quantities) if all(fault.quantities for fault in answering) else (),
        needs=lambda m: first.changes(m) or second.changes(m),
        where=(*first.where, *second.where),
        is_fitted=first.is_fitted or second.is_fitted,
        mends=(*first.mends, *second.mends) if first.mends and second.mends else (),
    )


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
