#!/usr/bin/env python3
"""Takes the steps of steps.py and other_steps.py to the real compiler for GPUs or TPUs; targets.py compares.

    record_steps.py TESSERA MACHINE OUT [PROGRAM ...]

MACHINE is the target configuration of an H100, as for record.py, or a TPU topology of eight devices: v5e:2x4, v5e:2x2:slices=2. OUT gets, for
each program, NAME.hlo (lowered), NAME.PLACE.partitioned.hlo.xz and NAME.PLACE.json, the collectives of the scheduled module as `TESSERA collectives`
reads them from its text; PLACE is h100_sxm_1x1x8 or v5e_2x4. What memory.py and time.py read beyond that (`memory`, `cycles`, the final module)
is not written here: the larger corpus (TESSERA_SHARED) has it. For GPUs the packages are those of record.py, for TPUs jax[tpu]; 2 to 60 s a program:

    python record_steps.py tessera h100_sxm.txtpb out && python targets.py tessera out
    python record_steps.py tessera v5e:2x4 out && python targets.py tessera out
    python record_steps.py tessera v5e:2x2:slices=2 out && python targets.py tessera out
"""
import os
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import jax
import numpy
from jax.experimental import topologies

import other_steps
import steps
from record import AXES, plain
from targets import groups as devices_in

PROGRAMS = steps.PROGRAMS | other_steps.PROGRAMS

# Of the dumps: after the partitioner, and the last one; without the latter the program itself has it.
DUMPS = {True: ("*after_spmd-partitioning*.txt", "*gpu_after_optimizations.txt"), False: ("*after_tpu-spmd-partitioning*.txt", None)}

FIRST_OF_SLICE = 100000                                # a device of several slices has the number 100000 s + chip, s from 1 on


def of_all_slices(text, places, slices):
    """The groups of a collective in a finished module, which is that of one slice, as those of all slices. What spans slices names chips."""
    inside = len(places)
    found = devices_in(text, inside)
    if max(map(max, found)) < inside:
        return [[device + inside * k for device in group] for k in range(slices) for group in found]
    return [[device // inside * inside + places[device % inside] for device in group] for group in found]


def slices_of_localizers(text):
    """Of each computation `localizer`, which holds the pairs of a permute that stay in a slice: its conditional, and the slice that runs it."""
    branches = re.findall(r"(%\S+) = .* conditional\(.*branch_computations=\{(%localizer[^}]*)\}", text)
    return {name.strip(): (conditional, k) for conditional, names in branches for k, name in enumerate(names.split(","))}


def devices_of_calls(found, text, places, slices):
    """Pairs of a call and its groups. The localizers of a permute are one call, since a device runs one of them."""
    inside, localizers, calls = len(places), slices_of_localizers(text), {}
    for number, call in enumerate(found):
        producer = call.get("producer", "")
        if not producer.startswith("param_localizer"):
            calls[number] = (call, of_all_slices(call["devices"], places, slices) if slices > 1 else None)
            continue
        conditional, k = localizers["%" + producer.removeprefix("param_")]
        calls.setdefault(conditional, (call, []))[1].extend([device + inside * k for device in pair] for pair in devices_in(call["devices"], inside))
    return calls.values()


def listed(tessera, text, mesh, slices):
    """The truth of one program, in the form that targets.py reads."""
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([tessera, "collectives", file.name, "--json"], capture_output=True, text=True, check=True)
    of_a_slice = mesh.devices.flatten()[:mesh.devices.size // slices]
    places = {device.id % FIRST_OF_SLICE: place for place, device in enumerate(of_a_slice)}
    found = devices_of_calls(json.loads(run.stdout)["collectives"], text, places, slices)
    over = [c["devices"] if groups is None else "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}" for c, groups in found]
    groups = sorted(set(over))
    calls = [{"op": c["op"], "shapes": [c["shape"]], "groups": groups.index(one), "runs": c["runs"], "synchronous": c["synchronous"]}
             for (c, _), one in zip(found, over)]
    return groups, calls


def record(name, mesh, topology, tessera, out):
    function, arguments, shardings = PROGRAMS[name](mesh)
    with jax.sharding.set_mesh(mesh), tempfile.TemporaryDirectory() as folder:
        lowered = jax.jit(function, **({} if shardings is None else {"out_shardings": shardings})).lower(*arguments)
        (out / f"{name}.hlo").write_text(lowered.as_text("hlo"))
        compiled = lowered.compile(compiler_options={"xla_dump_to": folder, "xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": "spmd-partitioning",
                                          "xla_dump_large_constants": True, "xla_dump_compact_gte": False})
        after, last = DUMPS[topology.startswith("h100")]
        partitioned = next(pathlib.Path(folder).glob(after)).read_text()
        final = next(pathlib.Path(folder).glob(last)).read_text() if last else compiled.as_text()
    place = topology.replace(":", "_")
    (out / f"{name}.{place}.partitioned.hlo.xz").write_bytes(lzma.compress(plain(partitioned).encode()))
    groups, calls = listed(tessera, final, mesh, int(topology.partition(":slices=")[2] or 1))
    truth = {"hlo": f"{name}.hlo", "topology": topology, "devices": mesh.devices.size, "groups": groups, "collectives": calls}
    (out / f"{name}.{place}.json").write_text(json.dumps(truth, indent=1))


def devices_of(machine):
    """The topology's name and its devices; of a TPU along the torus, x major."""
    if machine.endswith(".txtpb"):
        found = topologies.get_topology_desc(platform="cuda", topology_name="h100:1x1x8", topology="1x1x8",
                                             target_config=pathlib.Path(machine).read_text())
        return "h100_sxm:1x1x8", found.devices
    torus, _, slices = machine.partition(":slices=")
    found = topologies.get_topology_desc(torus, "tpu", num_slices=int(slices or 1))
    return machine, sorted(found.devices, key=lambda d: (getattr(d, "slice_index", 0), tuple(d.coords), d.core_on_chip))


def main():
    tessera, machine, out, *names = sys.argv[1:]
    topology, devices = devices_of(machine)
    sizes = tuple(AXES.values())
    mesh = jax.sharding.Mesh(numpy.array(devices).reshape(sizes), tuple(AXES), axis_types=(jax.sharding.AxisType.Auto,) * len(AXES))
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    for name in names or PROGRAMS:
        print(name, flush=True)
        try:
            record(name, mesh, topology, tessera, pathlib.Path(out))
        except Exception as error:  # the other programs are asked all the same
            print(f"{name}: {type(error).__name__}: {str(error)[:400]}", flush=True)


if __name__ == "__main__":
    main()
