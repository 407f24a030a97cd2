"""Where IPython runs, a cell is called as the reader sees it."""

import subprocess
import sys

import pytest

pytest.importorskip("IPython")

# A shell as a notebook has it, without one: two cells, of which the second one makes tensors on its lines 2 to 4.
RUN = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_cell("import jax, jax.numpy as jnp, tessera", store_history=True)
shell.run_cell('''def f(x):
    y = x * 2
    z = jnp.tanh(y)
    return z @ z.T
t = tessera.shard(jax.jit(f).lower(jnp.ones((8, 4))))''', store_history=True)
t = shell.user_ns["t"]
print(sorted({tensor.source for tensor in t.tensors if tensor.source}))
print([tensor.name.split(".")[0] for tensor in t.find(line="In [2]:3")])
"""


def test_places_are_the_cells_of_the_notebook():
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True)
    assert done.stdout.splitlines()[-2:] == ["['In [2]:2', 'In [2]:3', 'In [2]:4']", "['tanh']"], done.stdout + done.stderr
