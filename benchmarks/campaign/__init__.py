"""A campaign of seeded codes, wrong and right, that were written without knowledge of how dalembert checks.

Each code is a whole dynamics library in NumPy. :mod:`campaign.textbook` is right. :func:`campaign.wrong.variant` draws wrong ones,
:func:`campaign.right.variant` draws other right ones. ``PYTHONPATH=benchmarks python -m campaign`` asks dalembert about each and
counts the verdicts. A wrong code that passes is listed with a sentence that says what is wrong in it.
"""
