"""Whole simulations: recorded ones, and those of code that steps, beside the true motion and beside the scheme that they follow.

:mod:`cross_check.simulations.run` is what is judged, :mod:`cross_check.simulations.flow` the true motion,
:mod:`cross_check.simulations.executed` a scheme carried out without faults, :mod:`cross_check.simulations.following` says which
scheme a run follows, and :mod:`cross_check.simulations.balances` what energy and momenta do.
:mod:`cross_check.simulations.judged` puts these together, and :mod:`cross_check.simulations.parting` says why two codes part.
"""
