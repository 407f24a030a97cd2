"""What the programs share: abstract arrays on a mesh, and constraints."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

F32, BF16, I32, I8 = jnp.float32, jnp.bfloat16, jnp.int32, jnp.int8


def array(mesh, shape, *spec, dtype=F32, memory=None):
    """An abstract array; spec has a name, a tuple of names or None for each dimension."""
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec), memory_kind=memory))


def cut(mesh, x, *spec):
    return lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


def sgd(parameters, gradient, rate=1e-2):
    return jax.tree.map(lambda p, g: p - rate * g.astype(p.dtype), parameters, gradient)


def norm(x):
    x32 = x.astype(F32)
    return (x32 * lax.rsqrt(jnp.mean(x32 * x32, -1, keepdims=True) + 1e-6)).astype(x.dtype)
