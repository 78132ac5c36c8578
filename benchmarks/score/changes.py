"""Small changes of correct code, which faults and disguises are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from score.library.model import Array, Link

ARGUMENTS = {
    "inverse_dynamics": "qva", "nonlinear_effects": "qv", "gravity": "q", "mass_matrix": "q", "forward_dynamics": "qvt",
    "kinetic_energy": "qv", "potential_energy": "q", "placements": "q", "center_of_mass": "q", "centroidal_momentum": "qv",
    "centroidal_momentum_matrix": "q", "inverse_dynamics_with_forces": "qvaf", "inverse_dynamics_dq": "qva",
    "inverse_dynamics_dv": "qv", "forward_dynamics_dq": "qvt", "forward_dynamics_dv": "qv", "forward_dynamics_dtau": "q",
    "coriolis_matrix": "qv", "joint_torque_regressor": "qva", "classical_accelerations": "qva",
    **{f"{family}_{frame}": letters for frame in ("local", "world", "aligned") for family, letters in
       {"jacobians": "q", "velocities": "qv", "accelerations": "qva", "drifts": "qv"}.items()},
}  # fmt: skip
"""A letter for every argument of every quantity; t is τ."""


def offered(code: Any, name: str) -> Callable[..., Array] | None:
    """The function that callers get; None if there is none."""
    return code.outside.get(name, getattr(code, name, None))


def answer(code: Any, name: str, change: Callable[..., Array]) -> None:
    """The answer x to arguments … becomes change(x, …), for callers alone: inside, the code uses what it had."""
    right = offered(code, name)
    if right is not None:
        code.outside[name] = lambda *given: change(right(*given), *given)


def ask(code: Any, change: Callable[[str, Array], Array], names: Iterable[str] = tuple(ARGUMENTS)) -> None:
    """Every argument x that a caller gives, called by the letter l, becomes change(l, x)."""
    for name in names:
        if right := offered(code, name):
            letters = ARGUMENTS[name]

            def asked(*given: Array, right: Callable[..., Array] = right, letters: str = letters) -> Array:
                return right(*(change(letter, x) for letter, x in zip(letters, given, strict=True)))

            code.outside[name] = asked


def everything(code: Any, change: Callable[[Array], Array]) -> None:
    """Every answer is changed."""
    for name in ARGUMENTS:
        answer(code, name, lambda x, *given: change(x))


def permute(code: Any, q: Array, v: Array) -> None:
    """The caller's coordinates come in another order: the code's q are the caller's q[:, q], v likewise. Answers follow."""
    ask(code, lambda letter, x: x[:, q] if letter == "q" else x[:, v] if letter in "vat" else x)
    back = np.argsort(v)
    for name in ("inverse_dynamics", "nonlinear_effects", "gravity", "forward_dynamics", "inverse_dynamics_with_forces"):
        answer(code, name, lambda x, *given: x[:, back])
    answer(code, "mass_matrix", lambda x, *given: x[:, back][:, :, back])
    for name in ("jacobians_local", "jacobians_world", "jacobians_aligned", "centroidal_momentum_matrix"):
        answer(code, name, lambda x, *given: x[..., back])


def links(code: Any, chosen: Callable[[Link], bool] = lambda link: True) -> list[Link]:
    return [link for link in code.model.links if chosen(link)]


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
