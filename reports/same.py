"""What a comparison of two robots says, in lines for the terminal."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from cross_check.read.same.motion import Array, Change, Motion
from cross_check.read.same.results import Difference, Same
from mechanisms.library.by_name import split_prefixes
from mechanisms.plain_text import count, listing, one_line
from reports.terminal import STYLES, Indented

SIGNS = {"exactly": ("✓", "agrees"), "digits": ("✓", "agrees"), "motion": ("~", "known"), "different": ("✗", "discrepancy")}

MOST = 12
"""Differences and notes that are listed; --json has them all."""

FEW = 3
"""Numbers with lost digits that are listed, and names in a sentence."""


def same_text(found: Same, first: str, second: str, options: Sequence[str] = ()) -> RenderableType:
    """The verdict about the robots that the words ``first`` and ``second`` name, every difference, and the notes.

    ``options`` are those of the command that was given.
    """
    sign, style = SIGNS[found.verdict]
    parts: list[RenderableType] = [Text(f"{sign} {one_line(headline(found, first, second), 600)}", style=STYLES[style])]
    shown = found.differences[: FEW if found.verdict == "digits" else MOST]
    parts += [Indented(Text(one_line(line, 1000)), by) for one in shown for line, by in _lines(one, first, second)]
    if more := len(found.differences) - len(shown):
        parts.append(Indented(Text(f"{more} more; --json FILE has them all", style="dim")))
    if found.effect and found.verdict == "different" and _total(found) > 1:
        parts.append(Indented(Text(f"all together change {_by(found.effect)}"), 2))
    effects = [found.effect, *(one.effect for one in found.differences)]
    if changed := [effect for effect in effects if effect and effect.size]:
        words = shlex.join(["dalembert", "same", first, second, *options, "--state", str(changed[0].state)])
        parts.append(Text(f"see τ of both: {words}", style="dim"))
    parts += [Text(f"note: {one_line(note)}", style="dim") for note in found.notes[:MOST]]
    return Group(*parts)


def state_text(motion: Motion, other: Array, state: int) -> RenderableType:
    """A state, and τ of both robots there, every float64 exactly."""
    q, v, a = (x[state] for x in motion.states)
    lines = [
        f"{one_line(name)}: v {float(x)!r}, a {float(y)!r}, τ of the first {float(t)!r}, of the second {float(u)!r}"
        for name, x, y, t, u in zip(motion.mechanism.coordinates, v, a, motion.tau[state], other, strict=True)
    ]
    where = f"state {state}, in SI units, coordinates as in the first: q = {' '.join(repr(float(x)) for x in q)}"
    return Group(Text(where), *(Indented(Text(line), 2) for line in lines))


def headline(found: Same, first: str, second: str) -> str:
    """The verdict in one sentence."""
    match found.verdict:
        case "exactly":
            return f"{first} and {second} are the same robot, exactly"
        case "digits":
            digits = math.floor(-math.log10(2 * (found.differences[0].share or 1)))
            numbers = count(len(found.differences), "number")
            return f"{first} and {second} are the same robot to {digits} digits; {numbers} lost digits, the most here:"
        case "motion":
            return f"{first} and {second} have the same motion; τ does not show in which of them these parameters are right:"
    return f"{first} and {second} are different robots: {count(_total(found), 'difference')}"


def _total(found: Same) -> int:
    return sum(1 + len(one.also) for one in found.differences)


def _lines(one: Difference, first: str, second: str) -> Iterator[tuple[str, int]]:
    names = [*map(repr, one.also[:FEW]), *([f"{len(one.also) - FEW} more"] if len(one.also) > FEW else [])]
    also = f" and {count(len(one.also), 'other')} ({listing(names)})" if names else ""
    where = f"{one.kind} {one.name!r}{also}, " if one.name else ""
    yield f"{where}{one.what}" + (f": {one.relation}" if one.relation else ""), 2
    unit = f" {one.unit}" if one.unit else ""
    for value, place, name in ((one.first, one.first_place, first), (one.second, one.second_place, second)):
        yield f"{place.within(split_prefixes(name)[1]) if place else name}: {value}{unit}", 6
    if one.effect and one.effect.size:
        yield f"{'each alone changes' if one.also else 'this alone changes'} {_by(one.effect)}", 6
    elif one.effect:
        yield "τ does not depend on it", 6


def _by(effect: Change) -> str:
    return f"τ of {effect.coordinate!r} by up to {effect.size:.3g} {effect.unit}, at state {effect.state}"
