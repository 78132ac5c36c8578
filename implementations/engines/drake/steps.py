"""Time steps of Drake: of discrete plants, by the solver of their contacts, and of continuous ones, by each of its integrators.

A discrete plant keeps its time step, so there is one for each of the last lengths. Every step has a new simulator. Integrators
take one step of fixed length. Those that iterate have the least tolerance that Drake allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import numpy as np

from implementations.engines.drake.plant import build
from implementations.protocol import Array
from implementations.state_by_state import OfState
from mechanisms import Mechanism

CONTACTS = ("tamsi", "sap")
"""Drake's approximations of contact with different solvers; here nothing touches."""

TOLERANCE = 1e-15

PLANTS = 8
"""So many discrete plants are kept: a simulation takes steps of few lengths."""


def steps(drake: Any, mechanism: Mechanism, plant: Any) -> Mapping[str, OfState]:
    """The functions of one state by their names, in Drake's coordinates. ``plant`` is the continuous one of the mechanism."""
    plant_of = lru_cache(PLANTS)(partial(_discrete_plant, drake, mechanism))
    discrete = {f"step_discrete_{contact}": partial(_discrete, drake, plant_of, contact) for contact in CONTACTS}
    schemes = [scheme for scheme in drake.GetIntegrationSchemes() if scheme != "cenic"]  # It takes no plant without a diagram.
    return discrete | {f"step_{scheme}": partial(_integrated, drake, plant, scheme) for scheme in schemes}


def _discrete_plant(drake: Any, mechanism: Mechanism, contact: str, h: float) -> Any:
    plant = drake.MultibodyPlant(h)
    plant.set_discrete_contact_approximation(getattr(drake.DiscreteContactApproximation, f"k{contact.capitalize()}"))
    return build(drake, mechanism, plant).plant


def _discrete(drake: Any, plant_of: Callable[[str, float], Any], contact: str, q: Array, v: Array, tau: Array, h: Array) -> Array:
    plant = plant_of(contact, float(h[0]))
    return _advanced(plant, drake.Simulator(plant), q, v, tau, h)


def _integrated(drake: Any, plant: Any, scheme: str, q: Array, v: Array, tau: Array, h: Array) -> Array:
    simulator = drake.Simulator(plant)
    integrator = drake.ResetIntegratorFromFlags(simulator, scheme, float(h[0]))
    integrator.set_fixed_step_mode(True)
    with suppress(RuntimeError):  # Some estimate no error, and have no tolerance.
        integrator.set_target_accuracy(TOLERANCE)
    return _advanced(plant, simulator, q, v, tau, h)


def _advanced(plant: Any, simulator: Any, q: Array, v: Array, tau: Array, h: Array) -> Array:
    """q and v after h seconds of the new simulator."""
    context = simulator.get_mutable_context()
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    plant.get_applied_generalized_force_input_port().FixValue(context, tau)
    simulator.Initialize()
    simulator.AdvanceTo(float(h[0]))
    return np.array(plant.GetPositionsAndVelocities(context))
