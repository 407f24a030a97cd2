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


def kill_workers(cluster, checkpoint, times, killed):
    """Kills one worker after another, each once something new was done. Their nannies start others."""
    seen = 0
    for _ in range(times):
        while (done := checkpoint.read_text().count("\n") if checkpoint.exists() else 0) <= seen:
            time.sleep(0.02)
        seen = done
        pid = next(worker.pid for worker in cluster.workers.values() if worker.pid not in (None, *killed))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)


def test_workers_may_die(cluster, train_step, tmp_path):
    path = tmp_path / "sweep.jsonl"
    want = tessera.sweep(train_step, GRID)
    with distributed.Client(cluster) as client:
        killed = []
        killer = threading.Thread(target=kill_workers, args=(cluster, path, 2, killed))
        killer.start()
        found = tessera.sweep(train_step, GRID, executor=client.get_executor(), checkpoint=path, chunk=2)
        killer.join()
    assert found == want and len(found) == 90 and len(killed) == 2
    counted = collections.Counter(line["key"] for line in lines(path))
    assert set(counted.values()) == {1} and len(counted) == want.distinct
    assert json.loads(path.read_text().splitlines()[0])["memory"] in want.column("memory")
