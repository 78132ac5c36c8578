"""What an environment contains, as a user writes it: ``pin==3.9.0`` or ``pin==3.9.0,numpy<2``.

The grammar is a part of the packaging standard's: a name, and comparisons with versions. Whatever else an installer would accept,
such as options, addresses, paths, files of requirements, extras and markers, is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dalembert.settings import InputError
from mechanisms.plain_text import one_line

MOST_CHARACTERS = 200
MOST_PACKAGES = 10

VERSION = r"(?:[0-9]{1,6}!)?[0-9]{1,9}(?:\.[0-9]{1,9}){0,9}(?:(?:a|b|rc)[0-9]{1,9})?(?:\.post[0-9]{1,9})?(?:\.dev[0-9]{1,9})?"
NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
COMPARISON = rf"(?:==|!=|<=|>=|~=|<|>){VERSION}"

_PINNED = re.compile(rf"(?P<name>{NAME})==(?P<version>{VERSION})", re.ASCII)
_OTHER = re.compile(rf"{NAME}(?:{COMPARISON})?", re.ASCII)
_FURTHER = re.compile(COMPARISON, re.ASCII)


class EnvironmentsError(InputError):
    """An environment cannot be asked for or made; one sentence with the remedy."""


@dataclass(frozen=True)
class Requirement:
    """One exact release of a package, ``name`` in its normal form, and what else is installed beside it."""

    name: str
    version: str
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ",".join((f"{self.name}=={self.version}", *self.others))

    @property
    def words(self) -> list[str]:
        """What an installer is asked for. Comparisons with one package are one word."""
        return [f"{self.name}=={self.version}", *merged(self.others)]

    def at(self, version: str) -> Requirement:
        """The same with another release of the package."""
        return replace(self, version=version)


def parse(text: str) -> Requirement:
    """The requirement that ``text`` writes. Raises :class:`EnvironmentsError`."""
    first, *others = ("".join(part.split(" ")) for part in text.split(","))
    pinned = _PINNED.fullmatch(first)
    if len(text) > MOST_CHARACTERS or len(others) >= MOST_PACKAGES:
        most = f"{MOST_CHARACTERS} characters and {MOST_PACKAGES} parts are the most"
        raise EnvironmentsError(f"the requirement {one_line(text, 60)!r} is too long; {most}")
    if not pinned:
        remedy = "write one release, such as pin==3.9.0; options, addresses and files are not accepted"
        raise EnvironmentsError(f"{one_line(text, 100)!r} names no release; {remedy}")
    for part in others:
        if not (_OTHER.fullmatch(part) or _FURTHER.fullmatch(part)):
            remedy = "write a package or a comparison, such as numpy<2"
            raise EnvironmentsError(f"{one_line(part, 100)!r} in {one_line(text, 100)!r} names no package; {remedy}")
    if others and _FURTHER.fullmatch(others[0]):
        raise EnvironmentsError(f"{others[0]!r} in {one_line(text, 100)!r} compares no other package; leave it out")
    _require_one_release_each(text, (first, *others))
    return Requirement(normal(pinned["name"]), pinned["version"], tuple(others))


def _require_one_release_each(text: str, parts: tuple[str, ...]) -> None:
    """Raise :class:`EnvironmentsError` if one package is to have two releases."""
    pins: dict[str, str] = {}
    for word in merged(parts):
        name, *comparisons = re.split(r"(?=[=!<>~]=|[<>])", word.replace(",", ""))
        for version in (one.removeprefix("==") for one in comparisons if one.startswith("==")):
            if pins.setdefault(normal(name), version) != version:
                both = f"{normal(name)}=={pins[normal(name)]} and {normal(name)}=={version}"
                remedy = "write a space between two environments, or name one release"
                raise EnvironmentsError(f"{one_line(text, 100)!r} asks for {both} in one environment; {remedy}")


def normal(name: str) -> str:
    """The name of a package in the form that registries compare: ``My_Engine`` is ``my-engine``."""
    return re.sub(r"[-_.]+", "-", name).lower()


def merged(parts: tuple[str, ...]) -> list[str]:
    """``("numpy>=1.26", "<2")`` as ``["numpy>=1.26,<2"]``."""
    words: list[str] = []
    for part in parts:
        if _FURTHER.fullmatch(part):
            words[-1] += f",{part}"
        else:
            words.append(part)
    return words


_PARTS = re.compile(
    r"(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)(?:(?P<pre>a|b|rc)(?P<n>\d+))?(?:\.post(?P<post>\d+))?(?:\.dev(?P<dev>\d+))?",
    re.ASCII,
)

_BEFORE, _AFTER = (-1, 0), (3, 0)
"""A release stands after its pre-releases, and one for development alone before them."""


def order(version: str) -> tuple[int, tuple[int, ...], tuple[int, int], int, tuple[int, int]]:
    """A key that sorts versions; ``3.9`` and ``3.9.0`` have one. Raises ValueError for a text that is no version."""
    match = _PARTS.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is no version")
    release = tuple(map(int, match["release"].split(".")))
    while release and release[-1] == 0:
        release = release[:-1]
    post = int(match["post"]) if match["post"] else -1
    pre = _BEFORE if match["dev"] and post < 0 else _AFTER
    if match["pre"]:
        pre = "abr".index(match["pre"][0]), int(match["n"])
    return int(match["epoch"] or 0), release, pre, post, (0, int(match["dev"])) if match["dev"] else (1, 0)


def same_version(one: str, other: str) -> bool:
    """Whether two texts are one version; what stands behind "+" tells builds apart, not versions."""
    try:
        return order(one.partition("+")[0]) == order(other.partition("+")[0])
    except ValueError:
        return one == other
