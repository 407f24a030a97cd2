"""Compiles binary HLO for devices that need not be there, and writes what the compiler made. `tessera confirm` runs it.

    compile.py versions PLATFORM                               # lines "libtpu 0.0.50.1", "libtpu -" where it is not installed
    compile.py compile PLATFORM CHIP TOPOLOGY PARTITIONS DONORS MODULE OUT [--xla_flag=VALUE ..]

PLATFORM is cpu, gpu or tpu. MODULE is a serialized HloModuleProto, DONORS the numbers of the arguments whose memory results may take: 0,2.
OUT/compiled.hlo becomes the final module, OUT/memory.txt the compiler's report of its memory, a line for each number. Exit status 3: the compiler
refuses the program; 4: jaxlib cannot hand it over as StableHLO. Standard output says why.

Asks JAX by its interfaces for ahead-of-time compilation and for extensions: jax.experimental.topologies, jax.extend, and the client of a device.
"""

import importlib.metadata
import os
import pathlib
import sys

from shardy_form import to_shardy  # stands beside this file

# The packages of each platform; one of the names of a row is enough.
PACKAGES = {
    "cpu": [["jax"], ["jaxlib"]],
    "gpu": [
        ["jax"],
        ["jaxlib"],
        ["jax-cuda12-plugin", "jax-cuda13-plugin"],
        ["jax-cuda12-pjrt", "jax-cuda13-pjrt"],
        ["nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc"],
    ],
    "tpu": [["jax"], ["jaxlib"], ["libtpu"]],
}

# What XLA wants to know of a GPU that is not there: cores, units and clock of each, bytes, and bytes a second.
GPUS = {
    "a100": {"capability": (8, 0), "cores": 108, "fpus": 64, "clock": 1.41, "memory": 80 << 30, "bandwidth": 2039e9, "l2": 40 << 20, "shared": 164 << 10},
    "h100": {"capability": (9, 0), "cores": 132, "fpus": 128, "clock": 1.98, "memory": 80 << 30, "bandwidth": 3352e9, "l2": 50 << 20, "shared": 228 << 10},
    "h200": {"capability": (9, 0), "cores": 132, "fpus": 128, "clock": 1.98, "memory": 141 << 30, "bandwidth": 4800e9, "l2": 50 << 20, "shared": 228 << 10},
    "b200": {"capability": (10, 0), "cores": 148, "fpus": 128, "clock": 1.965, "memory": 180 << 30, "bandwidth": 7672e9, "l2": 126 << 20, "shared": 228 << 10},
}
GPUS["gb200"] = GPUS["b200"]

GPU_TEXT = """
gpu_device_info {{
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  shared_memory_per_block: 49152 shared_memory_per_core: {shared} shared_memory_per_block_optin: {optin}
  core_count: {cores} fpus_per_core: {fpus} clock_rate_ghz: {clock}
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  thread_dim_limit_x: 1024 thread_dim_limit_y: 1024 thread_dim_limit_z: 64
  memory_bandwidth: {bandwidth} l2_cache_size: {l2} device_memory_size: {memory}
  cuda_compute_capability {{ major: {major} minor: {minor} }}
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  device_vendor: "NVIDIA Corporation" device_address_bits: 64
  runtime_version: "12.8.0" driver_version: "12.8.0" compile_time_toolkit_version: "12.8.0" dnn_version: "9.10.0"
}}
platform_name: "CUDA"
dnn_version_info {{ major: 9 minor: 10 patch: 0 }}
"""

LONGEST_LINE = 400  # an error may hold a whole kernel
REPORTED = ("argument_size", "output_size", "alias_size", "temp_size", "peak_memory")


def version_of(names):
    for name in names:
        try:
            return name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return names[0], "-"


def gpu_text(chip):
    gpu = GPUS[chip]
    major, minor = gpu["capability"]
    return GPU_TEXT.format(**{**gpu, "bandwidth": int(gpu["bandwidth"])}, optin=gpu["shared"] - 1024, major=major, minor=minor)


def devices_of(platform, chip, topology, count):
    import jax
    from jax.experimental import topologies

    if platform == "cpu":
        return jax.devices("cpu")[:count]
    if platform == "gpu":
        found = topologies.get_topology_desc(platform="cuda", topology_name=f"{chip}:{topology}", topology=topology, target_config=gpu_text(chip))
        return found.devices[:count]
    # A topology lists its devices host by host; a mesh is laid over the torus of each slice.
    torus, _, slices = topology.partition(":slices=")
    found = topologies.get_topology_desc(f"{chip.removeprefix('tpu-')}:{torus}", "tpu", num_slices=int(slices or 1)).devices
    return sorted(found, key=lambda device: (getattr(device, "slice_index", 0), tuple(device.coords), getattr(device, "core_on_chip", 0)))[:count]


def taken_places(module):
    """{number of an argument: number of the result in its place}, of whole arrays. The attribute goes from the module."""
    if "mhlo.input_output_alias" not in module.operation.attributes:
        return {}
    places = {}
    for entry in module.operation.attributes["mhlo.input_output_alias"]:
        if not list(entry["alias"]["parameter_index"]):
            places[entry["alias"]["parameter_number"].value] = (list(entry["output_index"]) or [0])[0]
    del module.operation.attributes["mhlo.input_output_alias"]
    return places


def said_of(function, side, count=0):
    """The attributes, by name, of each argument (arg_attrs) or result (res_attrs) of a function; it has `count` of them if it says none."""
    if side not in function.attributes:
        return [{} for _ in range(count)]
    return [{one.name: one.attr for one in attributes} for attributes in function.attributes[side]]


def say(function, side, said, ir):
    function.attributes[side] = ir.ArrayAttr.get([ir.DictAttr.get(attributes) for attributes in said])


def forget_results(module, ir):
    """Shardy reads the shardings of results from their calls; what stands at a function is for GSPMD, and makes jaxlib fall back to it. HLO text writes
    `replicated` at main for a result that the program leaves open, since a root has a sharding for each result or for none. The conversion gives a branch
    that ends in a constraint the sharding of its root."""
    frontend = module.operation.attributes["mhlo.frontend_attributes"] if "mhlo.frontend_attributes" in module.operation.attributes else {}
    if "xla.sdy.meshes" not in frontend:
        return
    for function in module.body.operations:
        if "res_attrs" not in function.attributes:
            continue
        said = said_of(function, "res_attrs")
        for attributes in said:
            attributes.pop("mhlo.sharding", None)
        say(function, "res_attrs", said, ir)


def mark_donated(module, main, ir, donors):
    """What is donated stands at the arguments of main, as JAX lowers it. Donors of memory do not come through the conversion; results in the place of an
    argument do, but the compiler gives the two one layout only where the argument says it."""
    places = taken_places(module)
    said = said_of(main, "arg_attrs", len(main.type.inputs))
    for number, attributes in enumerate(said):
        if number in donors:
            attributes["jax.buffer_donor"] = ir.BoolAttr.get(True)
        if number in places:
            attributes["tf.aliasing_output"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), places[number])
    say(main, "arg_attrs", said, ir)


def layout_mode(order, tiles):
    """{0,1:T(8,128)}, or nothing where dimensions are in row-major order: HLO text has that for a layout that nobody asks for, too."""
    dims = list(order)
    if dims == sorted(dims, reverse=True):
        return None
    texts = "".join(f"({','.join(str(size) for size in tile)})" for tile in tiles)
    return "{" + ",".join(map(str, dims)) + (f":T{texts}" if texts else "") + "}"


def ask_for_layouts(module, main, ir):
    """The entry layouts of HLO come through the conversion as attributes of the module, which the compiler does not read: it reads modes at the
    arguments and results."""
    for side, lists, count in (
        ("arg_attrs", ("parameter_layouts", "parameter_tiles"), len(main.type.inputs)),
        ("res_attrs", ("result_layout", "result_tiles"), len(main.type.results)),
    ):
        names = [f"mhlo.xla_entry_computation_{name}" for name in lists]
        if any(name not in module.operation.attributes for name in names):
            continue
        modes = [layout_mode(order, tiles) for order, tiles in zip(*(module.operation.attributes[name] for name in names))]
        if not any(modes) or len(modes) != count:
            continue
        said = said_of(main, side, count)
        for attributes, mode in zip(said, modes):
            if mode:
                attributes["mhlo.layout_mode"] = ir.StringAttr.get(mode)
        say(main, side, said, ir)


def open_results(main):
    """For each result whether the program leaves its sharding open, as JAX says it in the options: the compiler then gives it that of its value, and a
    layout for its shards. A donated argument has that layout, too."""
    return ["sdy.sharding" not in attributes for attributes in said_of(main, "res_attrs", len(main.type.results))]


def parsed(data, donors):
    """The MLIR module of a serialized HloModuleProto, and its open results."""
    from jax.extend import lowering
    from jax.extend import mlir as jax_mlir
    from jax.extend.mlir import ir
    from jax.extend.mlir.dialects import chlo, sdy, stablehlo
    from jaxlib.mlir.dialects import mhlo  # of what StableHLO has no operation for, such as topk

    context = lowering.JaxIrContext()
    context.append_dialect_registry(lowering.upstream_dialects)
    context.load_all_available_dialects()
    for dialect in (stablehlo, sdy, chlo):
        dialect.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(jax_mlir.hlo_to_stablehlo(data))
        main = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")
        mark_donated(module, main, ir, donors)
        forget_results(module, ir)
        ask_for_layouts(module, main, ir)
        to_shardy(module)
        return module, open_results(main)


def value_of(text):
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def compiled(platform, devices, module, opened, flags):
    import numpy
    from jax.extend import backend
    from jaxlib import xla_client

    overrides = {flag.removeprefix("--").partition("=")[0]: value_of(flag.partition("=")[2] or "true") for flag in flags}
    ids = numpy.array([device.id for device in devices]).reshape(1, -1)
    options = backend.get_compile_options(num_replicas=1, num_partitions=len(devices), device_assignment=ids, env_options_overrides=overrides)
    options.executable_build_options.use_shardy_partitioner = True
    options.executable_build_options.allow_spmd_sharding_propagation_to_output = opened
    client = devices[0].client
    ask = client.compile_and_load if platform == "cpu" else client.compile
    return ask(module, executable_devices=xla_client.DeviceList(tuple(devices)), compile_options=options)


def prepare_environment(platform, count):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"  # warnings: real_compiler.cc looks for the fall-back to GSPMD
    if platform == "tpu":
        os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
        os.environ.setdefault("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")
    else:
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    if platform == "cpu":
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}"


def compile_file(platform, chip, topology, count, donors, module, out, *flags):
    prepare_environment(platform, int(count))
    try:
        program, opened = parsed(pathlib.Path(module).read_bytes(), {int(number) for number in donors.split(",") if number})
        executable = compiled(platform, devices_of(platform, chip, topology, int(count)), program, opened, flags)
    except Exception as error:  # the classes of these errors are not public
        if type(error).__name__ not in ("JaxRuntimeError", "XlaRuntimeError", "MLIRError"):
            raise
        print("\n".join(line[:LONGEST_LINE] for line in str(error).splitlines()))
        return 4 if "Failed to serialize StableHLO" in str(error) else 3
    folder = pathlib.Path(out)
    (folder / "compiled.hlo").write_text(executable.hlo_modules()[0].to_string())
    stats = executable.get_compiled_memory_stats()
    numbers = [f"{name} {getattr(stats, name + '_in_bytes', -1)}\n" for name in REPORTED]
    (folder / "memory.txt").write_text("".join(numbers))
    return 0


def main(arguments):
    if arguments[0] == "compile":
        return compile_file(*arguments[1:])
    for names in PACKAGES[arguments[1]]:
        print(*version_of(names))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
