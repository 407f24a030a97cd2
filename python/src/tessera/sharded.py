"""`tessera.shard`, and what it returns: a module together with the sharding of each of its tensors.

Its engine (engine.py) reads the module once and keeps what a question made of it for the next one; variants share what was read.
The list of tensors comes in columns (tensors.py); questions about costs and causes stand in questions.py.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any, Iterator, Mapping, Sequence

from tessera import comparison, table
from tessera.answers import Comparison
from tessera.engine import Answer, Engine
from tessera.errors import ShardingError, UnknownTensor
from tessera.questions import Questions
from tessera.settings import Settings, flags_of, kernel_cost_flags, mesh_text, release_of, spec_text
from tessera.source import Source, source_of
from tessera.tensor import Mesh, Placement, Tensor
from tessera.tensors import Tensors


def shard(module: Any,
          *arguments: Any,
          mesh: Any = None,
          annotate: Mapping[str, Any] | None = None,
          reference: str | None = None,
          platform: str | None = None,
          import_: str | None = None,
          stage: str | None = None,
          strategy: str | None = None,
          schedule: str | None = None,
          rules: Mapping[str, str] | None = None,
          conservative: bool = False,
          name: str | None = None,
          number: int | None = None) -> Sharded:
    """The shardings that XLA will give a module.

      tessera.shard(step, params, batch, mesh="data=4,model=2")
      tessera.shard(jax.jit(step).lower(*arguments))
      tessera.shard("step.hlo", mesh="data=4,model=2", annotate={"^w1$": P(None, "model")})

    module: a function with its `arguments` (arrays or jax.ShapeDtypeStruct; jitted or not); `Lowered`, `Traced`, `Exported` or `Compiled` of jax;
      HLO text; a file (text, or `.pb`); or a folder that `--xla_dump_to` filled (`name`: part of the name of the module meant). `number`: which
      one of a file with several, from 1.
    mesh: "data=4,model=2", a dict, or a mesh of jax; wins over the module's own. A function is traced with it, so that constraints may name
      its axes.
    annotate: regular expression over names and argument paths -> spec, as text or PartitionSpec.
    reference: the jaxlib whose pass is imitated. None: the one that lowered the module, where jax says it; the newest for text and
      files, with a note in `t.notes`.
    platform: for which a function is lowered: "tpu", "cuda", "cpu". None: that of jax; "cpu" for a mesh without devices.
    rules: of custom calls, by target. import_: "hlo" where shardings stand as `sharding={...}`. Further ones: docs/reference.md of the
      repository.

    A compiled program has no shardings of whole arrays any more: `collectives()` and `memory()` say what the compiler made.

    Raises ShardingError with file, line and column for a module or an option that cannot be used; TypeError for what is no module.
    """
    sharded = unasked(module, arguments, mesh=mesh, annotate=annotate, reference=reference, platform=platform, name=name, rules=rules,
                      import_=import_, stage=stage, strategy=strategy, schedule=schedule, conservative=conservative, number=number)
    if not sharded.source.is_compiled:
        sharded._answer  # so that errors come from here
    return sharded


def unasked(module: Any,
            arguments: Sequence[Any] = (),
            *,
            mesh: Any = None,
            annotate: Mapping[str, Any] | None = None,
            reference: str | None = None,
            platform: str | None = None,
            name: str | None = None,
            rules: Mapping[str, str] | None = None,
            **options: Any) -> Sharded:
    """As `shard`, but nothing is worked out yet: the module may need a mesh that comes later."""
    source = source_of(module, arguments, mesh=mesh, platform=platform, name=name)
    if reference is None and source.jaxlib is not None and not source.is_compiled:
        reference = release_of(source.jaxlib)
    annotations = tuple((pattern, spec_text(spec)) for pattern, spec in (annotate or {}).items())
    return Sharded(source, Settings(mesh=mesh_text(mesh), reference=reference, annotate=annotations, rules=tuple((rules or {}).items()), **options))


@dataclasses.dataclass(frozen=True)
class Sharded(Questions):
    """Made by `tessera.shard`. `t[name]` is a Tensor; `len`, `in` and iteration are over all tensors."""
    source: Source = dataclasses.field(repr=False)
    settings: Settings

    # --- tensors ---

    @functools.cached_property
    def tensors(self) -> Tensors:
        """All tensors in order of the module's text, results last: a sequence of Tensor, in columns."""
        return Tensors(self._answer.output)

    @property
    def args(self) -> Tensors:
        """The arguments, in order: those that jax keeps, as `compiled.input_shardings` has them (unused ones are no part of the module)."""
        return self.tensors.arguments()

    @property
    def results(self) -> Tensors:
        """What the module returns, in order: as `compiled.output_shardings`."""
        return self.tensors.results()

    @property
    def meshes(self) -> list[Mesh]:
        """The meshes that shardings name."""
        return self.tensors.meshes

    @property
    def notes(self) -> str:
        """What is to be known beside the answers: nothing is annotated, a result was trimmed to what divides it, whose pass is imitated."""
        return self._reference_note + self._answer.notes

    @property
    def reference(self) -> str:
        """The jaxlib whose pass is imitated: 0.12.0.1."""
        return self.tensors.reference

    def __getitem__(self, name: str) -> Tensor:
        """By name, or by the path of an argument or result: `t["dot_general.3"]`, `t["params['w1']"]`, `t["out['w1']"]`.

        UnknownTensor, a KeyError, for others; TypeError for what is no text. Paths of results are known where the module came as an
        object of jax.
        """
        if not isinstance(name, str):
            raise TypeError(f"t[{name!r}]: expected the name of a tensor, as in t['dot_general.3']; t.tensors[{name!r}] counts them")
        tensor = self.tensors.named(name)
        if tensor is None:
            raise UnknownTensor(name, self.tensors.names)
        return tensor

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.tensors.named(name) is not None

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def find(self, *, match: str | None = None, axis: str | None = None, min_bytes: int = 0, top: int = 0, line: str | None = None,
             op: str | None = None) -> Tensors:
        """Tensors that use `axis` and take at least `min_bytes` on a device.

        match: a regular expression, found in name, op_name or source. line: "model.py:41", or "model.py". op: a part of name or op_name.
        top: only so many, the largest first.

        ShardingError for an axis that no mesh of the module has.
        """
        if axis is not None:
            self._check_axis(axis)

        def fits(one: Placement) -> bool:
            return one.bytes_per_device >= min_bytes and (axis is None or any(_is_part(used, axis) for used in sum(one.axes, one.unreduced)))

        found = self.tensors.where(placement=fits, source=None if line is None else lambda source: _is_from(source, line),
                                   text=None if op is None else lambda text: op in text,
                                   match=None if match is None else re.compile(match))
        return found.largest(top) if top else found

    # --- other settings ---

    def with_mesh(self, mesh: Any = None, **sizes: int) -> Sharded:
        """The same module on another mesh: `t.with_mesh(data=8, model=1)`. Nothing is worked out before the first question."""
        return self._with(mesh=mesh_text(sizes if mesh is None else mesh))

    def with_annotations(self, annotate: Mapping[str, Any]) -> Sharded:
        """With further annotations; of several for a tensor the last counts. Nothing is worked out before the first question."""
        return self._with(annotate=self.settings.annotate + tuple((pattern, spec_text(spec)) for pattern, spec in annotate.items()))

    def diff(self, other: Sharded, *, match: str | None = None, axis: str | None = None, min_bytes: int = 0, top: int = 0,
             target: str | None = None, xla_flags: str | None = None,
             kernel_cost: Mapping[str, tuple[float, float]] | None = None) -> Comparison:
        """What `other` shards otherwise; false where nothing changed.

        match, min_bytes and top choose tensors as in `find`; axis: only tensors that gained or lost it.
        target ("tpu-v5e:4x4", "h100:8"): the shardings of both on that machine, whose compiler simplifies programs first. xla_flags: of XLA,
        that decide it. kernel_cost: as of `cost`: what custom calls do, by their target.
        """
        if not isinstance(other, Sharded):
            raise TypeError(f"t.diff({other!r}): expected what tessera.shard(..) returns")
        return comparison.compare(self, other, flags_of(match=match, axis=axis, min_bytes=min_bytes or None, top=top or None),
                                  [*flags_of(target=target, xla_flags=xla_flags), *kernel_cost_flags(kernel_cost)])

    # --- in notebooks ---

    def __repr__(self) -> str:
        if self.source.is_compiled:
            return "<tessera.Sharded: a compiled program, of one device>"
        meshes = "; ".join(map(str, self.meshes)) or "no mesh"
        notes = table.short(self.notes)
        return f"<tessera.Sharded: {len(self)} tensors, {self.tensors.count_with_sharding} with a sharding, {meshes}>" + (f"\n{notes}" if notes else "")

    def _repr_html_(self) -> str:
        return f"<p>{repr(self)[1:-1]}</p>" if self.source.is_compiled else table.as_html(self)

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
        if self.source.is_compiled:
            raise ShardingError("the program is compiled, so it is one device's: it has no shardings of whole arrays. collectives() and memory() "
                                "say what the compiler made; tessera.shard of what was compiled has the shardings")
        return self._ask("shardings", "--columns")

    @property
    def _reference_note(self) -> str:
        lowered_by, imitated = self.source.jaxlib, self.settings.reference
        if imitated is None:
            return (f"note: nothing says which jaxlib lowered the module: sharded as jaxlib {self.reference} does; "
                    "reference= names another one\n")
        if lowered_by is not None and imitated == release_of(lowered_by) != lowered_by:
            return f"note: jaxlib {lowered_by} is no release: taken as {imitated}\n"
        return ""

    def _check_axis(self, axis: str) -> None:
        known = list(dict.fromkeys(name for mesh in self.meshes for name, _ in mesh.axes))
        if axis.partition(":(")[0] not in known:
            has = f"the axes are {', '.join(known)}" if known else "the module has no mesh"
            raise ShardingError(f"axis={axis!r}: {has}")

    def _with(self, **changes: Any) -> Sharded:
        other = Sharded(self.source, dataclasses.replace(self.settings, **changes))
        other.__dict__["_engine"] = self._engine.variant()
        return other


def _is_from(source: str, line: str) -> bool:
    source = source if ":" in line else source.rpartition(":")[0]
    return source == line or source.endswith("/" + line)


def _is_part(axis: str, whole: str) -> bool:
    return axis == whole or axis.startswith(whole + ":(")
