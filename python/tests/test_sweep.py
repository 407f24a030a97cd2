"""Sweeps and searches: here, in a pool of processes, with workers that are lost, and out of a checkpoint."""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import signal

import pytest

import tessera
from tessera.engine import Engine

GRID = tessera.Grid(meshes=["data=8,model=1", {"data": 4, "model": 2}, "data=2,model=4"], annotate={"^x$": "P('data')"},
                    alternatives={"^w1$": ["P(None, 'model')", "P()", None]})
WORDS = ["--mesh=data=8,model=1", "--mesh=data=4,model=2", "--mesh=data=2,model=4", "--annotate=^x$=P('data')", "--try=^w1$=P(None,'model')|P()|none"]


def pool(workers=2):
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@pytest.fixture
def whole(mlp):
    return tessera.sweep(mlp, GRID, target="tpu-v5e:2x4")


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_sweep_is_that_of_the_command(mlp, whole):
    words = ["sweep", str(mlp), *WORDS, "--target=tpu-v5e:2x4", "--by=time"]
    assert str(whole) == Engine().ask(words).output.strip()
    assert [json.loads(line)["variant"] for line in Engine().ask([*words, "--json"]).output.splitlines()] == whole.column("variant")
    assert whole.best.seconds == min(whole.column("seconds")) and whole.best == whole[0]
    assert (len(whole), whole.distinct) == (9, 8)


def test_figures_are_those_of_each_variant_alone(mlp, whole):
    for variant in whole:
        t = tessera.shard(mlp, mesh=variant.mesh, annotate=variant.annotations)
        assert (t.memory(target="tpu-v5e:2x4").peak, sum(one.sent * one.runs for one in t.collectives())) == (variant.memory, variant.sent)


def test_a_sweep_is_columns(whole):
    table = whole.to_pandas()
    assert list(table["memory"]) == whole.column("memory") and list(table.columns) == list(whole.columns)
    copied = pickle.loads(pickle.dumps(whole))
    assert copied == whole and str(copied) == str(whole) and "<th>seconds</th>" in whole._repr_html_()


def test_the_front_is_beaten_by_none(whole):
    def beats(a, b):
        return a != b and a[0] <= b[0] and a[1] <= b[1]

    for figures in (("memory", "seconds"), ("memory", "sent"), ("sent", "seconds")):
        points = [tuple(getattr(variant, name) for name in figures) for variant in whole]
        want = sorted({point for point in points if not any(beats(other, point) for other in points)})
        assert [tuple(getattr(variant, name) for name in figures) for variant in whole.pareto(*figures)] == want
    assert len(whole.pareto("memory", "sent", "seconds")) >= len(whole.pareto())
    assert whole.pareto("bytes", "time") == whole.pareto("sent", "seconds")
    with pytest.raises(ValueError, match="'heat' is no figure of this sweep: it has memory, sent, seconds"):
        whole.pareto("heat")


@pytest.mark.parametrize("form", [
    lambda path: GRID,
    lambda path: {"meshes": GRID.meshes, "annotate": GRID.annotate, "alternatives": GRID.alternatives},
    lambda path: path,
    lambda path: path.read_text(),
])
def test_a_grid_is_given_in_many_forms(mlp, tmp_path, whole, form):
    path = tmp_path / "grid.textproto"
    path.write_text("""mesh: "data=8,model=1" mesh: "data=4,model=2" mesh: "data=2,model=4"\nannotate: "^x$=P('data')"
        alternatives { pattern: "^w1$" spec: "P(None,'model')" spec: "P()" spec: "none" }""")
    found = tessera.sweep(mlp, form(path), target="tpu-v5e:2x4")
    assert (found.column("variant"), found.column("seconds")) == (whole.column("variant"), whole.column("seconds"))


def test_what_is_refused_is_a_row(mlp):
    found = tessera.shard(mlp).sweep({"meshes": ["rows=8", "data=4"], "annotate": {"^x$": "P('data')"}})
    assert [(one.mesh, "'data'" in one.refused) for one in found.refused] == [("rows=8", True)] and len(found.priced) == 1
    nothing = tessera.sweep(mlp, {"meshes": ["rows=8"], "annotate": {"^x$": "P('data')"}})
    with pytest.raises(ValueError, match="none of 1 variants is possible"):
        nothing.best


def test_mistakes(mlp):
    with pytest.raises(tessera.ShardingError, match="the grid:1:1: error: mesh 'data'"):
        tessera.sweep(mlp, "mesh: 'data'")
    with pytest.raises(TypeError, match="a grid has meshes, annotate, alternatives and file, not 'mesh'"):
        tessera.sweep(mlp, {"mesh": ["data=8"]})
    with pytest.raises(TypeError, match="a int is no grid"):
        tessera.sweep(mlp, 8)
    with pytest.raises(TypeError, match="mesh= would change nothing"):
        tessera.sweep(tessera.shard(mlp), ["data=8"], mesh="data=8")


def test_a_pool_has_the_same_answer(mlp, whole, tmp_path):
    with pool() as executor:
        for module in (mlp, mlp.read_text()):
            found = tessera.sweep(module, GRID, target="tpu-v5e:2x4", executor=executor, chunk=2)
            assert found.column("variant") == whole.column("variant") and found.column("seconds") == whole.column("seconds")
        bad = tessera.shard(mlp)
        with pytest.raises(tessera.ShardingError, match="no chip is named 'tpu-v9'"):
            bad.sweep(GRID, target="tpu-v9", executor=executor)


def test_a_checkpoint_goes_on(mlp, whole, tmp_path):
    path = tmp_path / "sweep.jsonl"
    first = tessera.sweep(mlp, GRID.meshes[:2], annotate=GRID.annotate, target="tpu-v5e:2x4", checkpoint=path)
    done = lines(path)
    assert len(done) == len(first) == 2
    path.write_text(path.read_text() + '{"variant":7,"mesh":"da')  # as a writer leaves it that was killed
    assert tessera.sweep(mlp, GRID, target="tpu-v5e:2x4", checkpoint=path) == whole
    assert lines(path)[:2] == done
    keys = [line["key"] for line in lines(path)]
    assert len(keys) == len(set(keys)) == whole.distinct
    size = path.stat().st_size
    again = tessera.sweep(mlp, GRID, target="tpu-v5e:2x4", checkpoint=path)
    assert again == whole and path.stat().st_size == size
    assert tessera.sweep(mlp, GRID, checkpoint=path).column("seconds") == [None] * 9  # another question, other keys


class DiesOnce:
    """Of a picklable question: the first worker that takes this chunk is gone."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, packed, words):
        from tessera import cluster
        if not os.path.exists(self.marker):
            open(self.marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return cluster.ask(packed, words)


def test_a_broken_pool_says_how_to_go_on(mlp, whole, tmp_path, monkeypatch):
    path = tmp_path / "sweep.jsonl"
    monkeypatch.setattr(tessera.cluster, "ask", DiesOnce(str(tmp_path / "marker")))
    with pool(1) as executor, pytest.raises(tessera.Interrupted, match="call again with another executor") as caught:
        tessera.sweep(mlp, GRID, target="tpu-v5e:2x4", executor=executor, checkpoint=path, chunk=1)
    assert caught.value.missing == 8 - caught.value.done > 0
    with pool(1) as executor:
        found = tessera.sweep(mlp, GRID, target="tpu-v5e:2x4", executor=executor, checkpoint=path, chunk=1)
    assert found == whole and len(lines(path)) == whole.distinct


def test_suggest(mlp):
    options = {"target": "tpu-v5e:2x4", "tries": 30}
    t = tessera.shard(mlp, mesh="data=4,model=2")
    found = t.suggest(**options)
    assert str(found) == Engine().ask(["suggest", str(mlp), "--mesh=data=4,model=2", "--target=tpu-v5e:2x4", "--tries=30"]).output.strip()
    better = t.with_annotations(found.annotate)
    assert better.memory(target=options["target"]).peak == found.found.memory and found.found.seconds < found.own.seconds
    assert pickle.loads(pickle.dumps(found)) == found and "microseconds" in found._repr_html_()
    assert found.python.startswith("from jax.sharding import PartitionSpec as P\n") and "shardings = {" in found.python
    assert found.diff.startswith(f"--- {mlp}\n+++ {mlp}\n@@ -1,")
    here = tessera.suggest(mlp, devices=8, **options)
    with pool() as executor:
        there = tessera.suggest(mlp, devices=8, executor=executor, **options)
    assert (there, str(there)) == (here, str(here))
