#!/usr/bin/env python3
"""HLO modules of one op each whose arrays lie at random, with final shardings, for comparing collectives.

    sharded_ops.py FOLDER FIRST COUNT [--ops dot,reshape] [--forms named,v1,list] [--uneven]   # FOLDER/dot_17.hlo, ..
    live.py --final FOLDER                                                                     # beside XLA's partitioner, alone

The ops are those of random_ops.py; gathers and scatters have a file of their own, indexed_ops.py, whose shardings these are. With --uneven an
axis may shard a dimension that it does not divide.
"""

import argparse
import math
import pathlib
import random
import re

import indexed_ops
import random_ops

OPS = {
    op.__name__.strip("_"): op
    for op in (random_ops.reshape, random_ops.dot, random_ops.convolution, random_ops.reduce_window, random_ops.broadcast, random_ops.transpose,
               random_ops.slice_, random_ops.dynamic_slice, random_ops.dynamic_update_slice, random_ops.reduce, random_ops.sort,
               random_ops.concatenate, random_ops.pad, random_ops.unary)
}


def dims_of(text):
    return [int(d) for d in re.match(r"\w+\[([\d,]*)\]", text).group(1).split(",") if d]


def is_rewritten(name, instruction, shapes):
    """On the way to the compiler, StableHLO makes a reshape of such an op, or nothing; it mistakes the dimensions of a convolution without any."""
    if name == "convolution":
        return "window=" not in instruction
    if name == "transpose":
        order = [int(d) for d in re.search(r"dimensions=\{([\d,]*)\}", instruction).group(1).split(",")]
        moved = [d for d in order if dims_of(shapes[0])[d] > 1]
        return moved == sorted(moved)
    return name in ("broadcast", "slice", "pad") and math.prod(dims_of(instruction)) == math.prod(dims_of(shapes[0]))


class Draw(indexed_ops.Draw):

    def __init__(self, seed, forms, is_uneven):
        super().__init__(seed, forms)
        self.is_uneven = is_uneven

    def fits(self, size, shards):
        return size >= shards if self.is_uneven else super().fits(size, shards)


def module(seed, ops, forms, is_uneven):
    draw, random_op = Draw(seed, forms, is_uneven), random_ops.Draw(seed)
    name = random.Random(seed).choice(ops)
    instruction, shapes, computation = OPS[name](random_op)
    while is_rewritten(name, instruction, shapes):
        instruction, shapes, computation = OPS[name](random_op)
    lines = [f'  p{n} = {text} parameter({n}), sharding={draw.sharding(dims_of(text))}, metadata={{op_name="p{n}"}}' for n, text in enumerate(shapes)]
    lines.append(f'  ROOT op = {instruction}, sharding={draw.sharding(dims_of(instruction))}, metadata={{op_name="op"}}')
    body = "\n".join(lines)
    return name, f"HloModule {name}_{seed}, num_partitions=8\n\n{computation}\nENTRY e {{\n{body}\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--ops", default=",".join(OPS), help="%(default)s")
    parser.add_argument("--forms", default=",".join(indexed_ops.FORMS), help="of shardings: %(default)s")
    parser.add_argument("--uneven", action="store_true", help="axes need not divide the dimensions that they shard")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.first, options.first + options.count):
        name, text = module(seed, options.ops.split(","), options.forms.split(","), options.uneven)
        (options.folder / f"{name}_{seed}.hlo").write_text(text)


if __name__ == "__main__":
    main()
