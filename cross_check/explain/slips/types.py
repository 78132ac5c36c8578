"""The axes and the units of what a formulation computes. The units are measured: a mechanism is computed in other units, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.slips.instead import arguments
from cross_check.explain.slips.program import Program
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.other_numbers import scaled
from cross_check.judge.relations.transformation import Question
from cross_check.memory import Array
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.spatial_algebra.model import build
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.units import Unit

Type = tuple[tuple[int, ...], tuple[float, ...]]
"""The last two axes, and the exponents of kg, m and s."""

EXAMPLES = ("random:7:5:helical", "random:7:5:revolute")
"""Joints whose coordinates are angles. Where all of them turn and slide, no value is zero; not all formulations know these. With
five joints, matrices of joints differ from all others by their axes."""

SAME = 1e-6
"""How far an exponent may be off a whole number."""

UNITS = (Unit(1, 1, 1), Unit(2, 1, 1), Unit(1, 2, 1), Unit(1, 1, 2))
"""Factors of numbers with the units kg, m and s."""


def types(module: str, program: Program, texts: Iterable[str]) -> dict[str, Type]:
    """The types of the values that these names have at the end of a formulation, where they are known.

    Raises :class:`Unsupported` if the formulation, with what is changed in it, can be executed for no example.
    """
    for example in EXAMPLES:
        with suppress(Exception):
            mechanism = find_mechanism(example)
            states = _example(mechanism)
            values = [_values(module, program, scaled(mechanism, states, by).images[0], texts) for by in UNITS]
            return {text: _type([one[text] for one in values]) for text in values[0]}
    raise Unsupported(f"{module} can be executed for no example")


def are_alike(one: Type | None, other: Type | None) -> bool:
    """Whether both are known, and one may be taken for the other.

    What has several units is like all that has the same axes. What is zero is like nothing.
    """
    if one is None or other is None or one[0] != other[0] or np.isnan(other[1]).all():
        return False
    return all(x == y or np.isnan(x) or np.isnan(y) for x, y in zip(one[1], other[1], strict=True))


def _values(module: str, program: Program, question: Question, texts: Iterable[str]) -> dict[str, Array]:
    states = question.states
    x = states.tau if FORMULATIONS[module].stands_for == "aba" else states.a
    model = build(question.mechanism, Real())
    names = program.executed(arguments(module, model, states.q.T, states.v.T, x.T, np.moveaxis(states.f, 0, -1)))
    found = {}
    for text in texts:
        with suppress(Exception):
            value = np.asarray(eval(text, dict(names)), dtype=float)
            if value.ndim > 1:
                found[text] = value
    return found


def _example(mechanism: Mechanism) -> States:
    """A state in which no number is zero."""
    x, f = np.linspace(0.8, -0.5, mechanism.nv)[None], np.linspace(0.2, 0.9, 6)[None, None]
    q, v = np.linspace(0.3, 1.1, mechanism.nq)[None], np.linspace(-0.7, 0.9, mechanism.nv)[None]
    return replace(sample(mechanism, 0, 1), q=q, v=v, a=x, tau=x, f=np.repeat(f, len(mechanism.bodies), axis=1))


def _type(values: Sequence[Array]) -> Type:
    """The type of what has these values in the units of :data:`UNITS`."""
    sizes = [float(np.linalg.norm(one)) for one in values]
    exponents = [float(np.log2(size / sizes[0])) if sizes[0] else np.nan for size in sizes[1:]]
    # A matrix of several units has none.
    return values[0].shape[-2:], tuple(float(np.round(x)) if abs(x - np.round(x)) < SAME else np.nan for x in exponents)
