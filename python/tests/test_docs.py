"""Every line of docs/python.md does what the page says. In a process of its own: other tests set up jax otherwise."""

import subprocess
import sys

import pytest

from conftest import REPOSITORY

RUN = """
import doctest, sys
sys.path.insert(0, "examples")
ran = doctest.testfile("docs/python.md", module_relative=False, globs={"scratch": sys.argv[1]},
                       optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
sys.exit(ran.failed > 0 or ran.attempted < 20)
"""


def test_the_tour(tmp_path):
    jax = pytest.importorskip("jax")
    if jax.__version_info__ < (0, 12):
        pytest.skip("the tour shows the newest reference")
    # "-c" puts the current folder, which has no package, in front: the installed one is found.
    done = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
