"""Entries of the bank: code with a fault and its documented cause, and correct code under a disguise.

A fault is one function, decorated by :func:`fault`, that changes one thing of correct code; a disguise is the same with
:func:`disguise`, and changes nothing that a caller may see. The first line of the docstring says what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import SimpleNamespace
from typing import Any

from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.quantities import expand_groups
from score.library.dynamics import Dynamics
from score.library.model import Link, Model, Where
from score.library.three_vectors import NewtonEuler
from score.words import Topic

Change = Callable[[Any], None]
Words = tuple[str, ...]
"""Regular expressions, of which every one must be found in a cause's sentence or term; case is ignored."""

DYNAMICS = expand_groups(["dynamics"])
USUAL = (*DYNAMICS, "placements", "jacobians_local", "velocities_local", "center_of_mass")
ALL = expand_groups(["usual"])

UR5, FLYING, STANFORD, PUMA = "ur5", "free:ur5", "stanford-arm", "puma560"
TREE, SATELLITE, CART, SPATIAL = "wall-arms", "satellite", "cart-pole", "spatial-3r"
"""The mechanisms that many entries are on."""


def every(link: Link) -> bool:
    """A fault that is everywhere."""
    return True


NAME = "code"
"""The name of every entry in the results of its check."""


@dataclass(frozen=True)
class Entry:
    """One implementation: it has ``load``. Every entry is checked under one name, which tells a diagnosis nothing."""

    title: str
    group: str
    sentence: str
    change: Change
    tried_on: str
    """The name of the mechanism. An attribute `mechanism` would declare code for this mechanism alone."""
    of: type[Dynamics]
    offers: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    """The kinds of cause that count as named; empty for correct code."""
    says: Words = ()
    term: str = ""
    """A regular expression that a cause's term, or else its sentence, must contain."""
    where: Where = every
    unnamed: str = ""
    """Where names are expected: what a cause without names must say instead, such as a condition."""
    source: str = ""
    """The public page of the fault, if it was a library's."""
    joints: tuple[str, ...] = tuple(JOINT_KINDS)
    """The kinds of joints that the code supports."""
    tolerated: str = ""
    """Of correct code: what a cause of its rounding may say, without being an accusation."""
    parts: tuple[Entry, ...] = ()
    """The faults that it has at once, if it has several."""

    @property
    def name(self) -> str:
        """What results call it."""
        return NAME

    @property
    def is_correct(self) -> bool:
        return not self.kinds

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        """The quantities that it offers. Raises :class:`Unsupported` for other kinds of joints."""
        if other := [kind for kind in mechanism.arrays.kinds if kind not in self.joints]:
            raise Unsupported(f"{other[0]} joints are not supported")
        code = self.of(Model(mechanism))
        self.change(code)
        functions = {name: code.outside.get(name) or getattr(code, name, None) for name in self.offers}
        return SimpleNamespace(**{name: function for name, function in functions.items() if function})

    def at_fault(self, mechanism: Mechanism) -> frozenset[int]:
        """The indices of the bodies, and so of the joints, at fault."""
        return frozenset(link.index for link in Model(mechanism).chosen(self.where) if link.is_body)


BANK: dict[str, Entry] = {}
"""All entries by name, in the order of their declaration."""


def fault(
    topic: Topic,
    *words: str,
    on: str = UR5,
    where: Where | str = every,
    unnamed: str = "",
    of: type[Dynamics] = NewtonEuler,
    offers: tuple[str, ...] = USUAL,
    source: str = "",
) -> Callable[[Change], Change]:
    """Declare a fault, on this mechanism. A cause must say what its topic and these ``words`` are, as :data:`Words`."""
    place, says = (where,) if isinstance(where, str) else where, (topic.words, *words)

    def declare(change: Change) -> Change:
        _add(change, on, of, offers, tuple(topic.kinds.split()), says, topic.term, place, unnamed, source)
        return change

    return declare


def misread(topic: Topic, *words: str, where: Where | str, **others: Any) -> Callable[[Callable[[Link], None]], Change]:
    """Declare a fault that changes every link at fault in the same way."""
    names = (where,) if isinstance(where, str) else where

    def declare(change: Callable[[Link], None]) -> Change:
        @wraps(change)
        def of_all(code: Any) -> None:
            for link in code.model.chosen(names):
                change(link)

        return fault(topic, *words, where=where, **others)(of_all)

    return declare


def disguise(
    on: str = UR5,
    of: type[Dynamics] = NewtonEuler,
    offers: tuple[str, ...] = ALL,
    joints: tuple[str, ...] = tuple(JOINT_KINDS),
    tolerated: str = "",
) -> Callable[[Change], Change]:
    """Declare correct code, on this mechanism. ``tolerated`` is what a cause may say of its rounding."""

    def declare(change: Change) -> Change:
        _add(change, on, of, offers, joints=joints, tolerated=tolerated)
        return change

    return declare


def pair(first: str, second: str) -> None:
    """Declare code with two faults of the bank at once. Both must be on the same mechanism, in the same formulation."""
    one, other = BANK[first], BANK[second]
    if (one.tried_on, one.of) != (other.tried_on, other.of):
        raise ValueError(f"{first!r} and {second!r} are on other mechanisms, or other formulations; choose two that share them")

    def both(code: Any) -> None:
        one.change(code)
        other.change(code)

    title = f"{first}, {second}"
    sentence, offers = f"{one.sentence}; {other.sentence}", tuple(dict.fromkeys((*one.offers, *other.offers)))
    kinds = tuple(dict.fromkeys((*one.kinds, *other.kinds)))
    BANK[title] = Entry(title, "pairs", sentence, both, one.tried_on, one.of, offers, kinds, parts=(one, other))


def _add(change: Change, on: str, of: type[Dynamics], offers: tuple[str, ...], *cause: Any, **others: Any) -> None:
    name = change.__name__.replace("_", " ")
    if name in BANK:
        raise ValueError(f"the bank has {name!r} twice; rename one")
    group, sentence = change.__module__.rpartition(".")[2], (change.__doc__ or name).strip().splitlines()[0].rstrip(".")
    BANK[name] = Entry(name, group, sentence, change, on, of, offers, *cause, **others)
