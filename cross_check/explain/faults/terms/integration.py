"""Usual faults with q ⊕ dv, to ⊖ q and their derivatives, as edits of the reference."""

from __future__ import annotations

from cross_check.explain.faults.fault import Edit, Fault


def _fault(name: str, *edits: tuple[str, str], module: str = "integration") -> Fault:
    return Fault(name, "integration", tuple(Edit(module, right, wrong) for right, wrong in edits))


TURNED = "_product(orientation, _unit_quaternion(x[:3]))"
MOVED = "distances + mul(_rotation(orientation), exponential(x, coefficients(x[:3]))[1])"

INTEGRATION_FAULTS = (
    _fault(
        "derivatives are along motions on the left, which are those of the first position, not on the right "
        "(those of ball joints may be transposed instead)",
        ("lambda x, a: trivialised(-x, a), 1", "lambda x, a: trivialised(x, a), 1"),
        ("lambda x, a: -inverse_trivialised(x, a), -1", "lambda x, a: -inverse_trivialised(-x, a), -1"),
        ("lambda x, a: inverse_trivialised(-x, a), 1", "lambda x, a: inverse_trivialised(x, a), 1"),
    ),
    _fault(
        "the derivative by q is that of the opposite step (that of ball joints may be transposed instead)",
        ("lambda x, a: adjoint(-x, a), 1", "lambda x, a: adjoint(x, a), 1"),
    ),
    _fault("derivatives are taken to be one", ("of_motion(x, coefficients(x[:3]))", "of_motion(0 * x, coefficients(0 * x[:3]))")),
    _fault("small turns have no series", ("is_small = theta < 1\n", "is_small = theta < 1e-9\n"), module="rigid_motions"),
    _fault(
        "the slide is along the axes of the joint's frame, not of the body",
        (MOVED, "distances + exponential(x, coefficients(x[:3]))[1]"),
    ),
    _fault("the slide is straight, not a screw", (MOVED, "distances + mul(_rotation(orientation), x[3:])")),
    _fault("the velocity is that of the joint's frame: the slide is straight along its axes", (MOVED, "distances + x[3:]")),
    _fault("the turn of the step is transposed", (TURNED, "_product(orientation, _unit_quaternion(-x[:3]))")),
    _fault(
        "the turn is about the axes of the joint's frame, not of the body",
        (TURNED, "_product(_unit_quaternion(x[:3]), orientation)"),
    ),
    _fault("the turn of the step has half the angle", (TURNED, "_product(orientation, _unit_quaternion(x[:3] / 2))")),
    _fault(
        "the quaternion is moved along its rate, and not normalised",
        ("coefficients(half).a1 * half, np.cos(np.sqrt((half * half).sum(0, keepdims=True)))", "half, 1 + 0 * half[:1]"),
    ),
    _fault(
        "the term with ω × v has the wrong sign",
        ("mul(left_jacobian(x[:3], a), x[3:])", "mul(left_jacobian(-x[:3], a), x[3:])"),
        module="rigid_motions",
    ),
    _fault("the difference has the wrong sign: its positions are exchanged", ("q[link.q], to[link.q]", "to[link.q], q[link.q]")),
    _fault("the difference has half the angle", ("return x * np.where(sine", "return x / 2 * np.where(sine")),
    _fault(
        "the difference goes the long way where quaternions have opposite signs",
        ("x, w = np.where(e[3] < 0, -e[:3], e[:3]), np.abs(e[3])", "x, w = e[:3], e[3]"),
    ),
    _fault(
        "the slide of the difference is straight, not a screw", ("mul(inverse_left_jacobian(ω, coefficients(ω)), apart)", "apart")
    ),
)
