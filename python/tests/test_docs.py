"""Every line of docs/python.md does what the page says."""

import doctest
import sys

import pytest

from conftest import REPOSITORY


def test_the_tour(tmp_path, monkeypatch):
    jax = pytest.importorskip("jax")
    if jax.__version_info__ < (0, 12):
        pytest.skip("the tour shows the newest reference")
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr(sys, "path", [str(REPOSITORY / "examples"), *sys.path])
    failed, tried = doctest.testfile(str(REPOSITORY / "docs/python.md"), module_relative=False, globs={"scratch": str(tmp_path)},
                                     optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    assert tried > 20 and failed == 0
