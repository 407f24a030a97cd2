"""A tensor of a module and how it is sharded, as plain data that pandas takes; jax types only when asked for."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax

_SHAPE = re.compile(r"(?P<dtype>\w+)\[(?P<sizes>[^\]]*)\]")


@dataclasses.dataclass(frozen=True)
class Mesh:
    """Axes, major to minor, with their sizes. `devices`: in row-major order where it is not 0, 1, 2, .."""
    axes: tuple[tuple[str, int], ...]
    name: str = ""
    devices: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{name}={size}" for name, size in self.axes)

    @property
    def abstract(self) -> jax.sharding.AbstractMesh:
        """The mesh without devices: enough to lower for it, or to compare shardings. Its axes are those of propagation (`Auto`)."""
        from jax.sharding import AbstractMesh, AxisType
        names, sizes = zip(*self.axes) if self.axes else ((), ())
        return AbstractMesh(sizes, names, axis_types=(AxisType.Auto,) * len(names))


class _Attributes:
    """What a tensor has beside its fields: a type checker takes an InitVar for no attribute."""
    parameter: int | None
    mesh: Mesh | None


@dataclasses.dataclass(frozen=True)
class Tensor(_Attributes):
    """An array of the module, or one of the results that the module returns.

    name: of the instruction, `NAME{K}` for array K of several; `result`, `result{K}` for what the module returns.
    shape, dtype: whole, in the words of HLO: (16, 32), 'f32'. A size that is not known is -1.
    spec: P('data', None) in the axes of the mesh, the notation of Shardy where that cannot say it (parts of axes, one device), P() also
      where propagation never came.
    axes: for each dimension its axes, major to minor; `x:(1)2` is a part of x.
    local_shape, bytes_per_device: of the largest share of a device.
    unreduced: axes along which it is a partial result.
    open_dims: dimensions that propagation may still shard; none in a final answer.
    op_name: the path of an argument (params['w1']) or of a result (out['w1']), or the scope of an operation (jit(f)/jvp/dot_general).
    source: model.py:41.
    parameter: number of the argument of which this is an array; None for other tensors.

    `parameter` and `mesh` are attributes and no fields: a table of pandas has no column for them, and comparisons leave them out.
    """
    name: str
    shape: tuple[int, ...]
    dtype: str
    spec: str
    axes: tuple[tuple[str, ...], ...]
    local_shape: tuple[int, ...]
    bytes_per_device: int
    unreduced: tuple[str, ...] = ()
    open_dims: tuple[int, ...] = ()
    op_name: str = ""
    source: str = ""
    is_result: bool = False
    parameter: dataclasses.InitVar[int | None] = None
    mesh: dataclasses.InitVar[Mesh | None] = None

    def __post_init__(self, parameter: int | None, mesh: Mesh | None) -> None:
        self.__dict__.update(parameter=parameter, mesh=mesh)

    def __repr__(self) -> str:
        return f"<tessera.Tensor {self.name}: {self.type} {self.spec}, {self.bytes_per_device} bytes on a device>"

    @property
    def type(self) -> str:
        """f32[16,32]"""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    @property
    def sharding(self) -> jax.sharding.PartitionSpec:
        """The spec for jax. P() for a tensor without a sharding: XLA replicates it. ValueError for what PartitionSpec cannot say."""
        if not self.spec.startswith("P("):
            raise ValueError(f"{self.name}: PartitionSpec cannot say {self.spec}")
        from jax.sharding import PartitionSpec
        entries = [self._entry(k, PartitionSpec.UNCONSTRAINED) for k in range(len(self.axes))]
        options: dict[str, Any] = {"unreduced": set(self.unreduced)} if self.unreduced else {}
        return PartitionSpec(*entries, **options)

    def named_sharding(self, mesh: Any = None) -> jax.sharding.NamedSharding:
        """On that mesh of jax, or on the module's own mesh without devices."""
        from jax.sharding import NamedSharding
        if mesh is None and self.mesh is None:
            raise ValueError(f"{self.name} has no sharding and so no mesh of its own: give one")
        return NamedSharding(mesh if mesh is not None or self.mesh is None else self.mesh.abstract, self.sharding)

    def _entry(self, dimension: int, unconstrained: Any) -> Any:
        axes = self.axes[dimension]
        if not axes:
            return unconstrained if dimension in self.open_dims else None
        return axes[0] if len(axes) == 1 else axes


def read_mesh(answer: dict[str, Any]) -> Mesh:
    axes = tuple((axis["name"], axis["size"]) for axis in answer["axes"])
    return Mesh(axes, answer.get("name", ""), tuple(answer.get("devices", ())))


def read_tensor(answer: dict[str, Any], meshes: list[Mesh]) -> Tensor:
    """Of a TensorSharding of pipeline/verbs/shardings_answer.proto."""
    dimensions = answer.get("dimensions", [])
    dtype, shape = read_shape(answer["shape"])
    return Tensor(
        name=answer["name"],
        shape=shape,
        dtype=dtype,
        spec=answer.get("sharding", "P()"),
        axes=tuple(tuple(d["axes"]) for d in dimensions) or ((),) * len(shape),
        local_shape=tuple(answer["local_shape"]),
        bytes_per_device=answer["bytes_per_device"],
        unreduced=tuple(answer.get("unreduced", ())),
        open_dims=tuple(k for k, d in enumerate(dimensions) if d.get("open")),
        op_name=answer.get("op_name", ""),
        source=answer.get("location", ""),
        parameter=answer.get("parameter"),
        is_result=answer.get("is_result", False),
        mesh=meshes[answer["mesh"]] if "mesh" in answer else None,
    )


def read_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """('f32', (16, 32)) of f32[16,32]; the bound of f32[<=16], -1 for f32[?]."""
    found = _SHAPE.match(text)
    if found is None:
        return text, ()
    sizes = [size.removeprefix("<=") for size in found["sizes"].split(",") if size]
    return found["dtype"], tuple(-1 if size == "?" else int(size) for size in sizes)
