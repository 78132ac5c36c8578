"""A mechanism as a C structure, which a shared library reads."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from implementations.protocol import Array
from mechanisms import WELD

TEXTS = ctypes.POINTER(ctypes.c_char_p)
SIZES = ctypes.POINTER(ctypes.c_size_t)
INTEGERS = ctypes.POINTER(ctypes.c_int)


class Description(ctypes.Structure):
    """``struct dalembert_mechanism``."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in ("bodies", "nq", "nv")),
        *((name, ctypes.c_char_p) for name in ("name", "root")),
        *((name, TEXTS) for name in ("body_names", "joint_names", "kinds")),
        ("parents", INTEGERS),
        *((name, SIZES) for name in ("q_start", "v_start")),
        *((name, ctypes.c_void_p) for name in ("axes", "screws", "rotations", "translations", "masses", "coms", "inertias")),
        *((name, ctypes.c_void_p) for name in ("armature", "damping", "gravity")),
        ("urdf", ctypes.c_char_p),
        *((name, ctypes.c_int) for name in ("urdf_is_original", "urdf_free_base")),
        *((name, ctypes.c_size_t) for name in ("constraints", "directions")),
        ("constraint_names", TEXTS),
        *((name, INTEGERS) for name in ("firsts", "seconds", "constrained")),
        *((f"{frame}_{what}", ctypes.c_void_p) for frame in ("first", "second") for what in ("rotations", "translations")),
    )


def description(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Description:
    """The structure; it keeps what it points to alive."""
    texts = {"body_names": header["bodies"], "joint_names": header["joints"], "kinds": header["kinds"]}
    made = Description(len(header["bodies"]), header["nq"], header["nv"], _bytes(header["name"]), _bytes(header["root"]))
    for name, lines in texts.items():
        setattr(made, name, (ctypes.c_char_p * len(lines))(*map(_bytes, lines)))
    made.parents = _integers(header["parents"])
    for name in ("q_start", "v_start"):
        setattr(made, name, (ctypes.c_size_t * len(header[name]))(*header[name]))
    kept = {name: np.ascontiguousarray(x, np.float64) for name, x in arrays.items()}
    for name, x in kept.items():
        setattr(made, name, x.ctypes.data)
    made.kept = kept
    if urdf := header.get("urdf"):
        made.urdf, made.urdf_is_original, made.urdf_free_base = _bytes(urdf["text"]), urdf["original"], urdf["free_base"]
    constraints = header.get("constraints", ())
    made.constraints, made.directions = len(constraints), sum(len(one["directions"]) for one in constraints)
    made.constraint_names = (ctypes.c_char_p * len(constraints))(*(_bytes(one["name"]) for one in constraints))
    made.firsts, made.seconds = (_integers([one[frame] for one in constraints]) for frame in ("first", "second"))
    made.constrained = _integers([direction in one["directions"] for one in constraints for direction in WELD])
    return made


def _integers(numbers: Sequence[int]) -> Any:
    return (ctypes.c_int * len(numbers))(*numbers)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
