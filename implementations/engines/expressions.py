"""Expressions of one state, as text: adapters evaluate them at every state, and programs for an engine alone contain them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from implementations.protocol import Array


def at_one_state(expression: str, arguments: Sequence[str], names: Mapping[str, Any]) -> Callable[..., Any]:
    """``expression`` as a function of the ``arguments``; ``names`` has everything else that it refers to."""
    function: Callable[..., Any] = eval(f"lambda {', '.join(arguments)}: {expression}", dict(names))
    return function


def at_every_state(expression: str, arguments: Sequence[str], names: Mapping[str, Any]) -> Callable[..., Array]:
    """``expression`` as a function of the shape of one state's answer, and of a batch for every one of the ``arguments``.

    ``names`` has everything else that the expression refers to. The expression is compiled together with the loop, because a call
    of a function at every state takes longer.
    """
    program = (
        "def evaluate(shape, *batches):",
        "    out = np.empty((len(batches[0]), *shape))",
        f"    for k, ({', '.join(arguments)},) in enumerate(zip(*batches, strict=True)):",
        f"        out[k] = {expression}",
        "    return out",
    )
    scope = {"np": np, **names}
    exec("\n".join(program), scope)
    evaluate: Callable[..., Array] = scope["evaluate"]
    return evaluate
