#!/usr/bin/env python3
"""Two training steps whose temporaries waste memory on a TPU, and the same steps with one number changed: the programs of docs/tile_to_hbm.md.

    two_steps.py OUT

Needs jax[tpu] but no TPU. Writes OUT/NAME.hlo, the step before its compilation, and OUT/NAME.compiled.hlo, the compiler's module for
sixteen chips of a v5e. Prints the peak that the compiler reports.
"""

import functools
import os
import pathlib
import sys

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")

import jax
import jax.numpy as jnp
import numpy
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

BATCH, LAYERS, WIDTH, HEADS, CLASSES = 512, 8, 1024, 16, 1000
TABLES, LOOKUPS = 16, 32768


def norm(x):
    wide = x.astype(jnp.float32)
    return ((wide - wide.mean(-1, keepdims=True)) * jax.lax.rsqrt(wide.var(-1, keepdims=True) + 1e-6)).astype(x.dtype)


def block(x, layer):
    """Attention and two dense layers, in bfloat16."""
    q, k, v = jnp.einsum("btd,dcnh->cbtnh", norm(x), layer["qkv"].astype(x.dtype))
    scores = jax.nn.softmax(jnp.einsum("btnh,bsnh->bnts", q, k).astype(jnp.float32), axis=-1)
    x = x + jnp.einsum("bnts,bsnh,nhd->btd", scores.astype(x.dtype), v, layer["out"].astype(x.dtype))
    return x + jax.nn.gelu(norm(x) @ layer["up"].astype(x.dtype)) @ layer["down"].astype(x.dtype), None


def vision(weights, patches, labels, class_token):
    """A vision transformer on 16 x 16 patches: the class is read from a token of its own, or from the mean of all."""

    def loss(weights):
        x = patches @ weights["embed"].astype(patches.dtype)
        if class_token:
            first = jnp.broadcast_to(weights["token"].astype(x.dtype), (x.shape[0], 1, x.shape[2]))
            x = jnp.concatenate([first, x], axis=1)
        x, _ = jax.lax.scan(jax.checkpoint(block, policy=jax.checkpoint_policies.dots_saveable), x, weights["layers"])
        read = norm(x)[:, 0] if class_token else norm(x).mean(1)
        log = jax.nn.log_softmax((read @ weights["head"].astype(x.dtype)).astype(jnp.float32))
        return -jnp.take_along_axis(log, labels[:, None], axis=1).mean()

    return jax.tree.map(lambda w, g: w - 1e-3 * g, weights, jax.grad(loss)(weights))


def vision_arguments(at, class_token):
    layer = {
        "qkv": at((LAYERS, WIDTH, 3, HEADS, WIDTH // HEADS), P(None, None, None, "model")),
        "out": at((LAYERS, HEADS, WIDTH // HEADS, WIDTH), P(None, "model")),
        "up": at((LAYERS, WIDTH, 4 * WIDTH), P(None, None, "model")),
        "down": at((LAYERS, 4 * WIDTH, WIDTH), P(None, "model")),
    }
    weights = {"embed": at((768, WIDTH), P()), "head": at((WIDTH, CLASSES), P()), "layers": layer}
    if class_token:
        weights["token"] = at((1, 1, WIDTH), P())
    return weights, at((BATCH, 256, 768), P("data"), "bfloat16"), at((BATCH,), P("data"), "int32")


def recommender(table, ids, wanted, width):
    """Rows of many tables in one array are fetched, compared with each other, and changed."""
    flat = ids + jnp.arange(TABLES) * (table.shape[0] // TABLES)
    rows = table[flat]

    def loss(rows):
        every_pair = jnp.einsum("bnd,bmd->bnm", rows, rows)
        return jnp.mean((jnp.tanh(every_pair.sum((1, 2)) / width) - wanted) ** 2)

    return table.at[flat].add(-0.1 * jax.grad(loss)(rows))


def recommender_arguments(at, width):
    rows = TABLES * (2**26 // width)  # the same numbers in all
    return at((rows, width), P(("data", "model"))), at((LOOKUPS, TABLES), P(("data", "model")), "int32"), at((LOOKUPS,), P(("data", "model")))


PROGRAMS = {
    "vision_257": (functools.partial(vision, class_token=True), functools.partial(vision_arguments, class_token=True)),
    "vision_256": (functools.partial(vision, class_token=False), functools.partial(vision_arguments, class_token=False)),
    "rows_of_64": (functools.partial(recommender, width=64), functools.partial(recommender_arguments, width=64)),
    "rows_of_128": (functools.partial(recommender, width=128), functools.partial(recommender_arguments, width=128)),
}


def main(out):
    devices = topologies.get_topology_desc("v5e:4x4", "tpu").devices
    ordered = sorted(devices, key=lambda device: tuple(device.coords))
    mesh = Mesh(numpy.array(ordered).reshape(4, 4), ("data", "model"))
    here = str(pathlib.Path(__file__).resolve().parent) + "/"

    def at(shape, spec, kind="float32"):
        return jax.ShapeDtypeStruct(shape, jnp.dtype(kind), sharding=NamedSharding(mesh, spec))

    for name, (function, arguments) in PROGRAMS.items():
        lowered = jax.jit(function, donate_argnums=0).lower(*arguments(at))
        (pathlib.Path(out) / f"{name}.hlo").write_text(lowered.as_text("hlo", debug_info=True).replace(here, ""))
        compiled = lowered.compile()
        (pathlib.Path(out) / f"{name}.compiled.hlo").write_text(compiled.as_text().replace(here, ""))
        print(f"{name}: peak {compiled.memory_analysis().peak_memory_in_bytes / 2**30:.2f} GiB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
