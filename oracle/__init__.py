"""Truth from energy: L = T − V, then d/dt ∂L/∂q̇ − ∂L/∂q, in exact polynomial arithmetic.

    equations = oracle.derive(mechanism)                    exact, printable, decidable
    oracle.Evaluator(equations, np.longdouble)              the same, as functions of batches of states
    oracle.EulerLagrange(mechanism, oracle.Rational())      of any size, evaluated without symbols over any field
    oracle.RecordedQuantities(mechanism, BY_JETS)           either of the two as programs, executed in double-double

This package shares no arithmetic with the implementations that are compared with it. It imports only :mod:`mechanisms`, and
uses no spatial vector, no angular velocity and no recursion over velocities.
"""

from oracle.by_jets.euler_lagrange import EulerLagrange
from oracle.errors import OracleError
from oracle.fields import Balls, Rational, Real
from oracle.recorded import BY_JETS, SYMBOLIC, RecordedQuantities
from oracle.symbolic.display import python, text
from oracle.symbolic.equations_of_motion import Equations, Symbolic
from oracle.symbolic.evaluate import Evaluator
from oracle.symbolic.lagrange import derive, is_small
from oracle.symbolic.latex import latex

__all__ = [
    "BY_JETS",
    "SYMBOLIC",
    "Balls",
    "Equations",
    "EulerLagrange",
    "Evaluator",
    "OracleError",
    "Rational",
    "Real",
    "RecordedQuantities",
    "Symbolic",
    "derive",
    "is_small",
    "latex",
    "python",
    "text",
]
