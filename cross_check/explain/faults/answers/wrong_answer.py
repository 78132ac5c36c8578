"""Answers that mean something else: in another frame or order, with or without a term.

The functions here change one answer x: of the quantity's name, x with any leading axes, the mechanism, the state as a dictionary,
and ``ask(quantity, state)``, which gives other quantities. Wrappers for users contain the text of these functions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.changes.wrappers import Mend
from cross_check.explain.faults.edits import NEEDS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from implementations.conventions.coordinates import JACOBIANS
from mechanisms import Mechanism
from mechanisms.quantities import MOTION, QUANTITIES, USUAL

Changed = Callable[[str, Any, Any, Any, Callable[[str, Any], Any]], Any]
"""Called with the quantity's name, x, the mechanism, the state and ask."""

TABLE = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))

FORCES = ("nonlinear_effects", "inverse_dynamics", "inverse_dynamics_with_forces")
MOTIONS = tuple(name for name in USUAL if MOTION in QUANTITIES[name].axes)
SEVERAL = {
    "forces": FORCES,
    "Jacobians": JACOBIANS,
    "motions": MOTIONS,
    "accelerations": tuple(name for name in MOTIONS if "accelerations" in name),
}
"""Quantities that the table names together."""


def answers_of(table: str, own: Mapping[str, Any]) -> Iterator[Fault]:
    """The faults of a part of answers.toml. ``own`` has the functions that it names, beside those of this module."""
    names = {**globals(), **own, **NEEDS}

    def made(given: Any) -> Any:
        if isinstance(given, list):
            function, *arguments = given
            return partial(names[function], *(tuple(one) if isinstance(one, list) else one for one in arguments))
        return names[given] if given else None

    for clause, group, of, how in TABLE[table]:
        quantities = SEVERAL[of] if isinstance(of, str) else tuple(of)
        yield wrong_answer(clause, group, quantities, made(how["answer"]), made(how.get("back")), names[how.get("needs", "")])


def wrong_answer(
    clause: str,
    group: str,
    quantities: tuple[str, ...],
    wrong: Changed,
    right: Changed | None = None,
    needs: Callable[[Mechanism], bool] = lambda mechanism: True,
    mended: tuple[str, ...] = (),
) -> Fault:
    """Code whose answers ``wrong`` makes of ours. ``right`` undoes it, if that is possible. ``mended`` are the quantities that it
    can mend, if not all."""

    def answer(m: Mechanism, name: str, state: State, x: Any) -> Any:
        return wrong(name, x, m, state, _of_reference(m))

    mends = (Mend(mended or quantities, partial(answer_mended, right)),) if right else ()
    return Fault(clause, group, answer=answer, quantities=quantities, needs=needs, mends=mends)


def wrong_force(clause: str, ours: Changed, theirs: Changed) -> Fault:
    """Code that reads external forces: ``ours`` makes what it reads of f, in the place of x, and ``theirs`` undoes it."""

    def read(m: Mechanism, state: State) -> State:
        return {**state, "f": ours("f", state["f"], m, state, _of_reference(m))} if "f" in state else state

    mend = Mend(("inverse_dynamics_with_forces",), partial(force_mended, theirs))
    return Fault(clause, "external forces", state=read, mends=(mend,))


def _of_reference(m: Mechanism) -> Callable[[str, Any], Any]:
    """What the reference answers about this mechanism, by quantity and state."""
    return lambda name, state: getattr(loaded((), m), name)(*(state[argument] for argument in QUANTITIES[name].arguments))


def answer_mended(right: Any, name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    return right(name, ask(name, state), mechanism, state, ask)


def force_mended(theirs: Any, name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    return ask(name, {**state, "f": theirs("f", state["f"], mechanism, state, ask)})


def scaled(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return factor * x


def halves_swapped(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The linear part of a motion or momentum comes first."""
    return np.roll(x, 3, axis=-2 if name.startswith("jacobians") or name == "centroidal_momentum_matrix" else -1)


def transposed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def plus(other: str, factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """x and a multiple of another quantity."""
    return x + factor * ask(other, state)


def plus_armature(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """M and a multiple of the armature."""
    return x + factor * np.diag(mechanism.arrays.per_coordinate(mechanism.arrays.armature))


def plus_damping(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """h and a multiple of the damping's forces."""
    return x + factor * mechanism.arrays.per_coordinate(mechanism.arrays.damping) * state["v"]


def plus_energy_at_zero(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """V and a multiple of V at position zero."""
    q = np.zeros_like(state["q"])
    for _, slot in mechanism.slots("quaternion"):
        q[..., slot.stop - 1] = 1
    for _, slot in mechanism.slots("circle"):
        q[..., slot.start] = 1
    T, m = ask("placements", {"q": q}), mechanism.arrays
    c = (T[..., :3] @ m.coms[..., None])[..., 0] + T[..., 3]
    return x - factor * (m.masses * (c @ m.gravity)).sum(axis=-1)


def plus_weight(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """An acceleration [ω̇; v̇] of bodies and a multiple of gravity."""
    g = mechanism.arrays.gravity
    if name == "accelerations_local":
        g = g @ ask("placements", state)[..., :3]
    return x + factor * np.concatenate((np.zeros_like(x[..., :3]), np.broadcast_to(g, x[..., 3:].shape)), -1)


def plus_turning(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """A spatial acceleration of bodies and a multiple of ω × v, which makes it a classical one."""
    V = ask("velocities_local" if name == "accelerations_local" else "velocities_aligned", state)
    product = np.cross(V[..., :3], V[..., 3:])
    return x + factor * np.concatenate((np.zeros_like(product), product), -1)


def triangle(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The lower triangle and the diagonal."""
    return np.tril(x)


def symmetric_of_lower(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The symmetric matrix of a lower triangle."""
    return x + np.swapaxes(np.tril(x, -1), -1, -2)


def placements_transposed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.concatenate((np.swapaxes(x[..., :3], -1, -2), x[..., 3:]), -1)


def placements_inverse(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """[Rᵀ, −Rᵀp]."""
    Rt = np.swapaxes(x[..., :3], -1, -2)
    return np.concatenate((Rt, -Rt @ x[..., 3:]), -1)
