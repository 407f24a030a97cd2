#!/usr/bin/env python3
"""One training step, and what a developer does to it: the modules that the golden files of matching_test are held against.

    python3 programs.py OUT

Writes NAME.hlo, what JAX hands over, for each version. `step` is the one that was recorded. Needs requirements.txt of testing/jax.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_include_full_tracebacks_in_locations", False)
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

BATCH, MODEL, HIDDEN = 32, 64, 128


def block(p, x):
    return x + jax.nn.relu(x @ p["up"] + p["bias"]) @ p["down"]


def predict(params, x):
    for p in params:
        x = block(p, x)
    return x


def step(params, x, y):
    def loss(params):
        return jnp.mean((predict(params, x) - y) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


# The same again, further down and under other names.
def feed_forward(p, x):
    return x + jax.nn.relu(x @ p["up"] + p["bias"]) @ p["down"]


def forward(weights, inputs):
    for p in weights:
        inputs = feed_forward(p, inputs)
    return inputs


def train(weights, inputs, labels):
    def loss(weights):
        return jnp.mean((forward(weights, inputs) - labels) ** 2)
    value, grads = jax.value_and_grad(loss)(weights)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, weights, grads)


# Another activation, and gradients that are clipped.
def gelu_step(params, x, y):
    def loss(params):
        h = x
        for p in params:
            h = h + jax.nn.gelu(h @ p["up"] + p["bias"]) @ p["down"]
        return jnp.mean((h - y) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * jnp.clip(g, -1, 1), params, grads)


# A scale in front of the first layer: one instruction more, at the beginning.
def scaled_step(params, x, y):
    def loss(params):
        return jnp.mean((predict(params, x * 0.5) - y) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


# The layers as a loop.
def scanned_step(params, x, y):
    def loss(params):
        h, _ = jax.lax.scan(lambda h, p: (block(p, h), None), x, params)
        return jnp.mean((h - y) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def lowered(function, layers=3, batch=BATCH, stacked=False):
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("data", "model"))

    def array(shape, *spec):
        if stacked and len(shape) < 3 and shape[0] != batch:
            shape, spec = (layers, *shape), (None, *spec)
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*spec)))

    layer = {"up": array((MODEL, HIDDEN), None, "model"), "bias": array((HIDDEN,), "model"),
             "down": array((HIDDEN, MODEL), "model", None)}
    params = layer if stacked else [layer] * layers
    x = array((batch, MODEL), "data", None)
    return jax.jit(function).lower(params, x, x).as_text("hlo", debug_info=True)


VERSIONS = {
    "step": lambda: lowered(step),
    "layer_more": lambda: lowered(step, layers=4),
    "layer_less": lambda: lowered(step, layers=2),
    "renamed": lambda: lowered(train),
    "scaled": lambda: lowered(scaled_step),
    "gelu_and_clip": lambda: lowered(gelu_step),
    "batch_doubled": lambda: lowered(step, batch=2 * BATCH),
    "scan": lambda: lowered(scanned_step, stacked=True),
    "scan_layer_more": lambda: lowered(scanned_step, layers=4, stacked=True),
}


def main():
    out = pathlib.Path(sys.argv[1])
    for name, make in VERSIONS.items():
        (out / f"{name}.hlo").write_text(make())


if __name__ == "__main__":
    main()
