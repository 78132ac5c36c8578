"""`dalembert prove`: its words and exit codes, its certificates, and the faults that it must refute."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_faults import FAULTS, WEIGHED, Fault, plant

from cross_check.exchange.results import ResultsError
from cross_check.exchange.results.codec import to_json
from cross_check.prove.proof.certificates import read_certificates, write_certificates
from cross_check.prove.proof.objects import Certificate
from cross_check.prove.proof.prove import prove
from cross_check.prove.theorem import theorem
from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import Position
from dalembert.commands import proving
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import find_mechanism, write_urdf
from mechanisms.quantities import GROUPS, QUANTITIES
from mechanisms.textbook import planar_pendulum
from mechanisms.textbook_loops import LOOPS


def certificate_of_copy(folder: Path, prefix: str, fault: Fault | None, spec: str, in_general: bool) -> Certificate:
    plant(folder, prefix, fault)
    copy = importlib.import_module(f"{prefix}reference")
    return prove(find_mechanism(spec), spec, in_general, algorithms=copy.ALGORITHMS, build=copy.build)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / WEIGHED).write_text(write_urdf(planar_pendulum(2, mass=["1.0", "1.234"])))
    return tmp_path


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_what_the_gate_finds_wrong_is_refuted_with_a_witness_and_the_rest_is_proven(fault: Fault, folder: Path) -> None:
    # A digit of one mass is a fault of one mechanism's numbers: no other tree of its kind has them.
    in_general = fault.mechanism != WEIGHED
    certificate = certificate_of_copy(folder, f"prove{FAULTS.index(fault)}_", fault, fault.mechanism, in_general)
    witnesses = {name: found.witness for name, found in certificate.quantities.items() if found.witness}
    assert certificate.verdict == "refuted"
    assert set(witnesses) == set(fault.cells)
    assert all(witness.got != witness.expected and witness.round == 1 for witness in witnesses.values())


@pytest.mark.nightly
def test_the_unplanted_copy_is_proven(folder: Path) -> None:
    for k, spec in enumerate(sorted({fault.mechanism for fault in FAULTS})):
        certificate = certificate_of_copy(folder, f"proveright{k}_", None, spec, spec != WEIGHED)
        assert certificate.verdict == "proven"
        # The reference's own algorithms share a program and its points, but every quantity has the same bounds.
        own = prove(find_mechanism(spec), spec, spec != WEIGHED)
        for name, found in certificate.quantities.items():
            assert (found.degree, found.height) == (own.quantities[name].degree, own.quantities[name].height)


def test_proven(invoke: Any) -> None:
    found = invoke("prove", "cart-pole", "free-rigid-body")
    assert found.exit_code == 0
    assert found.stderr == ""
    lines = found.stdout.splitlines()
    assert len(lines) == 2 * (1 + len(GROUPS["dynamics"]))
    assert lines[0] == "cart-pole, every mechanism of this tree and these kinds of joints: proven"
    assert all(line.split("degree")[1].split()[0].isdigit() and "2^-1" in line for line in lines if line.startswith(" "))


def test_quantities_and_groups_of_them(invoke: Any) -> None:
    found = invoke("prove", "pendulum", "-q", "derivatives", "-q", "gravity", "-o", "c.json")
    assert found.exit_code == 0
    (certificate,) = json.loads(Path("c.json").read_text())["certificates"]
    assert set(certificate["quantities"]) == set(certificate["asked"]) == {*GROUPS["derivatives"], "gravity"}
    assert invoke("prove", "--check", "c.json").exit_code == 0


@pytest.fixture
def altered_reference(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change the results of the reference that is proven by default."""

    def alter(**changes: Callable[..., Any]) -> None:
        def altered(name: str) -> Callable[..., Any]:
            return lambda model, *arguments: changes[name](PROVABLE[name](model, *arguments), *arguments)

        wrong = PROVABLE | {name: altered(name) for name in changes}
        monkeypatch.setattr(proving, "_algorithms", lambda spec: ("reference", wrong))

    return alter


def test_refuted(invoke: Any, altered_reference: Any) -> None:
    altered_reference(gravity=lambda g, q: 2 * g)
    found = invoke("prove", "cart-pole", "--given", "-o", "c.json")
    assert found.exit_code == 1
    assert "gravity            degree" in found.stdout
    (line,) = (line for line in found.stdout.splitlines() if "got" in line)
    (certificate,) = json.loads(Path("c.json").read_text())["certificates"]
    witness = certificate["quantities"]["gravity"]["witness"]
    joint = find_mechanism("cart-pole").coordinates[witness["component"][0]]
    assert line.strip().startswith(f"round 1, {joint}: got ")
    assert certificate["verdict"] == "refuted"
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (1, "cart-pole: refuted, again\n")


def test_what_is_not_rational_is_not_proven(invoke: Any, folder: Path) -> None:
    said = "    not proven, because they are no rational functions (`check` compares them): difference of positions"
    found = invoke("prove", "pendulum", "-q", "difference", "-q", "gravity", "-o", "c.json")
    assert (found.exit_code, found.stdout.splitlines()[-1]) == (0, said)
    assert invoke("prove", "--check", "c.json").exit_code == 0
    alone = invoke("prove", "pendulum", "-q", "difference")
    assert alone.exit_code == 5 and alone.stdout.splitlines()[-1] == said


MASSLESS = """<robot name="light"><link name="base"/><link name="rod"/>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("name", ["center_of_mass", "forward_dynamics"])
def test_nothing_compared_is_neither_proven_nor_refuted(name: str, invoke: Any, folder: Path) -> None:
    Path("light.urdf").write_text(MASSLESS)
    title = QUANTITIES[name].title
    words = ("prove", "light.urdf", "--given", "-q", name)
    found = invoke(*words, "-o", "c.json")
    assert found.exit_code == 5
    lines = ["light.urdf, this mechanism: nothing compared", f"    not defined for this mechanism: {title}"]
    assert found.stdout.splitlines() == lines
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (5, "light.urdf: nothing compared, again\n")
    Path("c.json").write_text(Path("c.json").read_text().replace("nothing compared", "proven"))
    forged = invoke("prove", "--check", "c.json")
    assert (forged.exit_code, forged.stdout) == (1, "light.urdf: differs when it is proven again: verdict\n")
    # One mechanism without an answer is enough, whatever comes after it.
    assert invoke(*words, "cart-pole").exit_code == 5
    partly = invoke(*words, "-q", "gravity")
    assert (partly.exit_code, partly.stdout.splitlines()[-1]) == (0, lines[-1])


def test_a_refutation_counts_more_than_nothing_compared(
    invoke: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, altered_reference: Any
) -> None:
    Path("light.urdf").write_text(MASSLESS)
    altered_reference(forward_dynamics=lambda a, *_: 2 * a)
    assert invoke("prove", "light.urdf", "cart-pole", "--given", "-q", "forward_dynamics").exit_code == 1


@pytest.mark.parametrize("option", [(), ("--given",)])
def test_an_algorithm_that_compares_is_one_sentence(option: tuple[str, ...], invoke: Any, altered_reference: Any) -> None:
    altered_reference(gravity=lambda g, q: np.where(q == 0, g, g))
    found = invoke("prove", "pendulum", "-q", "gravity", *option)
    assert found.exit_code == 3
    assert found.stderr.splitlines()[-1] == (
        "Error: gravity cannot be proven: the algorithm compares numbers that are drawn; "
        "a proof holds only for algorithms that do not branch on them"
    )


@pytest.mark.slow
def test_a_random_tree_is_proven_again_from_the_file_alone(invoke: Any) -> None:
    words = ("prove", "--random", 6, "--joints", "revolute,prismatic,free", "--seed", 5)
    found = invoke(*words, "-o", "c.json")
    assert found.exit_code == 0
    assert found.stdout.startswith("random tree of 6 bodies, seed 5, ")
    (certificate,) = json.loads(Path("c.json").read_text())["certificates"]
    assert len(certificate["parents"]) == len(certificate["kinds"]) == 6
    again = invoke("prove", "--check", "c.json")
    assert (again.exit_code, again.stdout) == (0, "random tree of 6 bodies, seed 5: proven, again\n")
    first = Path("c.json").read_bytes()
    invoke(*words, "-o", "c.json")
    assert Path("c.json").read_bytes() == first


def test_a_name_that_stands_for_another_tree_is_no_label(invoke: Any) -> None:
    assert invoke("prove", "pendulum", "-o", "c.json").exit_code == 0
    text = Path("c.json").read_text()
    another = (1, "furuta-pendulum: differs when it is proven again: mechanism\n")
    for name, found in (("furuta-pendulum", another), ("mine", (0, "mine: proven, again\n"))):
        Path("c.json").write_text(text.replace('"mechanism": "pendulum"', f'"mechanism": "{name}"'))
        again = invoke("prove", "--check", "c.json")
        assert (again.exit_code, again.stdout) == found


def test_several_are_checked(invoke: Any) -> None:
    assert invoke("prove", "pendulum", "cart-pole", "-o", "c.json").exit_code == 0
    assert invoke("prove", "--check", "c.json").stdout == "pendulum: proven, again\ncart-pole: proven, again\n"


TAMPERED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "degree": (lambda c: c["quantities"]["gravity"].update(degree=1), "quantities/gravity/degree"),
    "error": (lambda c: c["quantities"]["gravity"].update(error="2^-1000"), "quantities/gravity/error"),
    "verdict": (lambda c: c.update(verdict="certain"), "verdict"),
    "a quantity left out": (lambda c: c["quantities"].pop("gravity"), "quantities/gravity"),
    "a quantity made up": (lambda c: c["quantities"].update(grace={}), "quantities/grace"),
    "seed": (lambda c: c.update(seed=8), "seed 8"),
    "kinds": (lambda c: c.update(kinds=["revolute", "revolute"]), "values"),
    "parents": (lambda c: c.update(parents=[-1, -1]), "values"),
    "about": (lambda c: c.update(about="every mechanism"), "about"),
    "a field made up": (lambda c: c.update(remark="checked twice"), "remark"),
    "a field left out": (lambda c: c.pop("fingerprint"), "fingerprint"),
    "a field of a proof made up": (lambda c: c["quantities"]["gravity"].update(remark=None), "quantities/gravity/remark"),
    "a field of a proof left out": (lambda c: c["quantities"]["gravity"].pop("values"), "quantities/gravity/values"),
    "2.0 for 2": (lambda c: c["quantities"]["gravity"].update(rounds=2.0), "quantities/gravity/rounds"),
    "one for true": (lambda c: c["quantities"]["gravity"].update(witness=False), "quantities/gravity/witness"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_caught(what: str, invoke: Any, tmp_path: Path) -> None:
    write_certificates([prove(find_mechanism("cart-pole"), "cart-pole")], tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text())
    change, shown = TAMPERED[what]
    change(document["certificates"][0])
    (tmp_path / "c.json").write_text(json.dumps(document))
    found = invoke("prove", "--check", "c.json")
    assert found.exit_code == 1
    assert "differs when it is proven again: " in found.stdout
    assert ("values" if what == "seed" else shown) in found.stdout


def test_a_given_mechanism_that_has_changed_is_told_from_the_one_proven(invoke: Any, folder: Path) -> None:
    assert invoke("prove", WEIGHED, "--given", "-o", "c.json").exit_code == 0
    assert invoke("prove", "--check", "c.json").exit_code == 0
    Path(WEIGHED).write_text(Path(WEIGHED).read_text().replace("1.234", "1.235"))
    changed = invoke("prove", "--check", "c.json")
    assert changed.exit_code == 1
    assert "fingerprint" in changed.stdout
    Path(WEIGHED).unlink()
    gone = invoke("prove", "--check", "c.json")
    assert gone.exit_code == 2
    assert WEIGHED in gone.stderr


def damaged(change: Callable[[Any], Any]) -> str:
    certificate = prove(find_mechanism("pendulum"), "pendulum", algorithms={})
    document = {"schema": "dalembert-certificate-4", "version": "0.1.0", "certificates": to_json([certificate])}
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[]", "not a certificate of this format (its schema is None"),
        ('{"schema": "dalembert-certificate-1"}', "not a certificate of this format (its schema is 'dalembert-certificate-1'"),
        ('{"schema": "dalembert-results-1"}', "not a certificate of this format (its schema is 'dalembert-results-1'"),
        (damaged(lambda d: d.update(version="99.0")), "made by dalembert 99.0 and says nothing about the code of"),
        (damaged(lambda d: d.pop("version")), "damaged at $"),
        (damaged(lambda d: d.update(certificates=[])), "damaged at $.certificates"),
        (damaged(lambda d: d["certificates"][0].update(seed="0")), "damaged at $.certificates[0].seed"),
        (damaged(lambda d: d["certificates"][0].update(seed=-1)), "damaged at $.certificates[0].seed"),
        (damaged(lambda d: d["certificates"][0].update(kinds=["screw"])), "damaged at $.certificates[0].kinds[0]"),
        (damaged(lambda d: d["certificates"][0].update(parents=[-1, 0])), "do not describe a tree"),
        (damaged(lambda d: d["certificates"][0].update(parents=[0])), "do not describe a tree"),
        (damaged(lambda d: d["certificates"][0].update(parents=[-1.0])), "damaged at $.certificates[0].parents[0]"),
    ],
)
def test_files_that_cannot_be_checked(text: str, said: str, invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)
    found = invoke("prove", "--check", "c.json")
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1
    with pytest.raises(ResultsError):
        read_certificates(tmp_path / "c.json")


def test_names_from_a_file_are_printable(invoke: Any, tmp_path: Path) -> None:
    write_certificates([prove(find_mechanism("pendulum"), "mine", quantities=["gravity"])], tmp_path / "c.json")
    text = (tmp_path / "c.json").read_text()
    (tmp_path / "c.json").write_text(text.replace('"mine"', r'"\u001b[31m\n\ud800mine", "\u202ered": 1'))
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
    assert {path.name for path in Path("claims").glob("*.claims")} == {
        "four-bar.gravity.claims",
        "four-bar.constraint_drift.claims",
    }
    assert "; algorithms of mine.py\n" in Path("claims/four-bar.gravity.claims").read_text().partition("values")[0]
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


@pytest.mark.parametrize(
    ("code", "words", "exit_code", "said"),
    [
        (MINE, ("-q", "mass_matrix"), 5, "    not offered by mine.py: mass matrix\n"),
        (
            "def gravity(model, q):\n    return q[9]\n",
            (),
            2,
            "'mine.py' cannot be proven: gravity raised IndexError: index 9 is out",
        ),
        (
            "import pytest\n\ndef gravity(model, q):\n    pytest.fail('no')\n",
            (),
            2,
            "'mine.py' cannot be proven: gravity raised Failed: no (mine.py:4: pytest.fail('no')); mend that first",
        ),
        (
            "import pytest\npytest.fail('no')\n",
            (),
            2,
            "'mine.py' cannot be used: importing it raised Failed: no (mine.py:2: pytest.fail('no')); mend",
        ),
        ("def gravity(model, q):\n    raise SystemExit(0)\n", (), 3, "code under test called exit(0); the run is incomplete"),
        ("def gravity(model, q):\n    return q ** 0.5\n", (), 3, "gravity cannot be proven: the algorithm computes with a float"),
        (
            "class It:\n    def load(self, m):\n        pass\n",
            (":It",),
            2,
            "it has load(mechanism), which is for numbers; give functions",
        ),
        (MINE + "conventions = {'velocity': 'linear first'}", (), 2, "'mine.py' cannot be"),
        (MINE + "joint_order = print", (), 2, "'mine.py' cannot be proven: a proof converts no conventions and no orders"),
        ("", (), 2, "'mine.py' offers none of the quantities"),
    ],
)
def test_what_cannot_be_proven_of_a_users_file_is_one_sentence(
    code: str, words: tuple[str, ...], exit_code: int, said: str, invoke: Any
) -> None:
    Path("mine.py").write_text(code)
    spec, words = ("mine.py" + words[0], ()) if words and words[0].startswith(":") else ("mine.py", words)
    found = invoke("prove", "four-bar", "-i", spec, *words)
    assert found.exit_code == exit_code
    assert said in found.output
    assert len(found.stderr.splitlines()) == (exit_code != 5)


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


@pytest.mark.parametrize(
    ("mechanism", "quantity", "arguments", "component"),
    [
        ("pendulum", "frame_placements", "q", "the frame on world, x, x axis"),
        ("four-bar", "constraint_multipliers", "q, v, tau", "rocker pin.vx"),
        ("four-bar", "delassus_matrix", "q", "rocker pin.vx, rocker pin.vx"),
    ],
)
def test_a_witness_names_a_component_of_the_answer(
    mechanism: str, quantity: str, arguments: str, component: str, invoke: Any
) -> None:
    """In general position every body has a frame. Multipliers are named by directions, not by the equations."""
    shape = {"frame_placements": "(2, 3, 4, 1)", "constraint_multipliers": "(2, 1)", "delassus_matrix": "(2, 2, 1)"}[quantity]
    Path("mine.py").write_text(f"import numpy as np\n\ndef {quantity}(model, {arguments}):\n    return np.full({shape}, 7)\n")
    found = invoke("prove", mechanism, "-i", "mine.py")
    assert found.exit_code == 1
    assert f"    round 1, {component}: got 7, expected " in found.stdout


def test_a_file_whose_name_is_no_text(invoke: Any) -> None:
    try:
        Path(os.fsdecode(b"my\xff.py")).write_text(MINE)
    except OSError:
        pytest.skip("this file system takes no such names")
    assert invoke("prove", "four-bar", "-i", os.fsdecode(b"my\xff.py"), "-q", "gravity", "-o", "c.json").exit_code == 0
    assert invoke("prove", "--check", "c.json", "-i", os.fsdecode(b"my\xff.py")).exit_code == 0


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


def test_constraints_of_a_certificate_are_those_of_the_mechanism(invoke: Any) -> None:
    assert invoke("prove", "four-bar", "-q", "constraint_jacobian", "-o", "c.json").exit_code == 0
    document = json.loads(Path("c.json").read_text())
    (constraint,) = document["certificates"][0]["constraints"]
    for change, said in (
        ({"directions": ["vx", "vy"]}, (1, "four-bar: differs when it is proven again: mechanism, ")),
        (
            {"first": 3},
            (2, "c.json is damaged: the parents, leaders, kinds and constraints of 'four-bar' do not describe a tree; "),
        ),
        ({"second": 1}, (2, "do not describe a tree")),
        ({"directions": ["vz", "vx"]}, (2, "do not describe a tree")),
        ({"directions": ["wx"]}, (2, "do not describe a tree")),
        ({"first": -2}, (2, "damaged at $.certificates[0].constraints[0].first")),
        ({"first": 1.0}, (2, "damaged at $.certificates[0].constraints[0].first")),
        ({"directions": ["up"]}, (2, "damaged at $.certificates[0].constraints[0].directions[0]")),
    ):
        document["certificates"][0]["constraints"] = [constraint | change]
        Path("c.json").write_text(json.dumps(document))
        found = invoke("prove", "--check", "c.json")
        assert (found.exit_code, said[1] in found.output) == (said[0], True), found.output


def test_where_rows_always_depend_on_others_this_is_said(invoke: Any) -> None:
    Path("mine.py").write_text("def constrained_acceleration(model, q, v, tau):\n    return v\n")
    assert invoke("urdf", "pendulum", "-o", "rod.urdf").exit_code == 0
    body = find_mechanism("pendulum").bodies[0].name
    Path("rod.constraints.toml").write_text(f'[[constraint]]\nname = "weld"\nfirst = "world"\nsecond = "{body}"\n')
    found = invoke("prove", "closed:rod.urdf", "-i", "mine.py")
    assert found.exit_code == 5
    reason = "not defined, because M is singular or rows of J follow from others at every position"
    assert f"    {reason}: constrained acceleration\n" in found.stdout


def test_without_a_mechanism_a_line_for_each_kind_of_proof(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "TEXTBOOK", ("pendulum", "cart-pole"))
    monkeypatch.setattr(proving, "LOOPS", ("squeezing-mechanism",))
    general, constrained, _ = invoke("prove").stdout.splitlines()
    assert general.startswith("reference = oracle: 14 statements about 2 trees, each for every mechanism of this tree and these")
    assert constrained.startswith("reference = oracle: 9 statements about 1 tree, each for every mechanism of this tree, these")
    assert all(line.endswith("are proven with an error of 2^-100 at most") for line in (general, constrained))
    assert len(invoke("prove", "-v").stdout.splitlines()) == 26


def test_without_a_mechanism_what_is_refuted_is_printed_whole(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "TEXTBOOK", ("pendulum", "cart-pole"))
    monkeypatch.setattr(proving, "LOOPS", ())
    right = PROVABLE["gravity"]
    monkeypatch.setitem(PROVABLE, "gravity", lambda model, q: -right(model, q))
    run = invoke("prove")
    assert run.exit_code == 1
    assert run.stdout.splitlines()[0] == "pendulum, every mechanism of this tree and these kinds of joints: refuted"
    assert "    gravity            degree 13         refuted" in run.stdout
