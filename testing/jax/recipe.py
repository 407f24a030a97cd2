#!/usr/bin/env python3
"""Walks the README's recipe. `tessera shardings` has the shardings of parameters and results that JAX gives once the program is compiled. Those of
all tensors are the ones in XLA's own dump after the pass.

    recipe.py                       the programs below
    recipe.py perceptron_data adam  those named

Needs requirements.txt and a built //:tessera; runs itself on eight virtual devices. Prints a line for each difference, then `N passed, N failed`.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

import program
from real_pass import RealPass

TESSERA = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/pipeline/tessera"
NAMES = ("perceptron_megatron", "adam", "attention_block", "layers_scanned", "transformer_train_step", "experts_top_two", "manual_in_scan", "alike_pair")


LINE = re.compile(r"  (?:ROOT )?%\S+ = (.*?) ([\w-]+)\((.*)")
SHARDING = re.compile(r", sharding=(\{.*?\})(?=, \w+=|$)")
OP_NAME = re.compile(r'op_name="([^"]*)"')
COMPARED = {}  # by program: how many kinds of tensors were found in the dump
NOT_IN_DUMP = {"manual_in_scan": "a manual computation has local shapes there"}
AXIS = re.compile(r"'(\w+)'(:\(\d+\)\d+)?")


def ask_tessera(text):
    """The tensors of the module, as `tessera shardings` lists them."""
    done = subprocess.run([TESSERA, "shardings", "-", "--json"], input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["tensors"]


def at_border(text, tensors):
    """PartitionSpecs of the parameters in order, and of the results."""
    specs = {t["name"]: t.get("sharding", "P()") for t in tensors}
    parameters = {}
    entry = text[text.index("\nENTRY"):]
    for line in entry.splitlines():
        if " parameter(" in line:
            name = line.replace("ROOT", "").split("=")[0].strip().lstrip("%")
            parameters[int(line.split(" parameter(")[1].split(")")[0])] = specs[name]
    results = [t.get("sharding", "P()") for t in tensors if t["name"].split("{")[0] == "result"]
    return [parameters[k] for k in sorted(parameters)], results


def axes_of(sharding):
    """`{mesh['x'=4], [{'x'}, {}]}` as text of axes by dimension; a tensor without axes has none, whatever says so."""
    dims = re.findall(r"\{([^{}]*)\}", sharding[sharding.index("], [") + 3:]) if "], [" in sharding else []
    return [[name + (part or "") for name, part in AXIS.findall(dim)] for dim in dims]


def named_tensors(found):
    """{(op_name, shape): axes that such tensors have} of (op_name, shape, axes); scalars and what has no op_name left out."""
    tensors = collections.defaultdict(set)
    for op_name, shape, axes in found:
        if op_name and "[]" not in shape:
            tensors[op_name, shape].add(str(axes) if any(axes) else "no axes")
    return tensors


def dumped(after):
    """(op_name, shape, axes) of the arrays in the dump but copies, which the pass inserts."""
    for shape, opcode, rest in LINE.findall(after):
        named, shown = OP_NAME.search(rest), SHARDING.search(rest)
        if named and opcode != "copy" and not shape.startswith("("):
            yield named[1].replace("\\'", "'"), shape.split("{")[0], axes_of(shown[1] if shown else "")


def against_dump(name, devices, tensors):
    """Of all programs but those in NOT_IN_DUMP."""
    if name in NOT_IN_DUMP:
        return
    with RealPass(devices) as reference:
        dumps = reference.run_program(name)
    if dumps.error:
        yield f"the reference gives no dump: {dumps.error[:300]}"
        return
    theirs = named_tensors(dumped(dumps.after))
    ours = named_tensors((t.get("op_name"), t["shape"], [d["axes"] for d in t.get("dimensions", [])]) for t in tensors if "{" not in t["name"])
    for place in sorted(theirs.keys() & ours.keys()):
        if ours[place] != theirs[place]:
            yield f"{place}: {ours[place]}, the dump has {theirs[place]}"
    COMPARED[name] = len(theirs.keys() & ours.keys())
    if not COMPARED[name]:
        yield "no tensor was found in the dump"


def differences(mesh, side, ours, theirs, shapes):
    if len(ours) != len(theirs) or not ours:
        yield f"{side}: {len(ours)}, JAX has {len(theirs)}"
        return
    for k, (spec, want, aval) in enumerate(zip(ours, theirs, shapes)):
        got = NamedSharding(mesh, eval(spec, {"P": P}))  # our own output: P('x', None)
        if not got.is_equivalent_to(want, len(aval.shape)):
            yield f"{side} {k}: {spec}, JAX has {want}"


def check(one):
    lowered = one.lower()
    compiled = lowered.compile()
    text = lowered.as_text("hlo")
    tensors = ask_tessera(text)
    parameters, results = at_border(text, tensors)
    inputs = [s for s in jax.tree.leaves(compiled.input_shardings[0], is_leaf=lambda x: x is None) if s is not None]
    kept = [a for a, s in zip(jax.tree.leaves(lowered.in_avals), jax.tree.leaves(
        compiled.input_shardings[0], is_leaf=lambda x: x is None)) if s is not None]
    mesh = one.mesh()
    yield from differences(mesh, "parameter", parameters, inputs, kept)
    yield from differences(mesh, "result", results, jax.tree.leaves(compiled.output_shardings), jax.tree.leaves(lowered.out_info))
    yield from against_dump(one.name, one.devices, ask_tessera(lowered.as_text("hlo", debug_info=True)))


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
    print(f"recipe: {passed} passed, {failed} failed; {sum(COMPARED.values())} kinds of tensors of {len(COMPARED)} programs are as in the dump")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
