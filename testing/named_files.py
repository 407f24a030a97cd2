#!/usr/bin/env python3
"""Every source file that a comment or a manual names is there.

    testing/named_files.py

Looks at the comments of C++ and at Markdown for names such as `freeze.h` or `run/freeze.cc`; prints
`file:line: name` for each that no file of the repository ends with, and exits with 1 if there is one.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NAME = re.compile(r"(?<![\w/.<*-])((?:[\w-]+/)*[a-z][\w-]*\.(?:cc|h|inc|proto))\b(?!\()")
COMMENT = re.compile(r"(?:^|\s)//(.*)")
# Of other projects, and what is made by a build.
FOREIGN = re.compile(r"^(absl|google|gtest|gmock|mlir|llvm|xla|stdlib|sys)/|\.pb\.h$")
# Files that an instruction tells the reader to make, or a user's own.
EXAMPLES = {"a.cc", "b.cc", "x.cc", "x.h", "malloc.h"}


def text_of(path, line):
    if path.endswith(".md"):
        return line
    comment = COMMENT.search(line)
    return comment.group(1) if comment and "#include" not in line else ""


def main():
    paths = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split()
    ends = set()
    for path in paths:
        parts = path.split("/")
        ends.update("/".join(parts[i:]) for i in range(len(parts)))
    missing = 0
    for path in paths:
        if not path.endswith((".cc", ".h", ".inc", ".md")) or path == "CHANGELOG.md":
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for name in NAME.findall(text_of(path, line)):
                    plain = name[len("tessera/"):] if name.startswith("tessera/") else name
                    if plain in ends or FOREIGN.search(name) or name in EXAMPLES:
                        continue
                    missing += 1
                    print(f"{path}:{number}: {name}")
    print(f"{missing} names of files that are not there")
    return missing > 0


if __name__ == "__main__":
    sys.exit(main())
