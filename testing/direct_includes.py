#!/usr/bin/env python3
"""Each file includes headers of its own target and of its target's direct dependencies only.

    testing/direct_includes.py

Asks Bazel for all targets at once; prints `file: "header" is of //target, which is no dependency`
and exits with 1 if there is such a file. What is reached only through another dependency breaks
when that one changes.
"""

import collections
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
INCLUDE = re.compile(r'^#include "tessera/([^"]+)"', re.MULTILINE)
RULES = ("cc_library", "cc_test", "cc_binary")
JOINED = "_joined_source"  # of several sources one (third_party/bazel/joined.bzl)


def targets():
    """{label: {"srcs": [..], "hdrs": [..], "deps": [..]}} of all C++ rules and aliases."""
    found = subprocess.run(
        ["./bazelw", "query", "--noshow_progress", "--output=xml", "//..."],
        cwd=ROOT, check=True, capture_output=True, text=True)
    rules = {}
    for rule in xml.fromstring(found.stdout).iter("rule"):
        lists = {"kind": rule.get("class"), "actual": None}
        for part in rule.findall("list"):
            lists[part.get("name")] = [label.get("value") for label in part.findall("label")]
        for part in rule.findall("label"):
            lists[part.get("name")] = part.get("value")
        rules[rule.get("name")] = lists
    return rules


def path_of(label):
    return label.replace("//", "", 1).replace(":", "/").lstrip("/")


def files_of(rule, rules):
    """Sources and headers of a rule; those that are compiled as one each by itself."""
    for label in rule.get("srcs", []) + rule.get("hdrs", []):
        source = rules.get(label, {})
        yield from map(path_of, source["srcs"] if source.get("kind") == JOINED else [label])


def main():
    rules = targets()
    owners = collections.defaultdict(set)  # header: targets
    for label, rule in rules.items():
        if rule["kind"] in RULES:
            for header in rule.get("hdrs", []):
                owners[path_of(header)].add(label)
    # What a proto library makes has no header in any list.
    wrong = 0
    for label, rule in sorted(rules.items()):
        if rule["kind"] not in RULES:
            continue
        near = {label}
        for dep in rule.get("deps", []):
            while rules.get(dep, {}).get("kind") == "alias":
                near.add(dep)
                dep = rules[dep]["actual"]
            near.add(dep)
        own = set(files_of(rule, rules))
        for file in sorted(own):
            if not file.endswith((".cc", ".h")) or not os.path.exists(os.path.join(ROOT, file)):
                continue
            with open(os.path.join(ROOT, file), encoding="utf-8") as text:
                included = INCLUDE.findall(text.read())
            for header in included:
                if header in own or not owners[header] or owners[header] & near:
                    continue
                owner = sorted(owners[header])[0]
                print(f'{file}: "{header}" is of {owner}, which is no dependency of {label}')
                wrong += 1
    print(f"{wrong} includes of what is no direct dependency")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
