#!/usr/bin/env python3
"""Compares `tessera memory --target` with what the real compilers reported for programs.

    memory.py TESSERA FOLDER [--only=NAME]

FOLDER as for targets.py; of NAME.TOPOLOGY.json this reads `memory`: the compiler's arguments, results, aliases and peak in bytes. A line for
each program and text: the predicted peak, the compiler's, their ratio, and the verdict; then the shares of each chip, those of lowered texts as
CHIP-lowered:

    exact     arguments, results and aliases to the byte
    near      the peak within 10 %
    fair      the peak within 1.3x
    band      the compiler's peak is in the band of the answer
    verdict   no wrong verdict: what fits is not said not to fit, and the other way round

Exit status 0, or 1 where tessera fails on a program.
"""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import targets

MIB = 2 ** 20
KINDS = ("exact", "near", "fair", "band", "verdict")


def programs(folder, only):
    """(name, truth, chip, share, text of the module) of each program and text"""
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        chip = targets.CHIPS.get(record["topology"].partition(":")[0])
        partitioned = path.with_name(path.name.replace(".json", ".partitioned.hlo.xz"))
        if not chip or not partitioned.exists() or (only and only not in path.name):
            continue
        name = path.name.removesuffix(".json")
        yield name, record, chip, chip, targets.lzma.decompress(partitioned.read_bytes())
        yield f"{name} lowered", record, chip, f"{chip}-lowered", path.with_name(pathlib.Path(record["hlo"]).name).read_bytes()


def answer_of(tessera, path, target):
    run = subprocess.run([tessera, "memory", path, f"--target={target}", "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def compare(answer, truth):
    """What agrees. A program without `memory` does not fit: only the verdict can be wrong."""
    wrong = "does_not_fit" if truth else "fits"
    verdict = answer.get("verdict") != wrong
    if not truth:
        return {"verdict": verdict}
    peak = truth["peak_memory_in_bytes"]
    ratio = answer["peak"] / peak
    exact = all(answer[ours] == truth[theirs] for ours, theirs in (("arguments", "argument_size_in_bytes"),
                                                                  ("results", "output_size_in_bytes"), ("aliased", "alias_size_in_bytes")))
    return {"exact": exact, "near": abs(ratio - 1) <= 0.1, "fair": 1 / 1.3 <= ratio <= 1.3,
            "band": answer["band"]["low"] <= peak <= answer["band"]["high"], "verdict": verdict}


def line(name, answer, truth, agrees):
    bad = [kind for kind, good in agrees.items() if not good]
    said = answer.get("verdict", "no verdict")
    if not truth:
        return f"{name}: {answer['peak'] / MIB:.0f} MiB, the compiler refuses; {said}" + ("  WRONG" if bad else "")
    peak = truth["peak_memory_in_bytes"]
    wide = ", wider band" if answer["wider_for"] else ""
    return (f"{name}: {answer['peak'] / MIB:.0f} MiB, the compiler {peak / MIB:.0f}, ratio {answer['peak'] / peak:.2f}; {said}{wide}" +
            (f"  NOT {', '.join(bad)}" if bad else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    shares, ratios, failed = {}, {}, False
    with tempfile.TemporaryDirectory() as scratch:
        for name, record, chip, share, text in programs(options.folder, options.only):
            file = pathlib.Path(scratch) / "program.hlo"
            file.write_bytes(text)
            truth = record.get("memory")
            try:
                answer = answer_of(options.tessera, file, f"{chip}:{record['topology'].partition(':')[2]}")
            except RuntimeError as error:
                print(f"{name}: {error}")
                failed = True
                continue
            agrees = compare(answer, truth)
            sums = shares.setdefault(share, collections.Counter())
            sums.update(f"of {kind}" for kind in agrees)
            sums.update(kind for kind, good in agrees.items() if good)
            if truth:
                ratios.setdefault(share, []).append(answer["peak"] / truth["peak_memory_in_bytes"])
            print(line(name, answer, truth, agrees))
    for share, sums in shares.items():
        found = ratios.get(share, [1])
        print(f"{share}: " + ", ".join(f"{kind} {sums[kind]} of {sums['of ' + kind]}" for kind in KINDS) +
              f"; ratio {min(found):.2f} to {max(found):.2f}, median {statistics.median(found):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
