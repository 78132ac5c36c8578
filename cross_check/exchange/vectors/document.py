"""One file of test vectors: one quantity of one mechanism, as JSON that explains itself.

``vectors.schema.json`` describes the document, and has the sentences on conventions and on a mechanism's fields that every file
repeats. Numbers are texts of hexadecimal floating point, as C's %a writes them, which say every bit: "0x1.8p+1" is 3. Python's
float.fromhex, C's strtod and their like in most languages read them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.results.codec import schema_in
from cross_check.exchange.results.objects import BAR
from cross_check.memory import Array
from mechanisms import Mechanism, MechanismError, write_urdf
from mechanisms.joint_kinds import JOINT_KINDS, JointKind
from mechanisms.quantities import FRAMES, PARAMETERS, Quantity

SCHEMA = "dalembert-vectors-1"


def schema() -> dict[str, Any]:
    """The JSON Schema of a file."""
    return schema_in(Path(__file__).with_name("vectors.schema.json"))


def document(
    spec: str,
    mechanism: Mechanism,
    quantity: Quantity,
    states: Sequence[tuple[str, str]],
    flags: Mapping[str, tuple[str, str]],
    flagged: Sequence[Sequence[str]],
    columns: Mapping[str, Array],
) -> dict[str, Any]:
    """The vectors of one quantity. ``spec`` is the word by which the command line finds the mechanism.

    Of every vector ``states`` has the kind of its state and what it is for, and ``flagged`` the names of its flags. ``flags`` has
    the meaning and the fault of every flag. ``columns`` are the arguments of the quantity, ``expected`` and ``size``, batch
    first. Raises :class:`MechanismError` for mechanisms that the format does not describe.
    """
    used = dict.fromkeys(flag for row in flagged for flag in row)
    return {
        "schema": SCHEMA,
        "about": list(ABOUT),
        "judge": {"how": list(JUDGING), "bar": int(BAR), "epsilon": "0x1p-52"},
        "quantity": _quantity(quantity, mechanism),
        "conventions": _conventions(mechanism, quantity),
        "provenance": {
            "generator": f"dalembert {version('dalembert')}",
            "fingerprint": mechanism.fingerprint,
            "command": shlex.join(["dalembert", "vectors", spec, "-q", quantity.name, "-o", "vectors"]),
        },
        "fields": _said("mechanism", "description"),
        "mechanism": _mechanism(mechanism),
        "flags": {name: dict(zip(("meaning", "fault"), flags[name], strict=True)) for name in used},
        "vectors": [
            {
                "id": k + 1,
                "state": kind,
                "why": why,
                "flags": list(flagged[k]),
                **{name: numbers(column[k]) for name, column in columns.items()},
            }
            for k, (kind, why) in enumerate(states)
        ],
    }


def passes(document: Mapping[str, Any], got: Array) -> Array:
    """Which vectors (vectors,) pass with the answers ``got`` (vectors, …)."""
    vectors, judge = document["vectors"], document["judge"]
    expected, size = column(vectors, "expected"), column(vectors, "size")
    within = np.abs(got - expected) <= judge["bar"] * float.fromhex(judge["epsilon"]) * size
    return within.reshape(len(vectors), -1).all(axis=1)


def column(vectors: Iterable[Mapping[str, Any]], name: str) -> Array:
    """One field of all vectors as an array of float64, (vectors, …)."""
    return np.array([_numbers(vector[name]) for vector in vectors], np.float64)


def _numbers(texts: Any) -> Any:
    return float.fromhex(texts) if isinstance(texts, str) else [_numbers(part) for part in texts]


def numbers(values: Array | float) -> Any:
    """Nested lists of hexadecimal numbers; a single one for a scalar."""
    if np.ndim(values) == 0:
        return hexadecimal(float(values))
    return [numbers(part) for part in np.asarray(values)]


def hexadecimal(x: float) -> str:
    """C99's %a without digits that say nothing: 0x1.8p+1 for 3, 0x0p+0 for 0 and for −0."""
    return re.sub(r"\.?0*p", "p", (x + 0.0).hex(), count=1)


def text_of(document: Mapping[str, Any]) -> str:
    """The text of a file: an object has a line for every field, a list of numbers has one line."""
    return _laid_out(document, "") + "\n"


def _laid_out(value: Any, indent: str) -> str:
    deeper = indent + " "
    if isinstance(value, Mapping):
        fields = (f"{deeper}{_json(name)}: {_laid_out(part, deeper)}" for name, part in value.items())
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}" if value else "{}"
    if isinstance(value, list) and any(isinstance(part, Mapping) or (isinstance(part, str) and " " in part) for part in value):
        return "[\n" + ",\n".join(deeper + _laid_out(part, deeper) for part in value) + f"\n{indent}]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _quantity(quantity: Quantity, mechanism: Mechanism) -> dict[str, Any]:
    shapes = {"q": [mechanism.nq], "f": [len(mechanism.bodies), 6]}
    return {
        "name": quantity.name,
        "title": quantity.title,
        "symbol": quantity.symbol,
        "meaning": quantity.meaning,
        "arguments": {name: shapes.get(name, [mechanism.nv]) for name in quantity.arguments},
        "shape": list(quantity.dimensions(mechanism)),
        "axes": [axis if isinstance(axis, str) else list(axis) for axis in quantity.axes],
    }


def _conventions(mechanism: Mechanism, quantity: Quantity) -> dict[str, Any]:
    kinds = dict.fromkeys(body.joint.kind for body in mechanism.bodies)
    joints = {kind: _joint(JOINT_KINDS[kind]) for kind in kinds}
    frame = {} if quantity.frame is None else {"frame": f"v is the velocity {FRAMES[quantity.frame]}"}
    parameters = {"parameters": PARAMETER_SENTENCE.format(", ".join(PARAMETERS))} if "parameters" in quantity.axes else {}
    return {**_said("conventions", "const"), **frame, **parameters, "joints": joints}


def _said(part: str, under: str) -> dict[str, str]:
    """By field of a part of the document: the sentence that the schema has on it, as far as it has one."""
    fields = schema()["properties"][part]["properties"]
    return {name: one[under] for name, one in fields.items() if under in one}


def _joint(kind: JointKind) -> str:
    return f"q: {kind.position_units}; v: {kind.velocity_units or ('its rate' if kind.nv == 1 else 'their rates')}"


def _mechanism(mechanism: Mechanism) -> dict[str, Any]:
    """Names, arrays and URDF text."""
    if mechanism.has_mimics:
        why = "its readers would let mimic joints move on their own; take independent:FILE, or the robot without mimic:"
        raise MechanismError(f"{mechanism.name}: the format of vectors has no mimic joints, and {why}")
    arrays = mechanism.arrays
    try:
        urdf, no_urdf = write_urdf(mechanism), None
    except MechanismError as error:
        urdf, no_urdf = None, str(error)
    return {
        "name": mechanism.name,
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "body_names": [body.name for body in mechanism.bodies],
        "joint_names": [body.joint.name for body in mechanism.bodies],
        "position_names": list(mechanism.positions),
        "velocity_names": list(mechanism.coordinates),
        "parents": list(arrays.parents),
        "kinds": list(arrays.kinds),
        "q_starts": [own.start for own in mechanism.q_slices],
        "v_starts": [own.start for own in mechanism.v_slices],
        **{name: numbers(x) for name, x in arrays.numbers.items()},
        "urdf": urdf,
        "no_urdf": no_urdf,
    }


ABOUT = (
    "These are test vectors for code that computes rigid-body dynamics or kinematics, in any language.",
    "A vector is a state and the expected value of one quantity of one mechanism at this state.",
    "Numbers are texts in hexadecimal floating point, as C's %a writes them; float.fromhex of Python and strtod of C read them.",
    "Expected values are those of the Euler-Lagrange equations in exact arithmetic, correctly rounded to float64.",
    "The mechanism's numbers are the float64 numbers nearest to the exact ones.",
    "Flags say what a vector stresses; a flag names a fault that only vectors with this flag catch.",
    "Vectors are to be computed in their order, so that code that keeps results of the vector before is caught.",
)

JUDGING = (
    "Code passes a vector if |got - expected| <= bar * epsilon * size for every number that is expected.",
    "Write the comparison like this, and not as a failure if the error is larger: then NaN does not pass.",
    "A size bounds the sum of the magnitudes of the terms that are summed for this number. It is rounded up to eight bits.",
    "Correct code in float64 whose algorithm is stable is off by a few times epsilon * size. A wrong term is off by far more.",
)

PARAMETER_SENTENCE = "For every body ten, in this order: {}. The inertia is about the body's origin, along the body's axes."
