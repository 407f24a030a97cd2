"""Attention in the forms in which it is trained and served."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor

BATCH, TIME, WIDTH, HEADS, HEAD = 8, 16, 32, 4, 8


def attend(q, k, v, causal=True):
    score = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(float(q.shape[-1]))
    if causal:
        keep = jnp.arange(q.shape[1])[:, None] >= jnp.arange(k.shape[1])[None, :]
        score = jnp.where(keep, score, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(score), v)


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def block(p, x):
    h = norm(x, p["n1"])
    q, k, v = (jnp.einsum("btd,dhk->bthk", h, p[name]) for name in ("q", "k", "v"))
    x = x + jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])
    return x + jax.nn.silu(norm(x, p["n2"]) @ p["up"]) @ p["down"]


def block_params(stack=(), heads="model", fsdp=None):
    lead = (None,) * len(stack)
    into, out = P(*lead, fsdp, heads), P(*lead, heads, None, fsdp)
    shapes = {"q": ((WIDTH, HEADS, HEAD), into), "k": ((WIDTH, HEADS, HEAD), into),
              "v": ((WIDTH, HEADS, HEAD), into), "o": ((HEADS, HEAD, WIDTH), out),
              "up": ((WIDTH, 64), into), "down": ((64, WIDTH), P(*lead, heads, fsdp)),
              "n1": ((WIDTH,), None), "n2": ((WIDTH,), None)}
    return {name: tensor((*stack, *shape), spec) for name, (shape, spec) in shapes.items()}


def tokens(spec=P("data")):
    return tensor((BATCH, TIME, WIDTH), spec)


@program(data=2, model=4)
def attention_block(mesh):
    return Call(block, [block_params(), tokens()])


@program(data=4, model=2)
def attention_sequence_parallel(mesh):
    def f(p, x):
        return put(mesh, block(p, put(mesh, x, "data", "model")), "data", "model")
    return Call(f, [block_params(), tokens()])


def stacked(p, x, remat):
    body = jax.checkpoint(block) if remat else block
    return jax.lax.scan(lambda x, q: (body(q, x), None), x, p)[0]


@program(data=2, model=4)
def layers_scanned(mesh):
    return Call(functools.partial(stacked, remat=False), [block_params((3,)), tokens()])


def language_loss(p, ids, remat=True):
    x = jnp.take(p["embed"], ids, axis=0)
    logits = stacked(p["blocks"], x, remat) @ p["embed"].T
    picked = jax.nn.one_hot(jnp.roll(ids, -1, 1), logits.shape[-1])
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * picked, -1))


def model_params(fsdp=None, vocabulary="model"):
    return {"embed": tensor((64, WIDTH), P(vocabulary, fsdp)), "blocks": block_params((2,), fsdp=fsdp)}


def sgd(p, ids):
    value, gradient = jax.value_and_grad(language_loss)(p, ids)
    return jax.tree.map(lambda a, g: a - 0.01 * g, p, gradient), value


@program(data=2, model=4)
def transformer_train_step(mesh):
    return Call(sgd, [model_params(), tensor((BATCH, TIME), P("data"), jnp.int32)], donate=(0,))


@program(data=2, fsdp=2, model=2)
def transformer_train_fsdp(mesh):
    return Call(sgd, [model_params("fsdp"), tensor((BATCH, TIME), P(("data", "fsdp")), jnp.int32)])


@program(data=4, model=2)
def transformer_loss_forward(mesh):
    return Call(functools.partial(language_loss, remat=False),
                [model_params(), tensor((BATCH, TIME), P("data"), jnp.int32)])


@program(data=2, model=4)
def grouped_query(mesh):
    def f(q, k, v):
        q = q.reshape(BATCH, TIME, 2, 4, HEAD)
        score = jax.nn.softmax(jnp.einsum("bqgrd,bkgd->bgrqk", q, k))
        return jnp.einsum("bgrqk,bkgd->bqgrd", score, v).reshape(BATCH, TIME, 8, HEAD)
    narrow = tensor((BATCH, TIME, 2, HEAD), P("data"))
    return Call(f, [tensor((BATCH, TIME, 8, HEAD), P("data", None, "model")), narrow, narrow])


@program(data=2, model=4)
def decode_with_cache(mesh):
    def f(cache_k, cache_v, q, k, v, at):
        cache_k = jax.lax.dynamic_update_slice(cache_k, k, (0, at, 0, 0))
        cache_v = jax.lax.dynamic_update_slice(cache_v, v, (0, at, 0, 0))
        return cache_k, cache_v, attend(q, cache_k, cache_v, causal=False)
    cache = tensor((BATCH, TIME, HEADS, HEAD), P("data", None, "model"))
    one = tensor((BATCH, 1, HEADS, HEAD), P("data", None, "model"))
    return Call(f, [cache, cache, one, one, one, tensor((), None, jnp.int32)], donate=(0, 1))


@program(data=2, model=4)
def rotary_positions(mesh):
    def f(x, position):
        angle = position[:, :, None] * (10000.0 ** (-jnp.arange(HEAD // 2) / (HEAD // 2)))
        sin, cos = jnp.sin(angle)[:, :, None], jnp.cos(angle)[:, :, None]
        a, b = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)
    return Call(f, [tensor((BATCH, TIME, HEADS, HEAD), P("data", None, "model")),
                    tensor((BATCH, TIME), P("data"))])


@program(data=2, model=4)
def attention_in_blocks(mesh):
    """Softmax over key blocks with a running maximum, as memory-saving kernels do it."""
    def f(q, k, v):
        def step(carry, kv):
            top, total, out = carry
            score = jnp.einsum("bqhd,bkhd->bhqk", q, kv[0])
            new = jnp.maximum(top, score.max(-1))
            scale, weight = jnp.exp(top - new), jnp.exp(score - new[..., None])
            out = out * scale[..., None] + jnp.einsum("bhqk,bkhd->bhqd", weight, kv[1])
            return (new, total * scale + weight.sum(-1), out), None
        blocks = [jnp.moveaxis(t.reshape(BATCH, 4, 4, HEADS, HEAD), 1, 0) for t in (k, v)]
        start = (jnp.full((BATCH, HEADS, TIME), -1e9), jnp.zeros((BATCH, HEADS, TIME)),
                 jnp.zeros((BATCH, HEADS, TIME, HEAD)))
        (_, total, out), _ = jax.lax.scan(step, start, tuple(blocks))
        return out / total[..., None]
    one = tensor((BATCH, TIME, HEADS, HEAD), P("data", None, "model"))
    return Call(f, [one, one, one])


@program(data=2, model=4)
def cross_attention_gradient(mesh):
    def f(q, k, v):
        return jnp.sum(attend(q, k, v, causal=False) ** 2)
    one = P("data", None, "model")
    return Call(jax.grad(f, argnums=(0, 1)), [tensor((BATCH, TIME, HEADS, HEAD), one),
                                              tensor((BATCH, 12, HEADS, HEAD), one),
                                              tensor((BATCH, 12, HEADS, HEAD))])


@program(stage=2, data=2, model=2)
def pipeline_shifted(mesh):
    """Stages as a leading dimension, shifted by one at each tick."""
    def f(w, x):
        def tick(state, inp):
            state = put(mesh, jnp.roll(state, 1, axis=0).at[0].set(inp), "stage", "data")
            state = jax.nn.relu(jnp.einsum("sbd,sde->sbe", state, w))
            return state, state[-1]
        start = jnp.zeros((2, BATCH, WIDTH))
        return jax.lax.scan(tick, start, x)[1]
    return Call(f, [tensor((2, WIDTH, WIDTH), P("stage", None, "model")),
                    tensor((5, BATCH, WIDTH), P(None, "data"))])
