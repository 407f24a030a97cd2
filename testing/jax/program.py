"""A JAX program as data, so that one text can be lowered, dumped, and run on any number of devices.

    @program(data=4, model=2)
    def dense(mesh):
        def f(x, w):
            return jnp.tanh(x @ w)
        return Call(f, [tensor((16, 32), P("data")), tensor((32, 64), P(None, "model"))], out=P("data"))

`mesh` is what constraints and shard_map inside the program use; with all axes of size one the same text is the program for a single
device. A spec of None leaves a tensor to propagation; `Call.out` is a tree of specs (None: free) like the result.
"""

import dataclasses
import importlib
import math
import pathlib
import pkgutil
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_include_full_tracebacks_in_locations", False)
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

REGISTRY = {}


@dataclasses.dataclass(frozen=True)
class Tensor:
    shape: tuple
    dtype: Any
    spec: Any  # PartitionSpec, or None: no sharding


def tensor(shape, spec=None, dtype=jnp.float32):
    return Tensor(tuple(shape), dtype, spec)


def is_tensor(x):
    return isinstance(x, Tensor)


@dataclasses.dataclass(frozen=True)
class Call:
    function: Callable
    arguments: Sequence[Any]  # trees of Tensor
    out: Any = None
    donate: tuple = ()


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    axes: dict
    build: Callable[[Mesh], Call]
    order: str = "iota"

    @property
    def devices(self):
        return math.prod(self.axes.values())

    def mesh(self, single=False):
        sizes = [1 if single else size for size in self.axes.values()]
        devices = np.array(jax.devices()[:math.prod(sizes)])
        if self.order == "reversed":
            devices = devices[::-1]
        elif self.order == "shuffled":
            devices = np.random.RandomState(7).permutation(devices)
        types = (AxisType.Auto,) * len(sizes)
        return Mesh(devices.reshape(sizes), tuple(self.axes), axis_types=types)

    def lower(self, single=False):
        """jax.stages.Lowered of the program on its mesh, or on one device."""
        mesh = self.mesh(single)
        call = self.build(mesh)
        arguments = jax.tree.map(lambda t: abstract(t, mesh), call.arguments, is_leaf=is_tensor)
        options = {}
        if call.out is not None:
            options["out_shardings"] = jax.tree.map(
                lambda s: None if s is None else NamedSharding(mesh, s), call.out,
                is_leaf=lambda s: s is None or isinstance(s, P))
        with jax.sharding.set_mesh(mesh):
            return jax.jit(call.function, donate_argnums=call.donate, **options).lower(*arguments)

    def inputs(self, seed=0):
        """Flat list of numpy arrays, one for each parameter of the lowered module."""
        call = self.build(self.mesh(single=True))
        leaves = jax.tree.leaves(call.arguments, is_leaf=is_tensor)
        random = np.random.RandomState(seed)
        return [values(leaf, random) for leaf in leaves]


def abstract(one, mesh):
    sharding = None if one.spec is None else NamedSharding(mesh, one.spec)
    return jax.ShapeDtypeStruct(one.shape, one.dtype, sharding=sharding)


def values(leaf, random):
    dtype = np.dtype(leaf.dtype)
    if dtype == np.bool_:
        return np.asarray(random.rand(*leaf.shape) < 0.5)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(random.randint(0, 8, size=leaf.shape), dtype)
    return np.asarray(random.rand(*leaf.shape) - 0.5, dtype)


def program(order="iota", **axes):
    """Registers a builder under its own name; keyword arguments are the mesh, major axis first."""

    def register(build):
        assert build.__name__ not in REGISTRY, build.__name__
        REGISTRY[build.__name__] = Program(build.__name__, axes, build, order)
        return build

    return register


def put(mesh, x, *entries):
    """A sharding constraint."""
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*entries)))


def all_programs():
    """Every program of the folder `programs`, by name."""
    import programs
    for found in pkgutil.iter_modules([str(pathlib.Path(programs.__file__).parent)]):
        importlib.import_module(f"programs.{found.name}")
    return dict(sorted(REGISTRY.items()))


def all_modules():
    """Texts of the small HLO modules of the folder `modules`, by name: what no JAX program leads to easily."""
    folder = pathlib.Path(__file__).resolve().parent / "modules"
    return {path.stem: path.read_text() for path in sorted(folder.glob("*.hlo"))}
