"""A sweep on a Dask cluster whose workers are killed while it runs: each variant is there once, with the figures of a sweep in this process."""

import collections
import json
import os
import signal
import threading
import time

import pytest

import tessera
from test_sweep import lines

distributed = pytest.importorskip("distributed")

# Ten meshes by nine annotations of a step of 600 tensors: long enough to be disturbed.
GRID = tessera.Grid(meshes=[f"data={d},model={m}" for d, m in ((1, 8), (2, 4), (4, 2), (8, 1), (2, 2), (4, 1), (1, 4), (4, 4), (2, 8), (8, 2))],
                    alternatives={r"\['down'\]$": ["P('model')", "P(None, 'model')", None], r"\['up'\]$": ["P('model')", "P(None, 'model')", None]})


@pytest.fixture
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster:
        yield cluster


def kill_workers(client, checkpoint, times):
    """Kills one worker after another, each once something new was done."""
    seen = 0
    for _ in range(times):
        while (done := checkpoint.read_text().count("\n") if checkpoint.exists() else 0) <= seen:
            time.sleep(0.02)
        seen = done
        pids = list(client.run(os.getpid).values())
        os.kill(pids[0], signal.SIGKILL)


def test_workers_may_die(cluster, train_step, tmp_path):
    path = tmp_path / "sweep.jsonl"
    want = tessera.sweep(train_step, GRID)
    with distributed.Client(cluster) as client:
        killer = threading.Thread(target=kill_workers, args=(client, path, 2))
        killer.start()
        found = tessera.sweep(train_step, GRID, executor=client.get_executor(), checkpoint=path, chunk=2)
        killer.join()
    assert found == want and len(found) == 90
    counted = collections.Counter(line["key"] for line in lines(path))
    assert set(counted.values()) == {1} and len(counted) == want.distinct
    assert json.loads(path.read_text().splitlines()[0])["memory"] in want.column("memory")
