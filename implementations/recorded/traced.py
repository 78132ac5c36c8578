"""The traced reference: its algorithms, recorded once per mechanism and executed as straight-line programs.

It has every quantity of the reference, in float64, and in double-double with answers of about 31 digits. docs/fast.md says how to
call it, and what it costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.algorithms import require_answer
from implementations.field import Tensor
from implementations.recorded.programs import Programs, arguments_of
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.caching.recently_used import RecentlyUsed
from machine.double_doubles import DoubleDoubles
from machine.instructions import Precision
from machine.recording.recorded_function import RecordedFunction
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, unknown_quantity

MANY_STATES = 2**20
"""From so many states on, in all calls together, a program gets code of its own: then compiling has taken no longer than what the
states took before."""

FEW_STATES = 2**6
"""Calls with fewer states do not count, because code of its own would not make them faster."""

COMPILED = 2**15
"""The longest program that gets code of its own. It compiles in three seconds."""


class TracedDynamics:
    """One mechanism. It has a method for every quantity of the reference, which is recorded at its first call.

    Arguments are batch-first: q (states, nq), v, a and tau (states, nv), forces f (states, bodies, 6). Answers are float64
    (states, …), contiguous. ``threads=2`` shares the states between two threads; the bits do not depend on it. ``out`` is an
    array for the answer: memory that is new takes longer to write.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._programs = Programs(mechanism)
        self._states: Counter[RecordedFunction] = Counter()
        for quantity in ALGORITHMS:
            setattr(self, quantity, partial(self.values, quantity))

    if TYPE_CHECKING:

        def __getattr__(self, quantity: str) -> Callable[..., Tensor]: ...

    @property
    def instructions(self) -> int:
        """The length of all programs that were recorded so far."""
        return self._programs.instructions

    def function(self, quantity: str) -> RecordedFunction:
        """The program of one quantity; all of its arguments are inputs."""
        return self._programs.one(quantity)

    def operations(self, quantity: str) -> int:
        """The number of operations per state, sines and cosines included."""
        return len(self.function(quantity).program.code)

    def values(self, quantity: str, *arguments: Any, threads: int = 1, out: Tensor | None = None) -> Tensor:
        """``quantity`` at batch-first arguments, in float64; in ``out`` if it is given.

        Raises :class:`ValueError` for arrays of other shapes, and :class:`~mechanisms.errors.Unsupported` where the mechanism
        does not have the quantity.
        """
        require_answer(quantity, self._mechanism)
        arrays = self._checked(quantity, QUANTITIES[quantity].arguments, arguments)
        return self._run(self.function(quantity), arrays, threads, out)

    def together(
        self, quantities: Sequence[str], *, threads: int = 1, out: Tensor | None = None, **arguments: Any
    ) -> dict[str, Tensor]:
        """Several quantities by one program, in which what they have in common is computed once.

            arm.together(("inverse_dynamics", "mass_matrix"), q=q, v=v, a=a)

        The answers are parts of one array (states, numbers of all quantities), which is ``out`` if it is given. Raises what
        :meth:`values` raises, and :class:`ValueError` for an unknown quantity, and if an argument is missing or not needed.
        """
        names = tuple(dict.fromkeys(quantities))
        for name in names:
            if name not in ALGORITHMS:
                raise ValueError(unknown_quantity(name))
            require_answer(name, self._mechanism)
        needed, what = arguments_of(names), " and ".join(names) or "no quantity"
        if set(needed) != set(arguments):
            given = ", ".join(arguments) or "none"
            raise ValueError(f"the arguments of {what} are {', '.join(needed) or 'none'}, not {given}")
        if not names:
            return {}
        arrays = self._checked(what, needed, tuple(arguments[x] for x in needed))
        numbers = self._run(self._programs.several(names), arrays, threads, out)
        shapes = [QUANTITIES[name].dimensions(self._mechanism) for name in names]
        ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
        parts = zip(names, shapes, [0, *ends[:-1]], ends, strict=True)
        return {name: numbers[:, start:end].reshape(len(numbers), *shape) for name, shape, start, end in parts}

    def high_low(
        self, quantity: str, *arguments: Tensor | tuple[Tensor, Tensor], precision: Precision = "double-double"
    ) -> tuple[Tensor, Tensor]:
        """``quantity`` at batch-first arguments, as the sum of two arrays of float64. Arguments may be such pairs, too."""
        require_answer(quantity, self._mechanism)
        return self.function(quantity)(*arguments, precision=precision)

    def _run(self, function: RecordedFunction, arrays: list[Tensor], threads: int, out: Tensor | None) -> Tensor:
        states, instructions = len(arrays[0]), len(function.program.code)
        shape = (states, *function.shape)
        if out is not None and np.shape(out) != shape:
            raise ValueError(f"out must have the shape {shape}, not {np.shape(out)}")
        if states >= FEW_STATES:
            self._states[function] += states
        compiled = states >= FEW_STATES and self._states[function] >= MANY_STATES and instructions <= COMPILED
        return function(*arrays, precision="float64", threads=threads, compiled=compiled, out=out)[0]

    def _checked(self, what: str, names: Sequence[str], arguments: tuple[Any, ...]) -> list[Tensor]:
        """The arguments as arrays, if they have the shapes of these ``names``."""
        arrays, shapes = [np.asarray(x) for x in arguments], [self._programs.size(name) for name in names]
        if [x.shape[1:] for x in arrays] != shapes or len({len(x) for x in arrays}) > 1:
            takes = ", ".join(f"{name} (states, {', '.join(map(str, n))})" for name, n in zip(names, shapes, strict=True))
            given = ", ".join(str(x.shape) for x in arrays) or "nothing"
            of = f"{what} of {self._mechanism.name!r}"
            raise ValueError(f"{of} takes arrays {takes}, not {given}; one state x is the batch x[None]")
        return arrays


class Traced:
    """The implementation "traced"."""

    name = "traced"
    mimic_joints = True

    @property
    def version(self) -> str:
        return version("dalembert")

    def load(self, mechanism: Mechanism) -> TracedDynamics:
        return cached_dynamics(mechanism)


def cached_dynamics(mechanism: Mechanism) -> TracedDynamics:
    """Successive calls for the same mechanism share one recording."""
    return _KEPT.get(mechanism, lambda: TracedDynamics(mechanism))


_KEPT = RecentlyUsed[TracedDynamics]()


TRACED = Traced()


class PreciseDynamics:
    """One mechanism. It has a method for every quantity of the reference.

    Arguments are batch-first arrays, of float64 or of double-doubles; answers are
    :class:`~machine.double_doubles.DoubleDoubles`, NaN where a number is not finite.
    """

    def __init__(self, dynamics: TracedDynamics) -> None:
        self._dynamics = dynamics

    def __getattr__(self, quantity: str) -> Callable[..., DoubleDoubles]:
        if quantity not in ALGORITHMS:
            raise AttributeError(f"the reference has no {quantity}")
        return partial(self._answer, quantity)

    def _answer(self, quantity: str, *arguments: Any) -> DoubleDoubles:
        given = ((x.high, x.low) if isinstance(x, DoubleDoubles) else x for x in arguments)
        return DoubleDoubles(*self._dynamics.high_low(quantity, *given))


class Precise:
    """The reference, which loads mechanisms. Programs are kept for the mechanisms that were loaded last."""

    def load(self, mechanism: Mechanism) -> PreciseDynamics:
        return PreciseDynamics(cached_dynamics(mechanism))


PRECISE = Precise()
