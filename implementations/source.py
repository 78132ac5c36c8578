"""Python source of the calls that an adapter makes: give it a stand-in for the engine, and read what it has called.

So a program that builds a model in the engine alone makes the same calls as the adapter, whatever the adapter does.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np


class Source:
    """Lines of Python source under construction."""

    def __init__(self, *lines: str) -> None:
        self._lines: list[tuple[str, str]] = [("", line) for line in lines]
        self._count: dict[str, int] = {}

    def module(self, name: str) -> Any:
        """A stand-in for a module that the program imports as ``name``."""
        return Stand(self, None, name)

    def add(self, statement: str, hint: str = "") -> str:
        """Append a statement. With ``hint``, its value gets a name like this one, which is returned."""
        name = ""
        if hint:
            self._count[hint] = self._count.get(hint, 0) + 1
            name = f"{hint}{self._count[hint]}" if hint != "model" else hint
        self._lines.append((name, statement))
        return name

    @property
    def lines(self) -> tuple[str, ...]:
        """The statements. What nobody uses has no name."""
        kept: list[str] = []
        for k, (name, statement) in enumerate(self._lines):
            used = name and any(re.search(rf"\b{name}\b", later) for _, later in self._lines[k + 1 :])
            kept.append(f"{name} = {statement}" if used else statement)
        return tuple(kept)


class Stand:
    """A stand-in for an object of the engine: keeps how it was made, and writes down what is done to it.

    What the module itself offers is an expression until something is done to its value; then the value gets a name.
    """

    _source: Source
    _parent: Stand | None
    _text: str
    _call: bool
    _name: str

    def __init__(self, source: Source, parent: Stand | None, text: str, call: bool = False) -> None:
        self.__dict__.update(_source=source, _parent=parent, _text=text, _call=call, _name="")

    def __getattr__(self, name: str) -> Stand:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stand(self._source, self, f".{name}")

    def __getitem__(self, index: Any) -> Stand:
        return Stand(self._source, self, f"[{index!r}]")

    def __setattr__(self, name: str, value: Any) -> None:
        self._named()
        self._source.add(f"{written(self)}.{name} = {written(value)}")

    def __call__(self, *arguments: Any) -> Stand:
        text = f"({', '.join(map(written, arguments))})"
        made = Stand(self._source, self, text, call=True)
        if self._parent is not None and self._parent._named():
            hint = re.sub(r"^(add|Add)", "", self._text.strip(".")).lower()
            made.__dict__["_name"] = self._source.add(written(made), hint)
        return made

    def _named(self) -> bool:
        """Whether it is, or belongs to, a value with a name. A value that was called for without one gets it here."""
        if self._name:
            return True
        if self._call:
            # pin.Inertia.Zero() becomes inertia1, pin.JointModelComposite(…) composite1.
            kind = re.findall(r"[A-Z]\w*", self._path())[0].removeprefix("JointModel").lower()
            self.__dict__["_name"] = self._source.add(written(self), kind)
            return True
        return self._parent is not None and self._parent._named()

    def _path(self) -> str:
        """What was called, without arguments."""
        parent = self._parent
        return (parent._path() if parent else "") + ("" if self._call else self._text)


def written(value: Any) -> str:
    """``value`` as Python source. Text stays text: it is quoted."""
    if isinstance(value, Stand):
        return value._name or (written(value._parent) if value._parent else "") + value._text
    if isinstance(value, np.ndarray):
        numbers = value.tolist()
        if value.size and not value.any():
            return f"np.zeros({value.shape if value.ndim > 1 else len(value)})"
        if value.ndim == 2 and np.array_equal(value, np.eye(len(value))):
            return f"np.eye({len(value)})"
        return f"np.array({numbers!r})"
    if isinstance(value, (bool, str)) or value is None:
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(written, value))}]"
    return repr(int(value) if isinstance(value, (int, np.integer)) else float(value))
