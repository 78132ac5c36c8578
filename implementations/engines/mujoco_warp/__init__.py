"""The adapter to MuJoCo Warp."""
