"""MJCF, the file format of MuJoCo: what is read."""
