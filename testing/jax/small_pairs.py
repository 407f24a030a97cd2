#!/usr/bin/env python3
"""Writes the small pairs: random programs and mutated golden modules before and after the real pass, many in one file.

    python3 small_pairs.py --out small_pairs.txt            180 random programs, 124 mutations of what is in golden/

Only modules of at most --bytes bytes on both sides together are taken, seeds in order, until there are enough. The form of the
file is that of testing/pairs/pair_file.h; //testing:small_pairs_test reads it. Needs requirements.txt.
"""

import argparse
import pathlib
import re
import sys

import mutate
import random_program
from real_pass import RealPass, version
from reduce_difference import partitions

# Differences from the reference that are known and not yet mended; one that agrees belongs into the file.
OPEN = {"group_of_manual_result_mutated_31":
        "a group joins the result of a shard_map, whose body has a constraint on one of its manual axes, to a value of another mesh"}
HERE = pathlib.Path(__file__).resolve().parent
# Which line of which file of ours made an instruction: nothing that the pass reads.
PLACES = re.compile(r"^(FileNames|FunctionNames|FileLocations|StackFrames)\n(?:.+\n)*\n?", re.M)
FRAME = re.compile(r" ?(?:source_file=\"[^\"]*\"|source_line=\d+|source_end_line=\d+|source_column=\d+|source_end_column=\d+|stack_frame_id=\d+)")


def plain(text):
    return FRAME.sub("", PLACES.sub("", text)).replace(", metadata={}", "").rstrip("\n") + "\n"


def random_jobs():
    """(devices, name, function of a RealPass giving Dumps), for ever."""
    seed = 0
    while True:
        seed += 1
        one = random_program.random_program(seed)
        yield one.devices, one.name, lambda reference, name=one.name: reference.run_program(name)


def mutated_jobs(most):
    models = [path for path in sorted((HERE / "golden").glob("*.before.hlo")) if path.stat().st_size <= most]
    seed = 0
    while True:
        seed += 1
        path = models[seed % len(models)]
        text = mutate.mutate(path.read_text(), seed)
        name = f"{path.name.removesuffix('.before.hlo')}_mutated_{seed}"
        yield partitions(text), name, lambda reference, text=text: reference.run_hlo(text)


def take(jobs, count, most, references):
    """The first `count` small pairs: (name, before, after)."""
    taken = 0
    for devices, name, job in jobs:
        if taken == count:
            return
        if name in OPEN:
            continue
        reference = references.setdefault(devices, RealPass(devices))
        dumps = job(reference)
        before, after = plain(dumps.before), plain(dumps.after)
        if dumps.error or len(before) + len(after) > most:
            continue
        taken += 1
        yield name, before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--random", type=int, default=180)
    parser.add_argument("--mutated", type=int, default=124)
    parser.add_argument("--bytes", type=int, default=6000)
    options = parser.parse_args()
    references = {}
    with open(options.out, "w") as out:
        out.write(f"reference {version()}\n")
        for jobs, count in ((random_jobs(), options.random), (mutated_jobs(options.bytes), options.mutated)):
            for name, before, after in take(jobs, count, options.bytes, references):
                out.write(f"=== {name}\n{before}--- after\n{after}")
    for reference in references.values():
        reference.__exit__()
    return 0


if __name__ == "__main__":
    sys.exit(main())
