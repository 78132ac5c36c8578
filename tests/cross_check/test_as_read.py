"""Equivalent files: our own reader reads the same mechanism from every one of them, and what it reads moves in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import fromstring, tostring

import numpy as np
import pytest

from cross_check.explain.diagnosis.causes.readings import misread
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.relations.readings import in_double_double, related
from cross_check.read.as_read.declared import EDITS, MISREADINGS, REWRITES, REWRITINGS, TABLE
from cross_check.read.as_read.rewriting import Misreading, Rewriting, Rewritten, plain
from mechanisms import Mechanism, Source, find_mechanism, random_mechanism, write_urdf
from mechanisms.errors import MechanismError, Unsupported
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.library.textbook import TEXTBOOK
from mechanisms.mjcf_traits import TRAITS as MJCF
from mechanisms.quantities import QUANTITIES
from mechanisms.sdf_traits import TRAITS as SDF
from mechanisms.urdf_traits import TRAITS as URDF

KINDS = tuple(kind for kind, declared in JOINT_KINDS.items() if declared.urdf and kind not in ("fixed", "continuous"))
"""The kinds of joints that URDF has. A continuous joint is written as revolute."""


def mechanisms() -> list[Mechanism]:
    return [find_mechanism("free:puma560"), *(random_mechanism(seed, 5, KINDS) for seed in range(2))]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_what_is_read_from_a_rewritten_file_moves_in_the_same_way(rewriting: Rewriting) -> None:
    done = 0
    for mechanism in mechanisms():
        done += same_motion(rewriting, mechanism)
    assert done or rewriting.name == "floating_base"


def same_motion(rewriting: Rewriting, mechanism: Mechanism) -> bool:
    """Checks that the reference's answers about the rewritten file, mapped back, are those about the mechanism itself.

    False if there is nothing to rewrite.
    """
    try:
        both = related(rewriting, mechanism, sample(mechanism, 0, 5))
    except Unsupported:
        return False
    original, other = both.original.mechanism, both.images[0].mechanism
    assert other.source is not None
    assert other.source.text != original.source.text  # type: ignore[union-attr]
    for name in ("inverse_dynamics_with_forces", "mass_matrix", "potential_energy", "jacobians_world", "jacobians_local"):
        if name in both.back:
            states = (both.original.states, both.images[0].states)
            mine, theirs = (
                in_double_double(QUANTITIES[name], m, s).astype(float) for m, s in zip((mechanism, other), states, strict=True)
            )
            assert np.allclose(both.back[name].answer(theirs), mine, rtol=1e-12, atol=1e-12 * (1 + np.abs(mine).max())), name
    return True


def test_a_misread_file_stays_on_its_free_base() -> None:
    text = write_urdf(TEXTBOOK["spatial-3r"]())
    unchanged = Misreading("changes nothing", lambda robot: None)
    for free_base in (False, True):
        wrong = misread(unchanged, Source(text, free_base=free_base), "arm")
        assert wrong
        assert (wrong.name, wrong.nv) == ("arm", 3 + 6 * free_base)


def test_the_table_and_the_functions_have_the_same_names() -> None:
    declared = TABLE["misreadings"]
    assert EDITS.keys() == {name for name, one in declared.items() if "edit" not in one}
    assert REWRITES.keys() == TABLE["rewritings"].keys()
    shown = {one for rewriting in TABLE["rewritings"].values() for one in rewriting.get("misreadings", ())}
    assert MISREADINGS.keys() == shown | {one for several in TABLE["hypotheses"].values() for one in several}
    assert TABLE["remedies"].keys() <= {one.get("remedy") for one in declared.values()}


def test_every_misreading_changes_a_file() -> None:
    """An edit of the table with a wrong path would change none, and explain nobody."""
    files = [trait.content for traits in (URDF, MJCF, SDF) for trait in traits.values()]
    files += [made.text.encode() for mechanism in mechanisms() for made in rewritten(mechanism)]
    files.append(b"<mujoco><worldbody><body><freejoint/></body></worldbody><equality><joint joint1='a'/></equality></mujoco>")
    files.append(b"<robot><link><inertial><origin xyz='0&#10;0 0'/></inertial></link></robot>")
    left = dict(MISREADINGS)
    for content in files:
        with suppress(MechanismError):
            text = tostring(parse_xml(content, None, "URDF"))
            left = {name: one for name, one in left.items() if not changes(one, text)}
    assert not sorted(left)


def rewritten(mechanism: Mechanism) -> Iterator[Rewritten]:
    for rewriting in REWRITINGS:
        with suppress(Unsupported):
            yield rewriting.rewrite(plain(mechanism))


def changes(misreading: Misreading, text: bytes) -> bool:
    element = fromstring(text)
    with suppress(MechanismError, ValueError, AssertionError, ArithmeticError):
        misreading.edit(element)
        return tostring(element) != text
    return False
