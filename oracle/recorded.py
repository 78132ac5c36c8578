"""The quantities of a mechanism as recorded programs, which :mod:`machine` executes in double-double."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, lru_cache
from math import prod
from threading import RLock
from typing import Any, NamedTuple

import machine
import mechanisms
from machine.caching.cached_programs import CachedPrograms
from machine.caching.loaded_code import LoadedCode
from machine.recording.recorded_function import RecordedFunction, function_of
from machine.recording.recording import Recording
from machine.recording.values import Values, new_inputs
from mechanisms import Mechanism
from mechanisms.files.document import described
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_DERIVATIVES
from oracle.by_jets.euler_lagrange import QUANTITIES as OF_JETS
from oracle.by_jets.euler_lagrange import EulerLagrange
from oracle.errors import require_rotations
from oracle.fields import Array, Recorded
from oracle.symbolic.equations_of_motion import Equations
from oracle.symbolic.evaluate import Evaluator
from oracle.symbolic.lagrange import derive

LONG = 2**20
"""A recording with so many values is released. What is asked for later begins a new one."""

OWN_INPUTS = {
    "mass_matrix_rate": "qv",
    "constraint_residual": "q",
    "constraint_alignment": "q",
    **{name: quantity.inputs for name, quantity in CONSTRAINT_DERIVATIVES.items()},
}
"""The inputs of quantities that no implementation offers, as :attr:`mechanisms.quantities.Quantity.inputs` names them."""

SHARED_INPUTS = "qvvf"
"""The inputs of the recording that quantities share: q, v, then a or τ, then f. Their arguments are the first of these."""


@lru_cache(maxsize=2)
def equations_of(mechanism: Mechanism) -> Equations:
    """The symbolic equations, derived once for those who ask for them one after the other."""
    return derive(mechanism)


class Source(NamedTuple):
    """A derivation: its name, the ``quantities`` that it has, and ``derive``, which gives an object with a method for each."""

    name: str
    quantities: frozenset[str]
    derive: Callable[[Mechanism, Recorded], Any]


_ALL = (*ALL_QUANTITIES, *OWN_INPUTS)

BY_JETS = Source("jets", OF_JETS, lambda mechanism, field: EulerLagrange(mechanism, field).keeping())

SYMBOLIC = Source(
    "symbolic",
    frozenset(name for name in _ALL if hasattr(Evaluator, name)),
    lambda mechanism, field: Evaluator(equations_of(mechanism), field),
)


class RecordedQuantities:
    """What ``source`` derives for one mechanism, each quantity recorded at its first call, or read where it was kept.

    They share one recording, until it is long. So a source that keeps what its methods have in common records it once.
    """

    def __init__(self, mechanism: Mechanism, source: Source) -> None:
        self.mechanism, self._source = mechanism, source
        self._functions: dict[str, RecordedFunction] = {}
        self._lock = RLock()
        self.instructions = 0
        """The length of all programs that were recorded so far."""

    def function(self, quantity: str) -> RecordedFunction:
        """The program of one quantity; all of its arguments are inputs."""
        with self._lock:
            if quantity not in self._functions:
                self._functions[quantity] = self._kept.get(quantity, lambda: self._record(quantity))
                self.instructions += len(self._functions[quantity].program.code)
            return self._functions[quantity]

    def has(self, quantity: str) -> bool:
        return quantity in self._source.quantities

    def high_low(self, quantity: str, *arguments: Array, **options: Any) -> tuple[Array, Array]:
        """``quantity`` at batch-first arguments, as the sum of two float64 arrays.

        The ``options`` are those of :func:`machine.run.run`. Raises :class:`~oracle.errors.OracleError` for quaternions of length
        zero.
        """
        require_rotations(self.mechanism, arguments[0])
        return self.function(quantity)(*arguments, **options)

    def equations_of_at_most(self, terms: int) -> Equations | None:
        """The symbolic equations, if all of them have so few terms. Long ones are derived once, and only counted."""
        size = self._kept.number("terms of the equations", lambda: equations_of(self.mechanism).size)
        return equations_of(self.mechanism) if size <= terms else None

    @cached_property
    def _kept(self) -> CachedPrograms:
        words = described(self.mechanism)
        return CachedPrograms(_code(), words and f"{self._source.name} {words}")

    def _record(self, quantity: str) -> RecordedFunction:
        wanted = OWN_INPUTS.get(quantity) or ALL_QUANTITIES[quantity].inputs
        shared = SHARED_INPUTS.startswith(wanted)
        source, inputs = self._shared if shared else self._new(wanted)
        inputs = inputs[: len(wanted)]
        result = getattr(source, quantity)(*(x[None] for x in inputs))[0]
        if shared and result.recording.size > LONG:
            del self._shared
        return function_of(result, sum(prod(x.shape) for x in inputs))

    @cached_property
    def _shared(self) -> tuple[Any, list[Values]]:
        return self._new(SHARED_INPUTS)

    def _new(self, kinds: str) -> tuple[Any, list[Values]]:
        """The source over a new recording, and its inputs."""
        field, m = Recorded(Recording()), self.mechanism
        shapes = {"q": (m.nq,), "v": (m.nv,), "f": (len(m.bodies), 6)}
        return self._source.derive(m, field), [new_inputs(field.recording, *shapes[kind]) for kind in kinds]


@cache
def _code() -> LoadedCode:
    """The code of this module, and of all that it imports."""
    return LoadedCode(RecordedQuantities, (machine.__name__, mechanisms.__name__, str(__package__)))
