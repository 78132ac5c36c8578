"""Faults of readers: what the mechanism of a file is for code that misreads it. Code that asks for no file has none of them."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

from cross_check.explain.faults.fault import Fault
from cross_check.judge.relations.readings import REWRITINGS
from cross_check.read.as_read.rewriting import Misreading, text_of
from mechanisms import Mechanism, Source, parse_urdf
from mechanisms.errors import MechanismError
from mechanisms.untrusted_xml import parse_xml

MISREADINGS = tuple(dict.fromkeys(misreading for rewriting in REWRITINGS for misreading in rewriting.misreadings))


def misread(misreading: Misreading, source: Source, name: str) -> Mechanism | None:
    """What such a reader makes of the file; None if that is no mechanism."""
    try:
        robot = parse_xml(source.text, "robot", "URDF")
        misreading.edit(robot)
        return _read(text_of(robot), source.free_base, name)
    except MechanismError:
        return None


@lru_cache(64)
def _read(text: str, free_base: bool, name: str) -> Mechanism:
    """What a file describes. Most misreadings leave most files as they are, so the same text comes many times."""
    return dataclasses.replace(parse_urdf(text, name, free_base, physical=False, ignore_mimic=True), name=name)


def fault_of(misreading: Misreading) -> Fault:
    """Code that misreads its files. It changes nothing about mechanisms without a file."""
    known: dict[tuple[str, str], tuple[Mechanism, bool]] = {}

    def taken(mechanism: Mechanism) -> tuple[Mechanism, bool]:
        """What the code takes the mechanism for, and whether that is another one."""
        key = (mechanism.name, mechanism.fingerprint)
        if key not in known:
            read = misread(misreading, mechanism.source, mechanism.name) if mechanism.source else None
            # Code that takes a file for a mechanism of another size answers nothing that can be compared.
            read = mechanism if read is None or _size(read) != _size(mechanism) else read
            known[key] = read, (read.bodies, read.gravity) != (mechanism.bodies, mechanism.gravity)
        return known[key]

    return Fault(
        f"the reader {misreading.sentence}",
        "reading of files",
        mechanism=lambda mechanism: taken(mechanism)[0],
        needs=lambda mechanism: taken(mechanism)[1],
    )


def _size(mechanism: Mechanism) -> tuple[int, int, int]:
    return mechanism.nq, mechanism.nv, len(mechanism.bodies)


FAULTS_OF_READERS = tuple(map(fault_of, MISREADINGS))
