#!/usr/bin/env python3
"""Compares tessera with the real pass on programs that are lowered, and modules that are made, right now.

    live.py                          the programs of programs/ and modules of modules/: both stages, both structures, and run on virtual devices
    live.py --seeds 300              also 300 random programs, and as many programs with mutated annotations
    live.py --parts random --seeds 5000 --first 300 --keep DIFFERENCES     a longer hunt; pairs that differ are left in that folder
    live.py --parts random --seeds 5000 --reduce SMALL      each difference is made small, and left in that folder (reduce_difference.py)
    live.py --parts collectives --seeds 300    the collectives of the SPMD partitioner after the pass, in all of these
    live.py --parts collectives --stablehlo FOLDER    also in the modules *.mlir of a folder, with sdy annotations and mhlo.num_partitions
    live.py --parts mutated --models FOLDER --mutations 1000    mutated annotations on the modules *.before.hlo of a folder

Prints a line for each part and `N passed, N failed` last; exit status 1 if anything failed, or a part had nothing to compare (score.py). Needs
requirements.txt and a built //:tessera and //testing:conformance.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import golden
import index
import mutate
import program
import random_program
import reduce_difference
from real_pass import RealPass, version
from score import Score

HERE = pathlib.Path(__file__).resolve().parent
TESSERA = HERE.parents[1] / "bazel-bin/pipeline/tessera"
DRIVER = HERE.parents[1] / "bazel-bin/testing/conformance"
BATCH = 100  # pairs for one call of the driver
NEWEST = "0.12.0.1"  # the reference that OPEN is about
PARTS = ("programs", "collectives", "execution", "random", "mutated")


def write_pair(folder, name, dumps):
    (folder / "REFERENCE").write_text(version() + "\n")
    (folder / f"{name}.before.hlo").write_text(dumps.before)
    (folder / f"{name}.after.hlo").write_text(dumps.after)
    if dumps.lowered:
        (folder / f"{name}.lowered.hlo").write_text(dumps.lowered)


def drive(folder, score, keep):
    """Runs the driver over a folder of pairs, counts pairs, and moves those that differ to `keep`."""
    names = {p.name.removesuffix(".before.hlo") for p in folder.glob("*.before.hlo")}
    if not names:
        return
    done = subprocess.run([DRIVER, f"--show={4 * len(names)}", folder], capture_output=True, text=True)
    differing = {found.group(1) for found in re.finditer(r"^  (\S+) \(\w+\): ", done.stdout, re.M)} & names
    if done.returncode not in (0, 1) or (done.returncode == 1 and not differing):
        differing = names
    print("".join(line + "\n" for line in done.stdout.splitlines() if line.startswith("  ") and "not run" not in line)[:4000], end="")
    known = differing & OPEN.keys() if version() == NEWEST else set()
    score.open += len(known)
    for name in sorted(names & OPEN.keys() - differing):
        print(f"  {name} agrees: take it out of OPEN")
    score.failed += len(differing - known)
    score.passed += len(names - differing)
    for path in folder.iterdir():
        if keep and path.name.split(".")[0] in differing | {"REFERENCE"}:
            shutil.copy(path, keep)
        path.unlink()


def compare(tasks, score, keep):
    """`tasks`: {devices: [(name, function of a RealPass giving Dumps)]}."""
    with tempfile.TemporaryDirectory(prefix="live_") as scratch:
        folder = pathlib.Path(scratch)
        for devices, jobs in sorted(tasks.items()):
            with RealPass(devices) as reference:
                for count, (name, job) in enumerate(jobs, 1):
                    dumps = job(reference)
                    if dumps.error:
                        score.no_result(name, dumps.error)
                    else:
                        write_pair(folder, name, dumps)
                    if count % BATCH == 0 or count == len(jobs):
                        drive(folder, score, keep)


def programs_by_devices(programs, job):
    tasks = collections.defaultdict(list)
    for one in programs:
        tasks[one.devices].append((one.name, lambda reference, name=one.name: job(reference, name)))
    return tasks


def check_programs(keep):
    score = Score(own_names(), version())
    compare(all_tasks(), score, keep)
    score.finish("programs and modules")
    return score


def check_random(first, count, keep):
    score = Score()
    seeds = [random_program.random_program(seed) for seed in range(first, first + count)]
    compare(programs_by_devices(seeds, lambda r, name: r.run_program(name)), score, keep)
    score.finish(f"random programs {first} to {first + count - 1}")
    return score


def mutated_tasks(models, first, count):
    tasks = collections.defaultdict(list)
    for seed in range(first, first + count):
        path = models[seed % len(models)]
        text = mutate.mutate(path.read_text(), seed)
        name = f"{path.name.removesuffix('.before.hlo')}_mutated_{seed}"
        tasks[reduce_difference.partitions(text)].append((name, lambda reference, text=text: reference.run_hlo(text)))
    return tasks


def check_mutated(models, first, count, keep):
    score = Score()
    compare(mutated_tasks(models, first, count), score, keep)
    score.finish(f"mutated modules {first} to {first + count - 1}")
    return score


def own_names():
    return [*program.all_programs(), *program.all_modules()]


def all_tasks():
    """Programs and modules of the repository, as compare() takes them."""
    tasks = programs_by_devices(program.all_programs().values(), lambda r, name: r.run_program(name))
    for name, text in program.all_modules().items():
        tasks[reduce_difference.partitions(text)].append((name, lambda reference, text=text: reference.run_hlo(text)))
    return tasks


def stablehlo_tasks(folder):
    tasks = collections.defaultdict(list)
    for path in sorted(folder.glob("*.mlir")) if folder else ():
        text = path.read_text()
        devices = int(re.search(r"mhlo.num_partitions = (\d+)", text).group(1))
        tasks[devices].append((path.stem, lambda reference, text=text: reference.run_stablehlo(text)))
    return tasks


def final_tasks(folder):
    """Modules whose shardings are final."""
    tasks = collections.defaultdict(list)
    for path in sorted(folder.glob("*.hlo")) if folder else ():
        text = path.read_text()
        tasks[reduce_difference.partitions(text)].append((path.stem, lambda reference, text=text: reference.run_hlo(text)))
    return tasks


def check_final(folder, keep):
    """The partitioner alone."""
    score = Score()
    with tempfile.TemporaryDirectory(prefix="live_") as scratch:
        write_and_drive(final_tasks(folder), keep or pathlib.Path(scratch), score, alone=True)
    score.finish("collectives of final shardings")
    return score


def write_and_drive(tasks, folder, score, alone=False):
    truths = collectives_folder(folder)
    for devices, jobs in sorted(tasks.items()):
        with RealPass(devices, partition=True, alone=alone) as reference:
            for name, error in golden.write_collectives(jobs, reference, truths, folder / "modules").items():
                score.no_result(name, error)
    drive_collectives(truths, score)


def check_collectives(first, count, models, mutations, stablehlo, keep):
    """Of the programs of the repository, `count` random ones, `mutations` of the models and the modules of a folder."""
    score, tasks = Score(own_names(), version()), all_tasks()
    seeds = [random_program.random_program(seed) for seed in range(first, first + count)]
    for more in (programs_by_devices(seeds, lambda r, name: r.run_program(name)), mutated_tasks(models, first, mutations),
                 stablehlo_tasks(stablehlo)):
        for devices, jobs in more.items():
            tasks[devices] += jobs
    with tempfile.TemporaryDirectory(prefix="live_") as scratch:
        write_and_drive(tasks, keep or pathlib.Path(scratch), score)
    score.finish("collectives")
    return score


def collectives_folder(folder):
    """The folder for lists of collectives; that for modules stands beside it."""
    truths = folder / "spmd" / "modules"
    truths.mkdir(parents=True, exist_ok=True)
    (folder / "modules").mkdir(exist_ok=True)
    (folder / "REFERENCE").write_text(version() + "\n")
    index.start(truths / "index.tsv")
    return truths


def drive_collectives(truths, score):
    asked = len((truths / "index.tsv").read_text().splitlines()) - 1
    done = subprocess.run([DRIVER, f"--show={asked}", truths], capture_output=True, text=True)
    print("".join(line + "\n" for line in done.stdout.splitlines() if line.startswith("  "))[:8000], end="")
    found = re.search(r": (\d+) passed, (\d+) failed", done.stdout)
    passed = int(found[1]) if found else 0
    failed = asked - passed
    differing = {found.group(1) for found in re.finditer(r"^  (\S+): ", done.stdout, re.M)}
    known = len(differing & OPEN_COLLECTIVES.keys()) if found and version() == NEWEST else 0
    score.passed += passed
    score.open += known
    score.failed += failed - known


# Differences from jaxlib 0.12.0.1 that are known and not yet mended (docs/conformance.md has the list); one that agrees must leave it.
OPEN = {}
OPEN_COLLECTIVES = {}


# What cannot be asked of these programs: results depend on the number of devices, or XLA itself fails.
NOT_EXECUTED = {
    "attention_in_blocks": "the compiler's converter refuses its loop",
    "cumulative_sums": "XLA's own sharded cummax differs from one device",
    "manual_one_axis": "sends along the mesh: the result depends on its size",
    "manual_scatter_and_exchange": "sends along the mesh: the result depends on its size",
    "poisson_solver": "the CPU's FFT refuses the partitioned layout",
}


def execute_all():
    """Child process on eight devices: tessera's output, compiled and run, against one device."""
    import execute
    import numpy as np
    score = Score()
    for name, one in program.all_programs().items():
        if one.devices > 8 or name in NOT_EXECUTED:
            score.refused += 1
            continue
        lowered = one.lower().compiler_ir("hlo").as_hlo_text()
        sharded = subprocess.run([TESSERA, "shard", "-", "--structure=xla"], input=lowered, capture_output=True, text=True)
        try:
            inputs = one.inputs()
            want = execute.run_single(one, inputs)
            got = execute.run_sharded(sharded.stdout, one.devices, inputs)
            same = len(want) == len(got) and all(
                np.allclose(np.asarray(a, np.complex64), np.asarray(b, np.complex64), rtol=2e-2, atol=2e-3,
                            equal_nan=True)
                for a, b in zip(want, got))
        except Exception as error:
            same = False
            print(f"  {name}: {sharded.stderr[:300]} {type(error).__name__}: {str(error)[:300]}")
        score.passed += same
        score.failed += not same
        if not same:
            print(f"  {name}: results differ from one device")
    print(f"{score.passed} {score.failed} {score.refused}")


def check_execution():
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3",
                       XLA_FLAGS="--xla_force_host_platform_device_count=8")
    child = subprocess.run([sys.executable, __file__, "--execute"], env=environment, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    *shown, last = child.stdout.splitlines() or ["0 1 0"]
    print("".join(line + "\n" for line in shown), end="")
    score = Score()
    if re.fullmatch(r"\d+ \d+ \d+", last):
        score.passed, score.failed, score.refused = map(int, last.split())
    else:
        score.failed = 1
    score.finish("executed on virtual devices")
    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--reduce", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--stablehlo", type=pathlib.Path)
    parser.add_argument("--final", type=pathlib.Path, help="HLO modules whose shardings are final: their collectives alone")
    parser.add_argument("--parts", default=",".join(PARTS), help="which of %(default)s")
    parser.add_argument("--execute", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.execute:
        execute_all()
        return 0
    if options.reduce and not options.keep:
        options.keep = options.reduce / "whole"
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    scores, parts = [], [] if options.final else options.parts.split(",")
    if options.final:
        scores.append(check_final(options.final, options.keep))
    mutations = options.mutations or options.seeds
    models = sorted((options.models or HERE / "golden").glob("*.before.hlo"))
    if "programs" in parts:
        scores.append(check_programs(options.keep))
    if "collectives" in parts:
        scores.append(check_collectives(options.first, options.seeds, models, mutations, options.stablehlo, options.keep))
    if "execution" in parts:
        scores.append(check_execution())
    if "random" in parts and options.seeds:
        scores.append(check_random(options.first, options.seeds, options.keep))
    if "mutated" in parts and mutations:
        scores.append(check_mutated(models, options.first, mutations, options.keep))
    if options.reduce:
        for path in sorted(options.keep.glob("*.before.hlo")):
            reduce_difference.reduce(path, options.reduce / path.name.replace(".before", ""))
    passed, failed = sum(s.passed for s in scores), sum(s.failed for s in scores)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
