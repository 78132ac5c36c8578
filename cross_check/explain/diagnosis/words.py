"""Causes in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from cross_check.exchange.results.causes import CauseKind, ChangedLines
from cross_check.exchange.results.objects import Cell
from cross_check.explain.diagnosis.search import Explanation
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.sampling import sample
from mechanisms import Mechanism
from mechanisms.plain_text import listing
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES

MOST_TITLES = 3
"""So many quantities, or mechanisms with their quantities, are named in a clause."""

MOST_PLACES = 2
"""A fault at more places than these, without names of its own, is said to be everywhere."""

KINDS: dict[str, CauseKind] = {
    "thresholds": "condition",
    "limits": "condition",
    "zeros among velocities": "condition",
    "rest": "condition",
    "small turns": "condition",
    "half turns": "condition",
    "more than 32 coordinates": "condition",
    "more than 64 coordinates": "condition",
    "precision": "arithmetic",
    "arithmetic": "arithmetic",
    "cached states": "history",
    "states of the batch": "condition",
}
"""The kinds of causes of some groups of faults."""

COMPUTED = ("accelerations", "velocities", "ignored joints")
"""Groups of faults of states that no convention makes."""


def kind_of(fault: Fault) -> CauseKind:
    """What kind of cause the fault is."""
    if known := KINDS.get(fault.group):
        return known
    if fault.condition:
        return "condition"
    reads = bool(fault.edits) and all(edit.module == "model" for edit in fault.edits)
    if reads or (fault.mechanism and fault.where):
        return "model"
    # What has a wrapper means another thing; what has none is computed wrongly.
    return "convention" if fault.mends or (fault.state and fault.group not in COMPUTED) else "term"


def places(fault: Fault, mechanism: Mechanism) -> tuple[str, ...]:
    """The bodies and joints at fault; none if it is everywhere.

    A fault that names none, but changes one or two bodies of several, or concerns one or two joints of several, is there.
    """
    if fault.where:
        return fault.where
    found: tuple[str, ...] = ()
    if fault.mechanism and fault.changes(mechanism):
        # A fault of the tree may weld bodies, or free them.
        others = {body.name: body for body in fault.mechanism(mechanism).bodies}
        found = tuple(body.name for body in mechanism.bodies if others.get(body.name) != body)
    elif fault.state and (moved := changed_joints(fault, mechanism)):
        found = moved
    elif fault.kinds:
        found = tuple(body.joint.name for body in mechanism.bodies if body.joint.kind in fault.kinds)
    return found if len(found) <= MOST_PLACES < len(mechanism.bodies) else ()


def changed_joints(fault: Fault, mechanism: Mechanism) -> tuple[str, ...]:
    """The joints whose part of a random state the fault changes."""
    drawn = sample(mechanism, 0, 2).pick(np.array([1]))
    given = {"q": drawn.q, "v": drawn.v, "a": drawn.a}
    assert fault.state
    seen = fault.state(mechanism, given)
    parts = {"q": mechanism.q_slices, "v": mechanism.v_slices, "a": mechanism.v_slices}
    return tuple(
        body.joint.name
        for i, body in enumerate(mechanism.bodies)
        if any(not np.array_equal(seen[name][:, slices[i]], given[name][:, slices[i]]) for name, slices in parts.items())
    )


def sentence(name: str, fault: Fault, quantities: str = "") -> str:
    """What is wrong and where, without a full stop."""
    return f"In {name}, {fault.name}{quantities}"


def declared(name: str, declares: str, fault: Fault) -> str:
    """What is wrong with answers that were converted from conventions that the code declares."""
    return f"In {name}, what it declares ({declares}) does not fit: after the conversion it looks as if {fault.name}"


def unknown(name: str, quantity: str, condition: str, others: Sequence[str] = (), more: Sequence[str] = ()) -> str:
    """The sentence about answers that nothing explains; ``others`` are quantities that are wrong in agreement with it, and
    ``more`` are wrong, too."""
    said = _wrong(name, quantity, condition, others)
    if not more:
        return f"{said}; no fault that was tried explains it"
    titles = _titles(more)
    return f"{said}; {_some(titles)} {_verb(titles)} wrong, too; no fault that was tried explains them"


def lines_are_wrong(name: str, changes: Sequence[ChangedLines], cells: Iterable[str]) -> str:
    """Lines of the user's code are wrong, and with them what the cells with these ids compare."""
    quantities = (cell.rpartition("/")[2] for cell in cells)
    what = _some(_titles(name for name in quantities if name in QUANTITIES))
    files: dict[str, list[str]] = {}
    for change in changes:
        files.setdefault(Path(change.file).name, []).append(str(change.line))
    lines = listing([f"{'line' if len(own) == 1 else 'lines'} {listing(own)} of {file}" for file, own in files.items()])
    verb, them = ("is", "it") if len(changes) == 1 else ("are", "them")
    return f"In {name}, {lines} {verb} wrong, and with {them} {what}"


def _some(titles: Sequence[str]) -> str:
    """Quantities in words; of many, some, and how many more there are."""
    left = len(titles) - MOST_TITLES
    return listing(titles) if left <= 0 else f"{', '.join(titles[:MOST_TITLES])} and {left} more"


def by_batch(name: str, quantity: str, condition: str, others: Sequence[str] = ()) -> str:
    """The sentence about answers that depend on the batch in a known way, whatever they are."""
    return f"{_wrong(name, quantity, condition, others)}: the same state has another answer in another batch"


def _wrong(name: str, quantity: str, condition: str, others: Sequence[str]) -> str:
    where = f" where {condition}" if condition else ""
    if others:
        where += f", and {listing(_titles(others))} in agreement with it"
    title = QUANTITIES[quantity].title
    return f"In {name}, {title} {_verb([title])} wrong{where}"


def restricted(explanation: Explanation) -> str:
    """In which quantities alone, if others that code usually computes with the same terms are right."""
    wrong_names = {symptom.quantity for symptom in explanation.explained}
    right = _titles(
        s.quantity
        for s in explanation.contradicted
        if QUANTITIES[s.quantity].group in ("dynamics", "kinematics") and not s.asked and s.quantity not in wrong_names
    )
    if not right:
        return ""
    wrong = _titles(symptom.quantity for symptom in explanation.explained if not symptom.asked)
    return f" (only in {listing(wrong)}; {listing(right)} {_verb(right)} right)"


def extent(explained: Sequence[Cell], contradicting: Sequence[Cell]) -> str:
    """The end of a usual fault's sentence: in which quantities alone the code has it. Empty if nothing contradicts it.

    ``contradicting`` are cells that agree, and cells that disagree in another way than the fault predicts.
    """
    if not contradicting:
        return ""
    # A quantity that has the fault on one mechanism alone needs the mechanism's name.
    apart = {cell.quantity for cell in explained}.isdisjoint(cell.quantity for cell in contradicting)
    right = _named_cells((cell for cell in contradicting if cell.verdict != "discrepancy"), apart)
    other = _named_cells((cell for cell in contradicting if cell.verdict == "discrepancy"), apart)
    clauses = [f"only in {_some(_named_cells(explained, apart))}"]
    clauses += [f"right in {_some(right)}"] if right else []
    clauses += [f"wrong in another way in {_some(other)}"] if other else []
    return f" ({'; '.join(clauses)})"


def _named_cells(cells: Iterable[Cell], apart: bool) -> list[str]:
    if apart:
        return [*dict.fromkeys(ALL_QUANTITIES[cell.quantity].title for cell in cells)]
    symbols: dict[str, list[str]] = {}
    for cell in cells:
        symbols.setdefault(cell.mechanism, []).append(ALL_QUANTITIES[cell.quantity].symbol)
    return [f"{', '.join(own)} on {mechanism}" for mechanism, own in symbols.items()]


def about(sentence: str, quantity: str, titles: Sequence[str]) -> str:
    """A sentence about a quantity, said of quantities in words."""
    if _is_plural(titles):
        for singular, plural in PLURALS.items():
            sentence = sentence.replace(f"{quantity} {singular} ", f"{quantity} {plural} ")
    return sentence.replace(quantity, listing(titles))


PLURALS = {"is": "are", "has": "have", "loses": "lose"}
"""The verbs of sentences about quantities."""


def _verb(titles: Sequence[str]) -> str:
    """The verb for quantities in words."""
    return "are" if _is_plural(titles) else "is"


def _is_plural(titles: Sequence[str]) -> bool:
    """Whether quantities in words take a plural verb; "dynamics" is one."""
    return len(titles) > 1 or (titles[0].endswith("s") and not titles[0].endswith(("dynamics", "mass", "forces")))


def _titles(quantities: Iterable[str]) -> list[str]:
    """Families of quantities in words, each once."""
    return list(dict.fromkeys(QUANTITIES[name].title.removeprefix(f"{QUANTITIES[name].frame} ") for name in quantities))


def identifier(name: str, fault: str) -> str:
    """The id of a cause: the implementation, and the words of the fault."""
    return f"{name}/{re.sub(r'[^0-9A-Za-z]+', '-', fault).strip('-').lower()[:60]}"
