"""An entry of the list of causes as the page shows it: drawing, numbers, equations, the finding's text, and what to copy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cross_check.pose import skeleton_of
from cross_check.results.causes import Cause, Example
from cross_check.results.objects import Cell, Results
from mechanisms import Mechanism, MechanismError
from mechanisms.document import from_document
from reports.causes import Entry
from reports.drawing import at_one_point, drawing
from reports.mathml import len_of, suspect
from reports.pages import markdown
from reports.profiles import Figure, profiles
from reports.reproduction import reproduce
from reports.summary import flat, inputs, named
from reports.words import level, number, title

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
    "mass matrix": "M",
    "armature": "M",
    "rotational inertia": "M",
    "products of inertia": "M",
}
"""How the names of terms of the equations begin, and the part of τ = M a + C v + g + D v that they belong to."""


@dataclass(frozen=True)
class Component:
    """One number of an answer in full precision; ``exact`` is empty if no short fraction is known."""

    name: str
    got: str
    expected: str
    unit: str
    exact: str
    wrong: bool


@dataclass(frozen=True)
class Explained:
    """An entry with what is drawn for it."""

    entry: Entry
    folded: str
    """The name of the fragment that has its details, if the page itself has not."""
    picture: Markup
    caption: str
    got: str
    """The number that is most wrong, to read; empty if there is none."""
    expected: str
    percent: str
    components: tuple[Component, ...]
    inputs: tuple[tuple[str, list[tuple[str, str]]], ...]
    equation: Markup
    finding: Markup
    figures: tuple[Figure, ...]
    """Where and when it is wrong."""
    whole: Markup
    """Beside these, the mechanism on which it is most wrong, if the picture shows a smaller one."""
    copies: tuple[tuple[str, str], ...]
    """A word for the button, and the text that it copies."""


def explained(results: Results, entry: Entry, folded: str = "") -> Explained:
    """What the page shows of this entry."""
    cause = entry.cause
    example = cause.example if cause else None
    mechanism = _mechanism(example) if example else None
    whole, where = _worst_picture(results, entry)
    picture, caption = _example_picture(entry, example, mechanism) if example and mechanism else (whole, where)
    return Explained(
        entry,
        folded,
        picture,
        caption,
        *_answer(entry),
        _percent(entry),
        _components(example) if example else (),
        _inputs(results, entry, example, mechanism),
        _equation(results, entry, cause) if cause else Markup(""),
        markdown(cause.text) if cause else Markup(""),
        profiles(results, entry),
        whole if example and mechanism else Markup(""),
        tuple((word, text) for word, text in _copies(results, entry) if text and len(text) <= LONGEST),
    )


def _mechanism(example: Example) -> Mechanism | None:
    """The mechanism of the example, if its document is one."""
    try:
        return from_document(json.loads(example.mechanism))
    except (MechanismError, ValueError, RecursionError):
        return None


def _example_picture(entry: Entry, example: Example, mechanism: Mechanism) -> tuple[Markup, str]:
    """The smallest example in its pose, and what it is."""
    q = flat(example.inputs.get("q", ()))
    posed = q if len(q) == mechanism.nq else None
    caption = f"{_bodies(example.bodies)}, {'in the state that shows it' if posed else 'at position zero'}"
    skeleton = skeleton_of(mechanism, posed)
    caption += "; all joints are at one point, and are drawn apart" if at_one_point(skeleton) else ""
    levels = _levels(mechanism, example) if len(example.got) == mechanism.nv else []
    where = entry.cause.where if entry.cause else ()
    return drawing(skeleton, f"The smallest example: {caption}", where, levels), f"The smallest example: {caption}"


def _worst_picture(results: Results, entry: Entry) -> tuple[Markup, str]:
    """The mechanism of the worst cell at position zero, and what it is."""
    where, worst = entry.cause.where if entry.cause else (), entry.worst
    if not worst or (entry.tone == "failed" and len(entry.mechanisms) > 1):  # Such code does not fail because of a mechanism.
        return Markup(""), ""
    summary, bar = results.mechanism(worst.mechanism), results.settings.bar
    errors: Sequence[float] = ()
    if isinstance(worst, Cell):
        widths = [
            sum(name == bone.joint or name.startswith(f"{bone.joint}.") for name in summary.coordinates)
            for bone in summary.skeleton
        ]
        if len(worst.coordinates) == sum(widths):
            rest = iter(worst.coordinates)
            errors = [max((next(rest) for _ in range(width)), default=0.0) for width in widths]
    caption = f"{worst.mechanism} at position zero"
    return drawing(summary.skeleton, caption, where, [level(error, bar) for error in errors]), caption


def _bodies(n: int) -> str:
    return f"{n} bodies" if n != 1 else "one body"


def _levels(mechanism: Mechanism, example: Example) -> list[int]:
    """The heat of every body: how far the forces at its joint are off, relative to the largest force."""
    largest = max(map(abs, (*example.got, *example.expected)), default=0.0) or 1.0
    off = [abs(got - expected) / largest / EPSILON for got, expected in zip(example.got, example.expected, strict=True)]
    return [level(max(off[part], default=0.0), 16.0) for part in mechanism.v_slices]


def _answer(entry: Entry) -> tuple[str, str]:
    """Got and expected, to as many digits as they need to differ."""
    if not entry.answer:
        return "", ""
    got, expected = entry.answer.numbers(5)
    return got.replace("-", "−"), expected.replace("-", "−")


def _percent(entry: Entry) -> str:
    """How far the worst number is off: "34 %", "2.5 times"; empty where that says nothing."""
    if not entry.answer or entry.answer.share is None:
        return ""
    large = f"{entry.answer.share:.2g} times the expected value".replace("e+0", "e").replace("e+", "e")
    return entry.answer.percent or large


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


def _inputs(
    results: Results, entry: Entry, example: Example | None, mechanism: Mechanism | None
) -> tuple[tuple[str, list[tuple[str, str]]], ...]:
    """The state, by argument: that of the example, or of the worst cell."""
    if example and mechanism:
        bodies = [body.name for body in mechanism.bodies]
        return tuple(named(example.inputs, mechanism.coordinates, mechanism.positions, bodies))
    worst = entry.worst
    if isinstance(worst, Cell) and worst.worst:
        return tuple(inputs(results.mechanism(worst.mechanism), worst.worst.inputs))
    return ()


def _equation(results: Results, entry: Entry, cause: Cause) -> Markup:
    """The equation of motion with the suspect term marked, and this term of an affected mechanism if it is known."""
    part = next((part for name, part in TERMS.items() if cause.term.startswith(name)), "")
    if not part:
        return Markup("")
    equations = {name: results.mechanism(name).equations for name in entry.mechanisms}
    short = {name: terms for name, terms in equations.items() if terms and 0 < len_of(part, terms) <= SHORT}
    name = min(short, key=lambda name: len_of(part, short[name]), default="")
    return suspect(part, name, short.get(name))


def _copies(results: Results, entry: Entry) -> list[tuple[str, str]]:
    example = entry.cause.example if entry.cause else None
    copies = [("command", reproduce(results, entry.worst))] if entry.worst else []
    if example:
        files = (example.script, example.test, example.issue, example.urdf, example.mechanism)
        copies += zip(("script", "pytest", "issue", "URDF", "mechanism"), files, strict=True)
    return [*copies, ("wrapper", entry.cause.wrapper if entry.cause else "")]


def heading(entry: Entry) -> str:
    """The number that is most wrong, in words: "inverse dynamics, elbow"."""
    answer = entry.answer
    return ", ".join(filter(None, (title(answer.quantity), answer.component))) if answer else ""
