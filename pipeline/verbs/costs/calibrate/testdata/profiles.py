"""Writes the profiles of this folder: what JAX measures of two steps on the CPU of the machine that runs this.

    JAX_PLATFORMS=cpu python profiles.py        # jax 0.12.0.1

NAME.hlo is compiled.as_text(), NAME.trace.json.gz what jax.profiler wrote, without events that are of no instruction. Times are those of the day: a
test asks for what holds of any.
"""

import gzip
import json
import os
import pathlib
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

HERE = pathlib.Path(__file__).resolve().parent
RUNS = 5


def mlp(w1, w2, x):
    hidden = jnp.tanh(x @ w1)
    return jnp.square(hidden @ w2).sum()


def layers(w, x):
    def layer(x, w):
        return jax.nn.gelu(x @ w), None

    return jnp.square(jax.lax.scan(layer, x, w)[0]).sum()


def on_both(*specs):
    mesh = jax.make_mesh((2,), ("data",))
    return [NamedSharding(mesh, spec) for spec in specs]


P = PartitionSpec
STEPS = {
    "mlp": (mlp, [(512, 1024), (1024, 512), (256, 512)], None),
    "layers": (layers, [(4, 384, 384), (512, 384)], on_both(P(), P("data"))),
}


def measured(compiled, arguments):
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with tempfile.TemporaryDirectory() as folder:
        jax.block_until_ready(compiled(*arguments))
        with jax.profiler.trace(folder, profiler_options=options):
            for _ in range(RUNS):
                jax.block_until_ready(compiled(*arguments))
        (file,) = pathlib.Path(folder).rglob("*.trace.json.gz")
        return json.loads(gzip.decompress(file.read_bytes()))


def kept(event):
    return event.get("ph") == "M" or "hlo_op" in event.get("args", {})


def write(name, f, shapes, shardings):
    arguments = [jnp.full(shape, 0.01) for shape in shapes]
    if shardings:
        arguments = [jax.device_put(a, s) for a, s in zip(arguments, shardings)]
    compiled = jax.jit(jax.value_and_grad(f)).lower(*arguments).compile()
    (HERE / f"{name}.hlo").write_text(compiled.as_text().replace(f"{HERE}/", ""))
    trace = measured(compiled, arguments)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if kept(event)]
    (HERE / f"{name}.trace.json.gz").write_bytes(gzip.compress(json.dumps(trace).encode(), mtime=0))


for name, step in STEPS.items():
    write(name, *step)
