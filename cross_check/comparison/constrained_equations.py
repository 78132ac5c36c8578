"""What answers about constrained motion are judged by: the equations M x = b + Jᵀ μ, J x = c, their solution, and their sizes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cross_check.comparison.constrained_states import ConstrainedStates
from cross_check.comparison.mass_matrix import MassMatrix
from cross_check.comparison.truth import Truth
from cross_check.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms.quantities import ByConstrainedMotion


class Equations(NamedTuple):
    """The equations at every state: (batch, …, columns). An acceleration or a velocity has one column, unit forces have nv."""

    M: DoubleDoubles
    J: DoubleDoubles
    c: DoubleDoubles
    x: DoubleDoubles
    pull: DoubleDoubles
    """Jᵀ μ."""
    forces: DoubleDoubles
    """The forces of the constraints: Jᵀ μ, and for derivatives also what the motion of J makes of λ."""
    multipliers: DoubleDoubles
    """μ of the independent rows."""
    size_of_b: Array
    """What is summed in M x, b and Jᵀ μ; shared among the coordinates (batch, nv, columns)."""
    size_of_c: Array
    """What is summed in J x and c, where x is rounded as M⁻¹ allows (batch, directions, columns)."""
    along: DoubleDoubles | None = None
    """The motions that the constraints allow (batch, columns of the answer, columns): answers are multiplied by them. None
    where answers are compared as they are."""


class Constrained(Protocol):
    """What equations are made from: :class:`cross_check.comparison.constrained_case.ConstrainedCase`."""

    @property
    def states(self) -> ConstrainedStates: ...

    @property
    def truth(self) -> Truth: ...

    @property
    def scale(self) -> ErrorScale: ...

    @property
    def mass_matrix(self) -> MassMatrix: ...

    @property
    def jacobian(self) -> DoubleDoubles: ...

    @property
    def mass(self) -> DoubleDoubles: ...

    def shared(self, size_of_forces: Array) -> Array: ...

    def equations(self, judged: ByConstrainedMotion) -> Equations: ...
