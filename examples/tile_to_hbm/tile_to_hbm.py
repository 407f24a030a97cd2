#!/usr/bin/env python3
"""A small model whose arrays waste memory on a TPU, before and after its fix: the programs of docs/tile_to_hbm.md.

    tile_to_hbm.py OUT

Needs jax[tpu] but no TPU. Writes OUT/wasteful.hlo and OUT/fixed.hlo, the modules before their compilation. OUT/wasteful.compiled.hlo and
OUT/fixed.compiled.hlo are the compiler's modules for one chip of a v5e.
"""

import os
import pathlib
import re
import sys

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding


def wasteful(table, images, points, scales, flags):
    """Four heads of sixteen numbers each stand apart, and so do the three colours of a pixel."""
    keys = jnp.einsum("bthd,hde->bthe", table, jnp.ones((4, 16, 16), table.dtype))
    return (
        jnp.sort(keys, axis=1),
        images.astype(jnp.float32) / 255,
        jnp.where(flags[:, :, None], points * scales, 0),
    )


def fixed(table, images, points, scales, flags):
    """The same numbers: heads and their numbers are one dimension, pixels and their colours as well."""
    weights = jnp.kron(jnp.eye(4, dtype=table.dtype), jnp.ones((16, 16), table.dtype))
    keys = table @ weights
    return (
        jnp.sort(keys, axis=1),
        images.astype(jnp.float32) / 255,
        jnp.where(flags[:, :, None], points * scales[:, None, None], 0),
    )


SHAPES = {
    wasteful: [((64, 512, 4, 16), "float32"), ((32, 60, 60, 3), "uint8"), ((2048, 20, 3), "bfloat16"), ((2048, 1, 1), "bfloat16"), ((2048, 20), "bool")],
    fixed: [((64, 512, 64), "float32"), ((32, 10800), "uint8"), ((2048, 20, 3), "bfloat16"), ((2048,), "bfloat16"), ((2048, 20), "bool")],
}


def main(out):
    chip = SingleDeviceSharding(topologies.get_topology_desc("v5e:2x2", "tpu").devices[0])
    here = str(pathlib.Path(__file__).resolve().parent) + "/"
    for function, shapes in SHAPES.items():
        arguments = [jax.ShapeDtypeStruct(shape, jnp.dtype(kind), sharding=chip) for shape, kind in shapes]
        lowered = jax.jit(function).lower(*arguments)
        texts = {"": lowered.as_text("hlo", debug_info=True), ".compiled": lowered.compile().as_text()}
        for suffix, text in texts.items():
            text = re.sub(r", backend_config=\{.*\}$", "", text.replace(here, ""), flags=re.MULTILINE)
            (pathlib.Path(out) / f"{function.__name__}{suffix}.hlo").write_text(text.rstrip() + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
