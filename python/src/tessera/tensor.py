"""A tensor of a module and how it is sharded, as plain data; types of jax and numpy are made when they are asked for."""

from __future__ import annotations

import dataclasses
import re
import warnings
from typing import TYPE_CHECKING, Any

from tessera import jax_types

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
        mesh: jax.sharding.AbstractMesh = jax_types.abstract_mesh(self.axes)
        return mesh


class _Attributes:
    """What a tensor has beside its fields: a type checker takes an InitVar for no attribute."""
    parameter: int | None
    mesh: Mesh | None
    home: Mesh | None


@dataclasses.dataclass(frozen=True)
class Tensor(_Attributes):
    """An array of the module, or one of the results that the module returns.

    As an array of jax it has `shape`, `dtype` (of numpy), `sharding` (a NamedSharding) and `sharding.spec`, which is `spec`. Its fields are plain data:

    name: of the instruction, `NAME{K}` for array K of several; `result`, `result{K}` for what the module returns.
    shape, element_type: of the whole array, in the words of HLO: (16, 32), 'f32'. A size that is not known is -1.
    spec_text: P('data', None) in the axes of the mesh; the notation of Shardy for parts of axes and for one device. P() also stands for a
      tensor that propagation did not reach.
    axes: for each dimension its axes, major to minor; `x:(1)2` is a part of x.
    local_shape, bytes_per_device: of the largest shard.
    unreduced: axes along which it is a partial result.
    open_dims: dimensions that propagation may still shard; none in a final answer.
    manual_axes: inside a shard_map, the axes along which each device has an array of its own, of this shape.
    op_name: the path of an argument (params['w1']) or of a result (out['w1']), or the scope of an operation (jit(f)/jvp/dot_general).
    source: model.py:41.

    Two attributes are no fields, so tables and comparisons leave them out. `parameter` is the number of the argument that has this array, or
    None. `mesh` is None for a tensor that propagation did not reach.
    """
    name: str
    shape: tuple[int, ...]
    element_type: str
    spec_text: str
    axes: tuple[tuple[str, ...], ...]
    local_shape: tuple[int, ...]
    bytes_per_device: int
    unreduced: tuple[str, ...] = ()
    open_dims: tuple[int, ...] = ()
    op_name: str = ""
    source: str = ""
    is_result: bool = False
    manual_axes: tuple[str, ...] = ()
    parameter: dataclasses.InitVar[int | None] = None
    mesh: dataclasses.InitVar[Mesh | None] = None
    home: dataclasses.InitVar[Mesh | None] = None

    def __post_init__(self, parameter: int | None, mesh: Mesh | None, home: Mesh | None) -> None:
        self.__dict__.update(parameter=parameter, mesh=mesh, home=home)

    def __repr__(self) -> str:
        return f"<tessera.Tensor {self.name}: {self.type} {self.spec_text}, {self.bytes_per_device} bytes on a device>"

    @property
    def type(self) -> str:
        """f32[16,32]"""
        return f"{self.element_type}[{','.join(map(str, self.shape))}]"

    @property
    def dtype(self) -> Any:
        """The numpy dtype: dtype('float32'), dtype(bfloat16)."""
        return jax_types.dtype(self.element_type)

    @property
    def spec(self) -> jax.sharding.PartitionSpec:
        """`sharding.spec`: a PartitionSpec. P() for a replicated tensor. ValueError for what a PartitionSpec cannot express; `spec_text` can."""
        if not self.spec_text.startswith("P("):
            raise ValueError(f"{self.name}: PartitionSpec cannot say {self.spec_text}")
        entries = [] if self.spec_text == "P()" else [self._entry(k) for k in range(len(self.axes))]
        return jax_types.partition_spec(entries, self.unreduced)

    @property
    def sharding(self) -> jax.sharding.NamedSharding:
        """A NamedSharding on the module's mesh, without devices (an AbstractMesh). ValueError as of `spec`.

        A tensor that propagation did not reach is replicated on the first mesh of the module, or on one without axes if there
        is none. Axes are `Auto`, but those along which a tensor is a partial result, which jax wants `Explicit`.
        """
        mesh = self.mesh or self.home or Mesh(())
        return jax_types.named_sharding(jax_types.abstract_mesh(mesh.axes, self.unreduced), self.spec)

    def named_sharding(self, mesh: Any = None) -> jax.sharding.NamedSharding:
        """On that mesh of jax, which may have devices. Without one: deprecated, `sharding` is the same."""
        if mesh is not None:
            return jax_types.named_sharding(mesh, self.spec)
        warnings.warn("named_sharding() without a mesh is deprecated: .sharding is the same NamedSharding", DeprecationWarning, stacklevel=2)
        return self.sharding

    def _entry(self, dimension: int) -> Any:
        axes = self.axes[dimension]
        if not axes:
            return jax_types.UNCONSTRAINED if dimension in self.open_dims else None
        return axes[0] if len(axes) == 1 else axes


@dataclasses.dataclass(frozen=True)
class Placement:
    """What many tensors have in common: a shape with its sharding. Fields as those of Tensor."""
    shape: tuple[int, ...]
    element_type: str
    spec_text: str
    axes: tuple[tuple[str, ...], ...]
    local_shape: tuple[int, ...]
    bytes_per_device: int
    unreduced: tuple[str, ...]
    open_dims: tuple[int, ...]
    manual_axes: tuple[str, ...]
    mesh: Mesh | None
    home: Mesh | None

    def tensor(self, name: str = "", op_name: str = "", source: str = "", is_result: bool = False, parameter: int | None = None) -> Tensor:
        return Tensor(name, self.shape, self.element_type, self.spec_text, self.axes, self.local_shape, self.bytes_per_device, self.unreduced,
                      self.open_dims, op_name, source, is_result, self.manual_axes, parameter, self.mesh, self.home)


def read_mesh(answer: dict[str, Any]) -> Mesh:
    """Of a NamedMesh of pipeline/schema/shardings_answer.proto."""
    axes = tuple((axis["name"], axis["size"]) for axis in answer["axes"])
    return Mesh(axes, answer.get("name", ""), tuple(answer.get("devices", ())))


def read_placement(answer: dict[str, Any], meshes: list[Mesh]) -> Placement:
    """Of a TensorSharding of pipeline/schema/shardings_answer.proto."""
    dimensions = answer.get("dimensions", [])
    element_type, shape = read_shape(answer["shape"])
    return Placement(
        shape=shape,
        element_type=element_type,
        spec_text=answer.get("sharding", "P()"),
        axes=tuple(tuple(d["axes"]) for d in dimensions) or ((),) * len(shape),
        local_shape=tuple(answer["local_shape"]),
        bytes_per_device=answer["bytes_per_device"],
        unreduced=tuple(answer.get("unreduced", ())),
        open_dims=tuple(k for k, d in enumerate(dimensions) if d.get("open")),
        manual_axes=tuple(answer.get("manual_axes", ())),
        mesh=meshes[answer["mesh"]] if "mesh" in answer else None,
        home=next((mesh for mesh in meshes if mesh.axes), None),
    )


def read_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """('f32', (16, 32)) of f32[16,32]; the bound of f32[<=16], -1 for f32[?]."""
    found = _SHAPE.match(text)
    if found is None:
        return text, ()
    sizes = [size.removeprefix("<=") for size in found["sizes"].split(",") if size]
    return found["dtype"], tuple(-1 if size == "?" else int(size) for size in sizes)
