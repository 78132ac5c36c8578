"""The two Python bindings of RBDL behind one interface: built from a tree of segments, evaluated at one state.

Everything there is in RBDL's own coordinates; :mod:`implementations.engines.rbdl.adapter` converts. No user-defined name is
passed to RBDL. ``native`` has the joints that a binding has a name for, ``composes`` says whether it makes other joints of
several axes, ``damped`` in which quantities it has damping, ``workarounds`` what the adapter has to do itself.
"""

from __future__ import annotations

import importlib
import warnings
from functools import partial
from typing import Any

from implementations.engines.rbdl.biorbd_binding import Biorbd, biorbd
from implementations.engines.rbdl.official_binding import Official
from implementations.protocol import Missing


def binding() -> tuple[type[Official] | type[Biorbd], Any]:
    """The installed binding, preferably RBDL's own, and its module. Raises :class:`Missing` if there is none."""
    official = partial(importlib.import_module, "rbdl")
    for kind, imported, essential in ((Official, official, "NonlinearEffects"), (Biorbd, biorbd, "SegmentCharacteristics")):
        try:
            with warnings.catch_warnings():
                # SWIG's own types lack __module__, of which CPython 3.12 and later complain on import.
                warnings.filterwarnings("ignore", "builtin type [Ss]wig", DeprecationWarning)
                engine = imported()
        except ImportError:
            continue
        # A folder called rbdl beside the user's files imports too, as an empty package.
        if hasattr(engine, essential):
            return kind, engine
    raise Missing('RBDL is not installed; pip install "dalembert[rbdl]", or build RBDL with its Python wrapper')
