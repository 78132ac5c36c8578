"""A mechanism as a program gets it: names, structure, and plain arrays."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from implementations.protocol import Array
from mechanisms import Mechanism, MechanismError, write_urdf


def described(mechanism: Mechanism, with_urdf: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    """The mechanism's names and structure, as JSON data, and the arrays of :class:`mechanisms.arrays.Arrays`, by name."""
    arrays = mechanism.arrays
    document: dict[str, Any] = {
        "name": mechanism.name,
        "root": mechanism.root,
        "bodies": [body.name for body in mechanism.bodies],
        "joints": [body.joint.name for body in mechanism.bodies],
        "kinds": list(arrays.kinds),
        "parents": list(arrays.parents),
        "q_start": [own.start for own in mechanism.q_slices],
        "v_start": [own.start for own in mechanism.v_slices],
        "nq": mechanism.nq,
        "nv": mechanism.nv,
    }
    if with_urdf and (urdf := _urdf(mechanism)):
        document["urdf"] = urdf
    numbers = {field.name: getattr(arrays, field.name) for field in fields(arrays)}
    return document, {name: x for name, x in numbers.items() if isinstance(x, np.ndarray)}


def _urdf(mechanism: Mechanism) -> dict[str, Any] | None:
    try:
        return {"text": write_urdf(mechanism), "original": False, "free_base": False}
    except MechanismError:
        return None
