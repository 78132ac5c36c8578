"""A subject that knows one robot, or a few: it is asked about these, and about no other mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from implementations.one_robot import OneRobot
from implementations.processes.subject import Loaded, Subject
from implementations.protocol import Unsupported
from mechanisms import Mechanism


class Restricted(Subject):
    """The subject; :meth:`load` raises :class:`Unsupported` for all mechanisms but ``robots``."""

    def __init__(self, subject: Subject, one_robot: OneRobot, robots: Sequence[Mechanism]) -> None:
        self.about, self.subject, self.engine = subject, subject, subject.engine
        self.robots, self._one_robot = tuple(robots), one_robot

    @property
    def one_robot(self) -> OneRobot:
        return self._one_robot

    @property
    def sentence(self) -> str:
        """What it is, and how that is known."""
        names = " and ".join(robot.name for robot in self.robots)
        return f"it is code for {names} alone, because {self.one_robot.reason}"

    def load(self, mechanism: Mechanism) -> Loaded:
        if mechanism.tree.fingerprint not in [robot.tree.fingerprint for robot in self.robots]:
            raise Unsupported(self.sentence)
        return self.subject.load(mechanism)

    def close(self) -> None:
        self.subject.close()


def fresh_process(subject: Subject) -> Callable[..., Subject] | None:
    """What makes the same implementation in a process that has done nothing yet; None if it does not run in one of its own.

    Its argument, by default 0, is added to the hash seed of the process.
    """
    if not isinstance(subject, Restricted):
        return getattr(subject, "fresh", None)
    if (fresh := fresh_process(subject.subject)) is None:
        return None
    return lambda other=0: Restricted(fresh(other), subject.one_robot, subject.robots)


def other_processes(subject: Subject) -> tuple[Subject, ...]:
    """The same implementation in processes with other hash seeds; none if it does not run in a process of its own."""
    if not isinstance(subject, Restricted):
        return getattr(subject, "elsewhere", ())
    return tuple(Restricted(other, subject.one_robot, subject.robots) for other in other_processes(subject.subject))
