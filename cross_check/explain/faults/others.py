"""Faults in external forces, energies, kinematics and derivatives, and one for every quantity alone."""

from __future__ import annotations

import numpy as np

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Edit, Fault, only
from mechanisms.quantities import QUANTITIES, USUAL

OTHERS = (
    Fault("forces on bodies have the wrong sign", "external forces", state=ws.column("f", lambda f: -f)),
    Fault("moments on bodies are ignored", "external forces", state=ws.column("f", lambda f: f * [0, 0, 0, 1, 1, 1])),
    Fault(
        "only the last body feels its force",
        "external forces",
        state=ws.column("f", lambda f: f * (np.arange(f.shape[1]) == f.shape[1] - 1)[:, None]),
    ),
    Fault(
        "potential energy ignores the centre of mass",
        "energies",
        (Edit("energy", "X0.r + mul(X0.E.swapaxes(0, 1), link.com)", "X0.r"),),
    ),
    Fault(
        "the momentum is about the root's origin",
        "centroidal momentum",
        (Edit("centroidal", "h[:3] - cross(c, h[3:])", "h[:3]"),),
    ),
    Fault(
        "ω × v is missing in classical accelerations",
        "kinematics",
        (Edit("kinematics", "ai[3:] + cross(vi[:3], vi[3:])", "ai[3:]"),),
    ),
    Fault(
        "aligned Jacobians are those of the root's origin",
        "kinematics",
        (Edit("kinematics", "Ji[3:] + cross(Ji[:3], X.r[:, None])", "Ji[3:]"),),
    ),
    Fault(
        "the gravity of ∂τ/∂q is missing",
        "derivatives",
        (Edit("derivatives", "(0 * model.gravity, -model.gravity)", "(0 * model.gravity, 0 * model.gravity)"),),
    ),
    Fault(
        "the term s × F of ∂τ/∂q is missing",
        "derivatives",
        (Edit("derivatives", "crf(joint.s, force) for", "0 * crf(joint.s, force) for"),),
    ),
    Fault(
        "B is missing in ∂τ/∂v and C",
        "derivatives",
        (Edit("derivatives", " + mul(B2[outer], n)", ""), Edit("derivatives", " + mul(Bs, n)", "")),
    ),
    Fault(
        "C is half of ∂h/∂v",
        "derivatives",
        (Edit("derivatives", "(joint.ds, joint.s / 2)", "((joint.dΨ + joint.ds) / 2, joint.s / 2)"),),
        kinds=("spherical", "planar", "free"),
    ),
    *(
        Fault(f"{QUANTITIES[name].title} is off by a billionth", "each quantity", answer=only(name, lambda x: x * (1 + 1e-9)))
        for name in USUAL
    ),
)
