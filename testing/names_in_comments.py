#!/usr/bin/env python3
"""What comments and manuals name is there.

    testing/names_in_comments.py

Files: names such as `driver.h` or `run/driver.cc` in comments of C++ and in Markdown. Functions, types and
constants: names such as `ParseShape` or `kNoId` in comments of C++, which must stand in some line of code. Names after
`XLA:` are XLA's, up to the end of the paragraph.
Prints `file:line: name` for each that is nowhere, and exits with 1 if there is one.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FILE = re.compile(r"(?<![\w/.<*-])((?:[\w-]+/)*[a-z][\w-]*\.(?:cc|h|inc|proto))\b(?!\()")
NAME = re.compile(r"(?<![\w.:/`\"'-])(?:\w+::)*((?:[A-Z][a-z0-9]+){2,}|k(?:[A-Z][a-z0-9]+)+)\b(?!\.\.)")
COMMENT = re.compile(r"(?:^|\s)//(.*)")
CPP = (".cc", ".h", ".inc")
# Of other projects, and what is made by a build.
FOREIGN = re.compile(r"^(absl|google|gtest|gmock|mlir|llvm|xla|stdlib|sys)/|\.pb\.h$")
# Files that an instruction tells the reader to make, or a user's own.
EXAMPLES = {"a.cc", "b.cc", "x.cc", "x.h", "malloc.h"}
# Codes of a status, words, what is XLA's, and what an example makes.
KNOWN = {"AlreadyExists", "DeadlineExceeded", "GitHub", "FailedPrecondition", "InvalidArgument", "NotFound", "OutOfRange", "ResourceExhausted", "Unimplemented",
         "kFailedPrecondition", "AddressSanitizer", "JavaScript", "HloPrintOptions", "CheckLayoutSize", "GreetVerb", "ReadPair"}


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        yield from enumerate(file, 1)


def comment_of(path, line):
    if path.endswith(".md"):
        return line
    comment = COMMENT.search(line)
    return comment.group(1) if comment and "#include" not in line else ""


def words_of_code(paths):
    words = set()
    for path in paths:
        if path.endswith(CPP + (".proto",)):
            for _, line in lines_of(path):
                words.update(re.findall(r"\w+", COMMENT.sub("", line)))
    return words


def own_text(text, is_foreign):
    """The comment without the paragraph after `XLA:`, and whether the next line goes on with that paragraph."""
    own, mark, _ = ("", "XLA:", text) if is_foreign else text.partition("XLA:")
    return own, bool(mark and text.strip())


def missing_in(path, ends, words):
    is_foreign = False
    for number, line in lines_of(path):
        text, is_foreign = own_text(comment_of(path, line), is_foreign)
        for name in FILE.findall(text):
            plain = name[len("tessera/"):] if name.startswith("tessera/") else name
            if plain not in ends and not FOREIGN.search(name) and name not in EXAMPLES:
                yield f"{path}:{number}: {name}"
        for name in NAME.findall(text) if path.endswith(CPP) else []:
            if name not in words and name not in KNOWN and not (name.endswith("s") and name[:-1] in words):
                yield f"{path}:{number}: {name}"


def main():
    paths = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    ends = {"/".join(parts[i:]) for path in paths for parts in [path.split("/")] for i in range(len(parts))}
    words = words_of_code(paths)
    read = [path for path in paths if path.endswith(CPP + (".md",)) and path != "CHANGELOG.md"]
    missing = [line for path in read for line in missing_in(path, ends, words)]
    print(*missing, f"{len(missing)} names in comments of what is not there", sep="\n")
    return len(missing) > 0


if __name__ == "__main__":
    sys.exit(main())
