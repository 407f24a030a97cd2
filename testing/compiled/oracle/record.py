#!/usr/bin/env python3
"""Compiles the programs of programs.py for chips that are not there, and records what each compiler made and says of it.

    record.py OUT PLACES [--specs=FOLDER] [--oracles=FOLDER] [PROGRAM ...]

PLACES: tpu, gpu or cpu; tpu needs jax[tpu], gpu the CUDA plug-in (README.md). OUT gets, as testing/compiled/*.py read them,

    NAME.PLACE.hlo              the program before its compilation
    NAME.PLACE.final.hlo.xz     what the compiler made of it
    NAME.PLACE.json             memory_analysis(); with --oracles also the collectives as FOLDER/tpu_oracle.py or gpu_oracle.py find them

--specs names the folder of target configurations of GPUs, NAME.txtpb. A program that was recorded is not compiled again. A line for each program:
how long it took, or the first line of the compiler's error. Each program runs in a process of its own, 1 to 60 s; some compilers end theirs.
"""

import argparse
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys
import time

TPU_PLACES = ("v4", "v5e", "v5p", "v6e")
MEMORY = ("argument", "output", "alias", "temp", "generated_code", "host_argument", "host_output", "host_alias", "host_temp")
AXES = {8: (2, 4), 16: (4, 4), 64: (8, 8), 256: (16, 16)}
LIMIT = 400  # seconds for one program


def platform_of(place):
    chip = place.partition(":")[0]
    return "tpu" if chip in TPU_PLACES else "cpu" if chip == "cpu" else "gpu"


def devices_of(place, specs):
    """All of the topology; of a TPU along the torus, x major."""
    import jax
    from jax.experimental import topologies

    chip, _, shape = place.partition(":")
    if chip == "cpu":
        return jax.devices("cpu")
    if platform_of(place) == "tpu":
        return sorted(topologies.get_topology_desc(place, "tpu").devices, key=lambda d: (tuple(d.coords), d.core_on_chip))
    config = pathlib.Path(specs, f"{chip}.txtpb").read_text()
    return topologies.get_topology_desc(platform="cuda", topology_name=place, topology=shape, target_config=config).devices


def memory_of(compiled):
    memory = compiled.memory_analysis()
    found = {f"{part}_size_in_bytes": getattr(memory, f"{part}_size_in_bytes") for part in MEMORY}
    return found | {"peak_memory_in_bytes": getattr(memory, "peak_memory_in_bytes", None)}


def collectives_of(text, devices, platform, oracles):
    if not oracles or platform == "cpu":
        return {}
    sys.path.insert(0, oracles)
    return {"collectives": __import__(f"{platform}_oracle").collectives(text, devices)}


def record(program, place, options):
    import jax
    import numpy

    here = os.path.dirname(os.path.abspath(__file__)) + "/"
    jax.config.update("jax_enable_x64", program.__name__ == "doubles")
    devices = devices_of(place, options.specs)
    axes = AXES[len(devices)]
    mesh = jax.sharding.Mesh(numpy.array(devices).reshape(axes), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    function, arguments, donate = program(mesh)
    with jax.sharding.set_mesh(mesh):
        lowered = jax.jit(function, donate_argnums=donate).lower(*arguments)
    name = f"{program.__name__}.{place.replace(':', '_')}"
    (options.out / f"{name}.hlo").write_text(lowered.as_text("hlo", debug_info=True).replace(here, ""))
    begin = time.time()
    compiled = lowered.compile()
    text = compiled.as_text().replace(here, "")
    truth = {
        "program": program.__name__,
        "hlo": f"{name}.hlo",
        "platform": platform_of(place),
        "topology": place,
        "devices": len(devices),
        "mesh": dict(zip(("data", "model"), axes)),
        "memory": memory_of(compiled),
        **collectives_of(text, len(devices), platform_of(place), options.oracles),
    }
    (options.out / f"{name}.final.hlo.xz").write_bytes(lzma.compress(text.encode()))
    (options.out / f"{name}.json").write_text(json.dumps(truth, indent=1))
    print(f"{name}: {time.time() - begin:.0f} s, {len(text)} bytes", flush=True)


def one_process(arguments, name, place):
    """Runs this script for one program, and prints its line or its error."""
    run = subprocess.run([sys.executable, __file__, *arguments, f"--only={name}@{place}"], capture_output=True, text=True, timeout=LIMIT)
    lines = [line for line in run.stderr.splitlines() if re.match(r"[\w.]*(Error|Exception)\b|F\d{4}|.*Check failed", line)]
    print(run.stdout.strip() or f"{name}.{place}: {(lines or run.stderr.splitlines() or ['no output'])[-1][:300]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("places", choices=("tpu", "gpu", "cpu"))
    parser.add_argument("program", nargs="*")
    parser.add_argument("--specs", default="")
    parser.add_argument("--oracles", default="")
    parser.add_argument("--only", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    from programs import PLACES

    if options.only:
        name, _, place = options.only.partition("@")
        return record(next(program for program in PLACES if program.__name__ == name), place, options)
    for program, places in PLACES.items():
        for place in places:
            done = options.out / f"{program.__name__}.{place.replace(':', '_')}.json"
            if platform_of(place) == options.places and not done.exists() and (not options.program or program.__name__ in options.program):
                try:
                    one_process(sys.argv[1:], program.__name__, place)
                except subprocess.TimeoutExpired:
                    print(f"{program.__name__}.{place}: longer than {LIMIT} s", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    main()
