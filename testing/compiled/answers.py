#!/usr/bin/env python3
"""Asks tessera everything about finished programs: does each verb that reads them answer, and does the printer give the program back?

    answers.py TESSERA FOLDER [--only=NAME]

FOLDER holds NAME.PLACE.final.hlo.xz and NAME.PLACE.json, as oracle/record.py writes them. Of each program

    print                 gives every byte back
    print --format=short  is read again, and printed as the same text; also by way of --format=pb
    stats, collectives, memory, layout, report, cost and memory with --target answer, lists also as JSON
    shardings, explain, sweep, partition, lint are refused, and say why

A line for each program with what fails, then the counts. Exit status 0, or 1 where anything fails.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from predicted import programs, target_of

LISTS = ("stats", "collectives", "memory", "layout")
REFUSED = (("shardings",), ("explain", "x"), ("sweep",), ("partition",), ("lint",))


class Tessera:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.failed = binary, pathlib.Path(folder), []

    def ask(self, status, verb, file, *flags):
        """The answer's bytes; what is not answered with this status, or one of these, is noted."""
        run = subprocess.run([self.binary, verb, str(file), *flags], capture_output=True)
        if run.returncode not in (status if isinstance(status, tuple) else (status,)):
            lines = run.stderr.decode(errors="replace").splitlines() or [""]
            self.failed.append(f"{verb} {' '.join(flags)}: status {run.returncode}, {lines[0]}")
        return run.stdout

    def keep(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def expect(self, what, is_so):
        if not is_so:
            self.failed.append(what)


def check_print(tessera, file, text):
    tessera.expect("print changes bytes", tessera.ask(0, "print", file) == text)
    short = tessera.ask(0, "print", file, "--format=short")
    again = tessera.ask(0, "print", tessera.keep("short.hlo", short), "--format=short")
    tessera.expect("short is printed otherwise when it is read again", again == short)
    binary = tessera.keep("module.pb", tessera.ask(0, "print", file, "--format=pb"))
    tessera.expect("the binary form is another module", without_header(tessera.ask(0, "print", binary, "--format=short")) == without_header(short))


def without_header(text):
    """Binary HLO lacks some of the header (tessera print --help)."""
    return text.partition(b"\n")[2]


def check_answers(tessera, file, target):
    for verb in LISTS:
        tessera.ask(0, verb, file)
        answer = tessera.ask(0, verb, file, "--json")
        tessera.expect(f"{verb}: no JSON", answer and json.loads(answer) is not None)
    tessera.ask(0, "report", file, "-o", str(tessera.folder / "report.html"))
    if target != "cpu":  # no machine is known for it
        tessera.ask(0, "cost", file, f"--target={target}")
        tessera.ask((0, 1), "memory", file, f"--target={target}")  # 1: it does not fit
    for verb, *flags in REFUSED:
        tessera.ask(2, verb, file, *flags)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    counts, failed = collections.Counter(), collections.Counter()
    for name, record, _, text in programs(options.folder, options.only):
        with tempfile.TemporaryDirectory() as scratch:
            tessera = Tessera(options.tessera, scratch)
            file = tessera.keep("compiled.hlo", text)
            check_print(tessera, file, text)
            check_answers(tessera, file, target_of(record["topology"]))
        counts[record["platform"]] += 1
        failed[record["platform"]] += bool(tessera.failed)
        print(f"{name}: " + ("; ".join(tessera.failed) or "answered"), flush=True)
    for platform, count in sorted(counts.items()):
        print(f"{platform}: {count - failed[platform]} of {count} programs answered")
    return 1 if failed.total() or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
