"""Words that sentences about causes use, as regular expressions. Synonyms count; another meaning does not."""

from typing import NamedTuple

ABSENT = r"left out|ignor|missing|lack|absent|omit|without|zero|dropped|has no|have no|no longer|not in\b|not \w+ed\b|does not"
TWICE = r"twice|doubl|two times|factor (of )?2|2 ×|× ?2\b|2 times"
SIGN = r"sign|negat|opposite|revers|flip|minus|backwards|inverted"
OTHER = r"neighbour|another|other|next|wrong|swap|exchang|instead|mix|permut"
NUMBER = r"\d|per cent|factor|times|scal|too (low|high|large|small)|instead of"
SWAPPED = r"swap|exchang|permut|order|mix|interchang|instead of"
PARENT = r"parent"
TRANSPOSED = r"transpos|invers|wrong way|revers"
MASS = r"\bmass"
COM = r"cent(re|er)s? of mass|com\b"
MOMENT = r"inertia|moment|I[xyz][xyz]|products?"
ORIGIN = r"origin|translat|placement|position|offset"
AXIS = r"ax(is|es)"
GYRO = r"gyroscopic|ω × I ?ω|Euler|w x I"
CORIOLIS = r"Coriolis|2 ?ω ×|velocity.product|c_J|bias"
CENTRIPETAL = r"centri(petal|fugal)|ω × \(?ω|velocity.product"
GRAVITY = r"gravity|\bg\b"
FREE = r"free|base|float"
QUATERNION = r"quaternion"
FLOAT32 = r"float32|single precision|float ?16|24 bits"
DIFFERENCE = r"finite|difference|step"
CACHE = r"cach|earlier|previous|before|first call|history|stale|remember|called|kept"
"""An answer that depends on earlier calls."""


class Topic(NamedTuple):
    """What a cause is about, and how it must say so."""

    kinds: str
    """The kinds of cause that count as named, separated by spaces."""
    words: str
    """What the sentence must contain."""
    term: str = ""
    """What the cause's term, or else its sentence, must contain; the words if it is empty."""


ROTOR = r"armature|rotor"
SUMMED = Topic("term", "mass matrix|M\\b|composite|inertia", "mass matrix")
TRIANGLE = "triangle|upper|lower|symmetr"
BEHIND_SLIDES = "behind|outboard|after|prismatic|slide"
OF_MOTIONS = f"{CORIOLIS}|rate|velocity"

ARMATURE = Topic("term model", ROTOR, "armature")
ARMATURE_OF_ONE = Topic("term", ROTOR, "armature")
FRICTION = Topic("term model", "damping|friction", "damping")
DAMPING = Topic("term model", "damping", "damping")
GRAVITY_VECTOR = Topic("term model convention", GRAVITY, "gravity")
GRAVITY_TERM = Topic("term", GRAVITY, "gravity")
GYROSCOPIC = Topic("term", GYRO, "gyroscopic|inertia")
MOMENTUM_RATE = Topic("term", f"{GYRO}|momentum|v ×\\* ?I ?v|velocity", "gyroscopic|momentum|velocity|oriolis")
MASS_OF_BODY = Topic("model", MASS, "mass|inertial")
COM_OF_BODY = Topic("model", COM, "mass|inertial")
INERTIA = Topic("model", MOMENT, "inertia")
PRODUCTS = Topic("model", MOMENT, "inertia|product")
JOINT_AXIS = Topic("model", AXIS, "ax|joint")
JOINT_ORIGIN = Topic("model", ORIGIN, "placement")
JOINT_FRAME = Topic("model", f"{ORIGIN}|rotat|frame", "placement|rotat")
FREE_VELOCITY = Topic("convention", f"velocity|{FREE}", "free|velocity")
