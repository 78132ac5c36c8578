"""Faults of code that knows mimic joints: what their multiplier, their offset and their own damping and armature enter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.wrong_mechanisms import Wrong, with_bodies
from mechanisms import Body, Joint, Mechanism
from mechanisms.mimic import Mimic

GROUP = "mimic joints"


def _mimic(change: Callable[[Mimic], Mimic]) -> Wrong:
    """Every mimic joint follows its leader in another way."""
    return _joint(lambda joint, mimic: replace(joint, mimic=change(mimic)))


def _joint(change: Callable[[Joint, Mimic], Joint]) -> Wrong:
    def changed(_: int, body: Body) -> Body:
        return replace(body, joint=change(body.joint, body.joint.mimic)) if body.joint.mimic else body

    return lambda mechanism: with_bodies(mechanism, changed)


def _once(what: str) -> Wrong:
    """Armature or damping of a mimic joint counts k times, not k² times."""
    return _joint(
        lambda joint, mimic: replace(joint, **{what: getattr(joint, what) / abs(mimic.multiplier)}) if mimic.multiplier else joint
    )


def _has_mimics(mechanism: Mechanism) -> bool:
    return mechanism.has_mimics


def _fault(name: str, mechanism: Wrong | None = None, *edits: Edit) -> Fault:
    return Fault(name, GROUP, edits, mechanism, needs=_has_mimics)


MIMIC_FAULTS = (
    _fault("the multiplier of mimic joints is ignored", _mimic(lambda x: Mimic(x.joint, 1, x.offset))),
    _fault("the multiplier of mimic joints has the opposite sign", _mimic(lambda x: Mimic(x.joint, -x.multiplier, x.offset))),
    _fault(
        "the multiplier of mimic joints is taken as its reciprocal",
        _mimic(lambda x: Mimic(x.joint, 1 / x.multiplier if x.multiplier else 0, x.offset)),
    ),
    _fault("the offset of mimic joints is ignored", _mimic(lambda x: Mimic(x.joint, x.multiplier))),
    _fault("the offset of mimic joints has the opposite sign", _mimic(lambda x: Mimic(x.joint, x.multiplier, -x.offset))),
    _fault(
        "the offset of mimic joints is added before the multiplication",
        _mimic(lambda x: Mimic(x.joint, x.multiplier, x.multiplier * x.offset)),
    ),
    _fault("multiplier and offset of mimic joints are both ignored", _mimic(lambda x: Mimic(x.joint))),
    _fault("mimic joints stay where their angle or distance is their offset", _mimic(lambda x: Mimic(x.joint, 0, x.offset))),
    _fault(
        "the multiplier is missing in the velocity of mimic joints",
        None,
        Edit("mimic", "else multiplier(model, link) * x[link.v] for link", "else x[link.v] for link"),
    ),
    _fault(
        "the multiplier is missing where forces on mimic joints are added to those on their leaders",
        None,
        Edit("mimic", "+ multiplier(model, link) * x[own.v]", "+ x[own.v]"),
    ),
    _fault(
        "forces on mimic joints are not added to those on their leaders",
        None,
        Edit("mimic", "+ multiplier(model, link) * x[own.v]", "+ 0 * x[own.v]"),
    ),
    _fault("the damping of mimic joints is missing", _joint(lambda joint, _: replace(joint, damping=0))),
    _fault("the armature of mimic joints is missing", _joint(lambda joint, _: replace(joint, armature=0))),
    _fault("the multiplier of the damping of mimic joints is not squared", _once("damping")),
    _fault("the multiplier of the armature of mimic joints is not squared", _once("armature")),
)
"""The likely ones first."""
