#!/usr/bin/env python3
"""Compares `tessera cost --target` with the time that a TPU compiler expects of its own programs, and with the compiler's schedule.

    time.py TESSERA FOLDER [--rank=FOLDER] [--only=NAME] [--stages=final,partitioned,lowered]

FOLDER holds NAME.TOPOLOGY.json, whose `cycles` are the compiler's estimates of its final module without collectives, that module
(.final.hlo.xz), the partitioned one (.partitioned.hlo.xz) and the lowered one (.hlo). A line for each program: device time by tessera divided by
the compiler's, from each of the three. Of the final module only kernels count of which the compiler states a time. Then the shares of each chip, as
CHIP-time-STAGE:

    within15, within30    programs within 15 % and 30 %

GPUs state no time, and no compiler says how long a device waits. The predicted step is compared with that of the final module, too. Its kernels and
schedule are the compiler's; its times are those of the same model. A line for each program, then the shares, as CHIP-step-STAGE:

    waits25     programs in which the device waits for links within 25 % of it, or both wait less than 1 % of the step
    device15    programs whose kernels take together within 15 % of it

--rank names a folder of variants of one program, lowered, with truth.json. Its lines:

    NAME-rank: device 0.91, step 0.88, memory 0.79, best 0.97

    device   Kendall's tau of device times and the compiler's cycles
    step     the same of the step, with the waits of the compiled program in the truth (rank_waits.txt)
    bytes    the same of the step, with synchronous collectives at 45 GB/s in the truth, as if the others took no time
    memory   the same of memory and the compiler's peak; 0 where the answer has no memory
    best     the step of the true best divided by the true step of the variant that is called best

Exit status 0, or 1 where tessera fails on a program.
"""
import argparse
import collections
import itertools
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import targets

TPUS = {name: chip for name, chip in targets.CHIPS.items() if chip.startswith("tpu")}
SAID_OF_GPUS = set()
SAID = set()                                           # the shares that answers claim
LINK = {"tpu-v5e": 45e9, "tpu-v5p": 90e9, "tpu-v6e": 90e9}
WITHIN = {"within15": 0.15, "within30": 0.30}


def target_of(topology):
    chip, _, sides = topology.partition(":")
    return f"{TPUS[chip]}:{sides}" if chip in TPUS else None


def cost(tessera, path, target):
    run = subprocess.run([tessera, "cost", path, f"--target={target}", "--json", "--top=0"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    if target.startswith("tpu"):
        SAID.add(run.stderr.partition("TPU compiler: ")[2].partition(", on which")[0])
    else:
        SAID_OF_GPUS.update(re.findall("measured: (.*) \\(docs", run.stderr))
    return json.loads(run.stdout)


def text_of(path, stage, record):
    if stage == "lowered":
        return path.with_name(pathlib.Path(record["hlo"]).name).read_bytes()
    return lzma.decompress(path.with_name(path.name.replace(".json", f".{stage}.hlo.xz")).read_bytes())


def has_estimates(record):
    """Where the compiler does not know a time it writes the largest number of 63 bits."""
    return 0 < record.get("seconds_of_cycles", 0) and record["cycles"]["total"] < 2**63


def programs(folder, only):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        target = target_of(record["topology"])
        if target and has_estimates(record) and (not only or only in path.name):
            yield path, record, target


def device_seconds(answer):
    """Of all kernels, or of those of a finished module whose time the compiler states."""
    if not answer["is_final"]:
        return answer["device_s"]
    return sum(kernel["seconds"] for kernel in answer["kernels"] if "stated_s" in kernel)


def compare_programs(tessera, folder, only, stages, scratch):
    """The shares, and whether all programs had an answer."""
    shares, good = {}, True
    for path, record, target in programs(folder, only):
        ratios = []
        for stage in stages:
            sums = shares.setdefault(f"{target.partition(':')[0]}-time-{stage}", collections.Counter())
            sums["programs"] += 1
            scratch.write_bytes(text_of(path, stage, record))
            try:
                ratio = device_seconds(cost(tessera, scratch, target)) / record["seconds_of_cycles"]
            except RuntimeError as error:
                print(f"{path.stem} {stage}: {error}")
                good = False
                continue
            ratios.append(f"{stage} {ratio:.3f}")
            sums.update(key for key, share in WITHIN.items() if abs(ratio - 1) <= share)
        print(f"{path.stem}: {', '.join(ratios)}", flush=True)
    for share, sums in sorted(shares.items()):
        print(f"{share}: " + ", ".join(f"{key} {sums[key]} of {sums['programs']}" for key in WITHIN))
    if shares and not only and SAID != said_of(shares, stages):
        print(f"answers say {SAID}, counted: {said_of(shares, stages)}")
        good = False
    return good


def said_of(shares, stages):
    """The words that answers have to have."""
    total = lambda stage, key: sum(sums[key] for share, sums in shares.items() if share.endswith(f"-{stage}"))
    return {f"from a {stage} module, device time was within 15 % in {total(stage, 'within15')} of {total(stage, 'programs')} training and "
            "serving steps" for stage in stages}


def waits_alike(predicted, final):
    ours, theirs = predicted["exposed_s"], final["exposed_s"]
    return abs(ours - theirs) <= 0.25 * theirs or max(ours, theirs) < 0.01 * final["total_s"]


def compare_steps(tessera, folder, only, stages, scratch):
    """As compare_programs(), of whole steps."""
    shares, good = {}, True
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        chip, _, sides = record["topology"].partition(":")
        if only not in path.name or not path.with_suffix(".final.hlo.xz").exists():
            continue
        answers = {}
        for stage in ["final", *stages]:
            scratch.write_bytes(text_of(path, stage, record))
            try:
                answers[stage] = cost(tessera, scratch, f"{targets.CHIPS[chip]}:{sides}")
            except RuntimeError as error:
                print(f"{path.stem} {stage}: {error}")
                good = False
        final = answers.pop("final", None)
        for stage, answer in answers.items() if final else ():
            sums = shares.setdefault(f"{targets.CHIPS[chip]}-step-{stage}", collections.Counter())
            device = answer["device_s"] / final["device_s"]
            sums.update({"programs": 1, "waits25": waits_alike(answer, final), "device15": abs(device - 1) <= 0.15})
            print(f"{path.stem}: {stage} waits {answer['exposed_s'] * 1e3:.2f} of {final['exposed_s'] * 1e3:.2f} ms, device {device:.3f}", flush=True)
    for share, sums in sorted(shares.items()):
        print(f"{share}: " + ", ".join(f"{key} {sums[key]} of {sums['programs']}" for key in ("waits25", "device15")))
    said = {f"from a {share.rpartition('-')[2]} module, the time of kernels was within 15 % of the compiler's program in {sums['device15']} of "
            f"{sums['programs']} steps, and waits within 25 % in {sums['waits25']}" for share, sums in shares.items() if not share.startswith("tpu")}
    if said and not only and SAID_OF_GPUS != said:
        print(f"answers say {SAID_OF_GPUS}, counted: {said}")
        good = False
    return good


def tau(ours, truth):
    """Kendall's tau-b."""
    sign = lambda a, b: (a > b) - (a < b)
    pairs = [(sign(a, b), sign(x, y)) for (a, x), (b, y) in itertools.combinations(zip(ours, truth), 2)]
    norm = (sum(1 for a, _ in pairs if a) * sum(1 for _, b in pairs if b)) ** 0.5
    return sum(a * b for a, b in pairs) / norm if norm else 0.0


def rank(tessera, folder):
    rows = []
    lines = pathlib.Path(__file__).with_name("rank_waits.txt").read_text().splitlines()
    waits = {name: float(seconds) for name, seconds in (line.split() for line in lines if not line.startswith("#"))}
    for truth in json.loads((folder / "truth.json").read_text()):
        target = target_of(truth["topology"])
        answer = cost(tessera, folder / f"{truth['name']}.hlo", target)
        step = truth["cycles_s"] + waits[truth["name"]]
        by_bytes = truth["cycles_s"] + truth["sent_synchronous"] / LINK[target.partition(":")[0]]
        rows.append((answer["device_s"], truth["cycles_s"], answer["total_s"], step, by_bytes, answer.get("memory", 0), truth["peak_bytes"]))
        print(f"{truth['name']}: device {rows[-1][0] * 1e3:.1f} of {rows[-1][1] * 1e3:.1f} ms, step {rows[-1][2] * 1e3:.1f} of "
              f"{step * 1e3:.1f} ms, memory {rows[-1][5] / 2**30:.2f} of {rows[-1][6] / 2**30:.2f} GiB", flush=True)
    device, cycles, total, step, by_bytes, memory, peak = zip(*rows)
    called_best = min(range(len(rows)), key=lambda k: total[k])
    print(f"{folder.name}-rank: device {tau(device, cycles):.2f}, step {tau(total, step):.2f}, bytes {tau(total, by_bytes):.2f}, "
          f"memory {tau(memory, peak):.2f}, best {min(step) / step[called_best]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--rank", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--stages", default="final,partitioned,lowered")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        where = (options.tessera, options.folder, options.only)
        stages, program = options.stages.split(","), pathlib.Path(scratch) / "program.hlo"
        good = compare_programs(*where, stages, program)
        good = compare_steps(*where, [stage for stage in stages if stage != "final"], program) and good
    if options.rank:
        rank(options.tessera, pathlib.Path(options.rank))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
