"""What moves: bodies, joints, inertias and states; data and conventions, no dynamics.

This package knows nothing of the others; both derivations are built on it, and on nothing else they share.
"""

from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.mechanism import EARTH, Body, Frame, Mechanism

__all__ = ["EARTH", "Body", "Frame", "Inertia", "Joint", "Mechanism", "MechanismError", "Placement", "Rotation"]
