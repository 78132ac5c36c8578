"""The Python modules of engines."""

from __future__ import annotations

import importlib
from typing import Any

from implementations.protocol import Missing


def imported(title: str, extra: str, module: str, essential: str = "") -> Any:
    """The ``module`` of the engine that is called ``title`` and that the ``extra`` of our package installs.

    Raises :class:`Missing` if it is not installed, or if what is called so does not have what is ``essential``: PyPI has other
    packages of the same name, and a folder beside the user's files imports too, as an empty package.
    """
    hint = f'{title} is not installed; pip install "dalembert[{extra}]"'
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise Missing(hint) from error
    if essential and not hasattr(found, essential):
        raise Missing(hint)
    return found
