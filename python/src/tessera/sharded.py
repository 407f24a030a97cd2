"""`tessera.shard`, and what it returns: a module together with the sharding of each of its tensors.

The engine behind it (engine.py) reads the module once and keeps what a question made of it for the next one; variants share what was read.
The list of tensors is read once, when the first of them is asked for.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from typing import Any, Iterator, Mapping, TypeVar

from tessera import comparison, table
from tessera.answers import Collective, CommBill, Comparison, Memory, Reshard
from tessera.engine import Answer, Engine
from tessera.errors import ShardingError, UnknownTensor
from tessera.explanation import Explanation
from tessera.printed import Printed
from tessera.read_answer import read
from tessera.settings import Settings, mesh_text, release_of, spec_text
from tessera.source import Source, source_of
from tessera.tensor import Mesh, Tensor, read_mesh, read_tensor

Answered = TypeVar("Answered", bound=Printed)

# Of a list of all reshards: how many have tried annotations, as the command shows.
_MOST_CURED = 10


def shard(module: Any,
          *,
          mesh: Any = None,
          annotate: Mapping[str, Any] | None = None,
          reference: str | None = None,
          import_: str | None = None,
          stage: str | None = None,
          strategy: str | None = None,
          schedule: str | None = None,
          rules: Mapping[str, str] | None = None,
          conservative: bool = False,
          name: str | None = None,
          number: int | None = None) -> Sharded:
    """The shardings that XLA will give a module.

      tessera.shard(jax.jit(step).lower(*arguments))
      tessera.shard("step.hlo", mesh="data=4,model=2", annotate={"^w1$": P(None, "model")})

    module: `Lowered` or `Traced` of jax, HLO text, a file (text, or `.pb`), or a folder that `--xla_dump_to` filled (`name`: part of
      the name of the module meant). `number`: which one of a file with several, from 1.
    mesh: "data=4,model=2", a dict, or a mesh of jax; wins over the module's own.
    annotate: regular expression over names and argument paths -> spec, as text or PartitionSpec.
    reference: the jaxlib whose pass is imitated. None: the one that lowered the module, where jax says it; the newest for text and
      files, with a note in `t.notes`.
    rules: of custom calls, by target. import_: "hlo" where shardings stand as `sharding={...}`. Further ones: docs/reference.md of the
      repository.

    Raises ShardingError with file, line and column for a module or an option that cannot be used; TypeError for what is no module.
    """
    source = source_of(module, name)
    if reference is None and source.jaxlib is not None:
        reference = release_of(source.jaxlib)
    settings = Settings(mesh=mesh_text(mesh), reference=reference, import_=import_, stage=stage, strategy=strategy, schedule=schedule,
                        annotate=tuple((pattern, spec_text(spec)) for pattern, spec in (annotate or {}).items()),
                        rules=tuple((rules or {}).items()), conservative=conservative, number=number)
    sharded = Sharded(source, settings)
    sharded.tensors  # so that errors come from here
    return sharded


@dataclasses.dataclass(frozen=True)
class Sharded:
    """Made by `tessera.shard`. `t[name]` is a Tensor; `len`, `in` and iteration are over all tensors."""
    source: Source = dataclasses.field(repr=False)
    settings: Settings

    # --- tensors ---

    @functools.cached_property
    def tensors(self) -> list[Tensor]:
        """All tensors in order of the module's text, results last."""
        return [read_tensor(one, self.meshes) for one in self._listing["tensors"]]

    @property
    def args(self) -> list[Tensor]:
        """The arguments, in order: those that jax keeps, as `compiled.input_shardings` has them (unused ones are no part of the module)."""
        found = [tensor for tensor in self.tensors if tensor.parameter is not None]
        return sorted(found, key=lambda tensor: tensor.parameter or 0)

    @property
    def results(self) -> list[Tensor]:
        """What the module returns, in order: as `compiled.output_shardings`."""
        return [tensor for tensor in self.tensors if tensor.is_result]

    @functools.cached_property
    def meshes(self) -> list[Mesh]:
        return [read_mesh(mesh) for mesh in self._listing["meshes"]]

    @property
    def notes(self) -> str:
        """What is to be known beside the answers: nothing is annotated, a result was trimmed to what divides it, whose pass is imitated."""
        return self._reference_note + self._answer.notes

    @property
    def reference(self) -> str:
        """The jaxlib whose pass is imitated: 0.12.0.1."""
        return str(self._listing["reference"])

    def __getitem__(self, name: str) -> Tensor:
        """By name, or by the path of an argument or result: `t["dot_general.3"]`, `t["params['w1']"]`, `t["out['w1']"]`.

        UnknownTensor, a KeyError, for others; TypeError for what is no text. Paths of results are known where the module came as an
        object of jax.
        """
        if not isinstance(name, str):
            raise TypeError(f"t[{name!r}]: expected the name of a tensor, as in t['dot_general.3']; t.tensors[{name!r}] counts them")
        if name not in self._by_name:
            raise UnknownTensor(name, self._by_name)
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def find(self, *, line: str | None = None, op: str | None = None, axis: str | None = None, min_bytes: int = 0) -> list[Tensor]:
        """Tensors made by `line` ("model.py:41", or "model.py"), with `op` in their name or op_name, that use `axis`, of so many bytes on a device.

        ShardingError for an axis that no mesh of the module has.
        """
        if axis is not None:
            self._check_axis(axis)
        return [
            tensor for tensor in self.tensors
            if (line is None or _is_from(tensor.source, line)) and (op is None or op in tensor.name or op in tensor.op_name) and
            (axis is None or any(_is_part(one, axis) for one in sum(tensor.axes, tensor.unreduced))) and
            tensor.bytes_per_device >= min_bytes
        ]

    # --- questions ---

    def explain(self, name: str | Tensor, *, axis: str | None = None, forward: bool = False,
                source_root: str | os.PathLike[str] | None = None) -> Explanation:
        """Why a tensor has its axes and lacks others. `name` also with a dimension: "dot_general.3:0". UnknownTensor for other names.

        source_root: a folder; lines of the program are shown from files below it. Without one no file is opened.
        """
        words = [name.name if isinstance(name, Tensor) else name]
        words += ([f"--axis={axis}"] if axis else []) + (["--forward"] if forward else [])
        words += [] if source_root is None else [f"--source-root={os.fspath(source_root)}"]
        try:
            answer = self._ask("explain", *words, "--json")
        except ShardingError as error:
            if not error.message.startswith("no tensor is named"):
                raise
            raise UnknownTensor(_without_dimension(words[0]), self._by_name) from None
        return Explanation(answer.text.strip(), json.loads(answer.output))

    def collectives(self) -> list[Collective]:
        """The collectives that XLA's partitioner inserts, the one that sends most first."""
        return [read(Collective, one) for one in self._ask_json("collectives")["collectives"]]

    def reshards(self, *, top: int = 0, axis: str | None = None, match: str | None = None, min_bytes: int = 0, cures: bool = True) -> list[Reshard]:
        """The values that move between devices to lie otherwise, the one that sends most first, with tried annotations that end it.

        top: only so many. 0: all, of which the first ten have annotations, since each is tried on the whole program.
        axis: only what moves along it. match: a regular expression on names and lines. cures: False is faster.
        """
        flags = [f"--min-bytes={min_bytes}"] + ([f"--axis={axis}"] if axis else []) + ([f"--match={match}"] if match else [])
        tried = self._reshards(f"--top={top or _MOST_CURED}", *flags) if cures else []
        if top and cures:
            return tried
        return tried + self._reshards(f"--top={top}", "--no-cures", *flags)[len(tried):]

    def comm(self, topology: str | None = None) -> CommBill:
        """The bill of all collectives; with a topology ("tpu-v5e:4x4", or a textproto) also in time. `print` it."""
        return self._ask_printed(CommBill, "comm", *([f"--topology={topology}"] if topology else []))

    def memory(self, limit: str | int | None = None, hardware: str | None = None, *, cures: bool = True) -> Memory:
        """Bytes that one device needs, and tried annotations that lower them. `print` it.

        limit ("16GiB", or a number of bytes) or hardware ("tpu-v5e") sets `fits`. cures: False is faster.
        """
        flags = ([] if limit is None else [f"--limit={limit}"]) + ([f"--hardware={hardware}"] if hardware else [])
        flags += [] if cures else ["--no-cures"]
        return self._ask_printed(Memory, "memory", *flags)

    def to_hlo(self, structure: str = "keep") -> str:
        """The module with a sharding on each instruction: its own text with edits (`keep`), or as XLA's pass leaves it (`xla`)."""
        return self._ask("shard", f"--structure={structure}").output

    def partitioned(self) -> str:
        """The module that each device runs, as XLA's SPMD partitioner leaves it: HLO text with the shapes of shards (docs/partition.md).

        ShardingError with the place of an instruction that has no such form yet.
        """
        return self._ask("partition").output

    def record(self) -> str:
        """The text of a golden file (docs/golden.md)."""
        return self._ask("record").output

    # --- other settings ---

    def with_mesh(self, mesh: Any = None, **sizes: int) -> Sharded:
        """The same module on another mesh: `t.with_mesh(data=8, model=1)`."""
        return self._with(mesh=mesh_text(sizes if mesh is None else mesh))

    def with_annotations(self, annotate: Mapping[str, Any]) -> Sharded:
        """With further annotations; of several for a tensor the last counts."""
        return self._with(annotate=self.settings.annotate + tuple((pattern, spec_text(spec)) for pattern, spec in annotate.items()))

    def diff(self, other: Sharded) -> Comparison:
        """What `other` shards otherwise; false where nothing changed."""
        return comparison.compare(self, other)

    # --- in notebooks ---

    def __repr__(self) -> str:
        meshes = "; ".join(map(str, self.meshes)) or "no mesh"
        reached = sum(tensor.mesh is not None for tensor in self.tensors)
        notes = table.short(self.notes)
        return f"<tessera.Sharded: {len(self)} tensors, {reached} with a sharding, {meshes}>" + (f"\n{notes}" if notes else "")

    def _repr_html_(self) -> str:
        return table.as_html(self)

    # --- in other processes ---

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies: what it was made of. The other one reads the module again, a file by its whole path."""
        return {"source": self.source.anywhere(), "settings": self.settings}

    # --- the engine ---

    @functools.cached_property
    def _engine(self) -> Engine:
        return Engine(self.source.files())

    @functools.cached_property
    def _answer(self) -> Answer:
        return self._ask("shardings", "--json")

    @functools.cached_property
    def _listing(self) -> dict[str, Any]:
        listing: dict[str, Any] = json.loads(self._answer.output)
        return listing

    @functools.cached_property
    def _by_name(self) -> dict[str, Tensor]:
        paths = {tensor.op_name: tensor for tensor in self.args + self.results if tensor.op_name}
        return paths | {tensor.name: tensor for tensor in self.tensors}

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

    @property
    def _reference_note(self) -> str:
        lowered_by, imitated = self.source.jaxlib, self.settings.reference
        if imitated is None:
            return (f"note: nothing says which jaxlib lowered the module: sharded as jaxlib {self.reference} does; "
                    "reference= names another one\n")
        if lowered_by is not None and imitated == release_of(lowered_by) != lowered_by:
            return f"note: jaxlib {lowered_by} is no release: taken as {imitated}\n"
        return ""

    def _reshards(self, *flags: str) -> list[Reshard]:
        return [read(Reshard, one) for one in self._ask_json("reshards", *flags)["reshards"]]

    def _check_axis(self, axis: str) -> None:
        known = list(dict.fromkeys(name for mesh in self.meshes for name, _ in mesh.axes))
        if axis.partition(":(")[0] not in known:
            has = f"the axes are {', '.join(known)}" if known else "the module has no mesh"
            raise ShardingError(f"axis={axis!r}: {has}")

    def _with(self, **changes: Any) -> Sharded:
        other = Sharded(self.source, dataclasses.replace(self.settings, **changes))
        other.__dict__["_engine"] = self._engine.variant()
        other.tensors
        return other


def _is_from(source: str, line: str) -> bool:
    source = source if ":" in line else source.rpartition(":")[0]
    return source == line or source.endswith("/" + line)


# "dot_general.3:0" -> "dot_general.3"
def _without_dimension(name: str) -> str:
    head, colon, dimension = name.rpartition(":")
    return head if colon and dimension.isdigit() else name


def _is_part(axis: str, whole: str) -> bool:
    return axis == whole or axis.startswith(whole + ":(")
