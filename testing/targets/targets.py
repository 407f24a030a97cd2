#!/usr/bin/env python3
"""Compares `tessera collectives --target` with what the real compilers made of programs.

    targets.py TESSERA FOLDER [--only=NAME] [--show]

FOLDER holds NAME.TOPOLOGY.partitioned.hlo.xz, the module after the SPMD partitioner, NAME.hlo or NAME.TOPOLOGY.hlo, the lowered one, and
NAME.TOPOLOGY.json, the truth: `collectives` of the final module. tessera reads both. A line for each program and text, then the shares of each
chip, those of lowered texts as CHIP-lowered:

    calls     every call agrees: opcode, types and element counts of its arrays, groups, runs
    bytes     bytes that a device sends, within 1 % for each opcode
    total     bytes that a device sends, within 10 %
    forms     calls of GPUs that agree: whether they are synchronous, which is predicted

--show prints the calls that only one side has. Exit status 1 if tessera fails on a program, or if an answer for a TPU lacks the counted
shares.
"""
import argparse
import collections
import itertools
import json
import lzma
import math
import pathlib
import re
import subprocess
import sys
import tempfile

CHIPS = {"a100_sxm_80": "a100", "h100_sxm": "h100", "h200": "h200", "b200": "b200", "v5e": "tpu-v5e", "v5p": "tpu-v5p",
         "v6e": "tpu-v6e"}
BITS = {"pred": 8, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "s16": 16, "u16": 16, "s64": 64, "u64": 64, "bf16": 16, "f16": 16, "f64": 64,
        "c64": 64, "c128": 128, "f8e4m3fn": 8, "f8e5m2": 8}


SAID = set()                                           # the shares that answers for TPUs claim


def arrays(shape):
    """[(type, dimensions)] of an array or a tuple of arrays"""
    found = re.findall(r"([a-z][a-z0-9]*)\[([0-9,]*)\]", shape)
    return [(kind, tuple(int(d) for d in dims.split(",") if d)) for kind, dims in found]


def iota(text):
    """[4,2]<=[2,4]T(1,0) as lists of devices"""
    sizes, source, order = re.fullmatch(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text).groups()
    source = [int(s) for s in source.split(",")]
    order = [int(o) for o in order.split(",")] if order else list(range(len(source)))
    strides = [math.prod(source[k + 1:]) for k in range(len(source))]
    ids = [sum(i * strides[o] for i, o in zip(index, order)) for index in itertools.product(*(range(source[o]) for o in order))]
    size = int(sizes.split(",")[-1])
    return [ids[k:k + size] for k in range(0, len(ids), size)]


def on_mesh(text):
    """mesh['a'=2,'b'=4] {'b'} as lists of devices; axes may have parts: 'b':(2)2"""
    axes, order, along = re.fullmatch(r"(?:@\w+ )?mesh\[([^\]]*)\](?:, device_ids=\(([^)]*)\))? \{([^}]*)\}", text).groups()
    sizes = [(name, int(size)) for name, size in re.findall(r"'([^']+)'=(\d+)", axes)]
    cuts = {name: [(1, size)] for name, size in sizes}
    wanted = []
    for name, before, size in re.findall(r"'([^']+)'(?::\((\d+)\)(\d+))?", along):
        whole = dict(sizes)[name]
        before, size = (int(before), int(size)) if before else (1, whole)
        wanted.append((name, before, size))
        cuts[name] = sorted({cut for cut in (*cuts[name], (before, size)) if cut != (1, whole)}) or [(1, whole)]
    factors = []                                       # (axis, devices before it on the axis, its size), major first
    for name, whole in sizes:
        at = 1
        for before, size in cuts[name]:
            if before > at:
                factors.append((name, at, before // at))
            factors.append((name, before, size))
            at = before * size
        if at < whole:
            factors.append((name, at, whole // at))
    ids = ([int(d) for d in order.split(",")] if order and order[0].isdigit()
           else list(itertools.chain(*iota(f"[1,{math.prod(s for _, s in sizes)}]<={order}"))) if order
           else list(range(math.prod(size for _, size in sizes))))
    strides = [math.prod(f[2] for f in factors[k + 1:]) for k in range(len(factors))]
    inner = [factors.index(w) for w in wanted]
    outer = [k for k in range(len(factors)) if k not in inner]
    place = lambda chosen, index: sum(i * strides[k] for i, k in zip(index, chosen))
    return [[ids[place(outer, o) + place(inner, i)] for i in itertools.product(*(range(factors[k][2]) for k in inner))]
            for o in itertools.product(*(range(factors[k][2]) for k in outer))]


def groups(text, devices):
    """Groups or source-target pairs as lists."""
    if not text or text == "{}":
        return [list(range(devices))]
    if text.startswith("{"):
        return [[int(d) for d in group.split(",") if d] for group in re.findall(r"\{([\d,]*)\}", text)]
    return iota(text) if text.startswith("[") else on_mesh(text)


def call(op, shapes, devices, runs):
    """What has to agree; the order of the devices of a sum means nothing."""
    size = lambda dims: math.prod(dims)
    listed = [tuple(sorted(g)) if op == "all-reduce" else tuple(g) for g in devices]
    return (op, tuple(sorted((kind, size(dims)) for kind, dims in shapes)), tuple(sorted(listed)), runs)


def sent(one):
    """Bytes by each device in all runs, by ring formulas."""
    op, shapes, devices, runs = one
    out = sum(BITS.get(kind, 32) * elements for kind, elements in shapes) / 8
    n = len(devices[0]) if devices else 1
    if op == "collective-permute":
        return runs * out if any(a != b for a, b in devices) else 0
    factor = {"all-reduce": 2 * (n - 1) / n, "reduce-scatter": n - 1}.get(op, (n - 1) / n)
    return runs * out * factor


def shapes_of(one):
    """Arrays of a result. A TPU's reduce-scatter is a fused sum and slice, recorded with the shape of the sum."""
    listed = [a for s in one["shapes"] for a in arrays(s)]
    if one["op"] != "reduce-scatter" or one.get("form") != "fusion":
        return listed
    return [(kind, (math.prod(dims) // one["group_size"],)) for kind, dims in listed]


def truth_of(record):
    texts, count = record["groups"], record["devices"]
    return [call(c["op"], shapes_of(c), groups(texts[c["groups"]], count), c["runs"]) for c in record["collectives"]]


def forms_of(record):
    """By collective: whether it is synchronous; of a TPU nothing, where it is a rule."""
    said = lambda c: c["synchronous"] if "synchronous" in c else {"sync": True, "async": False}.get(c.get("form"))
    return [said(c) if record["topology"].startswith(("a100", "h100", "h200", "b200")) else None for c in record["collectives"]]


def forms_that_agree(ours, truth):
    """(calls with the same form, calls that both sides have with a form), of lists of (call, form)"""
    mine, theirs = ([one for one in side if one[1] is not None] for side in (ours, truth))
    same = sum((collections.Counter(mine) & collections.Counter(theirs)).values())
    both = sum((collections.Counter(c for c, _ in mine) & collections.Counter(c for c, _ in theirs)).values())
    return same, both


def answer_of(tessera, path, target, devices):
    run = subprocess.run([tessera, "collectives", path, f"--target={target}", "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip())
    if target.startswith("tpu"):
        SAID.add(run.stderr.partition("libtpu compiled: ")[2].partition(" on which")[0].partition(" (")[0])
    listed = json.loads(run.stdout)["collectives"]
    return [(call(c["op"], arrays(c["shape"]), groups(c["devices"], devices), c["runs"]), c.get("synchronous")) for c in listed]


def near(a, b, share):
    return abs(a - b) <= share * max(abs(b), 64)


def by_opcode(calls):
    sums = collections.Counter()
    for one in calls:
        sums[one[0]] += sent(one)
    return sums


def compare(ours, truth):
    mine, theirs = by_opcode(ours), by_opcode(truth)
    return {"calls": collections.Counter(ours) == collections.Counter(truth),
            "bytes": all(near(mine[op], theirs[op], 0.01) for op in {*mine, *theirs}),
            "total": near(sum(mine.values()), sum(theirs.values()), 0.1)}


def show(sign, calls):
    for (op, shapes, devices, runs), count in sorted(calls.items()):
        text = " ".join(f"{kind}[{n}]" for kind, n in shapes)
        print(f"    {sign} {count} x {op} {text[:160]} groups of {len(devices[0])}: {str(devices[0])[:60]} x{runs}")


def show_forms(answer, truth, forms):
    words = {True: "synchronous", False: "asynchronous"}
    sides = collections.Counter(answer), collections.Counter(zip(truth, forms))
    for sign, one, other in (("-", sides[1], sides[0]), ("+", sides[0], sides[1])):
        for (c, form), count in sorted((one - other).items(), key=str):
            if form is not None and c in truth:
                print(f"    {sign} {count} {words[form]} {c[0]} {str(c[1])[:60]} groups of {len(c[2][0])} x{c[3]}")


def programs(folder, only):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        chip = CHIPS.get(record["topology"].partition(":")[0])
        partitioned = path.with_name(path.name.replace(".json", ".partitioned.hlo.xz"))
        if chip and record.get("collectives") is not None and partitioned.exists() and (not only or only in path.name):
            name = path.name.removesuffix(".json")
            yield name, record, chip, chip, lzma.decompress(partitioned.read_bytes())
            yield f"{name} lowered", record, chip, f"{chip}-lowered", path.with_name(pathlib.Path(record["hlo"]).name).read_bytes()


def said_of_tpus(shares):
    """The words that answers have to have; none without programs for TPUs."""
    total = lambda lowered, key: sum(s[key] for chip, s in shares.items() if chip.startswith("tpu") and chip.endswith("-lowered") == lowered)
    return {f"from a {form} module, the bytes of each opcode were within 1 % in {total(lowered, 'bytes')} of {total(lowered, 'programs')} "
            "training and serving steps" for form, lowered in (("lowered", True), ("partitioned", False)) if total(lowered, "programs")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    shares, failed = {}, False
    with tempfile.TemporaryDirectory() as scratch:
        for name, record, chip, share, text in programs(options.folder, options.only):
            file = pathlib.Path(scratch) / "program.hlo"
            file.write_bytes(text)
            truth = truth_of(record)
            sums = shares.setdefault(share, collections.Counter())
            sums["programs"] += 1
            try:
                answer = answer_of(options.tessera, file, f"{chip}:{record['topology'].partition(':')[2]}", record["devices"])
            except RuntimeError as error:
                print(f"{name}: {error}")
                failed = True
                continue
            ours = [one for one, _ in answer]
            verdict = compare(ours, truth)
            same_forms, forms = forms_that_agree(answer, list(zip(truth, forms_of(record))))
            sums.update({"same forms": same_forms, "forms": forms})
            sums.update(key for key, good in verdict.items() if good)
            mine, theirs = collections.Counter(ours), collections.Counter(truth)
            same = sum((mine & theirs).values())
            print(f"{name}: {same} of {len(truth)} calls, ours {len(ours)}; " +
                  ", ".join(f"{key} {'agree' if good else 'DIFFER'}" for key, good in verdict.items()) +
                  (f", forms {same_forms} of {forms}" if forms else ""))
            if options.show:
                show_forms(answer, truth, forms_of(record))
                show("-", theirs - mine)
                show("+", mine - theirs)
    for share, sums in shares.items():
        print(f"{share}: " + ", ".join(f"{key} {sums[key]} of {sums['programs']}" for key in ("calls", "bytes", "total")) +
              (f", forms {sums['same forms']} of {sums['forms']}" if sums["forms"] else ""))
    counted = said_of_tpus(shares)
    if not options.only and SAID != counted:
        print(f"answers for TPUs say {SAID}, counted: {counted}")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
