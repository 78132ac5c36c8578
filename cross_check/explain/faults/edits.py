"""Faults and terms that ``edits.toml`` declares, most of which are edits of the reference's text; and their tables.

The tables are of the terms of the equations of motion; of numbers that are read wrongly, all alike; of q ⊕ dv and to ⊖ q; of code
that solves for constraints, in J, in the drift, in the forces, in the restitution and in derivatives; and of code that knows
mimic joints: what their multiplier, their offset, their damping and armature enter.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.changes.mechanisms import (
    Wrong,
    branches,
    has_armature,
    has_damping,
    has_friction,
    has_massless_link,
    has_several_roots,
    has_springs,
    with_bodies,
)
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.fault import Edit, Fault, Term, WrongAnswer, in_units, scaled
from cross_check.memory import Array
from implementations.conventions import rates
from implementations.field import Real
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import build
from mechanisms import Body, Constraint, Joint, Mechanism, Placement
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind
from mechanisms.mimic import Mimic
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

Rows = Sequence[Sequence[str]]

TABLE = tomllib.loads(Path(__file__).with_name("edits.toml").read_text("utf-8"))

COMPOUND = tuple(kind for kind in MOVING if JOINT_KINDS[kind].compound)


def edits_of(rows: Rows) -> tuple[Edit, ...]:
    """The edits of rows with modules, the right text, and the wrong one if the text is not multiplied by K."""
    every = ((module, right, wrong) for modules, right, *wrong in rows for module in modules.split())
    return tuple(Edit(module, right, (*wrong, "K * ({})")[0].replace("{}", right)) for module, right, wrong in every)


def _term(edits: Rows, of_compound_joints: bool = False, **traits: Any) -> Term:
    return Term(places=edits_of(edits), kinds=COMPOUND if of_compound_joints else (), **traits)


SPATIAL_TERMS = {one["name"]: _term(**one) for one in TABLE["terms"]}
"""By name: terms of the reference's own algorithms."""

NEEDS: dict[str, Callable[[Mechanism], bool]] = {
    "": lambda mechanism: True,
    "armature": has_armature,
    "damping": has_damping,
    "friction": has_friction,
    "springs": has_springs,
    "branching": branches,
    "several roots": has_several_roots,
    "bodies without mass": has_massless_link,
    "gravity": lambda mechanism: any(mechanism.gravity),
}
"""What a fault needs: the mechanisms on which it can change anything."""


def faults_of(group: str, others: Sequence[Fault] = (), **traits: Any) -> tuple[Fault, ...]:
    """The faults of a group, in the order of the table; those that it only names are the ``others`` with their names."""
    by_name = {fault.name: fault for fault in others}
    rows = (row if isinstance(row, dict) else {"name": row[0], "group": row[1], **row[2]} for row in TABLE[group])
    rows = ({"group": group, **traits, **row} for row in rows)
    return tuple(by_name[row["name"]] if row["name"] in by_name else _fault(**row) for row in rows)


def _fault(
    name: str,
    group: str,
    edits: Rows = (),
    kinds: Sequence[Kind] = (),
    needs: Any = "",
    units: dict[str, Any] | None = None,
    term: str = "",
    factor: float = 0,
    but: str = "",
    mechanism: Any = None,
    state: Any = None,
) -> Fault:
    """The fault of a row of the table. Of a ``term``, the edits of one module may be left out."""
    has = NEEDS.get(needs, needs)
    if units:
        return in_units(name, group, **{key: _numbers(key, given) for key, given in units.items()})
    if term:
        found = scaled(SPATIAL_TERMS[term], factor)
        return replace(found, name=name, edits=tuple(edit for edit in found.edits if edit.module != but), needs=has)
    changes = {"mechanism": _made(mechanism, wm), "state": _made(state, ws, rates)}
    return Fault(name, group, edits_of(edits), **changes, kinds=tuple(kinds), needs=has)


def _numbers(key: str, given: Any) -> Any:
    """An argument of :func:`in_units`; one factor of moments is that of all six."""
    return (given,) * 6 if key == "moments" and isinstance(given, str) else tuple(given) if isinstance(given, list) else given


def _made(given: Any, *modules: Any) -> Any:
    """The function that a row names, or that a function makes of arguments; these may be functions of the modules, too."""
    if isinstance(given, str):
        return next((getattr(module, given) for module in modules if hasattr(module, given)), given)
    if not isinstance(given, list):
        return given
    function, *arguments = given
    return _made(function, *modules)(*(tuple(one) if isinstance(one, list) else _made(one, *modules) for one in arguments))


INTEGRATION_FAULTS = faults_of("integration")


CONSTRAINED = "constraints"


def _placed(name: str, change: Callable[[Constraint], Constraint]) -> Fault:
    """Every constraint is changed."""
    return Fault(name, CONSTRAINED, mechanism=lambda m: replace(m, constraints=tuple(map(change, m.constraints))))


def _turned(name: str, *beginnings: str) -> Fault:
    """The quantities whose names begin so have the opposite sign."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if one.startswith(beginnings))
    return Fault(name, CONSTRAINED, answer=lambda m, quantity, state, answer: -answer, quantities=quantities)


def _by_state(name: str, answer: WrongAnswer) -> Fault:
    """The derivatives by the state, which have a block by q and one by v, are changed."""
    quantities = tuple(one for one in CONSTRAINT_QUANTITIES if ALL_QUANTITIES[one].by == "x")
    return Fault(name, CONSTRAINED, answer=answer, quantities=quantities)


def _exchanged(one: Constraint) -> Constraint:
    return Constraint(one.name, one.second, one.first, one.directions, one.second_placement, one.first_placement)


def _exchanged_blocks(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    return np.roll(answer, m.nv, axis=2)


def _transposed(block: int) -> WrongAnswer:
    """One of the two blocks is transposed, if it is square."""

    def transposed(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
        blocks = np.split(answer, 2, axis=2)
        if answer.shape[1] == m.nv:
            blocks[block] = blocks[block].swapaxes(1, 2)
        return np.concatenate(blocks, axis=2)

    return transposed


def _in_parents(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    """Free and spherical joints are turned and moved along the axes of their parents, not of their own bodies."""
    X, _ = transforms(build(m, Real()), np.moveaxis(state["q"], 0, -1))
    answer = answer.copy()
    for Xi, body, own in zip(X, m.bodies, m.v_slices, strict=True):
        if body.joint.kind in ("free", "spherical"):
            size = own.stop - own.start
            turn = np.moveaxis(Xi @ np.broadcast_to(np.eye(6)[..., None], (6, 6, len(answer))), -1, 0)[:, :size, :size]
            answer[:, :, own] = answer[:, :, own] @ turn
    return answer


OTHERS = (
    _turned("the multipliers have the opposite sign", "constraint_multipliers"),
    _turned("the constraint forces have the opposite sign", "constraint_forces", "impact_forces"),
    _placed("first and second frame are exchanged", _exchanged),
    _placed("the second frame is taken at its body's origin", lambda one: replace(one, second_placement=Placement())),
    _by_state("the derivatives by q and v are exchanged", _exchanged_blocks),
    _by_state("the derivatives by q are transposed", _transposed(0)),
    _by_state("the derivatives by v are transposed", _transposed(1)),
    _by_state("the derivatives by q are along the axes of the parents of free and spherical joints", _in_parents),
)
"""Those that are no edits."""

CONSTRAINT_FAULTS = faults_of(CONSTRAINED, OTHERS)
"""The likely ones first, in the order of ``edits.toml``."""


MIMIC = "mimic joints"

NUMBERS: tuple[tuple[str, Callable[[Any, Any], tuple[Any, Any]]], ...] = (
    ("the multiplier of mimic joints is ignored", lambda k, c: (1, c)),
    ("the multiplier of mimic joints has the opposite sign", lambda k, c: (-k, c)),
    ("the multiplier of mimic joints is taken as its reciprocal", lambda k, c: (1 / k if k else 0, c)),
    ("the offset of mimic joints is ignored", lambda k, c: (k, 0)),
    ("the offset of mimic joints has the opposite sign", lambda k, c: (k, -c)),
    ("the offset of mimic joints is added before the multiplication", lambda k, c: (k, k * c)),
    ("multiplier and offset of mimic joints are both ignored", lambda k, c: (1, 0)),
    ("mimic joints stay where their angle or distance is their offset", lambda k, c: (0, c)),
)
"""In words, and what becomes of a multiplier and an offset."""

FACTORS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("the {} of mimic joints is missing", lambda k: 0),
    ("the multiplier of the {} of mimic joints is not squared", lambda k: 1 / abs(k) if k else 1),
)
"""In words, and the factor of damping or armature, of the multiplier k. It counts k² times."""


def _mimics(change: Callable[[Joint, Mimic], Joint]) -> Wrong:
    """Every mimic joint is changed."""

    def changed(_: int, body: Body) -> Body:
        return replace(body, joint=change(body.joint, body.joint.mimic)) if body.joint.mimic else body

    return lambda mechanism: with_bodies(mechanism, changed)


def _following(change: Callable[[Any, Any], tuple[Any, Any]]) -> Wrong:
    """Mimic joints follow their leaders with another multiplier and offset."""
    return _mimics(lambda joint, x: replace(joint, mimic=Mimic(x.joint, *change(x.multiplier, x.offset))))


def _scaled(what: str, factor: Callable[[Any], Any]) -> Wrong:
    return _mimics(lambda joint, x: replace(joint, **{what: getattr(joint, what) * factor(x.multiplier)}))


def _has_mimics(mechanism: Mechanism) -> bool:
    return mechanism.has_mimics


MIMIC_FAULTS = (
    *(Fault(words, MIMIC, mechanism=_following(change), needs=_has_mimics) for words, change in NUMBERS),
    *faults_of(MIMIC, needs=_has_mimics),
    *(
        Fault(words.format(what), MIMIC, mechanism=_scaled(what, factor), needs=_has_mimics)
        for words, factor in FACTORS
        for what in ("damping", "armature")
    ),
)
"""The likely ones first."""
