"""Test vectors: values are right, sizes are the same on every machine, and every flag keeps its word."""

from __future__ import annotations

import copy
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as some
from write_vectors import adequacy

import oracle
from cross_check import make_vectors
from cross_check.exchange.results import ResultsError
from cross_check.exchange.vectors.document import column, hexadecimal, passes, schema, text_of
from cross_check.exchange.vectors.files import (
    Made,
    Task,
    corpus,
    difference,
    digest,
    first_difference,
    read_sums,
    require_distinct,
)
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.flags import FLAGS, VectorFlag
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.comparison.recipes import RECIPES, states_for
from cross_check.judge.comparison.rounded_values import Values, rounded_up
from cross_check.make_vectors import make, no_vectors, vectors_of
from cross_check.memory import Array
from implementations.plugins.registry import find_implementation
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.errors import Unsupported
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.quantities import QUANTITIES, USUAL

COMMITTED = Path(__file__).parents[2] / "docs" / "vectors"

WITH_VECTORS = [name for name in USUAL if not no_vectors(QUANTITIES[name])]
BY_DAY = [*{QUANTITIES[name].axes: name for name in reversed(WITH_VECTORS)}.values()]
"""One of every shape."""
BY_NIGHT = [name for name in WITH_VECTORS if name not in BY_DAY]


@cache
def found(spec: str) -> Mechanism:
    return find_mechanism(spec)


@cache
def vectors(spec: str, quantity: str) -> dict[str, Any]:
    mechanism = found(spec)
    made = vectors_of(spec, mechanism, QUANTITIES[quantity], Values(mechanism))
    jsonschema.Draft202012Validator(schema()).validate(made)
    return json.loads(text_of(made))


def answers(implementation: str, spec: str, quantity: str) -> Array:
    """What an implementation gives at the vectors of a file."""
    file = vectors(spec, quantity)
    arguments = (column(file["vectors"], name) for name in file["quantity"]["arguments"])
    return np.asarray(getattr(find_implementation(implementation).load(found(spec)), quantity)(*arguments))


# Values


@pytest.mark.slow
@pytest.mark.parametrize("quantity", BY_DAY + [pytest.param(name, marks=pytest.mark.nightly) for name in BY_NIGHT])
def test_the_reference_passes_every_quantity(quantity: str) -> None:
    assert passes(vectors("floating-base-link", quantity), answers("reference", "floating-base-link", quantity)).all()


def test_a_wrong_bit_of_an_answer_does_not_fail_and_a_wrong_term_does() -> None:
    file = vectors("puma560", "inverse_dynamics")
    expected = column(file["vectors"], "expected")
    assert passes(file, np.nextafter(expected, np.inf)).all()
    assert not passes(file, np.where(expected == 0, 1e-6, expected * (1 + 1e-6))).any()
    assert not passes(file, np.full_like(expected, np.nan)).any()


def test_accelerations_of_a_pendulum_are_the_nearest_numbers() -> None:
    """q̈ = (τ − d v − m g l sin q) / (I + m l²), in balls."""
    for vector in vectors("pendulum", "forward_dynamics")["vectors"]:
        q, v, tau = (arb(float.fromhex(vector[name][0])) for name in ("q", "v", "tau"))
        value = float.fromhex(vector["expected"][0])
        with ctx.workprec(400):
            weight = arb("1.2") * arb("0.4") * arb("9.81")
            exact = (tau - arb("0.05") * v - weight * q.sin()) / (arb("0.064") + arb("1.2") * arb("0.16"))
            assert abs(exact - arb(value)) <= arb(math.ulp(value)) / 2 or value == 0 == float(exact)


def test_states_are_left_out_where_hinges_lock_each_other() -> None:
    """Three hinges about z, y and x are an Euler joint, which locks at a quarter turn of the second."""
    names = ("world", "a", "b", "c")
    inertias = (Inertia.massless(), Inertia.massless(), Inertia(1, (0, 0, 0), (1, 2, 3, 0, 0, 0)))
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    bodies = [Body(names[k + 1], names[k], Joint(f"j{k}", "revolute", axes[k]), inertias[k]) for k in range(3)]
    wrist = Mechanism("wrist", tuple(bodies), physical=False)
    states = [
        {vector["state"] for vector in vectors_of("wrist", wrist, QUANTITIES[name], Values(wrist))["vectors"]}
        for name in ("forward_dynamics", "inverse_dynamics")
    ]
    assert "quarter turns" in states[1] and "quarter turns" not in states[0]
    assert {"zero", "moving", "fast"} <= states[0]


def test_what_overflows_is_left_out() -> None:
    huge = Body("b", "world", Joint("j", "revolute"), Inertia(10**39, (10**30, 0, 0), (10**39,) * 3 + (0,) * 3))
    small = Values(Mechanism("huge", (huge,)))
    states = small.with_forces(states_for(Mechanism("huge", (huge,)), QUANTITIES["kinetic_energy"]))
    states.v[:] *= 1e120
    with pytest.raises(Unsupported, match="its values, or their sizes, are too large for float64"):
        small.expected(QUANTITIES["kinetic_energy"], states)


def test_a_singular_mass_matrix_leaves_forward_dynamics_out() -> None:
    bodies = (
        Body("rod", "world", Joint("swing", "revolute", (0, 1, 0)), Inertia(1, (0, 0, -1), (1, 1, 0, 0, 0, 0))),
        Body("tip", "rod", Joint("spin", "revolute"), Inertia.massless()),
    )
    task = Task("tip", Mechanism("tip", bodies, physical=False), "forward_dynamics")
    (made,) = make([task], lambda *_: None)
    assert made.left_out == "M is singular, for nothing that 'spin' moves has inertia, so q̈ is undefined"


# States


def test_states_are_of_unit_length_and_differ() -> None:
    mechanism = found("every-joint")
    for name in ("inverse_dynamics", "gravity"):
        quantity = QUANTITIES[name]
        states = states_for(mechanism, quantity)
        rows = zip(*states.arguments(quantity.arguments), strict=True)
        assert len({np.concatenate(row).tobytes() for row in rows}) == len(states) <= len(RECIPES) == 17
    for form, slack in (("quaternion", 2.0**-55), ("circle", 2.0**-60)):
        for _, slot in mechanism.slots(form):  # type: ignore[arg-type]
            lengths = (states.q[:, slot].astype(np.longdouble) ** 2).sum(axis=1)
            assert abs(lengths - 1).max() <= slack + 2.0**-62


# Numbers in files


@given(some.floats(allow_nan=False, allow_infinity=False))
def test_every_bit_of_a_number_survives(x: float) -> None:
    text = hexadecimal(x)
    assert float.fromhex(text) == x
    jsonschema.Draft202012Validator({"$ref": "#/$defs/number", "$defs": schema()["$defs"]}).validate(text)


def test_numbers_are_written_as_c_writes_them() -> None:
    written = [hexadecimal(x) for x in (0.0, -0.0, 1.0, -3.0, 0.1, 2.0**-1074, 1024.0)]
    assert written == ["0x0p+0", "0x0p+0", "0x1p+0", "-0x1.8p+1", "0x1.999999999999ap-4", "0x0.0000000000001p-1022", "0x1p+10"]


@given(some.floats(2.0**-900, 2.0**900))
def test_sizes_are_rounded_up_to_eight_bits(size: float) -> None:
    try:
        rounded = float(rounded_up(np.array([size]))[0])
    except oracle.OracleError:
        return  # One in a billion.
    assert size < rounded <= size * (1 + 2.0**-7) * (1 + 2.0**-29)
    mantissa, _ = math.frexp(rounded)
    assert mantissa * 256 == int(mantissa * 256)
    assert rounded == rounded_up(np.array([size * (1 + 2.0**-44)]))[0] == rounded_up(np.array([size * (1 - 2.0**-44)]))[0]


def test_simple_sizes_are_far_from_the_border_and_near_ones_are_refused() -> None:
    assert rounded_up(np.array([0.0, 1.0, 3.0])).tolist() == [0.0, 1.0078125, 3.015625]
    with pytest.raises(oracle.OracleError, match="too near to a number of 8 bits to be the same on every machine"):
        rounded_up(np.array([5.0, 1.5 / (1 + 2.0**-30)]))


# Flags


@pytest.mark.nightly
@pytest.mark.slow
def test_the_fault_of_every_flag_shows_where_the_flag_is_and_nowhere_else() -> None:
    # The first quantity has all arguments but τ, which the second has.
    every = [(vectors(spec, "inverse_dynamics_with_forces"), found(spec)) for spec in PLAIN_TEXTBOOK]
    table = adequacy([*every, (vectors("scara", "forward_dynamics"), found("scara"))])
    assert {name: (row.caught > 0, row.others) for name, row in table.items()} == {flag.name: (True, 0) for flag in FLAGS}


def test_flags_that_do_not_keep_their_word_are_found() -> None:
    sideways = next(flag for flag in FLAGS if flag.name == "unusual-gravity")
    blind = VectorFlag("blind", "nothing is wrong", Fault("nothing is wrong", "nothing", mechanism=lambda m: m))
    narrow = VectorFlag("unusual-gravity", "of few vectors", next(f for f in FAULTS if f.name == "gravity is left out"))
    pairs = [(vectors(spec, "inverse_dynamics"), found(spec)) for spec in ("pendulum", "wall-arms")]
    table = adequacy(pairs, [sideways, blind])
    assert table["unusual-gravity"].is_adequate
    assert not table["blind"].is_adequate
    assert adequacy(pairs, [narrow])["unusual-gravity"].others > 0


# The document


@pytest.mark.parametrize("part", ["", "judge", "quantity", "provenance", "mechanism"])
def test_unknown_fields_are_refused(part: str) -> None:
    file = copy.deepcopy(vectors("pendulum", "inverse_dynamics"))
    for one in (file[part] if part else file, file["vectors"][0]):
        one["unheard"] = "0x1p+0"
        with pytest.raises(jsonschema.ValidationError, match="unheard"):
            jsonschema.Draft202012Validator(schema()).validate(file)
        del one["unheard"]


def test_names_are_foreign_text_and_stay_in_their_place() -> None:
    body = Body("b", "world", Joint('j", "masses": ["0x1p+9"], "x": "', "revolute"), Inertia(1, (0, 0, 1), (1, 1, 1, 0, 0, 0)))
    hostile = Mechanism("../../etc/\x1b[31m<b>passwd", (body,))
    task = Task("hostile.urdf; rm -rf ~", hostile, "inverse_dynamics")
    assert task.name == "etc-31m-b-passwd/inverse_dynamics.json"
    (made,) = make([task], lambda *_: None)
    file = json.loads(made.text)
    assert file["mechanism"]["joint_names"] == [hostile.bodies[0].joint.name]
    assert file["provenance"]["command"] == "dalembert vectors 'hostile.urdf; rm -rf ~' -q inverse_dynamics -o vectors"
    assert "\x1b" not in made.text
    folders = [Task("", Mechanism(name, (body,)), "gravity").name.partition("/")[0] for name in ("..", "con/../x", "é")]
    assert folders == ["mechanism", "con-..-x", "mechanism"]


def test_two_mechanisms_never_share_a_file() -> None:
    one, other = found("planar-pendulum:2"), find_mechanism("planar-pendulum:2")
    require_distinct([Task("a", one, "gravity"), Task("a", one, "mass_matrix")])
    with pytest.raises(ResultsError, match=r"a and b would both be written to planar-pendulum-2/gravity\.json"):
        require_distinct([Task("a", one, "gravity"), Task("b", other, "gravity")])


def test_a_file_that_would_be_huge_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_vectors, "MOST_NUMBERS", 100)
    made = list(make([Task("scara", found("scara"), name) for name in ("mass_matrix", "gravity")], lambda *_: None))
    assert [one.left_out for one in made] == ["it has 128 numbers; 100 are the most", ""]


# The corpus


def test_the_first_difference_is_named() -> None:
    assert first_difference({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "x"}]}) is None
    assert first_difference({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}) == ("$.a[1].b", "'x'", "'y'")
    assert first_difference({"a": [1]}, {"a": [1, 2]}) == ("$.a[1]", "nothing", "2")
    assert first_difference({"a": 1, "c": 2}, {"a": 1}) == ("$.c", "2", "nothing")


def test_the_digests_of_the_repository_are_those_of_its_files() -> None:
    sums = read_sums(COMMITTED)
    paths = sorted(COMMITTED.glob("*/*.json"))
    assert len(paths) == 2 * len(PLAIN_TEXTBOOK)
    for path in paths:
        assert sums[path.relative_to(COMMITTED).as_posix()] == digest(path.read_text("utf-8"))


@pytest.mark.slow
def test_the_vectors_of_the_repository_are_made_again_bit_for_bit() -> None:
    sums, few = read_sums(COMMITTED), ("pendulum", "furuta-pendulum", "telescope", "gyroscope", "puck", "screw-jack")
    tasks = [task for task in corpus(found, few, ()) if task.quantity == "inverse_dynamics" or task.spec == "screw-jack"]
    for made in make(tasks, lambda *_: None):
        assert difference(made, COMMITTED, sums) == ""


def test_a_bit_that_changed_is_found(tmp_path: Path) -> None:
    task = Task("pendulum", found("pendulum"), "gravity")
    (made,) = make([task], lambda *_: None)
    assert difference(made, COMMITTED, read_sums(COMMITTED)) == ""
    path = tmp_path / task.name
    path.parent.mkdir()
    file = json.loads(made.text)
    file["vectors"][1]["expected"] = [hexadecimal(math.nextafter(float.fromhex(file["vectors"][1]["expected"][0]), 9))]
    path.write_text(text_of(file), "utf-8")
    assert "differs at $.vectors[1].expected[0]: '" in difference(made, tmp_path, {})
    path.write_text(made.text, "utf-8")
    assert difference(made, tmp_path, {}) == ""
    assert "has another digest" in difference(made, tmp_path, {task.name: "0" * 64})
    path.unlink()
    assert difference(made, tmp_path, {task.name: digest(made.text)}) == ""
    assert difference(made, tmp_path, {task.name: "0" * 64}) == f"{task.name} has another digest than SHA256SUMS says"
    assert "is missing; write it with -o" in difference(Made(task, made.text), tmp_path, {})
