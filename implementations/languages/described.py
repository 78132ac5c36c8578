"""What code in other languages says of itself, and a mechanism as it gets it: names, structure and arrays, or a C structure."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from implementations.conventions.change import layout
from implementations.conventions.declared import Conventions
from implementations.languages.lines import Numbers
from implementations.one_robot import OneRobot
from implementations.protocol import Array, Unsupported
from mechanisms import WELD, Mechanism, source_of
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

OURS = Conventions()


def unknown_kind(joints: Iterable[str]) -> str:
    """What is wrong with the first kind of joint that nobody knows, in a clause; empty if all are known."""
    unknown = next((kind for kind in joints if kind not in JOINT_KINDS), None)
    return "" if unknown is None else f"unknown kind of joint {one_line(unknown, 60)!r}; use {', '.join(JOINT_KINDS)}"


def refusal(reason: str) -> Unsupported:
    """What to raise where code says that it cannot do something."""
    return Unsupported(one_line(reason, 400) or "it says so without a reason")


@dataclass(frozen=True)
class Declaration:
    """What code in another language says of itself."""

    name: str
    version: str
    quantities: Sequence[str]
    joints: Sequence[str]
    """The kinds of joints that it has."""
    conventions: Conventions
    wants_urdf: bool
    one_robot: OneRobot | None
    """That it is code for one robot, if it says so."""
    mimic_joints: bool = False
    """Whether it knows mimic joints."""
    numbers: Numbers = "raw"
    """How a program writes numbers."""
    precision: str = ""
    """The name of the precision in which it computes; empty if it says nothing."""

    @property
    def knows_constraints(self) -> bool:
        """Whether it has a quantity of constraints. Only such code gets them; another program may refuse unknown fields."""
        return any(name in CONSTRAINT_QUANTITIES for name in self.quantities)

    def described(self, mechanism: Mechanism) -> tuple[dict[str, Any], dict[str, Array]]:
        """The mechanism as this code gets it. Raises :class:`Unsupported` if the code lacks one of its kinds of joints."""
        if missing := {body.joint.kind for body in mechanism.bodies} - {*self.joints}:
            raise Unsupported(f"it has no {min(missing)} joint")
        return described(mechanism, self.wants_urdf, self.knows_constraints, self.conventions)


class LoadedElsewhere:
    """A mechanism in code of another language, with the code's coordinates and its ``quantities`` as methods."""

    def __init__(self, mechanism: Mechanism, quantities: Collection[str]) -> None:
        self._mechanism, self._quantities = mechanism, quantities

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity.startswith("_") or quantity not in self._quantities:
            raise AttributeError(quantity)
        return partial(self._ask, quantity)

    def _ask(self, quantity: str, *arguments: Array) -> Array:
        return self._evaluate(quantity, arguments, ALL_QUANTITIES[quantity].dimensions_for(self._mechanism, arguments[0]))

    def _evaluate(self, quantity: str, arguments: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        """The answer at a batch of states, for each of which it has this shape."""
        raise NotImplementedError


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
    urdf, constraints = header.get("urdf", {}), header.get("constraints", ())
    made = Description()
    made.kept = {name: np.ascontiguousarray(x, np.float64) for name, x in arrays.items()}
    values = {
        **header,
        **{name: x.ctypes.data for name, x in made.kept.items()},
        "bodies": len(header["bodies"]),
        "body_names": header["bodies"],
        "joint_names": header["joints"],
        "urdf": urdf.get("text"),
        "urdf_is_original": urdf.get("original", False),
        "urdf_free_base": urdf.get("free_base", False),
        "constraints": len(constraints),
        "directions": sum(len(one["directions"]) for one in constraints),
        "constraint_names": [one["name"] for one in constraints],
        "firsts": [one["first"] for one in constraints],
        "seconds": [one["second"] for one in constraints],
        "constrained": [direction in one["directions"] for one in constraints for direction in WELD],
    }
    for name, kind, *_ in Description._fields_:
        setattr(made, name, _in_c(kind, values.get(name)))
    return made


def _in_c(kind: Any, value: Any) -> Any:
    """The value of a field of this kind: a text, a number, an address, or an array of texts or numbers."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if kind in (TEXTS, SIZES, INTEGERS):
        return (kind._type_ * len(value))(*(_in_c(None, one) for one in value))
    return value
