"""The names of robots, links and joints."""

from __future__ import annotations

from mechanisms.urdf_traits.trait import Trait, file, hinge, joint, link, refused, right, robot

ANY = "URDF limits no names: any text that XML allows in an attribute is one"
REQUIRED = "the name is required; urdfdom refuses the file, or leaves the element out"
SEPARATE = "links and joints have names of their own kind"
KEPT = "XML keeps spaces within an attribute; trimmed or not, the same name stands at the link and at the joint"


def called(arm: str, hinge_: str = "hinge", base: str = "base") -> str:
    """The plain file with other names, written as XML."""
    return robot(link(base, "") + link(arm) + joint(hinge_, base, arm))


JOINTS = {
    "spaces": ("main hinge", "main hinge"),
    "markup": ("&lt;b&gt;hinge&lt;/b&gt; &amp;amp;", "<b>hinge</b> &amp;"),
    "quotes": ("the &quot;hinge&apos;s&quot;", 'the "hinge\'s"'),
    "letters of other scripts": ("关节 Gelenk-Ü", "关节 Gelenk-Ü"),
    "an emoji": ("🦾", "🦾"),
    "slashes": ("robot/arm//hinge", "robot/arm//hinge"),
    "dots and colons": ("a.b:c::d", "a.b:c::d"),
    "brackets and percent": ("%s{0}[1]$x", "%s{0}[1]$x"),
    "digits alone": ("0", "0"),
    "four hundred letters": ("h" * 400, "h" * 400),
    "a reserved word": ("universe", "universe"),
    "the name of a free base": ("root_joint", "root_joint"),
    "a character reference": ("h&#105;nge", "hinge"),
}

TRAITS: tuple[Trait, ...] = (
    *(right(f"joint named with {what}", called("arm", text), ANY, hinge(name)) for what, (text, name) in JOINTS.items()),
    right("link named with spaces", called("upper arm"), ANY, hinge()),
    right("link named with markup", called("&lt;arm&gt;"), ANY, hinge()),
    right("link named with letters of other scripts", called("臂"), ANY, hinge()),
    right("root named world", called("arm", base="world"), ANY, hinge()),
    right("root named universe", called("arm", base="universe"), ANY, hinge()),
    right("moving link named world", called("world"), ANY, hinge()),
    right("moving link named universe", called("universe"), ANY, hinge()),
    right("link and joint of one name", called("hinge"), SEPARATE, hinge()),
    right("root and joint of one name", called("arm", base="hinge"), SEPARATE, hinge()),
    right(
        "names that differ in capital letters", called("ARM", "Hinge", "arm"), "XML tells capital letters apart", hinge("Hinge")
    ),
    right("link named with outer spaces", called(" arm "), KEPT, hinge()),
    refused(
        "link without a name",
        robot(link("base", "") + "  <link/>\n" + link("arm") + joint("hinge", "base", "arm")),
        REQUIRED,
        "a <link>",
    ),
    refused("link with an empty name", called("", base="base"), REQUIRED, "a <link>"),
    refused("joint without a name", file().replace(' name="hinge"', ""), REQUIRED, "a <joint>"),
    refused("robot without a name", file().replace(' name="r"', ""), REQUIRED, "<robot>"),
    right(
        "robot with an empty name",
        file().replace('name="r"', 'name=""'),
        "urdfdom allows an empty name",
        hinge(),
        named="<robot>",
    ),
)
