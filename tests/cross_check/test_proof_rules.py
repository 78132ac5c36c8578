"""What an algorithm under proof may not do. Each of these was called proven once, or nearly so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cross_check.proof.prove import prove
from cross_check.proof.statement import ProofError
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism


def verdict(algorithms: dict[str, Callable[..., Any]], spec: str = "cart-pole", in_general: bool = True) -> str:
    certificate = prove(find_mechanism(spec), spec, in_general, algorithms=algorithms, quantities=list(algorithms))
    return certificate.verdict


def gravity(model: Any, q: Any) -> Any:
    return ALGORITHMS["gravity"](model, q)


def _as_zero(x: Any) -> None:
    x.n = 0


def _as_no_number(x: Any) -> None:
    del x.n


@pytest.mark.parametrize("change", [_as_zero, _as_no_number])
@pytest.mark.parametrize("in_general", [True, False], ids=["in general", "given"])
def test_numbers_cannot_be_changed(change: Callable[[Any], None], in_general: bool) -> None:
    """The truth shares them: with every velocity made zero, the kinetic energy zero was proven."""

    def still(model: Any, q: Any, v: Any) -> Any:
        for x in v.flat:
            change(x)
        return v[0] * 0

    with pytest.raises(ProofError, match="kinetic_energy cannot be proven: the algorithm writes into a number"):
        verdict({"kinetic_energy": still}, in_general=in_general)
