"""Update rules over a tree of parameters."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from program import Call, program, tensor

SPECS = {"w1": ((16, 32), P("fsdp", "tp")), "b1": ((32,), P("tp")), "w2": ((32, 16), P("tp", "fsdp"))}


def tree(free=False):
    return {k: tensor(shape, None if free else spec) for k, (shape, spec) in SPECS.items()}


def specs():
    return {k: spec for k, (_, spec) in SPECS.items()}


def gradient(p, x):
    def loss(p):
        return jnp.mean((jax.nn.relu(x @ p["w1"] + p["b1"]) @ p["w2"]) ** 2)
    return jax.grad(loss)(p)


X = tensor((8, 16), P("fsdp"))


@program(fsdp=4, tp=2)
def momentum(mesh):
    def f(p, m, x):
        m = jax.tree.map(lambda a, g: 0.9 * a + g, m, gradient(p, x))
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, m), m
    return Call(f, [tree(), tree(free=True), X], donate=(0, 1))


@program(fsdp=4, tp=2)
def adam(mesh):
    def f(p, m, v, step, x):
        g = gradient(p, x)
        step = step + 1
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
        scale = jnp.sqrt(1 - 0.99 ** step) / (1 - 0.9 ** step)
        return jax.tree.map(lambda a, b, c: a - 0.01 * scale * b / (jnp.sqrt(c) + 1e-8), p, m, v), m, v, step
    return Call(f, [tree(), tree(), tree(free=True), tensor(()), X], out=(specs(), specs(), specs(), P()),
                donate=(0, 1, 2))


@program(fsdp=4, tp=2)
def adafactor(mesh):
    def f(w, rows, columns, x):
        g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
        rows = 0.9 * rows + 0.1 * jnp.mean(g * g, 1)
        columns = 0.9 * columns + 0.1 * jnp.mean(g * g, 0)
        scale = jnp.sqrt(rows[:, None] * columns[None] / jnp.mean(rows) + 1e-8)
        return w - 0.01 * g / scale, rows, columns
    return Call(f, [tensor((16, 32), P("fsdp", "tp")), tensor((16,)), tensor((32,)), X])


@program(fsdp=4, tp=2)
def clipped_by_global_norm(mesh):
    def f(p, x):
        g = gradient(p, x)
        norm = jnp.sqrt(sum(jnp.sum(a * a) for a in jax.tree.leaves(g)))
        return jax.tree.map(lambda a, b: a - b * jnp.minimum(1.0, 1.0 / norm), p, g), norm
    return Call(f, [tree(), X], out=(specs(), P()))


@program(fsdp=4, tp=2)
def layerwise_adaptive(mesh):
    def f(p, x):
        g = gradient(p, x)
        def update(a, b):
            ratio = jnp.linalg.norm(a) / (jnp.linalg.norm(b) + 1e-6)
            return a - 0.1 * jnp.where(ratio > 0, ratio, 1.0) * b
        return jax.tree.map(update, p, g)
    return Call(f, [tree(), X])


@program(fsdp=4, tp=2)
def accumulated_gradients(mesh):
    def f(p, xs):
        def step(total, x):
            return jax.tree.map(jnp.add, total, gradient(p, x)), None
        total, _ = jax.lax.scan(step, jax.tree.map(jnp.zeros_like, p), xs)
        return jax.tree.map(lambda a, g: a - 0.1 * g, p, total)
    return Call(f, [tree(), tensor((3, 8, 16), P(None, "fsdp"))])


@program(fsdp=4, tp=2)
def mixed_precision(mesh):
    def f(p, x):
        low = jax.tree.map(lambda a: a.astype(jnp.bfloat16), p)
        g = gradient(low, x.astype(jnp.bfloat16))
        finite = jnp.all(jnp.stack([jnp.all(jnp.isfinite(a)) for a in jax.tree.leaves(g)]))
        return jax.tree.map(lambda a, b: jnp.where(finite, a - 0.1 * b.astype(a.dtype), a), p, g)
    return Call(f, [tree(), X])
