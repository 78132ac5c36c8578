"""Code with less precision than float64 is judged in its own terms: right code agrees, wrong code is named through the noise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from derivations import coarser, direct, rounded
from wrong_codes import Changed, Misread

import dalembert
from cross_check.defaults import BAR
from cross_check.entry import Entry
from cross_check.exchange.results import Results
from cross_check.harness import check
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import Block, sample
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.judge.relations.table import RELATIONS
from cross_check.judge.settings import Settings, SettingsError
from dalembert.gatekeeper import run_gate
from implementations.classical import newton_euler
from implementations.field import Real
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism, find_mechanism
from mechanisms.files.document import from_document, to_document
from mechanisms.numbers.precision import FLOAT64, PRECISIONS, UnknownPrecision, precision_named
from mechanisms.quantities import ALL_USUAL, QUANTITIES
from reports import junit, markdown, services

FLOAT32, FLOAT16 = PRECISIONS["float32"], PRECISIONS["float16"]

FIXED = precision_named("q15.16")

COARSE = [*(one for one in PRECISIONS.values() if one != FLOAT64), FIXED, precision_named("q7.24")]

DYNAMICS = Path(__file__).with_name("float32_dynamics.py")


class Declaring:
    """Our reference in a type of numbers, or other code, that declares a precision."""

    name, version, mimic_joints = "code", "1", True

    def __init__(self, precision: str = "", code: Any = None) -> None:
        self.precision = precision
        self._code = code or Reference(Real(np.float32))

    def load(self, mechanism: Mechanism) -> Any:
        return self._code.load(mechanism)


def checked(code: Any, *specs: str, explain: bool = False, **settings: Any) -> Results:
    mechanisms = [(spec, find_mechanism(spec)) for spec in specs]
    return check(mechanisms, [Entry("code", "code", InProcess(code))], Settings(**settings), explain=explain)


def project(tmp_path: Path, *left_out: str) -> str:
    """The path of a module with Newton's and Euler's recursion in float32, without these texts."""
    text, path = DYNAMICS.read_text("utf-8"), tmp_path / "single.py"
    for one in left_out:
        assert one in text
        text = text.replace(one, "")
    path.write_text(text, "utf-8")
    return str(path)


GYROSCOPIC = " + np.cross(w[i], m.inertias[i] @ w[i])"


# Numbers


@pytest.mark.parametrize("name, made", [("float32", np.float32), ("float16", np.float16)])
def test_numbers_are_rounded_as_numpy_rounds_them(name: str, made: Any) -> None:
    precision, rng = PRECISIONS[name], np.random.default_rng(0)
    x = rng.uniform(1, 9, 10_000) * rng.choice([-1, 1], 10_000) * 10.0 ** rng.integers(-4, 4, 10_000)
    ties = (1 + np.arange(8) * precision.epsilon) + precision.epsilon / 2
    for given in (x, ties, -ties):
        assert np.array_equal(precision.rounded(given), given.astype(made).astype(np.float64))
    assert np.array_equal(precision.rounded(np.array([precision.least / 3, 0.0, -precision.least])), [0, 0, -precision.least])
    assert FLOAT64.rounded(x) is x
    assert (precision.epsilon, precision.least) == (np.finfo(made).eps, np.finfo(made).tiny)


def test_an_unknown_precision_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownPrecision, match=r"no precision 'single'; use float64, float32, float16, bfloat16, or fixed point such as q15\.16$"
    ):
        precision_named("single")
    with pytest.raises(UserCodeError, match=r"'mine\.py' cannot be used: there is no precision 'half'"):
        as_implementation(SimpleNamespace(precision="half", gravity=lambda mechanism, q: q), "mine.py", "mine")
    with pytest.raises(UserCodeError, match=r"its precision is the number 32; write \"float32\""):
        as_implementation(SimpleNamespace(precision=32, gravity=lambda mechanism, q: q), "mine.py", "mine")
    with pytest.raises(SettingsError, match="there is no precision 'half'"):
        Settings(precision="half")
    for name in ("q15", "q0.16", "q15.6", "q15.40", "Q15.16", "q15.16 "):
        with pytest.raises(UnknownPrecision, match=f"no precision {name!r}"):
            precision_named(name)


@pytest.mark.parametrize(
    "given, name", [("float16", "float16"), (np.float32, "float32"), (np.dtype("float32"), "float32"), (1e-9, "")]
)
def test_a_precision_is_a_name_or_a_type_of_numbers(given: Any, name: str) -> None:
    assert as_implementation(SimpleNamespace(precision=given, gravity=lambda mechanism, q: q), "m", "m").precision == name


def test_a_mechanism_keeps_its_precision_between_processes_and_is_the_same_mechanism() -> None:
    mechanism = find_mechanism("pendulum").in_precision(FLOAT32)
    assert from_document(to_document(mechanism)) == mechanism
    assert mechanism.fingerprint == find_mechanism("pendulum").fingerprint
    assert "precision" not in to_document(find_mechanism("pendulum"))


# States


@pytest.mark.parametrize(
    ("spec", "precision"), [*(("every-joint", one) for one in COARSE), ("satellite", FIXED)], ids=lambda x: getattr(x, "name", x)
)
def test_states_are_numbers_of_the_precision_where_it_has_digits(spec: str, precision: Any) -> None:
    mechanism = find_mechanism(spec).in_precision(precision)
    states = Model(mechanism).case(0, Block(0, 216)).states
    for name, column in states.columns.items():
        assert np.array_equal(column, precision.rounded(column)), name
        assert np.isfinite(column).all(), name
    assert max(np.abs(states.v).max(), np.abs(states.a).max()) <= 100
    for form, largest in (("angle", precision.epsilon**-0.5), ("distance", 30)):
        for _, slot in mechanism.slots(form):  # type: ignore[arg-type]
            assert np.abs(states.q[:, slot]).max() <= largest
    for form in ("quaternion", "circle"):
        for _, slot in mechanism.slots(form):  # type: ignore[arg-type]
            assert np.abs((states.q[:, slot] ** 2).sum(axis=1) - 1).max() <= precision.epsilon


def test_states_keep_what_they_were_drawn_for() -> None:
    mechanism = find_mechanism("planar-pendulum:4")
    plain, few = (sample(mechanism.in_precision(one), 0, 216) for one in (FLOAT64, FLOAT32))
    assert plain.kinds == few.kinds
    for name in ("q", "v", "a", "f"):
        one, other = plain.columns[name], few.columns[name]
        assert np.array_equal(one == 0, (other == 0) | (np.abs(one) < FLOAT32.least)), name
        assert np.array_equal(np.sign(one)[np.abs(one) > 1e-20], np.sign(other)[np.abs(one) > 1e-20]), name


def test_code_gets_arrays_of_the_type_that_it_declares() -> None:
    seen = []

    def gravity(mechanism: Mechanism, q: Any) -> Any:
        seen.append(q.dtype.name)
        return np.zeros(6, q.dtype)

    for precision in ("float32", "float16", "bfloat16", "float64"):
        for conventions in ({}, {"quaternion": "wxyz"}):
            code = SimpleNamespace(precision=precision, conventions=conventions, gravity=gravity)
            checked(as_implementation(code, "m", "m"), "free-rigid-body", quantities=["gravity"], states=1)
    assert list(dict.fromkeys(seen)) == ["float32", "float16", "float64"]


# The error scale


def test_a_size_counts_roundings_of_the_precision() -> None:
    mechanism, states = find_mechanism("every-joint"), sample(find_mechanism("every-joint"), 0, 5)
    plain, coarse = (ErrorScale(mechanism.in_precision(one)) for one in (FLOAT64, FLOAT32))
    one, other = (scale.size("inverse_dynamics", states.q, states.v, states.a) for scale in (plain, coarse))
    assert np.allclose(other[1:], 2.0**29 * one[1:], rtol=1e-12)
    still = np.zeros_like(states.v)
    assert not plain.size("centroidal_momentum", states.q, still).any()
    assert (coarse.size("centroidal_momentum", states.q, still) > 0).all(), "what is below the least number may be lost"


# Right code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "precision"),
    [pytest.param("every-joint", FLOAT32, marks=pytest.mark.nightly), ("spatial-3r", FLOAT32), ("furuta-pendulum", FLOAT16)],
)
def test_right_code_agrees(spec: str, precision: Any) -> None:
    code = Declaring(precision.name, Reference(Real(precision.dtype.type)))
    quantities = [name for name in ALL_USUAL if precision is FLOAT32 or not name.startswith("forward_dynamics")]
    with np.errstate(all="ignore"):
        results = checked(code, spec, quantities=quantities, states=72)
    assert not [item for item in results.items if item.verdict in ("discrepancy", "failed")]
    assert max(cell.error or 0.0 for cell in results.cells) > 0.05, "it does compute in that precision"
    worst = [(cell.error, cell.worst) for cell in results.cells if cell.error and cell.worst and cell.worst.magnitude]
    shown = [abs(one.got - one.expected) / (precision.epsilon * one.magnitude) for _, one in worst]
    assert shown == pytest.approx([error for error, _ in worst], rel=0.01), "readers can divide by the size that is shown"


@pytest.mark.slow
def test_relations_and_invariants_hold_in_float32() -> None:
    results = checked(Declaring("float32"), "spatial-3r", relations=tuple(RELATIONS))
    assert {one.verdict for one in results.invariants} <= {"agrees", "not offered", "unsupported"}


@pytest.mark.slow
def test_redundant_constraints_are_solved_in_float32() -> None:
    """The rows of J that follow from others are rounded, so that they are not exactly dependent."""
    results = checked(Declaring("float32"), "bricard", quantities=["constrained_acceleration"], states=18)
    assert [cell.verdict for cell in results.cells] == ["agrees"]


def test_reports_name_the_precision() -> None:
    results = checked(Declaring("float32"), "pendulum", quantities=["gravity"], states=5)
    assert '"label": "dynamics float32"' in services.badge(results)
    assert '<testsuite name="code (float32)"' in junit.render(results)
    assert "code (float32)" in markdown.render(results)
    plain = checked(Declaring("float64", REFERENCE), "pendulum", quantities=["gravity"], states=5)
    assert '"label": "dynamics"' in services.badge(plain)


def test_code_in_other_precisions_changes_no_number_of_float64_code() -> None:
    mechanism, settings = ("pendulum", find_mechanism("pendulum")), Settings(states=36)
    plain, few = Entry("plain", "plain", InProcess(REFERENCE)), Entry("few", "few", InProcess(Declaring("float32")))
    alone, both = (check([mechanism], entries, settings, explain=False) for entries in ([plain], [few, plain]))
    assert [cell for cell in both.cells if cell.implementation == "plain"] == list(alone.cells)
    assert [one.precision for one in both.implementations] == ["float32", "float64"]


def test_a_precision_of_the_run_is_that_of_code_that_declares_none() -> None:
    results = checked(Declaring(), "pendulum", quantities=["inverse_dynamics"], precision="float32")
    assert results.cells[0].verdict == "agrees"
    assert checked(Declaring(), "pendulum", quantities=["inverse_dynamics"]).cells[0].verdict == "discrepancy"
    declared = checked(Declaring("float64"), "pendulum", quantities=["inverse_dynamics"], precision="float32")
    assert declared.cells[0].verdict == "discrepancy"


# Fixed point, bfloat16 and mixed precisions: recorded programs, rounded after every instruction


def test_fixed_point_has_multiples_of_its_step() -> None:
    x = np.array([0.3, -0.3, FIXED.epsilon / 2, 1.5 * FIXED.epsilon, 1e6, -1e6, np.nan])
    near = FIXED.nearest(x)
    assert near[:4].tolist() == [19661 / 65536, -19661 / 65536, 0.0, 2 * FIXED.epsilon]
    assert np.isinf(near[4:6]).all()
    assert np.isnan(near[6])
    assert FIXED.rounded(x)[4:6].tolist() == [2.0**15 - 2.0**-16, 2.0**-16 - 2.0**15]
    assert (FIXED.spacing(x[:4]) == FIXED.epsilon).all()


@pytest.mark.parametrize("name", ["float32", "float16"])
def test_recorded_code_in_few_digits_is_as_far_off_as_code_in_numpy(name: str) -> None:
    precision = precision_named(name)
    mechanism = find_mechanism("spatial-3r").in_precision(precision)
    case = Model(mechanism).case(0, Block(0, 36))
    for recorded, own in zip(rounded(precision, precision).values(), direct(precision.dtype.type).values(), strict=True):
        errors = [units(case, one) for one in (recorded, own)]
        assert 0.05 < max(errors) < 2
        assert max(errors) < 3 * min(errors)


def units(case: Any, code: Any, quantity: str = "inverse_dynamics") -> float:
    answer = getattr(code.load(case.mechanism), quantity)(*case.states.arguments(QUANTITIES[quantity].arguments))
    return float(compare(case, QUANTITIES[quantity], np.asarray(answer, np.float64)).units.max())


MIXED = [("q15.16", "q15.16"), ("q7.24", "q7.24"), ("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("float32", "float16")]


@pytest.mark.parametrize(("products", "sums"), MIXED)
def test_right_code_in_any_precision_is_within_the_bar_and_near_it(products: str, sums: str) -> None:
    """Code in two precisions declares the coarser one."""
    both = precision_named(products), precision_named(sums)
    case = Model(find_mechanism("spatial-3r").in_precision(coarser(*both))).case(0, Block(0, 36))
    for quantity in ("inverse_dynamics", "mass_matrix", "gravity", "forward_dynamics"):
        assert 0.005 < units(case, rounded(*both)["spatial algebra"], quantity) < 4


def test_a_rounding_in_fixed_point_is_one_of_a_number_near_one() -> None:
    """The pendulum of Furuta has moments of inertia of 10⁻⁴ kg m², of which q15.16 has seven steps."""
    case = Model(find_mechanism("furuta-pendulum").in_precision(FIXED)).case(0, Block(0, 9))
    for code in rounded(FIXED, FIXED).values():
        for quantity in ("mass_matrix", "inverse_dynamics"):
            assert 0.01 < units(case, code, quantity) < 1


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        *(("stanford-arm", quantity) for quantity in ("kinetic_energy", "inverse_dynamics", "inverse_dynamics_dq")),
        ("elastic-joint", "potential_energy"),
    ],
)
def test_states_are_so_small_that_right_code_does_not_overflow(name: str, quantity: str) -> None:
    """The slide of the Stanford arm, and a turn of a spring, reach far: at 30 m and 33 rad energies are beyond q15.16's range."""
    case = Model(find_mechanism(name).in_precision(FIXED)).case(0, Block(0, 36))
    assert 0.001 < units(case, rounded(FIXED, FIXED)["spatial algebra"], quantity) < BAR


@pytest.mark.parametrize(
    ("computes", "notes"),
    [("q15.16", ["all answers are multiples of 2^-16; if the code computes in q15.16, declare that"]), ("q7.24", [])],
)
def test_code_with_fewer_bits_than_it_declares_is_told_so(computes: str, notes: list[str]) -> None:
    """A step of q15.16 is 256 of q7.24, and errors may be below 16 ε-units of sizes of one and more."""
    precision = precision_named(computes)
    code = Declaring("q7.24", rounded(precision, precision)["Newton and Euler"])
    results = checked(code, "spatial-3r", quantities=("inverse_dynamics",), invariants=False)
    assert [one.why for one in results.skipped] == notes


def test_a_mechanism_with_numbers_beyond_the_range_is_not_compared() -> None:
    code = Declaring("float16", Reference(Real(np.float16)))
    skipped = checked(code, "satellite", quantities=("gravity",)).skipped
    assert [one.why for one in skipped] == ["float16 has no number as large as the moment of inertia 2.73e+05 of hub"]
    assert checked(Declaring("float32"), "satellite", quantities=("gravity",)).cells[0].verdict == "agrees"


def test_numbers_of_states_in_fixed_point_count_as_one_at_least() -> None:
    scale, one = ErrorScale(find_mechanism("spatial-3r").in_precision(FIXED)), np.ones((1, 3))
    sizes = [scale.size("inverse_dynamics", 0 * one, factor * one, one) for factor in (0.0, 0.01, 1.0, 2.0)]
    assert np.array_equal(sizes[0], sizes[2])
    assert np.array_equal(sizes[1], sizes[2])
    assert (sizes[3] > 2 * sizes[2]).all()


@pytest.mark.parametrize("quantity", ["forward_dynamics_dtau", "center_of_mass_jacobian"])
def test_answers_in_fixed_point_are_rounded_to_the_step_however_small(quantity: str) -> None:
    """The slide of wall-arms is at 16 m, so that a number of M⁻¹ is 0.0035, and J_c is divided by the mass."""
    case = Model(find_mechanism("wall-arms").in_precision(FIXED)).case(0, Block(0, 36))
    assert 0.05 < units(case, rounded(FIXED, FIXED)["spatial algebra"], quantity) < 2
    one = compare(case, QUANTITIES[quantity], getattr(REFERENCE.load(case.mechanism), quantity)(case.states.q))
    assert (one.magnitude[one.expected != 0] >= FIXED.coarseness).all()


def test_a_wrong_mass_is_seen_in_the_inverse_of_m_in_fixed_point() -> None:
    case = Model(find_mechanism("spatial-3r").in_precision(FIXED)).case(0, Block(0, 36))
    code = Misread(heavier(0.1), rounded(FIXED, FIXED)["spatial algebra"])
    assert units(case, code, "forward_dynamics_dtau") > BAR


@pytest.mark.slow
def test_a_center_of_mass_is_divided_by_the_mass_in_fixed_point() -> None:
    """centauro weighs 90 kg, and 1/90 has nine bits in q15.16."""
    case = Model(find_mechanism("centauro").in_precision(FIXED)).case(0, Block(0, 9))
    right = rounded(FIXED, FIXED)["spatial algebra"]
    mass = sum(float(body.inertia.mass) for body in case.mechanism.bodies)
    inverse = float(FIXED.nearest(np.array(1 / mass)))
    multiplied = Changed(lambda mechanism, quantity, answer, arguments: FIXED.nearest(answer * mass * inverse))
    assert units(case, right, "center_of_mass") < 1
    assert units(case, multiplied, "center_of_mass") > BAR


def edited(text: str, by: str = "") -> Any:
    """The recursion of Newton and Euler with another text in the place of this one."""
    source = Path(newton_euler.__file__).read_text("utf-8")
    assert text in source
    made: dict[str, Any] = {"__name__": "wrong"}
    exec(source.replace(text, by), made)
    return made["ALGORITHMS"]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize(
    "text, sentence",
    [
        (" + cross(ω[-1], I @ ω[-1])", "ω × I ω is left out"),
        ("cross(ω[-1], cross(ω[-1], c)) + ", "ω × (ω × c), the centripetal acceleration of the centre of mass, is left out"),
    ],
)
def test_a_term_that_is_left_out_is_named_in_fixed_point(text: str, sentence: str) -> None:
    """On a mechanism with moments of inertia and distances near one."""
    arm = find_mechanism("spatial-3r")
    inertias = [
        replace(body.inertia, com=tuple(3 * x for x in body.inertia.com), about_com=tuple(40 * x for x in body.inertia.about_com))
        for body in arm.bodies
    ]
    bodies = tuple(replace(body, inertia=inertia) for body, inertia in zip(arm.bodies, inertias, strict=True))
    code = Declaring("q15.16", replace(rounded(FIXED, FIXED)["Newton and Euler"], algorithms=edited(text)))
    settings = Settings(quantities=("inverse_dynamics",), invariants=False)
    results = check([("arm", replace(arm, bodies=bodies))], [Entry("code", "code", InProcess(code))], settings)
    assert [cause.sentence for cause in results.causes] == [f"In code, {sentence}"]


# Wrong code


def heavier(factor: float) -> Any:
    def read(mechanism: Mechanism) -> Mechanism:
        *others, last = mechanism.bodies
        mass = last.inertia.mass * (1 + Fraction(factor))
        return replace(mechanism, bodies=(*others, replace(last, inertia=replace(last.inertia, mass=mass))), physical=False)

    return read


def test_a_mass_that_is_a_little_wrong_is_seen_and_named() -> None:
    def found(factor: float) -> Any:
        code = Declaring("float32", Misread(heavier(factor), Reference(Real(np.float32))))
        (cell,) = checked(code, "spatial-3r", quantities=["inverse_dynamics"]).cells
        return cell

    assert found(0.0).verdict == "agrees"
    little = found(2e-5)
    assert (little.verdict, little.sharpness.number) == ("discrepancy", "the mass of link3")
    assert found(1e-4).sharpness.change == pytest.approx(1e-4, rel=0.1)


def test_answers_may_have_more_digits_than_declared_and_no_fewer() -> None:
    half = Changed(lambda mechanism, quantity, answer, arguments: answer.astype(np.float16))
    for code, verdict in ((REFERENCE, "agrees"), (half, "discrepancy")):
        (cell,) = checked(Declaring("float32", code), "spatial-3r", quantities=["inverse_dynamics"]).cells
        assert cell.verdict == verdict


@pytest.mark.slow
@pytest.mark.nightly
def test_a_term_that_is_left_out_is_named_through_the_noise_with_its_line(tmp_path: Path) -> None:
    results = dalembert.check("spatial-3r", project(tmp_path, GYROSCOPIC))
    (cause,) = results.causes
    assert cause.sentence == "In single, ω × I ω is left out"
    assert cause.mend is not None
    assert GYROSCOPIC.removeprefix(" + ") in cause.mend.changes[0].after


@pytest.mark.slow
def test_wrong_code_that_declares_nothing_gets_both_causes(tmp_path: Path) -> None:
    results = dalembert.check(["spatial-3r", "pendulum"], project(tmp_path, GYROSCOPIC, 'precision = "float32"'))
    undeclared, wrong = sorted(results.causes, key=lambda cause: "left out" in cause.sentence)
    said = "single computes in float32 and does not declare it; as float32 code it is right in 1 of 2 cells"
    assert undeclared.sentence.startswith(said)
    assert undeclared.remedy.startswith('write precision = "float32" beside the functions if that is meant')
    assert wrong.sentence == "In single, ω × I ω is left out"
    red = {cell.id for cell in results.cells if cell.verdict == "discrepancy"}
    assert {*undeclared.cells, *wrong.cells} == red == {cell.id for cell in results.cells if cell.worst}


@pytest.mark.parametrize(
    ("spec", "how"),
    [
        ("lib:code.so", 'export dalembert_precision, which returns "float32", if that is meant'),
        ("cmd:./code", 'add "precision": "float32" to the program\'s hello if that is meant'),
    ],
)
def test_code_that_declares_nothing_is_told_how_code_of_its_kind_declares(spec: str, how: str) -> None:
    own, settings = find_mechanism("spatial-3r"), Settings(quantities=("inverse_dynamics",), states=36, invariants=False)
    loaded = direct(np.float32)["Newton and Euler"].load(own)
    code = SimpleNamespace(inverse_dynamics=lambda *given: loaded.inverse_dynamics(*(x.astype(np.float32) for x in given)))
    single = InProcess(SimpleNamespace(name="code", load=lambda mechanism: code))
    results = check([("arm", own)], [Entry("code", spec, single)], settings)
    assert [cause.remedy.startswith(how) for cause in results.causes] == [True]


ROUNDED = Changed(lambda mechanism, quantity, answer, arguments: answer.astype(np.float32))


@pytest.mark.parametrize(("ends", "interrupted"), [(ZeroDivisionError, False), (KeyboardInterrupt, True)])
def test_results_are_kept_if_the_precision_cannot_be_measured(monkeypatch: Any, ends: type, interrupted: bool) -> None:
    def measured(*given: Any) -> None:
        raise ends

    monkeypatch.setattr("cross_check.explain.diagnosis.causes.of_run.undeclared", measured)
    results = checked(ROUNDED, "pendulum", explain=True, quantities=["inverse_dynamics"], invariants=False)
    assert [cell.verdict for cell in results.cells] == ["discrepancy"]
    assert any("interrupted" in one.why for one in results.skipped) == interrupted


def test_answers_that_are_only_rounded_are_no_undeclared_float32() -> None:
    results = checked(ROUNDED, "spatial-3r", explain=True, quantities=["inverse_dynamics"], invariants=False)
    assert [cause.sentence for cause in results.causes] == ["In code, answers are rounded to float32"]


def test_a_baseline_is_of_one_precision(tmp_path: Path) -> None:
    path, given = tmp_path / "baseline.json", {"quantities": ["gravity"], "states": 5}
    fine, coarse = Declaring("float64", REFERENCE), Declaring("float32", REFERENCE)
    run_gate(fine, ["pendulum"], path, True, in_process=True, **given)
    assert not run_gate(fine, ["pendulum"], path, False, in_process=True, **given)[1]
    with pytest.raises(SettingsError, match=r"in float32, and the baseline .* is of float64; declare that one, or"):
        run_gate(coarse, ["pendulum"], path, False, in_process=True, **given)
    run_gate(coarse, ["pendulum"], path, True, in_process=True, **given)
    assert not run_gate(coarse, ["pendulum"], path, False, in_process=True, **given)[1]
