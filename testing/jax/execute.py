"""Runs a sharded HLO module on virtual CPU devices, and the program that it came from on one device.

    results = run_sharded(text, devices=8, inputs=[...])     # flat list of numpy arrays

The module's `sharding=` attributes are what XLA's partitioner gets; the older propagation, which runs before it, finds nothing left to do.
"""

import jax
import numpy as np
from jax._src.lib import xla_client
from jax._src.sharding_impls import GSPMDSharding
from jaxlib import _hlo, _jax


TUPLE, ANY = ", sharding={{", ", sharding={"


def options(devices):
    result = xla_client.CompileOptions()
    assignment = xla_client.DeviceAssignment.create(np.arange(devices).reshape(1, devices))
    for target in (result, result.executable_build_options):
        target.num_replicas, target.num_partitions, target.device_assignment = 1, devices, assignment
    result.executable_build_options.use_spmd_partitioning = True
    result.executable_build_options.use_shardy_partitioner = False
    return result


def cut_sharding(line, key):
    """The line without the sharding that begins with `key`."""
    start = line.find(key)
    depth, end = 0, start + len(ANY) - 1
    while start >= 0:
        depth += {"{": 1, "}": -1}.get(line[end], 0)
        end += 1
        if depth == 0:
            return line[:start] + line[end:]
    return line


def without_loop_shardings(text, key):
    """Drops shardings that begin with `key` and are not those of the entry's root.

    On its way to the compiler XLA takes unchanged elements out of loops, and then a loop's tuple sharding no longer fits; the partitioner finds
    it again from the body. Where that fails too, the bodies go without any sharding.
    """
    in_entry, lines = False, []
    for line in text.split("\n"):
        in_entry = line.startswith("ENTRY") or (in_entry and line != "}")
        kept = in_entry and (key != TUPLE or line.lstrip().startswith("ROOT"))
        lines.append(line if kept else cut_sharding(line, key))
    return "\n".join(lines)


def compile_text(text, devices):
    text = without_loop_shardings(text, TUPLE)
    try:
        return compile_flat(text, devices)
    except Exception:
        return compile_flat(without_loop_shardings(text, ANY), devices)


def compile_flat(text, devices):
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    stablehlo = _jax.mlir.xla_computation_to_mlir_module(computation)
    used = tuple(jax.devices()[:devices])
    return jax.devices("cpu")[0].client.compile_and_load(stablehlo, _jax.DeviceList(used), options(devices))


def placed(value, sharding, devices):
    return jax.device_put(value, GSPMDSharding(tuple(jax.devices()[:devices]), sharding))


def gathered(shards, sharding, devices):
    """The whole array out of one result's shards, one for each device."""
    where = GSPMDSharding(tuple(jax.devices()[:devices]), sharding)
    local = [np.asarray(shard) for shard in shards]
    count, _ = _split(sharding, local[0].ndim)
    shape = tuple(size * parts for size, parts in zip(local[0].shape, count))
    whole = np.zeros(shape, local[0].dtype)
    for device, index in where.devices_indices_map(shape).items():
        whole[index] = local[device.id]
    return whole


def _split(sharding, rank):
    """(parts of each dimension, is it replicated)"""
    if sharding.is_replicated() or not sharding.is_tiled():
        return (1,) * rank, True
    return tuple(sharding.tile_assignment_dimensions()[:rank]), False


def run_sharded(text, devices, inputs):
    executable = compile_text(text, devices)
    parameters = executable.get_parameter_shardings() or []
    arguments = [placed(v, xla_client.HloSharding.from_proto(s), devices)
                 for v, s in zip(inputs, parameters)]
    raw = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    outputs = [xla_client.HloSharding.from_proto(s)
               for s in executable.get_output_shardings()]
    return [gathered(shards, sharding, devices) for shards, sharding in zip(raw, outputs)]


def run_single(program, inputs):
    """The program's own results on one device, flat."""
    lowered = program.lower(single=True)
    tree = lowered.args_info
    leaves = jax.tree.structure(tree[0])
    return [np.asarray(x) for x in jax.tree.leaves(lowered.compile()(*jax.tree.unflatten(leaves, inputs)))]
