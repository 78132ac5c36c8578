"""The language of the texts: their notation, the quantities of identities, and the reference's algorithms under test.

Every module of :mod:`cross_check.prove.catalogue.texts` is written in it.
"""

from __future__ import annotations

from cross_check.prove.catalogue.frames import *
from cross_check.prove.catalogue.identity import Chapter, Equations
from cross_check.prove.catalogue.motion import motion_of, without_losses
from cross_check.prove.catalogue.notation import *
from cross_check.prove.catalogue.point import chain
from cross_check.prove.catalogue.quantities import *
from cross_check.prove.catalogue.series import flow, rate
from implementations.linear import solve
from implementations.screws import adjoints
from implementations.spatial_algebra import kinematics, spatial
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import gravity, nonlinear_effects
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.external_forces import generalised_forces, in_bodies, rnea_with_external_forces
from implementations.spatial_algebra.jcalc import about, jcalc, transforms, transforms_from_root
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import crf, crm
from mechanisms import Inertia, Joint, Placement
from mechanisms.geometry import basis
from mechanisms.joint import Kind
