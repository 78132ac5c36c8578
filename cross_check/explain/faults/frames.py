"""Frames of answers and of external forces: a motion in another frame than asked, a force read in another frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.wrappers import wrapper
from cross_check.explain.faults.wrong_answers import wrong_answer
from cross_check.explain.faults.wrong_states import State
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES

PARTS = (("angular", slice(0, 3)), ("linear", slice(3, 6)))
"""The parts of a motion."""

FAMILIES = ("jacobians", "velocities", "accelerations", "drifts")


def other_frame(frame: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The same quantity in another frame."""
    return ask(f"{name.rpartition('_')[0]}_{frame}", state)


def part_of_other_frame(frame: str, rows: slice, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The same quantity, whose angular or linear part is that in another frame."""
    x, other = np.array(x), other_frame(frame, name, x, mechanism, state, ask)
    place = (..., rows, slice(None)) if name.startswith("jacobians") else (..., rows)
    x[place] = other[place]
    return x


def back_from(frame: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """A motion (…, 6), or columns (…, 6, nv), that came in ``frame``, in the frame that the name says."""
    wanted = name.rpartition("_")[2]
    T = ask("placements", state)
    R, p = T[..., :3], T[..., 3]
    columns = name.startswith("jacobians")
    x = np.swapaxes(x, -1, -2) if columns else x[..., None, :]
    R, p = R[..., None, :, :], p[..., None, :]
    w, v = x[..., :3], x[..., 3:]
    if frame == "local":
        w, v = (R @ w[..., None])[..., 0], (R @ v[..., None])[..., 0]
    if frame == "world":
        v = v + np.cross(w, p)
    # Now it is aligned.
    if wanted == "world":
        v = v - np.cross(w, p)
    if wanted == "local":
        w, v = (w[..., None, :] @ R)[..., 0, :], (v[..., None, :] @ R)[..., 0, :]
    x = np.concatenate((w, v), -1)
    return np.swapaxes(x, -1, -2) if columns else x[..., 0, :]


def frames() -> Iterator[Fault]:
    """One frame for another, in Jacobians, velocities, accelerations and drifts alike."""
    for asked in FRAMES:
        for given in FRAMES:
            if asked == given:
                continue
            quantities = tuple(f"{family}_{asked}" for family in FAMILIES)
            # The aligned drift has its own rule, which needs the velocity.
            mended = quantities[:3] if "aligned" in (asked, given) else quantities
            yield wrong_answer(
                f"motions of bodies are {given} where they are said to be {asked}",
                "frames",
                quantities,
                partial(other_frame, given),
                partial(back_from, given),
                ("placements",),
                mended=mended,
            )


def from_aligned(T: Any, f: Any) -> Any:
    """Forces on bodies (…, 6) along the body's axes, of forces along the root's; T are the placements."""
    return np.concatenate([(x[..., None, :] @ T[..., :3])[..., 0, :] for x in (f[..., :3], f[..., 3:])], -1)


def to_aligned(T: Any, f: Any) -> Any:
    return np.concatenate([(T[..., :3] @ x[..., None])[..., 0] for x in (f[..., :3], f[..., 3:])], -1)


def from_world(T: Any, f: Any) -> Any:
    """The same, of moments about the root's origin."""
    return from_aligned(T, np.concatenate((f[..., :3] - np.cross(T[..., 3], f[..., 3:]), f[..., 3:]), -1))


def to_world(T: Any, f: Any) -> Any:
    f = to_aligned(T, f)
    return np.concatenate((f[..., :3] + np.cross(T[..., 3], f[..., 3:]), f[..., 3:]), -1)


def swapped(T: Any, f: Any) -> Any:
    """Force first."""
    return np.roll(f, 3, axis=-1)


def negated(T: Any, f: Any) -> Any:
    return -f


def external(clause: str, ours: Callable[[Any, Any], Any], theirs: Callable[[Any, Any], Any], *helpers: Any) -> Fault:
    """External forces are read by ``ours``; ``theirs`` is its inverse."""

    def read(m: Mechanism, state: State) -> State:
        return {**state, "f": ours(loaded((), m).placements(state["q"]), state["f"])} if "f" in state else state

    name = theirs.__name__
    placements = 'ask("placements", state)' if theirs not in (swapped, negated) else "None"
    body = f'return ask(name, {{**state, "f": {name}({placements}, state["f"])}})'
    inverse = wrapper(clause, ("inverse_dynamics_with_forces",), body, *helpers, theirs, also=("placements",))
    return Fault(clause, "external forces", state=read, inverse=inverse)


def at_center_of_mass(factor: float, m: Mechanism, state: State) -> State:
    """The force acts at the body's centre of mass instead of its origin, or the other way round."""
    if "f" not in state:
        return state
    f = state["f"]
    lever = factor * np.cross(m.arrays.coms, f[..., 3:])
    return {**state, "f": np.concatenate((f[..., :3] + lever, f[..., 3:]), -1)}


AT_CENTER = "forces on bodies act at their centres of mass"

FRAMES_OF_FORCES = (
    external("forces on bodies are read along the root's axes", from_aligned, to_aligned),
    external("forces on bodies are read along the root's axes, moments about its origin", from_world, to_world, to_aligned),
    external("forces on bodies are read with the force before the moment", swapped, swapped),
    Fault(
        AT_CENTER,
        "external forces",
        state=partial(at_center_of_mass, 1.0),
        inverse=wrapper(
            AT_CENTER,
            ("inverse_dynamics_with_forces",),
            """
            f = state["f"]
            n = f[:, :3] - np.cross(mechanism.arrays.coms, f[:, 3:])
            return ask(name, {**state, "f": np.concatenate((n, f[:, 3:]), 1)})
            """,
        ),
    ),
)
