"""The precision of the balls that results are compared with."""

from collections.abc import Iterator

import pytest
from flint import ctx


@pytest.fixture(autouse=True, scope="module")
def many_bits() -> Iterator[None]:
    """It belongs to the process, so the tests of other folders must not see it."""
    with ctx.workprec(1000):
        yield
