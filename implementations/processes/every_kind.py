"""Tries code on every kind of joint: what it is told of a mechanism must agree with the states that it gets."""

from __future__ import annotations

from collections.abc import Iterator

from implementations.languages.smoke import BATCH, DYNAMICS, Step, Wrong, compare
from implementations.languages.tried import tried_states
from implementations.processes.find import find_subject
from implementations.processes.limits import Limits
from implementations.processes.subject import Subject
from implementations.protocol import DoesNotLoad, Failure, Unsupported
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES

BODIES = 3
"""Of a mechanism with one kind of joint: then joints stand behind one another, and their coordinates are not the first."""


def every_kind(spec: str, timeout: float) -> Iterator[Step]:
    """A step for every kind of joint, then one for all that the code has together; ``spec`` is any implementation's.

    Every quantity that the code offers is compared with the reference, after the conversion from what the code declares.
    """
    subject = find_subject(spec, limits=Limits(timeout=timeout))
    known: list[Kind] = []
    try:
        _ = subject.name
        for kind in MOVING:
            step = _tried(subject, f"{kind} joints", random_mechanism(3, BODIES, (kind,)))
            if step.is_tried:
                known.append(kind)
            yield step
        if known:
            yield _tried(subject, "all of them in one tree", random_mechanism(4, 2 * len(known), known))
        else:
            yield Step("has a joint and a quantity that can be tried", problem="it answers no quantity on any kind of joint")
    except DoesNotLoad as error:
        yield Step("loads", problem=str(error))
    finally:
        subject.close()


def _tried(subject: Subject, name: str, mechanism: Mechanism) -> Step:
    step, right, wrong = Step(f"{DYNAMICS}{name}", is_about_dynamics=True), 0, list[str]()
    try:
        loaded = subject.load(mechanism)
        for quantity in (one for one in QUANTITIES.values() if loaded.offers(one.name) and one.has_value):
            try:
                states = tried_states(mechanism, quantity, BATCH)
                compare(quantity, mechanism, loaded.ask(quantity.name, *states.values()).value)
                right += 1
            except Unsupported:
                continue
            except (Wrong, Failure) as error:
                wrong.append(f"{quantity.name}: {one_line(str(error), 200)}")
    except Unsupported as reason:
        step.is_tried, step.said = False, one_line(str(reason), 200)
        return step
    except Failure as error:
        step.problem = one_line(str(error), 400)
        return step
    if wrong:
        more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        step.problem = f"{wrong[0]}{more}"
    elif right:
        step.said = f"agrees with the reference in {right} {'quantity' if right == 1 else 'quantities'}"
    else:
        step.is_tried, step.said = False, "it answers no quantity here"
    return step
