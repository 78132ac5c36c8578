"""Every element and attribute of SDF, declared once: what the reader does with it, and why.

Nothing is dropped in silence: what is not declared here is refused, and so is a part that changes the motion and that no
mechanism has, unless it has the value with which it changes nothing. ``docs/sdf.md`` shows this table;
``python docs/write_sdf.py`` writes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.numbers.exact import WHITESPACE, exact
from mechanisms.plain_text import one_line

Use = Literal["read", "refused", "ignored"]


class Part(NamedTuple):
    """What the reader does with an element or an attribute."""

    use: Use
    words: str
    """What it means, where it is read; otherwise a clause that says why, or the remedy."""
    unless: str = ""
    """The value with which a refused part changes nothing: "0", "true" or "false"."""


def read(words: str) -> Part:
    return Part("read", words)


def ignored(words: str) -> Part:
    return Part("ignored", words)


def refused(words: str, unless: str = "") -> Part:
    return Part("refused", words, unless)


LOOKS, CONTACT, SIMULATOR, SOUND, SURROUNDINGS = (
    ignored(f"it describes {what}")
    for what in ("looks", "shapes and contact", "the settings of a simulator", "sound", "the surroundings of the robot")
)
SENSOR = ignored("a sensor has no mass of its own")
PLUGIN = ignored("a plugin is a program of a simulator")
STATE = ignored("a state is no part of a mechanism")
LIMIT = ignored("limits do not enter the equations of motion")
WEIGHTLESS = refused("all bodies of a mechanism have weight; set it to true, or set the gravity of the world to 0 0 0", "true")
WIND = refused("a mechanism has no wind; set it to false", "false")
FLUID = refused("a mechanism has no fluid around it; set it to 0", "0")
NAME = read("required, and unique among the links, joints, frames and models beside it; world and __…__ are reserved")
STATIC = read('"true" fixes all links of the model, and of the models in it, to the world')
PLACEMENT_FRAME = read("the frame of the model that its pose places, in the place of the model's own frame")
MODEL = read("a model, whose parts are named model::part; only one in a document without <world>")
INCLUDE = read("a model from another file of the document's folder, as a nested model or, with merge, in the place of <include>")
FRAME = read("a frame: what it is attached to moves it")
JOINT = read("the joint between two links, or a link and the world")
POSE = read("where the frame is at position zero; inside of <inertial>, where the centre of mass and the axes of the inertia are")

VOCABULARY: Mapping[str, Mapping[str, Part]] = {
    "sdf": {
        "@version": read("1.3 to 1.12; required, and any other is refused"),
        "model": MODEL,
        "world": read("the surroundings of models; one at most"),
        "include": INCLUDE,
        "actor": LOOKS,
        "light": LOOKS,
    },
    "world": {
        "@name": read("the name of the mechanism"),
        "gravity": read("gravity along the world's axes (m/s²); 0 0 -9.8 if it is left out, and 0 0 -9.81 without <world>"),
        "model": MODEL,
        "include": INCLUDE,
        "frame": FRAME,
        "joint": JOINT,
        "wind": read("it has to be still"),
        "physics": SIMULATOR,
        "gui": LOOKS,
        "scene": LOOKS,
        "light": LOOKS,
        "actor": LOOKS,
        "audio": SOUND,
        "plugin": PLUGIN,
        "road": SURROUNDINGS,
        "atmosphere": SURROUNDINGS,
        "magnetic_field": SURROUNDINGS,
        "spherical_coordinates": SURROUNDINGS,
        "state": STATE,
        "population": refused("it stands for many models; write them out"),
    },
    "world/wind": {"linear_velocity": refused("a mechanism has no wind; set it to 0 0 0", "0")},
    "model": {
        "@name": NAME,
        "@canonical_link": read("the link that the model's frame is attached to; the first one if it is left out"),
        "@placement_frame": PLACEMENT_FRAME,
        "@namespace": SIMULATOR,
        "static": STATIC,
        "pose": POSE,
        "link": read("a body; without a joint to the world, it moves freely"),
        "joint": JOINT,
        "frame": FRAME,
        "model": MODEL,
        "include": INCLUDE,
        "self_collide": CONTACT,
        "allow_auto_disable": SIMULATOR,
        "enable_wind": WIND,
        "gripper": SIMULATOR,
        "plugin": PLUGIN,
        "model_state": STATE,
        "drake:collision_filter_group": CONTACT,
    },
    "include": {
        "@merge": read('"true" puts the parts of the model in the place of <include>'),
        "uri": read("model://FOLDER or a path; both are looked for in the document's folder alone"),
        "name": read("the name of the model, in the place of its own"),
        "pose": read("the pose of the model, in the place of its own"),
        "static": STATIC,
        "placement_frame": PLACEMENT_FRAME,
        "namespace": SIMULATOR,
        "plugin": PLUGIN,
        "model_state": STATE,
    },
    "link": {
        "@name": NAME,
        "pose": POSE,
        "inertial": read("mass and inertia; a link without it has 1 kg and moments of 1 kg m²"),
        "collision": read("a shape, of which only <inertial auto> takes notice"),
        "gravity": WEIGHTLESS,
        "kinematic": refused("a mechanism has no bodies that forces do not move; set it to false, or fix the link", "false"),
        "must_be_base_link": refused("it moves the link freely, whatever joints it has; set it to false", "false"),
        "velocity_decay": read("it has to be zero"),
        "enable_wind": WIND,
        "self_collide": CONTACT,
        "visual": LOOKS,
        "drake:visual": LOOKS,
        "light": LOOKS,
        "projector": LOOKS,
        "particle_emitter": LOOKS,
        "audio_sink": SOUND,
        "audio_source": SOUND,
        "battery": SIMULATOR,
        "contact": CONTACT,
        "sensor": SENSOR,
    },
    "link/velocity_decay": dict.fromkeys(
        ("linear", "angular"), refused("a mechanism has no damping of links; set it to 0, or give the joints damping", "0")
    ),
    "inertial": {
        "@auto": read('"true" takes mass and inertia from the shapes of <collision>; <pose> and <inertia> do not count then'),
        "mass": read("kg; 1 if it is left out; with auto, what the mass is scaled to"),
        "pose": POSE,
        "inertia": read("about the centre of mass, along the axes of <pose>"),
        "density": read("kg/m³ of shapes that have none of their own; 1000 if it is left out"),
        "auto_inertia_params": ignored("it is for meshes, which are refused"),
        "fluid_added_mass": read("it has to be zero"),
    },
    "inertial/inertia": {
        f"i{axes}": read(f"{what} (kg m²); {default} if it is left out")
        for what, default, several in (
            ("moment of inertia", 1, ("xx", "yy", "zz")),
            ("entry of the matrix of inertia", 0, ("xy", "xz", "yz")),
        )
        for axes in several
    },
    "inertial/fluid_added_mass": {a + b: FLUID for i, a in enumerate("xyzpqr") for b in "xyzpqr"[i:]},
    "collision": {
        "@name": CONTACT,
        "pose": POSE,
        "geometry": read("one shape"),
        "density": read("kg/m³"),
        "auto_inertia_params": ignored("it is for meshes, which are refused"),
        "surface": CONTACT,
        "laser_retro": LOOKS,
        "max_contacts": CONTACT,
        "drake:proximity_properties": CONTACT,
    },
    "collision/geometry": {
        "empty": read("no mass"),
        "plane": read("no mass"),
        **dict.fromkeys(
            ("box", "sphere", "cylinder", "capsule", "ellipsoid", "cone"),
            read("a homogeneous solid about the origin of the pose, along its z-axis"),
        ),
        **dict.fromkeys(
            ("mesh", "heightmap", "polyline", "image"),
            refused("inertias are taken from simple solids only; write <mass> and <inertia> without auto"),
        ),
    },
    "collision/geometry/box": {"size": read("m")},
    "collision/geometry/sphere": {"radius": read("m")},
    "collision/geometry/cylinder": {"radius": read("m"), "length": read("m")},
    "collision/geometry/cone": {"radius": read("m"), "length": read("m")},
    "collision/geometry/capsule": {"radius": read("m"), "length": read("that of the cylinder alone (m)")},
    "collision/geometry/ellipsoid": {"radii": read("m")},
    "pose": {
        "@relative_to": read(
            "the frame in which the numbers are; a link's, a frame's and a model's is that of the model around it"
        ),
        "@rotation_format": read('"euler_rpy" for six numbers, or "quat_xyzw" for seven'),
        "@degrees": read('"true" for angles in degrees'),
    },
    "frame": {
        "@name": NAME,
        "@attached_to": read("a frame, link, joint or model; the model around it, if it is left out"),
        "pose": POSE,
    },
    "joint": {
        "@name": NAME,
        "@type": read("continuous, revolute, prismatic, screw, universal, revolute2, ball, fixed or gearbox; required"),
        "parent": read("a frame, or world; required"),
        "child": read("a frame; required"),
        "pose": read("where the joint is; relative to the child, if nothing else is said"),
        "axis": read("required for all types but ball and fixed"),
        "axis2": read("required for universal, revolute2 and gearbox"),
        "thread_pitch": read("of screw joints without <screw_thread_pitch>: rad/m, positive for a left-handed thread"),
        "screw_thread_pitch": read("of screw joints: m/revolution, positive for a right-handed thread; 1 if both are left out"),
        "gearbox_ratio": read("the child turns by -gearbox_ratio times the angle of the parent; 1 if it is left out"),
        "gearbox_reference_body": read(
            "the link relative to which both angles are measured; revolute joints hold both links on it"
        ),
        "physics": SIMULATOR,
        "sensor": SENSOR,
        "drake:rotor_inertia": read("of Drake: rotor inertia before the gears (kg m²), unless the effort limit is 0"),
        "drake:gear_ratio": read("of Drake: 1 if it is left out; the rotor inertia is multiplied by its square"),
        "drake:mimic": read("of Drake: another joint that this one follows; with ignore_mimic it moves on its own"),
        "drake:controller_gains": ignored("it describes motors and their control"),
    },
    "joint/axis": {
        "xyz": read("a direction of any length but zero; 0 0 1 if it is left out"),
        "dynamics": read("damping, friction and a spring"),
        "limit": read("nothing but whether the effort limit is 0"),
        "mimic": read("another joint that this one follows; with ignore_mimic it moves on its own"),
        "initial_position": STATE,
        "use_parent_model_frame": read('of versions before 1.7: "true" expresses the axis in the model\'s frame'),
    },
    "joint/axis/xyz": {"@expressed_in": read("the frame in which the numbers are; the joint's if it is left out")},
    "joint/axis/dynamics": {
        "damping": read("viscous damping (N m s/rad or N s/m)"),
        "friction": read("Coulomb friction (N m or N)"),
        "spring_stiffness": read("of a spring (N m/rad or N/m)"),
        "spring_reference": read("the position in which the spring has no force (rad or m)"),
    },
    "joint/axis/limit": {
        "effort": read("0 says that the joint has no motor"),
        **dict.fromkeys(("lower", "upper", "velocity", "stiffness", "dissipation", "drake:acceleration"), LIMIT),
    },
    "joint/axis/mimic": {
        "@joint": read("the joint that is mimicked"),
        "@axis": read('"axis" if it is left out; a second axis cannot be followed'),
        "multiplier": read("1 if it is left out"),
        "offset": read("0 if it is left out"),
        "reference": read("position = multiplier (position of the other - reference) + offset; 0 if it is left out"),
    },
    "joint/drake:mimic": {
        "@joint": read("the joint that is mimicked"),
        "@multiplier": read("required"),
        "@offset": read("required"),
    },
}
"""By path, attributes with @ and child elements: what the reader does with them. A path begins at an element that occurs in
several places, or at the document's. Elements without a path of their own are not looked into."""

VOCABULARY = {**VOCABULARY, **{key.replace("axis", "axis2", 1): VOCABULARY[key] for key in VOCABULARY if "axis" in key}}

UNKNOWN = refused("the reader does not know it; remove it")

SEVERAL = ("model", "link", "joint", "frame", "include", "collision")
"""The elements that are read however often they occur; of any other, the second is refused."""


def require_known(element: Element, path: str, within: str = "") -> None:
    """Raises :class:`MechanismError` for whatever ``element`` has that is not understood, or that no mechanism has.

    ``within`` names what it is in.
    """
    parts, name = VOCABULARY[path], element.get("name", "")
    within = f"{element.tag} {name!r}: " if name else within
    where = "it" if name else f"<{element.tag}>"
    with naming(within.removesuffix(": "), element) if within else nullcontext():
        for key, text in element.attrib.items():
            _require(f"{where} has the attribute {one_line(key, 60)!r}", parts.get(f"@{key}", UNKNOWN), text, element)
        seen = set[str]()
        for child in element:
            part = parts.get(child.tag, UNKNOWN)
            _require(f"{where} has <{one_line(child.tag, 60)}>", part, child.text or "", child)
            if part.use == "read" and child.tag in seen and child.tag not in SEVERAL:
                raise MechanismError(f"{where} has a second <{child.tag}>; remove one", place_of(child))
            seen.add(child.tag)
    for child in element:
        below = next((p for p in (f"{path}/{child.tag}", child.tag) if p in VOCABULARY), "")
        # Shapes matter where inertias are taken from them: the reader of shapes looks into them then.
        if parts[child.tag].use == "read" and below and below != "collision":
            require_known(child, below, within)


def _require(what: str, part: Part, text: str, element: Element) -> None:
    if part.use == "refused" and not (part.unless and _is(part.unless, text)):
        value = f" {one_line(text.strip(), 60)}" if part.unless else ""
        raise MechanismError(f"{what}{value}, but {part.words}", place_of(element))


def _is(neutral: str, text: str) -> bool:
    if neutral != "0":
        return boolean(text, neutral == "true") == (neutral == "true")
    try:
        return all(exact(word) == 0 for word in text.split())
    except MechanismError:
        return False


def boolean(text: str | None, default: bool) -> bool:
    """A truth value as SDF writes it. Raises :class:`MechanismError` for other text."""
    words = {"true": True, "1": True, "false": False, "0": False, "": default}
    written = (text or "").strip(WHITESPACE).lower()
    if written not in words:
        raise MechanismError(f"{one_line(written, 60)!r} is neither true nor false; give one of them")
    return words[written]
