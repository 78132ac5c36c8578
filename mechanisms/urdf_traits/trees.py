"""Links, welds, and the shape of the tree."""

from __future__ import annotations

from mechanisms.reading import Mass
from mechanisms.urdf_traits.by_hand import about_x, about_z, seen, times, turned, welded
from mechanisms.urdf_traits.trait import (
    AXIS,
    CARRIED,
    HERE,
    NO_MASS,
    Trait,
    file,
    hinge,
    joint,
    link,
    refused,
    right,
    robot,
    weld,
)

ONE_BODY = "links on a fixed joint are one body: masses add, and inertias add about the common centre of mass"
ORDER = "links and joints are found by name; their order has no meaning"
TREE = "URDF's page on <joint>: links and joints form a tree"
STILL = "what is fixed to the root does not move, so its mass enters no motion"
NO_MASS_NEEDED = "URDF's page on <link>: <inertial> is optional"
NOTHING_MOVES = "a robot without moving joints has no equations of motion; a reader may give an empty model"

OWN = Mass(2.0, (0.1, 0.2, 0.3), CARRIED.inertia)
"""A link of the plain file, seen from its own frame."""

QUARTER = "1.5707963267948966"
TURNED_BOLT = f'<origin xyz="0.5 0 0" rpy="0 0 {QUARTER}"/>'
BOLTED = welded(CARRIED, seen(OWN, about_z(0, 1), (0.5, 0, 1)))
"""The arm with a second link on TURNED_BOLT, seen from the root."""

BASE, ARM, HINGE = link("base", ""), link("arm"), joint("hinge", "base", "arm")

ELBOW = joint("elbow", "arm", "hand", f'<origin xyz="0 0 1"/>{AXIS}')
"""A second joint, one metre above the hinge."""

SECOND = hinge("elbow", parent="hinge", origin=(0, 0, 2), carries=seen(OWN, about_z(1, 0), (0, 0, 2)))

TWO_WELDS = times(about_z(0, 1), about_x(0, 1))
ALONG = turned(about_z(0, 1), (0.2, 0, 0))

TRAITS: tuple[Trait, ...] = (
    right("two joints in a row", robot(BASE + ARM + link("hand") + HINGE + ELBOW), "the plainest chain", hinge(), SECOND),
    right("joints before links", robot(ELBOW + HINGE + link("hand") + ARM + BASE), ORDER, hinge(), SECOND),
    right("child before its parent", robot(link("hand") + ARM + BASE + ELBOW + HINGE), ORDER, hinge(), SECOND),
    right("root as the last link", robot(ARM + HINGE + BASE), ORDER, hinge()),
    right(
        "names that sort against the tree",
        robot(BASE + ARM + link("hand") + HINGE + ELBOW).replace("elbow", "a").replace("hinge", "z").replace("base", "zz"),
        ORDER,
        hinge("z"),
        hinge("a", parent="z", origin=(0, 0, 2), carries=SECOND.carries),
    ),
    right(
        "two branches",
        robot(BASE + ARM + link("hand") + HINGE + joint("other", "base", "hand", HERE + AXIS)),
        TREE,
        hinge(),
        hinge("other", origin=(0, 0, 0), carries=OWN),
    ),
    right(
        "weld at the end",
        robot(BASE + ARM + link("tool") + HINGE + weld("bolt", "arm", "tool", TURNED_BOLT)),
        ONE_BODY,
        hinge(carries=BOLTED),
    ),
    right(
        "weld in the middle",
        robot(
            BASE
            + ARM
            + link("plate")
            + link("hand")
            + HINGE
            + weld("bolt", "arm", "plate", TURNED_BOLT)
            + joint("elbow", "plate", "hand", HERE + AXIS)
        ),
        ONE_BODY,
        hinge(carries=BOLTED),
        hinge("elbow", parent="hinge", origin=(0.5, 0, 1), axis=(-1, 0, 0), carries=seen(OWN, about_z(0, 1), (0.5, 0, 1))),
    ),
    right(
        "weld at the root",
        robot(BASE + link("plinth") + ARM + weld("bolt", "base", "plinth", TURNED_BOLT) + joint("hinge", "plinth", "arm")),
        STILL,
        hinge(origin=(0.5, 0, 1), axis=(-1, 0, 0), carries=seen(OWN, about_z(0, 1), (0.5, 0, 1))),
    ),
    right(
        "welded root with mass",
        robot(link("base") + link("plinth") + ARM + weld("bolt", "base", "plinth") + joint("hinge", "plinth", "arm")),
        STILL,
        hinge(),
    ),
    right(
        "two turned welds in a row",
        robot(
            BASE
            + ARM
            + link("plate", "")
            + link("tool")
            + HINGE
            + weld("bolt", "arm", "plate", TURNED_BOLT)
            + weld("nut", "plate", "tool", f'<origin xyz="0.2 0 0" rpy="{QUARTER} 0 0"/>')
        ),
        ONE_BODY,
        hinge(carries=welded(CARRIED, seen(OWN, TWO_WELDS, (0.5 + ALONG[0], ALONG[1], 1 + ALONG[2])))),
    ),
    right(
        "two links welded to one",
        robot(
            BASE
            + ARM
            + link("left")
            + link("right")
            + HINGE
            + weld("a", "arm", "left", '<origin xyz="1 0 0"/>')
            + weld("b", "arm", "right", '<origin xyz="-1 0 0"/>')
        ),
        ONE_BODY,
        hinge(carries=welded(CARRIED, seen(OWN, about_z(1, 0), (1, 0, 1)), seen(OWN, about_z(1, 0), (-1, 0, 1)))),
    ),
    right(
        "weld before the link that carries it",
        robot(link("tool") + weld("bolt", "arm", "tool", TURNED_BOLT) + BASE + ARM + HINGE),
        ORDER,
        hinge(carries=BOLTED),
    ),
    right(
        "mass behind a weld alone",
        robot(BASE + link("arm", "") + link("tool") + HINGE + weld("bolt", "arm", "tool")),
        ONE_BODY,
        hinge(),
    ),
    right(
        "foot without mass",
        robot(BASE + ARM + link("foot", "") + HINGE + weld("bolt", "arm", "foot", '<origin xyz="0 0 1"/>')),
        NO_MASS_NEEDED,
        hinge(),
    ),
    right(
        "link without mass between two joints",
        robot(BASE + link("arm", "") + link("hand") + HINGE + ELBOW),
        NO_MASS_NEEDED,
        hinge(carries=NO_MASS),
        SECOND,
    ),
    right(
        "link without mass at the end",
        robot(BASE + ARM + link("hand", "") + HINGE + ELBOW),
        NO_MASS_NEEDED,
        hinge(),
        hinge("elbow", parent="hinge", origin=(0, 0, 2), carries=NO_MASS),
    ),
    right(
        "ball of three joints in one place",
        robot(
            BASE
            + link("a", "")
            + link("b", "")
            + link("c")
            + joint("x", "base", "a", HERE + '<axis xyz="1 0 0"/>')
            + joint("y", "a", "b", HERE + AXIS)
            + joint("z", "b", "c", HERE + '<axis xyz="0 0 1"/>')
        ),
        "joints may share a place",
        hinge("x", origin=(0, 0, 0), axis=(1, 0, 0), carries=NO_MASS),
        hinge("y", parent="x", origin=(0, 0, 0), carries=NO_MASS),
        hinge("z", parent="y", origin=(0, 0, 0), axis=(0, 0, 1), carries=OWN),
    ),
    refused("two roots", robot(BASE + ARM + HINGE + link("island")), TREE, "links 'base', 'island' have no parent"),
    refused("loop", robot(BASE + ARM + HINGE + joint("back", "arm", "base")), TREE, "links 'base', 'arm' form a loop"),
    refused(
        "loop beside the tree",
        robot(BASE + ARM + HINGE + link("x") + link("y") + joint("xy", "x", "y") + joint("yx", "y", "x")),
        TREE,
        "'x'",
    ),
    refused("joint from a link to itself", robot(BASE + ARM + HINGE + joint("self", "arm", "arm")), TREE, "link 'arm'"),
    refused(
        "link with two parents",
        robot(BASE + ARM + link("hand") + HINGE + ELBOW + joint("other", "base", "hand")),
        TREE,
        "link 'hand' is the child of joints 'elbow', 'other'",
    ),
    refused(
        "joint twice", robot(BASE + ARM + HINGE + HINGE), "names of joints are unique; urdfdom refuses it", "joint name 'hinge'"
    ),
    refused("link twice", robot(BASE + ARM + ARM + HINGE), "names of links are unique; urdfdom refuses it", "link name 'arm'"),
    refused(
        "two joints of one name",
        robot(BASE + ARM + link("hand") + HINGE + ELBOW.replace("elbow", "hinge")),
        "names of joints are unique; urdfdom refuses it",
        "joint name 'hinge'",
    ),
    refused("no links", robot(""), "urdfdom refuses a robot without links", "<robot> has no <link>"),
    right("one link and no joint", robot(ARM), NOTHING_MOVES, named="no joint that moves"),
    right("fixed joints alone", robot(BASE + ARM + weld("bolt", "base", "arm")), NOTHING_MOVES, named="no joint that moves"),
    right(
        "links and joints inside of an unknown element",
        file(more=f"  <group>{link('far', '')}{joint('near', 'arm', 'far')}</group>\n"),
        "links and joints are children of <robot>; urdfdom looks nowhere else",
        hinge(),
        may_refuse=True,
        aloud="<group>",
    ),
)
