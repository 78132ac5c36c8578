"""The theorem: on every tree of every size, the reference and the oracle compute the same functions.

docs/theorem.md has the argument. Seven lemmas are proven by machine. Induction over the bodies does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from cross_check.prove.theorem.elimination import elimination, elimination_on_root
from cross_check.prove.theorem.identities import Equations, Outcome, identities, same_program
from cross_check.prove.theorem.inverse_dynamics import body, motion, motion_on_root, transmission, transmission_to_root
from cross_check.prove.theorem.joint import joint
from cross_check.prove.theorem.loops import loops, trees
from cross_check.prove.theorem.mass_matrix import mass_matrix
from cross_check.prove.theorem.position import Position
from mechanisms.joint import MOVING

Case = Callable[[Position], Equations]


class Lemma(NamedTuple):
    """A lemma: what it says, which functions it runs, and its cases by name."""

    name: str
    says: str
    runs: str
    cases: dict[str, Case]
    is_about_programs: bool = False
    """Whether its equations are about recorded programs; otherwise they are about rational functions."""

    def outcome(self, case: str) -> Outcome:
        """Of one case. Code under proof that fails proves nothing: the error is what is broken."""
        p = Position()
        try:
            if self.is_about_programs:
                return same_program(p.field, self.cases[case](p))
            return identities(p.field, self.cases[case](p))
        except Exception as error:
            return Outcome(0, f"{type(error).__name__}: {error}")


def of_kinds(*equations: Callable[..., Equations]) -> dict[str, Case]:
    """Cases for every kind of joint that moves, each with a name such as "helical" or "helical, on the root"."""
    return {
        kind + ("" if function is equations[0] else ", on the root"): partial(function, kind)
        for kind in MOVING
        for function in equations
    }


LEMMAS: tuple[Lemma, ...] = (
    Lemma(
        "loops",
        "each loop passes from body to body what the lemmas suppose, and nothing else",
        "rnea, crba, aba; transforms, euler_lagrange, mass_matrix, inverse_dynamics_with_forces",
        {f"parents {parents}": partial(loops, parents) for parents in trees()},
        True,
    ),
    Lemma(
        "joint",
        "∂ₖA = A [Sₖ], Ȧ = A [v_J], Ä = A ([S q̈ + c_J] + [v_J]²), and A is the transform of X",
        "jcalc, joint_transform, velocity_product; joint_jets.motion, joint_position, joint_velocity, joint_acceleration",
        of_kinds(joint),
    ),
    Lemma(
        "motion",
        "Ṫ = T [v] and T̈ − ĝ = T ([a] + [v]²) pass from the parent to the body, and hold on the root",
        "rnea; body_position, body_velocity, body_acceleration",
        of_kinds(motion, motion_on_root),
    ),
    Lemma(
        "body",
        "tr([s] J ([a] + [v]²)ᵀ) = sᵀ (I a + v ×* I v) for every s, and external forces do the same work",
        "rnea, spatial_inertia; pseudo_inertia, momentum, weight, work",
        of_kinds(body),
    ),
    Lemma(
        "transmission",
        "forces pass to the parent by Xᵀ, and τ = Sᵀ f is the Euler–Lagrange expression",
        "rnea; with_subtree, with_joint_force",
        of_kinds(transmission, transmission_to_root),
    ),
    Lemma(
        "mass matrix",
        "Iᶜ and 𝒥 pass to the parent alike, and Sᵀ F = tr(Q W) on the whole way to the root",
        "crba; with_pseudo_inertia, unit_momenta, mass_matrix_entries",
        of_kinds(mass_matrix),
    ),
    Lemma(
        "elimination",
        "the step of ABA is block elimination in τ = RNEA(q̈), with D invertible",
        "aba, solve; rnea",
        of_kinds(elimination, elimination_on_root),
    ),
)

THEOREM = """\
Theorem. Let a tree have n ≥ 1 bodies, with joints of any of the {kinds} kinds and no mimic joints. Then, as rational functions,
  rnea = the oracle's Euler–Lagrange equations, crba = the oracle's mass matrix, and aba(τ) is the one q̈ with rnea(q̈) = τ.
Proof, by induction over the bodies:
  1. Out. On the root, T_0 = 1, v_0 = 0 and a_0 = −a_g. By "joint" and "motion", if Ṫ = T [v] and T̈ − ĝ = T ([a] + [v]²) hold for
     the parent, they hold for the body. Parents come first, so they hold for all bodies.
  2. Own force. By "body", Z = J (T̈ − ĝ)ᵀ of one body and f = I a + v ×* I v satisfy tr(T [s] Z) = sᵀ f for every s.
  3. In. By "transmission", what a child adds to Z and to f of its parent keeps this relation. Children come first, so it holds
     for whole subtrees. Then τ = Sᵀ f is the Euler–Lagrange expression of each coordinate.
  4. Mass matrix. By "mass matrix", tr([s] 𝒥 [s']ᵀ) = sᵀ Iᶜ s' holds in the same way for whole subtrees, and tr(T [s] W) = sᵀ F on
     the way to the root. So all entries agree.
  5. Forward dynamics. By "elimination", f = I^A a + p^A holds for whole subtrees, and each joint's equation is D q̈ + Uᵀ a' = u.
     Where no pivot of a D is zero, it has one solution, which is q̈ of ABA. By "loops", the programs are these steps."""


class Proven(NamedTuple):
    """The outcome of one lemma: how many cases and identities were compared, and where it breaks."""

    lemma: Lemma
    identities: int
    broken: tuple[str, ...]
    """One line for each case that breaks: the case, the equation, and the component."""


def prove_lemmas(
    lemmas: Iterable[Lemma], progress: Callable[[str, int, int], None] = lambda doing, done, steps: None
) -> list[Proven]:
    """Prove every case of every lemma, whether or not another one breaks."""
    lemmas = list(lemmas)
    steps, done, proven = sum(len(lemma.cases) for lemma in lemmas), 0, []
    for lemma in lemmas:
        compared, broken = 0, []
        for case in lemma.cases:
            progress(f"{lemma.name}: {case}", done, steps)
            outcome = lemma.outcome(case)
            done, compared = done + 1, compared + outcome.identities
            if outcome.broken:
                broken.append(f"{case}: {outcome.broken}")
        proven.append(Proven(lemma, compared, tuple(broken)))
    return proven
