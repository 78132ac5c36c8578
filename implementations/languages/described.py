"""A mechanism as a program gets it: names, structure, and plain arrays."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from implementations.conventions.change import layout
from implementations.conventions.declared import Conventions
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism, source_of

OURS = Conventions()


def described(
    mechanism: Mechanism, with_urdf: bool, with_constraints: bool = False, conventions: Conventions = OURS
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The mechanism's names and structure, as JSON data, and the arrays of :class:`mechanisms.arrays.Arrays`, by name.

    With mimic joints there are ``leaders`` too, and the arrays ``multipliers`` and ``offsets``.

    ``q_start`` and ``nq`` are those of a program with these ``conventions``, with the joints in our order.

    ``with_urdf`` adds the file that the mechanism was read from or, if there is none, one that is written. ``with_constraints``
    adds ``constraints``, and the arrays ``first_rotations`` to ``second_translations``, if the mechanism has constraints.
    """
    q_start, nq = layout(mechanism, conventions)
    arrays = (mechanism if with_constraints else mechanism.tree).arrays
    document: dict[str, Any] = {
        "name": mechanism.name,
        "root": mechanism.root,
        "bodies": [body.name for body in mechanism.bodies],
        "joints": [body.joint.name for body in mechanism.bodies],
        "kinds": list(arrays.kinds),
        "parents": list(arrays.parents),
        "q_start": q_start,
        "v_start": [own.start for own in mechanism.v_slices],
        "nq": nq,
        "nv": mechanism.nv,
    }
    if mechanism.has_mimics:
        document["leaders"] = list(arrays.leaders)
    if arrays.firsts:
        ends = zip(mechanism.constraints, arrays.firsts, arrays.seconds, strict=True)
        document["constraints"] = [
            {"name": one.name, "first": first, "second": second, "directions": list(one.directions)}
            for one, first, second in ends
        ]
    if with_urdf:
        # What URDF cannot describe comes in arrays alone.
        with suppress(Unsupported):
            source = source_of(mechanism)
            original = mechanism.source is not None
            document["urdf"] = {"text": source.text, "original": original, "free_base": source.free_base}
    return document, arrays.numbers
