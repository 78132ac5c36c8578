"""What faulty readers make of files, and equivalent files, as ``readings.toml`` declares them.

``reader``, ``exercises`` and ``suspect`` are the sentences of :class:`Misreading` and :class:`Rewriting`. A ``remedy`` may be the
name of one in the section "remedies". An ``edit`` is a verb of :data:`VERBS` and its arguments; without one, and for every
rewriting, a module here has the function under the same name. ``hypotheses`` may explain a reader of a form of files: we read in
the edited file what the reader reads in the file as it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cross_check.read.as_read import axes, inertials, misread_by_engines, misread_inertials, notation, other_forms, trees
from cross_check.read.as_read.elements import drop, put, unset
from cross_check.read.as_read.rewriting import Edit, Misreading, Rewriting
from mechanisms.reading import FORMS, Form

VERBS: Mapping[str, Callable[..., Edit]] = {
    "drop": drop,
    "unset": unset,
    "put": lambda path, *pairs: put(path, **dict(pair.split("=") for pair in pairs)),
    "float32": misread_by_engines.in_float32,
    "gravity": misread_by_engines.gravity,
    "mjcf-gravity": other_forms.mjcf_gravity,
    "sdf-gravity": other_forms.sdf_gravity,
}

EDITS = misread_inertials.EDITS | axes.EDITS | trees.EDITS | notation.EDITS | misread_by_engines.EDITS | other_forms.EDITS

REWRITES = inertials.REWRITES | axes.REWRITES | trees.REWRITES | notation.REWRITES

TABLE = tomllib.loads(Path(__file__).with_name("readings.toml").read_text("utf-8"))


def _misreading(
    name: str, reader: str, edit: str = "", remedy: str = "", pages: tuple[str, ...] = (), **verdict: Any
) -> Misreading:
    verb, *arguments = edit.split() or [""]
    made = VERBS[verb](*arguments) if verb else EDITS[name]
    return Misreading(reader, made, TABLE["remedies"].get(remedy, remedy), pages=tuple(pages), **verdict)


MISREADINGS = {name: _misreading(name, **declared) for name, declared in TABLE["misreadings"].items()}

REWRITINGS = tuple(
    Rewriting(
        name,
        declared["exercises"],
        REWRITES[name],
        tuple(MISREADINGS[one] for one in declared.get("misreadings", ())),
        declared.get("suspect", ""),
    )
    for name, declared in TABLE["rewritings"].items()
)

HYPOTHESES: Mapping[Form, tuple[Misreading, ...]] = {
    form: tuple(MISREADINGS[name] for name in TABLE["hypotheses"][form]) for form in FORMS
}
"""In the order in which they are tried. Of two that explain equally much, the first one is named."""
