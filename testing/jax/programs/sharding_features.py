"""What JAX offers to say about shardings: constraints, manual regions, alike groups, barriers."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from alike import shard_alike
from program import Call, program, put, tensor

OPEN = P.UNCONSTRAINED
A, B = tensor((16, 32), P("x")), tensor((32, 8), P(None, "y"))


@program(x=4, y=2)
def constraint_open_dimension(mesh):
    def f(a, b):
        return put(mesh, jnp.tanh(put(mesh, a, OPEN, "y")) @ b, OPEN, None)
    return Call(f, [A, B])


@program(x=4, y=2)
def constraint_chain_of_three(mesh):
    def f(a):
        h = put(mesh, jnp.sin(a), "x")
        h = put(mesh, h, None, "x")
        return put(mesh, h * 2.0, ("x", "y"))
    return Call(f, [tensor((16, 32))])


@program(x=4, y=2)
def constraint_replicated_inside(mesh):
    def f(a, b):
        h = put(mesh, a @ b)
        return h + 1.0, jnp.sum(h, 0)
    return Call(f, [A, B], out=(P("x"), None))


@program(x=4, y=2)
def alike_pair(mesh):
    def f(a, c):
        c = c * 2.0
        a, c = shard_alike(a, c)
        return a + 1.0, c
    return Call(f, [A, tensor((16, 32))])


@program(x=4, y=2)
def manual_all(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("x", "y"), P("y")), out_specs=P("x"))
    def product(a, b):
        return lax.psum(a @ b, "y")
    def f(a, b):
        return jnp.tanh(product(jnp.sin(a), b))
    return Call(f, [tensor((16, 32)), tensor((32, 8))])


@program(x=4, y=2)
def manual_one_axis(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    def ring(a):
        size = lax.axis_size("x")
        return a + lax.ppermute(a, "x", [(i, (i + 1) % size) for i in range(size)])
    def f(a, b):
        return ring(a @ b)
    return Call(f, [A, B])


@program(x=4, y=2)
def manual_gather_then_dot(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("x"), P(None, "y")), out_specs=P(None, "y"),
                       check_vma=False)
    def product(a, b):
        return lax.all_gather(a, "x", tiled=True) @ b
    return Call(product, [A, B])


@program(x=4, y=2)
def manual_scatter_and_exchange(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    def exchange(a):
        a = lax.all_to_all(a, "x", split_axis=1, concat_axis=0, tiled=True)
        return lax.psum_scatter(a, "y", scatter_dimension=0, tiled=True)
    return Call(lambda a: exchange(a).sum(1), [A])


@program(x=4, y=2)
def manual_in_scan(mesh):
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
    def layer(x, w):
        return jnp.tanh(x @ w)
    def f(x, w):
        return lax.scan(lambda c, w: (layer(c, w), c.sum()), x, w)
    return Call(f, [tensor((16, 8)), tensor((3, 8, 8), P(None, None, "y"))])


@program(x=4, y=2)
def barrier_keeps_apart(mesh):
    def f(a, c):
        a, c = lax.optimization_barrier((a * 2.0, c + 1.0))
        return a @ c
    return Call(f, [A, tensor((32, 16))])


@program(x=4, y=2)
def remat_with_names(mesh):
    def f(a, b):
        @jax.checkpoint
        def g(a):
            return jnp.sin(jnp.sin(a) @ b)
        return jax.grad(lambda a: jnp.sum(g(a)))(a)
    return Call(f, [A, B])


@program(pod=2, x=2, y=2)
def axes_of_three_levels(mesh):
    def f(a, b):
        h = put(mesh, a @ b, ("pod", "x"), "y")
        return h.reshape(4, 4, 8), h.T
    return Call(f, [tensor((16, 32), P(("pod", "x"))), tensor((32, 8), P("pod", "y"))])


@program(one=1, x=4, also=1, y=2)
def axes_of_size_one(mesh):
    def f(a, b):
        return put(mesh, a @ b, ("one", "x"), "also")
    return Call(f, [tensor((16, 32), P("one", "x")), tensor((32, 8), P(("also", "y")))])


@program(x=6)
def not_divisible(mesh):
    def f(a, b):
        return (a @ b)[:7], a.sum(1)
    return Call(f, [tensor((18, 32), P("x")), tensor((32, 9))], out=(None, P("x")))


@program(x=32, y=16)
def five_hundred_devices(mesh):
    def f(a, b):
        return jax.nn.softmax(a @ b)
    return Call(f, [tensor((64, 128), P("x")), tensor((128, 256), P(None, "y"))], out=P("x", "y"))
