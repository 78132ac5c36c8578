"""What may be asked of an installer, how releases are ordered, and what an installer's reasons become."""

from __future__ import annotations

import sys
from collections.abc import Callable
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
    monkeypatch.setenv("UV_TARGET", "/elsewhere")
    variables = installer._variables()
    assert (variables["UV_DEFAULT_INDEX"], variables["UV_FIND_LINKS"]) == ("https://own.example", "/a /b")
    assert "UV_TARGET" not in variables
    monkeypatch.setenv("UV_INDEX_URL", "https://other.example")
    assert "UV_DEFAULT_INDEX" not in installer._variables()


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What makes a script of the shell the uv that is called; its words stand in $*, and are kept line by line in ``asked``."""
    fake = tmp_path / "uv"

    def becomes(script: str) -> None:
        fake.write_text(f'#!/bin/sh\nexport FOLDER="{tmp_path}"\necho "$*" >> $FOLDER/asked\n{script}\n')
        fake.chmod(0o755)

    monkeypatch.setattr(installer, "find_uv", lambda: str(fake))
    monkeypatch.setattr(installer, "pip_settings", dict)
    return becomes


LOCK = """cat << END
lock-version = "1.0"
[[packages]]
name = "toy"
version = "{version}"
wheels = [{{ url = "https://a/toy-0.whl"{first} }}, {{ url = "https://a/toy-1.whl"{second} }}]
END
"""


def lock(version: str, first: str = "", second: str = "") -> str:
    times = (f", upload-time = {time}" if time else "" for time in (first, second))
    return LOCK.format(version=version, **dict(zip(("first", "second"), times, strict=True)))


def installations(folder: Path) -> list[str]:
    """As of when packages were installed; "today" where no day was given."""
    asked = [line.split() for line in (folder / "asked").read_text().splitlines()]
    return [
        words[words.index("--exclude-newer") + 1] if "--exclude-newer" in words else "today"
        for words in asked
        if "install" in words
    ]


def test_dependencies_are_as_of_the_days_after_the_last_wheel_of_the_release(tmp_path: Path, uv: Callable[[str], None]) -> None:
    uv(f"case $* in *compile*)\n{lock('1.0', '2026-02-27T00:25:52Z', '2026-03-04T10:00:00Z')}esac")
    assert installer.install(tmp_path, ["toy==1.0"], "toy") == "2026-03-05"
    assert installations(tmp_path) == ["2026-03-05T10:00:00+00:00"]


@pytest.mark.parametrize(("fits", "day"), [("2026-03-14", "2026-03-14"), ("today", "")])
def test_dependencies_are_later_ones_where_those_of_the_day_do_not_fit(
    fits: str, day: str, tmp_path: Path, uv: Callable[[str], None]
) -> None:
    fails = "echo error: there is no numpy >&2; exit 1"
    allowed = f"*{fits}*) ;;" if day else "*newer*) " + fails + ";; *install*) ;;"
    uv(f"case $* in *compile*)\n{lock('1.0', *['2026-03-04T10:00:00Z'] * 2)};; {allowed} *) {fails};; esac")
    assert installer.install(tmp_path, ["toy==1.0"], "toy") == day
    assert installations(tmp_path)[-1].startswith(fits)


def test_an_index_that_tells_no_times_gives_the_dependencies_of_today(tmp_path: Path, uv: Callable[[str], None]) -> None:
    uv(f"case $* in *compile*)\n{lock('1.0', '2026-02-27T00:25:52Z')}esac")
    assert installer.install(tmp_path, ["toy==1.0"], "toy") == "", "the later wheel has no time"
    assert installations(tmp_path) == ["today"]


def test_an_index_that_is_not_reached_is_asked_once(tmp_path: Path, uv: Callable[[str], None]) -> None:
    times = ["2026-03-04T10:00:00Z"] * 2
    uv(f"case $* in *compile*)\n{lock('1.0', *times)};; *) echo error: Failed to fetch x >&2; exit 1;; esac")
    with pytest.raises(EnvironmentsError, match=r"toy cannot be installed from wheels \(uv: Failed to fetch x\)"):
        installer.install(tmp_path, ["toy==1.0"], "toy")
    assert len(installations(tmp_path)) == 1


def test_the_releases_between_two_are_found_downwards(tmp_path: Path, uv: Callable[[str], None]) -> None:
    first, second = lock("1.2"), lock("1.1")
    uv(f'read word; case $word in *"<1.10")\n{first};; *"<1.2")\n{second};; *) echo error: no solution >&2; exit 1;; esac')
    assert installer.between(parse("toy==1.0"), parse("toy==1.10"), "python") == ["1.1", "1.2"]
    uv("echo error: Failed to fetch >&2; exit 1")
    with pytest.raises(EnvironmentsError, match="the releases of toy are not known"):
        installer.between(parse("toy==1.0"), parse("toy==1.10"), "python")


def test_without_uv_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installer.find_uv.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(EnvironmentsError, match="made by uv, which is not installed; pip install uv"):
        installer.find_uv()
