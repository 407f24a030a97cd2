#!/usr/bin/env python3
"""Does XLA accept the per-device modules of `tessera partition`?

    accepted.py MODULE.hlo [more ..]      files with final shardings are named *.after.hlo; others are propagated first

Each module is partitioned, and jaxlib parses, converts and verifies the result; the compiler is stopped after its verifier, so that large
models take seconds. Nothing is executed. Prints what XLA or tessera refuses, and counts. Exit status 1 where XLA refuses a module, or where
none was accepted.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

TESSERA = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/pipeline/tessera"
VERIFIED = "Invariant checker done hlo-verifier"
PARTITIONING = "spmd-partitioning,sharding-propagation,shardy-xla"


def compile_device_module(path, devices):
    """In a child that the parent stops."""
    import jax
    import numpy
    from jaxlib import _hlo, _jax, xla_client
    module = _hlo.hlo_module_from_text(pathlib.Path(path).read_text())
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    options = xla_client.CompileOptions()
    assignment = xla_client.DeviceAssignment.create(numpy.arange(devices).reshape(1, devices))
    build = options.executable_build_options
    for target in (options, build):
        target.num_replicas, target.num_partitions, target.device_assignment = 1, devices, assignment
    build.use_spmd_partitioning = devices > 1
    options.env_option_overrides = [("xla_disable_hlo_passes", PARTITIONING)]
    options.parameter_is_tupled_arguments = any(s.is_tuple() for s in computation.program_shape().parameter_shapes())
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    jax.devices("cpu")[0].client.compile_and_load(stablehlo, _jax.DeviceList(tuple(jax.devices())), options)


def refusal_of_xla(path, devices, seconds):
    """None where the verifier has passed the module, else what XLA says."""
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="0", TF_CPP_VMODULE="hlo_pass_pipeline=1",
                       XLA_FLAGS=f"--xla_force_host_platform_device_count={devices}")
    child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--child", str(path), str(devices)], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    timer, last = threading.Timer(seconds, child.kill), "no answer"
    timer.start()
    try:
        for line in child.stderr:
            if VERIFIED in line:
                return None
            last = line.strip() or last
        return last
    finally:
        timer.cancel()
        child.kill()
        child.wait()
        child.stderr.close()


def partition(path, result):
    """None, or what tessera says."""
    final = ["--as-is"] if path.name.endswith(".after.hlo") else []
    done = subprocess.run([TESSERA, "partition", *final, path, "-o", result], capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else next((line for line in done.stderr.splitlines() if " error: " in line), done.stderr[-200:])


def check(path, folder, seconds):
    """(verdict, note)"""
    result = folder / "device.hlo"
    if note := partition(path, result):
        return "refused by tessera", note
    found = re.search(r"\bnum_partitions=(\d+)", result.read_text().split("\n", 1)[0])
    note = refusal_of_xla(result, int(found[1]) if found else 1, seconds)
    return ("accepted", "") if note is None else ("refused by XLA", note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=300, help="for each module")
    options = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="accepted_") as scratch:
        for path in options.modules:
            verdict, note = check(path, pathlib.Path(scratch), options.seconds)
            counts[verdict] += 1
            if note:
                print(f"{path.name}: {verdict}: {note}", flush=True)
    print(", ".join(f"{verdict}: {n}" for verdict, n in sorted(counts.items())))
    return 1 if counts["refused by XLA"] or not counts["accepted"] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        compile_device_module(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
