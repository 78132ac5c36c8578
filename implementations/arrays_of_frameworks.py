"""Arrays of JAX, PyTorch, Warp, CuPy and TensorFlow, on any device, as NumPy's arrays. None of these packages is imported.

An array is taken, in this order:

1. by its own way to NumPy, if it has one: ``.detach().cpu()`` (PyTorch: also what requires a gradient), ``.get()`` (CuPy),
   ``.numpy()`` (Warp, TensorFlow); these wait until the device has computed it,
2. by ``numpy.asarray`` (NumPy, JAX, lists),
3. by DLPack, copied to the memory of the processor (Python array API 2023.12, ``__dlpack__``).

A bfloat16 is the upper half of a float32, so it is converted exactly through float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FOREIGN = ("__dlpack__", "__cuda_array_interface__", "__array_interface__", "__array__")
"""What has none of these is no array of a framework, and its methods mean something else."""


def as_numpy(answer: Any) -> Array:
    """The array of NumPy with these numbers; it may share their memory. Raises what the framework raises, or :class:`TypeError`.

    Lists and tuples of arrays become one array. Sparse arrays are refused.
    """
    if isinstance(answer, np.ndarray):
        return _without_bfloat16(np.asarray(answer))
    if isinstance(answer, (list, tuple)) and any(map(_is_foreign, answer)):
        return np.stack([as_numpy(one) for one in answer])
    if not _is_foreign(answer):
        return np.asarray(answer)
    refusals: list[Exception] = []
    for way in _ways(answer):
        try:
            return _without_bfloat16(np.asarray(way()))
        except Exception as error:
            refusals.append(error)
    raise refusals[0] if refusals else TypeError("it has no way to an array of NumPy")


def _is_foreign(answer: Any) -> bool:
    return not isinstance(answer, (np.ndarray, np.generic)) and any(hasattr(answer, name) for name in FOREIGN)


def _ways(answer: Any) -> Iterator[Callable[[], Any]]:
    if callable(getattr(answer, "detach", None)):
        yield lambda: _of_torch(answer)
    elif callable(getattr(answer, "get", None)) and hasattr(answer, "__cuda_array_interface__"):
        yield answer.get
    elif callable(getattr(answer, "numpy", None)):
        yield answer.numpy
    # NumPy takes what it cannot read for one object.
    yield from [lambda: np.asarray(answer)] if hasattr(answer, "__array__") or hasattr(answer, "__array_interface__") else []
    if hasattr(answer, "__dlpack__"):
        yield lambda: np.from_dlpack(answer, device="cpu")


def _of_torch(tensor: Any) -> Any:
    tensor = tensor.detach().cpu()
    # NumPy has no such type, so that PyTorch converts it to none.
    return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()


def _without_bfloat16(array: Array) -> Array:
    """JAX and TensorFlow have types of few bits from the package ml_dtypes, which NumPy takes for raw bytes."""
    if array.dtype.kind == "V" and array.dtype.names is None:
        with suppress(TypeError, ValueError):
            return array.astype(np.float32)
    return array
