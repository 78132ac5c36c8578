"""All rewritings."""

from __future__ import annotations

from cross_check.relations.as_read.axes import AXES
from cross_check.relations.as_read.inertials import INERTIALS
from cross_check.relations.as_read.notation import NOTATION
from cross_check.relations.as_read.trees import TREES

REWRITINGS = (*INERTIALS, *AXES, *TREES, *NOTATION)
