"""The frames of a document of SDF: their names in scopes, what they are attached to, and where they are at position zero.

Every link, joint, <frame> and model has a frame, and so has the world. A pose is relative to another frame, so the frames are a
tree, whose root is the world's. Names are those of the frame's own scope, which is a model or the world, or of scopes within it:
``model::frame``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.sdf.documents import NAMED, text_of
from mechanisms.files.sdf.values import placement_of
from mechanisms.files.sdf.vocabulary import boolean
from mechanisms.files.untrusted_xml import attribute, naming, place_of
from mechanisms.geometry import Placement
from mechanisms.limits import MOST_XML_LEVELS

FAR = 50
"""Between frames that are further apart than so many poses, the placement is that of both in the world."""

MOST_NAMES = 4
"""The most frames of a ring that a message names."""

OWN = {"world": "world", "model": "__model__"}
"""What a scope calls its own frame."""


@dataclass(eq=False)
class Node:
    """The frame of ``element``. ``scope`` is where the names that it mentions are looked up; None for the world."""

    name: str
    """Its name in the world, model::frame."""
    element: Element
    scope: Scope | None
    inner: Scope | None = None
    """The scope whose own frame it is."""
    holder: Node | None = None
    """What its pose is relative to, if it is not said; without it, the frame of the scope, or what the element names."""
    depth_: int = -1
    world_: Placement | None = None
    carrier_: Node | None = None

    @property
    def root(self) -> Node:
        """The world's."""
        node = self
        while node.scope:
            node = node.scope.node
        return node

    @property
    def where(self) -> str:
        return f"{self.element.tag} {self.name!r}"

    def named(self, name: str, what: str) -> Node:
        """The frame that the element calls ``name``. Raises :class:`MechanismError` if there is none."""
        found = self.scope.find(name) if self.scope else None
        if found is None:
            message = f"{what} is {name!r}, which is no frame of {self.scope.node.where if self.scope else 'the world'}"
            raise MechanismError(f"{self.where}: {message}; correct the name", place_of(self.element))
        return found

    @cached_property
    def base(self) -> Node | None:
        """The frame that its pose is relative to; None for the world."""
        if self.scope is None:
            return None
        pose = self.element.find("pose")
        given = "" if pose is None else pose.get("relative_to", "")
        if not given and self.holder:
            return self.holder
        if not given and self.element.tag == "joint":
            return self.named(text_of(self.element, "child"), "its child")
        if not given and self.element.tag == "frame":
            given = self.element.get("attached_to", "")
        return self.named(given or self.scope.own, "relative_to of its pose")

    @cached_property
    def raw(self) -> Placement:
        """Its placement in :attr:`base`."""
        with naming(self.where, self.element):
            given = placement_of(self.element.find("pose"))
        placed = self.element.get("placement_frame", "")
        if self.inner and placed:
            frame = self.inner.find(placed)
            if frame is None or frame is self:
                message = f"{self.where}: its placement_frame {placed!r} is no frame of it; correct the name"
                raise MechanismError(message, place_of(self.element))
            return given @ between(self, frame).inverse()
        return given

    @property
    def depth(self) -> int:
        """How many frames its pose is relative to, one after the other, up to the world's."""
        chain: dict[Node, None] = {}
        node: Node | None = self
        while node is not None and node.depth_ < 0:
            if node in chain:
                ring = [*chain][[*chain].index(node) :]
                names = " → ".join(repr(one.name) for one in [*ring[:MOST_NAMES], node])
                raise MechanismError(
                    f"{self.where}: poses are relative to one another, {names}; give one of them another relative_to",
                    place_of(self.element),
                )
            chain[node] = None
            node = node.base
        depth = -1 if node is None else node.depth_
        for node in reversed(chain):
            node.depth_ = depth = depth + 1
        return self.depth_

    @property
    def world(self) -> Placement:
        """Its placement in the world; rounded behind long chains of poses."""
        chain, node = list[Node](), self
        while node.world_ is None and node.base:
            chain.append(node)
            node = node.base
        product = node.world_ or Placement()
        for node in reversed(chain):
            node.world_ = product = (product @ node.raw).shortened()
        return product

    @property
    def carrier(self) -> Node:
        """The link that moves the frame, or the world."""
        seen, node = dict[Node, None](), self
        while node.element.tag != "link" and node.scope is not None:
            if node in seen:
                raise MechanismError(f"{self.where}: it is attached to itself; correct attached_to", place_of(self.element))
            seen[node] = None
            node = node.carrier_ or node._attached
        for one in seen:
            one.carrier_ = node
        return node

    @property
    def _attached(self) -> Node:
        element, scope = self.element, self.scope
        assert scope
        if element.tag == "frame":
            return self.named(element.get("attached_to") or scope.own, "attached_to")
        if element.tag == "joint":
            return self.named(text_of(element, "child"), "its child")
        assert self.inner
        if self.inner.is_static:
            return self.root
        if canonical := element.get("canonical_link", ""):
            if (found := self.inner.find(canonical)) is None:
                message = f"{self.where}: its canonical_link {canonical!r} is no link of it; correct the name"
                raise MechanismError(message, place_of(element))
            return found
        links = [node for tag in ("link", "model") for node in self.inner.nodes.values() if node.element.tag == tag]
        if not links:
            raise MechanismError(f"{self.where} has no link; add one", place_of(element))
        return links[0]


@dataclass(eq=False)
class Scope:
    """The world or a model, and the frames in it by name."""

    node: Node
    own: str
    """What it calls its own frame."""
    is_static: bool
    nodes: dict[str, Node] = field(default_factory=dict)

    def find(self, name: str) -> Node | None:
        """The frame of this name, in this scope or those within it."""
        if name == self.own:
            return self.node
        if name in self.nodes:
            return self.nodes[name]
        head, _, rest = name.partition("::")
        inner = self.nodes[head].inner if head in self.nodes else None
        return inner.find(rest) if inner and rest else None

    def walk(self) -> Iterator[Node]:
        """All frames in it but its own, in the order of the document."""
        for node in self.nodes.values():
            yield node
            if node.inner:
                yield from node.inner.walk()


def scope_of(node: Node, is_static: bool) -> Scope:
    """The scope of a model or the world, with all scopes within it; ``is_static`` if what is around it does not move."""
    element = node.element
    fixed = is_static or (element.tag == "model" and boolean(text_of(element, "static", ""), False))
    scope = node.inner = Scope(node, OWN[element.tag], fixed)
    prefix = "" if node.scope is None else f"{node.name}::"
    # Before version 1.7, a joint or a frame may have the name of a link or a model.
    for tag in NAMED:
        for child in element.findall(tag):
            name = attribute(child, "name", f"a <{tag}>")
            with naming(f"{tag} {name!r}", child):
                _require_free(name, tag, scope)
            key = name if name not in scope.nodes else f"{name}_{tag}"
            scope.nodes[key] = Node(prefix + key, child, scope)
    order = {child: k for k, child in enumerate(element)}
    scope.nodes = dict(sorted(scope.nodes.items(), key=lambda one: order[one[1].element]))
    for inner in [node for node in scope.nodes.values() if node.element.tag == "model"]:
        if inner.name.count("::") > MOST_XML_LEVELS:
            raise MechanismError(f"{inner.where} is more than {MOST_XML_LEVELS} models deep; nest fewer", place_of(inner.element))
        scope_of(inner, fixed)
    return scope


def _require_free(name: str, tag: str, scope: Scope) -> None:
    if name == "world" or (name.startswith("__") and name.endswith("__") and len(name) > 3):
        raise MechanismError("the name is reserved; give another")
    found = scope.nodes.get(name)
    if found and (found.element.tag == tag or f"{name}_{tag}" in scope.nodes):
        raise MechanismError("the name is used twice; rename one")


def between(one: Node, other: Node) -> Placement:
    """The placement of the frame ``other`` in the frame ``one``, at position zero."""
    shared = _shared(one, other)
    if shared is None:
        return (one.world.inverse() @ other.world).shortened()
    up, down = _product(one, shared), _product(other, shared)
    whole = down or Placement()
    if up is not None:
        whole = (up.inverse() @ whole).shortened() if down else up.inverse()
    # Where turns cancel, the quaternion of the product is a number.
    return whole if any(whole.rotation.quaternion[1:]) else Placement(translation=whole.translation)


def _shared(one: Node, other: Node) -> Node | None:
    """The last frame that the poses of both are relative to; None if that is far."""
    for _ in range(FAR):
        if one is other:
            return one
        a, b = one.depth, other.depth
        one, other = (one.base or one if a >= b else one), (other.base or other if b >= a else other)
    return None


def _product(node: Node, shared: Node) -> Placement | None:
    """The placement of a frame in one that its pose is relative to; None if it is that one."""
    product: Placement | None = None
    while node is not shared and node.base:
        product = node.raw if product is None else (node.raw @ product).shortened()
        node = node.base
    return product
