"""Faults and terms that are edits of the reference's text, as ``edits.toml`` declares them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cross_check.explain.faults.fault import Edit, Fault, Term
from mechanisms.joint_kinds import JOINT_KINDS, MOVING

TABLE = tomllib.loads(Path(__file__).with_name("edits.toml").read_text("utf-8"))

COMPOUND = tuple(kind for kind in MOVING if JOINT_KINDS[kind].compound)


def edits_of(rows: Sequence[Sequence[str]]) -> tuple[Edit, ...]:
    """The edits of rows with modules, the right text, and the wrong one if the text is not multiplied by K."""
    every = ((module, right, wrong) for modules, right, *wrong in rows for module in modules.split())
    return tuple(Edit(module, right, (*wrong, "K * ({})")[0].replace("{}", right)) for module, right, wrong in every)


def _term(edits: Sequence[Sequence[str]], of_compound_joints: bool = False, **traits: Any) -> Term:
    return Term(places=edits_of(edits), kinds=COMPOUND if of_compound_joints else (), **traits)


def faults_of(group: str, table: str, others: Mapping[str, Fault], **traits: Any) -> tuple[Fault, ...]:
    """The faults of a table, in its order; those without edits are the ``others`` with their names. ``traits`` are of edits."""
    rows = ((one["name"], one.get("edits")) for one in TABLE[table])
    return tuple(Fault(name, group, edits_of(edits), **traits) if edits else others[name] for name, edits in rows)


SPATIAL_TERMS = {one["name"]: _term(**one) for one in TABLE["terms"]}
"""By name: terms of the reference's own algorithms."""

INTEGRATION_FAULTS = faults_of("integration", "integration", {})
