"""What one reader makes of a file, and why: its reading, its differences from ours, and the reasons.

What an engine should compute that has read a file follows from the numbers of its reading alone: :func:`rebuilt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cross_check.entry import Entry
from cross_check.read.readers.compare import compared_rows, differences, order_differs
from cross_check.read.readers.edited import File, Misread
from cross_check.read.readers.explain import Explained, alternatives, explain
from cross_check.read.readers.results import Element, Reader, Reason, Verdict
from implementations.plugins.registry import READERS
from implementations.processes.remote import Refusal, Remote
from implementations.protocol import Failure, Missing
from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, Rotation
from mechanisms.geometry import unit_vector
from mechanisms.joint_forces import JOINT_PARAMETERS
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.numbers.exact import exact
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Numbers, Reading, ReadJoint
from mechanisms.source import Source

LONGEST = 400
"""Characters of what an engine says."""


@dataclass(frozen=True)
class Read:
    """A reader, before what its engine computes is judged, and the mechanisms that it may have read."""

    entry: Entry
    reader: Reader
    mechanism: Mechanism | None = None
    """What it has read, in numbers of the file where these are its own; None if it is not known."""
    numbers: Mechanism | None = None
    """What it has read, in the numbers that it has itself; None where a reading does not say enough."""
    others: Callable[[], Iterator[tuple[Reason, Mechanism]]] = lambda: iter(())
    """Reasons that change the mechanism and nothing that readings show, and the mechanism with each. They cost a reading of the
    file for every hypothesis, and are wanted only where an engine computes something else."""


def reading_by(entry: Entry, text: str, form: Form, free_base: bool) -> Reading | Reader:
    """What the engine's reader makes of a file, with what it printed; its verdict if it makes nothing of it."""
    assert isinstance(entry.subject, Remote)
    try:
        reading, printed = entry.subject.read(text, form, free_base)
    except Refusal as refusal:
        return Reader(entry.name, entry.version, "refuses", one_line(str(refusal), LONGEST), said=_said(refusal.output))
    except (Failure, Missing) as failure:
        said = _said(getattr(failure, "output", ""))
        return Reader(entry.name, entry.version, "failed", one_line(str(failure), LONGEST), said=said)
    return replace(reading, said=(*reading.said, *_said(printed)))


def read_by(file: File, entry: Entry) -> Read:
    """What the engine's reader makes of the file, and what explains its differences from our reading."""
    reading = reading_by(entry, file.text, file.form, file.free_base)
    if isinstance(reading, Reader):
        return Read(entry, reading)
    reading = from_the_base(in_scope(file.reading, reading)) if file.form == "sdf" else reading
    found = differences(file.reading, reading)
    explained = explain(file, reading) if found else Explained((), (), ())
    verdict = _verdict(explained)
    reasons = tuple(_documented(_reason(file, one, explained, reading), one, entry) for one in explained.misread)
    known = verdict != "unknown"
    reader = Reader(
        entry.name,
        entry.version,
        verdict,
        reasons=reasons if known else (),
        partly=() if known else tuple(reason.sentence for reason in reasons),
        differences=found,
        remaining=explained.remaining,
        ruled_out=() if known else explained.ruled_out,
        compared=compared_rows(file.reading, reading),
        other_order=order_differs(file.reading, reading),
        said=reading.said,
    )
    if not known:
        return Read(entry, reader)
    # States are drawn for the coordinates in their order: in another order, a fault might not show.
    numbers = of_numbers(in_order_of(file.reading, reading), file.mechanism.root, file.mechanism.read_from, file.mechanism.bodies)
    mechanism = numbers if explained.remaining else file.mechanism_as(explained.misread)
    return Read(entry, reader, mechanism, numbers, partial(_hidden, file, explained))


def of_numbers(reading: Reading, root: str, source: Source | None, ours: Sequence[Body] = ()) -> Mechanism | None:
    """The mechanism of a reading's own numbers, with the file that the engine reads again.

    Springs and friction, of which readings say nothing or something else, are those of ``ours``. None if a reading does not say
    enough, as of where gravity compensation acts.
    """
    if any(body.is_lifted for body in ours):
        return None
    unsaid = [name for name in JOINT_PARAMETERS if name != "damping"]
    springs = {body.joint.name: {name: getattr(body.joint, name) for name in unsaid} for body in ours}
    try:
        mechanism = rebuilt(reading, root)
        bodies = (replace(body, joint=replace(body.joint, **springs.get(body.joint.name, {}))) for body in mechanism.bodies)
        mechanism = replace(mechanism, bodies=tuple(bodies))
    except MechanismError:
        return None
    return replace(mechanism, read_from=source and replace(source, fingerprint=mechanism.fingerprint))


def _verdict(explained: Explained) -> Verdict:
    if any(not difference.is_digits for difference in explained.remaining):
        return "unknown"
    verdicts: set[Verdict] = {misread.hypothesis.verdict for misread in explained.misread}
    if explained.remaining:
        verdicts.add("digits")
    return next((verdict for verdict in ("reading", "digits") if verdict in verdicts), "agrees")


def _reason(file: File, misread: Misread, explained: Explained, theirs: Reading) -> Reason:
    others = [one for one in explained.misread if one is not misread]
    left = {(difference.row, difference.joint) for difference in explained.remaining}
    again = [one for one in file.left(others, theirs) or () if (one.row, one.joint) not in left]
    rows = tuple(dict.fromkeys(difference.row for difference in again))
    joints = {difference.joint for difference in again}
    # Of joints only those that differ.
    elements = tuple((tag, name) for tag, name in misread.elements if tag == "link" or name in joints) or misread.elements
    return replace(_made(file, misread, elements, rows), alternatives=alternatives(file, explained, misread, theirs))


def _documented(reason: Reason, misread: Misread, entry: Entry) -> Reason:
    """The reason with the page about this reader, if there is one."""
    engine = READERS[entry.name].name if entry.name in READERS else entry.name
    return replace(reason, page=next((page for page in misread.hypothesis.pages if page.startswith(f"{engine}-")), ""))


def _hidden(file: File, explained: Explained) -> Iterator[tuple[Reason, Mechanism]]:
    """The hypotheses that no reading shows, beside those that explain it, and the mechanism with each."""
    for one in file.hidden:
        if (mechanism := file.mechanism_as([*explained.misread, one])) is not None:
            yield _made(file, one, one.elements, ()), mechanism


def _made(file: File, misread: Misread, elements: Sequence[tuple[str, str]], rows: tuple[str, ...]) -> Reason:
    placed = tuple(Element(tag, name, *file.places.get((tag, name), (0, 0))) for tag, name in elements)
    hypothesis = misread.hypothesis
    return Reason(hypothesis.sentence, hypothesis.remedy, hypothesis.verdict, placed, rows)


def _said(printed: str) -> tuple[str, ...]:
    return tuple(one_line(line, LONGEST) for line in printed.splitlines()[:20] if line.strip())


def rebuilt(reading: Reading, root: str) -> Mechanism:
    """The mechanism of a reading; every frame is parallel to the root's at position zero.

    Raises :class:`MechanismError` where a reading does not say enough: for joints with several coordinates, whose frame matters,
    but for a free joint that begins in the root's frame.
    """
    origins: dict[str, Numbers] = {"": (0.0, 0.0, 0.0), **{joint.name: joint.origin for joint in reading.joints}}
    bodies = tuple(_body(joint, origins, root) for joint in reading.joints)
    return Mechanism(reading.name, bodies, reading.gravity, root, physical=False)


def in_order_of(ours: Reading, theirs: Reading) -> Reading:
    """Their reading with its joints in our order; as it is where the trees of joints differ."""
    mine, other = ({joint.name: joint for joint in reading.joints} for reading in (ours, theirs))
    if {name: joint.parent for name, joint in mine.items()} != {name: joint.parent for name, joint in other.items()}:
        return theirs
    return replace(theirs, joints=tuple(other[name] for name in mine))


def in_scope(ours: Reading, theirs: Reading) -> Reading:
    """Their reading of SDF with our names, in which models stand before joints, where theirs has the joint's name alone."""
    names = {joint.name for joint in ours.joints}
    scoped = {joint.name: [name for name in names if name.endswith(f"::{joint.name}")] for joint in theirs.joints}
    new = {name: found[0] for name, found in scoped.items() if name not in names and len(found) == 1}
    joints = (replace(one, name=new.get(one.name, one.name), parent=new.get(one.parent, one.parent)) for one in theirs.joints)
    return replace(theirs, joints=tuple(joints))


def from_the_base(theirs: Reading) -> Reading:
    """Their reading of SDF with the base that moves freely at the world's origin where every position is zero.

    The pose of such a base in the file is where it starts; some readers count its position from there.
    """
    start = next((joint.origin for joint in theirs.joints if joint.kind == "free" and not joint.parent), ())
    if not any(start) or sum(not joint.parent for joint in theirs.joints) > 1:
        return theirs

    def moved(point: Numbers) -> Numbers:
        return tuple(a - b for a, b in zip(point, start, strict=True))

    joints = (
        replace(one, origin=moved(one.origin), carries=replace(one.carries, com=moved(one.carries.com))) for one in theirs.joints
    )
    return replace(theirs, joints=tuple(joints))


def _body(joint: ReadJoint, origins: dict[str, Numbers], root: str) -> Body:
    kind: Kind = joint.kind  # type: ignore[assignment]
    single = kind in JOINT_KINDS and JOINT_KINDS[kind].nv == 1 and kind != "helical"
    if not single and not (kind == "free" and not any(joint.origin) and not joint.parent):
        raise MechanismError(f"a reading does not say enough about joint {joint.name!r}, which is {joint.kind}")
    placement = Placement(Rotation.identity(), _difference(joint.origin, origins[joint.parent]))
    made = (
        Joint(joint.name, "free", placement=placement)
        if kind == "free"
        else Joint(
            joint.name,
            kind,
            unit_vector(tuple(map(exact, joint.axis)), "its axis", normalise=True),
            placement,
            joint.armature or 0,
            joint.damping or 0,
        )
    )
    carries = joint.carries
    inertia = Inertia(carries.mass, _difference(carries.com, joint.origin), carries.inertia)
    # Bodies need names: each gets its joint's.
    return Body(f"body of {joint.name}", f"body of {joint.parent}" if joint.parent else root, made, inertia)


def _difference(one: Numbers, other: Numbers) -> tuple[object, ...]:
    return tuple(exact(a) - exact(b) for a, b in zip(one, other, strict=True))
