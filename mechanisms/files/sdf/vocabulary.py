"""What our reader of SDF refuses: :mod:`mechanisms.files.vocabulary` has all elements and attributes.

Nothing is dropped in silence: what is not declared is refused, and so is a part that changes the motion and that no
mechanism has, unless it has the value with which it changes nothing. ``docs/sdf.md`` shows the table.
"""

from __future__ import annotations

from contextlib import nullcontext
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.files.vocabulary import Part, is_zero, vocabulary
from mechanisms.numbers.exact import WHITESPACE
from mechanisms.plain_text import one_line

UNKNOWN = Part("refused", "the reader does not know it; remove it")

SEVERAL = ("model", "link", "joint", "frame", "include", "collision")
"""The elements that are read however often they occur; of any other, the second is refused."""


def require_known(element: Element, path: str, within: str = "") -> None:
    """Raises :class:`MechanismError` for whatever ``element`` has that is not understood, or that no mechanism has.

    ``within`` names what it is in.
    """
    known, name = vocabulary("sdf"), element.get("name", "")
    parts = known.get(path, {})
    within = f"{element.tag} {name!r}: " if name else within
    where = "it" if name else f"<{element.tag}>"
    with naming(within.removesuffix(": "), element) if within else nullcontext():
        for key, text in element.attrib.items():
            _require(f"{where} has the attribute {one_line(key, 60)!r}", parts.get(f"@{key}", UNKNOWN), text, element)
        seen = set[str]()
        for child in element:
            part = parts.get(child.tag, UNKNOWN)
            _require(f"{where} has <{one_line(child.tag, 60)}>", part, child.text or "", child)
            if part.use == "read" and child.tag in seen and child.tag not in SEVERAL:
                raise MechanismError(f"{where} has a second <{child.tag}>; remove one", place_of(child))
            seen.add(child.tag)
    for child in element:
        # What no path is known for is a value, with nothing in it.
        below = next((p for p in (f"{path}/{child.tag}", child.tag) if p in known), f"{path}/{child.tag}")
        # Shapes matter where inertias are taken from them: the reader of shapes looks into them then.
        if parts[child.tag].use == "read" and below != "collision":
            require_known(child, below, within)


def _require(what: str, part: Part, text: str, element: Element) -> None:
    if part.use == "refused" and not (part.unless and _is(part.unless, text)):
        value = f" {one_line(text.strip(), 60)}" if part.unless else ""
        raise MechanismError(f"{what}{value}, but {part.words}", place_of(element))


def _is(neutral: str, text: str) -> bool:
    return is_zero(text) if neutral == "zero" else not boolean(text, False)


def boolean(text: str | None, default: bool) -> bool:
    """A truth value as SDF writes it. Raises :class:`MechanismError` for other text."""
    words = {"true": True, "1": True, "false": False, "0": False, "": default}
    written = (text or "").strip(WHITESPACE).lower()
    if written not in words:
        raise MechanismError(f"{one_line(written, 60)!r} is neither true nor false; give one of them")
    return words[written]
