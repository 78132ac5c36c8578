"""XML around the robot: encodings, comments, namespaces, foreign elements, versions."""

from __future__ import annotations

import re

from mechanisms.urdf_traits.trait import AT, AXIS, INERTIAL, Trait, file, hinge, link, refused, right

PLAIN = file()
XML = "XML 1.0 allows this"
NOT_WELL_FORMED = "XML 1.0: the document is not well-formed"
ENCODED = "XML 1.0, 4.3.3: parsers read UTF-8 and UTF-16, and others that they know, and refuse the rest"
NAMESPACES = "Namespaces in XML 1.0; urdfdom takes prefixes for parts of names"
DTD = "XML 1.0 allows a DTD; no URDF needs one, and parsers refuse them against attacks"
FOREIGN = "the element is another program's; urdfdom ignores it"
OTHER_FILES = "URDF includes no other file: what the file means depends on another"
XACRO = "xacro must be expanded first: what the file means depends on its macros"
VERSIONS = "urdfdom 6.0, model.cpp: versions 1.0 to 1.2 are read; others do not look at the version"
LOOKS = "looks do not enter the dynamics"

OLD_HINGE = '<joint name="ghost" type="revolute"><parent link="base"/><child link="arm"/></joint>'
UMLAUT = PLAIN.replace('name="r"', 'name="Rübe"').replace('"hinge"', '"Gelenk-ü"')


def declared(encoding: str, text: str = PLAIN) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'


def with_more(more: str, attributes: str = "") -> str:
    return file(more=f"  {more}\n", attributes=attributes)


def version(text: str) -> str:
    return file(attributes=f' version="{text}"')


def visual(inside: str) -> str:
    return file(inertial=f"<visual>{inside}</visual>{INERTIAL}")


XACRO_SPACE = ' xmlns:xacro="http://www.ros.org/wiki/xacro"'

TRAITS: tuple[Trait, ...] = (
    right("XML declaration", declared("UTF-8"), XML, hinge()),
    right("byte order mark of UTF-8", b"\xef\xbb\xbf" + declared("UTF-8").encode(), ENCODED, hinge()),
    right("UTF-16", declared("UTF-16", UMLAUT).encode("utf-16"), ENCODED, hinge("Gelenk-ü"), may_refuse=True),
    right("ISO-8859-1", declared("ISO-8859-1", UMLAUT).encode("latin-1"), ENCODED, hinge("Gelenk-ü"), may_refuse=True),
    right("windows-1252", declared("windows-1252", UMLAUT).encode("cp1252"), ENCODED, hinge("Gelenk-ü"), may_refuse=True),
    refused("unknown encoding", declared("klingon").encode(), ENCODED, "no XML"),
    refused("bytes that are not UTF-8", UMLAUT.encode("latin-1"), NOT_WELL_FORMED, "no XML"),
    right("comments", file(f"<!-- {OLD_HINGE} -->{AT}<!-- <axis xyz='1 0 0'/> -->{AXIS}", more="<!-- & < -->\n"), XML, hinge()),
    right("comment before the robot", f"<!-- made by hand -->\n{PLAIN}<!-- end -->\n", XML, hinge()),
    right("processing instruction before the robot", f"<?xml-model href='urdf.xsd'?>\n{PLAIN}", XML, hinge()),
    right("processing instruction inside of the robot", PLAIN.replace("<link", "<?go now?><link", 1), XML, hinge()),
    right("CDATA with elements", with_more(f"<gazebo><![CDATA[{OLD_HINGE}]]></gazebo>"), XML, hinge()),
    right("text between elements", file(more="  left over\n"), "text has no meaning in URDF", hinge()),
    right("single quotes", PLAIN.replace('"', "'"), XML, hinge()),
    right(
        "attributes in another order", PLAIN.replace('name="hinge" type="revolute"', 'type="revolute" name="hinge"'), XML, hinge()
    ),
    right("line ends inside of tags", re.sub(r" (?=\w+=)", "\n", PLAIN), XML, hinge()),
    right("end tags", PLAIN.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"></axis>'), XML, hinge()),
    right("one line", PLAIN.replace("\n", ""), XML, hinge()),
    right("namespace of URDF", file(attributes=' xmlns="http://www.ros.org"'), NAMESPACES, hinge()),
    right("namespaces that are not used", file(attributes=XACRO_SPACE + ' xmlns:gz="http://gz"'), NAMESPACES, hinge()),
    right(
        "prefix on every element",
        PLAIN.replace("</", "</u:")
        .replace("<", "<u:")
        .replace("<u:/u:", "</u:")
        .replace("<u:robot", '<u:robot xmlns:u="http://u"'),
        NAMESPACES,
        hinge(),
        may_refuse=True,
    ),
    right(
        "prefix without a namespace",
        with_more("<gz:plugin/>"),
        "Namespaces in XML 1.0 wants a declaration; XML 1.0 alone does not",
        hinge(),
        named="no XML",
    ),
    right(
        "element of another namespace in a joint",
        file(f'<d:axis xyz="1 0 0"/>{AT}{AXIS}', attributes=' xmlns:d="http://drake.mit.edu"'),
        FOREIGN,
        hinge(),
        may_refuse=True,
        aloud="axis> is ignored",
    ),
    right("DTD", f"<!DOCTYPE robot>\n{PLAIN}", DTD, hinge(), named="DTD"),
    right(
        "entity",
        '<!DOCTYPE robot [<!ENTITY up "0 0 1">]>\n' + PLAIN.replace('"0 0 1"', '"&up;"'),
        DTD,
        hinge(),
        named="DTD",
    ),
    refused(
        "entity of another file",
        '<!DOCTYPE robot [<!ENTITY more SYSTEM "file:///etc/hostname">]>\n' + PLAIN.replace("</robot>", "&more;</robot>"),
        OTHER_FILES,
        "DTD",
    ),
    refused("undefined entity", PLAIN.replace('"0 0 1"', '"&up;"'), NOT_WELL_FORMED, "no XML"),
    refused("text behind the robot", PLAIN + "the end", NOT_WELL_FORMED, "no XML"),
    refused("text before the robot", "robot: " + PLAIN, NOT_WELL_FORMED, "no XML"),
    refused("second robot", PLAIN + PLAIN, NOT_WELL_FORMED, "no XML"),
    refused("end tag that is missing", PLAIN.replace("</robot>", ""), NOT_WELL_FORMED, "no XML"),
    refused("end tag of another element", PLAIN.replace("</joint>", "</link>"), NOT_WELL_FORMED, "no XML"),
    refused("attribute twice", PLAIN.replace('xyz="0 1 0"', 'xyz="0 1 0" xyz="1 0 0"'), NOT_WELL_FORMED, "no XML"),
    refused("attribute without quotes", PLAIN.replace('"revolute"', "revolute"), NOT_WELL_FORMED, "no XML"),
    refused("null character", PLAIN.replace('"hinge"', '"hin\0ge"'), NOT_WELL_FORMED, "no XML"),
    refused("control character", PLAIN.replace('"hinge"', '"hin\x01ge"'), NOT_WELL_FORMED, "no XML"),
    refused("nothing", "", NOT_WELL_FORMED, "no XML"),
    refused("SDF", '<sdf version="1.7"><model name="r"><link name="base"/></model></sdf>', "this is no URDF", "<sdf>"),
    refused("robot in capital letters", PLAIN.replace("robot", "Robot"), "XML tells capital letters apart", "<Robot>"),
    refused("robot inside of a robot", f'<robot name="outer">{PLAIN}</robot>', "the outer robot has no links", "no <link>"),
    *(right(f"version {text}", version(text), VERSIONS, hinge()) for text in ("1.0", "1.1", "1.2")),
    *(
        right(f"version {text or 'of nothing'}", version(text), VERSIONS, hinge(), named="version of <robot>")
        for text in ("1.3", "2.0", "1", "one", "")
    ),
    right("gazebo with links and joints", with_more(f"<gazebo>{OLD_HINGE}{link('ghost')}</gazebo>"), FOREIGN, hinge()),
    right("gazebo without gravity", with_more('<gazebo reference="arm"><gravity>0</gravity></gazebo>'), FOREIGN, hinge()),
    right(
        "gazebo with damping",
        with_more('<gazebo reference="hinge"><springStiffness>5</springStiffness></gazebo>'),
        FOREIGN,
        hinge(),
    ),
    right(
        "transmission",
        with_more(
            '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="hinge"/>'
            '<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>'
        ),
        FOREIGN,
        hinge(),
    ),
    right(
        "ros2_control", with_more('<ros2_control name="c" type="system"><joint name="ghost"/></ros2_control>'), FOREIGN, hinge()
    ),
    right("sensor", with_more('<sensor name="s"><parent link="arm"/><origin xyz="1 1 1"/></sensor>'), FOREIGN, hinge()),
    right("unknown element", with_more("<payload mass='5'/>"), FOREIGN, hinge(), may_refuse=True, aloud="<payload>"),
    right("unknown attribute of the robot", file(attributes=' units="mm"'), FOREIGN, hinge(), may_refuse=True, aloud="'units'"),
    refused("include of another file", with_more('<include filename="more.urdf"/>'), OTHER_FILES, "<include>"),
    refused(
        "XInclude of another file",
        with_more('<xi:include href="more.urdf"/>', ' xmlns:xi="http://www.w3.org/2001/XInclude"'),
        OTHER_FILES,
        "include",
    ),
    refused("include of xacro", with_more('<xacro:include filename="more.xacro"/>', XACRO_SPACE), XACRO, "xacro"),
    refused("macro of xacro", with_more('<xacro:arm prefix="left"/>', XACRO_SPACE), XACRO, "xacro"),
    refused("condition of xacro", file(f'{AT}{AXIS}<xacro:if value="1"/>', attributes=XACRO_SPACE), XACRO, "xacro"),
    right(
        "visual with a missing mesh", visual('<geometry><mesh filename="package://nowhere/a.stl"/></geometry>'), LOOKS, hinge()
    ),
    right(
        "visual with an undefined material",
        visual('<geometry><sphere radius="1"/></geometry><material name="m"/>'),
        LOOKS,
        hinge(),
    ),
    right("visual without geometry", visual(""), LOOKS, hinge(), may_refuse=True),
    right(
        "visual with a bad origin",
        visual('<origin xyz="x"/><geometry><sphere radius="1"/></geometry>'),
        LOOKS,
        hinge(),
        may_refuse=True,
    ),
    right(
        "capsule in version 1.1",
        file(
            inertial=f'<collision><geometry><capsule radius="1" length="2"/></geometry></collision>{INERTIAL}',
            attributes=' version="1.1"',
        ),
        LOOKS,
        hinge(),
    ),
    right("material", with_more('<material name="red"><color rgba="1 0 0 1"/></material>'), LOOKS, hinge()),
    right("plain file", PLAIN, "nothing is special about it", hinge()),
)
