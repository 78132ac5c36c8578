"""Derivatives of JAX and PyTorch code, compared with the truth; what is wrong in gradients alone is found."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dalembert
from implementations.derivatives_of import DERIVATIVES, derivatives_of
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import Failure, InProcess
from mechanisms import find_mechanism, integrate, neutral
from mechanisms.position_rates import position_rates

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_coverage")]


def test_position_rates_are_the_derivative_of_a_step() -> None:
    mechanism = find_mechanism("every-joint")
    step = np.random.default_rng(0).normal(size=(1, mechanism.nv))
    q, h = integrate(mechanism, neutral(mechanism)[None], step), 1e-6
    forth, back = (integrate(mechanism, np.repeat(q, mechanism.nv, 0), x * np.eye(mechanism.nv)) for x in (h, -h))
    assert np.abs(position_rates(mechanism, q[0]) - (forth - back).T / (2 * h)).max() < 1e-8


def code_of(lib: Any, sin: Any = None) -> Any:
    """Code for one turning body, with the functions of ``lib``: τ = J a + d v − m g · R (e × c), R the turn about e by q."""

    def inverse_dynamics(mechanism: Any, q: Any, v: Any, a: Any) -> Any:
        m = mechanism.arrays
        e, c, g = m.axes[0], m.coms[0], m.rotations[0].T @ m.gravity
        J = float(e @ (m.inertias[0] + m.masses[0] * (c @ c * np.eye(3) - np.outer(c, c))) @ e + m.armature[0])
        along, across = (float(m.masses[0] * (g @ x)) for x in (np.cross(e, c), np.cross(e, np.cross(e, c))))
        (q,), (v,), (a,) = (getattr(lib, "as_tensor", lib.asarray)(x) for x in (q, v, a))
        return lib.stack([J * a + float(m.damping[0]) * v - along * lib.cos(q) - across * (sin or lib.sin)(q)])

    return SimpleNamespace(inverse_dynamics=inverse_dynamics)


def verdicts(code: Any) -> dict[str, str]:
    """By quantity, on a pendulum."""
    quantities = ["inverse_dynamics", "inverse_dynamics_dq", "inverse_dynamics_dv"]
    results = dalembert.check("pendulum", code, quantities=quantities, in_process=True, explain=False)
    return {cell.quantity: cell.verdict for cell in results.cells}


@pytest.fixture
def jnp() -> Any:
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax.numpy
    jax.config.update("jax_enable_x64", before)


RIGHT = dict.fromkeys(("inverse_dynamics", "inverse_dynamics_dq", "inverse_dynamics_dv"), "agrees")


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_right_code_of_jax_has_right_derivatives(jnp: Any, mode: Any) -> None:
    assert verdicts(derivatives_of(code_of(jnp), mode)) == RIGHT


def test_code_that_looks_at_numbers_is_not_compiled(jnp: Any) -> None:
    assert verdicts(derivatives_of(code_of(jnp, lambda x: jnp.sin(x) if x > 0 else -jnp.sin(-x)))) == RIGHT


def test_nan_of_a_gradient_through_where_is_found(jnp: Any) -> None:
    code = code_of(jnp, lambda x: x * jnp.where(x == 0, 1.0, jnp.sin(x) / x))
    assert verdicts(derivatives_of(code)) == RIGHT, "forward, what is not chosen is dropped"
    assert verdicts(derivatives_of(code, "reverse")) == {**RIGHT, "inverse_dynamics_dq": "failed"}, (
        "backward, it is zero times NaN"
    )


def test_a_wrong_custom_derivative_is_found(jnp: Any) -> None:
    import jax

    sine = jax.custom_jvp(jnp.sin)
    sine.defjvp(lambda x, dx: (jnp.sin(x[0]), 1.01 * jnp.cos(x[0]) * dx[0]))
    found = verdicts(derivatives_of(code_of(jnp, sine)))
    assert (found["inverse_dynamics"], found["inverse_dynamics_dq"]) == ("agrees", "discrepancy")


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_along_the_velocity_of_a_free_body(jnp: Any, mode: Any) -> None:
    """Of a function of q that is not the dynamics, whose derivative the step gives."""
    mechanism = find_mechanism("satellite")
    code = SimpleNamespace(inverse_dynamics=lambda mechanism, q, v, a: jnp.cumsum(jnp.asarray(q) ** 3)[: len(v)])
    q = integrate(mechanism, neutral(mechanism)[None], np.ones((1, mechanism.nv)))[0]
    x = np.zeros(mechanism.nv)
    found = derivatives_of(code, mode).inverse_dynamics_dq(mechanism, q, x, x)
    steps = (integrate(mechanism, np.repeat(q[None], mechanism.nv, 0), h * np.eye(mechanism.nv)) for h in (1e-6, -1e-6))
    forth, back = (np.cumsum(step**3, axis=1)[:, : mechanism.nv] for step in steps)
    assert np.abs(found - (forth - back).T / 2e-6).max() < 1e-6


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("detached", [False, True])
@pytest.mark.filterwarnings("default:.*torch.jit.script")  # PyTorch's own.
def test_code_of_torch(mode: Any, detached: bool) -> None:
    torch = pytest.importorskip("torch")
    code = code_of(torch, (lambda x: torch.sin(x.detach())) if detached else None)
    found = verdicts(derivatives_of(code, mode))
    assert found == {**RIGHT, "inverse_dynamics_dq": "discrepancy" if detached else "agrees"}


def test_what_the_code_declares_stays() -> None:
    code = ModuleType("arm")
    code.inverse_dynamics = lambda mechanism, q, v, a: a  # type: ignore[attr-defined]
    code.name, code.load, code.precision, code.mimic_joints = "mine", (lambda: None), "float32", True  # type: ignore[attr-defined]
    found = as_implementation(derivatives_of(code), "code", "code")
    assert (found.name, found.precision, found.mimic_joints, found.by_state) == ("mine", "float32", True, True)
    offered = {*found.load(find_mechanism("pendulum")).__dict__}
    assert offered == {"inverse_dynamics", "inverse_dynamics_dq", "inverse_dynamics_dv"}


def test_functions_without_a_mechanism_have_derivatives_without(jnp: Any) -> None:
    code = derivatives_of(SimpleNamespace(forward_dynamics=lambda q, v, tau: jnp.asarray(tau) * 3 + q))
    found = as_implementation(code, "code", "code")
    assert found.one_robot is not None
    loaded = InProcess(found).load(find_mechanism("pendulum"))
    assert {name for name in DERIVATIVES if loaded.offers(name)} == {f"forward_dynamics_d{by}" for by in ("q", "v", "tau")}
    assert loaded.ask("forward_dynamics_dtau", np.zeros((1, 1))).value == 3


def test_answers_of_numpy_cannot_be_differentiated() -> None:
    code = SimpleNamespace(inverse_dynamics=lambda mechanism, q, v, a: np.zeros(1))
    loaded = InProcess(as_implementation(derivatives_of(code), "code", "code")).load(find_mechanism("pendulum"))
    with pytest.raises(Failure, match="inverse_dynamics returned ndarray; return what jax or torch has computed"):
        loaded.ask("inverse_dynamics_dv", *np.zeros((2, 1, 1)))


def test_what_has_no_dynamics_is_refused() -> None:
    with pytest.raises(TypeError, match="it has no inverse_dynamics and no forward_dynamics"):
        derivatives_of(SimpleNamespace(gravity=lambda mechanism, q: q))
    with pytest.raises(ValueError, match="there is no mode 'backward'; use 'forward' or 'reverse'"):
        derivatives_of(SimpleNamespace(forward_dynamics=len), "backward")  # type: ignore[arg-type]
