"""A mechanism: a tree of bodies joined by joints, frozen and validated."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from mechanisms.arrays import Arrays, arrays_of
from mechanisms.assembly import following, lump, parents_first, unique
from mechanisms.body import Body, Frame
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError, Places
from mechanisms.geometry import Placement
from mechanisms.hashed import hashed_once
from mechanisms.joint import Joint
from mechanisms.joint_forces import NO_DYNAMICS
from mechanisms.joint_kinds import Form
from mechanisms.numbers.exact import Vector, exact, exact_vector, require_moderate
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.source import Source

EARTH = (Fraction(0), Fraction(0), exact("-9.81"))
"""The default gravity (m/s²)."""


@hashed_once
@dataclass(frozen=True, repr=False)
class Mechanism:
    """A tree of bodies.

    ``bodies`` may be given in any order. They are sorted so that parents come first, and otherwise keep their order. A body
    outboard of a fixed joint is lumped exactly into the body that carries it, and becomes one of :attr:`frames`. Only a number of
    more than 2048 bits is rounded, to 512 significant bits: along a chain of welds, exact numbers grow without limit. A body
    fixed to the root does not move, and its mass enters no quantity. After construction every body of :attr:`bodies` moves.

    A mimic joint (:class:`mechanisms.mimic.Mimic`) has no part of q and of v of its own: its slices are its leader's. After
    construction every leader has a coordinate of its own.

    ``constraints`` close loops and hold contacts. They change none of the quantities of the tree; quantities of their own
    (:mod:`mechanisms.quantities`) are about the motion that they allow. After construction their frames are on bodies
    that move, or on the root.

    Raises :class:`MechanismError` for duplicate names, an unknown parent, a loop, a tree without a moving body, mimic joints
    that follow no joint with a coordinate, constraints on unknown bodies or with both frames on one body and,
    unless ``physical`` is False, for a moving body whose inertia no rigid body can have. Inertias are checked after
    lumping, because the dynamics uses the lumped ones. Use ``physical=False`` to check dynamics code on impossible inertias.

    ``read_from`` is the file that the mechanism was read from; :attr:`source` is that file while the mechanism is unchanged.
    ``written`` is what was given as ``bodies``, if some are welded; :attr:`unwelded` are those bodies while they are unchanged.

    ``places`` are those of its parts in that file, where a reader has them; they stay in this process.

    ``precision`` is that of the code that computes with the mechanism: its states are numbers of that precision, and the sizes of
    its quantities count that precision's roundings. The mechanism's own numbers stay exact, and code rounds them.
    """

    name: str
    bodies: tuple[Body, ...]
    gravity: Vector = EARTH
    root: str = "world"
    frames: tuple[Frame, ...] = ()
    physical: bool = True
    constraints: tuple[Constraint, ...] = ()
    read_from: Source | None = field(default=None, compare=False)
    written: tuple[Body, ...] = field(default=(), compare=False)
    precision: Precision = FLOAT64
    places: Places | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", exact_vector(self.gravity, 3, "gravity"))
        require_moderate(self.gravity, "gravity")
        bodies = parents_first(self.root, tuple(self.bodies))
        moving, frames, carriers = lump(self.root, bodies)
        if not moving:
            raise MechanismError(f"mechanism {self.name!r} has no joint that moves; give at least one")
        if any(body.joint.mimic for body in moving):
            moving = following(bodies, moving)
        given = tuple(self.frames)
        unique("frame", [self.root, *(b.name for b in moving), *(f.name for f in (*frames, *given))])
        if len(moving) < len(bodies):
            object.__setattr__(self, "written", bodies)
        object.__setattr__(self, "bodies", moving)
        object.__setattr__(self, "frames", (*given, *frames))
        carriers |= {frame.name: (moving[frame.body].name if frame.body >= 0 else self.root, frame.placement) for frame in given}
        unique("constraint", [constraint.name for constraint in self.constraints])
        object.__setattr__(self, "constraints", tuple(constraint.on(carriers) for constraint in self.constraints))
        for name, fault in self.faults.items() if self.physical else ():
            remedy = "correct it, or accept it with physical=False, unphysical:FILE on the command line"
            raise MechanismError(f"body {name!r} cannot exist, for {fault}; {remedy}", about=("body", name))

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {len(self.bodies)} bodies, nv {self.nv}>"

    @cached_property
    def faults(self) -> dict[str, str]:
        """Bodies whose inertia no rigid body can have, and why; empty unless ``physical`` is False."""
        return {body.name: body.inertia.fault for body in self.bodies if body.inertia.fault}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """λ: the index of every body's parent, -1 for the root; λ(i) < i."""
        index = {self.root: -1, **{body.name: i for i, body in enumerate(self.bodies)}}
        return tuple(index[body.parent] for body in self.bodies)

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """The body whose joint has the coordinates by which each body's joint moves: the body itself, but for mimic joints."""
        index = {body.joint.name: i for i, body in enumerate(self.bodies)}
        return tuple(index[body.joint.mimic.joint] if body.joint.mimic else i for i, body in enumerate(self.bodies))

    @cached_property
    def driven(self) -> tuple[Body, ...]:
        """The bodies whose joints have coordinates of their own: all but those of mimic joints. q and v are in their order."""
        return tuple(body for body in self.bodies if body.joint.mimic is None)

    @property
    def has_mimics(self) -> bool:
        """Whether a joint follows another."""
        return len(self.driven) < len(self.bodies)

    @cached_property
    def independent(self) -> Mechanism:
        """The same mechanism with every mimic joint moving on its own."""
        free = (dataclasses.replace(body, joint=dataclasses.replace(body.joint, mimic=None)) for body in self.bodies)
        return dataclasses.replace(self, bodies=tuple(free)) if self.has_mimics else self

    @cached_property
    def tree(self) -> Mechanism:
        """The same mechanism without its constraints."""
        return dataclasses.replace(self, constraints=()) if self.constraints else self

    def in_precision(self, precision: Precision) -> Mechanism:
        """The same mechanism for code that computes in this precision."""
        return self if self.precision == precision else dataclasses.replace(self, precision=precision)

    @cached_property
    def q_slices(self) -> tuple[slice, ...]:
        """The part of q that each joint moves by: its position or, for a mimic joint, its leader's."""
        return self._parts([body.joint.nq for body in self.bodies])

    @cached_property
    def v_slices(self) -> tuple[slice, ...]:
        """The part of v, a and τ that belongs to each joint; a mimic joint shares its leader's."""
        return self._parts([body.joint.nv for body in self.bodies])

    def _parts(self, widths: Sequence[int]) -> tuple[slice, ...]:
        """The part of a vector that belongs to each joint, of these widths; a mimic joint shares its leader's."""
        own = [0 if body.joint.mimic else width for body, width in zip(self.bodies, widths, strict=True)]
        parts = [slice(stop - width, stop) for stop, width in zip(accumulate(own), own, strict=True)]
        return tuple(parts[leader] for leader in self.leaders)

    def slots(self, form: Form) -> list[tuple[Joint, slice]]:
        """Every slot of this form that has a part of q of its own: its joint, and that part."""
        return [
            (body.joint, slice(q.start + slot.q.start, q.start + slot.q.stop))
            for body, q in zip(self.bodies, self.q_slices, strict=True)
            for slot in body.joint.slots
            if slot.form == form and body.joint.mimic is None
        ]

    @cached_property
    def lifted(self) -> Mechanism | None:
        """The tree of what gravity compensation lifts, whose joints have no forces; None if there is none.

        Forces that hold a mechanism against gravity are those without gravity compensation less those of this one.
        """
        if not any(body.is_lifted for body in self.bodies):
            return None
        joints = (dataclasses.replace(body.joint, **NO_DYNAMICS) for body in self.bodies)
        bodies = (Body(b.name, b.parent, joint, b.lifted) for b, joint in zip(self.bodies, joints, strict=True))
        return dataclasses.replace(self, bodies=tuple(bodies), constraints=(), frames=(), read_from=None, physical=False)

    @property
    def has_free_base(self) -> bool:
        """Whether one free joint, at the root's origin, carries all other bodies, so that it may be an engine's free base."""
        free = [body.joint for body in self.bodies if body.joint.kind == "free"]
        first = self.bodies[0].joint
        return free == [first] and self.parents.count(-1) == 1 and first.placement == Placement()

    @cached_property
    def nq(self) -> int:
        return sum(body.joint.nq for body in self.driven)

    @cached_property
    def nv(self) -> int:
        return sum(body.joint.nv for body in self.driven)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """A name for every component of v: the joint's, with the component's where the joint has several."""
        return _named([(body.joint, body.joint.description.velocity_names) for body in self.driven])

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """The same for every component of q."""
        return _named([(body.joint, body.joint.description.position_names) for body in self.driven])

    @cached_property
    def constrained_directions(self) -> tuple[str, ...]:
        """A name for every row of the constraint Jacobian: the constraint's, with the direction's."""
        return tuple(f"{constraint.name}.{direction}" for constraint in self.constraints for direction in constraint.directions)

    @cached_property
    def subtrees_without_inertia(self) -> tuple[str, ...]:
        """Joints without armature whose subtree has no mass, and which no joint with mass or armature follows: M is singular."""
        has_mass = [not body.inertia.is_massless for body in self.bodies]
        for i in reversed(range(len(self.bodies))):
            if self.parents[i] >= 0 and has_mass[i]:
                has_mass[self.parents[i]] = True
        resists = [mass or body.joint.armature != 0 for body, mass in zip(self.bodies, has_mass, strict=True)]
        for i, (body, leader) in enumerate(zip(self.bodies, self.leaders, strict=True)):
            if body.joint.mimic and resists[i] and body.joint.mimic.multiplier != 0:
                resists[leader] = True
        return tuple(
            body.joint.name for body, any_ in zip(self.bodies, resists, strict=True) if not any_ and body.joint.mimic is None
        )

    @cached_property
    def arrays(self) -> Arrays:
        """All data as plain float64 arrays; computed once."""
        return arrays_of(self.bodies, self.parents, self.leaders, self.gravity, self.root, self.constraints)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change whenever a number or a name of the mechanism changes."""
        mimics = tuple((body.name, body.joint.mimic) for body in self.bodies if body.joint.mimic)
        # Damping is among what the bodies say.
        forces = tuple(
            (body.name, *numbers.values())
            for body in self.bodies
            for name, numbers in body.joint.forces.items()
            if name != "damping"
        )
        lifted = tuple((body.name, body.lifted) for body in self.bodies if body.is_lifted)
        told = (self.bodies, self.gravity, self.root, self.frames, *mimics, *forces, *lifted, *self.constraints)
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]

    @cached_property
    def source(self) -> Source | None:
        """The file that this mechanism was read from. None if there is none, and if anything but the name was changed since."""
        return self.read_from if self.read_from and self.read_from.fingerprint == self.fingerprint else None

    @cached_property
    def links(self) -> tuple[Frame, ...]:
        """Every frame that has a name, but the root's: those of the bodies, and :attr:`frames`."""
        own = (Frame(body.name, body.joint.name, i, Placement()) for i, body in enumerate(self.bodies))
        return (*own, *self.frames)

    @cached_property
    def unwelded(self) -> tuple[Body, ...]:
        """The bodies as they were given, those outboard of fixed joints among them, parents first.

        They are :attr:`bodies` if nothing is welded, and if any body was changed after welding. Code that is compared with the
        truth can weld these itself.
        """
        if not self.written:
            return self.bodies
        try:
            moving, _, _ = lump(self.root, parents_first(self.root, self.written))
            welded = following(self.written, moving) if self.has_mimics else moving
        except MechanismError:
            # Another process may have sent anything.
            return self.bodies
        return self.written if welded == self.bodies else self.bodies

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader ignored in the file that the mechanism was read from, though it may matter; one sentence each."""
        return self.read_from.notes if self.read_from else ()

    @property
    def is_source_asked(self) -> bool:
        """Whether anybody has asked this object for its source."""
        return "source" in vars(self)


def _named(joints: Sequence[tuple[Joint, Sequence[str]]]) -> tuple[str, ...]:
    return tuple(f"{joint.name}.{part}" if part else joint.name for joint, parts in joints for part in parts)
