"""The states of a comparison: batches, drawn in blocks.

:mod:`cross_check.judge.comparison.kinds` has the kinds of states. The states of a run come in blocks, so that the memory of a run
does not grow with their number.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from cross_check.judge.comparison.coarse_states import within_reach
from cross_check.judge.comparison.kinds import FORCES, KINDS, PLACES, Array, Drawing, State, again, kinds_of
from cross_check.judge.comparison.steps import steps_from
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64, Precision

BLOCK = 2048
"""States are drawn in blocks of this size, each with a generator of its own, so that none needs the blocks before it."""

CREEP = 2.0**-10
"""The velocity of a joint with Coulomb friction where it would be at rest."""

COLUMNS = ("q", "v", "a", "tau", "f", "dv", "to")


@dataclass(frozen=True)
class States:
    """A batch of states: q (batch, nq); v, a, tau (batch, nv); f (batch, bodies, 6). ``kinds`` names each state's kind.

    :meth:`with_forces` sets ``tau``, so that the results of forward dynamics have the size of ``a``.
    ``f`` are forces [n; f] on the bodies (N m, N), each in its body's own frame.
    ``dv`` (batch, nv) and ``to`` (batch, nq) are what positions are integrated along, and a second position; states that were not
    sampled have neither. States that satisfy constraints have ``v_minus`` (batch, nv): velocities before an impact, which need
    not satisfy them.
    """

    kinds: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    tau: Array
    f: Array
    dv: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    to: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    v_minus: Array = field(default_factory=lambda: np.empty(0), kw_only=True)
    rows: Any = field(default_factory=lambda: np.empty((0, 0), np.intp), kw_only=True)
    """Independent rows of the constraint Jacobian (batch, rank)."""
    numbers: tuple[int, ...] = field(default=(), kw_only=True)
    """The numbers of states that were given; those of sampled states follow from their places."""
    lacking: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The columns that were not given: they are zero."""
    precision: Precision = field(default=FLOAT64, kw_only=True)
    """All numbers are numbers of this precision."""

    def __post_init__(self) -> None:
        if self.precision != FLOAT64:
            for name, column in self._having((*COLUMNS, "v_minus")).items():
                object.__setattr__(self, name, self.precision.rounded(column))

    def __len__(self) -> int:
        return len(self.kinds)

    def with_forces(self, tau: Array) -> States:
        return replace(self, tau=tau)

    @property
    def has_forces(self) -> bool:
        """Whether ``tau`` was given."""
        return bool(self.numbers) and "tau" not in self.lacking

    @property
    def rank(self) -> int:
        """The rank of the constraint Jacobian at every state."""
        return int(self.rows.shape[1])

    @property
    def columns(self) -> dict[str, Array]:
        """By name q, v, a, tau and f, and dv and to where the states have them."""
        return self._having(COLUMNS)

    def _having(self, names: tuple[str, ...]) -> dict[str, Array]:
        columns = {name: getattr(self, name) for name in names}
        return {name: column for name, column in columns.items() if len(column) == len(self)}

    def arguments(self, names: tuple[str, ...]) -> tuple[Array, ...]:
        """Copies of the named columns, which the receiver may change."""
        return tuple(getattr(self, name).copy() for name in names)

    def digest(self, count: int) -> str:
        """Sixteen hexadecimal digits that change when one of the first ``count`` states changes.

        In single precision: the last bits of converted numbers are not the same on every machine.
        """
        with np.errstate(over="ignore"):
            columns = [column[:count].astype("<f4").tobytes() for column in self.columns.values()]
        return hashlib.sha256(b"".join([repr(self.numbers[:count]).encode(), *columns])).hexdigest()[:16]

    def pick(self, chosen: NDArray[np.intp]) -> Self:
        """The states with these indices."""
        columns: Any = {name: column[chosen] for name, column in self._having((*COLUMNS, "v_minus", "rows")).items()}
        numbers = tuple(self.numbers[k] for k in chosen) if self.numbers else ()
        return replace(self, kinds=tuple(self.kinds[k] for k in chosen), numbers=numbers, **columns)


def spread(places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many of the places, evenly."""
    return places[np.unique(np.linspace(0, len(places) - 1, min(most, len(places))).round().astype(int))]


def sample(mechanism: Mechanism, seed: int, count: int, block: int = 0) -> States:
    """The first ``count`` states of a block, :data:`BLOCK` at most; kinds in turn, the zero state first of all.

    The draw depends on the seed, the block and the names of the mechanism's coordinates alone. So a state keeps its number when
    other mechanisms are checked too, and when the mechanism is renamed because another has the same name. Joints with Coulomb
    friction slide at every state, because at rest its force may be any up to the friction.
    """
    drawn_from = [seed, zlib.crc32("\n".join(mechanism.coordinates).encode(errors="backslashreplace"))]
    rng = np.random.default_rng([*drawn_from, 2 * block] if block else drawn_from)
    kinds = kinds_of(block * BLOCK, count)
    # All blocks share one position. Its generator is neither a block's nor that of a block's forces.
    apart = Drawing(mechanism, np.random.default_rng([*drawn_from, 1, 1]), np.empty(0), 0)
    same = KINDS["random"](apart)[0]
    drawn: list[State] = []
    for k, kind in enumerate(kinds):
        turn = (block * BLOCK + k) // len(PLACES)
        state = KINDS[kind](Drawing(mechanism, rng, same, turn))
        drawn.append(again(drawn[-1], state, turn) if kind == "the same again" else state)
    q, v, a = (np.array(column, dtype=np.float64).reshape(count, -1) for column in zip(*drawn, strict=True))
    v[(v == 0) & (mechanism.arrays.friction_per_coordinate != 0)] = CREEP
    # Forces have a generator of their own, which leaves the other columns unchanged.
    f = np.random.default_rng([*drawn_from, 2 * block + 1]).normal(size=(count, len(mechanism.bodies), 6))
    f *= np.array([FORCES.get(kind, 1.0) for kind in kinds])[:, None, None]
    for k, on_bodies in enumerate(f):
        if kinds[k] != "random":
            _leave_out(on_bodies, block * BLOCK + k)
    if mechanism.precision != FLOAT64:
        q, v, a, f = within_reach(mechanism, q, v, a, f)
    dv, to = steps_from(mechanism, q, block * BLOCK, [*drawn_from, 2 * block + 1])
    return States(kinds, q, v, a, np.zeros_like(v), f, dv=dv, to=to, precision=mechanism.precision)


def _leave_out(f: Array, number: int) -> None:
    """Of every seven states, the forces f (bodies, 6) of one are zero, of one alone on a body, of one absent there, and of two
    without moments or without forces."""
    body = number // 7 % len(f)
    match number % 7:
        case 1:
            f[:] = 0
        case 2:
            f[np.arange(len(f)) != body] = 0
        case 3:
            f[body] = 0
        case 4:
            f[:, :3] = 0
        case 5:
            f[:, 3:] = 0


class Block(NamedTuple):
    """``size`` states of a run from number ``first`` on. All are of one block of :func:`sample`."""

    first: int
    size: int

    def draw(self, mechanism: Mechanism, seed: int) -> States:
        """The states. They depend on the seed, on the names of the mechanism's coordinates and on their numbers alone."""
        block, offset = divmod(self.first, BLOCK)
        if not offset:
            return sample(mechanism, seed, self.size, block)
        count = 2 ** math.ceil(math.log2(offset + self.size))
        return _begun(mechanism, seed, block, count).pick(np.arange(offset, offset + self.size))

    def pick(self, states: States) -> States:
        """Its part of all states of a run."""
        return states.pick(np.arange(self.first, self.first + self.size))


@lru_cache(maxsize=1)
def _begun(mechanism: Mechanism, seed: int, block: int, count: int) -> States:
    """The first states of a block of :func:`sample`, for several blocks of a run."""
    return sample(mechanism, seed, min(count, BLOCK), block)


class Blocks(Sequence[Block]):
    """``states`` states in blocks of ``size``, made when they are asked for."""

    def __init__(self, states: int, size: int) -> None:
        self.states, self.size = states, size

    def __len__(self) -> int:
        return -(-self.states // self.size)

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        first = range(0, self.states, self.size)[index]
        return Block(first, min(self.size, self.states - first))
