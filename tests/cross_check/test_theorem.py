"""The theorem about every tree: it is proven, and every planted fault breaks the lemmas where it belongs, and no other."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from cross_check.proof.exact import on_tape
from cross_check.theorem.identities import identities, same_program
from cross_check.theorem.position import Position, variables
from cross_check.theorem.quotients import Quotients
from cross_check.theorem.theorem import LEMMAS, Lemma, prove_lemmas

LOOPS, JOINT, MOTION, BODY, TRANSMISSION, MASS, ELIMINATION = (lemma.name for lemma in LEMMAS)

REFERENCE, ORACLE = "implementations.spatial_algebra", "oracle.by_jets"

TREES = ((-1, 0, 0), (-1, 0, 1), (-1, -1, 1))

USUAL = ("helical", "universal, on the root")
"""Cases that are fast, and show most faults: a turn with an advance, and a joint that makes two motions."""


@dataclass(frozen=True)
class Fault:
    """One edit of the text of one module, and the lemmas that it breaks."""

    name: str
    module: str
    right: str
    wrong: str
    breaks: frozenset[str]
    cases: tuple[str, ...] = USUAL


def fault(name: str, module: str, right: str, wrong: str, *breaks: str, cases: tuple[str, ...] = USUAL) -> Fault:
    return Fault(name, module, right, wrong, frozenset(breaks), cases)


RNEA, CRBA, ABA, JCALC, SPATIAL, MODEL = (f"{REFERENCE}.{name}" for name in ("rnea", "crba", "aba", "jcalc", "spatial", "model"))
MOTIONS, VARIATION, JOINTS = (f"{ORACLE}.{name}" for name in ("transforms", "variation", "joint_jets"))

FAULTS = (
    # The reference: cross products and transforms
    fault("the sign of v × ω in crm", SPATIAL, "cross(v[3:], m[:3])", "-cross(v[3:], m[:3])", MOTION),
    fault("crf without v × f", SPATIAL, "cross(v[:3], f[:3]) + cross(v[3:], f[3:])", "cross(v[:3], f[:3])", BODY),
    fault("E Xᵀ transposed", SPATIAL, "back = self.X.E.swapaxes(0, 1)", "back = self.X.E", TRANSMISSION, MASS, ELIMINATION),
    fault("X m with +r ×", SPATIAL, "m[3:] - cross(self.r", "m[3:] + cross(self.r", MOTION, TRANSMISSION, ELIMINATION),
    # The joint
    fault("a transposed E in a turn", JCALC, "- s * ux", "+ s * ux", JOINT),
    fault(
        "r of a composed transform",
        JCALC,
        "Plucker(about(axis, *field.cos_sin(x)), r)",
        "Plucker(about(axis, *field.cos_sin(x)), -r)",
        JOINT,
    ),
    fault("S of a compound joint that stays", JCALC, "*(Xk @ s for s in S)", "*S", JOINT, cases=("universal",)),
    fault("c_J with the wrong sign", JCALC, "c + crm(before, part)", "c - crm(before, part)", JOINT, cases=("universal",)),
    fault("a quaternion's sign", JCALC, "2 * (x * y + w * z), 2", "2 * (x * y - w * z), 2", JOINT, cases=("spherical",)),
    # What both sides share is outside the theorem
    fault(
        "the pitch's sign, for both sides",
        "mechanisms.joint",
        "x * self.advance for",
        "-x * self.advance for",
        cases=("helical",),
    ),
    fault(
        "ω of a free joint along the wrong axis",
        JCALC,
        "r + link.axes[:, slot.v.start] * q[slot.q]",
        "r - link.axes[:, slot.v.start] * q[slot.q]",
        JOINT,
        cases=("free",),
    ),
    # RNEA
    fault("v × v_J left out", RNEA, " + crm(v[i], vJ))", ")", MOTION, ELIMINATION),
    fault("c_J left out", RNEA, "a[i] = a[i] + velocity_product(S[i], qd[link.v])", "pass", MOTION, ELIMINATION),
    fault(
        "c_J from the parent's S",
        RNEA,
        "velocity_product(S[i], qd[link.v])",
        "velocity_product(S[λ], qd[link.v])",
        LOOPS,
        MOTION,
        ELIMINATION,
        cases=("universal",),
    ),
    fault("gravity's sign", RNEA, "(-model.gravity if", "(model.gravity if", MOTION, ELIMINATION),
    fault("v ×* I v left out", RNEA, " + crf(v[i], mul(link.I, v[i])))", ")", BODY, ELIMINATION),
    fault("f_λ += X f", RNEA, "X[i].T @ f[i]", "X[i] @ f[i]", TRANSMISSION),
    fault("damping left out", RNEA, " + link.damping * qd[link.v])", ")", TRANSMISSION, ELIMINATION),
    fault("the external force added", RNEA, "f[i] - fx[i]", "f[i] + fx[i]", BODY),
    # Inertia
    fault("the sign of m c×", MODEL, "np.block([[I_o, mcx], [mcx.T, m1]])", "np.block([[I_o, -mcx], [-mcx.T, m1]])", BODY, MASS),
    # CRBA
    fault("Iᶜ of the wrong body", CRBA, "X[i].carry(Ic[i])", "X[i].carry(Ic[λ])", MASS),
    fault("an empty triangle", CRBA, "H[rows, link.v].swapaxes(0, 1)", "H[link.v, rows]", LOOPS, MASS),
    # ABA
    fault("p^a without c", ABA, " + mul(Ia, c[i])", "", ELIMINATION),
    fault("D without armature", ABA, "[..., None] * link.armature", "[..., None] * 0", ELIMINATION),
    fault("q̈ without Uᵀ a'", ABA, "Du[i] - mul(UD[i], a[i])", "Du[i] + 0 * mul(UD[i], a[i])", ELIMINATION),
    fault("D without armature in D⁻¹ u", ABA, "solve(D[i], u[i])", "solve(mul(ST, U[i]), u[i])", ELIMINATION),
    fault(
        "transforms at another position",
        RNEA,
        "transforms(model, q)",
        "transforms(model, 0 * q)",
        LOOPS,
        MOTION,
        BODY,
        TRANSMISSION,
        ELIMINATION,
    ),
    fault(
        "a wrong elimination",
        "implementations.linear",
        "x[i] - factor * x[k]",
        "x[i] + factor * x[k]",
        ELIMINATION,
        cases=("cylindrical",),
    ),
    # The oracle
    fault("a wrong ∂∂D of a turn", JOINTS, "(c * WW - s * W)", "(c * WW + s * W)", JOINT),
    fault(
        "a wrong ∂∂D of a product",
        JOINTS,
        "first = np.concatenate([compose(self.ddD, after.D), mixed], 3)",
        "first = np.concatenate([compose(self.ddD, after.D), -mixed], 3)",
        JOINT,
        cases=("universal",),
    ),
    fault("a wrong rate of T", MOTIONS, "after_rate(T, A1) + compose(T1, A)", "after_rate(T, A1) - compose(T1, A)", MOTION),
    fault(
        "Ṫ_λ Ȧ once instead of twice",
        MOTIONS,
        "after_rate(T1, A1) + compose(T2, A)",
        "after_rate(T1, A1) / 2 + compose(T2, A)",
        MOTION,
    ),
    fault("the pseudo-inertia's ½ tr(I)", f"{ORACLE}.system", "(half_trace if i == j else 0)", "0", BODY, MASS),
    fault("∂L/∂q with the wrong sign", VARIATION, "dL_dv.rate.now - dL_dq", "dL_dv.rate.now + dL_dq", TRANSMISSION),
    fault("𝒥 on one side", VARIATION, "outward(A, moved).swapaxes(0, 1)", "moved.swapaxes(0, 1)", MASS),
    # Faults that no single step shows
    fault(
        "of several children only the last counts",
        RNEA,
        "f[λ] = f[λ] + X[i].T",
        "f[λ] = (0 if λ in model.parents[:i] else 1) * f[λ] + X[i].T",
        LOOPS,
    ),
    fault(
        "gravity acts behind the first joint of the root only", RNEA, "(-model.gravity if", "(-model.gravity * (i == 0) if", LOOPS
    ),
    fault("v of the body before, not of the parent", RNEA, "X[i] @ v[λ] + vJ", "X[i] @ v[i - 1] + vJ", LOOPS),
    fault("a fault of the third body", RNEA, "+ crm(v[i], vJ))", "+ (1 if i < 2 else 0) * crm(v[i], vJ))", LOOPS),
    fault("joints in swapped order", RNEA, "np.concatenate(τ[::-1])", "np.concatenate(τ)", LOOPS),
    fault(
        "Iᶜ is read before it is complete",
        CRBA,
        "in reversed(list(enumerate(zip(model.parents, model.links, strict=True)))):",
        "in enumerate(zip(model.parents, model.links, strict=True)):",
        LOOPS,
    ),
    fault(
        "the walk to the root ends early",
        CRBA,
        "while model.parents[j] >= 0:",
        "while model.parents[j] >= 0 and (j == i or j > 1):",
        LOOPS,
    ),
    fault("aba's last loop takes the body before", ABA, "else a[λ]) + c[i]", "else a[i - 1]) + c[i]", LOOPS),
    fault("v_J of the parent in place of its v", RNEA, "@ v[λ] + vJ", "@ mul(S[λ], qd[model.links[λ].v]) + vJ", LOOPS),
    fault("I^A of the last child alone", ABA, "+ X[i].carry(Ia)", "+ (λ not in model.parents[i + 1 :]) * X[i].carry(Ia)", LOOPS),
    fault("Iᶜ of the last child alone", CRBA, "+ X[i].carry(Ic", "+ (λ not in model.parents[i + 1 :]) * X[i].carry(Ic", LOOPS),
    fault("c of the third body left out", ABA, "mul(Ia, c[i])", "(i != 2) * mul(Ia, c[i])", LOOPS),
    fault(
        "the oracle forgets the second of two children",
        VARIATION,
        "        if (λ := link.parent) >= 0:",
        "        if (λ := link.parent) >= 0 and λ not in [x.parent for x in system.links[:i]]:",
        LOOPS,
    ),
)


def functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The functions of a module and of its classes, by qualified names."""
    for owner in (module, *(x for x in vars(module).values() if inspect.isclass(x) and x.__module__ == module.__name__)):
        for x in vars(owner).values():
            x = x.fget if isinstance(x, property) else x
            if isinstance(x, FunctionType) and x.__module__ == module.__name__:
                yield x.__qualname__, x


def plant(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the functions of the module the code of the edited text: whoever imported them runs it."""
    module = importlib.import_module(fault.module)
    text = Path(str(module.__file__)).read_text("utf-8")
    assert text.count(fault.right) == 1, f"{fault.module} has {fault.right!r} {text.count(fault.right)} times, not once"
    edited = ModuleType(fault.module)
    exec(compile(text.replace(fault.right, fault.wrong), str(module.__file__), "exec"), vars(edited))
    wrong = dict(functions(edited))
    changed = [(right, wrong[name]) for name, right in functions(module) if right.__code__ != wrong[name].__code__]
    assert changed
    for right, other in changed:
        monkeypatch.setattr(right, "__code__", other.__code__)


def some(lemma: Lemma, cases: tuple[str, ...]) -> Lemma:
    """The lemma with these cases alone; the loops on three trees alone."""
    if lemma.name == LOOPS:
        cases = tuple(f"parents {parents}" for parents in TREES)
    return lemma._replace(cases={name: case for name, case in lemma.cases.items() if name in cases})


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.name)
def test_a_planted_fault_breaks_the_lemmas_where_it_belongs(planted: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(planted, monkeypatch)
    lemmas = [some(lemma, planted.cases) for lemma in LEMMAS]
    assert {proven.lemma.name for proven in prove_lemmas(lemmas) if proven.broken} == planted.breaks


def test_a_rational_function_is_zero_only_if_it_is() -> None:
    ring = Quotients(2)
    x, y = ring.variables()
    one, two = ring.number(1), ring.number(2)
    n = x * x + y * y
    assert ((x * x) / n + (y * y) / n - one).is_zero()
    assert (x / two + x / two - x).is_zero()
    assert (one / (x / n) - n / x).is_zero()
    assert (one / (one / x - one / (x + one)) - x - x * x).is_zero()
    assert not (x / n - y / n).is_zero()
    assert not (x / (x + one) - one).is_zero()
    with pytest.raises(ZeroDivisionError):
        one / (x - x)


def test_equal_functions_are_found_and_others_are_named() -> None:
    field = on_tape()
    x, y = field.tape.input(), field.tape.input()
    right: list[Any] = [[(x + y) * (x - y)], [x]]
    assert identities(field, [("a²", [[x * x - y * y], [x]], right)]).broken is None
    assert identities(field, [("a²", [[x * x - y * y], [y]], right)]) == (2, "a², component [2]")
    assert same_program(field, [("a²", [[x * x - y * y], [x]], right)]) == (2, "a², component [1]")


def test_a_step_is_computed_again_from_other_numbers() -> None:
    p = Position()
    x, y = p.numbers(2)[:, 0]
    square = x * x
    result, old, new = (np.array([value]) for value in (x * square + 3, square, y))
    (again,) = p.replaced((result,), (old, new))
    assert again[0] is x * y + 3
    for wrong in (np.array([p.field.tape.one]), np.array([square, square])):
        with pytest.raises(ValueError, match="no number of its own"):
            p.replaced((result,), (wrong, np.array([x, y])[: len(wrong)]))


def test_the_variables_of_a_loop_are_those_at_its_end() -> None:
    def loop(n: int, step: int = 2) -> int:
        total = 0
        for _ in range(n):
            total = doubled(total) + step  # noqa: F821
        return -total

    run = variables(loop, 3, doubled=lambda x: 2 * x)
    assert (run.total, run.answer) == (14, -14)


def test_a_divisor_that_is_the_function_zero_is_an_error() -> None:
    field = on_tape()
    x = field.tape.input()
    _ = 1 / (x * x - (x + 1) * (x - 1) - 1)
    with pytest.raises(ZeroDivisionError):
        identities(field, [("x", [x], [x])])


def test_sides_without_components_prove_nothing() -> None:
    with pytest.raises(ValueError, match="shapes"):
        identities(on_tape(), [("nothing", [], [])])
