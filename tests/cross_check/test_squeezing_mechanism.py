"""Andrews' squeezing mechanism, integrated with our constrained dynamics and compared with the published trajectory.

F. Mazzia, C. Magherini, "Test set for initial value problem solvers", 2008, ch. II.9: consistent initial values, and a solution
at t = 0.03 s by PSIDE, whose tolerances were 10⁻¹⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.library.textbook_tables import LOOPS
from oracle.recorded import BY_JETS, RecordedQuantities

pytestmark = pytest.mark.slow

Array = np.ndarray[Any, Any]

M = LOOPS["squeezing-mechanism"]()

PUBLISHED_ORDER = [("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon").index(name) for name in M.coordinates]
"""y₁ … y₇ are β, Θ, γ, Φ, δ, Ω, ε."""

START = np.array(
    [-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438425, -0.2226683901658859, 1.230547444549821]
)[PUBLISHED_ORDER]
BETA, THETA, GAMMA, PHI, DELTA, OMEGA = (
    (15.81077119629904, 1139.920302151208),
    (-15.75637105984298, -1424.379294994111),
    (0.04082224013073101, 11.03291221937134),
    (-0.5347301163226948, 19.29337464421385),
    (0.5244099658805304, 0.5735699284790808),
    (0.5347301163226948, -19.29337464421385),
)
EPSILON = (1.048080741042263, 0.3231791658026955)
END, END_VELOCITY = np.array([BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON])[PUBLISHED_ORDER].T.copy()
MULTIPLIERS = np.array(
    [199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739, 11.61740700019673]
)
"""y₂₂ … y₂₇: along the root's axes."""

DRIVE, STIFFNESS, LENGTH = 0.033, 4530.0, 0.07785
"""The torque on K1 (N m), and the spring's stiffness (N/m) and length (m)."""

PIVOT, WALL, HOOK = np.array([-0.03635, 0.03273]), np.array([0.014, 0.072]), np.array([0.02, -0.018])
"""Where K3 is hinged, where the spring is fixed, and where it pulls at K3, in the body's frame."""

STEPS, COLUMNS = 60, (2, 4, 6, 8, 10, 12, 14, 16)
"""Steps, and substeps of the extrapolation: of order 16."""


def spring(q: Array) -> tuple[float, Array]:
    """The spring's length (m), and τ of the drive and of the spring: F is a force on K3, τ = JᵀF."""
    c, s = np.cos(q[2]), np.sin(q[2])
    hook = np.array([c * HOOK[0] - s * HOOK[1], s * HOOK[0] + c * HOOK[1]])
    pull = WALL - PIVOT - hook
    length = float(np.hypot(*pull))
    F = STIFFNESS * (length - LENGTH) / length * pull
    τ = np.zeros(7)
    τ[0], τ[2] = DRIVE, hook[0] * F[1] - hook[1] * F[0]
    return length, τ


class Motion:
    """The equations of motion with multipliers, from the oracle's recorded programs in float64."""

    def __init__(self) -> None:
        self._programs = RecordedQuantities(M, BY_JETS)

    def value(self, quantity: str, *arguments: Array) -> Array:
        value: Array = self._programs.function(quantity)(*(x[None] for x in arguments), precision="float64")[0][0]
        return value

    def acceleration(self, q: Array, v: Array) -> tuple[Array, Array]:
        """q̈ and λ."""
        J = self.value("constraint_jacobian", q)
        K = np.block([[self.value("mass_matrix", q), -J.T], [J, np.zeros((6, 6))]])
        b = np.concatenate([spring(q)[1] - self.value("nonlinear_effects", q, v), -self.value("constraint_drift", q, v)])
        x = np.linalg.solve(K, b)
        return x[:7], x[7:]

    def projected(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The nearest state that satisfies the constraints."""
        for _ in range(2):
            q = q - np.linalg.pinv(self.value("constraint_jacobian", q)) @ self.value("constraint_residual", q)
        J = self.value("constraint_jacobian", q)
        return q, v - np.linalg.pinv(J) @ (J @ v)

    def energy(self, q: Array, v: Array) -> float:
        """T + V, with the work of the drive as a potential: it is constant, for nothing is damped."""
        length, _ = spring(q)
        return float(v @ self.value("mass_matrix", q) @ v / 2 + STIFFNESS * (length - LENGTH) ** 2 / 2 - DRIVE * q[0])


def extrapolated(rate: Callable[[Array], Array], y: Array, h: float) -> Array:
    """One step of Gragg's, Bulirsch's and Stoer's method (Hairer, Nørsett, Wanner, "Solving ODEs I", §II.9)."""
    table: list[list[Array]] = []
    for k, n in enumerate(COLUMNS):
        before, now = y, y + h / n * rate(y)
        for _ in range(n - 1):
            before, now = now, before + 2 * h / n * rate(now)
        table.append([(before + now + h / n * rate(now)) / 2])
        for j in range(1, k + 1):
            weight = (n / COLUMNS[k - j]) ** 2 - 1
            table[k].append(table[k][j - 1] + (table[k][j - 1] - table[k - 1][j - 1]) / weight)
    return table[-1][-1]


def final() -> tuple[Motion, Array, Array]:
    """The state at t = 0.03 s."""
    motion, q, v = Motion(), START, np.zeros(7)
    for _ in range(STEPS):
        y = extrapolated(lambda y: np.concatenate([y[7:], motion.acceleration(y[:7], y[7:])[0]]), np.append(q, v), 0.03 / STEPS)
        q, v = motion.projected(y[:7], y[7:])
    return motion, q, v


def along_root(q: Array, λ: Array) -> Array:
    """λ is along the axes of K2, which has turned by β + Θ."""
    c, s = np.cos(q[0] + q[1]), np.sin(q[0] + q[1])
    return (λ.reshape(3, 2) @ np.array([[c, s], [-s, c]])).ravel()


def test_the_published_initial_accelerations_and_multipliers() -> None:
    a, λ = Motion().acceleration(START, np.zeros(7))
    assert a[:2] == pytest.approx([14222.4439199541138705, -10666.8329399655854], rel=1e-13)
    assert a[2:] == pytest.approx(0, abs=1e-10)
    assert along_root(START, λ)[:2] == pytest.approx([98.5668703962410896, -6.12268834425566265], rel=1e-13)


def test_the_published_multipliers_at_the_end_and_the_reference_there() -> None:
    motion = Motion()
    a, λ = motion.acceleration(END, END_VELOCITY)
    assert along_root(END, λ) == pytest.approx(MULTIPLIERS, rel=2e-6)
    τ = spring(END)[1]
    assert REFERENCE.load(M).constrained_acceleration(END[None], END_VELOCITY[None], τ[None])[0] == pytest.approx(a, rel=1e-9)


@pytest.mark.nightly
def test_the_published_trajectory_to_the_digits_that_it_has() -> None:
    """The difference of 10⁻⁹ in y₁ is an error of the published solution: ours keeps the energy and the velocity constraints."""
    motion, q, v = final()
    assert q == pytest.approx(END, rel=5e-10, abs=0)
    assert q[0] == pytest.approx(15.81077119629904, rel=1e-10)
    assert q[5] == pytest.approx(1.048080741042263, rel=1e-12)
    assert along_root(q, motion.acceleration(q, v)[1]) == pytest.approx(MULTIPLIERS, rel=2e-6)
    start = motion.energy(START, np.zeros(7))
    assert abs(motion.energy(q, v) - start) < 1e-11 < 1e-10 < abs(motion.energy(END, END_VELOCITY) - start)
    J = motion.value("constraint_jacobian", END)
    assert np.abs(motion.value("constraint_jacobian", q) @ v).max() < 1e-12 < 1e-10 < np.abs(J @ END_VELOCITY).max()
