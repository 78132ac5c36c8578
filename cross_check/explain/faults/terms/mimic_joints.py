"""Faults of code that knows mimic joints: what their multiplier, their offset and their own damping and armature enter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cross_check.explain.faults.changes.mechanisms import Wrong, with_bodies
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.terms.edits import faults_of
from mechanisms import Body, Joint, Mechanism
from mechanisms.mimic import Mimic

GROUP = "mimic joints"

NUMBERS: tuple[tuple[str, Callable[[Any, Any], tuple[Any, Any]]], ...] = (
    ("the multiplier of mimic joints is ignored", lambda k, c: (1, c)),
    ("the multiplier of mimic joints has the opposite sign", lambda k, c: (-k, c)),
    ("the multiplier of mimic joints is taken as its reciprocal", lambda k, c: (1 / k if k else 0, c)),
    ("the offset of mimic joints is ignored", lambda k, c: (k, 0)),
    ("the offset of mimic joints has the opposite sign", lambda k, c: (k, -c)),
    ("the offset of mimic joints is added before the multiplication", lambda k, c: (k, k * c)),
    ("multiplier and offset of mimic joints are both ignored", lambda k, c: (1, 0)),
    ("mimic joints stay where their angle or distance is their offset", lambda k, c: (0, c)),
)
"""In words, and what becomes of a multiplier and an offset."""

FACTORS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("the {} of mimic joints is missing", lambda k: 0),
    ("the multiplier of the {} of mimic joints is not squared", lambda k: 1 / abs(k) if k else 1),
)
"""In words, and the factor of damping or armature, of the multiplier k. It counts k² times."""


def _mimics(change: Callable[[Joint, Mimic], Joint]) -> Wrong:
    """Every mimic joint is changed."""

    def changed(_: int, body: Body) -> Body:
        return replace(body, joint=change(body.joint, body.joint.mimic)) if body.joint.mimic else body

    return lambda mechanism: with_bodies(mechanism, changed)


def _following(change: Callable[[Any, Any], tuple[Any, Any]]) -> Wrong:
    """Mimic joints follow their leaders with another multiplier and offset."""
    return _mimics(lambda joint, x: replace(joint, mimic=Mimic(x.joint, *change(x.multiplier, x.offset))))


def _scaled(what: str, factor: Callable[[Any], Any]) -> Wrong:
    return _mimics(lambda joint, x: replace(joint, **{what: getattr(joint, what) * factor(x.multiplier)}))


def _has_mimics(mechanism: Mechanism) -> bool:
    return mechanism.has_mimics


MIMIC_FAULTS = (
    *(Fault(words, GROUP, mechanism=_following(change), needs=_has_mimics) for words, change in NUMBERS),
    *faults_of(GROUP, "mimic", {}, needs=_has_mimics),
    *(
        Fault(words.format(what), GROUP, mechanism=_scaled(what, factor), needs=_has_mimics)
        for words, factor in FACTORS
        for what in ("damping", "armature")
    ),
)
"""The likely ones first."""
