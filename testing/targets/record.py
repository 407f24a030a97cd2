#!/usr/bin/env python3
"""Records what the real compiler for GPUs makes of the programs of programs.py: the module before a pass and after it.

    record.py TARGET_CONFIG OUT [PROGRAM ...]

TARGET_CONFIG: the text of a GpuTargetConfigProto, such as xla/backends/gpu/target_config/specs/h100_sxm.txtpb of the public XLA tree. OUT
gets PASS/PROGRAM.before.hlo and PASS/PROGRAM.after.hlo for each pass of PASSES that changes a program, spmd-simplify/.. for all that is done
between inlined calls and Shardy, and final/..: the module after the partitioner and the scheduled one. No GPU is needed; the packages are
those of testing/jax/requirements.txt, jax-cuda12-plugin==0.12.0.1 and nvidia-cuda-nvcc-cu12. To record a new program: a function of
programs.py, its name in PROGRAMS there, and

    JAX_PLATFORMS=cpu JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1 python record.py h100_sxm.txtpb ../../target/gpu/testdata PROGRAM

To record another pass, add XLA's name of it to PASSES and run all programs. target/gpu/recorded_passes_test.cc reads every folder of OUT.
"""
import os
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import pathlib
import re
import shutil
import sys
import tempfile

import jax
import numpy
from jax.experimental import topologies

import programs

PASSES = ("call-inliner", "select_and_scatter_expander", "batched_gather_scatter_normalizer", "gather_simplifier", "scatter_simplifier",
          "degenerate-dimension-rewriter", "all-reduce-folder",
          "all-reduce-splitter", "all-gather-optimizer", "all-gather-dynamic-slice-simplifier",
          "convert-mover", "all-gather-pad-ds-simplifier", "all-reduce-reassociate", "while-loop-all-reduce-code-motion",
          "collective-quantizer", "reduce-scatter-creator", "all-gather-bcast-reorder", "all-gather-remove-degenerate-dims",
          "reduction-splitter", "tree-reduction-rewriter", "float-normalization-bf16", "simplify-fp-conversions",
          "gpu-all-gather-combiner", "gpu-all-reduce-combiner", "gpu-reduce-scatter-combiner", "collective-permute-combiner",
          "all-reduce-contiguous")
AXES = {"data": 2, "model": 4}


def plain(text):
    """Without what says where a line of the program stands."""
    text = re.sub(r", metadata=\{[^}]*\}", "", text)
    text = re.sub(r", origin=\{(?:[^{}]|\{[^{}]*\})*\}", "", text)
    text = re.sub(r", frontend_attributes=\{[^}]*\}", "", text)
    head, _, body = text.partition("\n")
    head = re.sub(r", (?:allow_spmd_sharding_propagation_to_\w+=\{[^}]*\}|frontend_attributes=\{[^}]*\}|replica_count=1)", "", head)
    body = re.sub(r"(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n?", "", body)
    return head + "\n" + body.rstrip() + "\n"


def compiled(name, mesh, folder):
    """[(pass, module after it)] in the order of the run, and the final module."""
    function, arguments, shardings = programs.PROGRAMS[name](mesh)
    with jax.sharding.set_mesh(mesh):
        lowered = jax.jit(function, **({} if shardings is None else {"out_shardings": shardings})).lower(*arguments)
    options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": ".*", "xla_dump_large_constants": True,
               "xla_dump_compact_gte": False}
    lowered.compile(compiler_options=options)
    files = sorted(pathlib.Path(folder).glob("*.[0-9][0-9][0-9][0-9].*.txt"), key=lambda p: int(re.search(r"\.(\d{4})\.", p.name)[1]))
    states = [(re.search(r"\.\d{4}\.(.*)\.after_([^.]*)\.", p.name).groups(), plain(p.read_text())) for p in files]
    final = next(pathlib.Path(folder).glob("*gpu_after_optimizations.txt"))
    return states, plain(final.read_text())


def write(folder, name, before, after):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.before.hlo").write_text(before)
    (folder / f"{name}.after.hlo").write_text(after)


def record(name, mesh, out):
    folder = tempfile.mkdtemp()
    states, final = compiled(name, mesh, folder)
    shutil.rmtree(folder)
    partitioned = begin = None
    for (_, before), ((pipeline, done), after) in zip(states, states[1:]):
        if pipeline == "pre-spmd-partitioner" and done in ("pipeline-start", "call-inliner"):
            begin = after
        elif done == "shardy-xla" and begin != before:
            print(f"{name}: spmd-simplify")
            write(out / "spmd-simplify", name, begin, before)
        elif done == "spmd-partitioning":
            partitioned = after
        elif partitioned is not None and done in PASSES:
            print(f"{name}: {done}")
            write(out / done, name, before, after)
    write(out / "final", name, partitioned, final)


def main():
    config, out, *names = sys.argv[1:]
    topology = topologies.get_topology_desc(platform="cuda", topology_name="h100:1x1x8", topology="1x1x8",
                                            target_config=pathlib.Path(config).read_text())
    sizes = tuple(AXES.values())
    mesh = jax.sharding.Mesh(numpy.array(topology.devices).reshape(sizes), tuple(AXES), axis_types=(jax.sharding.AxisType.Auto,) * len(AXES))
    for name in names or programs.PROGRAMS:
        record(name, mesh, pathlib.Path(out))


if __name__ == "__main__":
    main()
