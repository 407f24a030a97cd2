"""How to propagate: the arguments of `tessera.shard`, and the flags that they are for the engine.

    Settings(mesh="data=4,model=2", annotate=(("^w1$", "P(None, 'model')"),)).flags()
      ->  ["--mesh=data=4,model=2", "--annotate=^w1$=P(None, 'model')"]
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Iterable, Mapping

# Fields that are a flag of the same name with a value. (`import` is a word of Python.)
_VALUES = {"mesh": "mesh", "reference": "reference", "import_": "import", "stage": "stage", "strategy": "strategy", "schedule": "schedule"}


@dataclasses.dataclass(frozen=True)
class Settings:
    """None: what the engine does by itself. Field by field as in docs/reference.md."""
    mesh: str | None = None
    annotate: tuple[tuple[str, str], ...] = ()
    reference: str | None = None
    import_: str | None = None
    stage: str | None = None
    strategy: str | None = None
    schedule: str | None = None
    rules: tuple[tuple[str, str], ...] = ()
    conservative: bool = False
    number: int | None = None

    def flags(self) -> list[str]:
        flags = [f"--{flag}={getattr(self, name)}" for name, flag in _VALUES.items() if getattr(self, name) is not None]
        flags += [f"--annotate={pattern}={spec}" for pattern, spec in self.annotate]
        flags += [f"--rule={target}={rule}" for target, rule in self.rules]
        flags += ["--conservative"] if self.conservative else []
        return flags + ([f"--module={self.number}"] if self.number is not None else [])


def mesh_text(mesh: Any) -> str | None:
    """`data=4,model=2` of that text, of a mapping, or of a Mesh or AbstractMesh of jax."""
    if mesh is None or isinstance(mesh, str):
        return mesh
    sizes = mesh if isinstance(mesh, Mapping) else getattr(mesh, "shape", None)
    if not isinstance(sizes, Mapping):
        raise TypeError(f"a {type(mesh).__name__} is no mesh: give 'data=4,model=2', a dict of sizes by axis, or a mesh of jax")
    return ",".join(f"{name}={size}" for name, size in sizes.items())


def mesh_axes(mesh: Any) -> list[tuple[str, int]]:
    """(("data", 4), ("model", 2)) of what mesh_text() takes."""
    axes = [axis.partition("=") for axis in (mesh_text(mesh) or "").split(",") if axis]
    try:
        return [(name.strip(), int(size)) for name, _, size in axes]
    except ValueError:
        raise ValueError(f"{mesh!r} is no mesh: give 'data=4,model=2'") from None


def release_of(jaxlib: str) -> str:
    """0.12.1 of 0.12.1.dev20261101+cuda: the engine knows releases."""
    found = re.match(r"\d+(\.\d+)*", jaxlib)
    return found[0] if found else jaxlib


def spec_text(spec: Any) -> str:
    """P('data', None) of that text, of a PartitionSpec, of a NamedSharding, or of a sequence of entries.

    TypeError for what is no spec. ValueError for partial results that are not to be summed, which no text of a spec can say.
    """
    if isinstance(spec, str):
        return spec
    spec = getattr(spec, "spec", spec)
    try:
        entries = list(getattr(spec, "partitions", spec))
    except TypeError:
        raise TypeError(f"a {type(spec).__name__} is no spec: give P('data', None), or its text") from None
    return f"P({', '.join([*map(_entry_text, entries), *_unreduced_texts(spec)])})"


# An enum that is a str, as some name axes, prints its name; what counts is its text.
def _entry_text(entry: Any) -> str:
    if entry is None or repr(entry) == "UNCONSTRAINED":
        return str(entry)
    if isinstance(entry, str):
        return repr(str.__str__(entry))
    if isinstance(entry, (list, tuple)) and all(isinstance(axis, str) for axis in entry):
        return repr(tuple(map(str.__str__, entry)))
    raise TypeError(f"{entry!r} is no entry of a spec: expected None, an axis name, a tuple of axis names, or UNCONSTRAINED")


# PartitionSpec has them beside its entries: unreduced={'model'}.
def _unreduced_texts(spec: Any) -> Iterable[str]:
    for name in ("unreduced", "reduced"):
        axes = getattr(spec, name, None)
        if axes:
            yield f"{name}={{{', '.join(sorted(map(_entry_text, axes)))}}}"
    kind = getattr(getattr(spec, "unreduced_kind", None), "name", "sum")
    if kind != "sum":
        raise ValueError(f"{spec}: partial results are summed here, never reduced by {kind}")


def kernel_cost_flags(costs: Mapping[str, tuple[float, float]] | None) -> list[str]:
    """{"fast": (2e12, 1e9)}  ->  --kernel-cost=fast=2e12,1e9"""
    return [f"--kernel-cost={call}={flops},{moved}" for call, (flops, moved) in (costs or {}).items()]


def flags_of(**values: str | int | bool | None) -> list[str]:
    """min_bytes=8, forward=True  ->  --min-bytes=8 --forward. None and False are no flag."""
    words = []
    for name, value in values.items():
        if value is not None and value is not False:
            words.append("--" + name.replace("_", "-") + ("" if value is True else f"={value}"))
    return words
