"""A step of training in which one line makes every device do the work of all: the tour of docs/python.md finds it."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

# Places as file:line, without the folder.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

MESH = AbstractMesh((64, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def array(shape, *spec):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(MESH, P(*spec)))


def loss(w, x, order):
    h = jax.nn.gelu(x @ w["up"])
    h = h[order]
    return jnp.mean((h @ w["down"])**2)


def lowered():
    """For 256 TPUs, of which none is needed for this."""
    w = {"up": array((1024, 4096), None, "model"), "down": array((4096, 1024), "model", None)}
    x = array((8192, 1024), "data", None)
    order = jax.ShapeDtypeStruct((8192,), jnp.int32)
    return jax.jit(jax.grad(loss)).trace(w, x, order).lower(lowering_platforms=("tpu",))
