#!/usr/bin/env python3
"""Writes the golden pairs: every program of `programs/` and every module of `modules/` before and after the real pass.

    python3 golden.py --out golden            all of them
    python3 golden.py --out golden adam lstm  those named
    python3 golden.py --out golden --collectives adam    what the SPMD partitioner inserts into it, or into all: lists in spmd/golden

NAME.lowered.hlo is what JAX hands over, NAME.before.hlo what the pass gets, NAME.after.hlo what it makes. Needs requirements.txt.
"""

import argparse
import collections
import json
import pathlib
import sys

import index
import partitioned
import program
from real_pass import RealPass, version
from reduce_difference import partitions


def by_devices(names):
    """{devices: [(name, function of a RealPass giving Dumps)]}."""
    groups, known = collections.defaultdict(list), {}
    for name, one in program.all_programs().items():
        known[name] = (one.devices, lambda reference, name=name: reference.run_program(name))
    for name, text in program.all_modules().items():
        known[name] = (partitions(text), lambda reference, text=text: reference.run_hlo(text))
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no such program: {', '.join(unknown)}")
    for name in names or known:
        devices, job = known[name]
        groups[devices].append((name, job))
    return groups


def write(dumps, out, name):
    for suffix in ("lowered", "before", "after"):
        (out / f"{name}.{suffix}.hlo").write_text(getattr(dumps, suffix))


def write_collectives(jobs, reference, folder, modules=None):
    """Lists and index as testing/spmd/spmd_check.h wants them; the modules too, if there is a folder for them. {name: error} of those without."""
    errors = {}
    for name, job in jobs:
        dumps = job(reference)
        if not dumps.after:
            errors[name] = dumps.error
            continue
        if modules:
            (modules / f"{name}.after.hlo").write_text(dumps.after)
        rows = partitioned.rows(dumps.partitioned) if dumps.partitioned else []
        (folder / f"{name}.spmd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        index.put(folder / "index.tsv", name, reference.devices, "ok" if dumps.partitioned else "refused")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--collectives", action="store_true")
    options = parser.parse_args()
    if options.collectives:
        folder = options.out.parent / "spmd" / options.out.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "REFERENCE").write_text(version() + "\n")
        if not options.names:
            index.start(folder / "index.tsv")
        errors = {}
        for devices, jobs in sorted(by_devices(options.names).items()):
            kept = [job for job in jobs if (options.out / f"{job[0]}.after.hlo").exists()]
            with RealPass(devices, partition=True) as reference:
                errors.update(write_collectives(kept, reference, folder))
        for name, error in errors.items():
            print(f"{name}: {error}", file=sys.stderr)
        return 1 if errors else 0
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "REFERENCE").write_text(version() + "\n")
    failed = 0
    for devices, jobs in sorted(by_devices(options.names).items()):
        with RealPass(devices) as reference:
            for name, job in jobs:
                dumps = job(reference)
                if dumps.error:
                    failed += 1
                    print(f"{name}: {dumps.error}", file=sys.stderr)
                else:
                    write(dumps, options.out, name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
