#!/usr/bin/env python3
"""Compares what `tessera suggest` finds with the shardings that programs were written with, both compiled by the real TPU compiler.

    suggested.py TESSERA FOLDER PYTHON NAME[.TOPOLOGY] ..

FOLDER holds NAME.TOPOLOGY.json, which names the lowered program (.hlo) and the topology: v5e_2x4. PYTHON has jax[tpu]. A program goes through
`tessera suggest --confirm=1`: the compiler gets it with its own annotations and with the suggested ones. In these, a result that takes the place of a
donated argument has the sharding of that argument, so that the step can be repeated. A line of a table for each program, written / suggested:

    | program | time | kernels | waiting | memory | sent | predicted |

time is kernels, by the cycles that the compiler states, and waiting for links (docs/cost.md); memory is its reported peak; predicted is the time
before compilation. Then how many suggestions are faster than what was written, alike within 1 %, or slower. Exit status 1 where one is slower.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import targets

ALIKE = 0.01


def program_of(folder, name):
    """The record of a program on its first TPU, or on the topology of the name: gpt_tp.v6e_2x4."""
    base, _, topology = name.partition(".")
    for path in sorted(folder.glob(f"{base}.{topology or '*'}.json")):
        record = json.loads(path.read_text())
        chip, _, sides = record["topology"].partition(":")
        target = targets.CHIPS.get(chip, "")
        if target.startswith("tpu"):
            return folder / pathlib.Path(record["hlo"]).name, f"{target}:{sides}"
    raise SystemExit(f"{folder} has no TPU program {name}")


def suggested(tessera, program, target, python, flags):
    command = [tessera, "suggest", program, f"--target={target}", "--confirm=1", f"--python={python}", "--json", *flags]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def rows_of(answer):
    """Of what the module says and of what was found, which may be the same."""
    written = answer["confirmed"][0]
    found = " ".join(one["annotate"] for one in answer["annotations"])
    return written, next((row for row in answer["confirmed"] if row["what"] == found), written if not found else None)


def cells(written, found):
    """Both numbers of each column."""
    columns = [[row["compiled"].get(key) for row in (written, found)] for key in ("seconds", "device_seconds", "network_seconds", "memory", "sent")]
    columns.append([row["predicted"].get("seconds") for row in (written, found)])
    units = [1e-3, 1e-3, 1e-3, 2**30, 2**20, 1e-3]
    return [" / ".join("refused" if n is None else f"{n / unit:.2f}" for n in pair) for pair, unit in zip(columns, units)]


def verdict(written, found):
    before, after = (row["compiled"].get("seconds") for row in (written, found))
    if after is None or before is None:
        return "slower" if after is None else "faster"
    return "alike" if abs(after / before - 1) <= ALIKE else "faster" if after < before else "slower"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("python")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--answers", type=pathlib.Path, help="a folder for the JSON of each answer")
    options, flags = parser.parse_known_args()
    counts = {"faster": 0, "alike": 0, "slower": 0}
    print("| program | time, ms | kernels | waiting | memory, GiB | sent, MiB | predicted, ms | |\n|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.names:
        answer = suggested(options.tessera, *program_of(options.folder, name), options.python, flags)
        if options.answers:
            (options.answers / f"{name}.json").write_text(json.dumps(answer, indent=1))
        written, found = rows_of(answer)
        counts[verdict(written, found)] += 1
        print(f"| `{name}` | {' | '.join(cells(written, found))} | {verdict(written, found)} |", flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in counts.items()) + f" of {len(options.names)}")
    return 1 if counts["slower"] else 0


if __name__ == "__main__":
    sys.exit(main())
