"""A mechanism as a C structure, which a shared library reads."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from implementations.protocol import Array

TEXTS = ctypes.POINTER(ctypes.c_char_p)
SIZES = ctypes.POINTER(ctypes.c_size_t)


class Description(ctypes.Structure):
    """``struct dalembert_mechanism``."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in ("bodies", "nq", "nv")),
        *((name, ctypes.c_char_p) for name in ("name", "root")),
        *((name, TEXTS) for name in ("body_names", "joint_names", "kinds")),
        ("parents", ctypes.POINTER(ctypes.c_int)),
        *((name, SIZES) for name in ("q_start", "v_start")),
        *((name, ctypes.c_void_p) for name in ("axes", "screws", "rotations", "translations", "masses", "coms", "inertias")),
        *((name, ctypes.c_void_p) for name in ("armature", "damping", "gravity")),
        ("urdf", ctypes.c_char_p),
        *((name, ctypes.c_int) for name in ("urdf_is_original", "urdf_free_base")),
    )


def description(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Description:
    """The structure; it keeps what it points to alive."""
    texts = {"body_names": header["bodies"], "joint_names": header["joints"], "kinds": header["kinds"]}
    made = Description(len(header["bodies"]), header["nq"], header["nv"], _bytes(header["name"]), _bytes(header["root"]))
    for name, lines in texts.items():
        setattr(made, name, (ctypes.c_char_p * len(lines))(*map(_bytes, lines)))
    made.parents = (ctypes.c_int * len(header["parents"]))(*header["parents"])
    for name in ("q_start", "v_start"):
        setattr(made, name, (ctypes.c_size_t * len(header[name]))(*header[name]))
    kept = {name: np.ascontiguousarray(x, np.float64) for name, x in arrays.items()}
    for name, x in kept.items():
        setattr(made, name, x.ctypes.data)
    made.kept = kept
    if urdf := header.get("urdf"):
        made.urdf, made.urdf_is_original, made.urdf_free_base = _bytes(urdf["text"]), urdf["original"], urdf["free_base"]
    return made


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
