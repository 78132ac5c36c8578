"""`dalembert prove`: its words and exit codes, its certificates, and what it must refuse."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import ResultsError
from cross_check.exchange.results.codec import to_json
from cross_check.prove.proof.certificates import read_certificates
from cross_check.prove.proof.prove import prove
from cross_check.prove.theorem import theorem
from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import Position
from dalembert.commands import proving
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import find_mechanism, write_urdf
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import GROUPS


@pytest.fixture
def alter(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change the result of one algorithm of the reference, which is proven by default."""

    def alter(name: str, change: Callable[..., Any]) -> None:
        right = PROVABLE[name]
        monkeypatch.setitem(PROVABLE, name, lambda model, *arguments: change(right(model, *arguments), *arguments))

    return alter


def stored() -> Any:
    """The document of c.json, and its only certificate."""
    document = json.loads(Path("c.json").read_text())
    (certificate,) = document["certificates"]
    return document, certificate


def test_proven(invoke: Any) -> None:
    found = invoke("prove", "cart-pole", "free-rigid-body", "-o", "c.json")
    assert (found.exit_code, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert len(lines) == 2 * (1 + len(GROUPS["dynamics"]))
    assert lines[0] == "cart-pole, every mechanism of this tree and these kinds of joints: proven"
    assert all(line.split("degree")[1].split()[0].isdigit() and "2^-1" in line for line in lines if line.startswith(" "))
    assert invoke("prove", "--check", "c.json").stdout == "cart-pole: proven, again\nfree-rigid-body: proven, again\n"


def test_quantities_and_groups_of_them_of_which_some_are_not_rational(invoke: Any) -> None:
    found = invoke("prove", "pendulum", "-q", "derivatives", "-q", "gravity", "-q", "difference", "-o", "c.json")
    said = "    not proven, because they are no rational functions (`check` compares them): difference of positions"
    assert (found.exit_code, found.stdout.splitlines()[-1]) == (0, said)
    _, certificate = stored()
    assert set(certificate["quantities"]) == set(certificate["asked"]) - {"difference"} == {*GROUPS["derivatives"], "gravity"}
    assert invoke("prove", "--check", "c.json").exit_code == 0
    alone = invoke("prove", "pendulum", "-q", "difference")
    assert (alone.exit_code, alone.stdout.splitlines()[-1]) == (5, said)


def test_refuted(invoke: Any, alter: Any) -> None:
    alter("gravity", lambda g, q: 2 * g)
    found = invoke("prove", "cart-pole", "--given", "-o", "c.json")
    assert found.exit_code == 1
    assert "gravity            degree" in found.stdout
    (line,) = (line for line in found.stdout.splitlines() if "got" in line)
    _, certificate = stored()
    joint = find_mechanism("cart-pole").coordinates[certificate["quantities"]["gravity"]["witness"]["component"][0]]
    assert line.strip().startswith(f"round 1, {joint}: got ")
    assert certificate["verdict"] == "refuted"
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (1, "cart-pole: refuted, again\n")


MASSLESS = """<robot name="light"><link name="base"/><link name="rod"/>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>"""


def test_nothing_compared_is_neither_proven_nor_refuted(invoke: Any, alter: Any) -> None:
    Path("light.urdf").write_text(MASSLESS)
    words = ("prove", "light.urdf", "--given", "-q", "forward_dynamics")
    found = invoke(*words, "-o", "c.json")
    lines = ["light.urdf, this mechanism: nothing compared", "    not defined for this mechanism: forward dynamics"]
    assert (found.exit_code, found.stdout.splitlines()) == (5, lines)
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (5, "light.urdf: nothing compared, again\n")
    Path("c.json").write_text(Path("c.json").read_text().replace("nothing compared", "proven"))
    forged = invoke("prove", "--check", "c.json")
    assert (forged.exit_code, forged.stdout) == (1, "light.urdf: differs when it is proven again: verdict\n")
    # One mechanism without an answer is enough, whatever comes after it; but a refutation counts more.
    assert invoke(*words, "cart-pole").exit_code == 5
    partly = invoke(*words, "-q", "gravity")
    assert (partly.exit_code, partly.stdout.splitlines()[-1]) == (0, lines[-1])
    alter("forward_dynamics", lambda a, *_: 2 * a)
    assert invoke(*words, "cart-pole").exit_code == 1


@pytest.mark.slow
def test_a_random_tree_is_proven_again_from_the_file_alone(invoke: Any) -> None:
    found = invoke("prove", "--random", 6, "--joints", "revolute,prismatic,free", "--seed", 5, "-o", "c.json")
    assert found.exit_code == 0
    assert found.stdout.startswith("random tree of 6 bodies, seed 5, ")
    _, certificate = stored()
    assert len(certificate["parents"]) == len(certificate["kinds"]) == 6
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (0, "random tree of 6 bodies, seed 5: proven, again\n")


def _gravity(certificate: Any) -> Any:
    return certificate["quantities"]["gravity"]


TAMPERED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "degree": (lambda c: _gravity(c).update(degree=1), "quantities/gravity/degree"),
    "verdict": (lambda c: c.update(verdict="certain"), "verdict"),
    "a quantity left out": (lambda c: c["quantities"].pop("gravity"), "quantities/gravity"),
    "a quantity made up": (lambda c: c["quantities"].update(grace={}), "quantities/grace"),
    "seed": (lambda c: c.update(seed=8), "values"),
    "the name of another tree": (lambda c: c.update(mechanism="furuta-pendulum"), "mechanism"),
    "parents": (lambda c: c.update(parents=[-1, -1]), "values"),
    "a field made up": (lambda c: c.update(remark="checked twice"), "remark"),
    "a field left out": (lambda c: c.pop("fingerprint"), "fingerprint"),
    "13.0 for 13": (lambda c: _gravity(c).update(degree=float(_gravity(c)["degree"])), "quantities/gravity/degree"),
    "one for true": (lambda c: _gravity(c).update(witness=False), "quantities/gravity/witness"),
}


def test_tampering_is_caught(invoke: Any) -> None:
    invoke("prove", "cart-pole", "-q", "gravity", "-o", "c.json")
    document, right = stored()
    document["certificates"] = [deepcopy(right) for _ in TAMPERED]
    for certificate, (change, _) in zip(document["certificates"], TAMPERED.values(), strict=True):
        change(certificate)
    Path("c.json").write_text(json.dumps(document))
    found = invoke("prove", "--check", "c.json")
    assert found.exit_code == 1
    for (what, (_, shown)), line in zip(TAMPERED.items(), found.stdout.splitlines(), strict=True):
        assert re.search(rf": differs when it is proven again: (.*[ /])?{shown}(,|$)", line), (what, line)


def test_a_given_mechanism_that_has_changed_is_told_from_the_one_proven(invoke: Any) -> None:
    file = Path("weighed.urdf")
    file.write_text(write_urdf(find_mechanism("pendulum")))
    assert invoke("prove", file, "--given", "-o", "c.json").exit_code == 0
    assert invoke("prove", "--check", "c.json").exit_code == 0
    file.write_text(re.sub(r'<mass value="[^"]+"', '<mass value="1.235"', file.read_text()))
    changed = invoke("prove", "--check", "c.json")
    assert changed.exit_code == 1
    assert "fingerprint" in changed.stdout
    file.unlink()
    gone = invoke("prove", "--check", "c.json")
    assert gone.exit_code == 2
    assert "weighed.urdf" in gone.stderr


def damaged(change: Callable[[Any], Any], mechanism: str = "pendulum") -> str:
    certificate = prove(find_mechanism(mechanism), mechanism, algorithms={})
    document = {"schema": "dalembert-certificate-4", "version": "0.1.0", "certificates": to_json([certificate])}
    change(document)
    return json.dumps(document)


def certified(**change: Any) -> str:
    return damaged(lambda d: d["certificates"][0].update(change))


def constrained(**change: Any) -> str:
    return damaged(lambda d: d["certificates"][0]["constraints"][0].update(change), "four-bar")


TREE = "the parents, leaders, kinds and constraints of 'four-bar' do not describe a tree; "

DAMAGED = {
    "no JSON": ("{", "no JSON"),
    "a list": ("[]", "not a certificate of this format (its schema is None"),
    "another schema": ('{"schema": "dalembert-results-1"}', "of this format (its schema is 'dalembert-results-1'"),
    "version": (damaged(lambda d: d.update(version="99.0")), "made by dalembert 99.0 and says nothing about the code of"),
    "no version": (damaged(lambda d: d.pop("version")), "damaged at $"),
    "nothing": (damaged(lambda d: d.update(certificates=[])), "damaged at $.certificates"),
    "seed": (certified(seed="0"), "damaged at $.certificates[0].seed"),
    "a negative seed": (certified(seed=-1), "damaged at $.certificates[0].seed"),
    "a kind": (certified(kinds=["screw"]), "damaged at $.certificates[0].kinds[0]"),
    "too many parents": (certified(parents=[-1, 0]), "do not describe a tree"),
    "its own parent": (certified(parents=[0]), "do not describe a tree"),
    "a fraction": (certified(parents=[-1.0]), "damaged at $.certificates[0].parents[0]"),
    "an unknown body": (constrained(first=3), TREE),
    "one body twice": (constrained(second=1), TREE),
    "another order": (constrained(directions=["vz", "vx"]), TREE),
    "a free direction": (constrained(directions=["wx"]), TREE),
    "a negative body": (constrained(first=-2), "damaged at $.certificates[0].constraints[0].first"),
    "a fraction of a body": (constrained(first=1.0), "damaged at $.certificates[0].constraints[0].first"),
    "no direction": (constrained(directions=["up"]), "damaged at $.certificates[0].constraints[0].directions[0]"),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_files_that_cannot_be_checked(what: str, invoke: Any) -> None:
    text, said = DAMAGED[what]
    Path("c.json").write_text(text)
    found = invoke("prove", "--check", "c.json")
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1
    with pytest.raises(ResultsError):
        read_certificates(Path("c.json"))


def test_constraints_of_a_certificate_are_those_of_the_mechanism(invoke: Any) -> None:
    Path("c.json").write_text(constrained(directions=["vx", "vy"]))
    found = invoke("prove", "--check", "c.json")
    assert found.exit_code == 1
    assert found.stdout.startswith("four-bar: differs when it is proven again: mechanism")


def test_names_from_a_file_are_printable_and_labels_if_they_name_no_tree(invoke: Any) -> None:
    invoke("prove", "pendulum", "-q", "gravity", "-o", "c.json")
    text = Path("c.json").read_text()
    Path("c.json").write_text(text.replace('"mechanism": "pendulum"', '"mechanism": "mine"'))
    assert invoke("prove", "--check", "c.json").stdout == "mine: proven, again\n"
    Path("c.json").write_text(text.replace('"pendulum"', r'"\u001b[31m\n\ud800mine", "\u202ered": 1'))
    found = invoke("prove", "--check", "c.json")
    replaced = "\N{REPLACEMENT CHARACTER}"
    said = f"{replaced}[31m {replaced}mine: differs when it is proven again: {replaced}red\n"
    assert (found.exit_code, found.stdout) == (1, said)


@pytest.mark.nightly
def test_the_theorem_about_every_tree(invoke: Any) -> None:
    found = invoke("prove", "--every-tree")
    assert found.exit_code == 0
    assert found.stdout.count(": proven, ") == len(theorem.LEMMAS)
    assert "with joints of any of the 14 kinds" in found.stdout


def test_a_broken_lemma_is_named_with_its_case_and_component(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def false(p: Position) -> Equations:
        x = p.numbers(2)
        yield "x = x", x, x
        yield "x = xᵣ", x, x[::-1]

    body = next(lemma for lemma in theorem.LEMMAS if lemma.name == "body")
    cases = {"free": body.cases["free"], "helical": false}
    monkeypatch.setattr(proving, "LEMMAS", (body._replace(cases=cases),))
    found = invoke("prove", "--every-tree")
    assert found.exit_code == 1
    assert "Lemma 0, body: broken, 2 cases, 16 identities over ℚ\n" in found.stdout
    assert "    breaks at helical: x = xᵣ, component [1]\nThe theorem is not proven.\n" in found.stdout


MINE = """
from implementations.spatial_algebra.reference import PROVABLE

def constraint_drift(model, q, v):
    return PROVABLE["constraint_drift"](model, q, v)

def gravity(model, q):
    return PROVABLE["gravity"](model, q)
"""


def test_a_users_algorithms_are_proven_and_checked_again_only_if_they_are_named(invoke: Any) -> None:
    Path("mine.py").write_text(MINE)
    found = invoke("prove", "four-bar", "-i", "mine.py", "-o", "c.json", "--export", "claims")
    assert found.exit_code == 0
    assert found.stdout.count(": proven") == 1 and found.stdout.count("degree") == 2
    made = {path.name: path.read_text() for path in Path("claims").glob("*.claims")}
    assert set(made) == {"four-bar.gravity.claims", "four-bar.constraint_drift.claims"}
    assert "; algorithms of mine.py\n" in made["four-bar.gravity.claims"].partition("values")[0]
    (certificate,) = read_certificates(Path("c.json"))
    assert (certificate.implementation, set(certificate.asked)) == ("mine.py", {"gravity", "constraint_drift"})
    refused = invoke("prove", "--check", "c.json")
    assert refused.exit_code == 2
    said = "c.json has a certificate about the algorithms of 'mine.py', not of 'reference'; name them with -i, if you trust them"
    assert said in refused.stderr
    again = invoke("prove", "--check", "c.json", "-i", "mine.py")
    assert (again.exit_code, again.stdout) == (0, "four-bar: proven, again\n")
    Path("mine.py").write_text(MINE.replace('return PROVABLE["constraint_drift"]', 'return -PROVABLE["constraint_drift"]'))
    assert invoke("prove", "four-bar", "-i", "mine.py").exit_code == 1
    changed = invoke("prove", "--check", "c.json", "-i", "mine.py")
    assert changed.exit_code == 1
    assert "quantities/constraint_drift/program" in changed.stdout and "quantities/gravity" not in changed.stdout


COMPARES = "compares numbers that are drawn; a proof holds only for algorithms that do not branch on them"
GRAVITY = "def gravity(model, q):\n    "
FAIL = "from pytest import fail\n\n"
NUMBERS = "class It:\n    def load(self, m):\n        pass\n"

REFUSED: dict[str, tuple[str, str, int, str]] = {
    "a wrong index": ("mine.py", GRAVITY + "return q[9]\n", 2, "'mine.py' cannot be proven: gravity raised IndexError: index 9"),
    "no error": ("mine.py", FAIL + GRAVITY + "fail('no')\n", 2, "gravity raised Failed: no (mine.py:4: fail('no')); mend"),
    "a module that fails": ("mine.py", FAIL + "fail('no')\n", 2, "'mine.py' cannot be used: importing it raised Failed: no"),
    "the end": ("mine.py", GRAVITY + "raise SystemExit(0)\n", 3, "code under test called exit(0); the run is incomplete"),
    "a comparison": ("mine.py", GRAVITY + "return abs(q)\n", 3, f"Error: gravity cannot be proven: the algorithm {COMPARES}"),
    "a root": ("mine.py", GRAVITY + "return q ** 0.5\n", 3, "gravity cannot be proven: the algorithm computes with a float"),
    "code for numbers": ("mine.py:It", NUMBERS, 2, "it has load(mechanism), which is for numbers; give functions"),
    "conventions": ("mine.py", MINE + "conventions = {'velocity': 'linear first'}", 2, "'mine.py' cannot be"),
    "an order": ("mine.py", MINE + "joint_order = print", 2, "cannot be proven: a proof converts no conventions and no orders"),
    "nothing": ("mine.py", "", 2, "'mine.py' offers none of the quantities"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_proven_of_a_users_file_is_one_sentence(what: str, invoke: Any) -> None:
    spec, code, exit_code, said = REFUSED[what]
    Path("mine.py").write_text(code)
    found = invoke("prove", "four-bar", "-i", spec)
    assert found.exit_code == exit_code
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_a_quantity_that_is_named_but_not_offered_is_not_passed_over(invoke: Any) -> None:
    """As after a function was renamed. Of a group, a file need not offer all."""
    Path("mine.py").write_text(MINE)
    assert invoke("prove", "four-bar", "-i", "mine.py", "-q", "constraints").exit_code == 0
    found = invoke("prove", "four-bar", "-i", "mine.py", "-q", "gravity", "-q", "constraint_jacobian")
    assert (found.exit_code, found.stdout.splitlines()[-1]) == (5, "    not offered by mine.py: constraint Jacobian")
    Path("mine.py").write_text(MINE.replace("return PROV", "return -PROV"))
    assert invoke("prove", "four-bar", "-i", "mine.py", "-q", "gravity", "-q", "constraint_jacobian").exit_code == 1


def test_without_a_mechanism_those_are_proven_that_have_the_quantities(invoke: Any) -> None:
    Path("mine.py").write_text(MINE.partition("def gravity")[0])
    found = invoke("prove", "-i", "mine.py", "-v")
    assert (found.exit_code, found.stdout.count(": proven\n")) == (0, len(LOOPS))


COMPONENTS = {
    "the frame on world, x, x axis": ("pendulum", "frame_placements(model, q)", (2, 3, 4, 1)),
    "rocker pin.vx": ("four-bar", "constraint_multipliers(model, q, v, tau)", (2, 1)),
    "rocker pin.vx, rocker pin.vx": ("four-bar", "delassus_matrix(model, q)", (2, 2, 1)),
}


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_witness_names_a_component_of_the_answer(component: str, invoke: Any) -> None:
    """In general position every body has a frame. Multipliers are named by directions, not by the equations."""
    mechanism, function, shape = COMPONENTS[component]
    Path("mine.py").write_text(f"import numpy as np\n\ndef {function}:\n    return np.full({shape}, 7)\n")
    found = invoke("prove", mechanism, "-i", "mine.py")
    assert found.exit_code == 1
    assert f"    round 1, {component}: got 7, expected " in found.stdout


def test_a_file_whose_name_is_no_text(invoke: Any) -> None:
    name = os.fsdecode(b"my\xff.py")
    try:
        Path(name).write_text(MINE)
    except OSError:
        pytest.skip("this file system takes no such names")
    assert invoke("prove", "four-bar", "-i", name, "-q", "gravity", "-o", "c.json").exit_code == 0
    assert invoke("prove", "--check", "c.json", "-i", name).exit_code == 0


def test_constraints_are_proven_by_default_and_what_takes_decompositions_is_left_out_aloud(invoke: Any) -> None:
    found = invoke("prove", "four-bar", "-o", "c.json")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0].endswith("these kinds of joints and these constrained directions: proven")
    (certificate,) = read_certificates(Path("c.json"))
    assert set(certificate.quantities) == {*GROUPS["dynamics"], "constraint_jacobian", "constraint_drift"}
    assert invoke("prove", "--check", "c.json").stdout == "four-bar: proven, again\n"
    all_ = invoke("prove", "four-bar", "--given", "-q", "constraints")
    assert all_.exit_code == 0
    reason = "not proven, because the reference computes it by a singular value decomposition, in float64"
    assert f"    {reason}: constrained acceleration; constraint forces; multipliers; " in all_.stdout
    assert invoke("prove", "pendulum", "-q", "constraints").exit_code == 5


def test_where_rows_always_depend_on_others_this_is_said(invoke: Any) -> None:
    Path("mine.py").write_text("def constrained_acceleration(model, q, v, tau):\n    return v\n")
    assert invoke("urdf", "pendulum", "-o", "rod.urdf").exit_code == 0
    body = find_mechanism("pendulum").bodies[0].name
    Path("rod.constraints.toml").write_text(f'[[constraint]]\nname = "weld"\nfirst = "world"\nsecond = "{body}"\n')
    found = invoke("prove", "closed:rod.urdf", "-i", "mine.py")
    assert found.exit_code == 5
    reason = "not defined, because M is singular or rows of J follow from others at every position"
    assert f"    {reason}: constrained acceleration\n" in found.stdout


def test_without_a_mechanism_a_line_for_each_kind_of_proof_and_what_is_refuted_whole(
    invoke: Any, monkeypatch: pytest.MonkeyPatch, alter: Any
) -> None:
    monkeypatch.setattr(proving, "TEXTBOOK", ("pendulum", "cart-pole"))
    monkeypatch.setattr(proving, "LOOPS", ("squeezing-mechanism",))
    general, constrained, _ = invoke("prove").stdout.splitlines()
    assert general.startswith("reference = oracle: 14 statements about 2 trees, each for every mechanism of this tree and these")
    assert constrained.startswith("reference = oracle: 9 statements about 1 tree, each for every mechanism of this tree, these")
    assert all(line.endswith("are proven with an error of 2^-100 at most") for line in (general, constrained))
    monkeypatch.setattr(proving, "LOOPS", ())
    alter("gravity", lambda g, q: -g)
    run = invoke("prove")
    assert run.exit_code == 1
    assert run.stdout.splitlines()[0] == "pendulum, every mechanism of this tree and these kinds of joints: refuted"
    assert "    gravity            degree 13         refuted" in run.stdout
