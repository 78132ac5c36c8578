"""An entry of the list of causes as the page shows it: drawing, numbers, equations, the finding's text, and what to copy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from cross_check.exchange.pose import skeleton_of
from cross_check.exchange.results.causes import Example
from cross_check.exchange.results.objects import Cell, Results
from mechanisms import Mechanism, MechanismError
from mechanisms.document import from_document
from reports.causes import CauseEntry
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

    results: Results
    entry: CauseEntry
    folded: str = ""
    """The name of the fragment that has its details, if the page itself has not."""

    @property
    def where(self) -> Sequence[str]:
        """The bodies and joints at fault."""
        return self.entry.cause.where if self.entry.cause else ()

    @property
    def example(self) -> Example | None:
        return self.entry.cause.example if self.entry.cause else None

    @cached_property
    def mechanism(self) -> Mechanism | None:
        """The mechanism of the example, if there is one and its document is one."""
        try:
            return from_document(json.loads(self.example.mechanism)) if self.example else None
        except (MechanismError, ValueError, RecursionError):
            return None

    @cached_property
    def _captioned(self) -> tuple[Markup, str]:
        if self.example and self.mechanism:
            return _example_picture(self.example, self.mechanism, self.where)
        return self._worst

    @property
    def picture(self) -> Markup:
        return self._captioned[0]

    @property
    def caption(self) -> str:
        return self._captioned[1]

    @property
    def whole(self) -> Markup:
        """Beside the picture, the mechanism on which it is most wrong, if the picture shows a smaller one."""
        return self._worst[0] if self.example and self.mechanism else Markup("")

    @cached_property
    def _worst(self) -> tuple[Markup, str]:
        """The mechanism of the worst cell at position zero, and what it is."""
        entry, worst = self.entry, self.entry.worst
        if not worst or (entry.tone == "failed" and len(entry.mechanisms) > 1):  # Such code does not fail because of a mechanism.
            return Markup(""), ""
        summary, bar = self.results.mechanism(worst.mechanism), self.results.settings.bar
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
        return drawing(summary.skeleton, caption, self.where, [level(error, bar) for error in errors]), caption

    @property
    def heading(self) -> str:
        """The number that is most wrong, in words: "inverse dynamics, elbow"; empty if there is none."""
        answer = self.entry.answer
        return ", ".join(filter(None, (title(answer.quantity), answer.component))) if answer else ""

    @property
    def numbers(self) -> list[str]:
        """Got and expected, to as many digits as they need to differ."""
        return [x.replace("-", "−") for x in self.entry.answer.numbers(5)] if self.entry.answer else ["", ""]

    @property
    def percent(self) -> str:
        """How far the worst number is off: "34 %", "2.5 times"; empty where that says nothing."""
        answer = self.entry.answer
        if not answer or answer.share is None:
            return ""
        return answer.percent or f"{answer.share:.2g} times the expected value".replace("e+0", "e").replace("e+", "e")

    @cached_property
    def components(self) -> tuple[Component, ...]:
        return _components(self.example) if self.example else ()

    @cached_property
    def inputs(self) -> Sequence[tuple[str, list[tuple[str, str]]]]:
        """The state, by argument: that of the example, or of the worst cell."""
        if self.example and self.mechanism:
            bodies = [body.name for body in self.mechanism.bodies]
            return named(self.example.inputs, self.mechanism.coordinates, self.mechanism.positions, bodies)
        worst = self.entry.worst
        if isinstance(worst, Cell) and worst.worst:
            return inputs(self.results.mechanism(worst.mechanism), worst.worst.inputs)
        return ()

    @cached_property
    def equation(self) -> Markup:
        """The equation of motion with the suspect term marked, and this term of an affected mechanism if it is known."""
        term = self.entry.cause.term if self.entry.cause else ""
        part = next((part for name, part in TERMS.items() if term.startswith(name)), "")
        if not part:
            return Markup("")
        equations = {name: self.results.mechanism(name).equations for name in self.entry.mechanisms}
        short = {name: terms for name, terms in equations.items() if terms and 0 < len_of(part, terms) <= SHORT}
        name = min(short, key=lambda name: len_of(part, short[name]), default="")
        return suspect(part, name, short.get(name))

    @cached_property
    def finding(self) -> Markup:
        return markdown(self.entry.cause.text) if self.entry.cause else Markup("")

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Where and when it is wrong."""
        return profiles(self.results, self.entry)

    @cached_property
    def copies(self) -> list[tuple[str, str]]:
        """A word for the button, and the text that it copies."""
        copies = [("command", reproduce(self.results, self.entry.worst))] if self.entry.worst else []
        if one := self.example:
            files = (one.script, one.test, one.issue, one.urdf, one.mechanism)
            copies += zip(("script", "pytest", "issue", "URDF", "mechanism"), files, strict=True)
        copies.append(("wrapper", self.entry.cause.wrapper if self.entry.cause else ""))
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
