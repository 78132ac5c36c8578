"""An entry of the list of causes as the page shows it: drawing, numbers, equations, the finding's text, and what to copy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.results.causes import Example
from cross_check.exchange.results.objects import Cell, Results
from mechanisms import Mechanism, MechanismError
from mechanisms.files.document import from_document
from reports import summary
from reports.causes import CauseEntry
from reports.drawing import at_one_point, drawing
from reports.mathml import len_of, suspect
from reports.pages import fill, markdown
from reports.profiles import profiles
from reports.reproduction import reproduce
from reports.summary import flat, inputs, named
from reports.words import count, level, number, title

EPSILON = 2.0**-52

SHORT = 12
"""A term of a mechanism's equations is shown if it is a sum of at most so many terms."""

LONGEST = 20_000
"""Files of more characters than this are not in the page."""

TERMS = {
    "gravity": "g",
    "Coriolis": "C",
    "gyroscopic": "C",
    "damping": "D",
    "friction": "F",
    "mass matrix": "M",
    "armature": "M",
    "rotational inertia": "M",
    "products of inertia": "M",
}
"""How the names of terms of the equations begin, and the part of τ = M a + C v + g + D v + F sign v that they belong to."""


@dataclass(frozen=True)
class Component:
    """One number of an answer in full precision; ``exact`` is empty if no short fraction is known."""

    name: str
    got: str
    expected: str
    unit: str
    exact: str
    wrong: bool


class Explained(NamedTuple):
    """An entry as the page shows it."""

    entry: CauseEntry
    body: Markup
    """The details: drawing, numbers, equations, the finding's text, and what to copy."""
    folded: str
    """The name of the fragment that has the details, if the page itself has not."""


def explains(entry: CauseEntry) -> str:
    """How much of what is wrong with the implementation the entry explains: "explains 35 of 35 cells"."""
    verb = "" if not entry.cause else "concerns " if entry.cause.kind == "unknown" else "explains "
    return f"{verb}{len(entry.items)} of {count(entry.total, 'cell')}" if entry.items else f"{verb}no cell of this run"


def explained(entry: CauseEntry, folded: str = "") -> Explained:
    """The entry with its details."""
    results, cause, worst, answer, example = entry.results, entry.cause, entry.worst, entry.answer, entry.example
    where = cause.where if cause else ()
    mechanism = _mechanism_of(example) if example else None
    whole, caption = _worst_picture(results, entry, where)
    picture, given = whole, []
    if example and mechanism:
        picture, caption = _example_picture(example, mechanism, where)
        bodies = [body.name for body in mechanism.bodies]
        given = named(example.inputs, mechanism.coordinates, mechanism.positions, bodies)
    elif isinstance(worst, Cell) and worst.worst:
        given = inputs(results.mechanism(worst.mechanism), worst.worst.inputs)
    percent = ""
    if answer and answer.share is not None:
        percent = answer.percent or f"{answer.share:.2g} times the expected value".replace("e+0", "e").replace("e+", "e")
    names = {"results": results, "entry": entry, "cause": cause, "answer": answer, "summary": summary, "explains": explains}
    body = fill(
        "cause.html",
        **names,
        # The smallest example if there is one, else the mechanism on which it is most wrong; and that one beside the example.
        picture=picture,
        caption=caption,
        whole=whole if picture is not whole else "",
        heading=", ".join(filter(None, (title(answer.quantity), answer.component))) if answer else "",
        numbers=[x.replace("-", "−") for x in answer.numbers(5)] if answer else [],
        percent=percent,
        components=_components(example) if example else (),
        inputs=given,
        equation=_equation(results, entry),
        finding=markdown(cause.text) if cause else "",
        figures=profiles(results, entry),
        copies=_copies(results, entry),
    )
    return Explained(entry, body, folded)


def _mechanism_of(example: Example) -> Mechanism | None:
    """The mechanism of the example, if its document is one."""
    try:
        return from_document(json.loads(example.mechanism))
    except (MechanismError, ValueError, RecursionError):
        return None


def _worst_picture(results: Results, entry: CauseEntry, where: Sequence[str]) -> tuple[Markup, str]:
    """The mechanism of the worst cell at position zero, and what it is."""
    worst = entry.worst
    if not worst or (entry.tone == "failed" and len(entry.mechanisms) > 1):  # Such code does not fail because of a mechanism.
        return Markup(""), ""
    mechanism, bar = results.mechanism(worst.mechanism), results.settings.bar
    errors: Sequence[float] = ()
    if isinstance(worst, Cell):
        widths = [
            sum(name == bone.joint or name.startswith(f"{bone.joint}.") for name in mechanism.coordinates)
            for bone in mechanism.skeleton
        ]
        if len(worst.coordinates) == sum(widths):
            rest = iter(worst.coordinates)
            errors = [max((next(rest) for _ in range(width)), default=0.0) for width in widths]
    caption = f"{worst.mechanism} at position zero"
    return drawing(mechanism.skeleton, caption, where, [level(error, bar) for error in errors]), caption


def _equation(results: Results, entry: CauseEntry) -> Markup:
    term = entry.cause.term if entry.cause else ""
    part = next((part for name, part in TERMS.items() if term.startswith(name)), "")
    if not part:
        return Markup("")
    equations = {name: results.mechanism(name).equations for name in entry.mechanisms}
    short = {name: terms for name, terms in equations.items() if terms and 0 < len_of(part, terms) <= SHORT}
    name = min(short, key=lambda name: len_of(part, short[name]), default="")
    return suspect(part, name, short.get(name))


def _copies(results: Results, entry: CauseEntry) -> list[tuple[str, str]]:
    copies = [("command", reproduce(results, entry.worst))] if entry.worst else []
    if entry.cause and (one := entry.cause.example):
        files = {"script": one.script, "pytest": one.test, "issue": one.issue, "URDF": one.urdf, "mechanism": one.mechanism}
        copies += files.items()
    copies.append(("wrapper", entry.cause.wrapper if entry.cause else ""))
    return [(word, text) for word, text in copies if text and len(text) <= LONGEST]


def _example_picture(example: Example, mechanism: Mechanism, where: Sequence[str]) -> tuple[Markup, str]:
    """The smallest example in its pose, and what it is."""
    q = flat(example.inputs.get("q", ()))
    posed = q if len(q) == mechanism.nq else None
    bodies = "one body" if example.bodies == 1 else f"{example.bodies} bodies"
    skeleton = skeleton_of(mechanism, posed)
    caption = f"The smallest example: {bodies}, {'in the state that shows it' if posed else 'at position zero'}"
    caption += "; all joints are at one point, and are drawn apart" if at_one_point(skeleton) else ""
    levels = _levels(mechanism, example) if len(example.got) == mechanism.nv else []
    return drawing(skeleton, caption, where, levels), caption


def _levels(mechanism: Mechanism, example: Example) -> list[int]:
    """The heat of every body: how far the forces at its joint are off, relative to the largest force."""
    largest = max(map(abs, (*example.got, *example.expected)), default=0.0) or 1.0
    off = [abs(got - expected) / largest / EPSILON for got, expected in zip(example.got, example.expected, strict=True)]
    return [level(max(off[part], default=0.0), 16.0) for part in mechanism.v_slices]


def _components(example: Example) -> tuple[Component, ...]:
    if not len(example.got) == len(example.expected) == len(example.components):
        return ()
    units = example.units if len(example.units) == len(example.got) else [""] * len(example.got)
    exact = example.exact if len(example.exact) == len(example.got) else [""] * len(example.got)
    largest = max(map(abs, example.expected), default=0.0)
    return tuple(
        Component(name, number(got), number(expected), unit, fraction, not abs(got - expected) <= 100 * EPSILON * largest)
        for name, got, expected, unit, fraction in zip(
            example.components, example.got, example.expected, units, exact, strict=True
        )
    )
