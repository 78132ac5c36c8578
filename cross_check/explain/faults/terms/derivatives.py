"""Faults of derivatives: code that differentiates its dynamics wrongly, and computes the dynamics rightly."""

from __future__ import annotations

from collections.abc import Iterator

from cross_check.explain.faults.changes.mechanism_traits import has_armature, has_damping
from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.terms.joint_forces import OF_DERIVATIVE
from cross_check.explain.faults.terms.spatial import COMPOUND
from mechanisms.joint_kinds import Kind

GROUPS = "coordinate_groups(link)"

COLUMNS = "s, ds, dΨ, ddΨ = (np.concatenate(part, axis=1) for part in zip(*columns, strict=True))"

FIXED = """
        if link.joint.kind in {kinds!r}:
            vλ, aλ = (0 * model.gravity, -model.gravity) if λ < 0 else (joints[λ].v, joints[λ].a)
            ds, dΨ, ddΨ = crm(v, s), crm(vλ, s), crm(aλ, s) + crm(vλ, crm(vλ, s))"""
"""docs/notes/derivatives.md, eq. 24: the derivatives of screws that are fixed in the joint's body."""


def _fixed_axes(words: str, kinds: tuple[Kind, ...]) -> Fault:
    return Fault(
        f"the derivatives take the axes of {words} as fixed in the joint's body, although each angle moves the axes after it",
        "derivatives",
        (
            Edit("derivatives", COLUMNS, COLUMNS + FIXED.format(kinds=kinds)),
            Edit("derivatives", "int(link.compound)", f"int(link.compound and link.joint.kind not in {kinds!r})"),
            Edit("motion_derivatives", GROUPS, f"([slice(link.joint.nv)] if link.joint.kind in {kinds!r} else {GROUPS})"),
        ),
        kinds=kinds,
    )


FIXED_AXES = _fixed_axes("joints with several angles", COMPOUND)


def _faults() -> Iterator[Fault]:
    yield FIXED_AXES
    yield from (_fixed_axes(f"{kind} joints", (kind,)) for kind in COMPOUND)
    edit = Edit("derivatives", f"dτ + {OF_DERIVATIVE}", "dτ")
    yield Fault("damping is missing in ∂τ/∂v", "derivatives", (edit,), needs=has_damping)
    edit = Edit("forward_derivatives", "[..., None] * link.armature", "[..., None] * 0")
    yield Fault("armature is missing in the derivatives of forward dynamics", "derivatives", (edit,), needs=has_armature)
    edit = Edit("forward_derivatives", "aba(model, q, qd, tau)", "0 * qd")
    yield Fault("∂q̈/∂q is taken at zero acceleration", "derivatives", (edit,))


DERIVATIVES: tuple[Fault, ...] = tuple(_faults())
