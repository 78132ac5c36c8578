"""Faults that show at some states only: thresholds, limits, special positions, caches."""

from __future__ import annotations

import numpy as np

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.positions import BALLS

STATES = (
    # Turns
    Fault(
        "small turns of quaternions lose half of their digits",
        "small turns",
        state=ws.in_slots("quaternion", ws.from_arccosine),
        kinds=BALLS,
    ),
    Fault(
        "turns of quaternions below 10⁻³ are none",
        "small turns",
        state=ws.in_slots("quaternion", ws.no_small_turn(1e-3)),
        kinds=BALLS,
    ),
    Fault(
        "turns of quaternions below 10⁻⁵ are none",
        "small turns",
        state=ws.in_slots("quaternion", ws.no_small_turn(1e-5)),
        kinds=BALLS,
    ),
    Fault("half turns of quaternions are none", "half turns", state=ws.in_slots("quaternion", ws.no_half_turn), kinds=BALLS),
    # Thresholds and limits
    Fault("angles below 10⁻³ are zero", "thresholds", state=ws.in_slots("angle", ws.below(1e-3))),
    Fault("angles below 10⁻⁶ are zero", "thresholds", state=ws.in_slots("angle", ws.below(1e-6))),
    Fault("velocities below 10⁻³ are zero", "thresholds", state=ws.column("v", ws.below(1e-3))),
    Fault("velocities below 10⁻⁶ are zero", "thresholds", state=ws.column("v", ws.below(1e-6))),
    Fault("accelerations below 10⁻³ are zero", "thresholds", state=ws.column("a", ws.below(1e-3))),
    Fault("accelerations below 10⁻⁶ are zero", "thresholds", state=ws.column("a", ws.below(1e-6))),
    Fault("angles are clipped to ±π", "limits", state=ws.in_slots("angle", ws.clipped(np.pi))),
    Fault("angles are clipped to ±200", "limits", state=ws.in_slots("angle", ws.clipped(200))),
    Fault("distances are clipped to ±40", "limits", state=ws.in_slots("distance", ws.clipped(40))),
    Fault("velocities are clipped to ±10", "limits", state=ws.column("v", ws.clipped(10))),
    Fault("velocities are clipped to ±500", "limits", state=ws.column("v", ws.clipped(500))),
    Fault("accelerations are clipped to ±10", "limits", state=ws.column("a", ws.clipped(10))),
    Fault("accelerations are clipped to ±500", "limits", state=ws.column("a", ws.clipped(500))),
    Fault("positions are rounded to single precision", "precision", state=ws.column("q", ws.single)),
    Fault("velocities are rounded to single precision", "precision", state=ws.column("v", ws.single)),
    # Special states
    Fault(
        "where one velocity of several is zero, all are",
        "zeros among velocities",
        state=ws.where("v", ws.one_velocity_is_zero),
    ),
    Fault(
        "where one velocity of several moves, none does",
        "zeros among velocities",
        state=ws.where("v", ws.one_velocity_moves),
    ),
    Fault("where v is zero, a is ignored", "rest", state=ws.where("a", ws.at_rest)),
    Fault(
        "where a is zero, v is ignored",
        "rest",
        state=ws.where("va", ws.unaccelerated),
    ),
    Fault("velocities are kept while q stays the same", "cached states", state=ws.kept("v", None)),
    Fault("accelerations are kept while q stays the same", "cached states", state=ws.kept("a", None)),
    Fault("q is kept while it stays the same to six decimals", "cached states", state=ws.kept("q", 6)),
)
