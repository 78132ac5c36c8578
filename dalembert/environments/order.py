"""Versions in the order of the packaging standard, for texts of its public part."""

from __future__ import annotations

import re

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
