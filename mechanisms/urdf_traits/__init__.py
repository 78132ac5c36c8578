"""The torture set for readers of URDF: small files with one trait each, and what is right to make of them.

Each right reading was written by hand, or computed by :mod:`mechanisms.urdf_traits.by_hand`; nothing here is shared with our own
reader. Tests compare our reader with it, and docs/urdf-traits.md shows what every engine's own reader makes of each file.
"""

from mechanisms.urdf_traits import axes, documents, inertials, joints, names, numbers_as_text, origins, trees
from mechanisms.urdf_traits.trait import Trait

GROUPS: dict[str, tuple[Trait, ...]] = {
    "Numbers": numbers_as_text.TRAITS,
    "Origins": origins.TRAITS,
    "Axes": axes.TRAITS,
    "Inertias": inertials.TRAITS,
    "Joints": joints.TRAITS,
    "Trees": trees.TRAITS,
    "Names": names.TRAITS,
    "Documents": documents.TRAITS,
}
"""All traits, by what they are about."""

TRAITS: dict[str, Trait] = {trait.name: trait for traits in GROUPS.values() for trait in traits}
"""All traits by name."""
