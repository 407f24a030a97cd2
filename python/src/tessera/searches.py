"""`tessera.sweep` and `tessera.suggest`: what `t.sweep` and `t.suggest` run, in this process or dealt out to others (cluster.py)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from tessera import cluster
from tessera.answers import Suggestion
from tessera.checkpoint import Checkpoint
from tessera.engine import Answer, Engine
from tessera.grid import Grid, grid_of
from tessera.read_answer import read
from tessera.settings import kernel_cost_flags
from tessera.sweep_table import Sweep, read_lines

if TYPE_CHECKING:
    from tessera.sharded import Sharded

# What stands for the lines of a sweep on the engine's command line.
_LINES = "the lines of the sweep"
# A worker that gets this many chunks has the last ones of the others balanced; each chunk carries the module once.
_CHUNKS_A_WORKER = 4


def sweep(module: Any,
          grid: Any = None,
          *,
          target: str | os.PathLike[str] | None = None,
          by: str | None = None,
          executor: Any = None,
          checkpoint: str | os.PathLike[str] | None = None,
          chunk: int | None = None,
          kernel_cost: Mapping[str, tuple[float, float]] | None = None,
          **settings: Any) -> Sweep:
    """What many meshes and annotations of one module cost, ranked.

      tessera.sweep("step.hlo", tessera.Grid(meshes=["data=8", "data=4,model=2"]), target="tpu-v5e:2x4", executor=pool)

    module, settings: as of `tessera.shard`, or what that returned.
    grid: a Grid, a list of meshes, a mapping with the fields of Grid, or a textproto (file or text).
    target: the machine ("tpu-v5e:4x4", or a textproto), for times. by: "memory", "bytes" or "time"; None: time with a target, else memory.
    executor: a `concurrent.futures.Executor` whose workers have tessera. None: this process, on all its cores.
    checkpoint: a file of JSON lines. What is in it is not worked out again; each chunk is added as it comes.
    chunk: distinct variants a worker takes at once. None: about four chunks a worker.
    kernel_cost: with a target, as of `cost`: what custom calls do, by their target.

    Equal variants are worked out once (`.distinct`). A variant that is refused is a row with the reason. ShardingError for a mistake in grid, module
    or target; Interrupted where the executor breaks, see cluster.py.
    """
    return of_sharded(_sharded(module, settings), grid, target=target, by=by, executor=executor, checkpoint=checkpoint, chunk=chunk,
                      kernel_cost=kernel_cost)


def suggest(module: Any,
            *,
            target: str | os.PathLike[str],
            devices: int | None = None,
            memory_limit: str | int | None = None,
            tries: int | None = None,
            groups: int | None = None,
            executor: Any = None,
            kernel_cost: Mapping[str, tuple[float, float]] | None = None,
            **settings: Any) -> Suggestion:
    """Annotations of arguments and constraints that make a step fastest on the target and fit its memory, as predicted.

      found = tessera.suggest("step.hlo", target="tpu-v5e:4x4", devices=16)
      t.with_mesh(found.mesh).with_annotations(found.annotate)

    module, settings: as of `tessera.shard`, or what that returned.
    devices: search on every mesh of so many devices over the module's axes, in place of its own mesh or `mesh=`.
    memory_limit: "16GiB" or bytes; None: that of the target. tries: variants of the arguments on each mesh; constraints take as
    many again, and new ones half as many. groups: of arguments, and of constraints, the largest first.
    executor: as of `sweep`; its workers take a mesh each. kernel_cost: as of `cost`: what custom calls do, by their target.

    ShardingError for a mistake in module or target, and where no variant is possible.
    """
    return suggest_of(_sharded(module, settings), target=target, devices=devices, memory_limit=memory_limit, tries=tries, groups=groups,
                      executor=executor, kernel_cost=kernel_cost)


def of_sharded(t: Sharded, grid: Any, *, target: str | os.PathLike[str] | None, by: str | None, executor: Any,
               checkpoint: str | os.PathLike[str] | None, chunk: int | None,
               kernel_cost: Mapping[str, tuple[float, float]] | None) -> Sweep:
    by = by or ("memory" if target is None else "time")
    grid = grid_of(grid)
    flags = _sweep_flags(t, grid, target) + kernel_cost_flags(kernel_cost)
    engine = t._engine.variant(grid.files())
    if executor is None and checkpoint is None:
        answer = engine.ask(["sweep", t.source.word, *flags, f"--by={by}", "--json"])
        return Sweep(read_lines(answer.output), by, answer.text)
    plan = read_lines(engine.ask(["sweep", t.source.word, *flags, "--plan", "--json"]).output)
    done = Checkpoint(checkpoint)
    for lines in _work(t, grid, flags, engine, executor, _chunks(plan, done, executor, chunk)):
        done.add(lines)
    found = [done.line_of(planned) for planned in plan]
    return _ranked(engine, [line for line in found if line is not None], by)


def suggest_of(t: Sharded, *, target: str | os.PathLike[str], devices: int | None, memory_limit: str | int | None, tries: int | None,
               groups: int | None, executor: Any, kernel_cost: Mapping[str, tuple[float, float]] | None) -> Suggestion:
    flags = [*t._flags, f"--target={_machine(target)}", *kernel_cost_flags(kernel_cost)]
    options = {"memory-limit": memory_limit, "tries": tries, "groups": groups}
    flags += [f"--{name}={value}" for name, value in options.items() if value is not None]
    asked = ["suggest", t.source.word, *flags, *([] if devices is None else [f"--devices={devices}"])]
    if executor is None or devices is None:
        return _suggestion(t._engine.ask([*asked, "--json"]))
    meshes = json.loads(t._engine.ask([*asked, "--plan", "--json"]).output)["meshes"]
    elsewhere = ["suggest", t.source.anywhere().word, *flags, "--jobs=1", "--json"]
    found = dict(cluster.run_all(executor, cluster.pack(t.source.files()), meshes, lambda mesh: [*elsewhere, f"--mesh={mesh}"]))
    return min((_suggestion(found[mesh]) for mesh in meshes), key=_rank)


def _sharded(module: Any, settings: dict[str, Any]) -> Sharded:
    from tessera.sharded import Sharded, unasked
    if not isinstance(module, Sharded):
        return unasked(module, **settings)
    if settings:
        raise TypeError(f"the module is sharded already, {', '.join(settings)}= would change nothing: give t.with_mesh(..), "
                        "t.with_annotations(..), or the module itself")
    return module


def _sweep_flags(t: Sharded, grid: Grid, target: str | os.PathLike[str] | None) -> list[str]:
    flags = [flag for flag in t._flags if not (grid.meshes and flag.startswith("--mesh="))]
    return [*flags, *grid.flags(), *([] if target is None else [f"--target={_machine(target)}"])]


# A file by its whole path, for workers in other folders.
def _machine(target: str | os.PathLike[str]) -> str:
    return os.path.abspath(target) if os.path.exists(target) else os.fspath(target)


# Numbers of variants that are to be worked out; equal ones are in one chunk, where the engine works one of them out.
def _chunks(plan: Sequence[dict[str, Any]], done: Checkpoint, executor: Any, chunk: int | None) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for planned in plan:
        if done.line_of(planned) is None:
            groups.setdefault(planned["key"], []).append(planned["variant"])
    size = chunk or max(1, -(-len(groups) // (_CHUNKS_A_WORKER * _workers(executor))))
    numbers = list(groups.values())
    return [sum(numbers[k:k + size], []) for k in range(0, len(numbers), size)]


# Executors do not agree on a name for it.
def _workers(executor: Any) -> int:
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    scheduler = getattr(getattr(executor, "_client", None), "scheduler_info", None)
    return max(1, len(scheduler()["workers"])) if scheduler is not None else 16


def _work(t: Sharded, grid: Grid, flags: list[str], engine: Engine, executor: Any, chunks: list[list[int]]) -> Iterator[list[dict[str, Any]]]:
    source = t.source if executor is None else t.source.anywhere()
    jobs = [] if executor is None else ["--jobs=1"]  # workers are what runs at a time

    def of_chunk(numbers: list[int]) -> list[str]:
        return ["sweep", source.word, *flags, f"--only={','.join(map(str, numbers))}", *jobs, "--json"]

    if executor is None:
        for numbers in chunks:
            yield read_lines(engine.ask(of_chunk(numbers)).output)
        return
    for _, answer in cluster.run_all(executor, cluster.pack(t.source.files() | grid.files()), chunks, of_chunk):
        yield read_lines(answer.output)


def _ranked(engine: Engine, lines: list[dict[str, Any]], by: str) -> Sweep:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    answer = engine.variant({_LINES: text}).ask(["sweep", _LINES, "--merge", f"--by={by}", "--json"])
    return Sweep(read_lines(answer.output), by, answer.text)


def _suggestion(answer: Answer) -> Suggestion:
    found = read(Suggestion, json.loads(answer.output))
    found.print_as(answer.text)
    return found


# As cost::IsBetter of cost/search/descent.h, of equal ones the first.
def _rank(one: Suggestion) -> tuple[Any, ...]:
    cost = one.found
    if cost.memory is None or cost.seconds is None:
        return (float("inf"),)
    over = max(0, cost.memory - one.limit) if one.limit is not None else 0
    return (over, cost.seconds, cost.sent, cost.memory)
