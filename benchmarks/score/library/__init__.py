"""A small dynamics library, as users write one: three formulations in plain NumPy over ``mechanism.arrays``.

It shares no code with the project's own derivations. Every step of an algorithm is a method of its own, so that a fault can
replace exactly one.
"""
