"""Mixtures of experts."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor

TOKENS, WIDTH, EXPERTS, HIDDEN = 32, 16, 4, 24


def weights(expert="expert", inner=None):
    return [tensor((WIDTH, EXPERTS)), tensor((EXPERTS, WIDTH, HIDDEN), P(expert, None, inner)),
            tensor((EXPERTS, HIDDEN, WIDTH), P(expert, inner))]


def dispatch_one_hot(x, gate, capacity):
    choice = jnp.argmax(x @ gate, axis=-1)
    hot = jax.nn.one_hot(choice, EXPERTS)
    place = (jnp.cumsum(hot, axis=0) - 1.0) * hot
    slot = jax.nn.one_hot(jnp.sum(place, -1).astype(jnp.int32), capacity)
    return hot[:, :, None] * slot[:, None, :]


@program(data=2, expert=4)
def experts_one_hot(mesh):
    def f(x, gate, up, down):
        mask = dispatch_one_hot(x, gate, 16)
        inner = put(mesh, jnp.einsum("td,tec->ecd", x, mask), "expert")
        h = jax.nn.relu(jnp.einsum("ecd,edh->ech", inner, up))
        return jnp.einsum("ech,ehd,tec->td", h, down, mask)
    return Call(f, [tensor((TOKENS, WIDTH), P("data")), *weights()], out=P("data"))


@program(data=2, expert=2, model=2)
def experts_one_hot_gradient(mesh):
    def f(up, down, x, gate):
        mask = dispatch_one_hot(x, gate, 16)
        h = jax.nn.gelu(jnp.einsum("td,tec,edh->ech", x, mask, up))
        return jnp.mean(jnp.einsum("ech,ehd,tec->td", h, down, mask) ** 2)
    gate, up, down = weights(inner="model")
    return Call(jax.grad(f, argnums=(0, 1)), [up, down, tensor((TOKENS, WIDTH), P("data")), gate])


@program(data=2, expert=4)
def experts_sorted(mesh):
    def f(x, gate, up, down):
        choice = jnp.argmax(x @ gate, -1)
        order = jnp.argsort(choice)
        rows = jnp.take(x, order, axis=0)
        hot = jax.nn.one_hot(jnp.take(choice, order), EXPERTS)
        h = jax.nn.relu(jnp.einsum("td,te,edh->teh", rows, hot, up))
        y = jnp.einsum("teh,ehd->td", h, down)
        return jnp.zeros_like(x).at[order].set(y)
    return Call(f, [tensor((TOKENS, WIDTH), P("data")), *weights()])


@program(data=2, expert=4)
def experts_top_two(mesh):
    def f(x, gate, up, down):
        score, index = jax.lax.top_k(jax.nn.softmax(x @ gate), 2)
        picked_up, picked_down = jnp.take(up, index, axis=0), jnp.take(down, index, axis=0)
        h = jax.nn.relu(jnp.einsum("td,tkdh->tkh", x, picked_up))
        return jnp.einsum("tk,tkh,tkhd->td", score, h, picked_down)
    return Call(f, [tensor((TOKENS, WIDTH), P("data")), *weights()])


@program(data=2, expert=4)
def experts_balance_loss(mesh):
    def f(x, gate):
        share = jax.nn.softmax(x @ gate)
        used = jnp.mean(jax.nn.one_hot(jnp.argmax(share, -1), EXPERTS), 0)
        return EXPERTS * jnp.sum(used * jnp.mean(share, 0))
    return Call(f, [tensor((TOKENS, WIDTH), P("data")), tensor((WIDTH, EXPERTS), P(None, "expert"))])


@program(data=2, expert=4)
def experts_ragged(mesh):
    def f(x, up, sizes):
        return jax.lax.ragged_dot(x, up, sizes)
    return Call(f, [tensor((TOKENS, WIDTH), P("data")), tensor((EXPERTS, WIDTH, HIDDEN), P("expert")),
                    tensor((EXPERTS,), None, jnp.int32)])
