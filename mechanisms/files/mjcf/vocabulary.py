"""Every element and attribute of MJCF, declared once: what the reader does with it, and why.

Nothing is dropped in silence: what is not declared here is refused, as MuJoCo refuses it. ``docs/mjcf.md`` shows this table;
``python docs/write_mjcf.py`` writes the page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.words import values
from mechanisms.files.untrusted_xml import place_of
from mechanisms.files.urdf.vocabulary import CONTACT, LIMIT, LOOKS, MOTORS, SIMULATOR, Part, ignored, read

NOT_LINEAR = Part("refused unless zero", "only linear springs and dampers with coefficients are read; set it to 0")
GRAVITY_COMPENSATION = Part("refused unless zero", "gravity compensation is not read yet; set it to 0")
FLUID = Part("refused unless zero", "forces of a fluid are not read; set it to 0")
TENDON = Part("refused unless zero", "forces of tendons are not read; set it to 0")
MUSCLE = Part("refused", "muscles are not read; remove it")
SOFT = Part("refused", "soft bodies are not read; remove it")
PLUGIN = Part("refused", "forces and shapes of plugins are not read; remove it")
SENSORS = ignored("a sensor has no mass of its own")
USER = ignored("it is for the user's own code")
FORMAT = ignored("it does not change what the file describes")

NAME = read("unique among its kind; one is made if it is left out")
CLASS = read("the class of defaults, in the place of the enclosing childclass")
CHILDCLASS = read("the class of defaults for what is inside and names none")


def of(part: Part, names: str) -> dict[str, Part]:
    """The same treatment for several attributes and elements."""
    return dict.fromkeys(names.split(), part)


POSITION = read("three numbers (m); 0 0 0 if it is left out")
ORIENTATION = of(
    read("the orientation; at most one of quat, axisangle, euler, xyaxes and zaxis"), "@quat @axisangle @euler @xyaxes @zaxis"
)
PLACEMENT = {"@pos": POSITION, **ORIENTATION}
SOLVER = of(SIMULATOR, "@solref @solimp")

GEOM_CONTACT = "@contype @conaffinity @condim @priority @friction @solmix @margin @gap @surfacevel @adhesion"
ACTUATOR = {
    **of(
        MOTORS,
        "@name @class @group @nsample @interp @delay @ctrlrange @ctrllimited @forcerange @forcelimited @lengthrange @cranklength "
        "@slidersite @cranksite @site @refsite @body @input @kp @kv @ki @imax @slewmax @posrange @velrange @ffrange @dampratio "
        "@timeconst @inheritrange @actdim @actearly @actlimited @actrange @dyntype @dynprm @gaintype @gainprm @biastype @biasprm "
        "@gain @area @diameter @bias @motorconst @resistance @inductance @nominal @saturation @thermal @controller",
    ),
    **of(USER, "@user"),
    "@joint": read("the joint that armature and damping act on"),
    "@jointinparent": read("the same as joint, for joints with one velocity"),
    "@tendon": MOTORS,
    "@gear": read("armature and damping act gear² times; 1 if it is left out"),
    "@armature": read("rotor inertia at the motor (kg m² or kg); only of a hinge or slide joint"),
    "@damping": read("damping at the motor; only of a hinge or slide joint"),
    **of(Part("refused unless zero", "friction inside of a motor is not read; set it to 0"), "@cogging @lugre"),
}
ACTUATORS = "general motor position velocity intvelocity orientation pid damper cylinder adhesion dcmotor"

TENDONS = {
    **of(
        ignored("a tendon without stiffness, damping, friction and armature changes no dynamics of the tree"),
        "@name @class @limited @range @actuatorfrclimited @actuatorfrcrange @solreflimit @solimplimit @solreffriction "
        "@solimpfriction @margin @springlength @springyield",
    ),
    **of(LOOKS, "@group @width @material @rgba"),
    **of(USER, "@user"),
    **of(TENDON, "@stiffness @damping @frictionloss @armature"),
    **of(ignored("the path of a tendon"), "site geom pulley joint"),
}

EQUALITY = {"@name": NAME, "@class": CLASS, "@active": read("false leaves the constraint out; true if it is left out"), **SOLVER}
SITES = of(read("the sites that stay together, in the place of bodies"), "@site1 @site2")
BODIES = {"@body1": read("a body"), "@body2": read("the other body; the world if it is left out")}

INSIDE = {
    "joint": read("a joint of the body; several make their motions one after the other"),
    "freejoint": read("a free joint, without defaults"),
    "geom": read("mass and inertia come from the geoms of a body without <inertial>"),
    "site": read("a frame that equality constraints name"),
    "body": read("a body; without a joint it is welded to its parent"),
    "frame": read("a placement of what is inside"),
    "replicate": read("copies of what is inside"),
    "inertial": read("mass and inertia"),
    "camera": LOOKS,
    "light": LOOKS,
    "attach": Part("refused", "models are not attached; include the elements instead"),
    "composite": Part("refused", "MuJoCo 4 has no composite bodies; write the bodies"),
    "flexcomp": SOFT,
    "plugin": PLUGIN,
}

VOCABULARY: Mapping[str, Mapping[str, Part]] = {
    "mujoco": {
        "@model": read('the name of the mechanism; "MuJoCo Model" if it is left out'),
        **of(read("see below"), "compiler option default asset worldbody equality tendon actuator deformable"),
        **of(SIMULATOR, "size statistic"),
        **of(LOOKS, "visual"),
        **of(CONTACT, "contact"),
        **of(SENSORS, "sensor"),
        **of(USER, "custom"),
        "keyframe": ignored("it describes states"),
        "extension": ignored("plugins are refused where they are used"),
    },
    "include": {"@file": read("a file, relative to the model's folder or to that of the file that includes it; see above")},
    "compiler": {
        "@angle": read('"degree" or "radian"; degree if it is left out'),
        "@eulerseq": read("three of x y z X Y Z; xyz if it is left out"),
        "@coordinate": read('"local"; "global" is refused, as by MuJoCo'),
        "@inertiafromgeom": read(
            '"auto" takes the inertia of bodies without <inertial> from geoms, "true" of all, "false" of none'
        ),
        "@inertiagrouprange": read("the groups of geoms that have inertia; 0 5 if it is left out"),
        "@balanceinertia": read("moments of inertia that no body can have become their mean"),
        "@boundmass": read("the least mass of a body (kg); 0 if it is left out"),
        "@boundinertia": read("the least principal moment of inertia of a body (kg m²); 0 if it is left out"),
        "@settotalmass": read("all masses and inertias are scaled to this total mass, if it is positive"),
        "@fusestatic": read("welds are the same with it; together with settotalmass, static bodies do not count"),
        "@strippath": read("folders in names of mesh files are left out"),
        "@meshdir": read("the folder of mesh files"),
        "@assetdir": read("the folder of mesh files, if there is no meshdir"),
        "@alignfree": read("true is refused: it turns the frames of free bodies to their principal axes"),
        "@fitaabb": ignored("it describes primitives that are fitted to a mesh, which are refused where they have mass"),
        "@discardvisual": ignored("inertia is computed before geoms are discarded"),
        "@autolimits": LIMIT,
        "@texturedir": LOOKS,
        **of(FORMAT, "@usethread @saveinertial @savecompiled @savecanonical @conflict @passthrough"),
        "lengthrange": MOTORS,
    },
    "option": {
        "@gravity": read("three numbers (m/s²); 0 0 -9.81 if it is left out"),
        **of(FLUID, "@density @viscosity"),
        "@wind": ignored("there is no force of a fluid without density and viscosity"),
        **of(
            SIMULATOR,
            "@timestep @impratio @tolerance @ls_tolerance @noslip_tolerance @ccd_tolerance @sleep_tolerance @magnetic @o_margin "
            "@o_solref @o_solimp @o_friction @integrator @cone @jacobian @solver @iterations @ls_iterations @noslip_iterations "
            "@ccd_iterations @sdf_iterations @sdf_initpoints @actuatorgroupdisable",
        ),
        "flag": read("what is enabled"),
    },
    "flag": {
        "@gravity": read('"disable" makes gravity zero'),
        "@damper": read('"disable" makes damping zero'),
        "@spring": read('"disable" makes stiffness zero'),
        "@frictionloss": read('"disable" makes Coulomb friction zero'),
        **of(read('"disable" leaves equality constraints out'), "@equality @constraint"),
        **of(
            SIMULATOR,
            "@limit @contact @clampctrl @warmstart @filterparent @actuation @refsafe @sensor @midphase @eulerdamp @autoreset "
            "@nativeccd @island @multiccd @override @energy @fwdinv @invdiscrete @sleep @diagexact @ipc @speculative",
        ),
    },
    "default": {
        "@class": read('the name of the class; "main" or nothing at the top'),
        **of(read("defaults of these elements"), f"default joint geom site mesh equality tendon {ACTUATORS}"),
        "muscle": ignored("muscles are refused where they are used"),
        **of(LOOKS, "texture material camera light"),
        "pair": CONTACT,
    },
    "asset": {
        "mesh": read("a mesh; its file is opened only if the inertia of a body comes from it"),
        **of(LOOKS, "texture material skin"),
        "hfield": CONTACT,
        "model": Part("refused", "models are not attached; include the elements instead"),
    },
    "mesh": {
        "@name": read("the file's name without its ending if it is left out"),
        "@class": CLASS,
        "@file": read("STL, OBJ or MSH; see above"),
        "@content_type": read("the format of the file; by its ending if it is left out"),
        "@vertex": read("the coordinates of the vertices, in the place of a file"),
        "@face": read("three indices of vertices for each face; a mesh without faces is refused if it has mass"),
        "@scale": read("three numbers; 1 1 1 if it is left out"),
        "@refpos": read("this point becomes the origin (m)"),
        "@refquat": read("this orientation becomes the axes"),
        "@inertia": read('"exact", "legacy" or "shell"; legacy if it is left out; "convex" is refused if it has mass'),
        "@builtin": read("shapes of this kind are refused if they have mass"),
        **of(LOOKS, "@params @normal @texcoord @smoothnormal @material"),
        "@maxhullvert": CONTACT,
        "plugin": PLUGIN,
    },
    "worldbody": {name: part for name, part in INSIDE.items() if name not in ("joint", "freejoint", "inertial")},
    "body": {
        "@name": NAME,
        "@childclass": CHILDCLASS,
        **PLACEMENT,
        "@mocap": read("it stays where it is, as other bodies without a joint"),
        "@gravcomp": GRAVITY_COMPENSATION,
        **of(SIMULATOR, "@sleep @simple @fuse"),
        "@user": USER,
        **INSIDE,
    },
    "frame": {
        "@name": read("the name of the welds of bodies right in it, which have no name of their own"),
        "@childclass": CHILDCLASS,
        **PLACEMENT,
        **INSIDE,
    },
    "replicate": {
        "@count": read("how many copies"),
        "@sep": read("what stands between a name and the number of the copy"),
        "@offset": read("the translation from one copy to the next (m)"),
        "@euler": read("the rotation from one copy to the next"),
        "@childclass": CHILDCLASS,
        **INSIDE,
    },
    "inertial": {
        **PLACEMENT,
        "@pos": read("the centre of mass (m); required"),
        "@mass": read("the mass (kg); required"),
        "@diaginertia": read("three moments of inertia (kg m²); 0 0 0 if it is left out"),
        "@fullinertia": read("xx yy zz xy xz yz of the matrix of inertia (kg m²), without an orientation"),
    },
    "joint": {
        "@name": read("unique among the joints; the body's if it is left out, with a number if the body has several joints"),
        "@class": CLASS,
        "@type": read("hinge, slide, ball or free; hinge if it is left out"),
        "@pos": read("the joint's position in the body (m); 0 0 0 if it is left out"),
        "@axis": read("three numbers, of any length but zero; 0 0 1 if it is left out; ball and free joints have none"),
        "@ref": read("the position in which the file shows a hinge or slide joint; 0 if it is left out"),
        "@armature": read("rotor inertia seen at the joint (kg m² or kg); only of hinge and slide joints"),
        "@damping": read("viscous damping; only of hinge and slide joints, and only linear"),
        "@stiffness": read("of a spring; only of hinge and slide joints, and only linear"),
        "@springref": read("the position in which the spring has no force; 0 if it is left out"),
        **of(NOT_LINEAR, "@springdamper @springyield"),
        "@frictionloss": read("Coulomb friction; only of hinge and slide joints"),
        **of(LIMIT, "@limited @range @margin @solreflimit @solimplimit @solreffriction @solimpfriction"),
        **of(MOTORS, "@actuatorfrclimited @actuatorfrcrange @actuatorgravcomp"),
        "@group": LOOKS,
        "@user": USER,
    },
    "joint with several velocities": of(
        Part("refused unless zero", "only hinge and slide joints may; set it to 0"), "@armature @damping @stiffness @frictionloss"
    ),
    "freejoint": {
        "@name": read("unique among the joints; the body's if it is left out"),
        "@align": read("true is refused: it turns the body's frame to its principal axes"),
        "@group": LOOKS,
    },
    "geom": {
        "@name": FORMAT,
        "@class": CLASS,
        "@type": read("plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh or sdf; sphere if it is left out"),
        "@size": read("radius, half length or half sides (m)"),
        "@fromto": read("two ends, in the place of a half length and a placement (m)"),
        **PLACEMENT,
        "@mass": read("the mass (kg), in the place of density"),
        "@density": read("kg/m³, or kg/m² of a shell; 1000 if it is left out"),
        "@shellinertia": read("the mass is on the surface; refused for an ellipsoid"),
        "@group": read("see inertiagrouprange; 0 if it is left out"),
        "@mesh": read("the mesh of a geom of type mesh; a primitive that is fitted to a mesh is refused if it has mass"),
        "@fitscale": ignored("it describes primitives that are fitted to a mesh, which are refused where they have mass"),
        "@hfield": CONTACT,
        **of(CONTACT, GEOM_CONTACT),
        **SOLVER,
        **of(ignored("there is no force of a fluid without density and viscosity"), "@fluidshape @fluidcoef"),
        **of(LOOKS, "@material @rgba @castshadow"),
        "@user": USER,
        "plugin": PLUGIN,
    },
    "site": {
        "@name": read("what equality constraints name"),
        "@class": CLASS,
        **PLACEMENT,
        "@fromto": read("two ends, in the place of a placement (m)"),
        **of(LOOKS, "@type @group @material @size @rgba @mesh"),
        "@user": USER,
    },
    "equality": {
        "connect": read("two points stay together"),
        "weld": read("two frames stay together"),
        "joint": read("a joint follows another, as by URDF's mimic; with ignore_mimic it moves on its own"),
        **of(Part("refused", "constraints of tendons are not read; remove it"), "tendon"),
        **of(SOFT, "flex flexvert flexstrain"),
    },
    "default/equality": {"@active": EQUALITY["@active"], **SOLVER},
    "default/tendon": TENDONS,
    "equality/connect": {**EQUALITY, **BODIES, **SITES, "@anchor": read("the point, in the frame of body1 (m)")},
    "equality/weld": {
        **EQUALITY,
        **BODIES,
        **SITES,
        "@anchor": read("the point of body2 that relpose is about (m); 0 0 0 if it is left out"),
        "@relpose": read(
            "position and quaternion of body2 in body1; as the file shows them if the quaternion is zero or left out"
        ),
        "@torquescale": read("it weighs rotations; 0 is refused"),
    },
    "equality/joint": {
        **EQUALITY,
        "@joint1": read("the joint that follows"),
        "@joint2": read("the joint that leads; required"),
        "@polycoef": read("five coefficients; 0 1 0 0 0 if it is left out; those of degree two and more have to be zero"),
    },
    "tendon": of(read("see below"), "spatial fixed"),
    "spatial": TENDONS,
    "fixed": TENDONS,
    "actuator": {**of(read("only armature and damping: its force is part of τ"), f"{ACTUATORS} plugin"), "muscle": MUSCLE},
    **dict.fromkeys(ACTUATORS.split(), ACTUATOR),
    "actuator/plugin": {**ACTUATOR, **of(MOTORS, "@plugin @instance config")},
    "deformable": {"skin": LOOKS, "flex": SOFT},
}
"""By element, attributes with @ and child elements: what the reader does with them. Elements that stand for several things have
their parent's name in front. Elements without an entry are not looked into."""


def check(element: Element, key: str = "mujoco") -> None:
    """Raise :class:`MechanismError` for what is unknown or refused wherever it stands, with its place."""
    parts = VOCABULARY[key]
    for name in element.attrib:
        if f"@{name}" not in parts:
            raise MechanismError(
                f"<{element.tag[:40]}> has an attribute {name!r}, which MJCF does not have; remove it", place_of(element)
            )
    for child in element:
        part = parts.get(child.tag)
        if part is None:
            raise MechanismError(
                f"<{element.tag[:40]}> has <{child.tag[:40]}>, which MJCF does not have there; remove it", place_of(child)
            )
        if part.use == "refused":
            raise MechanismError(f"<{element.tag[:40]}> has <{child.tag[:40]}>, but {part.words}", place_of(child))
        if below := key_of(key, child.tag):
            check(child, below)


def key_of(parent: str, tag: str) -> str | None:
    """The entry of an element in the vocabulary; None if it is not looked into."""
    if VOCABULARY[parent][tag].use == "ignored":
        return None
    return next((key for key in (f"{parent}/{tag}", tag) if key in VOCABULARY), None)


def require_zero(element: Element, key: str, zero: Collection[str] = ()) -> None:
    """Raise :class:`MechanismError` if an attribute is not zero that has to be; ``zero`` names attributes that are disabled."""
    for name, part in VOCABULARY[key].items():
        attribute = name.removeprefix("@")
        counts = part.use == "refused unless zero" and attribute in element.attrib and attribute not in zero
        if counts and any(values(element, attribute)):
            raise MechanismError(f"it has {attribute}, but {part.words}", place_of(element))
