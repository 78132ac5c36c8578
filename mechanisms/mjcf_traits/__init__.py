"""The torture set for readers of MJCF: small files with one trait each, and what is right to make of them.

See :mod:`mechanisms.urdf_traits`. Turned axes and inertias of the table were computed from the cosine and the sine of each angle,
and inertias of shapes from their formulas, in float64; nothing is shared with our own reader.
"""

from __future__ import annotations

from pathlib import Path

from mechanisms.urdf_traits import Trait, traits_in

TRAITS: dict[str, Trait] = traits_in(Path(__file__).with_name("files"))
"""All traits by name."""
