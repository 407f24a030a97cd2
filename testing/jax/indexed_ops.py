#!/usr/bin/env python3
"""HLO modules of one gather or scatter whose arrays lie at random, with final shardings, for comparing collectives.

    indexed_ops.py FOLDER FIRST COUNT [--forms named,v1,list]   # FOLDER/scatter_17.hlo, ..; the same seed gives the same module for ever
    live.py --final FOLDER                                      # beside the partitioner of the installed jaxlib, alone

Programs in JAX have named shardings, and Shardy makes the arrays of an op lie mostly alike. Modules of other sources have V1 forms and lists
of devices. Here the form, too, is drawn for each array. Odd seeds are gathers, and every third seed has explicit batch dimensions.
"""

import argparse
import itertools
import pathlib
import random

AXES = "xyz"  # of two devices each
FORMS = ("named", "v1", "list")


def commas(numbers):
    return ",".join(map(str, numbers))


def array(dims, element="f32"):
    return f"{element}[{commas(dims)}]{{{commas(reversed(range(len(dims))))}}}"


class Draw:

    def __init__(self, seed, forms):
        self.random = random.Random(seed)
        self.forms = forms
        self.ids = self.random.sample(range(8), 8) if self.random.random() < 0.6 else None

    def axes(self, dims):
        """The axes that shard each dimension."""
        out = [[] for _ in dims]
        if not dims:
            return out
        for axis in self.random.sample(AXES, len(AXES)):
            dim = self.random.randrange(len(dims))
            if self.random.random() < 0.6 and self.fits(dims[dim], 2**(len(out[dim]) + 1)):
                out[dim].append(axis)
        return out

    def fits(self, size, shards):
        return size % shards == 0

    def sharding(self, dims):
        axes, form = self.axes(dims), self.random.choice(self.forms)
        if form == "named":
            ids = f", device_ids=({commas(self.ids)})" if self.ids else ""
            listed = ", ".join("{" + ", ".join(f"'{a}'" for a in names) + "}" for names in axes)
            return f"{{mesh['x'=2,'y'=2,'z'=2]{ids}, [{listed}]}}"
        used = list(itertools.chain(*axes))
        if not used:
            return "{replicated}"
        rest = [a for a in AXES if a not in used]
        tiles = [2**len(names) for names in axes] + ([2**len(rest)] if rest else [])
        tail = " last_tile_dim_replicate" if rest else ""
        return f"{{devices=[{commas(tiles)}]{self.devices(used + rest, form)}{tail}}}"

    def devices(self, order, form):
        if form == "v1":
            return f"<=[2,2,2]T({commas(AXES.index(a) for a in order)})"
        ids = self.ids or range(8)
        bits = (dict(zip(order, values)) for values in itertools.product((0, 1), repeat=3))
        return commas(ids[4 * at["x"] + 2 * at["y"] + at["z"]] for at in bits)


class Numbers:
    """Dimension numbers: batches, then indexed and other dimensions of the table."""

    def __init__(self, draw, has_batches):
        rnd = draw.random
        batches = [rnd.choice([4, 8]) for _ in range(rnd.choice([1, 1, 2]) if has_batches else 0)]
        table = [rnd.choice([4, 8, 12]) for _ in range(rnd.choice([1, 2] if has_batches else [2, 3]))]
        first, rank = len(batches), len(batches) + len(table)
        self.operand = batches + table
        self.index_map = sorted(rnd.sample(range(first, rank), rnd.randint(1, len(table))), key=lambda _: rnd.random())
        self.slices = [1] * first + [self.slice_of(rnd, dim) for dim in range(first, rank)]
        self.collapsed = [dim for dim in range(first, rank) if self.slices[dim] == 1 and rnd.random() < 0.6]
        self.batches = range(first)
        lookups = [rnd.choice([8, 16]) for _ in range(rnd.choice([0, 1] if has_batches else [1, 2]))]
        self.indices = batches + lookups + [len(self.index_map)]
        windows = [self.slices[dim] for dim in range(first, rank) if dim not in self.collapsed]
        self.output = batches + lookups + windows
        self.windows = range(len(batches + lookups), len(self.output))

    def slice_of(self, rnd, dim):
        whole = self.operand[dim]
        return rnd.choice([1, 2, whole] if dim in self.index_map else [whole, whole, whole // 2])


def gather(draw, n):
    batches = f", operand_batching_dims={{{commas(n.batches)}}}, start_indices_batching_dims={{{commas(n.batches)}}}" if n.batches else ""
    return f"""HloModule gather, num_partitions=8

ENTRY %main (t: f32[{commas(n.operand)}], i: s32[{commas(n.indices)}]) -> f32[{commas(n.output)}] {{
  %t = {array(n.operand)} parameter(0), sharding={draw.sharding(n.operand)}, metadata={{op_name="t"}}
  %i = {array(n.indices, "s32")} parameter(1), sharding={draw.sharding(n.indices[:-1] + [1])}, metadata={{op_name="i"}}
  ROOT %y = {array(n.output)} gather(%t, %i),
      offset_dims={{{commas(n.windows)}}}, collapsed_slice_dims={{{commas(n.collapsed)}}},
      start_index_map={{{commas(n.index_map)}}}{batches}, index_vector_dim={len(n.indices) - 1},
      slice_sizes={{{commas(n.slices)}}}, sharding={draw.sharding(n.output)}, metadata={{op_name="y"}}
}}
"""


def scatter(draw, n):
    batches = f", input_batching_dims={{{commas(n.batches)}}}, scatter_indices_batching_dims={{{commas(n.batches)}}}" if n.batches else ""
    return f"""HloModule scatter, num_partitions=8

%add_ (a: f32[], b: f32[]) -> f32[] {{
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %r = f32[] add(%a, %b)
}}

ENTRY %main (t: f32[{commas(n.operand)}], i: s32[{commas(n.indices)}], u: f32[{commas(n.output)}]) -> f32[{commas(n.operand)}] {{
  %t = {array(n.operand)} parameter(0), sharding={draw.sharding(n.operand)}, metadata={{op_name="t"}}
  %i = {array(n.indices, "s32")} parameter(1), sharding={draw.sharding(n.indices[:-1] + [1])}, metadata={{op_name="i"}}
  %u = {array(n.output)} parameter(2), sharding={draw.sharding(n.output)}, metadata={{op_name="u"}}
  ROOT %y = {array(n.operand)} scatter(%t, %i, %u),
      update_window_dims={{{commas(n.windows)}}}, inserted_window_dims={{{commas(n.collapsed)}}},
      scatter_dims_to_operand_dims={{{commas(n.index_map)}}}{batches}, index_vector_dim={len(n.indices) - 1},
      to_apply=%add_, sharding={draw.sharding(n.operand)}, metadata={{op_name="y"}}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--forms", default=",".join(FORMS), help="of shardings: %(default)s")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.first, options.first + options.count):
        draw = Draw(seed, options.forms.split(","))
        kind = gather if seed % 2 else scatter
        numbers = Numbers(draw, has_batches=seed % 3 == 0)
        (options.folder / f"{kind.__name__}_{seed}.hlo").write_text(kind(draw, numbers))


if __name__ == "__main__":
    main()
