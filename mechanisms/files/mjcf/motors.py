"""What actuators and tendons change in the dynamics of the tree.

An actuator's force is part of τ. Its armature and damping act on the joint gear² times. A tendon changes nothing unless it has
stiffness, damping, friction or armature, which are refused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.joints import Motor
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.vocabulary import actuators, require_zero
from mechanisms.files.mjcf.words import called, values
from mechanisms.files.untrusted_xml import naming


def require_idle(settings: Settings) -> None:
    """Raise :class:`MechanismError` for a tendon that has forces or inertia."""
    for section in settings.root.findall("tendon"):
        for given in section:
            element = settings.defaults.complete(given, tag="tendon")
            with naming(called(element, "tendon"), given):
                require_zero(element, given.tag, settings.zero)


def motors_of(settings: Settings, joints: Mapping[str, Element]) -> dict[str, Motor]:
    """What all actuators add, by the name of the joint; ``joints`` has all joints. Raises :class:`MechanismError`."""
    found: dict[str, Motor] = defaultdict(Motor)
    for section in settings.root.findall("actuator"):
        for given in section:
            element = settings.defaults.complete(given)
            with naming(called(element, "actuator"), given):
                if element.tag in actuators():
                    require_zero(element, element.tag)
                _add(found, settings, element, joints)
    return found


def _add(found: dict[str, Motor], settings: Settings, element: Element, joints: Mapping[str, Element]) -> None:
    gear = (values(element, "gear", "1") or (Fraction(1),))[0] ** 2
    armature, damping = (values(element, name, "0") or (Fraction(0),) for name in ("armature", "damping"))
    if "damping" in settings.zero:
        damping = (Fraction(0),)
    if not any(armature) and not any(damping):
        return
    name = element.get("joint") or element.get("jointinparent") or ""
    if name not in joints or joints[name].get("type", "hinge") not in ("hinge", "slide"):
        raise MechanismError("it has armature or damping, and acts on no hinge or slide joint; set them to 0")
    if any(damping[1:]):
        raise MechanismError("its damping is not linear, which is not read; give one number")
    found[name].armature += armature[0] * gear
    found[name].damping += damping[0] * gear
