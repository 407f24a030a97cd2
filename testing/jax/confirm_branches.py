#!/usr/bin/env python3
"""Does `tessera confirm` compile with Shardy where a branch ends in a constraint?

    confirm_branches.py

Such a branch is a function whose result the conversion to StableHLO gives a sharding of GSPMD. Needs requirements.txt and a built //:tessera. Exit
status 1 where prediction and compiled program differ.
"""

import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

TESSERA = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/pipeline/tessera"


def lowered():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    rows, turned = (NamedSharding(mesh, P(*axes)) for axes in (("x", "y"), ("y", "x")))

    def step(choice, x):
        return jax.lax.cond(choice, lambda y: jax.lax.with_sharding_constraint(y * 2, turned), jnp.flip, x)

    return jax.jit(step, in_shardings=(NamedSharding(mesh, P()), rows)).lower(jnp.bool_(True), jnp.ones((64, 64))).as_text("hlo")


def main():
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 8)
    command = [TESSERA, "confirm", "-", "--target=cpu", "--no-cache", f"--python={sys.executable}"]
    done = subprocess.run(command, input=lowered(), capture_output=True, text=True)
    fell_back = "GSPMD" in done.stderr
    print(done.stdout.partition("\n")[0] or done.stderr, "by GSPMD" if fell_back else "by Shardy")
    return 1 if fell_back else done.returncode


if __name__ == "__main__":
    sys.exit(main())
