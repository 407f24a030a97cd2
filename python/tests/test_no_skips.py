"""What python/test.sh skips without listing it fails."""

import pytest

from conftest import REPOSITORY

SKIPPING = """
import pytest
def test_the_pages():
    pytest.skip("no jax here")
"""


@pytest.fixture
def run(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "python/tests"))
    return lambda *options: pytester.runpytest_subprocess("-p", "no_skips", *options)


def test_a_skip_fails(pytester, run):
    pytester.makepyfile(test_other=SKIPPING)
    assert run().ret == 0
    failed = run("--fail-on-skip")
    assert failed.ret == 1
    failed.stdout.fnmatch_lines(["FAILED: test_other.py::test_the_pages was skipped (*no jax here); *"])


def test_a_file_that_is_skipped_fails(pytester, run):
    pytester.makepyfile(test_other="import pytest\npytest.importorskip('no_such_module')\ndef test_it(): pass")
    assert run("--fail-on-skip").ret == 1


def test_a_listed_skip_does_not(pytester, run):
    pytester.makepyfile(test_docs=SKIPPING)
    assert run("--fail-on-skip").ret == 0
