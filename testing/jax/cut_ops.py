#!/usr/bin/env python3
"""StableHLO modules of one op whose operands and result lie at random, for comparing collectives.

    cut_ops.py FOLDER FIRST COUNT [--only gather,scatter]     # FOLDER/gather_17.mlir, ..; the same seed gives the same module for ever
    live.py --parts collectives --stablehlo FOLDER            # beside the installed jaxlib

Programs of users are propagated, so that the arrays of an op mostly lie alike. Here each array is cut by axes or parts of axes of the mesh
that are drawn for it alone: what the partitioner does where nothing fits is what such modules ask about.
"""

import argparse
import math
import pathlib
import random

SIZES = (2, 4, 6, 8, 8, 12, 16)
MESHES = ((("x", 8),), (("x", 2), ("y", 4)), (("x", 4), ("y", 2)), (("x", 2), ("y", 2), ("z", 2)), (("x", 4),), (("x", 2), ("y", 3)))
PARTS = {8: ((2, 4), (4, 2)), 4: ((2, 2),)}  # how an axis may be cut in two


def tensor(dims, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in dims) + element + ">"


def array(numbers):
    return "array<i64: " + ", ".join(map(str, numbers)) + ">"


def region(*lines, result="f32"):
    body = "\n      ".join(lines)
    return f"({{\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      {body}\n      stablehlo.return %r : tensor<{result}>\n    }}"


def reducer(op):
    return region(f"%r = stablehlo.{op} %p, %q : tensor<f32>")


LESS = region("%r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>", result="i1")
GREATER = LESS.replace("LT", "GE")
ZERO = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n    "


class Draw(random.Random):

    def dims(self, low=1, high=3):
        return [self.choice(SIZES) for _ in range(self.randint(low, high))]

    def each(self, dims, *choices):
        return [self.choice(choices) for _ in dims]

    def shuffled(self, items):
        return self.sample(items, len(items))

    def axes(self, mesh):
        """Whole axes, or both parts of one, as they are written, with their sizes."""
        axes = []
        for name, size in mesh:
            if size in PARTS and self.random() < 0.35:
                major, minor = self.choice(PARTS[size])
                axes += [(name, 1, major), (name, major, minor)]
            else:
                axes.append((name, 0, size))
        return self.shuffled(axes)

    def sharding(self, dims, mesh):
        cuts, parts = [[] for _ in dims], [1] * len(dims)
        for name, before, size in self.axes(mesh):
            if not dims or self.random() < 0.35:
                continue
            d = self.randrange(len(dims))
            is_even = dims[d] % (parts[d] * size) == 0
            # Two parts of an axis that follow each other would have to be written as one.
            follows = bool(cuts[d]) and cuts[d][-1][0] == name and cuts[d][-1][1] * cuts[d][-1][2] == before
            if parts[d] * size > dims[d] or follows or (not is_even and self.random() < 0.75):
                continue
            cuts[d].append((name, before, size))
            parts[d] *= size
        text = lambda axis: f'"{axis[0]}"' + (f":({axis[1]}){axis[2]}" if axis[1] else "")
        return "[" + ", ".join("{" + ", ".join(map(text, cut)) + "}" for cut in cuts) + "]"


# Each function gives the shapes of the operands %a0, %a1, .. (of indices with their element type), that of the result, and the text of %o.


def dot(draw):
    batch, own_left, own_right = draw.dims(0, 2), draw.dims(0, 2), draw.dims(0, 2)
    contracted = draw.dims(0, 2)

    def arranged(own):
        named = [(kind, i, d) for kind, dims in (("b", batch), ("c", contracted), ("o", own)) for i, d in enumerate(dims)]
        named = draw.shuffled(named)
        places = {kind: [at for _, at in sorted((i, at) for at, (k, i, _) in enumerate(named) if k == kind)] for kind in "bco"}
        return [d for _, _, d in named], places, [d for kind, _, d in named if kind == "o"]

    left, of_left, left_out = arranged(own_left)
    right, of_right, right_out = arranged(own_right)
    out = batch + left_out + right_out
    batching = f"batching_dims = {of_left['b']} x {of_right['b']}, " if batch else ""
    return [left, right], out, (f"%o = stablehlo.dot_general %a0, %a1, {batching}contracting_dims = {of_left['c']} x {of_right['c']}"
                                f" : ({tensor(left)}, {tensor(right)}) -> {tensor(out)}")


def convolution(draw):
    size, batch, features, out_features = draw.choice((8, 12, 16)), draw.choice((4, 8)), draw.choice((4, 8)), draw.choice((8, 16))
    kernel = draw.choice((1, 2, 3, size))
    feature_groups = draw.choice((1, 1, 2, 4))
    batch_groups = draw.choice((1, 2, 4)) if feature_groups == 1 else 1
    stride, (low, high) = draw.choice((1, 1, 2)), draw.choice(((0, 0), (1, 1), (1, 0), (kernel - 1, 0)))
    left_dilation, right_dilation = draw.choice((1, 1, 1, 2)), draw.choice((1, 1, 1, 2))
    reach = (size - 1) * left_dilation + 1 + low + high - (kernel - 1) * right_dilation - 1
    if reach < 0:
        return convolution(draw)
    left, right = [size, batch, features], [kernel, features // feature_groups, out_features]
    out = [reach // stride + 1, batch // batch_groups, out_features]
    return [left, right], out, (
        f"%o = stablehlo.convolution(%a0, %a1) dim_numbers = [0, b, f]x[0, i, o]->[0, b, f], window = {{stride = [{stride}], "
        f"pad = [[{low}, {high}]], lhs_dilate = [{left_dilation}], rhs_dilate = [{right_dilation}]}} "
        f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64}}"
        f" : ({tensor(left)}, {tensor(right)}) -> {tensor(out)}")


def reduce_window(draw):
    dims = draw.dims()
    window, stride = draw.each(dims, 1, 1, 2), draw.each(dims, 1, 1, 2)
    padding = draw.each(dims, [0, 0], [0, 0], [1, 1], [1, 0])
    out = [(d + low + high - w) // s + 1 for d, (low, high), w, s in zip(dims, padding, window, stride)]
    return [dims], out, (ZERO + f'%o = "stablehlo.reduce_window"(%a0, %z) <{{padding = dense<{padding}> : tensor<{len(dims)}x2xi64>, '
                         f"window_dimensions = {array(window)}, window_strides = {array(stride)}}}> "
                         f"{reducer(draw.choice(('add', 'maximum')))}) : ({tensor(dims)}, tensor<f32>) -> {tensor(out)}")


def select_and_scatter(draw):
    dims = draw.dims(2, 3)
    window, stride = draw.each(dims, 1, 2), draw.each(dims, 1, 2)
    source = [(d - w) // s + 1 for d, w, s in zip(dims, window, stride)]
    return [dims, source], dims, (ZERO + f'%o = "stablehlo.select_and_scatter"(%a0, %a1, %z) <{{window_dimensions = {array(window)}, '
                                  f"window_strides = {array(stride)}}}> {GREATER}, {reducer('add')[1:]})"
                                  f" : ({tensor(dims)}, {tensor(source)}, tensor<f32>) -> {tensor(dims)}")


def pad(draw):
    dims = draw.dims()
    low, high, interior = draw.each(dims, 0, 0, 1, 2, -1), draw.each(dims, 0, 0, 1, 3, -1), draw.each(dims, 0, 0, 0, 1)
    out = [d + (d - 1) * i + lo + hi for d, lo, hi, i in zip(dims, low, high, interior)]
    if min(out) < 1:
        return pad(draw)
    return [dims], out, (ZERO + f"%o = stablehlo.pad %a0, %z, low = {low}, high = {high}, interior = {interior}"
                         f" : ({tensor(dims)}, tensor<f32>) -> {tensor(out)}")


def slice(draw):
    dims = draw.dims()
    ranges = [(start, draw.choice((d, max(start + 1, d - 1), max(start + 1, d // 2))), draw.choice((1, 1, 2)))
              for d in dims for start in [draw.choice((0, 0, 1, d // 2))]]
    out = [-(-(end - start) // step) for start, end, step in ranges]
    text = ", ".join(f"{start}:{end}:{step}" for start, end, step in ranges)
    return [dims], out, f"%o = stablehlo.slice %a0 [{text}] : ({tensor(dims)}) -> {tensor(out)}"


def concatenate(draw):
    dims = draw.dims()
    dim, pieces = draw.randrange(len(dims)), [list(dims) for _ in range(draw.randint(2, 3))]
    for piece in pieces:
        piece[dim] = draw.choice((2, 4, 6, 8))
    out = dims[:dim] + [sum(piece[dim] for piece in pieces)] + dims[dim + 1:]
    names = ", ".join(f"%a{k}" for k in range(len(pieces)))
    return pieces, out, f"%o = stablehlo.concatenate {names}, dim = {dim} : ({', '.join(map(tensor, pieces))}) -> {tensor(out)}"


def reshape(draw):
    dims = draw.dims()
    left, out = math.prod(dims), []
    for _ in range(draw.randint(1, 3)):
        out.append(draw.choice([d for d in (1, 2, 4, 6, 8, 12, 16) if left % d == 0]))
        left //= out[-1]
    out = draw.shuffled(out + [left])
    return [dims], out, f"%o = stablehlo.reshape %a0 : ({tensor(dims)}) -> {tensor(out)}"


def transpose(draw):
    dims = draw.dims(2)
    order = draw.shuffled(range(len(dims)))
    out = [dims[i] for i in order]
    return [dims], out, f"%o = stablehlo.transpose %a0, dims = {order} : ({tensor(dims)}) -> {tensor(out)}"


def reduce(draw):
    dims = draw.dims(2)
    reduced = sorted(draw.sample(range(len(dims)), draw.randint(1, len(dims) - 1)))
    out = [d for i, d in enumerate(dims) if i not in reduced]
    return [dims], out, (ZERO + f"%o = stablehlo.reduce(%a0 init: %z) applies stablehlo.{draw.choice(('add', 'maximum'))} across "
                         f"dimensions = {reduced} : ({tensor(dims)}, tensor<f32>) -> {tensor(out)}")


def reverse(draw):
    dims = draw.dims()
    return [dims], dims, f"%o = stablehlo.reverse %a0, dims = [{draw.randrange(len(dims))}] : {tensor(dims)}"


def broadcast(draw):
    out = draw.dims(2, 4)
    kept = sorted(draw.sample(range(len(out)), draw.randint(1, len(out) - 1)))
    dims = [out[i] for i in kept]
    return [dims], out, f"%o = stablehlo.broadcast_in_dim %a0, dims = {kept} : ({tensor(dims)}) -> {tensor(out)}"


def add(draw):
    dims = draw.dims()
    return [dims, dims], dims, f"%o = stablehlo.add %a0, %a1 : {tensor(dims)}"


def sort(draw):
    dims = draw.dims()
    return [dims], dims, (f'%o = "stablehlo.sort"(%a0) <{{dimension = {draw.randrange(len(dims))} : i64, is_stable = true}}> {LESS})'
                          f" : ({tensor(dims)}) -> {tensor(dims)}")


def starts(draw, dims):
    text = "".join(f"%i{k} = stablehlo.constant dense<{draw.randint(0, 1)}> : tensor<i32>\n    " for k in range(len(dims)))
    return text, ", ".join(f"%i{k}" for k in range(len(dims))), ", ".join(["tensor<i32>"] * len(dims))


def dynamic_slice(draw):
    dims = draw.dims()
    out = [draw.choice((d, d, d // 2, 1)) for d in dims]
    text, names, types = starts(draw, dims)
    return [dims], out, text + (f"%o = stablehlo.dynamic_slice %a0, {names}, sizes = {out} : ({tensor(dims)}, {types}) -> {tensor(out)}")


def dynamic_update_slice(draw):
    dims = draw.dims()
    update = [draw.choice((d, d, d // 2, 1)) for d in dims]
    text, names, types = starts(draw, dims)
    return [dims, update], dims, text + (f"%o = stablehlo.dynamic_update_slice %a0, %a1, {names}"
                                         f" : ({tensor(dims)}, {tensor(update)}, {types}) -> {tensor(dims)}")


def looked_up(draw):
    """Operand, indices, what is found, and the four attributes that gather and scatter share, with the slices of a gather."""
    dims, counts = draw.dims(2), draw.dims(1, 2)
    dim = draw.randrange(len(dims))
    slices = [1 if i == dim else draw.choice((d, d, d // 2)) for i, d in enumerate(dims)]
    found = [s for i, s in enumerate(slices) if i != dim]
    rank = len(counts) + len(found)
    window = sorted(draw.sample(range(rank), len(found)))
    left = {True: iter(found), False: iter(counts)}
    out = [next(left[i in window]) for i in range(rank)]
    return dims, counts + [1], out, (window, dim, len(counts)), slices


def gather(draw):
    dims, indices, out, (window, dim, vector), slices = looked_up(draw)
    return [dims, (indices, "i32")], out, (
        f'%o = "stablehlo.gather"(%a0, %a1) <{{dimension_numbers = #stablehlo.gather<offset_dims = {window}, collapsed_slice_dims = [{dim}], '
        f"start_index_map = [{dim}], index_vector_dim = {vector}>, indices_are_sorted = false, slice_sizes = {array(slices)}}}>"
        f' : ({tensor(dims)}, {tensor(indices, "i32")}) -> {tensor(out)}')


def scatter(draw):
    dims, indices, updates, (window, dim, vector), _ = looked_up(draw)
    return [dims, (indices, "i32"), updates], dims, (
        f'%o = "stablehlo.scatter"(%a0, %a1, %a2) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {window}, '
        f"inserted_window_dims = [{dim}], scatter_dims_to_operand_dims = [{dim}], index_vector_dim = {vector}>}}> "
        f"{reducer(draw.choice(('add', 'maximum')))})"
        f' : ({tensor(dims)}, {tensor(indices, "i32")}, {tensor(updates)}) -> {tensor(dims)}')


def wide_gather(draw):
    """Indices of three dimensions, so that theirs and the result's axes can agree, be at odds and be missing at once."""
    dims, counts = [16, 16], [16, 16, 16]
    return [dims, (counts + [1], "i32")], [16] + counts, (
        '%o = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], '
        f"start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = {array([16, 1])}}}>"
        f' : ({tensor(dims)}, {tensor(counts + [1], "i32")}) -> {tensor([16] + counts)}')


OPS = (dot, convolution, reduce_window, select_and_scatter, pad, slice, concatenate, reshape, transpose, reduce, reverse, broadcast, add,
       sort, dynamic_slice, dynamic_update_slice, gather, scatter)
ASKED_FOR = (wide_gather,)  # by --only alone: another op in OPS would change what the seeds give


def cut_op(seed, ops=OPS):
    draw = Draw(seed)
    op, mesh = draw.choice(ops), draw.choice(MESHES)
    operands, out, text = op(draw)
    arguments = []
    for k, operand in enumerate(operands):
        dims, element = operand if isinstance(operand, tuple) else (operand, "f32")
        arguments.append(f"%a{k}: {tensor(dims, element)} {{sdy.sharding = #sdy.sharding<@mesh, {draw.sharding(dims, mesh)}>}} loc(\"a{k}\")")
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh)
    return op.__name__, f"""module @{op.__name__}_{seed} attributes {{mhlo.num_partitions = {math.prod(s for _, s in mesh)} : i32, \
mhlo.num_replicas = 1 : i32}} {{
  sdy.mesh @mesh = <[{axes}]>
  func.func public @main({", ".join(arguments)}) -> {tensor(out)} {{
    {text} loc("op")
    %c = sdy.sharding_constraint %o <@mesh, {draw.sharding(out, mesh)}> : {tensor(out)} loc("result")
    return %c : {tensor(out)}
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--only", default="", help="names of ops")
    options = parser.parse_args()
    ops = [op for op in OPS + ASKED_FOR if op.__name__ in options.only.split(",")] if options.only else OPS
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.first, options.first + options.count):
        name, text = cut_op(seed, ops)
        (options.folder / f"{name}_{seed}.mlir").write_text(text)


if __name__ == "__main__":
    main()
