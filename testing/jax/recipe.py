#!/usr/bin/env python3
"""Walks the README's recipe: what `tessera shardings` says of parameters and results is what JAX says of them once the program is compiled.

    recipe.py                       the programs below
    recipe.py perceptron_data adam  those named

Needs requirements.txt and a built //:tessera; runs itself on eight virtual devices. Prints a line for each difference, then `N passed, N failed`.
"""

import json
import os
import pathlib
import subprocess
import sys

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

import program

TESSERA = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/pipeline/tessera"
NAMES = ("perceptron_megatron", "adam", "attention_block", "layers_scanned", "transformer_train_step", "experts_top_two", "manual_in_scan", "alike_pair")


def ask_tessera(text):
    """[(shape, PartitionSpec)] of the parameters in order, and of the results."""
    done = subprocess.run([TESSERA, "shardings", "-", "--json"], input=text, capture_output=True, text=True, check=True)
    tensors = json.loads(done.stdout)["tensors"]
    specs = {t["name"]: t.get("sharding", "P()") for t in tensors}
    parameters = {}
    entry = text[text.index("\nENTRY"):]
    for line in entry.splitlines():
        if " parameter(" in line:
            name = line.replace("ROOT", "").split("=")[0].strip().lstrip("%")
            parameters[int(line.split(" parameter(")[1].split(")")[0])] = specs[name]
    results = [t.get("sharding", "P()") for t in tensors if t["name"].split("{")[0] == "result"]
    return [parameters[k] for k in sorted(parameters)], results


def differences(mesh, side, ours, theirs, shapes):
    if len(ours) != len(theirs):
        yield f"{side}: {len(ours)}, JAX has {len(theirs)}"
        return
    for k, (spec, want, aval) in enumerate(zip(ours, theirs, shapes)):
        got = NamedSharding(mesh, eval(spec, {"P": P}))  # our own output: P('x', None)
        if not got.is_equivalent_to(want, len(aval.shape)):
            yield f"{side} {k}: {spec}, JAX has {want}"


def check(one):
    lowered = one.lower()
    compiled = lowered.compile()
    parameters, results = ask_tessera(lowered.as_text("hlo"))
    inputs = [s for s in jax.tree.leaves(compiled.input_shardings[0], is_leaf=lambda x: x is None) if s is not None]
    kept = [a for a, s in zip(jax.tree.leaves(lowered.in_avals), jax.tree.leaves(
        compiled.input_shardings[0], is_leaf=lambda x: x is None)) if s is not None]
    mesh = one.mesh()
    yield from differences(mesh, "parameter", parameters, inputs, kept)
    yield from differences(mesh, "result", results, jax.tree.leaves(compiled.output_shardings), jax.tree.leaves(lowered.out_info))


def main():
    if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
        environment = dict(os.environ, JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8")
        return subprocess.run([sys.executable] + sys.argv, env=environment).returncode
    passed = failed = 0
    programs = program.all_programs()
    for name in sys.argv[1:] or NAMES:
        found = list(check(programs[name]))
        for difference in found:
            print(f"  {name}: {difference}")
        passed += not found
        failed += bool(found)
    print(f"recipe: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
