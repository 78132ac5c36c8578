"""Which robots of a run its implementations know, where they know one alone: from what they declare, and what a run has shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cross_check.judge.settings import SettingsError
from implementations.one_robot import OneRobot
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Subject
from mechanisms import Mechanism

Mechanisms = Sequence[tuple[str, Mechanism]]
"""Pairs of a spec and a mechanism, as in a run."""


def restricted(subject: Subject, name: str, mechanisms: Mechanisms) -> Subject:
    """The subject; code for one robot is asked about no mechanism but this. ``name`` is what the run calls it.

    Raises :class:`SettingsError` if it does not declare its robot and the run does not have exactly one mechanism.
    """
    robot = subject.one_robot
    if robot is None or isinstance(subject, Restricted):
        return subject
    if robot.mechanism is None and len(mechanisms) != 1:
        names = f"this run has {len(mechanisms)} mechanisms" if mechanisms else "no mechanism is named"
        raise SettingsError(
            f"{name} is code for one robot, because {robot.reason}, and {names}; "
            'name its robot alone, or declare it in the code, as in mechanism = "my_arm.urdf"'
        )
    return Restricted(subject, robot, [robot.mechanism or mechanisms[0][1]])


def as_found(subject: Subject, robots: Collection[str], mechanisms: Mechanisms) -> Subject:
    """The subject. If a run has found that it knows only the mechanisms with the names ``robots``, it is asked about no other."""
    found = [mechanism for _, mechanism in mechanisms if mechanism.name in robots]
    if not found or isinstance(subject, Restricted):
        return subject
    return Restricted(subject, OneRobot("experiment"), found)


def robots_of(subject: Subject, mechanisms: Mechanisms) -> dict[str, str]:
    """By the name of a mechanism of the run that the subject knows alone: how that is known. Empty if it knows any mechanism."""
    if not isinstance(subject, Restricted):
        return {}
    known = [robot.tree.fingerprint for robot in subject.robots]
    return {m.name: subject.one_robot.reason for _, m in mechanisms if m.tree.fingerprint in known}
