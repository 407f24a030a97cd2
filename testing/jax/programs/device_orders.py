"""Meshes whose devices are not in order: who sends to whom, and in which order groups list their members, is not what it is on others."""

import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor

ROWS = tensor((16, 8), P("x"))


@program(order="shuffled", x=4, y=2)
def shuffled_halos(mesh):
    def f(a, scale):
        rolled = put(mesh, jnp.roll(a, 3, axis=0), "x")
        moved = put(mesh, jnp.pad(a[:14], ((2, 0), (0, 0))), "x")
        pooled = lax.reduce_window(a, 0.0, lax.add, (3, 1), (1, 1), "SAME")
        sums = lax.reduce_window(a * scale, 0.0, lax.add, (16, 1), (1, 1), ((15, 0), (0, 0)))
        return rolled, moved, put(mesh, pooled, "x"), put(mesh, sums, "x")
    return Call(f, [ROWS, tensor(())])


@program(order="shuffled", x=4, y=2)
def shuffled_lookups(mesh):
    def f(table, at, where, update):
        taken = put(mesh, jnp.take_along_axis(table, at, axis=1), "x", "y")
        rows = put(mesh, table.T[where], "y")
        return taken, rows, put(mesh, table.at[:, where].add(update), "x", "y")
    return Call(f, [tensor((16, 8), P("x", "y")), tensor((16, 4), P("x"), jnp.int32), tensor((4,), P("x"), jnp.int32),
                    tensor((16, 4), P(None, "x"))])


@program(order="shuffled", x=4, y=2)
def shuffled_dot_readers(mesh):
    def f(a, b, c):
        once = put(mesh, a @ b, "x") + c
        return jnp.sort(once, axis=0), jnp.sort(once * c, axis=0)
    return Call(f, [ROWS, tensor((8, 8)), ROWS], out=(P(), P()))


@program(x=4, y=2)
def replicas_for_cuts(mesh):
    def f(a, b):
        h = jnp.cos(put(mesh, jnp.sin(a), None, "x"))
        wide = jnp.pad(b, ((1, 1), (0, 0), (0, 23), (0, 0)))
        return h, put(mesh, wide, None, "x", None, "y")
    return Call(f, [tensor((8, 8), P("x", "y")), tensor((4, 8, 24, 2), P(None, None, "x"))])
