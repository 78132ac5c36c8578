"""Small changes of correct code, which faults and disguises are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np

from mechanisms.quantities import QUANTITIES
from score.entry import ALL
from score.library.model import Array, Link, Model, Where
from score.library.vectors import cross

ARGUMENTS = {name: "".join(argument[0] for argument in QUANTITIES[name].arguments) for name in ALL}
"""A letter for every argument of every quantity; t is τ."""

FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")
"""Quantities that are forces of the joints."""


def each(code: Any, change: Callable[[Callable[..., Array]], Callable[..., Array]], names: Iterable[str] = ALL) -> None:
    """The function f of every quantity becomes change(f), for callers alone: inside, the code uses what it had."""
    for name in names:
        if right := code.outside.get(name, getattr(code, name, None)):
            code.outside[name] = change(right)


def answer(code: Any, name: str | Iterable[str], change: Callable[..., Array]) -> None:
    """The answer x to arguments … becomes change(x, …), for callers alone."""
    names = (name,) if isinstance(name, str) else name
    each(code, lambda right: lambda *given: change(right(*given), *given), names)


def everything(code: Any, change: Callable[[Array], Array]) -> None:
    """Every answer is changed."""
    answer(code, ALL, lambda x, *given: change(x))


def ask(code: Any, letters: str, change: Callable[[Array], Array]) -> None:
    """The arguments with these letters are changed before the code sees them."""
    for name in ALL:

        def asked(right: Callable[..., Array], own: str = ARGUMENTS[name]) -> Callable[..., Array]:
            return lambda *given: right(*(change(x) if letter in letters else x for letter, x in zip(own, given, strict=True)))

        each(code, asked, (name,))


def ask_at(code: Any, letters: str, where: Where, change: Callable[[Array], Array]) -> None:
    """The parts of these arguments that belong to the chosen joints are changed before the code sees them."""

    def changed(letter: str) -> Callable[[Array], Array]:
        def of_all(x: Array) -> Array:
            x = x.copy()
            for link in links(code, where):
                part = link.q if letter == "q" else link.v
                x[:, part] = change(x[:, part])
            return x

        return of_all

    for letter in letters:
        ask(code, letter, changed(letter))


def answer_at(code: Any, name: str | Iterable[str], where: Where, change: Callable[[Array, Array], Array]) -> None:
    """The forces x of the chosen joints become change(x, gravity there), for callers alone."""
    gravity = code.gravity

    def changed(x: Array, q: Array, *given: Array) -> Array:
        x, g = x.copy(), gravity(q)
        for link in links(code, where):
            x[:, link.v] = change(x[:, link.v], g[:, link.v])
        return x

    answer(code, name, changed)


def scale(code: Any, step: str, factor: float) -> None:
    """A step of the algorithms, or a quantity for callers alone, is multiplied by this factor: 0 leaves it out."""
    if step in ARGUMENTS:
        answer(code, step, lambda x, *given: factor * x)
    else:
        right = getattr(code, step)
        setattr(code, step, lambda *given: factor * right(*given))


def beside(code: Any, edit: Callable[[Model], None]) -> Any:
    """Another code of the same formulation, with an edited copy of the model."""
    other = type(code)(deepcopy(code.model))
    edit(other.model)
    return other


def weightless(model: Model) -> None:
    """The model without gravity."""
    model.gravity = np.zeros(3)


def moving(code: Any, change: Callable[[Array, Array, Array], tuple[Array, Array]]) -> None:
    """The links move with the velocities and accelerations change(q, v, a)."""
    right = code.motions
    code.motions = lambda q, v, a, base=None: right(q, *change(q, v, a), base)


def without_product(code: Any, v: Array, a: Array) -> Array:
    """The accelerations of free bases less ω × v: of points, they become spatial."""
    a = a + np.zeros_like(v, dtype=np.result_type(a, v))
    for link in links(code, is_free):
        w, u = v[:, link.v][:, :3], v[:, link.v][:, 3:]
        a[:, link.v] = a[:, link.v] - np.hstack([0 * w, cross(w, u)])
    return a


def permute(code: Any, q: Array, v: Array) -> None:
    """The caller's coordinates come in another order: the code's q are the caller's q[:, q], v likewise. Answers follow."""
    ask(code, "q", lambda x: x[:, q])
    ask(code, "vat", lambda x: x[:, v])
    back = np.argsort(v)
    answer(code, (*FORCES, "forward_dynamics", "inverse_dynamics_with_forces"), lambda x, *given: x[:, back])
    answer(code, "mass_matrix", lambda x, *given: x[:, back][:, :, back])
    answer(code, JACOBIANS, lambda x, *given: x[..., back])


JACOBIANS = ("jacobians_local", "jacobians_world", "jacobians_aligned", "centroidal_momentum_matrix")
"""Quantities with a column for every coordinate."""


def exchange(code: Any, pairs: Iterable[tuple[Link, Link]]) -> None:
    """The coordinates of each two links are exchanged, in q, v, a and τ."""
    q, v = np.arange(code.model.nq), np.arange(code.model.nv)
    for one, other in pairs:
        q[[one.q.start, other.q.start]] = q[[other.q.start, one.q.start]]
        v[[one.v.start, other.v.start]] = v[[other.v.start, one.v.start]]
    permute(code, q, v)


def links(code: Any, where: Where = lambda link: True) -> list[Link]:
    """The chosen links."""
    return code.model.chosen(where)


def both(code: Any, first: str, second: str) -> list[tuple[Link, Link]]:
    """The links of two names; none where the mechanism has not both."""
    return list(zip(links(code, (first,)), links(code, (second,)), strict=False))


def sliding(link: Link) -> bool:
    return link.kind == "prismatic"


def has_armature(link: Link) -> bool:
    return link.armature != 0


def has_damping(link: Link) -> bool:
    return link.damping != 0


def has_products(link: Link) -> bool:
    return bool((link.inertia - np.diag(np.diag(link.inertia))).any())


def has_offset(link: Link) -> bool:
    return bool(link.com.any())


def has_mass(link: Link) -> bool:
    return link.mass != 0


def is_free(link: Link) -> bool:
    return link.kind == "free"


def is_angle(link: Link) -> bool:
    return link.form == "angle"


def is_ball(link: Link) -> bool:
    return link.form == "ball"


def has_quaternion(link: Link) -> bool:
    return link.form in ("ball", "free")
