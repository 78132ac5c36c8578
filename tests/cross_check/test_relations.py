"""Metamorphic relations: right code keeps all of them, and for each there is a fault that breaks it alone."""

from __future__ import annotations

import dataclasses
import math
import re
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results import Cell, Invariant, verdict_of
from cross_check.exchange.results.objects import BAR
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.edits import CONSTRAINT_FAULTS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import NO_FAULT, Mutant, MutantDynamics, suppose, with_forces
from cross_check.explain.faults.typical import FAULTS as TYPICAL
from cross_check.harness import Entry, check
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.relations.check import check_relations
from cross_check.judge.relations.relation import Asked, errors_by_quantity
from cross_check.judge.relations.table import USUAL
from cross_check.judge.relations.transformation import ALL_RELATED, OF_CONSTRAINTS, RELATED, Question
from cross_check.judge.settings import Settings, SettingsError
from dalembert.session import settings_from
from implementations.processes.find import find_subject
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.geometry import Placement
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES, INTEGRATION, QUANTITIES
from mechanisms.quantities import USUAL as COMPARED
from reports.reproduction import reproduce

SCALED = ("scaled_mass", "scaled_length", "scaled_time")
GOVERNOR = find_mechanism("flyball-governor")
ASKED = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "gravity", "potential_energy")


def found(subject: Any, mechanism: Mechanism, count: int = 18, names: Any = USUAL, quantities: Any = ()) -> dict[str, Invariant]:
    case = suppose(mechanism, with_forces(mechanism, sample(mechanism, 0, count)))
    loaded = subject.load(mechanism)
    checked, seconds = check_relations(case, loaded, subject.load, "mine", BAR, tuple(names), quantities)
    assert seconds > 0
    return {relation.name: relation for relation in checked}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "count", "quantities", "unsupported"),
    [
        ("every-joint", 6, (), ()),
        ("free-rigid-body", 12, (), ("other_root",)),
        ("framed:cart-pole", 2, ALL_RELATED, ()),
    ],
    ids=["every kind of joint", "a body without joints has no other root", "quantities that are named beside them"],
)
def test_all_hold_for_the_reference(spec: str, count: int, quantities: Any, unsupported: tuple[str, ...]) -> None:
    items = found(InProcess(REFERENCE), find_mechanism(spec), count, quantities=quantities)
    errors = {name: (item.verdict, item.error, item.message) for name, item in items.items()}
    assert errors.keys() == USUAL.keys()
    assert {name for name, (verdict, *_) in errors.items() if verdict != "agrees"} == set(unsupported), errors
    assert max(error for _, error, _ in errors.values() if error is not None) < BAR / 4
    # Powers of two change no digit.
    assert {errors[name][1] for name in SCALED} == {0}


def test_the_relations_are_about_every_quantity() -> None:
    mechanism = find_mechanism("spatial-3r")
    states = sample(mechanism, 0, 3)
    case, subject = suppose(mechanism, states), InProcess(REFERENCE)
    assert Asked(case, subject.load(mechanism), subject.load).quantities == set(RELATED), "others only if they are named"
    related = {name: set(relation.relate(mechanism, states).back) for name, relation in USUAL.items()}
    everything = {name for name in ALL_QUANTITIES if ALL_QUANTITIES[name].has_value} | {"forward_dynamics"}
    everything -= {*INTEGRATION}  # No relation changes dv or the second position.
    assert set(RELATED) == everything & set(COMPARED)
    assert set(ALL_RELATED) == everything
    assert set(OF_CONSTRAINTS) == everything & set(CONSTRAINT_QUANTITIES)
    for name in ("rotated_base", "translated_base", "relabelled_bodies", *SCALED, "inserted_welds"):
        assert related[name] == everything
    assert related["split_bodies"] == everything - {"forward_dynamics"}
    takes_v = {name for name in everything if "v" in ALL_QUANTITIES[name].arguments}
    assert related["reversed_time"] == takes_v
    assert related["superposed_accelerations"] == {
        name for name in everything if {"a", "tau", "f"} & set(ALL_QUANTITIES[name].arguments)
    }


class OffElsewhere:
    """The reference, off by 1e-8 of every answer wherever it is not asked the original question."""

    def __init__(self, original: Question) -> None:
        self.original = original

    def load(self, mechanism: Mechanism) -> Any:
        right, own = REFERENCE.load(mechanism), mechanism.fingerprint == self.original.mechanism.fingerprint

        def answer(name: str, *given: Any) -> Any:
            asked = own and all(map(np.array_equal, given, self.original.states.arguments(ALL_QUANTITIES[name].arguments)))
            return getattr(right, name)(*given) * (1 if asked else 1 + 1e-8)

        return SimpleNamespace(**{name: partial(answer, name) for name in (*QUANTITIES, *OF_CONSTRAINTS)})


def errors_elsewhere(mechanism: Mechanism, states: list[int], name: str, quantities: Any) -> tuple[Any, dict[str, Any]]:
    """The relation of this name, and the errors of code that is off wherever it is not asked the original question."""
    case = suppose(mechanism, with_forces(mechanism, sample(mechanism, 0, 6).pick(np.array(states))))
    related = USUAL[name].relate(mechanism, case.states)
    subject = InProcess(OffElsewhere(related.original))
    asked = Asked(case, subject.load(mechanism), subject.load, quantities)
    return related, errors_by_quantity(related, asked.pose(related.original), [asked.pose(image) for image in related.images])


@pytest.mark.slow
@pytest.mark.parametrize("name", USUAL)
def test_every_quantity_of_a_relation_is_compared(name: str) -> None:
    related, errors = errors_elsewhere(find_mechanism("framed:spatial-3r"), [1, 5], name, ALL_RELATED)
    assert errors.keys() == related.back.keys() - {*OF_CONSTRAINTS}
    # The size of forward dynamics contains what an ill-conditioned M may lose.
    least = {quantity: BAR if quantity == "forward_dynamics" else 1e3 for quantity in errors}
    assert {quantity for quantity, units in errors.items() if units.max() < least[quantity]} == set()


@pytest.mark.parametrize("name", [name for name in USUAL if name not in ("other_root", "superposed_accelerations")])
def test_quantities_of_constraints_are_compared_and_hold(name: str) -> None:
    (right,) = found(InProcess(REFERENCE), GOVERNOR, 3, [name], OF_CONSTRAINTS).values()
    assert (right.verdict, (right.error or 0) < 1) == ("agrees", True)
    _, errors = errors_elsewhere(GOVERNOR, [0, 1, 2], name, OF_CONSTRAINTS)
    assert errors.keys() == ({"constraint_drift"} if name == "reversed_time" else {*OF_CONSTRAINTS})
    assert min(units.max() for units in errors.values()) > 1e3


class FaultyConstraints:
    """The reference with a fault in J, in the drift or in how constraints are read; ``only`` of the quantities are offered."""

    def __init__(self, fault: Fault, *only: str) -> None:
        self.fault, self.only = fault, only or OF_CONSTRAINTS

    def load(self, mechanism: Mechanism) -> Any:
        names = self.only if mechanism.constraints else ("gravity",)
        loaded = MutantDynamics(self.fault, mechanism) if mechanism.constraints else REFERENCE.load(mechanism)
        return SimpleNamespace(**{name: getattr(loaded, name) for name in names})


def in_order_of_names(m: Mechanism) -> Mechanism:
    return dataclasses.replace(m, constraints=tuple(sorted(m.constraints, key=lambda one: one.name)))


OF_J = {fault.name: fault for fault in CONSTRAINT_FAULTS}

CONSTRAINT_SLIPS = {
    "rotated_base": OF_J["J and the drift are along the root's axes"],
    "translated_base": OF_J["J is about the root's origin"],
    "relabelled_bodies": Fault("constraints are in the order of their names", "constraints", mechanism=in_order_of_names),
}
"""By relation: a fault in J or in the drift that breaks it."""


@pytest.mark.parametrize("name", CONSTRAINT_SLIPS)
def test_each_catches_its_fault_with_constraints(name: str) -> None:
    items = found(InProcess(FaultyConstraints(CONSTRAINT_SLIPS[name])), GOVERNOR, 6, CONSTRAINT_SLIPS, OF_CONSTRAINTS)
    assert items[name].verdict == "discrepancy"
    assert re.match("broken by constraint_(jacobian|drift) ", items[name].message)
    assert {other for other, item in items.items() if item.verdict == "agrees"} == CONSTRAINT_SLIPS.keys() - {name}


def test_a_run_checks_relations_with_and_without_constraints() -> None:
    relations = ("rotated_base", "superposed_accelerations")
    settings = Settings(states=3, quantities=("constraint_jacobian",), invariants=False, relations=relations)
    four_bar = find_mechanism("four-bar")
    verdicts = {}
    for fault in (NO_FAULT, CONSTRAINT_SLIPS["rotated_base"]):
        subject = InProcess(FaultyConstraints(fault, "constraint_jacobian"))
        results = check([("four-bar", four_bar)], [Entry("mine", "mine", subject)], settings, explain=False)
        verdicts[fault.name] = {item.name: (item.verdict, item.message) for item in results.invariants}
        assert len(results.invariants) == 2
    right, wrong = verdicts.values()
    assert [verdict for verdict, _ in right.values()] == ["agrees", "not offered"]
    assert wrong["rotated_base"][0] == "discrepancy"
    assert wrong["rotated_base"][1].startswith("broken by constraint_jacobian (rocker pin.v")


def on_axis(mechanism: Mechanism) -> Mechanism:
    """The robot with its first joint at the root's origin."""
    first, *others = mechanism.bodies
    joint = dataclasses.replace(first.joint, placement=Placement(first.joint.placement.rotation))
    return dataclasses.replace(mechanism, bodies=(dataclasses.replace(first, joint=joint), *others))


ARM = on_axis(find_mechanism("puma560"))


def downwards(m: Mechanism) -> Mechanism:
    x, y, z = m.gravity
    return m if x == y == 0 else dataclasses.replace(m, gravity=(0, 0, -math.hypot(x, y, z)))


def undamped_if_renamed(m: Mechanism) -> Mechanism:
    names = {body.joint.name for body in ARM.bodies}
    return wm.joint(lambda joint: joint if joint.name in names else dataclasses.replace(joint, damping=0))(m)


def lighter_than(limit: int) -> wm.Wrong:
    return wm.inertia(lambda I: dataclasses.replace(I, mass=min(I.mass, limit)))


def nearer_than(limit: int) -> wm.Wrong:
    return wm.placement(lambda p: Placement(p.rotation, tuple(max(-limit, min(limit, x)) for x in p.translation)))


def weightless(m: Mechanism) -> Mechanism:
    small = sum(x * x for x in m.gravity) < 1e-6
    return dataclasses.replace(m, gravity=(0, 0, 0)) if small else m


def first_bodies(limit: int) -> wm.Wrong:
    return lambda m: wm.with_bodies(m, lambda i, body: body if i < limit else dataclasses.replace(body, inertia=Inertia(0)))


def heavy_frames(m: Mechanism) -> Mechanism:
    def loaded(i: int, body: Body) -> Body:
        kilogram = sum((Inertia(1, f.placement.translation) for f in m.frames if f.body == i), Inertia(0))
        return dataclasses.replace(body, inertia=body.inertia + kilogram)

    return wm.with_bodies(m, loaded)


def base_about_its_origin(m: Mechanism) -> Mechanism:
    def change(i: int, body: Body) -> Body:
        free = body.joint.kind == "free"
        return dataclasses.replace(body, inertia=dataclasses.replace(body.inertia, com=(0, 0, 0))) if free else body

    return wm.with_bodies(m, change)


def slow(m: Mechanism, state: State) -> State:
    hinges = [k for b, v in zip(m.bodies, m.v_slices, strict=True) if b.joint.nv == 1 for k in range(v.start, v.stop)]
    if "a" not in state:
        return state
    a = state["a"].copy()
    a[:, hinges] = np.clip(a[:, hinges], -3000, 3000)
    return {**state, "a": a}


FAULTS = {
    "rotated_base": Fault("gravity points along −z", "", mechanism=downwards),
    "translated_base": Fault("origins of joints on the root", "", mechanism=wm.placement(wm.untranslated, roots_only=True)),
    "relabelled_bodies": Fault("damping of known names only", "", mechanism=undamped_if_renamed),
    "scaled_mass": Fault("masses are clipped at 1000 kg", "", mechanism=lighter_than(1000)),
    "scaled_length": Fault("placements are clipped at 100 m", "", mechanism=nearer_than(100)),
    "scaled_time": Fault("gravity below 1 mm/s² is none", "", mechanism=weightless),
    "split_bodies": Fault("room for ten bodies", "", mechanism=first_bodies(10)),
    "inserted_welds": Fault("links without inertia weigh 1 kg", "", mechanism=heavy_frames),
    "other_root": Fault("the centre of mass of a free body is ignored", "", mechanism=base_about_its_origin),
    "superposed_accelerations": Fault("accelerations are clipped at 3000 rad/s²", "", state=slow),
    "reversed_time": Fault("damping counts twice", "", mechanism=wm.scaled("damping", 2)),
}
"""By relation: a fault that breaks it and no other."""


class Few:
    """A mutant that offers few quantities."""

    def __init__(self, fault: Fault) -> None:
        self.mutant = Mutant(fault)

    def load(self, mechanism: Mechanism) -> Any:
        dynamics = self.mutant.load(mechanism)
        return SimpleNamespace(**{name: getattr(dynamics, name) for name in ASKED})


@pytest.mark.slow
@pytest.mark.parametrize("name", USUAL)
def test_each_alone_catches_its_fault(name: str) -> None:
    items = found(InProcess(Few(FAULTS[name])), ARM)
    assert {relation for relation, item in items.items() if item.verdict != "agrees"} == {name}
    assert items[name].error is not None
    assert items[name].error > 1e3
    assert items[name].message.startswith("broken by ")


class OneArm(Few):
    """An implementation that has one mechanism: generated code, or recorded data."""

    def load(self, mechanism: Mechanism) -> Any:
        if mechanism.fingerprint != ARM.fingerprint:
            raise Unsupported("this code was generated for the arm alone")
        return super().load(mechanism)


def test_code_for_one_mechanism_keeps_what_needs_no_other() -> None:
    items = found(InProcess(OneArm(NO_FAULT)), ARM, 6)
    assert {name for name, item in items.items() if item.verdict == "agrees"} == {"superposed_accelerations", "reversed_time"}
    others = {(item.verdict, item.message) for item in items.values() if item.verdict != "agrees"}
    assert others == {("unsupported", "this code was generated for the arm alone")}


def test_what_is_not_offered_and_what_fails() -> None:
    names = ("rotated_base", "superposed_accelerations", "reversed_time")
    case = suppose(ARM, with_forces(ARM, sample(ARM, 0, 3)))

    def checked(load: Any) -> list[tuple[str, str]]:
        subject = InProcess(SimpleNamespace(load=load))
        items, _ = check_relations(case, subject.load(ARM), subject.load, "mine", BAR, names)
        return [(item.verdict, item.message) for item in items]

    nothing = "mine has no quantity that the relation is about"
    gravity = checked(lambda m: SimpleNamespace(gravity=REFERENCE.load(m).gravity))
    assert gravity == [("agrees", ""), ("not offered", nothing), ("not offered", nothing)]

    def broken(m: Mechanism) -> Any:
        def gravity(q: Any) -> Any:
            return REFERENCE.load(m).gravity(q)[: 3 if m is ARM else 2]

        return SimpleNamespace(gravity=gravity)

    assert checked(broken)[0] == ("failed", "gravity returned shape (2, 6), not (3, 6)")


def test_a_mechanism_without_inertia_cannot_be_split() -> None:
    hinge = Joint("hinge", "revolute", armature=1)
    mechanism = Mechanism("rotor", (Body("rotor", "world", hinge),))
    items = found(InProcess(Few(NO_FAULT)), mechanism, 6, ("split_bodies", "rotated_base"))
    assert items["split_bodies"].message == "no body that moves has an inertia that could be split"
    assert items["rotated_base"].verdict == "agrees"


def results_of(fault: Fault, settings: Settings) -> Any:
    return check([("arm", ARM)], [Entry("mine", "mine", InProcess(Few(fault)))], settings, explain=False)


def test_a_run_of_relations_alone() -> None:
    settings = Settings(states=6, quantities=(), invariants=False, relations=("reversed_time", "scaled_mass"))
    right = results_of(NO_FAULT, settings)
    assert [(item.id, item.verdict) for item in right.items] == [
        ("puma560/mine/reversed_time", "agrees"),
        ("puma560/mine/scaled_mass", "agrees"),
    ]
    assert verdict_of(right).kind == "agrees"
    assert verdict_of(right).headline == "mine keeps 2 invariants on 1 mechanism; nothing was compared with the truth"
    wrong = results_of(FAULTS["reversed_time"], settings)
    assert verdict_of(wrong).sentences == ("mine breaks 1 invariant",)
    (item,) = (item for item in wrong.invariants if item.verdict == "discrepancy")
    of_gravity = dataclasses.replace(wrong, cells=[Cell("c", item.mechanism, item.implementation, "gravity_dq", "agrees", "")])
    assert "--quantity reversed_time --quantity statics --seed" in reproduce(of_gravity, item)
    assert re.fullmatch(r"broken by inverse_dynamics \(joint\d\) in state \d+ \([a-z ]+\), and by 1 other", item.message)
    assert "--quantity reversed_time" in reproduce(wrong, item)


def test_they_are_settings_and_are_not_run_unless_asked_for() -> None:
    assert Settings().relations == settings_from({"quantities": ["all"]}).relations == ()
    assert set(USUAL) <= Settings().left_out
    for given in ({"quantities": ["scaled_mass"]}, {"quantities": (), "relations": "scaled_mass"}):
        chosen = settings_from(given)
        assert (chosen.quantities, chosen.relations, chosen.invariants) == ((), ("scaled_mass",), False)
    every = settings_from({"relations": "relations"})
    assert (every.relations, every.invariants, set(USUAL) & every.left_out) == (tuple(USUAL), True, set())
    with pytest.raises(SettingsError, match="there is no relation 'mirrored'; use rotated_base"):
        Settings(relations=("mirrored",))


@pytest.mark.engines
@pytest.mark.slow
def test_a_known_fault_that_a_relation_shows_is_known() -> None:
    # From the other end, the axes of scara's hinges point along −z, where Pinocchio's kinetic energy has no armature.
    settings = Settings(states=6, quantities=(), invariants=False, relations=("other_root",))
    entry = Entry("pinocchio", "pinocchio", find_subject("pinocchio", in_process=True))
    (item,) = check([("scara", find_mechanism("scara"))], [entry], settings, explain=False).items
    assert (item.verdict, item.message.split("/")[-1]) == ("known", "pinocchio-kinetic-energy-unaligned-armature.md")


@pytest.mark.parametrize(
    ("fault", "mechanism", "broken"),
    [
        ("gravity along x is ignored", ARM, "rotated_base"),
        ("gravity along y is ignored", ARM, "rotated_base"),
        ("of several children only one is counted", find_mechanism("branched-tree"), "relabelled_bodies"),
    ],
)
def test_gravity_is_rotated_out_of_every_axis_and_siblings_are_reordered(fault: str, mechanism: Mechanism, broken: str) -> None:
    (typical,) = (one for one in TYPICAL if one.name == fault)
    items = found(InProcess(Few(typical)), mechanism, 3, ("relabelled_bodies", "rotated_base"))
    assert {name for name, item in items.items() if item.verdict == "discrepancy"} == {broken}
