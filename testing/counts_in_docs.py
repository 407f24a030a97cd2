#!/usr/bin/env python3
"""Counts in documents are those that are recorded.

    testing/counts_in_docs.py

docs/conformance.md has the counts of testing/shared_counts.txt, README.md the sums of its tables, and README.md and docs/memory.md the sums of the
table of notes/memory.md. Prints each count that is another one, or that one side lacks; exits with 1 if there is one.
"""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ROW = re.compile(r"^\| ([\w./]+) \| (\d+) \| (\d+) \| \d+ \|$", re.M)


def text(path):
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


def share(rows):
    """Those that agree, and all."""
    agree, differ = (sum(int(row[k]) for row in rows) for k in (1, 2))
    return f"{agree:,} of {agree + differ:,}"


def sums_of_conformance(page):
    """What README.md says, by the tables."""
    pairs, collectives = (ROW.findall(page.partition(head)[2].partition("\n\n")[0]) for head in ("| folder of pairs ", "| folder of collectives "))
    ours = [row for row in pairs if "/" not in row[0]]
    return [share(ours), share([row for row in pairs if row[0].startswith("older/")]) + " results", share(collectives)]


def at_first_sight(page):
    """'116 of 216' for TPUs and for H100: a row begins with the number of its programs, or with several."""
    sums = {True: [0, 0], False: [0, 0]}
    rows = page.partition("| within 10 % at first sight |")[2].partition("\n\n")[0].splitlines()[2:]
    for programs, within, *_ in (row.strip("|").split("|") for row in rows):
        for k, cell in enumerate((within, re.match(r" [\d, and]+", programs)[0])):
            sums["H100" in programs][k] += sum(map(int, re.findall(r"\d+", cell)))
    return {chip: f"{sums[chip == 'H100'][0]} of {sums[chip == 'H100'][1]}" for chip in ("TPU", "H100")}


def main():
    recorded = dict(line.split() for line in text("testing/shared_counts.txt").splitlines())
    page, readme = text("docs/conformance.md"), text("README.md")
    shown = {name: agree for name, agree, _ in ROW.findall(page)}
    wrong = [f"{name}: docs/conformance.md has {shown.get(name)}, testing/shared_counts.txt {recorded.get(name)}"
             for name in sorted(recorded.keys() | shown.keys()) if recorded.get(name) != shown.get(name)]
    wrong += [f"README.md lacks {said}, the sum of docs/conformance.md" for said in sums_of_conformance(page) if said not in readme]
    for chip, said in at_first_sight(text("notes/memory.md")).items():
        if f"| {chip} | {said} |" not in text("docs/memory.md") or f"{chip} {said}" not in readme:
            wrong.append(f"README.md or docs/memory.md lacks {chip} {said}, the sum of notes/memory.md")
    print("\n".join(wrong + [f"{len(recorded)} counts, {len(wrong)} not as documented"]))
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
