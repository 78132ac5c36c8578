"""Questions that few terms enter, and questions that all terms enter: an edit is sought at the first one that is wrong.

Each mechanism is asked about at rest, with accelerations alone, with velocities alone, and in motion. First come single bodies
with joints of one kind, then two bodies, as points and centred, then a chain with all kinds, and last the mechanism of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from cross_check.explain.diagnosis.conditions.of_batches import ordinary_states
from cross_check.explain.diagnosis.probes import with_inertias
from cross_check.explain.faults.mutants import having_forces, restrictions, with_forces
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.processes.subject import Loaded
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, Mechanism
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.library.generate import random_mechanism
from mechanisms.quantities import QUANTITIES, ByCoriolis, ByForces

FEW = 4
"""States of one question."""

LOOSE = 1e-9
"""How far a Coriolis matrix may be off, as a part of its largest number: many are right."""

MOST_KINDS = 4
"""So many kinds of joints are asked about while an edit is sought."""

UNSEEN = ((71, 5), (72, 6))
"""Seeds and numbers of bodies of mechanisms that the search does not see."""


@dataclass(frozen=True, eq=False)
class Question:
    """A quantity of a mechanism at the states of a case, in which the reference is right."""

    case: Case
    quantity: str

    @property
    def mechanism(self) -> Mechanism:
        return self.case.mechanism

    @property
    def arguments(self) -> tuple[Array, ...]:
        return self.case.states.arguments(QUANTITIES[self.quantity].arguments)

    def is_right(self, code: Loaded, bar: float) -> bool:
        """Raises :class:`Failure` and :class:`Unsupported`."""
        answer = code.ask(self.quantity, *self.arguments).value
        return bool((compare(self.case, QUANTITIES[self.quantity], answer).units <= bar).all())

    @cached_property
    def expected(self) -> Array:
        """The right answers (states, …)."""
        return np.asarray(getattr(REFERENCE.load(self.mechanism), self.quantity)(*self.arguments))

    @cached_property
    def unit(self) -> Array:
        """What an error is measured by (states, …)."""
        quantity = QUANTITIES[self.quantity]
        if isinstance(quantity.judged, ByCoriolis):
            return np.full(
                self.expected.shape,
                self.mechanism.precision.near(LOOSE) * max(1.0, float(np.abs(self.expected).max(initial=0.0))),
            )
        unit = EPSILON * compare(self.case, quantity, self.expected).magnitude
        if isinstance(quantity.judged, ByForces):
            # Accelerations are judged by the forces that they take.
            inverse = np.abs(self.case.mass_matrix.inverse(self.case.states.q))
            return np.einsum("bij,bj->bi", inverse, unit)
        return unit


class Drawn:
    """Mechanisms with the kinds of joints, the gravity, and rotors and dampers if there are any, of the mechanisms of a run."""

    def __init__(self, mechanisms: Sequence[Mechanism], knows: Callable[[Mechanism], bool] = lambda single: False) -> None:
        """A kind of joint that no mechanism of the run has is drawn, too, if the code ``knows`` a body that moves by it."""
        joints = [body.joint for mechanism in mechanisms for body in mechanism.bodies]
        self.kinds: tuple[Kind, ...] = tuple(dict.fromkeys(joint.kind for joint in joints if joint.kind != "fixed"))
        self._gravity, self._precision = mechanisms[0].gravity, mechanisms[0].precision
        self._armature, self._damping = (any(getattr(joint, name) for joint in joints) for name in ("armature", "damping"))
        self.kinds += tuple(kind for kind in MOVING if kind not in self.kinds and knows(self._chain([kind])))

    def small(self) -> Iterator[Mechanism]:
        """Those about which code is asked while an edit is sought, the simplest ones first."""
        for kind in self.kinds[:MOST_KINDS]:
            pair = self._chain([kind, kind])
            yield self._chain([kind])
            yield with_inertias(pair, "points", lambda inertia: Inertia(inertia.mass, inertia.com))
            yield with_inertias(pair, "centred", lambda inertia: replace(inertia, com=(0, 0, 0)))
            yield pair
        # A slide that is turned, too, shows Coriolis terms.
        first = next((kind for kind in self.kinds if kind != "prismatic"), self.kinds[0])
        others = [kind for kind in self.kinds if kind != first]
        yield self._chain([first, *others[: MOST_KINDS - 1], first])

    def unseen(self) -> list[Mechanism]:
        """Those that only decide in the end."""
        return [self._tree(seed, bodies) for seed, bodies in UNSEEN]

    def _chain(self, kinds: Sequence[Kind]) -> Mechanism:
        """A chain of joints of these kinds, each with a rotor and a damper if it may have one."""
        bodies, parent = [], "world"
        for i, kind in enumerate(kinds):
            drawn = [random_mechanism(seed, 1, (kind,)).bodies[0] for seed in range(8 * i, 8 * i + 8)]
            # Axes with zeros make faults look alike. Some joints have no axis.
            body = next((body for body in drawn if all(body.joint.axis)), drawn[0])
            takes = body.joint.description.takes_armature_and_damping
            armature = Fraction(i + 1, 10) * (self._armature and takes)
            damping = Fraction(i + 2, 7) * (self._damping and takes)
            joint = replace(body.joint, name=f"joint{i + 1}", armature=armature, damping=damping)
            bodies.append(replace(body, name=f"body{i + 1}", parent=parent, joint=joint))
            parent = bodies[-1].name
        return Mechanism(f"chain of {', '.join(kinds)}", tuple(bodies), self._gravity, precision=self._precision)

    def _tree(self, seed: int, bodies: int) -> Mechanism:
        drawn = random_mechanism(seed, bodies, self.kinds, armature=self._armature, damping=self._damping)
        return replace(drawn, gravity=self._gravity, precision=self._precision)


def questions_of(quantity: str, mechanism: Mechanism, states: States) -> Iterator[Question]:
    """The quantity at these states, restricted ones first; all are right for the reference."""
    case = Case.by_reference(mechanism, having_forces(mechanism, states))
    for zero, _ in restrictions(states, QUANTITIES[quantity].arguments):
        restricted = with_forces(mechanism, replace(states, **zero)) if zero else case.states
        yield Question(replace(case, states=restricted), quantity)


def moving(mechanism: Mechanism, seed: int) -> States:
    """States in which nothing is zero."""
    return ordinary_states(mechanism, seed, FEW).pick(np.arange(FEW))
