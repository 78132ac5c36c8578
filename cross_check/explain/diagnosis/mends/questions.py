"""Questions that few terms enter, and questions that all terms enter: an edit is sought at the first one that is wrong.

Each mechanism is asked about at rest, with accelerations alone, with velocities alone, and in motion. First come single bodies
with joints of one kind, as points and centred, then two bodies, then a chain with all kinds, and last the mechanism of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

import numpy as np

from cross_check.explain.faults.supposition import having_forces, with_forces
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.processes.remote import LoadedRemotely
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, Mechanism
from mechanisms.generate import random_mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import QUANTITIES

FEW = 4
"""States of one question."""

SAMPLED = 98
"""So many states are drawn, of which those are taken in which nothing is zero."""

LOOSE = 1e-9
"""How far an answer without a size of its own may be off, as a part of the largest right number."""

MOST_KINDS = 3
"""Kinds of joints of which there are mechanisms of their own."""

SEEDS = (71, 72)
"""Seeds of mechanisms that the search does not see, with as many bodies as :data:`BODIES` says."""

BODIES = (5, 6)


class Question(NamedTuple):
    """A quantity of a mechanism at the states of a case, in which the reference is right."""

    case: Case
    quantity: str

    @property
    def arguments(self) -> tuple[Array, ...]:
        return self.case.states.arguments(QUANTITIES[self.quantity].arguments)

    def is_right(self, code: LoadedRemotely, bar: float) -> bool:
        """Raises :class:`Failure` and :class:`Unsupported`."""
        answer = code.ask(self.quantity, *self.arguments).value
        return bool((compare(self.case, QUANTITIES[self.quantity], answer).units <= bar).all())

    def near(self, bar: float) -> tuple[Array, Array]:
        """What is expected, and how far an answer may be off."""
        quantity = QUANTITIES[self.quantity]
        expected = np.asarray(getattr(REFERENCE.load(self.case.mechanism), quantity.name)(*self.arguments))
        if quantity.has_value:
            return expected, bar * EPSILON * self.case.scale.size(quantity.name, *self.arguments)
        return expected, np.full(expected.shape, LOOSE * max(1.0, float(np.abs(expected).max(initial=0.0))))


class Drawn:
    """Mechanisms with the kinds of joints, the gravity, and rotors and dampers if there are any, of the mechanisms of a run."""

    def __init__(self, mechanisms: Sequence[Mechanism]) -> None:
        joints = [body.joint for mechanism in mechanisms for body in mechanism.bodies]
        self.kinds: tuple[Kind, ...] = tuple(dict.fromkeys(joint.kind for joint in joints if joint.kind != "fixed"))
        self._gravity = mechanisms[0].gravity
        self._armature, self._damping = (any(getattr(joint, name) for joint in joints) for name in ("armature", "damping"))

    def small(self) -> Iterator[Mechanism]:
        """Those about which code is asked while an edit is sought, the simplest ones first."""
        for kind in self.kinds[:MOST_KINDS]:
            body = self._chain(1, (kind,))
            link, inertia = body.bodies[0], body.bodies[0].inertia
            for name, simpler in (("point", Inertia(inertia.mass, inertia.com)), ("centred", replace(inertia, com=(0, 0, 0)))):
                yield replace(body, name=f"{body.name} {name}", bodies=(replace(link, inertia=simpler),))
            yield from (body, self._chain(2, (kind,)))
        yield self._chain(max(3, len(self.kinds)), self.kinds)

    def unseen(self) -> list[Mechanism]:
        """Those that only decide in the end."""
        return [self._mechanism(seed, bodies, self.kinds, "tree") for seed, bodies in zip(SEEDS, BODIES, strict=True)]

    def _chain(self, bodies: int, kinds: tuple[Kind, ...]) -> Mechanism:
        """The first drawn chain that has a rotor and a damper if it may, and all the kinds."""
        for seed in count():
            drawn = self._mechanism(seed, bodies, kinds, "chain")
            joints = [body.joint for body in drawn.bodies]
            has = {name: any(getattr(joint, name) for joint in joints) for name in ("armature", "damping")}
            takes = any(joint.description.takes_armature_and_damping for joint in joints)
            complete = not takes or (has["armature"] >= self._armature and has["damping"] >= self._damping)
            if complete and {joint.kind for joint in joints} == {*kinds}:
                return drawn
        raise AssertionError

    def _mechanism(self, seed: int, bodies: int, kinds: tuple[Kind, ...], shape: str) -> Mechanism:
        drawn = random_mechanism(seed, bodies, kinds, shape=shape, armature=self._armature, damping=self._damping)
        return replace(drawn, name=f"{drawn.name} {shape}", gravity=self._gravity)


def questions_of(quantity: str, mechanism: Mechanism, states: States) -> Iterator[Question]:
    """The quantity at these states, restricted ones first; all are right for the reference."""
    case = Case.by_reference(mechanism, having_forces(mechanism, states))
    zero, calm, arguments = np.zeros_like(states.v), np.zeros_like(states.f), QUANTITIES[quantity].arguments
    if "v" in arguments:
        yield Question(replace(case, states=with_forces(mechanism, replace(states, v=zero, a=zero, f=calm))), quantity)
    if "a" in arguments or "tau" in arguments:
        yield Question(replace(case, states=with_forces(mechanism, replace(states, v=zero, f=calm))), quantity)
        yield Question(replace(case, states=with_forces(mechanism, replace(states, a=zero, f=calm))), quantity)
    yield Question(case, quantity)


def moving(mechanism: Mechanism, seed: int) -> States:
    """States in which nothing is zero."""
    states = sample(mechanism, seed, SAMPLED)
    chosen = [k for k, kind in enumerate(states.kinds) if kind == "random"]
    return states.pick(np.array(chosen[:FEW]))
