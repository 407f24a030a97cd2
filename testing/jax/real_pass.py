"""The reference: the ShardyXLA pass inside the installed jaxlib, by way of XLA's own dumps.

    with RealPass(devices=8) as reference:
        dumps = reference.run_program("perceptron_data")   # texts: lowered, before, after
    with RealPass(devices=8, partition=True) as reference: # also partitioned: what the SPMD partitioner after the pass makes of it
    with RealPass(devices=8, partition=True, alone=True) as reference:  # the partitioner on a module whose shardings are final

XLA reads its flags once in a process, and a faulty module can end the process. So a child of this file does the work, one for each device
count; a child that dies is replaced. Nothing is executed on a device.
"""

import dataclasses
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile

PASS = "shardy-xla"
PARTITIONER = "spmd-partitioning"
SECONDS = 120


@dataclasses.dataclass
class Dumps:
    lowered: str = ""  # as jax hands it over, before any pass
    before: str = ""  # right before the pass
    after: str = ""
    partitioned: str = ""  # with that option, if the partitioner does not refuse the module
    error: str = ""  # why a text is missing
    warnings: list = dataclasses.field(default_factory=list)  # lines of the compiler's log


def version():
    """Of the installed jaxlib, as files REFERENCE name it."""
    import jaxlib
    return jaxlib.__version__


def dump_flags(devices, folder, partition, alone):
    passes = f"^({PASS}|{PARTITIONER})$" if partition else f"^{PASS}$"
    off = [PASS, "sharding-propagation"] if alone else [] if partition else [PARTITIONER]
    skipped = [f"--xla_disable_hlo_passes={','.join(off)}"] if off else []
    return " ".join([
        f"--xla_force_host_platform_device_count={devices}", f"--xla_dump_to={folder}",
        f"--xla_dump_hlo_pass_re={passes}", "--xla_dump_hlo_as_text=true",
        "--xla_dump_hlo_as_long_text=true", "--xla_dump_large_constants=true",
        "--xla_dump_disable_metadata=false", "--xla_backend_optimization_level=0", *skipped])


class RealPass:

    def __init__(self, devices, partition=False, alone=False):
        self.devices = devices
        self.partition = partition
        self.alone = alone
        self.folder = tempfile.TemporaryDirectory(prefix="real_pass_")
        self.log = tempfile.NamedTemporaryFile("a+", prefix="real_pass_", suffix=".log")
        self.child = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child:
            self.child.stdin.close()
            self.child.wait()
        self.folder.cleanup()
        self.log.close()

    def run_program(self, name):
        return self._run({"program": name})

    def run_hlo(self, text):
        """HLO text with sdy attributes; goes to the compiler by way of StableHLO, which may rename instructions."""
        dumps = self._run({"hlo": text, "shardy": not self.alone})
        if self.alone and dumps.partitioned:
            dumps.after, dumps.error = text, ""
        return dumps

    def run_stablehlo(self, text):
        return self._run({"stablehlo": text})

    def _start(self):
        environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="1",
                           XLA_FLAGS=dump_flags(self.devices, self.folder.name, self.partition, self.alone))
        self.child = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), str(self.devices)], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)

    def _run(self, task):
        if self.child is None or self.child.poll() is not None:
            self._start()
        error = self._ask(task)
        dumps = self._collect()
        if not dumps.after:
            dumps.error = error or "the compiler did not run the pass"
        return dumps

    def _ask(self, task):
        try:
            self.child.stdin.write(json.dumps(task) + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            return "the reference ended"
        if not select.select([self.child.stdout], [], [], SECONDS)[0]:
            self.child.kill()
            self.child.wait()
            return f"no answer in {SECONDS} s"
        line = self.child.stdout.readline()
        if not line:
            self.child.wait()
            return "the reference crashed"
        return json.loads(line)["error"]

    def _collect(self):
        folder, dumps = pathlib.Path(self.folder.name), Dumps()
        for field, pattern in (("before", f"*.before_{PASS}.txt"), ("after", f"*.after_{PASS}*.txt"),
                               ("partitioned", f"*.after_{PARTITIONER}*.txt")):
            found = sorted(folder.glob(pattern))
            if found:
                setattr(dumps, field, found[-1].read_text())
        if dumps.before:
            module = sorted(folder.glob(f"*.before_{PASS}.txt"))[-1].name.split(".")[:2]
            lowered = list(folder.glob(".".join(module) + ".*before_optimizations.txt"))
            dumps.lowered = lowered[0].read_text() if lowered else ""
        for path in folder.iterdir():
            if path.is_file():
                path.unlink()
        self.log.seek(0)
        dumps.warnings = self.log.read().splitlines()
        self.log.truncate(0)
        return dumps


def compile_options(devices, text, shardy=True):
    import jaxlib.xla_client as xla_client
    import numpy
    options = xla_client.CompileOptions()
    assignment = xla_client.DeviceAssignment.create(numpy.arange(devices).reshape(1, devices))
    for target in (options, options.executable_build_options):
        target.num_replicas, target.num_partitions, target.device_assignment = 1, devices, assignment
    build = options.executable_build_options
    build.use_spmd_partitioning, build.use_shardy_partitioner = True, shardy
    head = text.split("\n", 1)[0]
    for side in ("parameters", "output"):
        key = f"allow_spmd_sharding_propagation_to_{side}"
        if key in head:
            flags = head.split(key + "={", 1)[1].split("}", 1)[0]
            setattr(build, key, [f == "true" for f in flags.split(",")])
    return options


def compile_hlo(text, devices, shardy=True):
    from jaxlib import _hlo, _jax
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    compile_stablehlo(_jax.mlir.xla_computation_to_mlir_module(computation), compile_options(devices, text, shardy))


def compile_stablehlo(module, options):
    import jax
    from jaxlib import _jax
    client = jax.devices("cpu")[0].client
    client.compile_and_load(module, _jax.DeviceList(tuple(jax.devices())), options)


def find(programs, name):
    """A program by name; `random_17` is made from its seed."""
    import random_program
    if name.startswith("random_"):
        return random_program.random_program(int(name.removeprefix("random_")))
    return programs[name]


def child(devices):
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import program
    programs = program.all_programs()
    for line in sys.stdin:
        task, error = json.loads(line), None
        try:
            if "program" in task:
                find(programs, task["program"]).lower().compile()
            elif "hlo" in task:
                compile_hlo(task["hlo"], devices, task["shardy"])
            else:
                compile_stablehlo(task["stablehlo"], compile_options(devices, ""))
        except Exception as caught:  # reported to the parent, which judges by the dumps
            error = f"{type(caught).__name__}: {caught}"
        replies.write(json.dumps({"error": error}) + "\n")


if __name__ == "__main__":
    child(int(sys.argv[1]))
