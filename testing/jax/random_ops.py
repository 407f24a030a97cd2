"""Random HLO modules of one op each, for comparing sharding rules.

    module = random_op_module(17)     # text; the same seed gives the same module for ever

Drawn are the ops whose rule follows from more than shapes: reshapes, convolutions with groups, gathers and scatters with batching
dimensions, products, windows, and the plainer ones. Every draw is legal.
"""

import math
import random
import re

SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
MESH = 'frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2]>}}'


def shape(dims, element="f32"):
    return f"{element}[{','.join(map(str, dims))}]"


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


def reducer(element, root):
    return (f"u {{\n  a = {element}[] parameter(0)\n  b = {element}[] parameter(1)\n  ROOT r = {root}\n}}\n")


ADD = reducer("f32", "f32[] add(a, b)")
LESS = reducer("f32", "pred[] compare(a, b), direction=LT")


class Draw(random.Random):

    def dims(self, rank, sizes=SIZES):
        return [self.choice(sizes) for _ in range(rank)]

    def subset(self, items, low=0):
        return self.sample(items, self.randint(low, len(items)))

    def shuffled(self, items):
        return self.sample(items, len(items))

    def shrunk(self, dims):
        return [self.choice((d, self.randint(1, d))) for d in dims]


# Each function gives the instruction with operands p0, p1, .., the shapes of these, and the computation that it calls.


def reshape(draw):
    old = draw.dims(draw.randint(1, 4))
    left, new = math.prod(old), []
    while left > 1:
        new.append(draw.choice([d for d in range(2, left + 1) if left % d == 0]))
        left //= new[-1]
    new = draw.shuffled(new + [1] * draw.randint(0, 2))
    if new == old:
        new.append(1)
    return f"{shape(new)} reshape(p0)", [shape(old)], ""


def arranged(draw, letters, sizes):
    order = draw.shuffled(range(len(letters)))
    return "".join(letters[i] for i in order), shape([sizes[i] for i in order])


def convolution(draw):
    spatial, groups = draw.randint(0, 2), draw.choice((1, 1, 1, 2, 4))
    by_batch = draw.random() < 0.4
    batch_groups, feature_groups = (groups, 1) if by_batch else (1, groups)
    batch, features = draw.choice((1, 2, 3, 4, 8)), draw.choice((1, 2, 3, 4))
    result_features = draw.choice((1, 2, 3, 4)) * groups
    size = [draw.choice((1, 2, 5, 8, 9, 16, 28)) for _ in range(spatial)]
    window = [draw.choice((1, 1, 2, 3, 5, 8)) for _ in range(spatial)]
    stride = [draw.choice((1, 1, 2, 3)) for _ in range(spatial)]
    pad = [max(w - s, 0, draw.choice((0, w - 1))) for s, w in zip(size, window)]
    result = [(s + p - w) // t + 1 for s, p, w, t in zip(size, pad, window, stride)]
    names = "01"[:spatial]
    lhs, lhs_shape = arranged(draw, "bf" + names, [batch * batch_groups, features * feature_groups] + size)
    kernel, kernel_shape = arranged(draw, "io" + names, [features, result_features] + window)
    out, out_shape = arranged(draw, "bf" + names, [batch, result_features] + result)
    text = f"{out_shape} convolution(p0, p1), dim_labels={lhs}_{kernel}->{out}"
    if spatial:
        text += f", {window_text(window, stride, pad)}"
    text += f", feature_group_count={feature_groups}" * (feature_groups > 1)
    return text + f", batch_group_count={batch_groups}" * (batch_groups > 1), [lhs_shape, kernel_shape], ""


def window_text(window, stride, pad):
    by_x = lambda items: "x".join(map(str, items))
    return f"window={{size={by_x(window)} stride={by_x(stride)} pad={by_x(f'{p}_0' for p in pad)}}}"


def reduce_window(draw):
    size = draw.dims(draw.randint(1, 4), (1, 2, 4, 8, 9))
    window = [draw.choice((1, 1, 2, 3)) for _ in size]
    stride = [draw.choice((1, 1, 2)) for _ in size]
    pad = [max(w - s, draw.choice((0, 0, w - 1, 1))) for s, w in zip(size, window)]
    result = [(s + p - w) // t + 1 for s, p, w, t in zip(size, pad, window, stride)]
    return (f"{shape(result)} reduce-window(p0, p1), {window_text(window, stride, pad)}, to_apply=u", [shape(size), "f32[]"], ADD)


class Indexed:
    """Dimension numbers that a gather and a scatter have in common."""

    def __init__(self, draw):
        rank = draw.randint(1, 4)
        self.x = draw.dims(rank, (1, 2, 3, 4, 5, 7))
        order = draw.shuffled(range(rank))
        batching = draw.randint(0, min(1, rank - 1))
        self.x_batching = order[:batching]
        self.collapsed = sorted(draw.subset(order[batching:]))
        self.index_map = draw.subset(order[batching:], 1)
        batch = draw.dims(draw.randint(batching, 3), (1, 2, 3, 5))
        places = draw.sample(range(len(batch)), batching)
        for place, d in zip(places, self.x_batching):
            batch[place] = self.x[d]
        has_vector = len(self.index_map) > 1 or draw.random() < 0.6
        self.vector = draw.randint(0, len(batch)) if has_vector else len(batch)
        self.s = batch[:self.vector] + [len(self.index_map)] * has_vector + batch[self.vector:]
        self.s_batching = [p + (has_vector and p >= self.vector) for p in places]
        self._set_slices(draw, batch)

    def _set_slices(self, draw, batch):
        gone = self.collapsed + self.x_batching
        self.slices = [1 if d in gone else draw.choice((size, draw.randint(1, size))) for d, size in enumerate(self.x)]
        kept = [size for d, size in enumerate(self.slices) if d not in gone]
        rank = len(batch) + len(kept)
        self.offsets = sorted(draw.sample(range(rank), len(kept)))
        sources = {True: iter(kept), False: iter(batch)}
        self.y = [next(sources[t in self.offsets]) for t in range(rank)]

    def batching(self, of_x, of_s):
        return f", {of_x}={braces(self.x_batching)}, {of_s}={braces(self.s_batching)}" if self.x_batching else ""


def gather(draw):
    d = Indexed(draw)
    return (f"{shape(d.y)} gather(p0, p1), offset_dims={braces(d.offsets)}, collapsed_slice_dims={braces(d.collapsed)}, "
            f"start_index_map={braces(d.index_map)}{d.batching('operand_batching_dims', 'start_indices_batching_dims')}, "
            f"index_vector_dim={d.vector}, slice_sizes={braces(d.slices)}", [shape(d.x), shape(d.s, "s32")], "")


UPDATES = {
    "f32": ("add(a, b)", "add(b, a)", "add(a, a)", "multiply(a, b)", "maximum(b, a)", "subtract(a, b)", "copy(b)"),
    "s32": ("add(a, b)", "minimum(a, b)", "and(a, b)", "or(a, b)", "xor(a, b)", "copy(b)"),
    "pred": ("add(a, b)", "and(a, b)", "or(b, a)", "xor(a, b)", "maximum(a, b)", "copy(b)"),
}


def scatter(draw):
    d, element = Indexed(draw), draw.choice(tuple(UPDATES))
    return (f"{shape(d.x, element)} scatter(p0, p1, p2), update_window_dims={braces(d.offsets)}, "
            f"inserted_window_dims={braces(d.collapsed)}, scatter_dims_to_operand_dims={braces(d.index_map)}"
            f"{d.batching('input_batching_dims', 'scatter_indices_batching_dims')}, index_vector_dim={d.vector}, to_apply=u",
            [shape(d.x, element), shape(d.s, "s32"), shape(d.y, element)],
            reducer(element, f"{element}[] {draw.choice(UPDATES[element])}"))


def dot(draw):
    batch, contracted = draw.dims(draw.randint(0, 2)), draw.dims(draw.randint(0, 2))
    sides = [draw.shuffled([("b", k) for k in range(len(batch))] + [("c", k) for k in range(len(contracted))] +
                           [("f", size) for size in draw.dims(draw.randint(0, 2))]) for _ in range(2)]
    sizes = {"b": lambda k: batch[k], "c": lambda k: contracted[k], "f": lambda size: size}
    shapes = [shape([sizes[kind](k) for kind, k in side]) for side in sides]
    result = batch + [size for side in sides for kind, size in side if kind == "f"]
    text = f"{shape(result)} dot(p0, p1)"
    for name, kind, count in (("batch", "b", len(batch)), ("contracting", "c", len(contracted))):
        for side, items in zip(("lhs", "rhs"), sides):
            places = [items.index((kind, k)) for k in range(count)]
            text += f", {side}_{name}_dims={braces(places)}" * (kind == "c" or count > 0)
    return text, shapes, ""


def broadcast(draw):
    result = draw.dims(draw.randint(1, 5))
    kept = sorted(draw.subset(range(len(result))))
    return f"{shape(result)} broadcast(p0), dimensions={braces(kept)}", [shape([result[d] for d in kept])], ""


def transpose(draw):
    old = draw.dims(draw.randint(1, 4))
    order = draw.shuffled(range(len(old)))
    return f"{shape([old[d] for d in order])} transpose(p0), dimensions={braces(order)}", [shape(old)], ""


def slice_(draw):
    old = draw.dims(draw.randint(1, 4))
    new = draw.shrunk(old)
    return f"{shape(new)} slice(p0), slice={{{', '.join(f'[0:{d}]' for d in new)}}}", [shape(old)], ""


def dynamic_slice(draw):
    old = draw.dims(draw.randint(1, 4))
    new, rank = draw.shrunk(old), len(old)
    starts = ", ".join(f"p{i + 1}" for i in range(rank))
    return f"{shape(new)} dynamic-slice(p0, {starts}), dynamic_slice_sizes={braces(new)}", [shape(old)] + ["s32[]"] * rank, ""


def dynamic_update_slice(draw):
    old = draw.dims(draw.randint(1, 4))
    starts = ", ".join(f"p{i + 2}" for i in range(len(old)))
    return f"{shape(old)} dynamic-update-slice(p0, p1, {starts})", [shape(old), shape(draw.shrunk(old))] + ["s32[]"] * len(old), ""


def reduce(draw):
    old = draw.dims(draw.randint(1, 4))
    gone = sorted(draw.subset(range(len(old)), 1))
    new = [size for d, size in enumerate(old) if d not in gone]
    return f"{shape(new)} reduce(p0, p1), dimensions={braces(gone)}, to_apply=u", [shape(old), "f32[]"], ADD


def sort(draw):
    old = draw.dims(draw.randint(1, 4))
    return f"{shape(old)} sort(p0), dimensions={{{draw.randrange(len(old))}}}, to_apply=u", [shape(old)], LESS


def concatenate(draw):
    one = draw.dims(draw.randint(1, 4))
    along = draw.randrange(len(one))
    other, both = list(one), list(one)
    other[along] = draw.choice(SIZES)
    both[along] += other[along]
    return f"{shape(both)} concatenate(p0, p1), dimensions={{{along}}}", [shape(one), shape(other)], ""


def pad(draw):
    old = draw.dims(draw.randint(1, 4))
    edges = [(draw.choice((0, 0, 1, 2)), draw.choice((0, 0, 1, -1, -2)), draw.choice((0, 0, 1))) for _ in old]
    new = [size + low + high + between * (size - 1) for size, (low, high, between) in zip(old, edges)]
    edges = [edge if size > 0 else (0, 0, 0) for size, edge in zip(new, edges)]
    new = [size if size > 0 else before for size, before in zip(new, old)]
    padding = "x".join("_".join(map(str, edge if edge[2] else edge[:2])) for edge in edges)
    return f"{shape(new)} pad(p0, p1), padding={padding}", [shape(old), "f32[]"], ""


def unary(draw):
    text = shape(draw.dims(draw.randint(1, 4)))
    return f"{text} {draw.choice(('acos', 'acosh', 'asin', 'asinh', 'atanh', 'cosh', 'erf', 'sinh', 'tanh'))}(p0)", [text], ""


def top_k_call(draw):
    old = draw.dims(draw.randint(1, 3))
    new = old[:-1] + [draw.randint(1, old[-1])]
    return f'({shape(new)}, {shape(new, "s32")}) custom-call(p0), custom_call_target="TopK"', [shape(old)], ""


BODIES = ("add(x, c)", "maximum(c, x)", "reverse(x), dimensions={0}")


def scan(draw):
    one = draw.dims(draw.randint(1, 3))
    along = draw.randint(0, len(one))
    whole, part = one[:along] + [draw.choice(SIZES)] + one[along:], shape(one)
    body = (f"u {{\n  x = {part} parameter(0)\n  c = {part} parameter(1)\n  r = {part} {draw.choice(BODIES)}\n"
            f"  ROOT t = ({part}, {part}) tuple(r, {draw.choice('rc')})\n}}\n")
    return (f"({shape(whole)}, {part}) scan(p0, p1), dimensions={{{along}}}, num_carries=1, "
            f"is_associative={draw.choice(('true', 'false'))}, to_apply=u", [shape(whole), part], body)


OPS = (reshape, reshape, reshape, convolution, convolution, gather, gather, scatter, scatter, dot, reduce_window, broadcast, transpose,
       slice_, dynamic_slice, dynamic_update_slice, reduce, sort, concatenate, pad, unary, top_k_call, scan)


def random_op_module(seed):
    draw = Draw(seed)
    instruction, shapes, computation = draw.choice(OPS)(draw)
    lines = []
    for number, text in enumerate(shapes):
        rank = len(re.findall(r"\d+", text.split("[")[1]))
        open_dims = ", ".join(["{?}"] * rank)
        lines.append(f"  p{number} = {text} parameter({number}), "
                     f'frontend_attributes={{xla.sdy.sharding="#sdy.sharding<@mesh, [{open_dims}]>"}}')
    body = "\n".join(lines + [f"  ROOT op = {instruction}"])
    return f"HloModule op_{seed}, num_partitions=2, {MESH}\n{computation}ENTRY e {{\n{body}\n}}\n"
