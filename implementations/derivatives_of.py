"""Derivatives of users' code by automatic differentiation: with JAX or PyTorch, whichever computed its answers.

A run compares them with the truth like any other answers. So it finds gradients that are wrong where the function is right:
through ``where``, NaN at zero, custom derivatives, what was detached.

∂f/∂q is along v: the derivative by δ at zero of f(q + G δ), where q + G δ is q ⊕ δ to first order
(:mod:`mechanisms.position_rates`). JAX and PyTorch are imported only when a derivative is asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from implementations.arrays_of_frameworks import as_numpy
from implementations.one_robot import takes_no_mechanism
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.position_rates import position_rates
from mechanisms.quantities import ALL_QUANTITIES

Mode = Literal["forward", "reverse"]

DERIVATIVES = {
    f"{base}_d{by}": (base, by)
    for base, arguments in (("inverse_dynamics", ("q", "v")), ("forward_dynamics", ("q", "v", "tau")))
    for by in arguments
}
"""By quantity: the function that is differentiated, and the argument by which."""

Differentiate = Callable[..., Any]
"""The derivative (nv, nv) of a function at a state by the argument in one place, along the columns of G."""

KEPT = 64
"""Compiled functions that are kept."""


def derivatives_of(code: Any, mode: Mode = "forward") -> Derived:
    """The same code with its derivatives: ``inverse_dynamics_dq``, ``_dv``, ``forward_dynamics_dq``, ``_dv``, ``_dtau``.

    ``code`` is a module or an object with ``inverse_dynamics``, ``forward_dynamics`` or both, as functions of a mechanism and one
    state in JAX or PyTorch. They take arrays of this framework as well as NumPy's, and return what it has computed. ``mode`` is
    "forward" (``jacfwd``) or "reverse" (``jacrev``). Everything else that the code offers and declares stays as it is. Raises
    TypeError and ValueError for anything else.
    """
    if mode not in get_args(Mode):
        raise ValueError(f"there is no mode {mode!r}; use {' or '.join(map(repr, get_args(Mode)))}")
    if not any(callable(getattr(code, base, None)) for base, _ in DERIVATIVES.values()):
        raise TypeError("it has no inverse_dynamics and no forward_dynamics; give a module or an object with one of them")
    return Derived(code, mode)


class Derived:
    """Code with derivatives, see :func:`derivatives_of`."""

    load = None
    """It is functions of one state, also where a module has a ``load`` beside them."""

    def __init__(self, code: Any, mode: Mode) -> None:
        self._code, self._mode = code, mode
        self._by: dict[str, Differentiate] = {}
        self._compiled: dict[Any, Callable[..., Any]] = {}
        for quantity, (base, _) in DERIVATIVES.items():
            if callable(function := getattr(code, base, None)):
                setattr(self, quantity, self._function(quantity, function, takes_no_mechanism(function, base)))

    def __getattr__(self, name: str) -> Any:
        # Before there is code, as while an object is copied, it has nothing.
        return getattr(self.__dict__["_code"], name) if "_code" in self.__dict__ else object.__getattribute__(self, name)

    def _function(self, quantity: str, function: Callable[..., Any], alone: bool) -> Callable[..., Array]:
        """The derivative, with the arguments of the quantity; ``alone`` without a mechanism, like the function."""
        names = [*([] if alone else ["mechanism"]), *ALL_QUANTITIES[quantity].arguments]

        def derivative(*given: Any) -> Array:
            mechanism, state = (self._declared_mechanism, given) if alone else (given[0], given[1:])
            return self._at(quantity, partial(function, *given[: len(given) - len(state)]), mechanism, *state)

        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        derivative.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        derivative.__wrapped__ = function  # type: ignore[attr-defined]  # Its place in the user's files is that of the function.
        return derivative

    @property
    def _declared_mechanism(self) -> Mechanism | None:
        declared = getattr(self._code, "mechanism", None)
        return declared if isinstance(declared, Mechanism) else None

    def _at(self, quantity: str, function: Callable[..., Any], mechanism: Mechanism | None, *given: Array) -> Array:
        """The derivative (nv, nv) at one state. What the derivative does not depend on is zero there."""
        base, by = DERIVATIVES[quantity]
        arguments = ALL_QUANTITIES[base].arguments
        rates = dict(zip(ALL_QUANTITIES[quantity].arguments, given, strict=True))
        nv = mechanism.nv if mechanism else len(rates.get("v", rates["q"]))
        state = [np.asarray(rates.get(name, np.zeros(nv, given[0].dtype))) for name in arguments]
        place = arguments.index(by)
        G = self._rates(mechanism, state[0]) if by == "q" else np.eye(nv)
        key = (quantity, None if mechanism is None else mechanism.fingerprint)
        if base not in self._by:
            self._by[base] = _framework_of(base, function(*state))
        return as_numpy(self._by[base](function, state, place, G.astype(state[0].dtype), self._mode, key, self._compiled))

    def _rates(self, mechanism: Mechanism | None, q: Array) -> Array:
        """G at a position. Without a mechanism, positions are angles and distances."""
        if mechanism is None or _has_rates_alone(mechanism):
            return np.eye(len(q))
        if getattr(self._code, "conventions", None) or getattr(self._code, "joint_order", None):
            raise NotImplementedError("it declares conventions, in which positions of these joints have no derivatives here")
        return position_rates(mechanism, np.asarray(q, np.float64))


def _has_rates_alone(mechanism: Mechanism) -> bool:
    """Whether all positions are angles and distances, and v their rates."""
    return mechanism.nq == mechanism.nv and not any(body.joint.velocity_is_body_twist for body in mechanism.bodies)


def _framework_of(base: str, answer: Any) -> Differentiate:
    package = type(answer).__module__.partition(".")[0]
    if package not in FRAMEWORKS:
        remedy = "return what jax or torch has computed, so that it can be differentiated"
        raise TypeError(f"{base} returned {type(answer).__name__}; {remedy}")
    return FRAMEWORKS[package]


def _by_jax(
    function: Callable[..., Any], state: list[Array], place: int, G: Array, mode: Mode, key: Any, compiled: dict[Any, Any]
) -> Any:
    """Compiled once for a mechanism, unless the code looks at numbers, as in ``if q[0] > 0``."""
    import jax

    def derivative(step: Any, *state: Any) -> Any:
        def moved(delta: Any) -> Any:
            # No product of matrices, which graphics cards round to ten bits.
            return function(*state[:place], state[place] + (step * delta).sum(1), *state[place + 1 :])

        return {"forward": jax.jacfwd, "reverse": jax.jacrev}[mode](moved)(jax.numpy.zeros(step.shape[1], step.dtype))

    if key not in compiled:
        while len(compiled) >= KEPT:
            del compiled[next(iter(compiled))]
        compiled[key] = jax.jit(derivative)
    try:
        return compiled[key](G, *state)
    except jax.errors.ConcretizationTypeError:
        compiled[key] = derivative
        return derivative(*map(jax.numpy.asarray, (G, *state)))


def _by_torch(
    function: Callable[..., Any], state: list[Array], place: int, G: Array, mode: Mode, key: Any, compiled: dict[Any, Any]
) -> Any:
    import torch

    step, *tensors = map(torch.from_numpy, (G, *state))

    def moved(delta: Any) -> Any:
        return function(*tensors[:place], tensors[place] + (step * delta).sum(1), *tensors[place + 1 :])

    options: dict[str, Any] = {"strategy": "forward-mode", "vectorize": True} if mode == "forward" else {}
    return torch.autograd.functional.jacobian(moved, torch.zeros(step.shape[1], dtype=step.dtype), **options)


FRAMEWORKS: dict[str, Differentiate] = {"jax": _by_jax, "jaxlib": _by_jax, "torch": _by_torch}
"""By the package whose array the code returned."""
