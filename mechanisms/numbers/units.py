"""SI units, as exponents of the kilogram, the metre and the second, and in words."""

from __future__ import annotations

from typing import NamedTuple

SUPERSCRIPTS = {1: "", 2: "²", 3: "³"}


class Unit(NamedTuple):
    """kgᵃ mᵇ sᶜ. An angle has the unit (0, 0, 0)."""

    kg: int
    m: int
    s: int

    def in_words(self, rad: int = 0) -> str:
        """Such as "N m/rad" or "kg m²", with this exponent of the radian; empty for a plain number."""
        newton = int(self.kg == 1 and self.s < 0)
        powers = {"kg": self.kg - newton, "N": newton, "m": self.m - newton, "s": self.s + 2 * newton, "rad": rad}
        above, below = (
            [f"{name}{SUPERSCRIPTS[sign * power]}" for name, power in powers.items() if sign * power > 0] for sign in (1, -1)
        )
        if not below:
            return " ".join(above)
        under = " ".join(below)
        return f"{' '.join(above) or '1'}/{under if len(below) == 1 else f'({under})'}"
