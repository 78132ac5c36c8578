"""Metadata hook: the long description, which is README.md with absolute links, and the project's addresses.

Both are made from one address, ``repository`` in pyproject.toml, because package indexes resolve no relative links. Links lead to
the tag of the version, ``v0.1.0``, so that they show what was released. Without an address, links become text and there are no
project URLs: nothing leads to a wrong place.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")


class Description(MetadataHookInterface):
    """Fills ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository, version = self.config.get("repository", ""), metadata["version"]
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(text, repository, version)}
        metadata["urls"] = urls(repository, version)


def description(text: str, repository: str, version: str) -> str:
    """The Markdown ``text`` with absolute links into ``repository``, or with text instead of them if that is empty."""

    def absolute(link: re.Match[str]) -> str:
        image, words, target = link["image"], link["text"], link["target"]
        if re.match(r"[a-z]+:|#", target):
            return link[0]
        if repository:
            return f"{image}[{words}]({repository}/{'raw' if image else 'blob'}/v{version}/{target})"
        return "" if image else words

    return LINK.sub(absolute, text)


def urls(repository: str, version: str) -> dict[str, str]:
    """The addresses that a package index shows beside the description."""
    if not repository:
        return {}
    pages = f"{repository}/blob/v{version}"
    return {
        "Repository": repository,
        "Documentation": f"{pages}/docs/index.md",
        "Changelog": f"{pages}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Security": f"{pages}/SECURITY.md",
    }
