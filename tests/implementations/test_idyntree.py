"""The known faults of iDynTree are still there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from implementations.engines.idyntree.adapter import IDynTree
from implementations.protocol import Missing

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    try:
        IDynTree().version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(
    ("page", "printed"),
    {
        "idyntree-com-jacobian-digits": "1e+02 15 15 1e+08 9 15",
        "idyntree-coriolis-matrix-free-base": "0 -1 0 -1 0 0 0 0 0",
        "idyntree-frame-as-base": "0 1 0 0 0 -1 0 1 0 0 0 0 wrong",
    }.items(),
)
def test_the_pages_are_still_true(page: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Once a frame is right as a base, there is no reason any more to leave quantities out."""
    text = Path(__file__).parents[2].joinpath("docs", "findings", f"{page}.md").read_text("utf-8")
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], {})
    assert re.sub(r"[\[\].]", " ", capsys.readouterr().out).split() == printed.split()
