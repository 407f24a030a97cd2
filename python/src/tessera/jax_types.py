"""Meshes, specs and dtypes as JAX has them: its own types where jax is installed, light ones with the same `repr` where it is not.

    mesh = jax_types.abstract_mesh((("data", 4), ("model", 2)))
    jax_types.NamedSharding(mesh, jax_types.partition_spec(["data", None]))
    ->  NamedSharding(mesh=AbstractMesh('data': 4, 'model': 2, axis_types=(Auto, Auto)), spec=P('data', None))

jax, and what it brings, is imported when a type is first used.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Sequence

if TYPE_CHECKING:
    import jax

# Element types of HLO -> names of dtypes. Those above the line are numpy's, others ml_dtypes'.
_NUMPY = {
    "pred": "bool", "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"
}
_ML = {
    "bf16": "bfloat16", "s1": "int1", "s2": "int2", "s4": "int4", "u1": "uint1", "u2": "uint2", "u4": "uint4", "f4e2m1fn": "float4_e2m1fn",
    "f8e3m4": "float8_e3m4", "f8e4m3": "float8_e4m3", "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0fnu": "float8_e8m0fnu"
}


class _Unconstrained:

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


@dataclasses.dataclass(frozen=True)
class AbstractMesh:
    """`jax.sharding.AbstractMesh` where jax is not installed: sizes and names of axes, all of them `Auto`."""
    axis_sizes: tuple[int, ...]
    axis_names: tuple[str, ...]

    @property
    def shape(self) -> dict[str, int]:
        return dict(zip(self.axis_names, self.axis_sizes))

    @property
    def size(self) -> int:
        return functools.reduce(int.__mul__, self.axis_sizes, 1)

    def __repr__(self) -> str:
        axes = ", ".join(f"{name!r}: {size}" for name, size in self.shape.items()) or "()"
        types = "(Auto,)" if len(self.axis_names) == 1 else f"({', '.join(['Auto'] * len(self.axis_names))})"
        return f"AbstractMesh({axes}, axis_types={types})"


class PartitionSpec:
    """`jax.sharding.PartitionSpec` where jax is not installed: an axis, a tuple of axes or None for each dimension."""
    UNCONSTRAINED = UNCONSTRAINED

    def __init__(self, *partitions: Any, unreduced: Iterable[str] = (), reduced: Iterable[str] = ()) -> None:
        self.partitions = tuple(one[0] if isinstance(one, tuple) and len(one) == 1 else one for one in partitions)
        self.unreduced, self.reduced = frozenset(unreduced), frozenset(reduced)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)

    def __getitem__(self, k: Any) -> Any:
        return self.partitions[k]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitionSpec) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        parts = [*map(repr, self.partitions)]
        parts += [f"unreduced={set(self.unreduced)}", "unreduced_kind=sum"] if self.unreduced else []
        return f"P({', '.join(parts)})"

    def _all(self) -> tuple[Any, ...]:
        return self.partitions, self.unreduced, self.reduced


@dataclasses.dataclass(frozen=True)
class NamedSharding:
    """`jax.sharding.NamedSharding` where jax is not installed."""
    mesh: Any
    spec: Any


@dataclasses.dataclass(frozen=True, repr=False)
class DType:
    """A dtype where numpy, or ml_dtypes, has none for it: equal to its name."""
    name: str

    def __eq__(self, other: object) -> bool:
        return self.name == (other.name if isinstance(other, DType) else other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"dtype({self.name!r})" if self.name in _NUMPY.values() else f"dtype({self.name})"


def abstract_mesh(axes: Sequence[tuple[str, int]], explicit: Sequence[str] = ()) -> Any:
    """Axes major to minor, of the kind that propagation shards (`Auto`), but for the explicit ones."""
    names, sizes = tuple(name for name, _ in axes), tuple(size for _, size in axes)
    sharding = _jax_sharding()
    if sharding is None:
        return AbstractMesh(sizes, names)
    kinds = sharding.AxisType
    return sharding.AbstractMesh(sizes, names, axis_types=tuple(kinds.Explicit if name in explicit else kinds.Auto for name in names))


def partition_spec(entries: Iterable[Any], unreduced: Iterable[str] = ()) -> jax.sharding.PartitionSpec:
    """An entry is an axis, a tuple of axes, None, or `jax_types.UNCONSTRAINED`."""
    sharding = _jax_sharding()
    spec: Any = PartitionSpec if sharding is None else sharding.PartitionSpec
    options: Mapping[str, Any] = {"unreduced": set(unreduced)} if unreduced else {}
    made: jax.sharding.PartitionSpec = spec(*(spec.UNCONSTRAINED if one is UNCONSTRAINED else one for one in entries), **options)
    return made


def named_sharding(mesh: Any, spec: Any) -> jax.sharding.NamedSharding:
    sharding = _jax_sharding()
    make: Any = NamedSharding if sharding is None else sharding.NamedSharding
    made: jax.sharding.NamedSharding = make(mesh, spec)
    return made


@functools.cache
def dtype(element_type: str) -> Any:
    """The numpy dtype of an element type of HLO: dtype('float32') of f32."""
    numpy, extensions = _module("numpy"), _module("ml_dtypes")
    if element_type in _NUMPY and numpy is not None:
        return numpy.dtype(_NUMPY[element_type])
    name = _NUMPY.get(element_type) or _ML.get(element_type, element_type)
    extended = getattr(extensions, name, None)
    return numpy.dtype(extended) if numpy is not None and extended is not None else DType(name)


def _jax_sharding() -> Any:
    jax = _module("jax")
    return None if jax is None else jax.sharding


@functools.cache
def _module(name: str) -> Any:
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
