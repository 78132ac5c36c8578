"""Writes the names in docs/api.md: every public name with its arguments and what it is. Run ``python docs/write_api.py``."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from written import with_parts

import dalembert

PAGE = Path(__file__).with_name("api.md")

HEAD = """\
`docs/write_api.py` writes this page. "=…" stands for a default. `help(dalembert.NAME)`, and the site that `tox -e docs` builds,
have types, defaults and complete docstrings."""

SECTIONS = {
    "dalembert": "Commands",
    "cross_check": "Settings and results",
    "mechanisms": "Mechanisms and states",
    "implementations": "Implementations",
}
"""The part that defines a name, and the section that lists it."""


class Verbatim(str):
    """An annotation or a default as a reader would write it, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def is_called(thing: Any) -> bool:
    """Whether users call it: neither a protocol nor an exception."""
    return not (getattr(thing, "_is_protocol", False) or (inspect.isclass(thing) and issubclass(thing, Exception)))


def signature(name: str, thing: Any) -> str:
    """``name`` as it is defined; without arguments if users do not call it."""
    if not is_called(thing):
        return name
    found = inspect.signature(thing)
    parameters = [
        parameter.replace(annotation=_annotation(parameter.annotation), default=_default(parameter.default))
        for parameter in found.parameters.values()
    ]
    returns = "" if inspect.isclass(thing) else f" -> {found.return_annotation}"
    return f"{name}{found.replace(parameters=parameters, return_annotation=found.empty)}{returns}"


def _annotation(annotation: Any) -> Any:
    return Verbatim(annotation) if isinstance(annotation, str) else annotation


def _default(default: Any) -> Any:
    if default is inspect.Parameter.empty:
        return default
    text = str(default) if isinstance(default, Fraction) else repr(default)
    return Verbatim(text if len(text) <= 30 and not text.startswith("<") else "...")


def call(name: str, thing: Any) -> str:
    """``name`` with the names of its arguments, and "=…" after arguments with a default; without types, so that it is short."""
    if not is_called(thing):
        return name
    words = []
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        words.append(f"{parameter.replace(annotation=parameter.empty, default=parameter.empty)}")
        words[-1] += "=…" * (parameter.default is not parameter.empty)
    return f"{name}({', '.join(words)})"


def summary(thing: Any) -> str:
    """The first paragraph of the docstring, roles such as ``:func:`` removed."""
    paragraph = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`", "`", " ".join(paragraph.split())).replace("``", "`")


def sections() -> dict[str, dict[str, Any]]:
    """The public names and what they are, by section; ``__version__`` is left out."""
    found: dict[str, dict[str, Any]] = {title: {} for title in SECTIONS.values()}
    for name in dalembert.__all__:
        if name == "__version__":
            continue
        thing = getattr(dalembert, name)
        part = thing.__module__.removeprefix("dalembert.").partition(".")[0]
        found[SECTIONS.get(part, SECTIONS["dalembert"])][name] = thing
    return found


def render() -> str:
    """The whole page."""
    lines = {
        title: [f"- `{call(name, thing)}`: {summary(thing)}" for name, thing in names.items()]
        for title, names in sections().items()
    }
    lines["Commands"].append("- `__version__`: The version of the installed package.")
    return with_parts(PAGE, names="\n\n".join([HEAD, *(f"## {title}\n\n" + "\n".join(one) for title, one in lines.items())]))


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
