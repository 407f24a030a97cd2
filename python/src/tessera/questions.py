"""What can be asked about a sharded module beside its tensors: causes, collectives, memory, per-device programs. Each is a verb of the command
line, with arguments of the same names (docs/reference.md), and its answer a class of answers.py."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Sequence, TypeVar

from tessera import compiled as made
from tessera import searches
from tessera.answers import CommBill, Cost, Lint, Memory, Suggestion
from tessera.compiled import CompiledComparison
from tessera.device_module import DeviceModule
from tessera.engine import Answer, Engine
from tessera.errors import ShardingError, UnknownTensor
from tessera.explanation import Explanation
from tessera.messages import Collective, Reshard
from tessera.printed import Printed
from tessera.read_answer import read
from tessera.rows import Rows
from tessera.settings import Settings, flags_of, kernel_cost_flags
from tessera.source import Source
from tessera.sweep_table import Sweep
from tessera.tensor import Tensor

if TYPE_CHECKING:
    from tessera.tensors import Tensors

Answered = TypeVar("Answered", bound=Printed)

# Of a list of all reshards: how many have tried annotations, as the command shows.
_MOST_WITH_FIXES = 10


class Questions:
    """Base of Sharded, which has the module, the settings and the engine."""
    source: Source
    settings: Settings

    if TYPE_CHECKING:

        @functools.cached_property
        def _engine(self) -> Engine: ...

        @functools.cached_property
        def tensors(self) -> Tensors: ...

    def explain(self, name: str | Tensor | None = None, *, axis: str | None = None, forward: bool = False,
                source_root: str | os.PathLike[str] | None = None, match: str | None = None, min_bytes: int = 0,
                top: int | None = None, target: str | None = None, xla_flags: str | None = None) -> Explanation:
        """Why a tensor has its axes and lacks others. `name` also with a dimension: "dot_general.3:0". UnknownTensor for other names.

        Without a name: the places where a sharding was lost, the most expensive first; match, axis, min_bytes and top choose among them, as in
        `collectives`.
        source_root: a folder; lines of the program are shown from files below it. Without one no file is opened.
        target ("tpu-v5e:4x4", "h100:8"): the shardings on that machine, whose compiler simplifies the program first. xla_flags: of XLA, that decide it.
        """
        words = [] if name is None else [name.name if isinstance(name, Tensor) else name]
        words += flags_of(axis=axis, forward=forward, source_root=None if source_root is None else os.fspath(source_root), match=match,
                        min_bytes=min_bytes or None, top=top, target=target, xla_flags=xla_flags)
        try:
            answer = self._ask("explain", *words, "--json")
        except ShardingError as error:
            if name is None or error.code != "NOT_FOUND":
                raise
            raise UnknownTensor(_without_dimension(words[0]), self.tensors.names) from None
        return Explanation(answer.text.strip(), json.loads(answer.output))

    def collectives(self, *, target: str | None = None, xla_flags: str | None = None, match: str | None = None, axis: str | None = None,
                    min_bytes: int = 0, top: int = 0, formulas: bool = False) -> Rows[Collective]:
        """The collectives that XLA's partitioner inserts, the one that sends most first. `print` them.

        match: a regular expression on names and lines. axis: only those that run along it. min_bytes: only those that send so much. top: only so many.
        target ("tpu-v5e:4x4", "h100:8"): those that finally run there, after the compiler's passes. xla_flags: of XLA, that decide it.
        formulas: with each, how its bytes come about and, with a target, the time of its links.
        """
        flags = flags_of(target=target, xla_flags=xla_flags, match=match, axis=axis, min_bytes=min_bytes or None, top=top or None, formulas=formulas)
        answer = self._ask("collectives", *flags, "--json")
        return Rows(Collective, json.loads(answer.output)["collectives"], answer.text)

    def reshards(self, *, top: int = 0, axis: str | None = None, match: str | None = None, min_bytes: int = 0, fixes: bool = True,
                 target: str | None = None, xla_flags: str | None = None, cures: bool | None = None) -> Rows[Reshard]:
        """The values that move between devices to change their sharding, the one that sends most first, with tried annotations that end it.

        top: only so many. 0: all, of which the first ten have annotations, since each is tried on the whole program.
        axis: only what moves along it. match: a regular expression on names and lines. fixes: False is faster.
        target ("tpu-v5e:4x4", "h100:8"): also what that machine finally sends for each; then no annotations are tried. xla_flags: of XLA,
        that decide it. cures is an old name, which warns.
        """
        _warn_of_old_names("reshards", {"cures": (cures, "fixes=")})
        fixes = (fixes if cures is None else cures) and target is None
        flags = flags_of(min_bytes=min_bytes, axis=axis, match=match, target=target, xla_flags=xla_flags)
        tried, text = self._reshards(f"--top={top or _MOST_WITH_FIXES}", *flags) if fixes else ([], "")
        if not (top and fixes):
            others, other_text = self._reshards(f"--top={top}", "--no-fixes", *flags)
            tried, text = tried + others[len(tried):], text or other_text
        return Rows(Reshard, tried, text)

    def cost(self, target: str, *, xla_flags: str | None = None, match: str | None = None, axis: str | None = None, min_bytes: int = 0,
             top: int | None = None, kernel_cost: Mapping[str, tuple[float, float]] | None = None) -> Cost:
        """The time of a step on a target ("tpu-v5e:4x4", "h100:8"): where it goes, what it waits for, and what bounds it. `print` it.

        xla_flags: of XLA, that decide which collectives run. match, axis, min_bytes and top choose kernels and collectives, as in `collectives`.
        kernel_cost: what custom calls do, by their target: floating-point operations, and bytes read and written.
        """
        flags = flags_of(target=target, xla_flags=xla_flags, match=match, axis=axis, min_bytes=min_bytes or None, top=top)
        return self._ask_printed(Cost, "cost", *kernel_cost_flags(kernel_cost), *flags)

    def comm(self, topology: str | None = None) -> CommBill:
        """Deprecated: `collectives(formulas=True)` and `cost(target)`. The bill of all collectives; with a topology also in time."""
        warnings.warn("t.comm() is now t.collectives(formulas=True), and t.cost(target) for time; the old name works in this release only",
                      DeprecationWarning, stacklevel=2)
        return self._ask_printed(CommBill, "comm", *flags_of(topology=topology))

    def memory(self, memory_limit: str | int | None = None, *, target: str | None = None, xla_flags: str | None = None, fixes: bool = True,
               match: str | None = None, axis: str | None = None, min_bytes: int = 0, top: int | None = None,
               limit: str | int | None = None, hardware: str | None = None, cures: bool | None = None) -> Memory:
        """Bytes that one device needs, and tried annotations that lower them. `print` it.

        memory_limit ("16GiB", or a number of bytes) sets `fits`. fixes: False is faster. match, axis, min_bytes and top choose the buffers that
        are listed, as in `collectives`; the sums are of all.
        target ("tpu-v5e:4x4", "h100:8"): instead, the peak that the compiler of that machine will report, with `band`, `verdict` and tried
        `findings`. xla_flags: flags of XLA. limit, hardware and cures are old names, which warn.
        """
        _warn_of_old_names("memory", {"limit": (limit, "memory_limit="), "hardware": (hardware, "target="), "cures": (cures, "fixes=")})
        limit = limit if memory_limit is None else memory_limit
        fixes = fixes if cures is None else cures
        if isinstance(limit, str) and ":" in limit:
            raise ShardingError(f"memory_limit={limit!r} is a machine: expected t.memory(target={limit!r}), or bytes such as \"16GiB\"")
        return self._ask_printed(Memory, "memory", *flags_of(memory_limit=limit, hardware=hardware, target=target, xla_flags=xla_flags,
                                                           match=match, axis=axis, min_bytes=min_bytes or None, top=top,
                                                           no_fixes=not fixes))

    def report(self, path: str | os.PathLike[str], *, target: str | None = None, xla_flags: str | None = None,
               source_root: str | os.PathLike[str] | None = None) -> None:
        """Writes one page of HTML with all of it, to open in a browser: tensors and reasons, collectives, memory, findings (docs/report.md).

        target ("tpu-v5e:4x4", "h100:8"): with the time of a step and the memory on that machine. xla_flags: of XLA, that decide it.
        source_root: a folder; lines of the program are shown from files below it.
        """
        flags = flags_of(target=target, xla_flags=xla_flags, source_root=None if source_root is None else os.fspath(source_root))
        page = self._ask("report", *flags, "-o", "-").output
        pathlib.Path(path).write_text(page, encoding="utf-8", errors="surrogateescape")

    def sweep(self, grid: Any = None, *, target: str | os.PathLike[str] | None = None, by: str | None = None, executor: Any = None,
              checkpoint: str | os.PathLike[str] | None = None, chunk: int | None = None,
              kernel_cost: Mapping[str, tuple[float, float]] | None = None) -> Sweep:
        """What other meshes and annotations cost, ranked: `tessera.sweep` of this module."""
        return searches.sweep(self, grid, target=target, by=by, executor=executor, checkpoint=checkpoint, chunk=chunk,
                              kernel_cost=kernel_cost)

    def suggest(self, target: str | os.PathLike[str], *, devices: int | None = None, memory_limit: str | int | None = None, tries: int | None = None,
                groups: int | None = None, executor: Any = None, kernel_cost: Mapping[str, tuple[float, float]] | None = None) -> Suggestion:
        """Annotations that make a step fastest on the target and fit its memory: `tessera.suggest` of this module."""
        return searches.suggest(self, target=target, devices=devices, memory_limit=memory_limit, tries=tries, groups=groups, executor=executor,
                                kernel_cost=kernel_cost)

    def lint(self, *, target: str | None = None, ignore: Sequence[str] = (), source_root: str | os.PathLike[str] | None = None,
             **budgets: str | int) -> Lint:
        """Findings against budgets: arrays that are replicated, gathers in loops, uneven shards, and others (docs/ci.md). `print` them.

        budgets: as the flags of `tessera lint`: max_replicated="1GiB", memory_limit="16GiB". ignore: "RULE" or "RULE:REGEX" to leave out.
        target: the machine whose collectives and memory count; on a TPU sizes are padded. source_root: the root of the sources, from which files are named.
        """
        folder = None if source_root is None else os.fspath(source_root)
        words = [f"--ignore={one}" for one in ignore]
        answer = self._ask("lint", *words, *flags_of(target=target, source_root=folder, **budgets), "--json")
        found = read(Lint, json.loads(answer.output))
        found.print_as(answer.text)
        return found

    def to_hlo(self, structure: str = "keep") -> str:
        """The module with a sharding on each instruction: its own text with edits (`keep`), or as XLA's pass leaves it (`xla`)."""
        return self._ask("shard", f"--structure={structure}").output

    def partitioned(self) -> str:
        """The module that each device runs, as XLA's SPMD partitioner leaves it: HLO text with the shapes of shards (docs/partition.md).

        ShardingError with the place of an instruction that has no such form yet.
        """
        return self._ask("partition").output

    @functools.cached_property
    def device_module(self) -> DeviceModule:
        """The same module with its arrays, each of which knows the tensor that it comes from: `t.device_module["all-reduce.4"].source`.

        `t.device_module.of("dot_general.3")`: what a device runs for a tensor. `str()` of it is the text. Errors as of `partitioned`.
        """
        return DeviceModule(self._ask_json("partition"), self.tensors)

    def record(self) -> str:
        """The text of a golden file (docs/golden.md)."""
        return self._ask("shardings", "--format=golden").output

    # --- the engine ---

    def verify(self, compiled: Any, target: str) -> CompiledComparison:
        """The prediction for a target ("tpu-v5e:4x4") beside the program that its compiler made: what `lower(..).compile()` of jax gives, text, or a path."""
        return made.verify(self, compiled, target)

    def confirm(self, target: str, *, python: str | os.PathLike[str] | None = None, timeout: int = 600, cache: bool = True) -> CompiledComparison:
        """The same, with the compiler asked now. No device is needed.

        python: one that has the compiler, by default this one. timeout: seconds. cache: what was compiled before is taken from the user's cache.
        """
        return made.confirm(self, target, python=python, timeout=timeout, cache=cache)

    def _ask(self, verb: str, *words: str) -> Answer:
        return self._engine.ask([verb, self.source.word, *words, *self._flags])

    @property
    def _flags(self) -> list[str]:
        return self.source.flags() + self.settings.flags()

    def _ask_json(self, verb: str, *words: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._ask(verb, *words, "--json").output)
        return answer

    def _ask_printed(self, row: type[Answered], verb: str, *words: str) -> Answered:
        answer = self._ask(verb, *words, "--json")
        printed = read(row, json.loads(answer.output))
        printed.print_as(answer.text)
        return printed

    def _reshards(self, *flags: str) -> tuple[list[dict[str, Any]], str]:
        answer = self._ask("reshards", *flags, "--json")
        return json.loads(answer.output)["reshards"], answer.text


def _warn_of_old_names(question: str, old: dict[str, tuple[object, str]]) -> None:
    """old: name -> (the value that was given, or None, and what takes its place)."""
    for name, (value, now) in old.items():
        if value is not None:
            warnings.warn(f"t.{question}({name}=) is now t.{question}({now}); the old name works in this release only", DeprecationWarning, stacklevel=3)


# "dot_general.3:0" -> "dot_general.3"
def _without_dimension(name: str) -> str:
    head, colon, dimension = name.rpartition(":")
    return head if colon and dimension.isdigit() else name
