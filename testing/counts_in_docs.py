#!/usr/bin/env python3
"""The counts in docs/conformance.md are those that testing/shared_counts.txt records.

    testing/counts_in_docs.py

Prints each count that the page lacks, and each row of its tables that the file lacks; exits with 1 if there is one.
"""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ROW = re.compile(r"^\| ([\w./]+) \| (\d+) \| \d+ \| \d+ \|$")


def main():
    with open(os.path.join(ROOT, "testing/shared_counts.txt")) as file:
        recorded = dict(line.split() for line in file)
    with open(os.path.join(ROOT, "docs/conformance.md")) as file:
        shown = dict(match.groups() for match in map(ROW.match, file) if match)
    wrong = sorted(name for name in recorded.keys() | shown.keys() if recorded.get(name) != shown.get(name))
    for name in wrong:
        print(f"{name}: docs/conformance.md has {shown.get(name)}, testing/shared_counts.txt {recorded.get(name)}")
    print(f"{len(recorded)} counts, {len(wrong)} of them not as documented")
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
