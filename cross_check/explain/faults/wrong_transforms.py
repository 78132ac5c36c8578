"""Transforms across joints that are put together wrongly. All that is computed with them is wrong.

X = X_J X_T: the placement X_T of the joint, with the rotation E_T and the translation r_T, then the joint's own X_J. So
E = E_J E_T and r = r_T + E_Tᵀ r_J (Featherstone 2008, eq. 4.2 and Table 4.1).
"""

from __future__ import annotations

from cross_check.explain.faults.fault import Edit, Fault
from mechanisms import Mechanism

RIGHT = "return XJ.after(link.XT), S"
E = "np.einsum('ij...,jk...->ik...', XJ.E, link.XT.E)"


def product(first: str, second: str) -> str:
    return f"np.einsum('ij...,j...->i...', {first} + 0 * ({second}), {second})"


def transform(rotation: str, translation: str) -> tuple[Edit, ...]:
    return (Edit("jcalc", RIGHT, f"return Plucker({rotation}, {translation}), S"),)


def slides(m: Mechanism) -> bool:
    return any(not screw.turns or screw.advance for body in m.bodies for screw in body.joint.screws)


def turned_placements(m: Mechanism) -> bool:
    return any(body.joint.placement.rotation.matrix != ((1, 0, 0), (0, 1, 0), (0, 0, 1)) for body in m.bodies)


OF_TRANSFORMS: tuple[Fault, ...] = (
    Fault(
        "displacements of joints are along the parent's axes: they are not turned by the placement of the joint",
        "rotated placements",
        transform(E, "link.XT.r + XJ.r"),
        needs=lambda m: slides(m) and turned_placements(m),
    ),
    Fault(
        "displacements of joints are turned by the placement of the joint the wrong way",
        "rotated placements",
        transform(E, f"link.XT.r + {product('link.XT.E', 'XJ.r')}"),
        needs=lambda m: slides(m) and turned_placements(m),
    ),
    Fault(
        "displacements of joints are along the body's axes after its turn",
        "slides",
        transform(E, f"link.XT.r + {product(f'{E}.swapaxes(0, 1)', 'XJ.r')}"),
        needs=slides,
    ),
    Fault("displacements of joints do not move the bodies", "slides", transform(E, "link.XT.r + 0 * XJ.r"), needs=slides),
    Fault(
        "joints move before their placements: X_T X_J instead of X_J X_T",
        "rotated placements",
        (Edit("jcalc", RIGHT, "return link.XT.after(XJ), S"),),
    ),
    Fault(
        "the rotations of joints are transposed",
        "rotations of joints",
        transform("np.einsum('ij...,jk...->ik...', XJ.E.swapaxes(0, 1), link.XT.E)", "XJ.after(link.XT).r"),
    ),
)
