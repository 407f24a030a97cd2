"""Gather and scatter: graph nets, embeddings, tables."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from program import Call, program, tensor

EDGES = tensor((64,), P("x"), jnp.int32)


@program(x=4, y=2)
def message_passing(mesh):
    def f(nodes, source, target, w):
        message = jax.nn.relu(jnp.take(nodes, source, axis=0) @ w)
        return nodes + jax.ops.segment_sum(message, target, num_segments=16)
    return Call(f, [tensor((16, 8), P(None, "y")), EDGES, EDGES, tensor((8, 8))])


@program(x=4, y=2)
def message_passing_gradient(mesh):
    def f(w, nodes, source, target):
        message = jnp.tanh(jnp.take(nodes, source, axis=0) @ w)
        return jnp.sum(jax.ops.segment_sum(message, target, num_segments=16) ** 2)
    return Call(jax.grad(f), [tensor((8, 8), P(None, "y")), tensor((16, 8)), EDGES, EDGES])


@program(x=4, y=2)
def graph_attention(mesh):
    def f(nodes, source, target, a):
        score = jnp.take(nodes @ a, source, axis=0)
        top = jax.ops.segment_max(score, target, num_segments=16)
        weight = jnp.exp(score - top[target])
        total = jax.ops.segment_sum(weight, target, num_segments=16)
        return jax.ops.segment_sum(weight[:, None] * nodes[source], target, num_segments=16) / (
            total[:, None] + 1e-6)
    return Call(f, [tensor((16, 8), P("x")), EDGES, EDGES, tensor((8,))])


@program(x=8)
def page_rank(mesh):
    def f(source, target):
        def step(_, rank):
            return 0.15 / 16 + 0.85 * jax.ops.segment_sum(rank[source], target, num_segments=16)
        return lax.fori_loop(0, 8, step, jnp.full((16,), 1 / 16))
    return Call(f, [EDGES, EDGES])


@program(x=4, y=2)
def embedding_bag(mesh):
    def f(table, ids):
        return jnp.take(table, ids, axis=0).sum(1)
    return Call(f, [tensor((32, 16), P("y")), tensor((8, 5), P("x"), jnp.int32)])


@program(x=4, y=2)
def embedding_gradient(mesh):
    def f(table, ids, w):
        return jnp.mean((jnp.take(table, ids, axis=0) @ w) ** 2)
    return Call(jax.grad(f, (0, 2)), [tensor((32, 16), P(None, "y")), tensor((8, 5), P("x"), jnp.int32),
                                      tensor((16, 4))])


@program(x=4, y=2)
def table_updates(mesh):
    def f(table, rows, values):
        return table.at[rows].add(values), table.at[rows, 1].max(values[:, 0]), table.at[2:4].set(0.0)
    return Call(f, [tensor((16, 8), P("x", "y")), tensor((6,), None, jnp.int32), tensor((6, 8), P(None, "y"))])


@program(x=4, y=2)
def slices_static_and_dynamic(mesh):
    def f(x, start):
        return (x[2:10, ::2], lax.dynamic_slice(x, (start, 0), (4, 8)),
                lax.dynamic_slice_in_dim(x, start, 16, axis=0), x[:, 3])
    return Call(f, [tensor((16, 8), P("x", "y")), tensor((), None, jnp.int32)])


@program(x=8)
def histogram_and_search(mesh):
    def f(x, edges):
        place = jnp.searchsorted(edges, x)
        return jnp.zeros((9,)).at[place].add(1.0), place
    return Call(f, [tensor((64,), P("x")), tensor((8,))])
