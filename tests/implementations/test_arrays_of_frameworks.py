"""Answers of JAX, PyTorch, Warp and CuPy code become NumPy's arrays, or are refused with the reason."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from implementations.arrays_of_frameworks import as_numpy
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import Failure, InProcess
from mechanisms import find_mechanism
from mechanisms.numbers.precision import precision_named

EXPECTED = np.array([[0.5, -1.25], [3.0, 4.0]])


class OfDevice:
    """An array in the memory of a graphics card: NumPy cannot read it."""

    __cuda_array_interface__: dict[str, Any] = {}  # noqa: RUF012

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("implicit conversion to a NumPy array is not allowed")


class LikeCuPy(OfDevice):
    def get(self) -> Any:
        return EXPECTED.copy()


class LikeWarp(OfDevice):
    def numpy(self) -> Any:
        return EXPECTED.astype(np.float32)


class LikeTorch(OfDevice):
    dtype = "torch.bfloat16"

    def __init__(self, steps: tuple[str, ...] = ()) -> None:
        self.steps = steps

    def detach(self) -> Any:
        return LikeTorch((*self.steps, "detach"))

    def cpu(self) -> Any:
        return LikeTorch((*self.steps, "cpu"))

    def float(self) -> Any:
        return LikeTorch((*self.steps, "float"))

    def numpy(self) -> Any:
        if self.steps != ("detach", "cpu", "float"):
            raise TypeError("can't convert it")
        return EXPECTED.astype(np.float32)


class WithDLPackAlone:
    """As frameworks have it that know nothing of NumPy; asked for a copy in the memory of the processor."""

    def __dlpack__(self, **options: Any) -> Any:
        assert options["dl_device"] == (1, 0)
        return EXPECTED.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


@pytest.mark.parametrize("answer", [LikeCuPy(), LikeWarp(), LikeTorch(), WithDLPackAlone(), EXPECTED, EXPECTED.tolist()])
def test_arrays_on_any_device_are_converted(answer: Any) -> None:
    assert np.array_equal(as_numpy(answer), EXPECTED)


def test_other_answers() -> None:
    assert type(as_numpy(np.ma.masked_array(EXPECTED, EXPECTED > 3))) is np.ndarray
    assert np.array_equal(as_numpy([LikeCuPy(), LikeWarp()]), [EXPECTED, EXPECTED]), "lists of arrays are one array"
    with pytest.raises(TypeError, match="implicit conversion to a NumPy array is not allowed"):
        as_numpy(OfDevice())


def loaded(function: Any) -> Any:
    return InProcess(as_implementation(function, "code", "code")).load(find_mechanism("pendulum"))


def test_code_on_a_device_is_asked_for_batches_and_for_one_state() -> None:
    def of_batches(mechanism: Any) -> Any:
        return SimpleNamespace(gravity=lambda q: LikeWarp())

    q = np.zeros((2, 1))
    with pytest.raises(Failure, match=r"gravity returned shape \(2, 2\)"):
        loaded(SimpleNamespace(load=of_batches)).ask("gravity", q)
    with pytest.raises(Failure, match=r"gravity returned OfDevice.*implicit conversion"):
        loaded(SimpleNamespace(gravity=lambda mechanism, q: OfDevice())).ask("gravity", q)


@pytest.mark.parametrize("precision", ["float32"])
def test_functions_of_one_state_get_numbers_of_the_type_that_they_declare(precision: str) -> None:
    types = []

    def gravity(mechanism: Any, q: Any) -> Any:
        types.append(q.dtype)
        return q

    pendulum = find_mechanism("pendulum").in_precision(precision_named(precision))
    code = as_implementation(SimpleNamespace(gravity=gravity, precision=precision), "code", "code")
    InProcess(code).load(pendulum).ask("gravity", np.zeros((2, 1)))
    assert types == [np.dtype(precision)] * 2


def test_tensors_of_torch() -> None:
    torch = pytest.importorskip("torch")
    expected = torch.tensor(EXPECTED, dtype=torch.double)
    assert np.array_equal(as_numpy(expected.clone().requires_grad_()), EXPECTED)
    assert np.array_equal(as_numpy([row.requires_grad_() for row in expected.clone()]), EXPECTED)
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        assert np.array_equal(as_numpy(expected.to(dtype).requires_grad_()), EXPECTED)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        as_numpy(expected.to_sparse())
    with pytest.raises(Exception, match="meta"):
        as_numpy(expected.to("meta"))


def test_arrays_of_jax() -> None:
    jnp = pytest.importorskip("jax.numpy")
    for dtype in (jnp.bfloat16, jnp.float16, jnp.float32):
        converted = as_numpy(jnp.asarray(EXPECTED, dtype))
        assert converted.dtype.kind == "f"
        assert np.array_equal(converted, EXPECTED)
    assert np.array_equal(as_numpy([jnp.asarray(row) for row in EXPECTED]), EXPECTED)


def test_arrays_of_warp() -> None:
    wp = pytest.importorskip("warp")
    wp.config.quiet = True
    assert np.array_equal(as_numpy(wp.array(EXPECTED, dtype=wp.float32, device="cpu", requires_grad=True)), EXPECTED)
    assert np.array_equal(as_numpy(wp.array(EXPECTED, dtype=wp.vec2, device="cpu")), EXPECTED)
