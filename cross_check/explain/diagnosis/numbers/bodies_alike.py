"""Several bodies that are read wrongly in the same way, though each one alone is read well.

The answers are affine in the inertias (J. Hollerbach, C. An, IJRR 5(3), 1986), so that the bodies are found by one linear fit: of
the change that each of them makes alone, the answers contain all or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.exchange.results.plain_text import listing
from cross_check.explain.diagnosis.numbers.gauss_newton import felt, flat
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import Change
from cross_check.explain.faults.changes.joint_traits import in_words, joints_with, traits_of
from cross_check.explain.faults.fault import Fault, both
from cross_check.explain.faults.readings.bodies import BODIES
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision

SAME = 1e-9
"""Bodies whose effects differ by a smaller part have the same effect."""

WHOLE = 1e-6
"""How far a share of a change may be from all or nothing, but for rounding errors within the bar."""


def bodies_alike(symptom: Symptom, given: Fault) -> Iterator[Fault]:
    """The ways to misread several bodies, each followed by the traits of their joints. They are fitted to ``symptom``."""
    mechanism, r = symptom.trial.mechanism, flat(symptom, given)
    for sentence, group, change in BODIES:
        if symptom.trial.laboratory.is_over():
            return
        bodies = [body for body in mechanism.bodies if change(body) != body]
        if len(bodies) < 2 or " of {}" not in sentence:
            continue
        alone = [misread((body.name,), sentence, group, change) for body in bodies]
        columns = np.stack([flat(symptom, both(given, fault)) - r for fault in alone], axis=1)
        chosen = _chosen(columns, r, mechanism.precision)
        names = tuple(bodies[k].name for k in chosen)
        if len(names) < 2:
            continue
        yield misread(names, sentence, group, change)
        joints, among = {bodies[k].joint.name for k in chosen}, {body.joint.name for body in bodies}
        yield from (at_trait(trait, sentence, group, change) for trait in traits_of(joints, among, mechanism))


def _chosen(columns: Array, r: Array, precision: Precision) -> Sequence[int]:
    """The columns whose sum is −r; none if there are no such columns."""
    sizes = np.linalg.norm(columns, axis=0)
    told = np.flatnonzero((sizes > felt(precision)) & np.isfinite(sizes))
    if not len(told):
        return ()
    # Bodies of the same effect get the same shares.
    shares = np.linalg.lstsq(columns[:, told] / sizes[told], -r, rcond=precision.near(SAME))[0] / sizes[told]
    apart = np.abs(shares - np.round(shares.clip(0, 1)))
    return told[shares > 0.5].tolist() if (apart < np.maximum(WHOLE, BAR / sizes[told])).all() else ()


def misread(names: tuple[str, ...], sentence: str, group: str, change: Change) -> Fault:
    """The bodies with these names are read wrongly."""
    said = sentence.format(listing(list(names)))
    return Fault(said, group, mechanism=wm.every(change, lambda body: body.name in names), where=names)


def at_trait(trait: str, sentence: str, group: str, change: Change) -> Fault:
    """The bodies at joints with a trait are read wrongly."""

    def read(m: Mechanism) -> Mechanism:
        joints = joints_with(trait, m)
        return wm.every(change, lambda body: body.joint.name in joints)(m)

    said = sentence.format(f"bodies at {in_words(trait)}")
    return Fault(said, group, mechanism=read, needs=lambda m: bool(joints_with(trait, m)), has_trait=True)
