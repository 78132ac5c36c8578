"""Terms of the classical recursion on 3-vectors, as most code is written, multiplied by a factor.

With r from the parent's origin to the body's, c the centre of mass from the body's origin, u the joint's sliding velocity
(text 000, §3; Craig, *Introduction to Robotics*, eqs. 6.45–6.53):

    α_i = α_λ + S_ω q̈ + ω_i × S_ω q̇
    p̈_i = p̈_λ + α_λ × r + ω_λ × (ω_λ × r) + 2 ω_i × u + S_v q̈
    F_i = m (p̈_i + α_i × c + ω_i × (ω_i × c)),    N_i = I_c α_i + ω_i × I_c ω_i,    moment about the origin: N_i + c × F_i
    on the parent: n + r × f

The reference has spatial accelerations, which differ from classical ones by ω × v. So a change of one is a change of the other,
and every term can be changed in the reference's recursion.
"""

from __future__ import annotations

from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.scaled import ABOUT_COM, SECOND_LOOP, Place, Term

ACCELERATION = "mul(S[i], qdd[link.v]) + crm(v[i], vJ))"
FORCE = "f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))"
BACK = "X[i].T @ f[i]"


def _linear(x: str) -> str:
    return f"np.pad({x}, ((3, 0), (0, 0)))"


def _angular(x: str) -> str:
    return f"np.pad({x}, ((0, 3), (0, 0)))"


def cross(x: str, y: str) -> str:
    return f"np.cross(({x}) + 0 * ({y}), ({y}) + 0 * ({x}), axis=0)"


def more_acceleration(change: str) -> tuple[Edit, ...]:
    """A spatial acceleration (6, batch) of the body, along its own axes, is added: in dynamics, and in kinematics, which have no
    gravity."""
    wrong = f"{ACCELERATION[:-1]} + {change}"
    without_gravity = wrong.replace("-model.gravity", "0 * model.gravity")
    return Edit("rnea", ACCELERATION, f"{wrong})"), Edit("kinematics", ACCELERATION[:-1], without_gravity)


def _of_acceleration(name: str, change: str, is_inner: bool = True, in_mass_matrix: bool = False) -> Term:
    """A term of a body's acceleration."""
    added = f"(0 * vJ if λ < 0 else (K - 1) * ({change}))" if is_inner else f"(K - 1) * ({change})"
    places = tuple(Place(edit.module, edit.right, edit.wrong) for edit in more_acceleration(added))
    return Term(name, "Coriolis and centrifugal", places, is_inner=is_inner, in_mass_matrix=in_mass_matrix)


def _of_force(name: str, group: str, change: str, in_mass_matrix: bool = False) -> Term:
    """A term of the force on a body."""
    wrong = f"f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])) + (K - 1) * ({change}))"
    return Term(name, group, (Place("rnea", FORCE, wrong),), in_mass_matrix=in_mass_matrix)


def _mass_at_com(acceleration: str) -> str:
    """The force m x at the centre of mass, and its moment about the origin."""
    force = f"link.mass * {acceleration}"
    return f"{_angular(cross('link.com', force))} + {_linear(force)}"


ω, α, u = "v[i][:3]", "a[i][:3]", "vJ[3:]"
ω_parent, α_parent, r = "v[λ][:3]", "a[λ][:3]", "X[i].r"
INERTIAL_FORCE = "(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))[3:]"

SINGLE_TERMS = (
    _of_acceleration(
        "ω × (ω × r), the centripetal acceleration of the next joint,",
        _linear(f"mul(X[i].E, {cross(ω_parent, cross(ω_parent, r))})"),
    ),
    _of_acceleration(
        "α × r, the tangential acceleration of the next joint,",
        _linear(f"mul(X[i].E, {cross(α_parent, r)})"),
        in_mass_matrix=True,
    ),
    _of_acceleration("2 ω × u, the Coriolis acceleration of a sliding joint,", _linear(f"2 * {cross(ω, u)}"), is_inner=False),
    _of_acceleration("α of the parent in the angular acceleration", _angular(f"mul(X[i].E, {α_parent})"), in_mass_matrix=True),
    _of_acceleration(
        "p̈ of the parent's origin",
        _linear(f"mul(X[i].E, a[λ][3:] + {cross(ω_parent, 'v[λ][3:]')})"),
        in_mass_matrix=True,
    ),
    _of_acceleration("ω × S q̇ in the angular acceleration", _angular(cross(ω, "vJ[:3]")), is_inner=False),
    _of_force(
        "ω × (ω × c), the centripetal acceleration of the centre of mass,",
        "Coriolis and centrifugal",
        _mass_at_com(cross(ω, cross(ω, "link.com"))),
    ),
    _of_force("α × c, the tangential acceleration of the centre of mass,", "inertia", _mass_at_com(cross(α, "link.com")), True),
    _of_force("c × F, the moment of the body's own force,", "inertia", _angular(cross("link.com", INERTIAL_FORCE)), True),
    _of_force("I α", "rotational inertia", _angular(f"mul({ABOUT_COM}, {α})"), True),
    _of_force(
        "the part of ω × I ω from products of inertia",
        "gyroscopic",
        _angular(cross(ω, f"mul({ABOUT_COM} * (1 - np.eye(3))[..., None], {ω})")),
    ),
    Term(
        "r × f, the moment of the force of an outboard body,",
        "outboard joints",
        (Place("rnea", BACK, f"({BACK} + (K - 1) * {_angular(cross(r, 'mul(X[i].E.swapaxes(0, 1), f[i][3:])'))})"),),
        is_inner=True,
        in_mass_matrix=True,
    ),
)


def _places(*beginnings: str) -> tuple[Place, ...]:
    """The places of the terms with these beginnings of names."""
    return tuple(
        place for beginning in beginnings for term in SINGLE_TERMS if term.name.startswith(beginning) for place in term.places
    )


CLASSICAL_TERMS = (
    *SINGLE_TERMS,
    # Code that has one function for both makes both wrong.
    Term(
        "ω × (ω × x), the centripetal acceleration of joints and centres of mass,",
        "Coriolis and centrifugal",
        _places("ω × (ω × r)", "ω × (ω × c)"),
    ),
    Term(
        "α × x, the tangential acceleration of joints and centres of mass,",
        "inertia",
        _places("α × r", "α × c"),
        in_mass_matrix=True,
    ),
)


def _about_root() -> Fault:
    """Without m (|x|² 1 − x xᵀ), x the centre of mass from the root's origin, in inertias about this origin."""
    x = "(P0[i] + link.com)"

    def steiner(y: str) -> str:
        return f"-link.mass * {cross(x, cross(y, x))}"

    loop = f"""P0 = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        P0.append(mul(X[i].E, X[i].r + (0 if λ < 0 else P0[λ])))
        f[i] = f[i] + {_angular(f"({steiner(α)} + {cross(ω, steiner(ω))})")}
    {SECOND_LOOP}"""
    name = "the parallel-axis term of inertias about the root's origin is left out"
    return Fault(name, "rotational inertia", (Edit("rnea", SECOND_LOOP, loop),))


ABOUT_ROOT = _about_root()
"""No formulation has inertias about the root's origin."""
