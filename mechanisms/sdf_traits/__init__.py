"""The torture set for readers of SDF: small files with one trait each, and what is right to make of them.

See :mod:`mechanisms.urdf_traits`.
"""

from __future__ import annotations

from pathlib import Path

from mechanisms.urdf_traits import Trait, traits_in

TRAITS: dict[str, Trait] = traits_in(Path(__file__).with_name("files"))
"""All traits by name."""
