"""The training step of docs/tutorial.md: six blocks of a feed-forward model on a pod of 64 devices, slow and mended.

    python program.py        # writes slow.hlo and mended.hlo; no device is needed, nothing is compiled
"""

import pathlib

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

MESH = AbstractMesh((16, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
HERE = pathlib.Path(__file__).resolve().parent
LAYERS, BATCH, TIME, WIDTH, HIDDEN = 6, 256, 1024, 2048, 8192


def block(x, layer, batch_axis):
    hidden = jax.nn.gelu(x @ layer["up"])
    hidden = jax.lax.with_sharding_constraint(hidden, NamedSharding(MESH, P(batch_axis, None, "model")))
    return x + hidden @ layer["down"]


def loss(params, x, target, batch_axis):
    def body(x, layer):
        return block(x, layer, batch_axis), None
    x, _ = jax.lax.scan(body, x, params)
    return jnp.mean((x - target) ** 2)


def step(params, x, target, batch_axis):
    value, gradients = jax.value_and_grad(loss)(params, x, target, batch_axis)
    return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients)


def tensor(shape, *axes):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(MESH, P(*axes)))


def lower(batch_axis):
    params = {"up": tensor((LAYERS, WIDTH, HIDDEN), None, None, "model"),
              "down": tensor((LAYERS, HIDDEN, WIDTH), None, "model", None)}
    x = tensor((BATCH, TIME, WIDTH), "data")
    traced = jax.jit(step, static_argnums=3, donate_argnums=0).trace(params, x, x, batch_axis)
    text = traced.lower(lowering_platforms=("tpu",)).as_text("hlo", debug_info=True)
    return text.replace(str(HERE) + "/", "")  # the same text on every machine


if __name__ == "__main__":
    (HERE / "slow.hlo").write_text(lower(batch_axis=None))
    (HERE / "mended.hlo").write_text(lower(batch_axis="data"))
