#!/usr/bin/env python3
"""Compares predictions with finished programs: `tessera diff STEP COMPILED --target`, and prints what agrees.

    predicted.py TESSERA FOLDER [--only=NAME]

FOLDER holds NAME.TOPOLOGY.final.hlo.xz and NAME.TOPOLOGY.json, which names the program before its compilation. A line for each program: how many
collectives agree, differ, .., and what a device sends, predicted in parts of compiled. Then the sums by platform.

Exit status 0, or 1 where tessera refuses a program, or an argument or result has another shape than predicted.
"""
import argparse
import collections
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

VERDICTS = ("agrees", "other_calls", "differs", "only_predicted", "only_compiled")


def target_of(topology):
    """"v5e:2x4" and "h100_sxm:1x1x8" as --target has them; a CPU has no shape."""
    chip, _, shape = topology.partition(":")
    if chip == "cpu":
        return chip
    return f"{'tpu-' + chip if chip.startswith('v') else chip.split('_')[0]}:{shape}"


def programs(folder, only):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        final = path.with_name(path.name.replace(".json", ".final.hlo.xz"))
        if only in path.name and final.exists():
            yield path.name.removesuffix(".json"), record, path.with_name(pathlib.Path(record["hlo"]).name), lzma.decompress(final.read_bytes())


def compare(tessera, step, compiled, target):
    run = subprocess.run([tessera, "diff", str(step), str(compiled), f"--target={target}", "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def calls_of(answer):
    """Predicted calls by verdict; those only compiled are counted on the other side."""
    calls = collections.Counter()
    for match in answer["matches"]:
        side = "compiled" if match["verdict"] == "only_compiled" else "predicted"
        calls[match["verdict"]] += len(match[side])
    return calls


def text_of(calls):
    return ", ".join(f"{calls[verdict]} {verdict}" for verdict in VERDICTS if calls[verdict])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sums, equal, failed = collections.defaultdict(collections.Counter), collections.Counter(), False
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "compiled.hlo"
        for name, record, step, text in programs(options.folder, options.only):
            file.write_bytes(text)
            try:
                answer = compare(options.tessera, step, file, target_of(record["topology"]))
            except RuntimeError as error:
                print(f"{name}: {error}")
                failed = True
                continue
            calls, total = calls_of(answer), answer["total"]
            border = len(answer["arguments"]["differ"]) + len(answer["results"]["differ"])
            failed |= border > 0
            sums[record["platform"]].update(calls)
            equal[record["platform"]] += answer["equal"]
            equal[record["platform"] + " programs"] += 1
            share = total["predicted_sent"] / max(1, total["compiled_sent"])
            print(f"{name}: {text_of(calls)}; sent {share:.3f}" + (f"; {border} shapes differ" if border else ""))
    for platform, calls in sorted(sums.items()):
        print(f"{platform}: {equal[platform]} of {equal[platform + ' programs']} programs equal; {text_of(calls)}")
    return 1 if failed or not sums else 0


if __name__ == "__main__":
    sys.exit(main())
