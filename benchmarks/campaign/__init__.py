"""A campaign of seeded codes, wrong and right, that were written without knowledge of how dalembert checks.

Each code is a whole dynamics library in NumPy. :mod:`campaign.textbook` and :mod:`campaign.library` are right.
:func:`campaign.effect.variant` draws wrong ones, :func:`campaign.right.right` draws other right ones.
``PYTHONPATH=benchmarks python -m campaign`` asks dalembert about each and counts the verdicts. A wrong code that passes is
listed with a sentence that says what is wrong in it.

A code for one robot is checked on that robot. Every other wrong code is checked on one of the small sets of mechanisms in
:data:`campaign.wrong.SETS`: the first one, of four drawn from the seed, on which its answers differ clearly from right ones.
The difference is measured at states where the code is said to be wrong. It is the code's *effect*.
"""
