"""docs/python_api.md is what the docstrings say, and every public name has one."""

import inspect
import subprocess
import sys

import tessera
from conftest import REPOSITORY


def test_the_page_is_that_of_the_docstrings():
    script = REPOSITORY / "python/api_page.py"
    done = subprocess.run([sys.executable, "-P", str(script)] if sys.version_info >= (3, 11) else [sys.executable, str(script)],
                          capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    page = REPOSITORY / "docs/python_api.md"
    assert done.stdout == page.read_text(encoding="utf-8"), "python python/api_page.py > docs/python_api.md"


def test_every_question_has_a_docstring():
    for made in (tessera.Sharded, tessera.Tensor, tessera.Tensors, tessera.Rows, tessera.Sweep):
        for name, value in inspect.getmembers(made):
            if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                function = value.fget if isinstance(value, property) else value
                assert inspect.getdoc(function) or function.__module__.startswith("collections"), f"{made.__name__}.{name}"
