"""One quantity at one state as a program for RBDL alone, with the calls of the adapter, in RBDL's own conventions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from implementations.conventions.change import Change
from implementations.engines.declared import declared
from implementations.engines.rbdl.biorbd import CALLS, Biorbd
from implementations.engines.rbdl.model import RBDLCoordinates
from implementations.engines.rbdl.official import Official
from implementations.protocol import Array, Evaluation, Unsupported
from implementations.source import Source, written
from mechanisms import Mechanism, Placement
from mechanisms.quantities import QUANTITIES

BIORBD = {
    **CALLS,
    "mass_matrix": "model.massMatrix(q).to_array()[: len(v), : len(v)]",
    "gravity": CALLS["nonlinear_effects"],
    "centroidal_momentum": "np.append(model.angularMomentum(q, v).to_array(), model.mass() * model.CoMdot(q, v).to_array())",
    "placements": "np.array([model.globalJCS(q, k).to_array()[:3] for k in {segments}])",
    "velocities_aligned": (
        'np.array([model.CalcPointVelocity6D(q, v, model.getBodyRbdlId(f"segment{{k}}"), biorbd.Vector3d(0, 0, 0)).to_array() '
        "for k in {segments}])"
    ),
}

OFFICIAL = {
    "inverse_dynamics": "rbdl.InverseDynamics(model, q, v, a, got)",
    "mass_matrix": "rbdl.CompositeRigidBodyAlgorithm(model, q, got)",
    "forward_dynamics": "rbdl.ForwardDynamics(model, q, v, tau, got)",
    "nonlinear_effects": "rbdl.NonlinearEffects(model, q, v, got)",
    "gravity": "rbdl.NonlinearEffects(model, q, v, got)",
    "center_of_mass": "rbdl.CalcCenterOfMass(model, q, v, got)",
    "placements": (
        "got[...] = [np.column_stack([rbdl.CalcBodyWorldOrientation(model, q, k).T, "
        "rbdl.CalcBodyToBaseCoordinates(model, q, k, np.zeros(3))]) for k in {bodies}]"
    ),
    "jacobians_aligned": "[rbdl.CalcPointJacobian6D(model, q, k, np.zeros(3), J) for k, J in zip({bodies}, got)]",
    "velocities_aligned": "got[...] = [rbdl.CalcPointVelocity6D(model, q, v, k, np.zeros(3)) for k in {bodies}]",
    "classical_accelerations": "got[...] = [rbdl.CalcPointAcceleration6D(model, q, v, a, k, np.zeros(3)) for k in {bodies}]",
}

ALL_VELOCITIES = ("mass_matrix", "gravity", "center_of_mass")
"""Quantities whose calls need a velocity, or its size, although they do not depend on it."""


def evaluation(mechanism: Mechanism, name: str, state: Mapping[str, Array], expected: Array, version: str) -> Evaluation:
    """The program for the quantity ``name``; ``state`` has its arguments, one state each, and ``expected`` is the right answer.

    Armature, and damping where the binding does not have it, are left out of the right answer. The ``version`` names the binding.
    Raises :class:`Unsupported` where the adapter converts more than a program can show.
    """
    is_biorbd = "biorbd" in version
    calls = BIORBD if is_biorbd else OFFICIAL
    if name not in calls:
        raise Unsupported(f"the program for RBDL cannot ask for {QUANTITIES[name].title}")
    binding, module = (Biorbd, "biorbd") if is_biorbd else (Official, "rbdl")
    source = Source(
        "# Inputs and the expected answer are in RBDL's own conventions.", "import numpy as np", f"import {module}", ""
    )
    built = binding(source.module(module), mechanism)
    change = Change(mechanism, declared("rbdl").conventions)
    still = np.zeros(mechanism.nv)
    v, a, tau = (state[column] if column in QUANTITIES[name].arguments else still for column in ("v", "a", "tau"))
    armature, damping = (mechanism.arrays.per_coordinate(x) for x in (mechanism.arrays.armature, mechanism.arrays.damping))
    undamped = 0 * damping if binding.damped else damping
    T, bias = (x[0] for x in change.at(state["q"][None], v[None]))
    # τ = Tᵀ τ′ with an orthogonal T.
    match name:
        case "inverse_dynamics":
            expected = T @ (expected - armature * a - undamped * v)
        case "mass_matrix":
            expected = T @ (expected - np.diag(armature)) @ T.T
        case "forward_dynamics":
            expected = T @ expected + bias
        case "nonlinear_effects" if bias.any():
            raise Unsupported("RBDL's velocities differ by a bias, which cannot be taken out of the right answer")
        case "nonlinear_effects" | "gravity":
            expected = T @ (expected - damping * v)
        case "kinetic_energy":
            expected = expected - (armature * v * v).sum() / 2
        case "jacobians_aligned":
            expected = expected @ T.T
    q = RBDLCoordinates(mechanism).position(change.position(state["q"][None]))[0]
    given = {"q": q, "v": T @ v, "a": T @ a + bias, "tau": T @ (tau - undamped * v)}
    wanted = dict.fromkeys((*QUANTITIES[name].arguments, *(("v",) if name in ALL_VELOCITIES else ())))
    for argument in wanted:
        source.add(f"{argument} = {written(given[argument] + 0.0)}")
    if name == "placements" and any(end.turn != Placement() for end in built.ends):
        raise Unsupported("in RBDL the frame of a body is rotated")
    own = [end.segment for end in built.ends]
    if isinstance(built, Official):
        source.add(f"got = {written(np.zeros(expected.shape))}")
        source.add(calls[name].format(bodies=written([built.ids[segment] for segment in own])))
    else:
        source.add(f"got = {calls[name].format(segments=own)}")
    return Evaluation(source.lines, expected)
