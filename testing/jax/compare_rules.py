"""Compares the rules of random ops: those that the installed pass leaves in its dumps, and those of `tessera rules` for that release.

    python testing/jax/compare_rules.py --seeds 1000 [--first 0] [--tessera bazel-bin/pipeline/tessera]

Exit status 1 if any rule differs; the module and both rules are printed.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

import jaxlib

import random_ops
from real_pass import RealPass

RULE = re.compile(r"#sdy\.op_sharding_rule<(.*?)>(?=[,}])")


class RealRules(RealPass):
    """Keeps the rules that stand in the pass's own dump after propagation."""

    def _collect(self):
        dumps = super()._collect()
        folder = pathlib.Path(self.folder.name) / "shardy"
        texts = [path.read_text() for path in folder.glob("**/*.after_propagation.mlir")]
        shutil.rmtree(folder, ignore_errors=True)
        dumps.rules = interesting(rule for text in texts for rule in RULE.findall(text))
        return dumps


def interesting(rules):
    """With their number; rules of scalars say nothing."""
    return collections.Counter(rule for rule in rules if "{" in rule)


def tessera_rules(binary, module):
    command = [binary, "rules", "-", f"--reference={jaxlib.__version__}"]
    run = subprocess.run(command, input=module, capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    lines = (line.split(": ", 1)[1] for line in run.stdout.splitlines())
    return interesting(line for line in lines if not line.startswith("none"))


def compare(reference, binary, seed):
    """True, False, or None if the reference refuses the module."""
    dumps = reference.run_hlo(random_ops.random_op_module(seed))
    if not dumps.before:
        return None
    ours = tessera_rules(binary, dumps.before)
    if ours == dumps.rules:
        return True
    print(f"seed {seed}\n{dumps.before}\nreal    {dict(dumps.rules)}\ntessera {ours}\n")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--tessera", default="bazel-bin/pipeline/tessera")
    arguments = parser.parse_args()
    with RealRules(devices=2) as reference:
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        found = collections.Counter(compare(reference, arguments.tessera, seed) for seed in seeds)
    print(f"{found[True]} agree, {found[False]} differ, {found[None]} refused by the reference")
    return 1 if found[False] else 0


if __name__ == "__main__":
    sys.exit(main())
