#!/usr/bin/env python3
"""Makes the modules of shardings.sh anew: each a few lines of JAX in the form of a public report.

    programs.py      with JAX 0.12.0.1; runs itself on eight virtual devices

Writes modules/NAME.hlo as JAX hands them over, before any pass of XLA.
"""

import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MODULES = pathlib.Path(__file__).resolve().parent / "modules"
AUTO = (AxisType.Auto, AxisType.Auto)
MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=AUTO)
RING = jax.make_mesh((8,), ("data",), axis_types=AUTO[:1])


def array(shape, spec, mesh=MESH, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))


def constrain(x, spec, mesh=MESH):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec))


def not_divisible():  # jax#26946
    def step(x, w):
        return jax.nn.relu(x @ w)[:17]

    return jax.jit(step).trace(
        array((24, 64), P("data", None), RING), array((64, 32), P(), RING))


def open_and_closed():  # jax#37047
    def step(x, w):
        closed = constrain(x * 2.0, P(None, None))
        opened = constrain(x * 3.0, P(P.UNCONSTRAINED, None))
        return closed @ w, opened @ w

    return jax.jit(step).trace(array((64, 32), P("data", None)), array((32, 16), P()))


def split_in_two():  # xla#13306
    def step(x):
        return jnp.sin(x.reshape(2, 4, 2048))

    return jax.jit(step).trace(array((8, 2048), P("data", None), RING))


def layers():  # pytorch/xla#7846
    def step(x, params):
        for up, down in params:
            x = x + jax.nn.gelu(x @ up) @ down
        return x

    up, down = array((256, 1024), P(None, "model")), array((1024, 256), P("model", None))
    return jax.jit(step).trace(array((32, 256), P()), [(up, down), (array((256, 1024), P()), array((1024, 256), P()))])


def transform():  # jax#15680
    return jax.jit(jnp.fft.fft).trace(array((16, 4096), P("data", "model"), dtype=jnp.complex64))


def transform_of_whole_rows():  # jax#15680, with a constraint in front
    def step(x):
        return jnp.fft.fft(constrain(x, P("data", None)))

    return jax.jit(step).trace(array((16, 4096), P("data", "model"), dtype=jnp.complex64))


def full_resharding():  # xla#15207
    def step(x):
        return constrain(jnp.sin(x), P(None, ("data", "model"), None))

    return jax.jit(step).trace(array((64, 64, 128), P("model", None, "data")))


def resharding_in_two_steps():  # xla#15207, with one constraint more
    def step(x):
        halfway = constrain(jnp.sin(x), P("model", "data", None))
        return constrain(halfway, P(None, ("data", "model"), None))

    return jax.jit(step).trace(array((64, 64, 128), P("model", None, "data")))


def loop():  # jax#18672
    def step(x, w):
        return jax.lax.fori_loop(0, 12, lambda _, h: jnp.tanh(h @ w), x)

    return jax.jit(step).trace(array((64, 128), P("data", None)), array((128, 128), P(None, "model")))


def grouped_convolution():  # xla#47945
    def step(x, kernel):
        return jax.lax.conv_general_dilated(
            x, kernel, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=8)

    return jax.jit(step).trace(array((16, 128, 64), P("data", None, None)), array((3, 8, 64), P()))


PROGRAMS = (not_divisible, open_and_closed, split_in_two, layers, transform, transform_of_whole_rows, full_resharding,
            resharding_in_two_steps, loop, grouped_convolution)

if __name__ == "__main__":
    MODULES.mkdir(exist_ok=True)
    for program in PROGRAMS:
        text = program().lower().as_text("hlo", debug_info=True)
        (MODULES / f"{program.__name__}.hlo").write_text(text.replace(f"{MODULES.parent}/", ""))
