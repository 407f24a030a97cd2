"""Every line of docs/python.md and docs/cluster.md does what the page says. In a process of its own: other tests set up jax otherwise."""

import subprocess
import sys

import pytest

from conftest import REPOSITORY

RUN = """
import doctest, sys
sys.path.insert(0, "examples")
ran = doctest.testfile(sys.argv[2], module_relative=False, globs={"scratch": sys.argv[1]},
                       optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
sys.exit(ran.failed > 0 or ran.attempted < int(sys.argv[3]))
"""


@pytest.mark.parametrize("page, least", [("docs/python.md", 40), ("docs/cluster.md", 6)])
def test_the_pages(tmp_path, page, least):
    jax = pytest.importorskip("jax")
    if jax.__version_info__ < (0, 12):
        pytest.skip("the pages show the newest reference")
    # "-c" puts the current folder, which has no package, in front: the installed one is found.
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path), page, str(least)], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
