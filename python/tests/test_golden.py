"""assert_shardings and the option of pytest, as a project has them: a test of its own, run by pytest."""

import os
import subprocess
import sys

import pytest

import tessera

TEST = """
import tessera

def test_net():
    tessera.assert_shardings({module!r}, "golden/net.txt", mesh="data=4,model=2", annotate={annotate})
"""


@pytest.fixture
def run(pytester, mlp, monkeypatch):
    # The environment of the outer run names no such plugin; the installed one is found by its entry point.
    monkeypatch.delenv("TESSERA_UPDATE", raising=False)

    def run(annotate, *options):
        pytester.makepyfile(TEST.format(module=str(mlp), annotate=annotate))
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return run


def test_a_golden_file_is_written_kept_and_broken(run, pytester):
    run({"^x$": "P('data')"}).stdout.fnmatch_lines(["*there is no golden file*--tessera-update*"])
    run({"^x$": "P('data')"}, "--tessera-update").assert_outcomes(passed=1)
    assert (pytester.path / "golden/net.txt").read_text().startswith("tessera golden 1\n")
    run({"^x$": "P('data')"}).assert_outcomes(passed=1)
    broken = run({"^x$": "P('model')"})
    broken.assert_outcomes(failed=1)
    broken.stdout.fnmatch_lines([
        "*not sharded as in *net.txt", "*of 7 tensors 5 sharded differently*", "*- P('data', None), 512 B per device",
        "*+ P('model', None), 1 KiB per device", "*if that is meant: pytest --tessera-update"
    ])
    run({"^x$": "P('model')"}, "--tessera-update").assert_outcomes(passed=1)
    run({"^x$": "P('model')"}).assert_outcomes(passed=1)


def test_without_pytest(tmp_path, mlp, monkeypatch):
    golden = tmp_path / "mlp.txt"
    monkeypatch.setenv("TESSERA_UPDATE", "1")
    tessera.assert_shardings(mlp, golden)
    monkeypatch.setenv("TESSERA_UPDATE", "0")
    tessera.assert_shardings(tessera.shard(mlp), golden)


def test_settings_of_a_module_that_is_sharded_are_refused(tmp_path, mlp):
    golden = tmp_path / "mlp.txt"
    t = tessera.shard(mlp, mesh="data=4,model=2")
    golden.write_text(t.record())
    with pytest.raises(TypeError, match="sharded already, mesh= would change nothing"):
        tessera.assert_shardings(t, golden, mesh="data=8")


PROGRAM = """
import jax, jax.numpy as jnp, sys, tessera
t = tessera.shard(jax.jit(lambda x: jnp.tanh(x) * 2).lower(jnp.ones((8, 4))))
tessera.assert_shardings(t, sys.argv[1])
"""


def test_a_golden_file_is_the_same_wherever_the_program_stands(tmp_path):
    pytest.importorskip("jax")
    written = []
    for folder in ("one", "two/three"):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "net.py").write_text(PROGRAM)
        for update in ("1", "0"):
            subprocess.run([sys.executable, place / "net.py", place / "golden.txt"], check=True, env=os.environ | {"TESSERA_UPDATE": update})
        written.append((place / "golden.txt").read_text())
    assert written[0] == written[1] and ', source="net.py:3"' in written[0]


def test_a_golden_file_of_another_mesh_is_an_error(tmp_path, mlp, monkeypatch):
    golden = tmp_path / "mlp.txt"
    golden.write_text(tessera.shard(mlp, mesh="x=8", annotate={"^x$": "P('x')"}).record())
    with pytest.raises(tessera.ShardingError, match="mesh"):
        tessera.assert_shardings(mlp, golden, mesh="x=4", annotate={"^x$": "P('x')"})
