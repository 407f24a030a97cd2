#!/usr/bin/env python3
"""Does `tessera partition` make the instructions that XLA's SPMD partitioner makes?

    structure.py [--only=REGEX] [--seeds=FIRST:COUNT] [--show]

Lowers the programs of this folder, and random ones, runs jaxlib's partitioner, and gives tessera the module in front of it. For each
computation it compares the multisets of (opcode, per-device shape) of live instructions. `arrays` leaves out scalars, and integer vectors
with an element a device. Where XLA warns of an involuntary full rematerialization, `tessera reshards` must name one, and nowhere else.

A program that differs must stand in OPEN with its cause. Exit status 1 where another one differs, or one of OPEN agrees.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import program
import random_program
from real_pass import RealPass

TESSERA = pathlib.Path(__file__).resolve().parents[2] / "bazel-bin/pipeline/tessera"
CLAMP = "a start of a dynamic-update-slice: where it is too large XLA updates nothing, tessera moves it back"
OPEN = {name: CLAMP for name in ("random_910015", "random_910122", "random_910657")}
COMPUTATION = re.compile(r"(ENTRY )?%(\S+) \(.*\{$")
INSTRUCTION = re.compile(r"\s+(ROOT )?%(\S+) = (\(.*?\)|\S+) ([a-z][a-z0-9-]*)\((.*)$")
CALLED = re.compile(r"(?:to_apply|body|condition|calls|select|scatter|true_computation|false_computation)=%([^\s,}]+)")
SIDE_EFFECTS = {"infeed", "outfeed", "send", "recv", "send-done", "recv-done", "custom-call", "rng-get-and-update-state"}
# XLA also weighs ways on parameters that no program has.
REMATERIALIZATION = re.compile(r"Involuntary full rematerialization.* for HLO operation (?!%fake_parameter)")
TABLE = re.compile(r"[su]32\[\d+\]")


def operands_of(rest):
    """The text up to the bracket that closes the operands."""
    depth = 0
    for place, character in enumerate(rest):
        if character in "({[":
            depth += 1
        elif character in ")}]":
            if depth == 0:
                return rest[:place]
            depth -= 1
    return rest


def without_layout(shape):
    return re.sub(r"\{[^}]*\}", "", re.sub(r"/\*.*?\*/", "", shape))


def read(text):
    """{computation: {instruction: (is root, shape, opcode, operands, attributes)}}, the name of the entry"""
    computations, current, entry = {}, None, None
    for line in text.splitlines():
        if found := COMPUTATION.match(line):
            current = computations.setdefault(found[2], {})
            entry = found[2] if found[1] else entry
        elif current is not None and (found := INSTRUCTION.match(line)):
            operands = operands_of(found[5])
            current[found[2]] = (bool(found[1]), without_layout(found[3]), found[4], operands, found[5][len(operands):])
    return computations, entry


def live(instructions):
    """Names, from the root and what has side effects. `%x#2` is element 2 of `%x`."""
    seen, work = set(), [name for name, row in instructions.items() if row[0] or row[2] in SIDE_EFFECTS]
    while work:
        name = work.pop()
        if name in instructions and name not in seen:
            seen.add(name)
            work += re.findall(r"%([^\s,()#]+)", instructions[name][3])
    return seen


def multisets(text):
    """[Counter of (opcode, shape)], one for each computation that the entry reaches"""
    computations, entry = read(text)
    result, seen, work = [], set(), [entry]
    while work:
        name = work.pop()
        if name in seen or name not in computations:
            continue
        seen.add(name)
        bag = collections.Counter()
        for one in live(computations[name]):
            _, shape, opcode, _, attributes = computations[name][one]
            if opcode != "get-tuple-element":
                bag[opcode, shape] += 1
            work += CALLED.findall(attributes)
            for names in re.findall(r"branch_computations=\{([^}]*)\}", attributes):
                work += re.findall(r"%([^\s,]+)", names)
        result.append(bag)
    return result


def is_array(row):
    return not row[1].endswith("[]") and not TABLE.fullmatch(row[1])


def arrays(bags):
    """The same without scalars and offsets."""
    kept = [collections.Counter({row: n for row, n in bag.items() if is_array(row)}) for bag in bags]
    return [bag for bag in kept if bag]


def distinct(bags):
    return collections.Counter(frozenset(bag.items()) for bag in bags)


def difference(ours, xla):
    """What only one of them has, summed over the computations that differ."""
    sums = []
    for only in (distinct(xla) - distinct(ours), distinct(ours) - distinct(xla)):
        total = collections.Counter()
        for bag in only.elements():
            total.update(dict(bag))
        sums.append(total)
    return sums[0] - sums[1], sums[1] - sums[0]


def partition(after, folder):
    source, result = folder / "after.hlo", folder / "device.hlo"
    source.write_text(after)
    done = subprocess.run([TESSERA, "partition", "--as-is", source, "-o", result], capture_output=True, text=True)
    return result.read_text() if done.returncode == 0 else None


def rematerializations(folder):
    """How many reshards of the module that partition() wrote have no direct way."""
    command = [TESSERA, "reshards", "--as-is", "--no-fixes", "--top=0", "--json", folder / "after.hlo"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return sum(reshard["alike"] for reshard in answer["reshards"] if "rematerialized" in reshard)


class Score:

    def __init__(self, show):
        self.counts, self.show, self.wrong = collections.Counter(), show, False

    def take_rematerializations(self, name, ours, xla):
        self.counts["rematerializations"] += xla
        if ours != xla:
            self.wrong = True
            print(f"{name}: XLA warns of {xla} rematerializations, tessera of {ours}")

    def take(self, name, ours, xla):
        if ours is None:
            self.counts["refused"] += 1
            return
        self.counts["compared"] += 1
        ours, xla = multisets(ours), multisets(xla)
        self.counts["all arrays equal"] += distinct(arrays(ours)) == distinct(arrays(xla))
        equal = distinct(ours) == distinct(xla)
        self.counts["all instructions equal"] += equal
        if equal == (name in OPEN):
            self.wrong = True
            print(f"{name}: {'agrees, and stands in OPEN' if equal else 'differs'}")
        if not equal and self.show:
            for side, rows in zip(("XLA", "tessera"), difference(ours, xla)):
                print(f"  {name}, only {side}: " + ", ".join(f"{o} {s} x{n}" for (o, s), n in rows.most_common(8)))


def wanted(options):
    if options.seeds:
        first, count = (int(part) for part in options.seeds.split(":"))
        programs = [random_program.random_program(seed) for seed in range(first, first + count)]
        return [(one.name, one.devices) for one in programs]
    return [(name, one.devices) for name, one in program.all_programs().items() if re.search(options.only, name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs whose name has a match")
    parser.add_argument("--seeds", default="", help="random programs instead: FIRST:COUNT")
    parser.add_argument("--show", action="store_true", help="print what differs")
    options = parser.parse_args()
    by_devices = collections.defaultdict(list)
    for name, devices in wanted(options):
        by_devices[devices].append(name)
    score = Score(options.show)
    with tempfile.TemporaryDirectory(prefix="structure_") as scratch:
        for devices, names in sorted(by_devices.items()):
            with RealPass(devices, partition=True) as reference:
                for name in names:
                    dumps = reference.run_program(name)
                    if not dumps.partitioned:
                        score.counts["no module of XLA's"] += 1
                        continue
                    ours = partition(dumps.after, pathlib.Path(scratch))
                    score.take(name, ours, dumps.partitioned)
                    if ours is None:
                        continue
                    warned = sum(REMATERIALIZATION.search(line) is not None for line in dumps.warnings)
                    score.take_rematerializations(name, rematerializations(pathlib.Path(scratch)), warned)
    print(", ".join(f"{what}: {n}" for what, n in score.counts.items()))
    return 1 if score.wrong or not score.counts["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
