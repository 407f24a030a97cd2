"""Random texts of shardings, as they stand in frontend attributes of HLO.

    sharding(random.Random(1), "mesh", [("x", 4), ("y", 2)], [8, 16])   # '<@mesh, [{\\"x\\", ?}, {}]>'
"""

import math
import re

QUOTE = '\\"'  # a quote inside an attribute


def size_of(axes):
    return math.prod(size for _, size in axes)


def dims_of(shape):
    """[8, 4] of `f32[8,4]{1,0}`."""
    return [int(d) for d in re.search(r"\[([\d,]*)\]", shape).group(1).split(",") if d]


def dimension(chance, axes, size):
    """Text of one dimension; takes axes out of the list."""
    refs = []
    while axes and chance.random() < 0.45:
        name, count = axes.pop()
        splits = [k for k in range(2, count) if count % k == 0]
        if splits and chance.random() < 0.25:
            part = chance.choice(splits)
            refs.append(f"{QUOTE}{name}{QUOTE}:({chance.choice([1, count // part])}){part}")
        elif size % count == 0 or chance.random() < 0.3:
            refs.append(f"{QUOTE}{name}{QUOTE}")
    if chance.random() < 0.45:
        refs.append("?")
    priority = f"p{chance.randrange(3)}" if refs and chance.random() < 0.15 else ""
    return "{" + ", ".join(refs) + "}" + priority


def in_mesh_order(names, mesh_axes):
    order = [name for name, _ in mesh_axes]
    return ", ".join(f"{QUOTE}{name}{QUOTE}" for name in sorted(names, key=order.index))


def sharding(chance, mesh, mesh_axes, shape):
    """`mesh_axes`: (name, size) in the order of the mesh."""
    axes = list(mesh_axes)
    chance.shuffle(axes)
    dims = ", ".join(dimension(chance, axes, size) for size in shape)
    extra = ""
    if axes and chance.random() < 0.15:
        taken = [axes.pop()[0] for _ in range(chance.randint(1, len(axes)))]
        extra += f", replicated={{{in_mesh_order(taken, mesh_axes)}}}"
    if axes and chance.random() < 0.03:
        extra += f", unreduced={{{in_mesh_order([axes.pop()[0]], mesh_axes)}}}"
    return f"<@{mesh}, [{dims}]{extra}>"
