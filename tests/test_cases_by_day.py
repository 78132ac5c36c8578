"""Of tests with many cases some run by day and the others at night: no value and no case is lost."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest

@pytest.mark.parametrize("x", range(5))
@pytest.mark.parametrize(("y", "z"), [(0, 1), (0, 2), (1, 2)])
def test_many(x, y, z):
    pass

@pytest.mark.parametrize("x", range(4))
@pytest.mark.parametrize("y", range(3))
def test_few(x, y):
    pass
"""


def test_each_value_occurs_by_day_and_all_other_cases_at_night(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers = nightly\naddopts = -p no:cacheprovider")
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(TESTS)
    day, night = (
        {report.nodeid.partition("::")[2] for report in pytester.inline_run("-m", words).listoutcomes()[0]}
        for words in ("not nightly", "nightly")
    )
    many = [name.removesuffix("]").partition("[")[2].split("-") for name in day if "test_many" in name]
    assert len(day) == 5 + 12 and len(night) == 10 and not day & night
    assert {x for *_, x in many} == {*"01234"}
    assert {(y, z) for y, z, _ in many} == {("0", "1"), ("0", "2"), ("1", "2")}
