"""A subject that knows one robot, or a few: it is asked about these, and about no other mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from implementations.one_robot import OneRobot
from implementations.processes.subject import Loaded, Subject
from implementations.protocol import Unsupported
from mechanisms import Mechanism


class Restricted(Subject):
    """The subject; :meth:`load` raises :class:`Unsupported` for all mechanisms but ``robots``."""

    one_robot: OneRobot

    def __init__(self, subject: Subject, one_robot: OneRobot, robots: Sequence[Mechanism]) -> None:
        self.about, self.subject, self.engine = subject, subject, subject.engine
        self.robots, self.one_robot = tuple(robots), one_robot

    @property
    def sentence(self) -> str:
        """What it is, and how that is known."""
        names = " and ".join(robot.name for robot in self.robots)
        return f"it is code for {names} alone, because {self.one_robot.reason}"

    @property
    def files(self) -> Mapping[str, str]:
        return self.subject.files

    def load(self, mechanism: Mechanism) -> Loaded:
        if mechanism.tree.fingerprint not in [robot.tree.fingerprint for robot in self.robots]:
            raise Unsupported(self.sentence)
        return self.subject.load(mechanism)

    @property
    def fresh(self) -> Callable[..., Subject] | None:
        fresh = self.subject.fresh
        return fresh and (lambda other=0: self._again(fresh(other)))

    @property
    def elsewhere(self) -> tuple[Subject, ...]:
        return tuple(map(self._again, self.subject.elsewhere))

    def _again(self, subject: Subject) -> Subject:
        return Restricted(subject, self.one_robot, self.robots)

    def close(self) -> None:
        self.subject.close()
