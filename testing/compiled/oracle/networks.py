"""Networks: convolutions with odd windows, transformers, experts, recurrences, graphs, diffusion.

Each program is a function of a mesh data, model that gives (function, arguments, arguments to donate).
"""

import jax
import jax.numpy as jnp
from jax import lax

from arrays import BF16, F32, I32, array, cut, norm, sgd


def conv_odd(mesh):
    """Windows of 3x5 and 7x1, strides of 2 and 3, dilation, uneven padding, groups, a transposed convolution; one step of training."""
    layers = [
        ((3, 5, 3, 32), dict(window_strides=(2, 3), padding=((1, 0), (3, 1)))),
        ((7, 1, 32, 48), dict(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 1))),
        ((3, 3, 4, 48), dict(window_strides=(1, 1), padding="VALID", feature_group_count=12)),
        ((2, 4, 48, 24), dict(window_strides=(1, 1), padding=((1, 1), (2, 3)), lhs_dilation=(2, 2))),
    ]

    def loss(weights, x):
        for w, (_, options) in zip(weights, layers):
            x = jax.nn.relu(lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options))
        return jnp.mean(x * x)

    step = lambda weights, x: sgd(weights, jax.grad(loss)(weights, x))
    return step, ([array(mesh, shape) for shape, _ in layers], array(mesh, (16, 61, 93, 3), "data")), (0,)


def conv_volume(mesh):
    """Three spatial dimensions, batch normalisation, maximum and mean pooling with overlapping windows."""

    def loss(weights, x):
        for w in weights:
            x = lax.conv_general_dilated(x, w, (1, 2, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))
            x = jax.nn.gelu((x - x.mean((0, 1, 2, 3))) * lax.rsqrt(x.var((0, 1, 2, 3)) + 1e-5))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2, 3, 1), (1, 2, 1, 1, 1), "SAME")
        return jnp.sum(lax.reduce_window(x, 0.0, lax.add, (1, 1, 5, 5, 1), (1, 1, 3, 2, 1), "VALID") ** 2)

    step = lambda weights, x: sgd(weights, jax.grad(loss)(weights, x))
    return step, ([array(mesh, (3, 3, 3, 2, 16)), array(mesh, (1, 3, 5, 16, 32))], array(mesh, (8, 12, 40, 27, 2), "data")), (0,)


def wavenet(mesh):
    """Causal convolutions over a sequence, dilated by powers of two, gated."""

    def forward(weights, x):
        for layer, (gate, value, out) in enumerate(weights):
            past = dict(window_strides=(1,), padding=((2**layer, 0),), rhs_dilation=(2**layer,), dimension_numbers=("NWC", "WIO", "NWC"))
            x = x + jnp.tanh(lax.conv_general_dilated(x, value, **past)) * jax.nn.sigmoid(lax.conv_general_dilated(x, gate, **past)) @ out
        return x

    step = lambda weights, x: sgd(weights, jax.grad(lambda w: jnp.mean(forward(w, x[:, :-1]) - x[:, 1:]) ** 2)(weights))
    layer = (array(mesh, (2, 64, 64), None, None, "model"), array(mesh, (2, 64, 64), None, None, "model"), array(mesh, (64, 64), "model"))
    return step, ([layer] * 7, array(mesh, (16, 1000, 64), "data")), (0,)


def attention(x, wqkv, wo):
    q, k, v = jnp.einsum("btd,cdhe->cbthe", x, wqkv)
    scores = jnp.einsum("bthe,bshe->bhts", q, k).astype(F32) / q.shape[-1] ** 0.5
    keep = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhts,bshe,hed->btd", jax.nn.softmax(jnp.where(keep, scores, -1e9)).astype(x.dtype), v, wo)


def gpt(mesh, policy=None, layers=4, width=512):
    """A decoder by scan and remat, with a tied embedding, in bf16."""

    def block(x, w):
        x = x + attention(norm(x), w["qkv"], w["o"])
        return x + jax.nn.silu(norm(x) @ w["up"]) @ w["down"], None

    def loss(weights, ids):
        x = cut(mesh, weights["embedding"][ids], "data").astype(BF16)
        x, _ = lax.scan(jax.checkpoint(block, policy=policy), x, jax.tree.map(lambda w: w.astype(BF16), weights["blocks"]))
        logits = (x @ weights["embedding"].T.astype(BF16)).astype(F32)
        picked = jnp.take_along_axis(logits[:, :-1], ids[:, 1:, None], -1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits[:, :-1], -1) - picked)

    blocks = {
        "qkv": array(mesh, (layers, 3, width, 8, width // 8), None, None, "data", "model"),
        "o": array(mesh, (layers, 8, width // 8, width), None, "model", None, "data"),
        "up": array(mesh, (layers, width, 4 * width), None, "data", "model"),
        "down": array(mesh, (layers, 4 * width, width), None, "model", "data"),
    }
    weights = {"embedding": array(mesh, (8192, width), "model", "data"), "blocks": blocks}
    return lambda w, ids: sgd(w, jax.grad(loss)(w, ids)), (weights, array(mesh, (16, 512), "data", dtype=I32)), (0,)


def decode(mesh):
    """One token with caches that are updated in place, each sequence at its own position."""

    def write(cache, new, at):
        return jax.vmap(lambda c, n, i: lax.dynamic_update_slice(c, n[None], (i, 0, 0)))(cache, new, at)

    def step(caches, weights, x, at):
        for layer, (wqkv, wo) in enumerate(weights):
            q, k, v = jnp.einsum("bd,cdhe->cbhe", norm(x), wqkv)
            caches[layer] = (write(caches[layer][0], k, at), write(caches[layer][1], v, at))
            scores = jnp.einsum("bhe,bshe->bhs", q, caches[layer][0]).astype(F32)
            scores = jnp.where(jnp.arange(scores.shape[-1]) <= at[:, None, None], scores, -1e9)
            x = x + jnp.einsum("bhs,bshe,hed->bd", jax.nn.softmax(scores).astype(BF16), caches[layer][1], wo)
        return caches, x, at + 1

    cache = array(mesh, (16, 1024, 8, 64), "data", None, "model", dtype=BF16)
    weights = (array(mesh, (3, 512, 8, 64), None, None, "model", dtype=BF16), array(mesh, (8, 64, 512), "model", dtype=BF16))
    return step, ([(cache, cache)] * 3, [weights] * 3, array(mesh, (16, 512), "data", dtype=BF16), array(mesh, (16,), "data", dtype=I32)), (0,)


def experts(mesh):
    """Two experts a token by one-hot products, with a capacity."""

    def forward(weights, x):
        router, up, down = weights
        gates, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
        hot = jax.nn.one_hot(chosen, 16)
        place = jnp.cumsum(hot.reshape(x.shape[0], -1, 16), 1).reshape(hot.shape) * hot - 1
        slots = jax.nn.one_hot(place.astype(I32), 160) * hot[..., None]
        inside = cut(mesh, jnp.einsum("btkec,btd->ebcd", slots, x), "model", "data")
        out = cut(mesh, jax.nn.gelu(inside @ up[:, None]) @ down[:, None], "model", "data")
        return jnp.einsum("btkec,ebcd,btk->btd", slots, out, gates)

    step = lambda weights, x: sgd(weights, jax.grad(lambda w: jnp.mean(forward(w, x) ** 2))(weights))
    weights = (array(mesh, (256, 16)), array(mesh, (16, 256, 512), "model"), array(mesh, (16, 512, 256), "model"))
    return step, (weights, array(mesh, (8, 1024, 256), "data")), (0,)


def recurrent(mesh):
    """An LSTM in both directions, and its gradient."""

    def one(w, xs, reverse):
        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((xs.shape[1], w.shape[1] // 4))
        return lax.scan(cell, (zero, zero), xs, reverse=reverse)[1]

    def loss(weights, xs):
        for there, back in weights:
            xs = jnp.concatenate([one(there, xs, False), one(back, xs, True)], -1)
        return jnp.mean(xs[-1] ** 2)

    first, second = array(mesh, (512, 1024), None, "model"), array(mesh, (768, 1024), None, "model")
    return lambda weights, xs: sgd(weights, jax.grad(loss)(weights, xs)), ([(first, first), (second, second)], array(mesh, (100, 32, 256), None, "data")), (0,)


def graph(mesh):
    """Messages along edges: gather, segment sums and maxima, a gated update."""

    def step(w, nodes, source, target):
        def layer(nodes, w):
            sent = jax.nn.relu(nodes[source] @ w[0])
            total = jax.ops.segment_sum(sent, target, nodes.shape[0])
            most = jax.ops.segment_max(sent, target, nodes.shape[0])
            return jnp.tanh(total @ w[1] + jnp.where(jnp.isfinite(most), most, 0) @ w[2])

        loss = lambda w: jnp.mean(layer(layer(nodes, w), w) ** 2)
        return sgd(w, jax.grad(loss)(w))

    edges = array(mesh, (65536,), ("data", "model"), dtype=I32)
    return step, ([array(mesh, (96, 96))] * 3, array(mesh, (8192, 96), "data"), edges, edges), (0,)


def diffusion(mesh):
    """A small U-net: group normalisation, strides, attention at the bottom, resize and concatenation on the way up."""

    def block(w, x):
        b, h, t, c = x.shape
        grouped = x.reshape(b, h, t, 8, c // 8)
        x = ((grouped - grouped.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(grouped.var((1, 2, 4), keepdims=True) + 1e-5)).reshape(x.shape)
        return lax.conv_general_dilated(jax.nn.silu(x), w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(weights, x, noise):
        down, up, wqkv, wo = weights
        y, kept = x + noise, []
        for w in down:
            y = block(w, y)
            kept.append(y)
            y = lax.reduce_window(y, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        flat = y.reshape(y.shape[0], -1, y.shape[-1])
        y = y + attention(flat, wqkv, wo).reshape(y.shape)
        for w, old in zip(up, reversed(kept)):
            y = jnp.concatenate([jax.image.resize(y, old.shape[:3] + y.shape[-1:], "bilinear"), old], -1)
            y = block(w, y)
        return jnp.mean((y - noise) ** 2)

    weights = (
        [array(mesh, (3, 3, 32, 64)), array(mesh, (3, 3, 64, 128))],
        [array(mesh, (3, 3, 256, 64)), array(mesh, (3, 3, 128, 32))],
        array(mesh, (3, 128, 4, 32), None, None, "model"),
        array(mesh, (4, 32, 128), "model"),
    )
    x = array(mesh, (8, 32, 32, 32), "data")
    return lambda w, x, noise: sgd(w, jax.grad(loss)(w, x, noise)), (weights, x, x), (0,)
