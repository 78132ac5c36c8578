"""What all tests share."""

from hypothesis import settings

# A deadline would make the outcome depend on how busy the machine is.
settings.register_profile("dalembert", deadline=None)
settings.load_profile("dalembert")
