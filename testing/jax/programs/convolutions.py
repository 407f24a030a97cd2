"""Convolution nets: classification, diffusion, audio."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from program import Call, program, put, tensor

NHWC = ("NHWC", "HWIO", "NHWC")


def conv(x, w, stride=1, groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=NHWC,
                                    feature_group_count=groups)


def group_norm(x, groups=4):
    n, h, w, c = x.shape
    x = x.reshape(n, h, w, groups, c // groups)
    mean = x.mean((1, 2, 4), keepdims=True)
    x = (x - mean) * lax.rsqrt(x.var((1, 2, 4), keepdims=True) + 1e-5)
    return x.reshape(n, h, w, c)


IMAGE = tensor((8, 16, 16, 8), P("data"))


@program(data=4, model=2)
def residual_block(mesh):
    def f(x, a, b):
        return x + conv(jax.nn.relu(conv(x, a)), b)
    return Call(f, [IMAGE, tensor((3, 3, 8, 16), P(None, None, None, "model")),
                    tensor((3, 3, 16, 8), P(None, None, "model"))])


@program(data=4, model=2)
def residual_gradient(mesh):
    def f(a, b, x):
        return jnp.mean(conv(jax.nn.relu(conv(x, a, stride=2)), b) ** 2)
    return Call(jax.grad(f, (0, 1)), [tensor((3, 3, 8, 16), P(None, None, None, "model")),
                                      tensor((3, 3, 16, 8), P(None, None, "model")), IMAGE])


@program(data=4, model=2)
def classifier_pooled(mesh):
    def f(x, a, w):
        h = jax.nn.relu(conv(x, a, stride=2))
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return h.reshape(8, -1) @ w
    return Call(f, [IMAGE, tensor((3, 3, 8, 16)), tensor((256, 10), P("model"))])


@program(data=4, model=2)
def pooling_gradient(mesh):
    def f(x):
        h = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return jnp.sum(h * h)
    return Call(jax.grad(f), [tensor((8, 16, 16, 8), P("data", None, None, "model"))])


@program(data=4, model=2)
def depthwise_separable(mesh):
    def f(x, depth, point):
        return jax.nn.silu(conv(conv(x, depth, groups=8), point))
    return Call(f, [tensor((8, 16, 16, 8), P("data", None, None, "model")),
                    tensor((3, 3, 1, 8), P(None, None, None, "model")), tensor((1, 1, 8, 16))])


@program(data=4, model=2)
def unet_block(mesh):
    """One level of a diffusion UNet: time embedding, down, middle attention, up, skip."""
    def f(x, t, p):
        h = conv(jax.nn.silu(group_norm(x)), p["in"])
        h = h + (jax.nn.silu(t) @ p["time"])[:, None, None, :]
        low = conv(h, p["down"], stride=2)
        n, a, b, c = low.shape
        seq = low.reshape(n, a * b, c)
        mixed = jax.nn.softmax(jnp.einsum("ntc,nsc->nts", seq, seq) / 4.0) @ (seq @ p["value"])
        low = (seq + mixed).reshape(n, a, b, c)
        up = jax.image.resize(low, (n, 2 * a, 2 * b, c), "nearest")
        return conv(jnp.concatenate([up, h], axis=-1), p["out"]) + x
    wide = P(None, None, None, "model")
    params = {"in": tensor((3, 3, 8, 16), wide), "time": tensor((12, 16), P(None, "model")),
              "down": tensor((3, 3, 16, 16), wide), "value": tensor((16, 16), P(None, "model")),
              "out": tensor((3, 3, 32, 8), P(None, None, "model"))}
    return Call(f, [IMAGE, tensor((8, 12), P("data")), params])


@program(data=2, rows=4)
def image_rows_sharded(mesh):
    def f(x, a):
        return put(mesh, conv(x, a), "data", "rows")
    return Call(f, [tensor((8, 16, 16, 8), P("data", "rows")), tensor((3, 3, 8, 8))])


@program(data=4, model=2)
def upsampling_transposed(mesh):
    def f(x, a):
        up = lax.conv_general_dilated(x, a, (1, 1), [(2, 2)] * 2, lhs_dilation=(2, 2), dimension_numbers=NHWC)
        return jax.nn.relu(up)
    return Call(f, [IMAGE, tensor((4, 4, 8, 8), P(None, None, None, "model"))])


@program(data=8)
def batch_norm_train(mesh):
    def f(x, scale, mean):
        batch = x.mean((0, 1, 2))
        y = (x - batch) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * scale
        return y, 0.9 * mean + 0.1 * batch
    return Call(f, [IMAGE, tensor((8,)), tensor((8,))])


@program(data=4, time=2)
def audio_causal(mesh):
    def f(x, w):
        y = lax.conv_general_dilated(x, w, (1,), [(4, 0)], rhs_dilation=(2,),
                                     dimension_numbers=("NWC", "WIO", "NWC"))
        return jnp.tanh(y) * jax.nn.sigmoid(y)
    return Call(f, [tensor((8, 32, 4), P("data", "time")), tensor((3, 4, 4))])
