"""SDF, the format of Gazebo and Drake: what is read."""
