from importlib import metadata

import pytest

from mechanisms.library.robots import PACKAGE


@pytest.fixture
def robots():
    """Skips the test where the package that holds the robots is not installed."""
    try:
        metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        pytest.skip(f'pip install "dalembert[robots]" to read {PACKAGE}')
