#!/usr/bin/env python3
"""Two steps that eight TPU v5e do not hold, and changes that make them fit: the walk in docs/memory.md.

    python fit.py OUT             # lowers them: OUT/train.hlo, OUT/train_dots.hlo, ..
    python fit.py OUT compile     # and asks the compiler of TPUs for each peak, without a TPU (jax[tpu]); some minutes

Nothing is executed.
"""
import os
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
import functools
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import NamedSharding, PartitionSpec as P

BF16, F32 = jnp.bfloat16, jnp.float32


def array(mesh, shape, dtype, *spec):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def layer(x, w):
    """One block: attention over the sequence, then a gated perceptron."""
    batch, tokens, width = x.shape
    q, k, v = jnp.moveaxis(jnp.einsum("btd,dcnh->btcnh", x, w["qkv"].astype(BF16)), 2, 0)
    scores = jnp.einsum("btnh,bsnh->bnts", q, k).astype(F32) * q.shape[-1] ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -1e9)
    mixed = jnp.einsum("bnts,bsnh->btnh", jax.nn.softmax(scores, -1).astype(BF16), v)
    x = x + mixed.reshape(batch, tokens, width) @ w["out"].astype(BF16)
    return x + jax.nn.gelu(x @ w["up"].astype(BF16)) @ w["down"].astype(BF16)


def train(mesh, remat=None, layers=12, width=1536, heads=12, batch=64, tokens=1024, words=32000):
    """Training, data parallel, with momentum."""
    block = layer if remat is None else jax.checkpoint(layer, policy=remat)
    shapes = {"qkv": (width, 3, heads, width // heads), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    weights = {"table": array(mesh, (words, width), F32), "layers": {n: array(mesh, (layers, *s), F32) for n, s in shapes.items()}}
    ids = array(mesh, (batch, tokens + 1), jnp.int32, "data")

    def loss(weights, ids):
        table = weights["table"].astype(BF16)
        x, _ = jax.lax.scan(lambda x, w: (block(x, w), None), table[ids[:, :-1]], weights["layers"])
        logits = (x @ table.T).astype(F32)
        picked = jnp.take_along_axis(logits, ids[:, 1:, None], -1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits, -1) - picked)

    def step(weights, momenta, ids):
        value, gradients = jax.value_and_grad(loss)(weights, ids)
        momenta = jax.tree.map(lambda m, g: 0.9 * m + g, momenta, gradients)
        return jax.tree.map(lambda w, m: w - 0.01 * m, weights, momenta), momenta, value

    return step, (weights, weights, ids), (0, 1)


def decode(mesh, is_donated=False, is_carried=False, is_unrolled=False, layers=32, width=4096, heads=32, kept=8, batch=64, tokens=8192):
    """One token for each sequence, with a cache of keys and values; tensor parallel."""
    size = width // heads
    weights = {"q": array(mesh, (layers, width, heads, size), BF16, None, None, "data"),
               "kv": array(mesh, (layers, width, 2, kept, size), BF16, None, None, None, "data"),
               "o": array(mesh, (layers, heads, size, width), BF16, None, "data"),
               "up": array(mesh, (layers, width, 4 * width), BF16, None, None, "data"),
               "down": array(mesh, (layers, 4 * width, width), BF16, None, "data")}
    cache = array(mesh, (layers, 2, batch, kept, tokens, size), BF16, None, None, None, "data")

    def one(x, w, c, at):
        """The layer's output, and what its cache gets at position `at`."""
        q = jnp.einsum("bd,dnh->bnh", x, w["q"]).reshape(batch, kept, heads // kept, size)
        new = jnp.einsum("bd,dckh->cbkh", x, w["kv"])[:, :, :, None]
        c = jax.lax.dynamic_update_slice(c, new, (0, 0, 0, at, 0))
        scores = jnp.einsum("bkgh,bkth->bkgt", q, c[0]).astype(F32) * size ** -0.5
        scores = jnp.where(jnp.arange(tokens) <= at, scores, -1e9)
        mixed = jnp.einsum("bkgt,bkth->bkgh", jax.nn.softmax(scores, -1).astype(BF16), c[1])
        x = x + jnp.einsum("bnh,nhd->bd", mixed.reshape(batch, heads, size), w["o"])
        return x + jax.nn.gelu(x @ w["up"]) @ w["down"], c, new

    def step(weights, cache, x, at):
        def next_layer(x, wc):
            x, c, _ = one(x, wc[0], wc[1], at)
            return x, c
        return jax.lax.scan(next_layer, x, (weights, cache))

    def step_carried(weights, cache, x, at):
        def next_layer(carry, wk):
            x, cache = carry
            w, k = wk
            x, _, new = one(x, w, cache[k], at)
            return (x, jax.lax.dynamic_update_slice(cache, new[None], (k, 0, 0, 0, at, 0))), None
        return jax.lax.scan(next_layer, (x, cache), (weights, jnp.arange(layers)))[0]

    def step_unrolled(weights, caches, x, at):
        new = []
        for k, c in enumerate(caches):
            x, kept, _ = one(x, jax.tree.map(lambda w, k=k: w[k], weights), c, at)
            new.append(kept)
        return x, new

    if is_unrolled:
        cache = [array(mesh, cache.shape[1:], BF16, *cache.sharding.spec[1:]) for _ in range(layers)]
    arguments = (weights, cache, array(mesh, (batch, width), BF16), array(mesh, (), jnp.int32))
    return step_unrolled if is_unrolled else step_carried if is_carried else step, arguments, (1,) if is_donated else ()


STEPS = {"train": train,
         "train_dots": functools.partial(train, remat=jax.checkpoint_policies.dots_with_no_batch_dims_saveable),
         "train_remat": functools.partial(train, remat=jax.checkpoint_policies.nothing_saveable),
         "decode": decode,
         "decode_donated": functools.partial(decode, is_donated=True),
         "decode_carried": functools.partial(decode, is_donated=True, is_carried=True),
         "decode_unrolled": functools.partial(decode, is_donated=True, is_unrolled=True)}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    devices = topologies.get_topology_desc("v5e:2x4", "tpu").devices
    mesh = jax.sharding.Mesh(devices, ("data",))
    for name, build in STEPS.items():
        function, arguments, donated = build(mesh)
        lowered = jax.jit(function, donate_argnums=donated).lower(*arguments)
        (out / f"{name}.hlo").write_text(lowered.as_text("hlo", debug_info=True))
        if "compile" not in sys.argv[2:]:
            continue
        try:
            peak = lowered.compile().memory_analysis().peak_memory_in_bytes
            print(f"{name}: the compiler's peak is {peak / 2 ** 30:.2f} GiB", flush=True)
        except jax.errors.JaxRuntimeError as error:
            print(f"{name}: the compiler refuses: {str(error)[:160]}", flush=True)


if __name__ == "__main__":
    main()
