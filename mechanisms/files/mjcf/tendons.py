"""Tendons of MJCF, which change no dynamics of the tree unless they have stiffness, damping, friction or armature."""

from __future__ import annotations

from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.vocabulary import require_zero
from mechanisms.files.untrusted_xml import naming


def require_idle(settings: Settings) -> None:
    """Raise :class:`MechanismError` for a tendon that has forces or inertia."""
    for section in settings.root.findall("tendon"):
        for given in section:
            element = settings.defaults.complete(given, tag="tendon")
            with naming(f"tendon {element.get('name')!r}" if element.get("name") else f"<{given.tag}>", given):
                require_zero(element, given.tag, settings.zero)
