"""Time steps: which scheme the step of a simulator follows, and what is wrong if it follows none.

:mod:`cross_check.steps.schemes` declares schemes, :mod:`cross_check.steps.moves` how positions move,
:mod:`cross_check.steps.residual` measures by how much a step misses a scheme's equations, and
:mod:`cross_check.steps.naming` finds the scheme.
"""
