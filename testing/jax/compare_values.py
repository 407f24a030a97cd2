"""Compares the values that the evaluator computes with those of XLA on the CPU.

    python testing/jax/compare_values.py bazel-bin/testing/evaluator/evaluate FILES..

Both sides run the entry on the numbers of testing/evaluator/modules/inputs.h. A file is skipped, with the reason, where either side cannot run it: too
large for the evaluator, several devices, a random generator or a custom call that only XLA has. Each file has a process of its own, since XLA ends the
process on some of them (a failed check, no error): such a file is skipped with the last line that it said. Float results may differ by a relative error
that depends on their type (sums are taken in another order); integers and predicates must be equal.
"""

import re
import subprocess
import sys

import jax
import numpy as np
from jaxlib import _hlo, _jax

jax.config.update("jax_enable_x64", True)

TOLERANCE = {"f64": 1e-9, "c128": 1e-9, "f32": 2e-4, "c64": 2e-4, "bf16": 5e-2, "f16": 1e-2}
# Targets that the evaluator computes; of others it makes up a result.
KNOWN_TARGETS = {"Sharding", "annotate_device_placement", "MoveToDevice", "MoveToHost", "TopK", "xla.sdy.FuncResultSharding",
                 "xla.sdy.PropagationBarrier", "xla.sdy.ShardingGroup"}
SECONDS = 180  # for one file, both sides
RANDOM = ("rng(", "rng-bit-generator(", "rng-get-and-update-state(")


def noise(cells, parameter, leaf):
    mixed = cells.astype(np.int64) * 2654435761 + parameter * 40503 + leaf * 9973
    return ((mixed & 0xFFFFFFFF) >> 24).astype(np.int64)


def make_input(shape, parameter):
    """The array that inputs.h describes; the entry's parameters must be arrays."""
    dtype = shape.numpy_dtype()
    cells = np.arange(int(np.prod(shape.dimensions())), dtype=np.int64)
    v = noise(cells, parameter, 0)
    if dtype == np.bool_:
        values = v % 2 == 1
    elif np.issubdtype(dtype, np.complexfloating):
        values = (v - 128) / 64 + 1j * (noise(cells + 7, parameter, 0) - 128) / 64
    elif np.issubdtype(dtype, np.integer):
        values = v % 5
    else:
        values = (v - 128) / 64
    return np.asarray(values).astype(dtype).reshape(shape.dimensions())


def run_xla(text):
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    inputs = [make_input(s, i) for i, s in enumerate(computation.program_shape().parameter_shapes())]
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    device = jax.devices("cpu")[0]
    program = device.client.compile_and_load(stablehlo, _jax.DeviceList((device,)))
    shards = program.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [np.asarray(array[0]) for array in shards.disassemble_into_single_device_arrays()]


def run_ours(evaluate, path):
    done = subprocess.run([evaluate, path], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return [line.split(" ") for line in done.stdout.splitlines()]


def difference(ours, theirs):
    """Why one result differs; None where it does not."""
    kind, cells = ours[0], np.array([float(x) for x in ours[2:]])
    flat = theirs.astype(np.complex128 if kind in ("c64", "c128") else np.float64).ravel()
    if kind in ("c64", "c128"):
        cells = cells[::2] + 1j * cells[1::2]
    if cells.shape != flat.shape:
        return f"{cells.size} cells, XLA has {flat.size}"
    tolerance = TOLERANCE.get(kind, 0.25 if kind.startswith("f") else 0)
    scale = np.nanmax(np.abs(flat[np.isfinite(flat)]), initial=0)
    close = np.isclose(cells, flat, rtol=tolerance, atol=tolerance * max(scale, 1e-3), equal_nan=True)
    if close.all():
        return None
    at = int(np.argmin(close))
    return f"{kind} cell {at}: {cells[at]}, XLA has {flat[at]}"


def without_shardings(text):
    """One device has no use for shardings, and XLA would ask for as many devices as they name."""
    from execute import cut_sharding
    lines = []
    for line in text.split("\n"):
        while ", sharding={" in line:
            line = cut_sharding(line, ", sharding={")
        lines.append(line.replace("num_partitions=8, ", "").replace(", num_partitions=8", ""))
    return "\n".join(lines)


def without_fusions(text):
    """A fusion computes what a call of its computation computes, and XLA on the CPU compiles only the fusions that it has made itself."""
    return re.sub(r" fusion\((.*?)\),\s*kind=k\w+,\s*calls=", r" call(\1), to_apply=", text)


def without_bitcasts(text):
    """Where every layout is row-major a bitcast is a reshape, which keeps its layout on the way through MLIR."""
    for order in re.findall(r"\]\{([\d,]+)", text):
        dims = order.split(",")
        if dims != sorted(dims, key=int, reverse=True):
            return text
    return re.sub(r" bitcast\(", " reshape(", text)


FOUR_BITS = re.compile(r"\b[su]4\[")


def compare(evaluate, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if any(name in text for name in RANDOM):
        return "skipped", "a random generator"
    if set(re.findall(r'custom_call_target="([^"]*)"', text)) - KNOWN_TARGETS:
        return "skipped", "a custom call without meaning"
    if "constant({...})" in text:
        return "skipped", "an elided constant"
    if FOUR_BITS.search(text):
        return "skipped", "4-bit numbers: through this door even a copy of them comes back as other numbers"
    try:
        ours = run_ours(evaluate, path)
        theirs = run_xla(without_bitcasts(without_fusions(without_shardings(text))))
    except Exception as error:  # either side may refuse for its own reasons
        return "skipped", str(error).split("\n")[0][:120]
    if len(ours) != len(theirs):
        return "differs", f"{len(ours)} results, XLA has {len(theirs)}"
    reasons = [r for r in map(difference, ours, theirs) if r]
    return ("differs", reasons[0]) if reasons else ("agrees", "")


def compare_in_child(evaluate, path):
    """compare() in a process of its own: its last line of output is the outcome and why."""
    try:
        done = subprocess.run([sys.executable, __file__, "--one", evaluate, path], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "skipped", f"more than {SECONDS} s"
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "Check failed" in line or "Error" in line]
        return "skipped", f"XLA ends the process ({done.returncode}): {said[-1][-160:] if said else ''}"
    outcome, _, why = done.stdout.splitlines()[-1].partition(" ")
    return outcome, why


def main():
    if sys.argv[1] == "--one":
        print(*compare(*sys.argv[2:4]))
        return 0
    counts = {"agrees": 0, "differs": 0, "skipped": 0}
    for path in sys.argv[2:]:
        outcome, why = compare_in_child(sys.argv[1], path)
        counts[outcome] += 1
        print(outcome, path, why, flush=True)
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
