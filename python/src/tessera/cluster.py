"""Parts of a sweep or a search in other processes: any `concurrent.futures.Executor` takes them.

    with concurrent.futures.ProcessPoolExecutor(8) as pool:
        tessera.sweep("step.hlo", grid, executor=pool, checkpoint="sweep.jsonl")

Dask's `client.get_executor()`, mpi4py's MPIPoolExecutor and Ray's executors are such. A worker needs tessera, no jax. This process finds
variants that are equal and deals out chunks; workers return lines of JSON (sweep_answer.proto), and each line counts once. A chunk whose
worker was lost is given to another one; where the executor itself breaks, as a process pool does, what was done stays in the checkpoint.
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import zlib
from typing import Any, Callable, Iterator, Mapping, Sequence, TypeVar

from tessera.engine import Answer, Engine
from tessera.errors import ShardingError

# A chunk is tried so often; a module that kills each worker would go round for ever.
_MOST_TRIES = 4

Part = TypeVar("Part")


class Interrupted(RuntimeError):
    """Workers were lost and the executor takes no more work. done, missing: chunks.

    The same call with the same `checkpoint=` and another executor goes on where this one ended.
    """

    def __init__(self, done: int, missing: int) -> None:
        super().__init__(done, missing)
        self.done, self.missing = done, missing

    def __str__(self) -> str:
        return (f"the workers were lost with {self.done} of {self.done + self.missing} chunks done: call again with another executor; with checkpoint= "
                "what is done is not worked out again")


def pack(files: Mapping[str, str]) -> bytes:
    """Files for workers, small enough to go with each chunk."""
    return zlib.compress(json.dumps(dict(files)).encode("utf-8", "surrogatepass"), 1)


def ask(packed: bytes, words: Sequence[str]) -> Answer:
    """In a worker: it reads the module at its first chunk."""
    return _engine_of(packed).ask(words)


def run_all(executor: Any, packed: bytes, parts: Sequence[Part], words_of: Callable[[Part], Sequence[str]]) -> Iterator[tuple[Part, Answer]]:
    """Each part with its answer, as they come. ShardingError of the engine; Interrupted where the executor breaks."""
    waiting: dict[concurrent.futures.Future[Answer], Part] = {}
    tries = [0] * len(parts)
    todo = list(range(len(parts)))[::-1]
    places: dict[concurrent.futures.Future[Answer], int] = {}
    done = 0
    try:
        while todo or waiting:
            while todo:
                place = todo.pop()
                tries[place] += 1
                future = _submit(executor, packed, words_of(parts[place]), done, len(parts) - done)
                waiting[future], places[future] = parts[place], place
            ready, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                part, place = waiting.pop(future), places.pop(future)
                answer = _answer_of(future)
                if answer is None and tries[place] >= _MOST_TRIES:
                    raise Interrupted(done, len(parts) - done)
                if answer is None:
                    todo.append(place)
                    continue
                done += 1
                yield part, answer
    finally:
        for future in waiting:
            future.cancel()


def _submit(executor: Any, packed: bytes, words: Sequence[str], done: int, missing: int) -> concurrent.futures.Future[Answer]:
    try:
        future: concurrent.futures.Future[Answer] = executor.submit(ask, packed, list(words))
    except RuntimeError as error:  # a broken pool, or one that was shut down
        raise Interrupted(done, missing) from error
    return future


# None where the worker was lost.
def _answer_of(future: concurrent.futures.Future[Answer]) -> Answer | None:
    try:
        return future.result()
    except (ShardingError, TypeError, AttributeError, ImportError):
        raise  # the question's fault, or that of a worker without tessera
    except Exception:  # each executor has errors of its own: BrokenProcessPool, KilledWorker, ..
        return None
    except concurrent.futures.CancelledError:
        return None


@functools.lru_cache(maxsize=2)
def _engine_of(packed: bytes) -> Engine:
    return Engine(json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass")))
