"""Every rewriting as a metamorphic relation: the code's answers about the rewritten file and about the plain one are the same.

Code that answers about the file of another mechanism as about the plain file does not read the file that it is given.

Bodies and joints are matched by their names. In some files the frames of bodies are turned; then only quantities take part that
do not depend on these frames. Numbers that no decimal text can express are rounded in a rewritten file. So the two mechanisms may
differ by rounding, and the answers by what the reference, in double-double, says that they do.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from xml.etree.ElementTree import Element

import numpy as np

from cross_check.exchange.results.objects import NO_READER, NOT_READ
from cross_check.judge.comparison.sampling import States
from cross_check.judge.relations.relation import Asked, Metamorphic, Posed
from cross_check.judge.relations.transformation import RELATED, Back, Correspondence, Question, Related, replaced
from cross_check.memory import Array
from cross_check.read.as_read.declared import REWRITINGS
from cross_check.read.as_read.elements import MOMENTS, vector_of
from cross_check.read.as_read.rewriting import Rewriting, Rewritten, document, edited, plain, read, text_of
from implementations.processes.subject import Failure
from implementations.recorded.traced import PRECISE
from machine.double_doubles import DoubleDoubles
from mechanisms import Body, Mechanism, Source
from mechanisms.errors import MechanismError, Unsupported
from mechanisms.files.attributes import decimal, decimals
from mechanisms.numbers.exact import exact
from mechanisms.quantities import QUANTITIES, Quantity

STATES = 14
"""So many states are asked. A file that is misread shows at nearly all."""

IN_BODY_FRAMES = ("placements", "joint_torque_regressor")
"""Quantities that depend on the frames of bodies, beside those in local frames."""


VISIBLE = 1e-3
"""Code reads a file if its answers change by more than this share of what they should change by."""


class Canary:
    """``mechanism`` is the plain one with the file of another: the file has other masses and lengths, and all names are the same.

    Only the file tells the two apart: not the arrays, not the fingerprint, not the robot's name in the file.
    """

    def __init__(self, plain: Mechanism) -> None:
        made = edited(plain, _other)
        self.plain, self.other = plain, read(made, plain.name, plain)
        name = f"{plain.name.removesuffix(' [plain]')} [another mechanism]"
        source = Source(made.text, free_base=made.free_base, fingerprint=plain.fingerprint)
        self.mechanism = replace(plain, name=name, read_from=source)

    def change(self, quantity: Quantity, states: States) -> Array:
        """By how much the right answers about the file differ from those about the plain one."""
        return np.abs(
            (in_double_double(quantity, self.other, states) - in_double_double(quantity, self.plain, states)).astype(np.float64)
        )


def in_double_double(quantity: Quantity, mechanism: Mechanism, states: States) -> DoubleDoubles:
    """What the reference answers in double-double."""
    return getattr(PRECISE.load(mechanism), quantity.name)(*states.arguments(quantity.arguments))


def _other(robot: Element) -> None:
    for inertial in robot.iter("inertial"):
        for tag, names in (("mass", ("value",)), ("inertia", MOMENTS)):
            for element in inertial.findall(tag):
                element.attrib.update({name: decimal(3 * exact(element.get(name, "0"))) for name in names})
    for joint in robot.findall("joint"):
        for origin in joint.findall("origin"):
            origin.set("xyz", decimals(tuple(x * Fraction(5, 4) for x in vector_of(origin, "xyz"))))


def image(mechanism: Mechanism, rewriting: Rewriting) -> tuple[Mechanism, Rewritten]:
    """What the rewritten file of a plain mechanism describes, and the file. Raises :class:`Unsupported`."""
    return _image(mechanism, mechanism.source, rewriting)


@lru_cache(256)
def _image(mechanism: Mechanism, source: Source | None, rewriting: Rewriting) -> tuple[Mechanism, Rewritten]:
    """All implementations are asked about the same files. Equal mechanisms may come from different ``source``."""
    made = rewriting.rewrite(mechanism)
    if made.text == text_of(document(mechanism)):
        raise Unsupported("there is nothing in its file to be written in this way")
    return read(made, f"{mechanism.name.removesuffix(' [plain]')} [{rewriting.name.replace('_', ' ')}]", mechanism), made


def related(rewriting: Rewriting, mechanism: Mechanism, states: States) -> Related:
    """The question about the plain file, that about the rewritten one, and the way back."""
    original = plain(mechanism)
    other, made = image(original, rewriting)
    states = states.pick(np.arange(min(STATES, len(states))))
    there = matched(original, other, made)
    # From the new frame of every body to the plain one, for [n; f].
    turned = (made.turns[body.name].matrix if body.name in made.turns else np.eye(3) for body in original.bodies)
    turns = np.array([np.kron(np.eye(2), np.array(matrix, dtype=float)) for matrix in turned])
    moved = there.states(replaced(states, f=np.einsum("kij,bki->bkj", turns, states.f)))
    in_body_frames = {name for name in RELATED if QUANTITIES[name].frame == "local" or name in IN_BODY_FRAMES}
    back = there.back(name for name in RELATED if not (made.turns and name in in_body_frames))
    one, two = Question(original, states), Question(other, moved)
    if not _have_equal_numbers(original, other, there.bodies):
        back = {name: _corrected(QUANTITIES[name], way, one, two) for name, way in back.items()}
    return Related(one, (two,), back)


def matched(original: Mechanism, other: Mechanism, made: Rewritten) -> Correspondence:
    """Bodies of both mechanisms by their names."""
    index = {body.name: k for k, body in enumerate(other.bodies)}
    names = [made.bodies.get(body.name, body.name) for body in original.bodies]
    if {*names} != {*index}:
        raise Unsupported("a name of its bodies cannot be written in this way")
    return Correspondence(other, [index[name] for name in names])


def _have_equal_numbers(original: Mechanism, other: Mechanism, bodies: list[int]) -> bool:
    pairs = ((body, other.bodies[k]) for body, k in zip(original.bodies, bodies, strict=True))
    return original.gravity == other.gravity and all(_numbers(one) == _numbers(two) for one, two in pairs)


def _numbers(body: Body) -> tuple[object, ...]:
    """All of a body but names. One rotation has quaternions of every length."""
    joint = body.joint
    placement = joint.placement.rotation.matrix, joint.placement.translation
    return joint.kind, joint.axis, placement, joint.dynamics, body.inertia, body.lifted


def _corrected(quantity: Quantity, way: Back, one: Question, two: Question) -> Back:
    """The way back, and what the mechanisms differ by rounding."""

    @cache
    def difference() -> Array:
        mine, theirs = (in_double_double(quantity, question.mechanism, question.states) for question in (one, two))
        # The way back only chooses numbers, so each word may go alone.
        return (mine - DoubleDoubles(way.answer(theirs.high), way.answer(theirs.low))).astype(np.float64)

    return Back(lambda x: way.answer(x) + difference(), way.size)


class Reading(Metamorphic):
    """It is about code that asks for the mechanism's file, and says nothing about other code."""

    def require_asked(self, asked: Asked, original: Posed, related: Related) -> None:
        """Raise :class:`Unsupported` for code that reads no files, and :class:`Failure` for code that reads another file."""
        if not _reads(original, related):
            raise Unsupported(NO_READER)
        if not _reads_what_it_is_given(asked, original):
            raise Failure(NOT_READ)


def _reads(posed: Posed, related: Related) -> bool:
    """Whether the code asks for the mechanism's file when it is asked for a quantity, or before."""
    for name in related.back:
        if not posed.loaded.asked_for_source and posed.loaded.offers(name):
            with suppress(Unsupported):
                posed.answer(name)
    return posed.loaded.asked_for_source


def _reads_what_it_is_given(asked: Asked, plain: Posed) -> bool:
    """False if it answers about the file of another mechanism as about the plain file. Found out once."""
    if asked.reads_files is None:
        try:
            asked.reads_files = _tells_apart(asked, plain)
        except (Failure, Unsupported, MechanismError):
            # It refuses the file, so it has read it; the relations say what else is wrong.
            asked.reads_files = True
    return asked.reads_files


def _tells_apart(asked: Asked, plain: Posed) -> bool:
    states = plain.question.states
    canary = Canary(plain.question.mechanism)
    posed, differ = asked.pose(Question(canary.mechanism, states)), False
    for name in RELATED:
        quantity = QUANTITIES[name]
        if not (plain.loaded.offers(name) and quantity.is_defined(canary.plain)):
            continue
        with suppress(Unsupported):
            right, before = float(canary.change(quantity, states).max(initial=0)), plain.answer(name)
            if not right > VISIBLE * np.abs(before).max(initial=0):
                continue
            if not np.abs(posed.answer(name) - before).max(initial=0) <= VISIBLE * right:
                return True
            differ = True
    return not differ


def relation_of(rewriting: Rewriting) -> Reading:
    return Reading(
        f"reads_{rewriting.name}",
        f"read a file in which {rewriting.exercises}: nothing changes",
        lambda mechanism, states: related(rewriting, mechanism, states),
    )


READINGS = {relation.name: relation for relation in map(relation_of, REWRITINGS)}
"""By name."""

BY_RELATION = {f"reads_{rewriting.name}": rewriting for rewriting in REWRITINGS}
"""The rewriting that a relation tries."""
