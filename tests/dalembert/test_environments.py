"""What may be asked of an installer, how releases are ordered, and what an installer's reasons become."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from dalembert.environments import installer
from dalembert.environments.installer import reason
from dalembert.environments.requirement import EnvironmentsError, order, parse, same_version


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pin==3.9.0", ["pin==3.9.0"]),
        ("My_Engine==1!2.0rc1.post2.dev3", ["my-engine==1!2.0rc1.post2.dev3"]),
        ("pin==3.9.0, numpy<2", ["pin==3.9.0", "numpy<2"]),
        ("pin==3.9.0,numpy>=1.26,<2,scipy", ["pin==3.9.0", "numpy>=1.26,<2", "scipy"]),
        ("pin==4.1.0,numpy>=1.26,<2,x==1.26,x==1.26", ["pin==4.1.0", "numpy>=1.26,<2", "x==1.26", "x==1.26"]),
    ],
)
def test_a_requirement_is_one_release_and_what_goes_with_it(text: str, words: list[str]) -> None:
    assert parse(text).words == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pin",
        "pin==3.*",
        "pin===3",
        "-r requirements.txt",
        "--index-url=https://evil.example/simple",
        "git+https://evil.example/x.git",
        "pin @ https://evil.example/pin.whl",
        "pin==3.9.0,./wheel.whl",
        "pin==3.9.0;os_name=='posix'",
        "pin==3.9.0 --pre",
        "pin==3.9.0\n--pre",
        "pin==3.9.0,numpy<2\n-rfile",
        "pin==3.9.0,<4",
        "pin[all]==3.9.0",
        "pin==$(touch x)",
        "pin==3.9.0,",
        "pin==３.９",
        "pin==3.9.0" + ",numpy<2" * 12,
        "p" * 250 + "==1",
    ],
)
def test_whatever_else_an_installer_would_take_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(EnvironmentsError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_releases_stand_in_the_order_of_the_standard() -> None:
    versions = ["1.0.dev1", "1.0a1", "1.0a2.dev3", "1.0a2", "1.0rc1", "1.0", "1.0.post1", "1.2", "1.10", "2.6.12.1", "1!0.1"]
    assert all(order(one) < order(other) for one, other in pairwise(versions))
    assert same_version("3.9", "3.9.0+local.1")
    assert not same_version("3.9", "3.90")
    assert not same_version("3.9", "no version")


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        (
            "error: No solution found when resolving dependencies\n  cause: Because there is no version of pin==1.0 and you "
            "require it, …\n\nhint: use https://x\n",
            "Because there is no version of pin==1.0 and you require it, …",
        ),
        (
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because a==1 has no wheels",
            "No solution found when resolving dependencies: Because a==1 has no wheels",
        ),
        (
            "WARNING: Retrying\nERROR: Could not find a version that satisfies a==1 (from versions: 2)\nERROR: No matching",
            "Could not find a version that satisfies a==1 (from versions: 2) No matching",
        ),
        ("error: Failed to fetch: `https://user:secret@index.example/a/`", "Failed to fetch: `https://index.example/a/`"),
        ("\x1b[31merror\x1b[0m: bad\x07", "bad�"),
        ("", "it does not say why"),
    ],
)
def test_an_installers_reason_is_one_line_without_secrets(printed: str, says: str) -> None:
    assert reason(printed) == says


def test_uv_asks_the_index_of_pip_unless_it_has_one_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX", "UV_NO_INDEX", "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(installer, "pip_settings", lambda: {"index-url": "https://own.example", "find-links": "/a\n/b", "x": "y"})
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    variables = installer._variables("uv")
    assert (variables["UV_DEFAULT_INDEX"], variables["UV_FIND_LINKS"]) == ("https://own.example", "/a /b")
    assert "PIP_TARGET" not in variables
    monkeypatch.setenv("UV_INDEX_URL", "https://other.example")
    assert "UV_DEFAULT_INDEX" not in installer._variables("uv")
    assert "UV_FIND_LINKS" not in installer._variables("pip")


def test_the_day_of_a_release_is_what_uv_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "uv"
    fake.write_text("#!/bin/sh\necho 'hint: v1.0, was published at\n2026-02-27T00:25:52.426Z.' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(installer, "find_uv", lambda: str(fake))
    assert installer.day_after_release(tmp_path / "python", "pin==1.0") == "2026-03-02"
    fake.write_text("#!/bin/sh\necho 'error: no index' >&2; exit 1\n")
    with pytest.raises(EnvironmentsError, match=r"does not tell when pin==1\.0 was published"):
        installer.day_after_release(tmp_path / "python", "pin==1.0")
