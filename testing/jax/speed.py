"""tessera beside the reference on the same modules, in one run: CPU time, ratios, memory.

    ./bazelw build -c opt //pipeline:shard_benchmark //hlo:parser_benchmark //pipeline:tessera //sharding/partition:partitioner_benchmark
    python3 testing/jax/speed.py step.hlo [more.hlo ...]
    python3 testing/jax/speed.py --collectives step.hlo [more.hlo ...]    the pass `spmd-partitioning` alone, beside sharding/partition: collectives, the
                                                                      whole per-device module, memory of `tessera partition`

The modules are as XLA hands them to its `shardy-xla` pass, with a mesh and shardings of their own, all in frontend attributes: beside plain
`sharding={...}` the compiler may take the older way, and the pass is `nan`. Rows:

    parse, write, print   jaxlib's parser, and its printer beside the unchanged text and beside XLA's own form
    sharding              the pass `shardy-xla` beside import, propagation, export and plan of edits
    text to text          Shardy's `sdy-propagation-pipeline` alone (verifier off, one thread) beside parsing, all of that and writing
    memory                parsed module over its text; whole process `tessera shard` over its text

All times are CPU milliseconds (all threads of the pass), the least of several runs, so that other work on the machine disturbs
them little. The pass is timed from outside, in a child, at the lines that XLA logs before it and the pass after it.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BINARIES = HERE.parent.parent / "bazel-bin"
RUNS = 3

PASS_LINE = re.compile(r"  HLO pass shardy-xla$")
PARTITIONER_LINE = re.compile(r"  HLO pass spmd-partitioning$")
SKIPPED = "--xla_disable_hlo_passes=spmd-partitioning"


class NotMeasured(Exception):
    """The benchmark refuses the module, and says why."""


def partitions_of(text):
    """What the module says, else the devices of its first mesh."""
    found = re.search(r"\bnum_partitions=(\d+)", text.split("\n", 1)[0])
    if found:
        return int(found.group(1))
    mesh = re.search(r"#sdy\.mesh<\[([^\]]*)\]", text)
    return math.prod(int(size) for size in re.findall(r"=(\d+)", mesh.group(1))) if mesh else 1


def best(run, times=RUNS):
    fastest = float("inf")
    for _ in range(times):
        start = time.thread_time()
        run()
        fastest = min(fastest, time.thread_time() - start)
    return fastest * 1e3


# --- the reference ---------------------------------------------------------------------------------------------------------


def cpu_of(pid):
    """CPU milliseconds of all threads of a process, those that have ended included. /proc/PID/stat has the same in steps of 10 ms."""
    clock = ~pid << 3 | 2  # as clock_getcpuclockid() makes it on Linux
    return time.clock_gettime(clock) * 1e3


def compile_in_child(path, devices, flags, watch):
    """Compiles the file in a child; `watch(line, pid)` gets each line of its log and ends the child by returning something."""
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="0", TF_CPP_VMODULE="hlo_pass_pipeline=1",
                       XLA_FLAGS=f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0 {flags}")
    child = subprocess.Popen([sys.executable, __file__, "--compile", path, str(devices)], env=environment, text=True,
                             errors="replace", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        for line in child.stderr:
            answer = watch(line.rstrip(), child.pid) if "hlo_pass_pipeline" in line else None
            if answer is not None:
                return answer
    finally:
        child.kill()
        child.wait()
        child.stderr.close()
    return None


def time_pass_once(path, devices, pass_line=PASS_LINE, flags=SKIPPED):
    begin = []

    def watch(line, pid):
        if pass_line.search(line):
            begin.append(cpu_of(pid))
        elif begin:
            return cpu_of(pid) - begin[0]
        return None

    return compile_in_child(path, devices, flags, watch)


def time_pass(path, devices):
    times = [time_pass_once(path, devices) for _ in range(RUNS)]
    return min((t for t in times if t is not None), default=float("nan"))


def module_before_propagation(path, devices):
    """The StableHLO module that the pass hands to Shardy's propagation, by way of its dump."""
    with tempfile.TemporaryDirectory(prefix="speed_") as folder:
        seen = []

        def watch(line, _):
            seen.extend([line] if PASS_LINE.search(line) else [])
            done = list(pathlib.Path(folder).glob("shardy/*/02.*.mlir"))
            return True if seen and done and not PASS_LINE.search(line) else None

        compile_in_child(path, devices, f"--xla_dump_to={folder} --xla_dump_hlo_pass_re=^shardy-xla$ {SKIPPED}", watch)
        found = sorted(pathlib.Path(folder).glob("shardy/*/01.*.mlir"))
        return found[-1].read_text() if found else None


def time_partitioner(path, devices, folder):
    """Leaves the module that the partitioner gets in the folder; the dump is written before the pass begins."""
    flags = f"--xla_dump_to={folder} --xla_dump_hlo_as_text=true --xla_dump_large_constants=true --xla_dump_hlo_pass_re=^shardy-xla$"
    times = [time_pass_once(path, devices, PARTITIONER_LINE, flags) for _ in range(RUNS)]
    return min((t for t in times if t is not None), default=float("nan"))


def time_pipeline(text):
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir, passmanager
    fastest = float("inf")
    for _ in range(RUNS):
        context = jax_mlir.make_ir_context()
        context.allow_unregistered_dialects = True
        with context, ir.Location.unknown():
            module = ir.Module.parse(text)
            context.enable_multithreading(False)
            passes = passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)")
            passes.enable_verifier(False)
            start = time.thread_time()
            passes.run(module.operation)
            fastest = min(fastest, time.thread_time() - start)
    return fastest * 1e3


def time_reference(path):
    from jaxlib import _hlo
    text = pathlib.Path(path).read_text(errors="surrogateescape")
    module = _hlo.hlo_module_from_text(text)
    devices = partitions_of(text)
    before = module_before_propagation(path, devices)
    return {
        "parse": best(lambda: _hlo.hlo_module_from_text(text)),
        "print": best(module.to_string),
        "pass": time_pass(path, devices),
        "pipeline": time_pipeline(before) if before else float("nan"),
    }


# --- tessera ---------------------------------------------------------------------------------------------------------------


def run_benchmark(binary, path, name="."):
    """The fastest of several repetitions of each, as of the reference."""
    command = [BINARIES / binary, "--benchmark_format=json", "--benchmark_min_time=0.3", f"--benchmark_repetitions={2 * RUNS}",
               f"--benchmark_filter={name}"]
    environment = dict(os.environ, TESSERA_BENCHMARK_HLO=path)
    out = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    runs = [run for run in json.loads(out)["benchmarks"] if run["run_type"] == "iteration"]
    broken = [run["error_message"] for run in runs if run.get("error_occurred")]
    if broken:
        raise NotMeasured(re.sub(r" \[tessera/offset='\d+'\]$", "", broken[0]))
    return {run["name"]: run for run in sorted(runs, key=lambda run: -run["cpu_time"])}


def run_whole_process(path, verb=("shard",)):
    """CPU milliseconds, and bytes resident."""
    times, memory = [], 0
    for _ in range(2 * RUNS):
        process = subprocess.Popen([BINARIES / "pipeline/tessera", *verb, path, "-o", "/dev/null"], stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        times.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss * 1024)
    return min(times) * 1e3, memory


def time_tessera(path, process):
    text = run_benchmark("hlo/parser_benchmark", path)
    shard = run_benchmark("pipeline/shard_benchmark", path)["shard"]
    return {"parse": text["parse"]["cpu_time"], "write": text["write_unchanged"]["cpu_time"],
            "print": text["print_xla"]["cpu_time"], "module": text["parse"]["memory_per_text"], "phases": shard,
            "process": process[0], "memory": process[1] / os.path.getsize(path)}


# --- the table -------------------------------------------------------------------------------------------------------------

PHASES = ["parse", "clean-up", "import", "prepare", "propagate", "export", "emit", "write"]


def report(path, process):
    theirs, ours = time_reference(path), time_tessera(path, process)
    phases = ours["phases"]

    def row(name, reference, tessera):
        print(f"| {name} | {reference:.1f} | {tessera:.2f} | {reference / tessera:.1f}x |", flush=True)

    print(f"\n{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f} MB\n\n| | reference ms | tessera ms | ratio |\n|---|---|---|---|")
    row("parse", theirs["parse"], ours["parse"])
    row("write, unchanged text", theirs["print"], ours["write"])
    row("print XLA's form", theirs["print"], ours["print"])
    row("sharding in process: the pass `shardy-xla`", theirs["pass"], phases["sharding"])
    row("text to text: `sdy-propagation-pipeline`", theirs["pipeline"], phases["text_to_text"])
    row("text to text, the whole process", theirs["pipeline"], ours["process"])
    print("\nphases: " + ", ".join(f"{name} {phases[name]:.1f}" for name in PHASES)
          + f"; memory over text: module {ours['module']:.1f}, process {ours['memory']:.1f}", flush=True)


def report_collectives(path):
    devices = partitions_of(pathlib.Path(path).read_text(errors="surrogateescape"))
    with tempfile.TemporaryDirectory(prefix="speed_") as folder:
        theirs = time_partitioner(path, devices, folder)
        found = sorted(pathlib.Path(folder).glob("*.after_shardy-xla*.txt"))
        ours = run_benchmark("sharding/partition/partitioner_benchmark", str(found[-1]), "Module$")
        _, memory = run_whole_process(found[-1], ("partition", "--as-is"))
        memory /= found[-1].stat().st_size
    collectives, device = ours["Module"], ours["DeviceModule"]
    print(f"| {os.path.basename(path)} | {int(collectives['collectives'])} | {theirs:.0f} | {collectives['cpu_time']:.2f} | "
          f"{theirs / collectives['cpu_time']:.0f}x | {device['cpu_time']:.2f} | {theirs / device['cpu_time']:.0f}x | {memory:.1f} |", flush=True)


def of_each(paths, measure):
    """The exit status: 1 if one of them could not be measured."""
    status = 0
    for path in paths:
        try:
            measure(path)
        except NotMeasured as why:
            print(f"{path}: not measured: {why}", file=sys.stderr, flush=True)
            status = 1
    return status


def compile_for_parent(path, devices):
    sys.path.insert(0, str(HERE))
    from real_pass import compile_hlo
    compile_hlo(pathlib.Path(path).read_text(), int(devices))


def main():
    parser = argparse.ArgumentParser(description="tessera beside the installed jaxlib, both in this run: docs/speed.md says how.")
    parser.add_argument("--collectives", action="store_true", help="the partitioner instead of the pass")
    parser.add_argument("files", nargs="+", metavar="MODULE.before.hlo")
    arguments = parser.parse_args()
    if arguments.collectives:
        print("| | collectives | reference ms | tessera ms | ratio | whole module ms | ratio | memory over text |\n|---|---|---|---|---|---|---|---|")
        sys.exit(of_each(arguments.files, report_collectives))
    # First of all: a child's memory is never less than what this process has when it starts it.
    processes = {path: run_whole_process(path) for path in arguments.files}
    sys.exit(of_each(arguments.files, lambda path: report(path, processes[path])))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compile"]:  # how this script runs itself
        compile_for_parent(*sys.argv[2:4])
    else:
        main()
