"""Programs of testing/jax on eight virtual devices, with the package as it is installed."""

import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
sys.path.insert(0, str(REPOSITORY / "testing/jax"))

pytest_plugins = ["pytester", "no_skips"]


@pytest.fixture(scope="session")
def programs():
    import program
    return program.all_programs()


@pytest.fixture
def mlp():
    """A file without a mesh and without shardings."""
    return REPOSITORY / "examples/mlp.hlo"


@pytest.fixture
def train_step():
    return REPOSITORY / "examples/train_step.hlo"


@pytest.fixture
def t(train_step):
    import tessera
    return tessera.shard(train_step)
