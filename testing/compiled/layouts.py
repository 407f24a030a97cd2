#!/usr/bin/env python3
"""Compares the layouts that the rule of TPUs gives with those that the compiler took: arguments and results of finished programs.

    layouts.py TESSERA FOLDER [--only=NAME]

FOLDER holds NAME.TOPOLOGY.final.hlo.xz and NAME.TOPOLOGY.json, which names the program before its compilation. `tessera layout STEP --target` says how
each argument and result will lie; the header of the finished program says how it does. A line for each program where they differ, then the sum.

Exit status 0, or 1 where tessera refuses a program or a layout differs.
"""

import argparse
import json
import re
import subprocess
import sys

from predicted import programs, target_of

ARRAY = re.compile(r"[a-z][a-z0-9]*\[[\d,]*\]\{[^}]*\}")


def border_of(text):
    """The arrays of entry_computation_layout with their layouts, as often as they are there."""
    header = text.split("\n", 1)[0]
    return ARRAY.findall(header[header.index("entry_computation_layout=") :])


def predicted(tessera, step, target):
    run = subprocess.run([tessera, "layout", str(step), f"--target={target}", "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    arrays = json.loads(run.stdout)["arrays"]
    return {one["shape"].partition("{")[0]: one["shape"] for one in arrays if one["kind"] in ("argument", "result")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    same, different, failed = 0, 0, False
    for name, record, step, text in programs(options.folder, options.only):
        if record["platform"] != "tpu":
            continue
        try:
            rule = predicted(options.tessera, step, target_of(record["topology"]))
        except RuntimeError as error:
            print(f"{name}: {error}")
            failed = True
            continue
        actual = border_of(text.decode())
        wrong = [array for array in actual if rule.get(array.partition("{")[0], array) != array]
        same += sum(array.partition("{")[0] in rule for array in actual) - len(wrong)
        different += len(wrong)
        if wrong:
            print(f"{name}: " + ", ".join(f"{array} is predicted as {rule[array.partition('{')[0]]}" for array in sorted(set(wrong))))
    print(f"{same} of {same + different} layouts of arguments and results as the rule says")
    return 1 if failed or different or not same else 0


if __name__ == "__main__":
    sys.exit(main())
