"""Other numbers: bodies, joints and mechanisms that are read wrongly."""
