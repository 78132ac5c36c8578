"""Faults that dynamics code has, as data: variants of the reference in which exactly one thing is wrong.

Every name completes the sentence "The code is wrong in this: …". Groups are the terms of the equations of motion; a group that
ends in "joints" concerns one kind of joint.
"""

from __future__ import annotations

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.special_states import STATES
from cross_check.explain.faults.fault import Edit, Fault, only, slip
from cross_check.explain.faults.terms.joint_kinds import JOINTS
from cross_check.explain.faults.terms.usual import TERMS
from mechanisms.quantities import QUANTITIES, USUAL

MISSING = (
    ("potential energy ignores the centre of mass", "energies", "energy", "mul(X0.E.swapaxes(0, 1), link.com)"),
    ("the momentum is about the root's origin", "centroidal momentum", "centroidal", "cross(c, h[3:])"),
    ("ω × v is missing in classical accelerations", "kinematics", "kinematics", "cross(vi[:3], vi[3:])"),
    ("aligned Jacobians are those of the root's origin", "kinematics", "kinematics", "cross(Ji[:3], X.r[:, None])"),
    ("the gravity of ∂τ/∂q is missing", "derivatives", "derivatives", "-model.gravity"),
    ("the term s × F of ∂τ/∂q is missing", "derivatives", "derivatives", "crf(joint.s, force)"),
    ("B is missing in ∂τ/∂v and C", "derivatives", "derivatives", "mul(B2[outer], n)", "mul(Bs, n)"),
)
"""Names, groups, and what is zero in a module."""

OTHERS = (
    *(
        Fault(name, "external forces", state=ws.column("f", change))
        for name, change in (
            ("forces on bodies have the wrong sign", np.negative),
            ("moments on bodies are ignored", lambda f: f * [0, 0, 0, 1, 1, 1]),
            ("only the last body feels its force", lambda f: f * (np.arange(f.shape[1]) == f.shape[1] - 1)[:, None]),
        )
    ),
    *(Fault(name, group, tuple(Edit(module, text, f"0 * {text}") for text in texts)) for name, group, module, *texts in MISSING),
    slip(
        "C is half of ∂h/∂v",
        "derivatives",
        "(joint.ds, joint.s / 2)",
        "((joint.dΨ + joint.ds) / 2, joint.s / 2)",
        "derivatives",
        kinds=("spherical", "planar", "free"),
    ),
    *(
        Fault(f"{QUANTITIES[name].title} is off by a billionth", "each quantity", answer=only(name, lambda x: x * (1 + 1e-9)))
        for name in USUAL
    ),
)
"""Faults in external forces, energies, kinematics and derivatives, and one for every quantity alone."""

FAULTS = (*TERMS, *JOINTS, *STATES, *OTHERS)
