"""Multi-layer perceptrons and their relatives."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor


def layers(widths, spec):
    return [(tensor((a, b), spec[k % len(spec)]), tensor((b,))) for k, (a, b) in
            enumerate(zip(widths, widths[1:]))]


def forward(params, x):
    for w, b in params[:-1]:
        x = jax.nn.gelu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    return jnp.mean(jnp.square(forward(params, x) - y))


@program(data=8)
def perceptron_data(mesh):
    return Call(forward, [layers([24, 48, 12], [P()]), tensor((16, 24), P("data"))])


@program(data=2, model=4)
def perceptron_megatron(mesh):
    return Call(forward, [layers([24, 48, 16], [P(None, "model"), P("model")]),
                          tensor((16, 24), P("data"))], out=P("data"))


@program(data=2, fsdp=2, model=2)
def perceptron_three_axes(mesh):
    return Call(forward, [layers([24, 48, 16], [P("fsdp", "model"), P("model", "fsdp")]),
                          tensor((16, 24), P(("data", "fsdp")))])


@program(data=4, model=2)
def perceptron_gradient(mesh):
    return Call(jax.grad(loss), [layers([24, 48, 16], [P(None, "model"), P("model")]),
                                 tensor((16, 24), P("data")), tensor((16, 16), P("data"))])


@program(rows=3, columns=2)
def perceptron_odd_mesh(mesh):
    return Call(forward, [layers([24, 42, 15], [P("columns", "rows")]), tensor((9, 24), P("rows"))])


@program(order="reversed", data=4, model=2)
def perceptron_reversed(mesh):
    return Call(forward, [layers([24, 48, 16], [P(None, "model")]), tensor((16, 24), P("data"))])


@program(data=4, model=2)
def autoencoder_tied(mesh):
    def f(w, x):
        code = put(mesh, jnp.tanh(x @ w), "data", "model")
        return code @ w.T, jnp.max(code, axis=0)
    return Call(f, [tensor((32, 8), P("model")), tensor((16, 32), P("data"))])


@program(data=4, model=2)
def gated_residual_norm(mesh):
    def f(x, w, v, o, scale):
        mean = jnp.mean(x, -1, keepdims=True)
        var = jnp.var(x, -1, keepdims=True)
        h = (x - mean) * jax.lax.rsqrt(var + 1e-5) * scale
        return x + (jax.nn.silu(h @ w) * (h @ v)) @ o
    return Call(f, [tensor((8, 16, 32), P("data")), tensor((32, 64), P(None, "model")),
                    tensor((32, 64), P(None, "model")), tensor((64, 32), P("model")), tensor((32,))])


@program(x=2, y=4)
def mixer_block(mesh):
    def f(x, token, channel):
        x = x + jnp.einsum("btc,ts->bsc", x, token)
        return x + jax.nn.relu(x @ channel)
    return Call(f, [tensor((4, 16, 8), P("x", "y")), tensor((16, 16), P(None, "y")),
                    tensor((8, 8), P("x"))], out=P(None, "y"))


@program(data=8)
def ensemble_vmap(mesh):
    def one(w, x):
        return jnp.tanh(x @ w).sum()
    return Call(jax.vmap(one, in_axes=(0, None)), [tensor((16, 8, 4), P("data")), tensor((6, 8))])


@program(data=4, model=2)
def cross_entropy(mesh):
    def f(logits, labels):
        logp = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logp, labels[:, None], axis=1))
    return Call(f, [tensor((16, 64), P("data", "model")), tensor((16,), P("data"), jnp.int32)])


@program(data=4, model=2)
def dropout_and_noise(mesh):
    def f(x, key):
        keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.9, x.shape)
        return jnp.where(keep, x / 0.9, 0.0)
    return Call(f, [tensor((16, 32), P("data", "model")), tensor((2,), P(), jnp.uint32)])
