"""Faults of trees: order, welds, gravity; and of the arrays that users' code gets."""

from __future__ import annotations

from shared.fault import faults

FAULTS = (
    *faults(
        "mechanism",
        ("the Earth pulls upwards", 'exact("-9.81")', 'exact("9.81")'),
        ("the Earth pulls with 9.8 m/s²", 'exact("-9.81")', 'exact("-9.8")'),
    ),
    *faults(
        "assembly",
        ("bodies are ordered depth first", "bodies[heapq.heappop(ready)]", "bodies[ready.pop()]"),
        (
            "along a chain of welds, placements are multiplied in the other order",
            "(offset @ body.joint.placement)",
            "(body.joint.placement @ offset)",
        ),
        (
            "behind a weld, a joint stays where it was in the welded body",
            "joint = dataclasses.replace(body.joint, placement=placement)",
            "joint = body.joint",
        ),
        (
            "a welded body is added where its carrier's frame is",
            "body.inertia.placed(placement)).shortened()",
            "body.inertia).shortened()",
        ),
        (
            "a welded body is placed the wrong way",
            "body.inertia.placed(placement)).shortened()",
            "body.inertia.placed(placement.inverse())).shortened()",
        ),
        (
            "a welded body is lost",
            "whole = (moving[holder].inertia + body.inertia.placed(placement)).shortened()",
            "whole = moving[holder].inertia",
        ),
        (
            "the first weld of a chain is forgotten",
            "carrier[body.name] = (holder, placement)",
            "carrier[body.name] = (holder, body.joint.placement)",
        ),
        (
            "a frame behind several welds has the placement of the last",
            "index[holder], placement) for b",
            "index[holder], b.joint.placement) for b",
        ),
    ),
    *faults(
        "extended",
        ("frames stay on the bodies before theirs when a free base is added", "body=frame.body + 1", "body=frame.body"),
        ("a free base has no inertia", 'Joint(ROOT_JOINT, "free"), inertia)', 'Joint(ROOT_JOINT, "free"))'),
    ),
    *faults("split_joints", ("a split joint loses its placement", "placement=joint.placement)", "placement=made[0].placement)")),
    *faults(
        "arrays",
        ("the screws of the arrays are [v; ω]", "_floats([screw.twist for", "_floats([screw.twist[3:] + screw.twist[:3] for"),
        (
            "the rotations of the arrays are transposed",
            "joint.placement.rotation.matrix for",
            "joint.placement.rotation.inverse().matrix for",
        ),
        (
            "the inertias of the arrays are about the body's origin",
            "_floats([body.inertia.matrix for",
            "_floats([body.inertia.about((0, 0, 0)) for",
        ),
        (
            "the axes of the arrays are in the parent's frame",
            "_floats([joint.axis for",
            "_floats([joint.placement.rotation(joint.axis) for",
        ),
        ("gravity points upwards in the arrays", "_floats(gravity),", "-_floats(gravity),"),
        ("the arrays have the armature for the damping", "_floats([joint.damping for", "_floats([joint.armature for"),
    ),
    *faults(
        "numbers",
        ("floats are kept to nine digits", "return Fraction(float(value))", 'return Fraction(f"{float(value):.9g}")'),
        ("decimal text loses its exponent", "return Fraction(Decimal(text))", "return Fraction(Decimal(mantissa))"),
        (
            "decimal text is rounded to single precision",
            "return Fraction(Decimal(text))",
            'import struct\n\n    return Fraction(struct.unpack("f", struct.pack("f", float(text)))[0])',
        ),
        ("long numbers are rounded to 24 bits", "places = KEPT_BITS - (", "places = 24 - ("),
        (
            "the scalar product leaves out the last component",
            "sum(p * q for p, q in zip(x, y, strict=True))",
            "sum(p * q for p, q in zip(x[:-1], y[:-1], strict=True))",
        ),
    ),
    *faults(
        "rounded",
        (
            "cosine and sine are exchanged",
            "ball(x).cos()), _nearest(lambda ball: ball(x).sin())",
            "ball(x).sin()), _nearest(lambda ball: ball(x).cos())",
        ),
    ),
)
