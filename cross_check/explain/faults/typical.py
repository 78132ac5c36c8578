"""Faults that dynamics code has, as data: variants of the reference in which exactly one thing is wrong.

Every name completes the sentence "The code is wrong in this: …". Groups are the terms of the equations of motion; a group that
ends in "joints" concerns one kind of joint.
"""

from __future__ import annotations

from cross_check.explain.faults.joints import JOINTS
from cross_check.explain.faults.others import OTHERS
from cross_check.explain.faults.states import STATES
from cross_check.explain.faults.terms import TERMS

FAULTS = (*TERMS, *JOINTS, *STATES, *OTHERS)
