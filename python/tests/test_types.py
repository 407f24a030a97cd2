"""The types of the package hold beside jax, too: testing/style.sh checks them where it is not installed."""

import pytest

from conftest import REPOSITORY

pytest.importorskip("jax")
mypy = pytest.importorskip("mypy.api")


def test_types_are_strict_beside_jax(tmp_path):
    out, errors, status = mypy.run([f"--config-file={REPOSITORY / 'python/pyproject.toml'}", f"--cache-dir={tmp_path}"])
    assert status == 0, out + errors
