"""What a file of test vectors says about itself, in sentences."""

from __future__ import annotations

ABOUT = (
    "These are test vectors for code that computes rigid-body dynamics or kinematics, in any language.",
    "A vector is a state and the expected value of one quantity of one mechanism at this state.",
    "Numbers are texts in hexadecimal floating point, as C's %a writes them; float.fromhex of Python and strtod of C read them.",
    "Expected values are those of the Euler-Lagrange equations in exact arithmetic, correctly rounded to float64.",
    "The mechanism's numbers are the float64 numbers nearest to the exact ones.",
    "Flags say what a vector stresses; a flag names a fault that only vectors with this flag catch.",
    "Vectors are to be computed in their order, so that code that keeps results of the vector before is caught.",
)

JUDGING = (
    "Code passes a vector if |got - expected| <= bar * epsilon * size for every number that is expected.",
    "Write the comparison like this, and not as a failure if the error is larger: then NaN does not pass.",
    "A size bounds the sum of the magnitudes of the terms that are summed for this number. It is rounded up to eight bits.",
    "Correct code in float64 whose algorithm is stable is off by a few times epsilon * size. A wrong term is off by far more.",
)

CONVENTIONS = {
    "units": "SI: m, rad, kg, s, N.",
    "arrays": "Nested lists, row by row: position q, velocity v, its rate a, forces of joints tau, forces on bodies f.",
    "order": "Bodies, and the joints that carry them, have the order of body_names, parents first. So have q and v.",
    "motions": "[w; v], the angular part first.",
    "forces": "[n; f], the moment first. External forces act at a body's origin, along the body's axes.",
    "quaternions": "x y z w. They take vectors of the body's frame to the joint's frame. Their length is one, rounded.",
    "frames": "A body's frame coincides with its joint's frame where the joint's position is zero, and moves with the body.",
    "compound joints": "A joint of several angles and distances makes one motion after the other, in the order of its screws.",
    "free joints": "v = [w; v] is the body's velocity in its own frame, and a is the rate of these components.",
    "gravity": "A vector in the root's frame. Accelerations do not contain it; forces and potential energy do.",
    "armature": "Rotor inertia seen at the joint: adds to M's diagonal, armature * a to tau, armature * v * v / 2 to T.",
    "damping": "Adds damping * v to tau and to h.",
    "derivatives": "A derivative by q is along the components of v: along the motion with this constant velocity.",
    "more": "docs/conventions.md in the repository of dalembert has all conventions with formulas.",
}

ARRAYS = {
    "parents": "The index of every body's parent; -1 is the root, which does not move.",
    "kinds": "The kind of every joint.",
    "q_starts": "Where every joint's part of q begins.",
    "v_starts": "Where every joint's part of v begins.",
    "axes": "Every joint's unit axis, in the joint's frame; it has no meaning for free and spherical joints.",
    "screws": "For every component of v the twist [w; v] of its body, in the joint's frame, where this component is one.",
    "rotations": "x in the parent's frame is rotation * x in the joint's frame.",
    "translations": "The joint's origin in the parent body's frame (m).",
    "masses": "kg",
    "coms": "The centre of mass in the body's frame (m).",
    "inertias": "The rotational inertia about the centre of mass, in the body's frame (kg m2); entry xy is that of the matrix.",
    "armature": "kg m2 or kg",
    "damping": "N m s or N s/m",
    "gravity": "In the root's frame (m/s2).",
    "urdf": "The mechanism for code that reads URDF; null, with a reason in no_urdf, if URDF cannot say it.",
}

PARAMETER_SENTENCE = "For every body ten, in this order: {}. The inertia is about the body's origin, along the body's axes."
