"""The tree of a document's links and joints: bodies in the order of the document, and constraints where joints close loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from mechanisms.body import Body
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.sdf.documents import text_of
from mechanisms.files.sdf.frames import Node, Scope, between
from mechanisms.files.sdf.joints import GEARBOX, closed_by, geared, joints_of, type_of, with_mimic
from mechanisms.files.sdf.shapes import inertia_of
from mechanisms.files.sdf.vocabulary import boolean
from mechanisms.files.untrusted_xml import naming
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.limits import MOST_BODIES, MOST_FRAMES, MOST_LINKS
from mechanisms.mimic import Mimic
from mechanisms.reading import ROOT_JOINT

Edge = tuple[Node, Node, Node]
"""A joint, and the links, or the world, that are its parent and its child."""


class Tree:
    """What a document describes; names are those of the world's scope."""

    def __init__(self, world: Scope, ignore_mimic: bool) -> None:
        self._world = world.node
        nodes = list(world.walk())
        self._links = [node for node in nodes if node.element.tag == "link"]
        if len(nodes) > MOST_FRAMES or len(self._links) > MOST_LINKS:
            most = f"{MOST_LINKS} links, and {MOST_FRAMES} links, joints, frames and models together"
            raise MechanismError(f"it has {len(self._links)} links; give {most} at most")
        for node in nodes:
            # What is wrong in a frame is said, whether anything moves with it or not.
            _ = node.depth, node.raw, node.carrier
        joints = [node for node in nodes if node.element.tag == "joint"]
        edges = [edge for edge in map(self._edge, joints) if edge]
        if sum(type_of(joint) != "fixed" for joint in joints) > MOST_BODIES:
            raise MechanismError(f"it has more than {MOST_BODIES} joints that move; give fewer")
        boxes = {} if ignore_mimic else self._gears([node for node in joints if type_of(node) == GEARBOX], edges)
        kept, closing, _ = _spanning(edges)
        *_, rigid = _spanning([edge for edge in kept if type_of(edge[0]) == "fixed"])
        self.bodies = [*self._bodies(kept, boxes, ignore_mimic), *self._frames(nodes)]
        # Between links of one rigid body, a joint does not move, and constrains nothing.
        self.constraints = [self._constraint(edge) for edge in closing if _top(rigid, edge[1]) is not _top(rigid, edge[2])]

    def _edge(self, node: Node) -> Edge | None:
        with naming(node.where, node.element):
            if type_of(node) == GEARBOX:
                return None
            parent, child = (text_of(node.element, end) for end in ("parent", "child"))
            if child == "world":
                raise MechanismError("its child is the world; swap parent and child")
            ends = [self._world if name == "world" else node.named(name, "its parent or child") for name in (parent, child)]
            first, second = (self._body(end.carrier) for end in ends)
            if first is second and first is not self._world:
                raise MechanismError(f"its parent and its child are on one link, {first.name!r}; give two")
        return None if first is second else (node, first, second)

    def _body(self, carrier: Node) -> Node:
        """The link that moves, or the world."""
        return self._world if carrier.scope and carrier.scope.is_static else carrier

    def _gears(self, boxes: list[Node], edges: list[Edge]) -> dict[Node, Mimic]:
        found: dict[Node, Mimic] = {}
        for box in boxes:
            with naming(box.where, box.element):
                follower, mimic = geared(box, edges)
                if follower in found:
                    raise MechanismError(f"joint {follower.name!r} is in another gearbox; remove one")
                found[follower] = mimic
        return found

    def _inboard(self, kept: list[Edge]) -> dict[Node, tuple[Node, Node, bool]]:
        """By link: the joint that carries it, the link inboard of it, and whether the parent moves on the child there."""
        ways: dict[Node, list[tuple[Node, Node, bool]]] = defaultdict(list)
        for joint, parent, child in kept:
            ways[parent].append((joint, child, False))
            ways[child].append((joint, parent, True))
        children, found = {child for *_, child in kept}, dict[Node, tuple[Node, Node, bool]]()
        seen = {self._world}
        # Of links that hang together and not on the world, one that is no child is the base, or else the first one.
        for base in [self._world, *sorted(self._links, key=lambda link: link in children)]:
            waiting = [base] if base is self._world or base not in seen else []
            while waiting:
                node = waiting.pop()
                seen.add(node)
                for joint, other, is_turned in ways[node]:
                    if other not in seen:
                        found[other] = joint, node, is_turned
                        waiting.append(other)
        return found

    def _bodies(self, kept: list[Edge], boxes: dict[Node, Mimic], ignore_mimic: bool) -> Iterator[Body]:
        inboard = self._inboard(kept)
        free = {link for link in self._links if link not in inboard and self._body(link) is link}
        for link in self._links:
            with naming(link.where, link.element):
                if self._body(link) is self._world:
                    yield Body(link.name, self._world.name, _weld(link.name, between(self._world, link)))
                    continue
                carried = _carried(link)
                if link in free:
                    name = ROOT_JOINT if len(free) == 1 else link.name
                    yield Body(link.name, self._world.name, Joint(name, "free"), *carried)
                    continue
            node, carrier, is_turned = inboard[link]
            with naming(node.where, node.element):
                joints = joints_of(node, between(carrier, node), is_turned, ignore_mimic)
                if node in boxes:
                    joints[0] = with_mimic(joints[0], boxes[node])
                to = between(node, link)
                if joints[0].kind == "fixed":
                    yield Body(link.name, carrier.name, _weld(node.name, between(carrier, link)), *carried)
                    continue
                own = "" if to == Placement() else node.name
                names = [*(joint.name for joint in joints[:-1]), own or link.name]
                for joint, name, parent in zip(joints, names, [carrier.name, *names], strict=False):
                    yield Body(name, parent, joint, *(() if own or name != link.name else carried))
                if own:
                    yield Body(link.name, own, _weld(link.name, to), *carried)

    def _frames(self, nodes: list[Node]) -> Iterator[Body]:
        for node in nodes:
            if node.element.tag == "frame":
                carrier = self._body(node.carrier)
                yield Body(node.name, carrier.name, _weld(node.name, between(carrier, node)))

    def _constraint(self, edge: Edge) -> Constraint:
        node, *ends = edge
        with naming(node.where, node.element):
            parent, child = ((end.name, between(end, node)) for end in ends)
            return closed_by(node, parent, child)


def _spanning(edges: list[Edge]) -> tuple[list[Edge], list[Edge], dict[Node, Node]]:
    """The joints of the tree, those that close loops, which come later in the document, and what hangs together."""
    kept, closing = list[Edge](), list[Edge]()
    above: dict[Node, Node] = {}
    for edge in edges:
        one, other = (_top(above, end) for end in edge[1:])
        (closing if one is other else kept).append(edge)
        if one is not other:
            above[other] = one
    return kept, closing, above


def _top(above: dict[Node, Node], node: Node) -> Node:
    """One and the same for all that hang together."""
    while node in above:
        # Every other step is left out from now on, which keeps the ways short.
        above[node] = node = above.get(above[node], above[node])
    return node


def _carried(link: Node) -> tuple[Inertia, ...]:
    """The inertia of a link, and what is lifted of it: all of a link that gravity does not move."""
    inertia = inertia_of(link.element, lambda collision: between(link, Node("", collision, link.scope, holder=link)))
    return (inertia,) if boolean(link.element.findtext("gravity"), True) else (inertia, inertia)


def _weld(name: str, placement: Placement) -> Joint:
    return Joint(name, "fixed", placement=placement)
