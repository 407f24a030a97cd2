"""Loops: recurrent nets, solvers that iterate, branches."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor


@program(data=4, model=2)
def lstm(mesh):
    def f(w, u, b, x):
        def step(carry, inp):
            h, c = carry
            i, f_, g, o = jnp.split(inp @ w + h @ u + b, 4, axis=-1)
            c = jax.nn.sigmoid(f_) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((8, 16))
        return lax.scan(step, (zero, zero), x)
    return Call(f, [tensor((12, 64), P(None, "model")), tensor((16, 64), P(None, "model")),
                    tensor((64,)), tensor((10, 8, 12), P(None, "data"))])


@program(data=4, model=2)
def gru_gradient(mesh):
    def f(w, u, x):
        def step(h, inp):
            z, r, n = jnp.split(inp @ w, 3, axis=-1)
            hz, hr, hn = jnp.split(h @ u, 3, axis=-1)
            z, r = jax.nn.sigmoid(z + hz), jax.nn.sigmoid(r + hr)
            h = (1 - z) * jnp.tanh(n + r * hn) + z * h
            return h, None
        return jnp.mean(lax.scan(step, jnp.zeros((8, 16)), x)[0] ** 2)
    return Call(jax.grad(f, (0, 1)), [tensor((12, 48), P(None, "model")), tensor((16, 48)),
                                      tensor((6, 8, 12), P(None, "data"))])


@program(data=8)
def recurrence_both_ways(mesh):
    def f(x, w):
        step = lambda h, inp: (jnp.tanh(inp + h @ w),) * 2
        start = jnp.zeros((8, 16))
        ahead = lax.scan(step, start, x)[1]
        back = lax.scan(step, start, x, reverse=True)[1]
        return jnp.concatenate([ahead, back], axis=-1)
    return Call(f, [tensor((6, 8, 16), P(None, "data")), tensor((16, 16))])


@program(x=4, y=2)
def power_iteration(mesh):
    def f(a, v):
        def step(_, v):
            v = a @ v
            return v / jnp.linalg.norm(v)
        return lax.fori_loop(0, 10, step, v)
    return Call(f, [tensor((32, 32), P("x", "y")), tensor((32,))])


@program(x=4, y=2)
def conjugate_gradient(mesh):
    def f(a, b):
        spd = a @ a.T + 32.0 * jnp.eye(32)

        def step(state):
            x, r, p, k = state
            q = spd @ p
            alpha = jnp.vdot(r, r) / jnp.vdot(p, q)
            r2 = r - alpha * q
            return x + alpha * p, r2, r2 + jnp.vdot(r2, r2) / jnp.vdot(r, r) * p, k + 1

        go_on = lambda s: (jnp.vdot(s[1], s[1]) > 1e-8) & (s[3] < 20)
        return lax.while_loop(go_on, step, (jnp.zeros_like(b), b, b, 0))[0]
    return Call(f, [tensor((32, 32), P("x", "y")), tensor((32,), P("x"))])


@program(x=4, y=2)
def branch_two_ways(mesh):
    def f(flag, x, w):
        return lax.cond(flag > 0, lambda a: jnp.tanh(a @ w), lambda a: a @ w.T + 1.0, x)
    return Call(f, [tensor((), None, jnp.int32), tensor((8, 16), P("x")), tensor((16, 16), P(None, "y"))])


@program(x=4, y=2)
def branch_of_four(mesh):
    def f(which, x, y):
        choices = [lambda a, b: a + b, lambda a, b: a * 2.0, lambda a, b: b, lambda a, b: jnp.sin(a)]
        return lax.switch(which, choices, x, y)
    return Call(f, [tensor((), None, jnp.int32), tensor((8, 16), P("x")), tensor((8, 16), P(None, "y"))])


@program(x=4, y=2)
def loop_in_loop(mesh):
    def f(x, w):
        def outer(c, _):
            c = lax.fori_loop(0, 3, lambda i, v: jnp.tanh(v @ w), c)
            return put(mesh, c, "x", "y"), c.sum(0)
        return lax.scan(outer, x, None, length=4)
    return Call(f, [tensor((8, 16), P("x")), tensor((16, 16))])


@program(x=4, y=2)
def branch_in_scan(mesh):
    def f(x, w, flags):
        def step(c, flag):
            return lax.cond(flag > 3, lambda a: a @ w, lambda a: a, c), flag * 2
        return lax.scan(step, x, flags)
    return Call(f, [tensor((8, 16), P("x")), tensor((16, 16), P("y")), tensor((5,), None, jnp.int32)])


@program(x=8)
def state_unchanged_in_loop(mesh):
    def f(x, w, table):
        def step(state):
            k, v, w, table = state
            return k + 1, jnp.sin(v) + table[k], w, table
        return lax.while_loop(lambda s: s[0] < 4, step, (0, x @ w, w, table))
    return Call(f, [tensor((16, 8), P("x")), tensor((8, 8)), tensor((4, 8))])
