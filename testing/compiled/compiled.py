#!/usr/bin/env python3
"""Compares `tessera memory` and `tessera collectives` of finished programs with the compilers' own reports.

    compiled.py TESSERA FOLDER [--only=NAME]

FOLDER holds NAME.TOPOLOGY.final.hlo.xz and NAME.TOPOLOGY.json, the truth: memory_analysis() and, where they were counted, the collectives of
the final module. A line for each program: arguments, results and aliases in bytes too many, the peak in parts of the compiler's, and the runs of
collectives by opcode. Then a table by chip: the worst and the mean error of the peak, and how many programs are within 0.1 %, 1 % and 3 %.

Exit status 1 if tessera refuses a program, arguments, aliases or collectives differ, or the peak of a program is 3 % off. Also if results differ
by more than the table of pointers may be rounded up.
"""
import argparse
import collections
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

WORST = 0.03
POINTERS = 512                     # up to which a TPU rounds the table of pointers of a tuple


def ask(tessera, verb, file):
    run = subprocess.run([tessera, verb, str(file), "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def runs_by_opcode(collectives):
    runs = collections.Counter()
    for one in collectives:
        runs[one["op"]] += one["runs"]
    return runs


def reported(memory):
    """What a compiler reports as the peak: what stays in any memory, and the temporaries of the memory that has most of them."""
    others = memory.get("others", [])
    stays = memory["total"] - memory["temporaries"] + sum(other["bytes"] - other["temporaries"] for other in others)
    return stays + max([memory["temporaries"], *(other["temporaries"] for other in others)])


def peaks(memory, truth, platform):
    """Ours and the compiler's. That of CPUs reports no peak, and constants nowhere: its parts are summed."""
    if platform != "cpu":
        return reported(memory), truth["peak_memory_in_bytes"]
    parts = (truth[f"{part}_size_in_bytes"] for part in ("argument", "output", "temp"))
    return memory["total"] - memory["constants"], sum(parts) - truth["alias_size_in_bytes"]


def host_error(memory, truth):
    """Bytes on the host that we count too many; 0 where the truth has none."""
    if "host_temp_size_in_bytes" not in truth:
        return 0
    argument, output, alias, temp = (truth[f"host_{part}_size_in_bytes"] for part in ("argument", "output", "alias", "temp"))
    ours = sum(other["bytes"] for other in memory.get("others", []) if other["name"] == "host")
    return ours - (argument + output - alias + temp)


def errors_of(memory, truth, platform):
    """The compiler's arguments, results, aliases and bytes on the host subtracted, and our peak in parts of its own."""
    names = {"arguments": "argument", "results": "output", "aliased": "alias"}
    rest = {ours: memory[ours] - truth[f"{theirs}_size_in_bytes"] for ours, theirs in names.items()}
    rest["host"] = host_error(memory, truth)
    ours, theirs = peaks(memory, truth, platform)
    return rest, ours / theirs


def programs(folder, only):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        final = path.with_name(path.name.replace(".json", ".final.hlo.xz"))
        if only in path.name and record.get("memory") and final.exists():
            yield path.name.removesuffix(".json"), record, lzma.decompress(final.read_bytes())


def verdict(rest, peak, ours, truth):
    bad = []
    if rest["arguments"] or rest["aliased"] or rest["host"] or abs(rest["results"]) > POINTERS:
        bad.append(f"arguments, results, aliases, bytes on the host differ: {rest}")
    if abs(peak - 1) > WORST:
        bad.append("peak differs")
    if ours != truth:
        bad.append(f"collectives differ: {dict(ours - truth)} too many, {dict(truth - ours)} missing")
    return bad


def table(errors):
    print(f"{'chip':<10}{'programs':>9}{'worst':>9}{'mean':>9}{'0.1 %':>7}{'1 %':>7}{'3 %':>7}")
    for chip, parts in sorted(errors.items()):
        off = [abs(part - 1) for part in parts]
        within = "".join(f"{sum(e <= limit for e in off):>7}" for limit in (0.001, 0.01, WORST))
        print(f"{chip:<10}{len(off):>9}{max(off):>9.2%}{sum(off) / len(off):>9.2%}{within}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    errors, failed = collections.defaultdict(list), False
    with tempfile.TemporaryDirectory() as scratch:
        for name, record, text in programs(options.folder, options.only):
            file = pathlib.Path(scratch) / f"{name}.hlo"
            file.write_bytes(text)
            try:
                rest, peak = errors_of(ask(options.tessera, "memory", file), record["memory"], record["platform"])
                ours = runs_by_opcode(ask(options.tessera, "collectives", file)["collectives"])
            except RuntimeError as error:
                print(f"{name}: {error}")
                failed = True
                continue
            bad = verdict(rest, peak, ours, runs_by_opcode(record["collectives"]) if "collectives" in record else ours)
            failed |= bool(bad)
            errors[record["topology"].partition(":")[0]].append(peak)
            print(f"{name}: results {rest['results']:+}, peak {peak:.4f}" + "".join(f"; {one}" for one in bad))
    table(errors)
    return 1 if failed or not errors else 0


if __name__ == "__main__":
    sys.exit(main())
