#!/usr/bin/env python3
"""How each generation of TPUs lays arguments: one line for each chip and type, for layout/testdata/tpu_layouts.txt.

    generations.py > ../../../layout/testdata/tpu_layouts.txt

Needs jax[tpu] (README.md); no TPU. A program of arguments that are its results is compiled for each chip; the header of the compiled module has
their layouts. Each compilation runs in a process of its own, 5 s. Types of 64 bits are left out: such an array is stored as two arrays of 32 bits.
"""

import os
import re
import subprocess
import sys

PLACES = {
    "tpu-v2": "v2:2x2",
    "tpu-v3": "v3:2x2",
    "tpu-v4": "v4:2x2x1",
    "tpu-v5e": "v5e:2x2",
    "tpu-v5p": "v5p:2x2x1",
    "tpu-v6e": "v6e:2x2",
    "tpu7x": "tpu7x:2x2x1",
}
TYPES = ("float32", "bfloat16", "int8", "bool", "int4", "int16", "float8_e4m3fn")
SHAPES = (
    (),
    (1,),
    (32,),
    (300,),
    (2000,),
    (1, 1024),
    (2, 1024),
    (3, 700),
    (5, 128),
    (7, 300),
    (40, 256),
    (100, 130),
    (256, 64),
    (64, 256),
    (96, 100),
    (8, 1024),
    (3, 64, 256),
    (1024, 16, 64),
    (1, 1, 5),
    (2, 3, 4),
    (64, 1, 128),
    (32, 60, 60, 3),
    (48, 128),
    (16, 16),
    (128, 2, 2),
)


def layouts(place, kind):
    import jax
    from jax.experimental import topologies
    from jax.sharding import SingleDeviceSharding

    where = SingleDeviceSharding(topologies.get_topology_desc(place, "tpu").devices[0])
    arguments = [jax.ShapeDtypeStruct(shape, jax.numpy.dtype(kind), sharding=where) for shape in SHAPES]
    header = jax.jit(lambda *x: x).lower(*arguments).compile().as_text().split("\n", 1)[0]
    border = header[header.index("entry_computation_layout=") :].partition(")->")[0]
    return re.findall(r"[a-z][a-z0-9]*\[[\d,]*\]\{[^}]*\}", border)


def main():
    if len(sys.argv) == 3:
        return print(*layouts(*sys.argv[1:]))
    for chip, place in PLACES.items():
        for kind in TYPES:
            run = subprocess.run([sys.executable, __file__, place, kind], capture_output=True, text=True, check=True)
            print(f"{chip}: {run.stdout.strip()}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
